"""Store: a graph on disk that learns."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from hebbgraph import check, cluster_tables, episode_log, graph_tables, tables
from hebbgraph.cluster_tables import Clusters
from hebbgraph.commits import Commits, import_figures
from hebbgraph.episodes import Episodes, Where, at_episode, batches, check_known, of_rows
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.merge import merge
from hebbgraph.snapshots import NEXT_CLUSTER, TUNED, Snapshot, shown
from hebbgraph.transaction import transaction

if TYPE_CHECKING:
    from hebbgraph.plasticity.report import PlasticityReport
    from hebbgraph.plasticity.tuning import Tuning

WINDOW = timedelta(days=30)


def open(  # noqa: A001 - it is called as hebbgraph.open
    path: str | os.PathLike[str], *, source: str | None = None, target: str | None = None
) -> Store:
    """Open a store, or a plain Lance data set of edges.

    Parameters
    ----------
    path : folder of the store; a Lance data set with a source and a target column is read in
        place, and the first pass puts the other tables into its folder
    source, target : columns of such a data set, where their names do not tell

    Raises
    ------
    StoreNotFoundError
        nothing stands at ``path``
    StoreError
        what stands there is neither
    SchemaVersionError
        a newer release wrote it
    """
    return Store(path, source=source, target=target)


class Store(Commits):
    """A graph on disk that learns, with its history; see ``docs/data-model.md``.

    How it reads and commits is in :class:`~hebbgraph.commits.Commits`.

    Examples
    --------
    >>> import tempfile, hebbgraph
    >>> folder = tempfile.mkdtemp() + "/data.lance"
    >>> graph = hebbgraph.Graph.from_edges(["a", "a", "b", "b"], ["x", "y", "x", "y"])
    >>> store = hebbgraph.Store.create(folder, graph)
    >>> store.plastify().new_associations_discovered
    2
    >>> [snapshot.operation for snapshot in hebbgraph.open(folder).history()]
    ['import', 'plastify']
    """

    def add(self, graph: Graph, *, parameters: Mapping[str, Any] | None = None) -> Snapshot:
        """Add edges and nodes; what was learned on those already there is kept.

        Adding what is there already commits nothing and returns the newest snapshot.
        """
        if tables.is_dataset(self.path):
            raise InputError(
                f"{self.path}: is a plain Lance data set; append the edges to it, "
                "and the next pass takes them in"
            )
        parent, base = self.snapshot(), self.graph()
        merged = merge(base, graph)
        if graph_tables.same(base, merged):
            return parent
        return self.commit(
            merged, base=base, parent=parent, operation="import",
            parameters=dict(parameters or {}), figures=import_figures(base, merged),
        )  # fmt: skip

    def plastify(self, *, dry_run: bool = False, **options: Any) -> PlasticityReport:
        """Run one pass and commit it; see :func:`hebbgraph.plastify` for the options.

        Every recorded episode is learned from by exactly one pass.  A pass that changes nothing
        commits nothing.  Options that :meth:`tune` chose are the defaults.

        Parameters
        ----------
        dry_run : report what a pass would do and write nothing
        """
        # Lance reads while the compiled kernels load.
        with ThreadPoolExecutor(1) as reader:
            reading = reader.submit(self._base, dry_run=dry_run)
            # An upward import: the method belongs here for whoever holds a store.
            from hebbgraph.plasticity.plastify import plastify
        parent, base = reading.result()
        tuned = {} if parent is None else parent.pass_options
        episodes, seen = self._episodes(base, parent, options)
        before = None if parent is None else self.last_pass(parent)
        learned, report = plastify(base, episodes=episodes, settled=before, **{**tuned, **options})
        if dry_run or not report.changed or parent is None:
            return dataclasses.replace(
                report, snapshot=None if dry_run or parent is None else parent.seq
            )
        if options.get("progress"):
            options["progress"]("commit")
        figures = report.to_dict()
        figures.pop("parameters")
        snapshot = self.commit(
            learned, base=base, parent=parent, operation="plastify",
            parameters=report.parameters, figures=figures, episodes_seen=seen,
        )  # fmt: skip
        return dataclasses.replace(report, snapshot=snapshot.seq)

    def decay(self, **options: Any) -> Snapshot | None:
        """Let what is not used fade, and commit it; see :func:`hebbgraph.decay` for the options.

        Returns
        -------
        snapshot : the new one, None if nothing has faded
        """
        # An upward import, as in plastify().
        from hebbgraph.plasticity.decay import decay

        parent, base = self._base()
        assert parent is not None
        episodes, _ = self._episodes(base, parent, options)
        faded = decay(base, episodes=episodes, **options)
        if faded is base:
            return None
        return self.commit(
            faded, base=base, parent=parent, operation="decay", parameters=shown(options),
            figures={"faded_edges": int(np.count_nonzero(faded.weight != base.weight))},
        )  # fmt: skip

    def tune(self, *, dry_run: bool = False, **options: Any) -> Tuning:
        """Choose ranking, threshold and shrinkage of discovery by held-out edges.

        The choice is committed, and every later pass takes it as its defaults; see
        :func:`hebbgraph.tune` for the options.

        Parameters
        ----------
        dry_run : report the choice and write nothing
        """
        # An upward import, as in plastify().
        from hebbgraph.plasticity.tuning import tune

        parent, base = self._base(dry_run=dry_run)
        tuning = tune(base, **options)
        if dry_run or parent is None:
            return tuning
        figures = tuning.to_dict()
        chosen = {"options": tuning.options, "tiers": list(figures["tiers"])}
        if parent.tuned == chosen:
            return tuning
        self.commit(
            base, base=base, parent=parent, operation="tune",
            parameters={TUNED: chosen}, figures=figures,
        )  # fmt: skip
        return tuning

    def cluster(self, *, dry_run: bool = False, **options: Any) -> Clusters:
        """Group strongly connected nodes and commit the groups; see :func:`hebbgraph.clusters`.

        Clusters that continue earlier ones keep their ids, and no id is ever given twice, not
        even after a restore.  Groups that are as they were commit nothing.

        Parameters
        ----------
        dry_run : return the groups and write nothing
        """
        # An upward import, as in plastify().
        from hebbgraph.plasticity.clusters import ClusterParameters, clusters

        stated = dataclasses.asdict(ClusterParameters(**options))
        parent, base = self._base(dry_run=dry_run)
        previous = None if parent is None else cluster_tables.read(self.path, parent)
        found = clusters(base, previous=previous, **stated)
        if dry_run or parent is None:
            return found
        if "clusters" in parent.versions and previous is not None and found.same(previous):
            return found
        with transaction(self.path):
            self._check_parent(parent)
            written = tables.write(self.path, "clusters", found.to_arrow())
            self._append(
                graph_tables.reading(base), parent, {**parent.versions, "clusters": written},
                None,
                operation="cluster", parameters={**stated, NEXT_CLUSTER: found.next_id},
                figures=found.figures(),
            )  # fmt: skip
        return found

    # -- use ------------------------------------------------------------------

    def record(
        self,
        nodes: Iterable[str | int],
        *,
        outcome: float = 0.0,
        time: datetime | str | float | None = None,
        kind: str | None = None,
        context: Any | None = None,
        id: str | None = None,
    ) -> None:
        """Note that some nodes were active together; the next pass learns from it.

        Parameters
        ----------
        nodes : ids of nodes of the graph
        outcome : in [−1, 1]: failure to success, 0 neither
        time : when it happened, now by default; naive times are UTC
        kind : what it was, such as ``"search"``; ``"correction"`` is no evidence that the nodes
            belong together
        context : text, or anything that JSON can hold, kept as it is
        id : recording the same id again counts once

        Raises
        ------
        NodeNotFoundError
            the graph has no such node
        InputError
            the outcome is outside [−1, 1], the time cannot be read, there is no node
        """
        self.record_many([
            {"nodes": nodes, "outcome": outcome, "time": time, "kind": kind, "context": context,
             "id": id}
        ])  # fmt: skip

    def record_many(self, episodes: Any, *, where: Where = at_episode) -> int:
        """Record many episodes; returns how many.

        They are appended to a log that any number of processes may write at once, a batch at a
        time; a batch that is refused leaves those before it recorded.

        Parameters
        ----------
        episodes : iterable of mappings with the names of :meth:`record`'s arguments, or an Arrow
            table, batch or reader with such columns
        where : how a message calls an episode, by its number from 0
        """
        parent = self.current or self._base()[0]
        assert parent is not None
        known, n_nodes = graph_tables.read_ids(self.path, parent)

        def checked() -> Iterator[pa.Table]:
            for rows, place in batches(episodes, where):
                check_known(rows, known, n_nodes, place)
                yield rows

        return episode_log.append(self.path, checked(), seen=parent.episodes_seen)

    def episodes(self) -> pa.Table:
        """All recorded episodes in order of recording; of those with one id the first."""
        return episode_log.read(self.path)[0]

    def _episodes(
        self, graph: Graph, parent: Snapshot | None, options: Mapping[str, Any]
    ) -> tuple[Episodes | None, int]:
        """Episodes that a pass with these options needs, and up to which it then has learned."""
        seen = 0 if parent is None else parent.episodes_seen
        if episode_log.next_seq(self.path) == 0:
            return None, seen
        window = check.duration("temporal_window", options.get("temporal_window", WINDOW))
        moment = check.microseconds("now", options.get("now"))
        rows, learned, after = episode_log.read(
            self.path, seen=seen, since=moment - window // timedelta(microseconds=1)
        )
        return of_rows(rows, graph.node_ids, graph.n_nodes, n_learned=learned), after
