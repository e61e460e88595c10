"""Commits: a folder of Lance tables in which every snapshot is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import pyarrow as pa

from hebbgraph import adopt, check, cluster_tables, graph_tables, node_history, schema, tables
from hebbgraph.cluster_tables import Clusters
from hebbgraph.diff import SnapshotDiff, compare
from hebbgraph.errors import (
    ConflictError,
    InputError,
    SchemaVersionError,
    SnapshotNotFoundError,
    StoreError,
    StoreNotFoundError,
    StoreWriteError,
)
from hebbgraph.graph import Graph
from hebbgraph.merge import merge
from hebbgraph.node_history import NodeHistory
from hebbgraph.snapshots import (
    FORGOTTEN,
    MEMORY,
    NEXT_CLUSTER,
    TUNED,
    VERSIONED,
    Reading,
    Snapshot,
    new_row,
)
from hebbgraph.transaction import replacing, settle, transaction


class Commits:
    """Graphs on disk with their history; see ``docs/data-model.md``.

    Readers open the tables at the versions that the newest snapshot names.  A commit writes new
    versions and then adds one row to ``snapshots``: that row is the commit, so a crash at any
    moment leaves the previous snapshot whole.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, source: str | None = None, target: str | None = None
    ) -> None:
        self.path = _local(path)
        self._columns = {"source": source, "target": target}
        if not _stands(self.path):
            raise StoreNotFoundError(
                f"{self.path}: no such store; make one with `hebbgraph import EDGES {self.path}`"
            )
        settle(self.path)
        if not self._has_snapshots and not tables.is_dataset(self.path):
            raise StoreError(
                f"{self.path}: expected a hebbgraph store or a Lance data set of edges, got "
                f"{'a folder' if self.path.is_dir() else 'a file'} without either; "
                "make a store with `hebbgraph import EDGES data.lance`"
            )
        if self._has_snapshots:
            self.history()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        graph: Graph,
        *,
        operation: str = "import",
        parameters: Mapping[str, Any] | None = None,
    ) -> Self:
        """Make a store of a graph; it appears whole or not at all.

        Raises
        ------
        StoreWriteError
            something stands at ``path``, or the folder cannot be written
        """
        place = _local(path)
        if _stands(place) and not (place.is_dir() and not any(place.iterdir())):
            raise StoreWriteError(f"{place}: something stands there already; choose another path")
        staged = place.with_name(f".{place.name}.{uuid4().hex[:8]}.new")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            staged.mkdir()
            with transaction(staged):
                _first_commit(staged, graph, operation, dict(parameters or {}))
            if _stands(place):
                place.rmdir()
            staged.rename(place)
        except OSError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreWriteError(f"{place}: cannot be written ({error.strerror})") from error
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        return cls(place)

    def __repr__(self) -> str:
        current = self.current
        seen = "not yet learned" if current is None else f"snapshot {current.seq}"
        return f"{type(self).__name__}({str(self.path)!r}, {seen})"

    # -- reading --------------------------------------------------------------

    @property
    def _has_snapshots(self) -> bool:
        return (self.path / "snapshots.lance").is_dir()

    def history(self) -> list[Snapshot]:
        """All snapshots, oldest first; empty for a data set that no pass has touched."""
        if not self._has_snapshots:
            return []
        rows = tables.latest(self.path, "snapshots").to_pylist()
        newest = max((row["schema_version"] for row in rows), default=0)
        if newest > schema.SCHEMA_VERSION:
            raise SchemaVersionError(
                f"{self.path}: written with schema {newest}, this release reads up to "
                f"{schema.SCHEMA_VERSION}; upgrade with `pip install -U hebbgraph`"
            )
        return sorted((Snapshot.of_row(row) for row in rows), key=lambda one: one.seq)

    @property
    def current(self) -> Snapshot | None:
        """The newest snapshot; None for a data set that no pass has touched."""
        history = self.history()
        return history[-1] if history else None

    def snapshot(self, seq: int | None = None) -> Snapshot:
        """A snapshot by number, the newest by default; negative numbers count from the end.

        Raises
        ------
        SnapshotNotFoundError
            there is none of that number
        """
        if seq is not None and (isinstance(seq, bool) or not hasattr(seq, "__index__")):
            raise SnapshotNotFoundError(f"snapshot: expected a whole number, got {seq!r}")
        history = self.history()
        if seq is None and history:
            return history[-1]
        if seq is not None and seq < 0 and -seq <= len(history):
            return history[seq]
        for one in history:
            if one.seq == seq:
                return one
        span = f"{history[0].seq} to {history[-1].seq}" if history else "none"
        raise SnapshotNotFoundError(
            f"{self.path}: no snapshot {seq}; there are {span}, see `hebbgraph history {self.path}`"
        )

    def last_pass(self, snapshot: Snapshot) -> dict[str, Any] | None:
        """Options of the latest pass that a snapshot's edges come from; None if there was none."""
        known = {one.seq: one for one in self.history()}
        seq: int | None = snapshot.seq
        while seq in known:
            one = known[seq]
            if one.operation == "plastify":
                return one.parameters
            seq = one.parameters["snapshot"] if one.operation == "restore" else one.parent
        return None

    def graph(self, snapshot: int | None = None) -> Graph:
        """The graph of a snapshot, the newest by default."""
        if snapshot is None and not self._has_snapshots:
            return self._origin()
        return graph_tables.read(self.path, self.snapshot(snapshot))

    def diff(self, old: int = -2, new: int = -1) -> SnapshotDiff:
        """What changed from one snapshot to another; by default what the last commit did."""
        if old < 0 and len(self.history()) < 2:
            raise SnapshotNotFoundError(
                f"{self.path}: expected two snapshots to compare, there is "
                f"{len(self.history())}; a pass that learns something makes the next"
            )
        before, after = self.snapshot(old), self.snapshot(new)
        return compare(
            graph_tables.read(self.path, before),
            graph_tables.read(self.path, after),
            old=before.seq,
            new=after.seq,
        )

    def clusters(self, snapshot: int | None = None) -> Clusters:
        """The clusters of a snapshot, the newest by default.

        Nodes that came later are in none.

        Raises
        ------
        StoreError
            :meth:`cluster` had not been run by then
        """
        seen = self.snapshot(snapshot)
        if "clusters" not in seen.versions:
            raise StoreError(
                f"{self.path}: snapshot {seen.seq} has no clusters; "
                f"find them with `hebbgraph clusters {self.path}`"
            )
        return cluster_tables.read(self.path, seen)

    def history_of(self, node: str | int, *, limit: int = 10) -> NodeHistory:
        """How a node's activation and the weights of its edges moved over the snapshots.

        Only the rows at the node are read.

        Parameters
        ----------
        limit : how many of its edges, strongest first

        Raises
        ------
        NodeNotFoundError
            the newest snapshot has no such node
        SnapshotNotFoundError
            there is no snapshot yet
        """
        check.integer("limit", limit, 0)
        self.snapshot()
        return node_history.read(self.path, self.history(), node, limit)

    # -- writing --------------------------------------------------------------

    def commit(
        self,
        graph: Graph,
        *,
        base: Graph,
        parent: Snapshot,
        operation: str,
        parameters: Mapping[str, Any],
        figures: Mapping[str, Any],
        episodes_seen: int | None = None,
        archive: Graph | None = None,
        others: Mapping[str, Callable[[], int]] | None = None,
    ) -> Snapshot:
        """Write a graph as the next snapshot.

        Only what differs from ``base`` is written: learned columns alone where both share their
        edges, whole tables otherwise.

        Parameters
        ----------
        base : the graph of ``parent``
        episodes_seen : up to which episode it has learned; as ``parent`` if not given
        archive : the archived edges, over the same nodes; as ``parent`` has them if not given
        others : what writes further tables, by their names, and returns the version

        Raises
        ------
        ConflictError
            another writer committed since ``parent``
        StoreWriteError
            the folder cannot be written
        """
        with transaction(self.path):
            self._check_parent(parent)
            versions = graph_tables.write(
                self.path, graph, base=base, parent=parent, archive=archive
            )
            versions |= {name: write() for name, write in (others or {}).items()}
            return self._append(
                graph_tables.reading(graph), parent, versions, episodes_seen,
                operation=operation, parameters=parameters, figures=figures,
            )  # fmt: skip

    def replace(
        self,
        graph: Graph,
        *,
        archive: Graph,
        episodes: Callable[[], pa.Table],
        parent: Snapshot,
        operation: str,
        parameters: Mapping[str, Any],
        figures: Mapping[str, Any],
    ) -> Snapshot:
        """Write a graph as the only snapshot: no byte of what was before it is left.

        It happens whole or not at all; what a killed writer had begun, the next one ends.

        Parameters
        ----------
        episodes : called under the lock, gives all rows of the log

        Raises
        ------
        ConflictError
            another writer is at work, or committed since ``parent``
        """
        with replacing(self.path) as staged:
            self._check_parent(parent)
            versions = graph_tables.write_all(staged, graph, archive)
            handed_on = {TUNED: parent.tuned, MEMORY: parent.memory}
            said = parent.origin | {name: one for name, one in handed_on.items() if one}
            said |= parameters
            row = new_row(
                parent.seq + 1, None, versions, graph_tables.reading(graph), parent.episodes_seen,
                operation=operation, parameters=said, figures=figures,
            )  # fmt: skip
            tables.write(staged, "snapshots", row)
            rows = episodes()
            if rows.num_rows:
                tables.write(staged, "episodes", rows)
        return self.snapshot()

    def _check_parent(self, parent: Snapshot) -> None:
        current = self.current
        if current is None or current.id != parent.id:
            raise ConflictError(
                f"{self.path}: another writer committed snapshot "
                f"{'?' if current is None else current.seq} while this one worked on "
                f"{parent.seq}; run it again"
            )

    def _append(
        self,
        reading: Reading,
        parent: Snapshot,
        versions: Mapping[str, int],
        episodes_seen: int | None,
        **said: Any,
    ) -> Snapshot:
        # What a data set was taken in as goes on to every snapshot made of it.
        handed_on = {name: parent.parameters[name]
                     for name in (TUNED, FORGOTTEN, MEMORY, NEXT_CLUSTER)
                     if parent.parameters.get(name)}  # fmt: skip
        said["parameters"] = {**parent.origin, **handed_on, **said["parameters"]}
        seen = parent.episodes_seen if episodes_seen is None else episodes_seen
        row = new_row(parent.seq + 1, parent.seq, versions, reading, seen, **said)
        tables.insert_once(self.path, "snapshots", "seq", row)
        written = self.snapshot(parent.seq + 1)
        if written.id != row["id"][0].as_py():
            raise ConflictError(
                f"{self.path}: another writer committed snapshot {written.seq} first; run it again"
            )
        return written

    def restore(self, seq: int) -> Snapshot:
        """Make an earlier snapshot the newest one again; nothing in between is lost."""
        check.integer("snapshot", seq, -(2**31))
        with transaction(self.path):
            parent, wanted = self.snapshot(), self.snapshot(seq)
            # Whoever opens a table without its snapshots sees the newest version.
            versions = {
                name: tables.make_latest(self.path, name, version)
                for name, version in wanted.versions.items()
            }
            return self._append(
                wanted.reading, parent, versions, wanted.episodes_seen,
                operation="restore", figures=wanted.figures,
                parameters={
                    "snapshot": wanted.seq, **wanted.origin,
                    **({TUNED: wanted.tuned} if parent.tuned else {}),
                    **({FORGOTTEN: wanted.forgotten} if parent.forgotten else {}),
                    **({MEMORY: wanted.memory} if parent.memory else {}),
                },
            )  # fmt: skip

    def compact(self, *, keep: int | None = None) -> dict[str, int]:
        """Delete what no snapshot names, and all but the newest ``keep`` snapshots.

        Returns
        -------
        figures : ``snapshots`` kept, ``removed`` of them, ``bytes_freed``
        """
        if keep is not None:
            check.integer("keep", keep, 1)
        history = self.history()
        kept = history if keep is None else history[-keep:]
        with transaction(self.path):
            if len(kept) < len(history):
                tables.delete_rows(self.path, "snapshots", f"seq < {kept[0].seq}")
            freed = 0
            for name in (*VERSIONED, "snapshots", "episodes"):
                if tables.is_dataset(Path(tables.folder(self.path, name))):
                    named = {one.versions[name] for one in kept if name in one.versions}
                    freed += tables.keep_versions(self.path, name, named)
        return {"snapshots": len(kept), "removed": len(history) - len(kept), "bytes_freed": freed}

    # -- a plain Lance data set of edges --------------------------------------

    def _origin(self) -> Graph:
        return adopt.read(self.path, **self._columns)

    def _base(self, *, dry_run: bool = False) -> tuple[Snapshot | None, Graph]:
        """The snapshot to build on and its graph, after taking in a data set's new rows.

        A dry run takes them in without a commit.
        """
        current = self.current
        base = None if current is None else graph_tables.read(self.path, current)
        if base is not None and not tables.is_dataset(self.path):
            return current, base
        taken = {} if current is None else current.origin
        version = adopt.version(self.path)
        if base is not None and taken["origin_version"] == version:
            return current, base
        columns = taken.get("origin_columns", self._columns)
        stated = adopt.read(self.path, **columns)
        merged = stated if base is None else merge(base, stated, replace=True)
        if dry_run:
            return current, merged
        said = {"origin_version": version, "origin_columns": columns}
        if base is None or current is None:
            with transaction(self.path):
                if self._has_snapshots:
                    raise ConflictError(f"{self.path}: another writer took it in first; run again")
                _first_commit(self.path, merged, "import", said)
        else:
            self.commit(
                merged, base=base, parent=current, operation="import", parameters=said,
                figures=import_figures(base, merged),
            )  # fmt: skip
        snapshot = self.snapshot()
        return snapshot, graph_tables.read(self.path, snapshot)


