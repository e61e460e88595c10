"""What a reader is told of the bytes it reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True)
class Source:
    """Where bytes come from.

    Attributes
    ----------
    id : of the document; of one that holds several, what theirs begin with
    name : path or ``<stdin>``, for messages and :attr:`~hebbgraph.ingest.documents.Document.source`
    encoding : of text; None recognises it
    """

    id: str
    name: str
    encoding: str | None = None

    @property
    def title(self) -> str:
        """What the file is called, without its ending and with blanks for underscores."""
        return PurePosixPath(self.id).stem.replace("_", " ")
