"""Documents into the store and out of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check, tables, text_tables
from hebbgraph.errors import InputError, NodeNotFoundError
from hebbgraph.graph import Graph
from hebbgraph.ids import shown
from hebbgraph.ingest import corpus, text_graph
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.ontology import checking, rdf_documents
from hebbgraph.ingest.ontology.ends import RESOURCE_MARK
from hebbgraph.ingest.ontology.held import document_name
from hebbgraph.ingest.ontology.kept import ontology_of
from hebbgraph.ingest.ontology.model import Ontology
from hebbgraph.ingest.reading import Item, Skipped, documents
from hebbgraph.ingest.reports import AddReport
from hebbgraph.snapshots import MEMORY, Snapshot
from hebbgraph.statements import begins, restated, stated_edges

if TYPE_CHECKING:
    from hebbgraph.store import Store

Progress = Callable[[str], None]
_TOLD_EVERY = 1000  # documents
_CUT_TOGETHER = 4096  # documents


def add(
    store: Store,
    items: Item | Iterable[Item],
    *,
    node_set: str | Sequence[str] | None = None,
    max_tokens: int = 256,
    overlap: int = 0,
    encoding: str | None = None,
    remove_missing: bool = False,
    skipped: Skipped | None = None,
    progress: Progress | None = None,
) -> AddReport:
    """Read documents into a store; see :meth:`hebbgraph.Memory.add`."""
    begun = time.perf_counter()
    if tables.is_dataset(store.path):
        raise InputError(
            f"{store.path}: is a plain Lance data set of edges; give text a memory of its own"
        )
    sets = sorted({node_set} if isinstance(node_set, str) else set(node_set or ()))
    check.integer("max_tokens", max_tokens, 16)
    how: dict[str, Any] = {"node_set": sets, "max_tokens": max_tokens, "overlap": overlap}
    parent = store.snapshot()
    known = text_tables.read(
        store.path, parent, "documents", ["key", "id", "fingerprint", "source"]
    )
    before = dict(zip(known["id"].to_pylist(), known["fingerprint"].to_pylist(), strict=True))
    listed: list[Any] = _listed(items)
    ontology = ontology_of(parent)
    faults: list[checking.Violation] = []
    syntaxes: dict[str, str] = {}
    changed: list[str] = []
    waiting: list[tuple[Document, str]] = []
    parts: list[tuple[pa.Table, pa.Table]] = []
    seen: set[str] = set()
    sources: set[str] = set()
    size = 0
    for read in documents(listed, encoding=encoding, skipped=skipped):
        document = checking.typed(ontology, read)
        own = corpus.fingerprint(document, **how)
        seen.add(document.id)
        sources.add(document.source)
        size += len(document.text.encode())
        if before.get(document.id) != own:
            faults += _faults(ontology, document)
            if document.syntax:
                syntaxes[document.id] = document.syntax
            changed.append(document.id)
            waiting.append((document, own))
        if len(waiting) == _CUT_TOGETHER:
            # As rows they take a fraction of the memory.
            parts.append(corpus.rows_of(waiting, **how))
            waiting.clear()
        if progress is not None and len(seen) % _TOLD_EVERY == 0:
            rate = size / 1e6 / (time.perf_counter() - begun)
            progress(f"reading: {len(seen):,} documents, {rate:.1f} MB/s")
    checking.refuse(faults, done=checking.NOTHING_ADDED)
    missing = _missing(known, seen, sources, listed, everywhere=remove_missing)
    replaced = sum(one in before for one in changed)
    snapshot, cut = parent, 0
    if changed or missing:
        parts.append(corpus.rows_of(waiting, **how))
        waiting.clear()
        listed_rows, cut_rows = (pa.concat_tables(tables) for tables in zip(*parts, strict=True))
        parts.clear()
        cut = cut_rows.num_rows
        gone = {one for one in changed if one in before} | set(missing)
        figures = {"added": len(changed) - replaced, "replaced": replaced,
                   "removed": len(missing), "passages": cut}  # fmt: skip
        snapshot = _commit(
            store, parent, (listed_rows, cut_rows), gone, syntaxes=syntaxes, operation="add",
            parameters=how, figures=figures,
        )  # fmt: skip
    return AddReport(
        snapshot=snapshot.seq, changed=snapshot.id != parent.id,
        seconds=time.perf_counter() - begun,
        added=len(changed) - replaced, replaced=replaced, removed=len(missing),
        unchanged=len(seen) - len(changed), passages=cut, bytes=size,
    )  # fmt: skip


def remove(store: Store, ids: str | Iterable[str]) -> AddReport:
    """Take documents out of a store; see :meth:`hebbgraph.Memory.remove`."""
    begun = time.perf_counter()
    parent = store.snapshot()
    known = text_tables.read(store.path, parent, "documents", ["id"])["id"].to_pylist()
    held = set(known)
    gone: set[str] = set()
    for wanted in [ids] if isinstance(ids, str) else list(ids):
        # A file of records, and a folder, are called by what the ids of their documents begin with.
        begin = (f"{wanted}#", f"{wanted.rstrip('/')}/")
        found = {wanted} if wanted in held else {one for one in known if one.startswith(begin)}
        if not found:
            raise NodeNotFoundError(
                f"no document {shown(wanted)} in {store.path}, nothing was removed; ids are those "
                "that `add` was given, or paths seen from the folder that was added"
            )
        gone |= found
    snapshot = parent
    if gone:
        empty = corpus.rows_of([], node_set=[], max_tokens=16, overlap=0)
        snapshot = _commit(
            store, parent, empty, gone, syntaxes={}, operation="remove",
            parameters={"documents": sorted(gone)[:100]}, figures={"removed": len(gone)},
        )  # fmt: skip
    return AddReport(
        snapshot=snapshot.seq, changed=snapshot.id != parent.id,
        seconds=time.perf_counter() - begun,
        added=0, replaced=0, removed=len(gone), unchanged=0, passages=0, bytes=0,
    )  # fmt: skip


def _faults(ontology: Ontology, document: Document) -> list[checking.Violation]:
    """What a document breaks that says its kind; others are classified by rule."""
    if not document.kind:
        return []
    return checking.node_violations(
        ontology, document.kind, checking.stated(document), subject=document_name(document.id)
    )


def _listed(items: Any) -> list[Any]:
    one = isinstance(items, str | os.PathLike | Mapping | Document)
    return [items] if one else list(items)


def _missing(
    known: pa.Table, seen: set[str], sources: set[str], items: list[Any], *, everywhere: bool
) -> list[str]:
    """Documents that a file read now held before, or with ``everywhere`` a folder read now."""
    said = {str(item.get("source")) for item in items if isinstance(item, Mapping)}
    read = sources - said - {""}
    folders = [
        Path(item) for item in items if isinstance(item, str | os.PathLike) and _is_folder(item)
    ]
    begin = tuple(f"{folder.resolve().name}/" for folder in folders)
    within = tuple(os.path.join(os.path.abspath(folder), "") for folder in folders)
    found = []
    for own, source in zip(known["id"].to_pylist(), known["source"].to_pylist(), strict=True):
        inside = everywhere and bool(source) and (
            own.startswith(begin) or os.path.abspath(source).startswith(within)
        )  # fmt: skip
        if own not in seen and (source in read or inside):
            found.append(own)
    return found


def _is_folder(item: str | os.PathLike[str]) -> bool:
    try:
        return Path(item).is_dir()
    except (OSError, ValueError):
        return False


def _commit(
    store: Store,
    parent: Snapshot,
    new: tuple[pa.Table, pa.Table],
    gone: set[str],
    *,
    syntaxes: Mapping[str, str],
    parameters: Mapping[str, Any],
    **said: Any,
) -> Snapshot:
    """Rows of changed documents in place of those of some documents, and their nodes.

    Parameters
    ----------
    syntaxes : of the changed documents that are RDF
    """
    listed, cut = new
    base = store.graph()
    names = pa.array(sorted(gone), pa.string())
    old = {
        table: _keys(store, parent, table, column, names)
        for table, column in (("documents", "id"), ("passages", "document"))
    }
    _check_ids(store, parent, listed, cut, names)
    memory = dict(parent.memory)
    graph, rdf = rdf_documents.restated(store, parent, base, new, gone, syntaxes)
    graph = _restructured(graph, listed, cut, old)
    if rdf or rdf_documents.KEPT in memory:
        memory[rdf_documents.KEPT] = rdf
    ids = graph.ids_of(np.arange(graph.n_nodes))
    keyed = {
        table: rows.append_column("key", pc.index_in(rows["id"], value_set=ids).cast(pa.int64()))
        for table, rows in (("documents", listed), ("passages", cut))
    }
    if "cognified" in memory:
        # Passages that went took their edges along: even the old documents must be stated anew.
        memory["cognified"] = {**memory["cognified"], "corpus": None}
    if memory:
        parameters = {**parameters, MEMORY: memory}
    return store.commit(
        graph, base=base, parent=parent, parameters=parameters,
        others={
            table: lambda table=table: text_tables.replace_rows(  # type: ignore[misc]
                store.path, table, parent, removed=old[table], added=keyed[table]
            )
            for table in keyed
        },
        **said,
    )  # fmt: skip


def _restructured(
    base: Graph, listed: pa.Table, cut: pa.Table, old: Mapping[str, npt.NDArray[np.int64]]
) -> Graph:
    at_old = np.zeros(base.n_nodes, np.bool_)
    for keys in old.values():
        at_old[keys] = True
    # A document that went may have left its id to a resource.
    at_old &= ~begins(base.node_properties, RESOURCE_MARK, base.n_nodes)
    named = text_graph.PART_OF in base.relation_names
    code = base.relation_names.index(text_graph.PART_OF) if named else -1
    part_of = stated_edges(base) & (base.relation == code) & at_old[base.source]
    new = text_graph.structure(listed, cut)
    return restated(base, new, nodes=at_old, edges=part_of)


def _keys(
    store: Store, parent: Snapshot, table: str, column: str, names: pa.Array
) -> npt.NDArray[np.int64]:
    rows = text_tables.read(store.path, parent, table, ["key", column])
    kept = rows.filter(pc.is_in(rows[column], value_set=names))
    keys: npt.NDArray[np.int64] = kept["key"].to_numpy()
    return keys


def _check_ids(
    store: Store, parent: Snapshot, listed: pa.Table, cut: pa.Table, gone: pa.Array
) -> None:
    """No document may have the id of a passage: both are nodes."""
    held = text_tables.read(store.path, parent, "passages", ["id", "document"])
    held = held.filter(pc.invert(pc.is_in(held["document"], value_set=gone)))
    known = text_tables.read(store.path, parent, "documents", ["id"])
    passages = pa.chunked_array([*held["id"].chunks, *cut["id"].chunks], pa.string())
    named = pa.chunked_array([*known["id"].chunks, *listed["id"].chunks], pa.string())
    both = named.filter(pc.is_in(named, value_set=passages.combine_chunks()))
    if len(both):
        raise InputError(
            f"document {shown(both[0].as_py())} has the id of a passage of another document; "
            "give it an id that does not end in # and a number"
        )
