"""Consolidating, forgetting and correcting in a store: what the verbs of ``Store`` do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from hebbgraph import episode_log, graph_tables, tables
from hebbgraph.errors import InputError, ParameterError
from hebbgraph.graph import Graph
from hebbgraph.plasticity import forgetting
from hebbgraph.plasticity.archive import unarchive
from hebbgraph.plasticity.forgetting import Edge, ForgetReport, Forgotten
from hebbgraph.plasticity.tiers import ConsolidationReport, consolidate
from hebbgraph.snapshots import FORGOTTEN, Snapshot, shown

if TYPE_CHECKING:
    from hebbgraph.store import Store


def consolidate_store(
    store: Store, *, dry_run: bool, options: Mapping[str, Any]
) -> ConsolidationReport:
    """One call of :func:`hebbgraph.consolidate`, committed."""
    parent, base = store._base(dry_run=dry_run)
    old = None if parent is None else graph_tables.read_archive(store.path, parent, base)
    moved, report = consolidate(base, archive=old, **options)
    if dry_run or parent is None or not report.changed:
        return report
    said = {name: [_plain(one) for one in value] if isinstance(value, tuple) else value
            for name, value in shown(options).items()}  # fmt: skip
    snapshot = store.commit(
        moved, base=base, parent=parent, operation="consolidate", parameters=said,
        figures=report.figures(), archive=None if report.archive is old else report.archive,
    )  # fmt: skip
    return dataclasses.replace(report, snapshot=snapshot.seq)


def _plain(value: Any) -> Any:
    return shown({"": value})[""]


def unarchive_in_store(store: Store, nodes: Iterable[str | int], now: datetime | None) -> Snapshot:
    """:func:`~hebbgraph.plasticity.archive.unarchive`, committed."""
    listed = list(nodes)
    parent, base = store._base()
    assert parent is not None
    old = graph_tables.read_archive(store.path, parent, base)
    back, archive = unarchive(base, old, listed, now=now)
    if back is base:
        raise ParameterError("unarchive: expected at least one node, got none")
    return store.commit(
        back, base=base, parent=parent, operation="unarchive", parameters={},
        figures={"nodes": len(listed), "edges": back.n_edges - base.n_edges}, archive=archive,
    )  # fmt: skip


def forget_in_store(
    store: Store,
    nodes: Iterable[str | int],
    edges: Iterable[Edge],
    source: str | None,
    after: datetime | None,
    before: datetime | None,
    *,
    dry_run: bool,
    purge: bool,
) -> ForgetReport:
    """See :meth:`hebbgraph.Store.forget`."""
    if tables.is_dataset(store.path):
        raise InputError(
            f"{store.path}: is a plain Lance data set; delete the rows there, "
            "and the next pass lets go of them"
        )
    current = store.current
    if current is not None and "documents" in current.versions:
        raise InputError(
            f"{store.path}: is a memory of text; take documents out with `hebbgraph remove`, then "
            "`hebbgraph cognify` withdraws what only they said"
        )
    asked, named = list(nodes), list(edges)
    span = forgetting.span(after, before)
    if not (asked or named or source is not None or span or purge):
        raise ParameterError("forget: expected nodes, edges, a source or a time span, got none")
    parent, base = store._base()
    assert parent is not None
    archive = graph_tables.read_archive(store.path, parent, base)
    gone = _absent(store, base, asked) if purge else set()
    done = forgetting.forget(
        base, nodes=[node for node in asked if node not in gone], edges=named, source=source,
        after=after, before=before, archive=archive,
    )  # fmt: skip
    entry = {
        "before_seq": max(episode_log.next_seq(store.path), parent.episodes_seen),
        "nodes": [*map(str, done.report.nodes), *map(str, gone)],
        "span": None if span is None else list(span),
    }
    report = _with_episodes(store.episodes(), entry, done.report)
    only_purge = purge and not (asked or named or source is not None or span)
    report = dataclasses.replace(
        report, changed=report.changed or bool(gone) or only_purge, purged=purge,
        snapshots_gone=len(store.history()) if purge else 0,
    )  # fmt: skip
    if dry_run or not report.changed:
        return report
    commit = _purged if purge else _committed
    snapshot = commit(store, parent, base, dataclasses.replace(done, report=report), entry)
    return dataclasses.replace(report, snapshot=snapshot.seq)


def _absent(store: Store, base: Graph, nodes: list[str | int]) -> set[str | int]:
    """Nodes that the graph no longer has and an earlier snapshot or episode still names."""
    there = {str(node) for node in base.ids_of(np.arange(base.n_nodes)).to_pylist()}
    missing = {node for node in nodes if str(node) not in there}
    if not missing:
        return missing
    held = {node for one in store.episodes()["nodes"].to_pylist() for node in one}
    seen = {one.versions["nodes"]: one for one in store.history()}
    for snapshot in seen.values():
        known, n_nodes = graph_tables.read_ids(store.path, snapshot)
        listed = range(n_nodes) if known is None else known.to_pylist()
        held.update(map(str, listed))
    for node in missing:
        if str(node) not in held:
            base.key(node)
    return missing


def _with_episodes(rows: pa.Table, entry: Mapping[str, Any], report: ForgetReport) -> ForgetReport:
    lost = forgetting.nodes_lost(rows, episode_log.without(rows, [entry]))
    return dataclasses.replace(
        report, episodes=lost[0], episodes_gone=lost[1], changed=report.changed or lost[0] > 0
    )


def _committed(
    store: Store, parent: Snapshot, base: Graph, done: Forgotten, entry: dict[str, Any]
) -> Snapshot:
    entries = parent.forgotten
    if entry["nodes"] or entry["span"] is not None:
        entries = [*entries, entry]
    report = done.report
    archive_moved = report.nodes or report.archived_edges or report.sources
    return store.commit(
        done.graph, base=base, parent=parent, operation="forget",
        parameters={FORGOTTEN: entries} if entries else {}, figures=report.figures(),
        archive=done.archive if archive_moved else None,
    )  # fmt: skip


def _purged(
    store: Store, parent: Snapshot, base: Graph, done: Forgotten, entry: dict[str, Any]
) -> Snapshot:
    entries = [*parent.forgotten, entry]
    # Names of a graph whose ids are numbers would match any number.
    text = base.node_ids is not None and pa.types.is_string(base.node_ids.type)
    names = [node for one in entries for node in one["nodes"]] if text else []

    def episodes() -> pa.Table:
        return forgetting.purged_episodes(episode_log.read(store.path)[0], entries, names)

    return store.replace(
        done.graph, archive=done.archive, episodes=episodes, parent=parent, operation="forget",
        parameters={}, figures=done.report.figures(),
    )  # fmt: skip