def _local(path: str | os.PathLike[str]) -> Path:
    """The path, absolute where its name alone would not do."""
    text = os.fspath(path)
    if "://" in text or "\0" in text:
        raise StoreError(
            f"{text!r}: expected a folder on this machine; object stores are not supported"
        )
    return Path(text) if Path(text).name else Path(os.path.abspath(text))


def _stands(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise StoreError(f"{path.name[:40]}…: not a usable path ({error.strerror})") from None


def _first_commit(path: Path, graph: Graph, operation: str, parameters: dict[str, Any]) -> None:
    if graph.n_nodes == 0 and operation == "import":
        raise InputError("a store needs at least one node, the graph has none")
    versions = graph_tables.write_all(path, graph)
    row = new_row(
        0, None, versions, graph_tables.reading(graph), 0, operation=operation,
        parameters=parameters, figures=import_figures(None, graph),
    )  # fmt: skip
    tables.write(path, "snapshots", row)


def import_figures(base: Graph | None, graph: Graph) -> dict[str, int]:
    """What an import brought, for its snapshot."""
    return {
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "new_nodes": graph.n_nodes - (base.n_nodes if base else 0),
        "new_edges": graph.n_edges - (base.n_edges if base else 0),
        "duplicates_merged": graph.duplicates,
        "self_loops_dropped": graph.self_loops,
    }
