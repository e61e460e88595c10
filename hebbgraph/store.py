"""Store: a graph on disk that learns."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check, cluster_tables, episode_log, graph_tables, tables
from hebbgraph.cluster_tables import Clusters
from hebbgraph.commits import Commits, import_figures
from hebbgraph.episodes import (
    CORRECTION,
    Episodes,
    Where,
    at_episode,
    batches,
    check_known,
    of_rows,
)
from hebbgraph.errors import InputError
from hebbgraph.graph import Graph
from hebbgraph.merge import merge
from hebbgraph.snapshots import NEXT_CLUSTER, TUNED, Snapshot, shown
from hebbgraph.transaction import transaction

if TYPE_CHECKING:
    from hebbgraph.plasticity.expectation import Expectation
    from hebbgraph.plasticity.forgetting import ForgetReport
    from hebbgraph.plasticity.report import PlasticityReport
    from hebbgraph.plasticity.tiers import ConsolidationReport
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

    def consolidate(self, *, dry_run: bool = False, **options: Any) -> ConsolidationReport:
        """Move nodes between tiers, one step, and commit it; see :func:`hebbgraph.consolidate`.

        Parameters
        ----------
        dry_run : report what would move, and what would go to the archive, and write nothing
        """
        from hebbgraph.upkeep import consolidate_store

        return consolidate_store(self, dry_run=dry_run, options=options)

    def unarchive(self, nodes: Iterable[str | int], *, now: datetime | None = None) -> Snapshot:
        """Bring nodes back from the archive with all that they and their edges had learned.

        Raises
        ------
        NodeNotFoundError, InputError
            the graph has no such node, or it is not archived
        """
        from hebbgraph.upkeep import unarchive_in_store

        return unarchive_in_store(self, nodes, now)

    def forget(
        self,
        nodes: Iterable[str | int] = (),
        *,
        edges: Iterable[Sequence[str | int]] = (),
        source: str | None = None,
        after: datetime | None = None,
        before: datetime | None = None,
        dry_run: bool = False,
        purge: bool = False,
    ) -> ForgetReport:
        """Forget nodes, edges, a source or a time span; see :func:`hebbgraph.forget`.

        What is recorded of them teaches nothing any more.  Earlier snapshots still hold it, and
        ``restore`` brings it back, unless it is purged.

        Parameters
        ----------
        dry_run : report what would go, and what with it, and write nothing
        purge : leave no byte of it: all earlier snapshots go too.  Alone, what was forgotten before

        Raises
        ------
        NodeNotFoundError, InputError
            there is no such node or edge, or a plain Lance data set holds it
        ConflictError
            another writer is at work
        """
        from hebbgraph.upkeep import forget_in_store

        return forget_in_store(
            self, nodes, edges, source, after, before, dry_run=dry_run, purge=purge
        )

    def tune(self, *, dry_run: bool = False, **options: Any) -> Tuning:
        """Choose ranking, threshold and shrinkage of discovery by held-out edges.

        The choice is committed, and every later pass takes it as its defaults; see
        :func:`hebbgraph.tune` for the options.  Where enough use is recorded, the mix by which
        :meth:`expect` weighs it is fitted to the latest of it, and committed too.

        Parameters
        ----------
        dry_run : report the choice and write nothing
        """
        # An upward import, as in plastify().
        from hebbgraph.plasticity.expectation import learned_mix
        from hebbgraph.plasticity.tuning import tune

        parent, base = self._base(dry_run=dry_run)
        tuning = tune(base, **options)
        if dry_run or parent is None:
            return tuning
        figures = tuning.to_dict()
        chosen = {"options": tuning.options, "tiers": list(figures["tiers"])}
        mix = learned_mix(base, self._recorded(base, parent, None)[0])
        if mix is not None:
            chosen["mix"] = mix.to_dict()
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

    def correct(
        self,
        wrong: Iterable[str | int],
        *,
        right: Iterable[str | int] = (),
        cue: Iterable[str | int] = (),
        time: datetime | str | float | None = None,
        context: Any | None = None,
    ) -> int:
        """Say that a belief is wrong; the next pass unlearns it.  Returns episodes recorded.

        To speak of a belief strengthens nothing: corrections are no evidence of co-occurrence, and
        none that its nodes were of use.

        Parameters
        ----------
        wrong : answers that should not come up for the cue; without a cue, nodes that do not
            belong together
        right : what should come up in their place
        cue : what they are answers to
        time, context : as in :meth:`record`
        """
        from hebbgraph.plasticity.forgetting import corrections

        told = corrections(list(wrong), list(right), list(cue))
        return self.record_many(
            [{**one, "kind": CORRECTION, "time": time, "context": context} for one in told]
        )

    def expect(
        self,
        nodes: Iterable[str | int],
        *,
        k: int = 10,
        seeking: Iterable[str | int] = (),
        now: datetime | None = None,
    ) -> list[Expectation]:
        """The k nodes that most likely follow an episode so far, best first.

        The mix of habit, recency, company and the rest is the one that :meth:`tune` fitted, or one
        fitted now and not kept; see ``docs/learning.md``.

        Parameters
        ----------
        nodes : ids, in order, the latest last
        seeking : ids of what is sought, such as what a question names

        Raises
        ------
        NodeNotFoundError
            the graph has no such node
        InputError
            too little use is recorded to tell
        """
        # An upward import, as in plastify().
        from hebbgraph.plasticity.expectation import LEAST, expected, learned_mix
        from hebbgraph.plasticity.prediction import Mix

        parent, graph = self._base()
        moment = check.microseconds("now", now)
        episodes, _ = self._recorded(graph, parent, None)
        kept = {} if parent is None else parent.tuned.get("mix", {})
        mix = Mix.from_dict(kept) if kept else learned_mix(graph, episodes)
        if mix is None or episodes is None:
            raise InputError(
                f"{self.path}: expected at least {LEAST} recorded steps from one node to the next "
                "to tell what follows; `hebbgraph record` takes them"
            )
        return expected(graph, episodes, mix, list(nodes), k=k, seeking=list(seeking), now=moment)

    def episodes(self) -> pa.Table:
        """All recorded episodes in order of recording; of those with one id the first.

        Forgotten nodes are left out, and episodes that held no other.
        """
        current = self.current
        rows = episode_log.read(self.path)[0]
        if current is None or not current.forgotten:
            return rows
        left = episode_log.without(rows, current.forgotten)
        return left.filter(pc.greater(pc.list_value_length(left["nodes"]), 0))

    def _episodes(
        self, graph: Graph, parent: Snapshot | None, options: Mapping[str, Any]
    ) -> tuple[Episodes | None, int]:
        """Episodes that a pass with these options needs, and up to which it then has learned."""
        window = check.duration("temporal_window", options.get("temporal_window", WINDOW))
        moment = check.microseconds("now", options.get("now"))
        return self._recorded(graph, parent, moment - window // timedelta(microseconds=1))

    def _recorded(
        self, graph: Graph, parent: Snapshot | None, since: int | None
    ) -> tuple[Episodes | None, int]:
        """Episodes that are new or not before a moment; None if nothing was ever recorded."""
        seen = 0 if parent is None else parent.episodes_seen
        if episode_log.next_seq(self.path) == 0:
            return None, seen
        rows, learned, after = episode_log.read(self.path, seen=seen, since=since)
        if parent is not None and parent.forgotten:
            rows = episode_log.without(rows, parent.forgotten)
        return of_rows(rows, graph.node_ids, graph.n_nodes, n_learned=learned), after
