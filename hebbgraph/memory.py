"""Memory: the agent builder's door to a store."""

from __future__ import annotations

import os
from collections.abc import Iterable
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

    def record(self, nodes: Iterable[str | int], **options: Any) -> None:
        """Note that some nodes were active together; see :meth:`hebbgraph.Store.record`."""
        self.store.record(nodes, **options)

    def record_many(self, episodes: Any) -> int:
        """Record many episodes; see :meth:`hebbgraph.Store.record_many`."""
        return self.store.record_many(episodes)

    def plastify(self, **options: Any) -> PlasticityReport:
        """Run one pass and commit it; options as in :func:`hebbgraph.plastify`."""
        return self.store.plastify(**options)
