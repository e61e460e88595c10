"""What search needs of texts and names, made once for a snapshot's tables and kept beside them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import derived, tables, text_tables
from hebbgraph.retrieval.bm25 import TextIndex
from hebbgraph.retrieval.corpus import NodeNames, Texts, node_names, title_names, titled_index
from hebbgraph.retrieval.naming import Names
from hebbgraph.retrieval.periods import Years, years_of
from hebbgraph.rowwise import Values
from hebbgraph.snapshots import Snapshot
from hebbgraph.store import Store

Ints = npt.NDArray[np.int64]


def keep(
    store: Store, snapshot: Snapshot, *, progress: Callable[[str], None] | None = None
) -> None:
    """Make what is not yet there, so that no search has to."""
    if "passages" not in snapshot.versions:
        return
    if progress is not None:
        progress("indexing words and names")
    for kind, make in (("text", _text_arrays), ("names", _name_arrays)):
        _kept(store, snapshot, kind, make)


def texts_of(store: Store, snapshot: Snapshot) -> tuple[Texts, Ints]:
    """Documents by their ids, and passages by document and place.

    Returns
    -------
    texts
    order : (n,) int64, row of the table ``passages`` of each passage
    """
    arrays = _kept(store, snapshot, "text", _text_arrays)
    documents, order, document, passage, year = (
        arrays[name].to_numpy()
        for name in ("document_row", "passage_row", "document", "year_passage", "year")
    )
    listed = text_tables.read(store.path, snapshot, "documents", ["id", "title", "key"])
    cut = text_tables.read(store.path, snapshot, "passages", ["id", "key"])
    texts = Texts(
        document_ids=Values(listed["id"], documents),
        titles=Values(listed["title"], documents),
        document_keys=listed["key"].to_numpy()[documents],
        passage_ids=Values(cut["id"], order),
        texts=text_tables.Column(store.path, snapshot, "passages", "text", order)
        if order.size
        else [],
        passage_keys=cut["key"].to_numpy()[order],
        document=document,
        text=TextIndex.of_arrays(arrays),
        years=Years(passage, year),
        title_names=Names.of_arrays(arrays, "title"),
    )
    return texts, order


def names_of_nodes(store: Store, snapshot: Snapshot) -> NodeNames:
    """Names of all nodes."""
    arrays = _kept(store, snapshot, "names", _name_arrays)
    return NodeNames(name=arrays["name"], keys=Names.of_arrays(arrays, "node"))


def _kept(
    store: Store, snapshot: Snapshot, kind: str, make: Callable[[Store, Snapshot], dict[str, Any]]
) -> dict[str, Any]:
    place = derived.place(store.path, snapshot, kind)
    arrays = derived.load(place)
    if arrays is None:
        made = make(store, snapshot)
        if "passages" in snapshot.versions:
            # A store that may only be read is searched all the same.
            with contextlib.suppress(OSError):
                derived.save(place, made)
        arrays = {
            name: pa.array(values) if isinstance(values, np.ndarray) else values
            for name, values in made.items()
        }
    return arrays


def _text_arrays(store: Store, snapshot: Snapshot) -> dict[str, Any]:
    listed = text_tables.read(store.path, snapshot, "documents", ["id", "title"])
    cut = text_tables.read(store.path, snapshot, "passages", ["document", "ordinal", "text"])
    documents = pc.sort_indices(listed["id"]).to_numpy().astype(np.int64)
    by = [("document", "ascending"), ("ordinal", "ascending")]
    order = pc.sort_indices(cut, by).to_numpy().astype(np.int64)
    ids = listed["id"].combine_chunks().take(pa.array(documents))
    own = cut["document"].combine_chunks().take(pa.array(order))
    document = pc.index_in(own, value_set=ids).to_numpy().astype(np.int64)
    titles = listed["title"].combine_chunks().take(pa.array(documents)).to_pylist()
    texts = cut["text"].combine_chunks().take(pa.array(order)).to_pylist()
    years = years_of(texts)
    return {
        "document_row": documents, "passage_row": order, "document": document,
        "year_passage": years.passage, "year": years.year,
        **titled_index(titles, document, texts).arrays(),
        **title_names(titles).arrays("title"),
    }  # fmt: skip


def _name_arrays(store: Store, snapshot: Snapshot) -> dict[str, Any]:
    version = snapshot.versions["nodes"]
    nodes = tables.read(store.path, "nodes", version, ["id", "properties"])
    names = node_names(nodes["id"], nodes["properties"])
    return {"name": names.name, **names.keys.arrays("node")}
