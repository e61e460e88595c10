"""What search needs of texts and names, made once for a snapshot's tables and kept beside them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import derived, tables, text_tables
from hebbgraph.retrieval.bm25 import TextIndex, continued, tallied, text_index, weighed
from hebbgraph.retrieval.corpus import NodeNames, Texts, node_names, title_names
from hebbgraph.retrieval.lexicon import Hashes, hashes_of
from hebbgraph.retrieval.naming import Names
from hebbgraph.retrieval.periods import Years, years_of
from hebbgraph.rowwise import Values
from hebbgraph.snapshots import Snapshot
from hebbgraph.store import Store

Ints = npt.NDArray[np.int64]
_PLACE: Final = ("document", "ordinal")


def keep(
    store: Store, snapshot: Snapshot, *, progress: Callable[[str], None] | None = None
) -> None:
    """Make what is not yet there, so that no search has to."""
    if "passages" not in snapshot.versions:
        return
    if progress is not None:
        progress("indexing words and names")
    for kind in derived.SOURCES:
        _kept(store, snapshot, kind)


def texts_of(store: Store, snapshot: Snapshot) -> tuple[Texts, Ints]:
    """Documents by their ids, and passages by document and place.

    Returns
    -------
    texts
    order : (n,) int64, row of the table ``passages`` of each passage
    """
    arrays = _kept(store, snapshot, "text")
    documents, order, document, passage, year = (
        arrays[name].to_numpy()
        for name in ("document_row", "passage_row", "document", "year_passage", "year")
    )
    listed = text_tables.read(store.path, snapshot, "documents", ["id", "title", "key", "kind"])
    cut = text_tables.read(store.path, snapshot, "passages", ["id", "key"])
    texts = Texts(
        document_ids=Values(listed["id"], documents),
        titles=Values(listed["title"], documents),
        document_keys=listed["key"].to_numpy()[documents],
        document_kinds=Values(listed["kind"], documents),
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
    arrays = _kept(store, snapshot, "names")
    return NodeNames(name=arrays["name"], keys=Names.of_arrays(arrays, "node"))


def vectors_of(store: Store, snapshot: Snapshot) -> npt.NDArray[np.float32] | None:
    """Vectors of passages, by document and place, of length 1; a blank passage's of length 0.

    Columns stand together, since a product with a vector is then twice as fast.  None where memify
    has made none.
    """
    arrays = _kept(store, snapshot, "vectors")
    size = int(arrays["dimensions"].to_numpy()[0])
    found: npt.NDArray[np.float32] = arrays["vector"].to_numpy()
    return found.reshape(size, -1).T if size else None


def _kept(store: Store, snapshot: Snapshot, kind: str) -> dict[str, Any]:
    place = derived.place(store.path, snapshot, kind)
    arrays = derived.load(place)
    if arrays is None:
        made = _MAKERS[kind](store, snapshot)
        if "passages" in snapshot.versions:
            # A store that may only be read is searched all the same.
            with contextlib.suppress(OSError):
                derived.save(place, made)
                derived.prune(store.path, [*filter(_is_memified, store.history()), snapshot])
        arrays = {
            name: pa.array(values) if isinstance(values, np.ndarray) else values
            for name, values in made.items()
        }
    return arrays


def _is_memified(snapshot: Snapshot) -> bool:
    """Whether its files are worth keeping: others, made between two memifies, soon add up."""
    made = snapshot.memory.get("memified", {})
    return "passages" in snapshot.versions and made.get("version") == snapshot.versions["passages"]


def _text_arrays(store: Store, snapshot: Snapshot) -> dict[str, Any]:
    listed = text_tables.read(store.path, snapshot, "documents", ["id", "title"])
    cut = text_tables.read(store.path, snapshot, "passages", [*_PLACE, "text"])
    documents = pc.sort_indices(listed["id"]).to_numpy().astype(np.int64)
    order = _order(cut)
    ids = listed["id"].combine_chunks().take(pa.array(documents))
    own = cut["document"].combine_chunks().take(pa.array(order))
    document = pc.index_in(own, value_set=ids).to_numpy().astype(np.int64)
    titles = listed["title"].combine_chunks().take(pa.array(documents)).to_pylist()
    texts = cut["text"].combine_chunks().take(pa.array(order)).to_pylist()
    titled = [(titles[at], text) for at, text in zip(document.tolist(), texts, strict=True)]
    years = years_of(texts)
    said = hashes_of("\0".join(one) for one in titled)
    return {
        "document_row": documents, "passage_row": order, "document": document,
        "year_passage": years.passage, "year": years.year, "said": said,
        **_index(titled, said, derived.latest(store.path, "text")).arrays(),
        **title_names(titles).arrays("title"),
    }  # fmt: skip


def _index(
    titled: Sequence[tuple[str, str]], said: Hashes, before: dict[str, Any] | None
) -> TextIndex:
    """Index of titles and texts; only those that the last one does not hold are taken apart."""
    if before is None:
        return text_index(titled)
    old = before["said"].to_numpy()
    order = np.argsort(old, kind="stable")
    at = np.searchsorted(old[order], said)
    at[at == old.size] = 0
    known = old[order][at] == said if old.size else np.zeros(said.size, np.bool_)
    row = np.where(known, order[at] if old.size else -1, -1)
    new = tallied(titled[place] for place in np.flatnonzero(row < 0).tolist())
    return weighed(continued(TextIndex.of_arrays(before), row, new))


def _vector_arrays(store: Store, snapshot: Snapshot) -> dict[str, Any]:
    size = text_tables.dimensions(store.path, snapshot)
    if size is None:
        return {"dimensions": np.array([0]), "vector": np.zeros(0, np.float32)}
    column = text_tables.vectors(store.path, snapshot).combine_chunks()
    present = column.is_valid().to_numpy(zero_copy_only=False)
    found = column.drop_null().flatten().to_numpy().reshape(-1, size)
    length = np.sqrt(np.einsum("ij,ij->i", found, found))
    order = _order(text_tables.read(store.path, snapshot, "passages", _PLACE))
    here = np.flatnonzero(present[order])
    row = (np.cumsum(present) - 1)[order[here]]
    out = np.zeros((order.size, size), np.float32)
    out[here] = found[row] / np.where(length > 0, length, 1)[row, None]
    return {"dimensions": np.array([size]), "vector": out.T.ravel()}


def _name_arrays(store: Store, snapshot: Snapshot) -> dict[str, Any]:
    version = snapshot.versions["nodes"]
    nodes = tables.read(store.path, "nodes", version, ["id", "properties"])
    names = node_names(nodes["id"], nodes["properties"])
    return {"name": names.name, **names.keys.arrays("node")}


def _order(passages: pa.Table) -> Ints:
    """Rows by document and place."""
    rows = pc.sort_indices(passages, [(name, "ascending") for name in _PLACE])
    order: Ints = rows.to_numpy().astype(np.int64)
    return order


_MAKERS: Final = {"text": _text_arrays, "vectors": _vector_arrays, "names": _name_arrays}
