"""Memory: the agent builder's door to a store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from hebbgraph.store import Store

if TYPE_CHECKING:
    from hebbgraph.plasticity.report import PlasticityReport


class Memory:
    """A memory on top of a store.

    Attributes
    ----------
    store : the :class:`~hebbgraph.store.Store` it lives in
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.store = Store(path)

    def plastify(self, **options: Any) -> PlasticityReport:
        """Run one pass and commit it; options as in :func:`hebbgraph.plastify`."""
        return self.store.plastify(**options)
