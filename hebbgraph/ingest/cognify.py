"""The graph that the documents of a store make."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import check, graph_tables, text_tables
from hebbgraph.config import config
from hebbgraph.errors import ParameterError
from hebbgraph.graph import Graph
from hebbgraph.ingest import corpus, model_extraction, name_vectors, similar, text_graph
from hebbgraph.ingest.answers import OPENIE, Answers, ask, content_hash
from hebbgraph.ingest.documents import Document
from hebbgraph.ingest.extraction import Extraction
from hebbgraph.ingest.passages import Passage
from hebbgraph.ingest.relatedness import SHORTEST, related
from hebbgraph.ingest.reports import CognifyReport
from hebbgraph.ingest.rules.extract import extract
from hebbgraph.providers.choice import completer as named_completer
from hebbgraph.providers.protocols import Completer, Embedder
from hebbgraph.snapshots import MEMORY, Snapshot
from hebbgraph.statements import restated, stated_edges, stated_nodes

if TYPE_CHECKING:
    from hebbgraph.store import Store

RULES: Final = "rules"
RULES_VERSION: Final = 2
"""Raised when the same documents make another graph: stores are then extracted anew."""
_COLUMNS: Final = (
    "id", "title", "time", "source", "sha256", "headings", "links", "fingerprint", "kind", "tags",
)  # fmt: skip

Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class _Corpus:
    """All documents by id, passages by document and place; rows and objects in one order."""

    document_rows: pa.Table
    passage_rows: pa.Table
    documents: list[Document]
    passages: list[Passage]

    @property
    def titled(self) -> list[tuple[str, str, str]]:
        """Id, title and text of every passage."""
        titles = self.passage_rows["title"].to_pylist()
        return [(one.id, title, one.text) for one, title in zip(self.passages, titles, strict=True)]


def cognify(
    store: Store,
    *,
    by: str | None = None,
    completer: Completer | None = None,
    openie: str | os.PathLike[str] | None = None,
    similar_by: Embedder | Literal[False] | None = None,
    functional: Collection[str] | None = None,
    workers: int = 4,
    progress: Progress | None = None,
) -> CognifyReport:
    """Make the graph of all documents of a store; see :meth:`hebbgraph.Memory.cognify`."""
    begun = time.perf_counter()
    check.integer("workers", workers, 1, 64)
    tell = progress or (lambda _: None)
    parent = store.snapshot()
    before = parent.memory.get("cognified", {})
    if by is None and completer is None and openie is None:
        completer = named_completer()
    by = _by(by, before, completer, openie)
    stated = config().functional if functional is None else functional
    closed = sorted(before.get("functional", ()) if stated is None else set(stated))
    fingerprint = _fingerprint(store, parent)
    settled = {
        "corpus": fingerprint, "version": RULES_VERSION, "by": by, "functional": closed,
        **_similar_as(similar_by, before),
    }  # fmt: skip
    if by == RULES and _same(before, settled):
        return _report(parent, before["figures"], begun, by=by, changed=False)
    tell("reading the corpus")
    held = _read(store, parent, all_texts=openie is not None)
    asked, failures = 0, dict[str, str]()
    answers = None if by == RULES else Answers(store.path, by)
    if answers is not None:
        if openie is not None:
            model_extraction.take_in(openie, answers, held.documents, held.passages)
        if completer is not None:
            asked, failures = ask(
                completer, answers, held.titled, workers=workers, progress=progress
            )
        said = [answers.known.get(content_hash(title, text)) for _, title, text in held.titled]
        settled["answers"] = _digest(said)
        if _same(before, settled):
            return _report(
                parent, before["figures"], begun, by=by, changed=False, asked=asked,
                failures=failures,
            )  # fmt: skip
    size = sum(len(one.text) for one in held.passages) / 1e6
    tell(f"finding entities in {len(held.passages):,} passages, {size:.1f} MB")
    found = extract(held.documents, held.passages, reach=0)
    answered = len(held.passages)
    if answers is not None:
        found = _answered(held, found, said)
        answered = sum(answer is not None for answer in said)
    listed, cut = held.document_rows, held.passage_rows
    figures = {
        "documents": listed.num_rows, "passages": cut.num_rows,
        "entities": found.entities.num_rows, "answered": answered,
    }  # fmt: skip
    # Texts, what was found in them, and the graph before need not stand in memory side by side.
    del held
    tell(f"linking {found.entities.num_rows:,} entities")
    new, counts = _stated(store, listed, cut, found, closed, similar_by or None, progress)
    del found, listed, cut
    base = store.graph()
    before_them = stated_edges(base)
    if similar_by is None:
        kept = _similar_between(base, new)
        settled["similar_current"] = False if settled["similar_by"] else None
        counts["similar"] = int(np.count_nonzero(kept))
        before_them &= ~kept
    graph = restated(base, new, nodes=stated_nodes(base), edges=before_them)
    del new, before_them
    figures |= counts
    made = {
        **parent.memory,
        "cognified": {**settled, "figures": figures},
        "pass_options": text_graph.pass_options(graph),
    }
    tell("writing")
    unchanged = graph_tables.same(base, graph)
    snapshot = store.commit(
        base if unchanged else graph, base=base, parent=parent, operation="cognify",
        parameters={"by": by, MEMORY: made}, figures=figures,
    )  # fmt: skip
    return _report(snapshot, figures, begun, by=by, changed=True, asked=asked, failures=failures)


def _answered(held: _Corpus, found: Extraction, said: list[Any]) -> Extraction:
    """What a model said of the passages, with titles and marked links, which rules tell exactly."""
    titles = held.passage_rows["title"].to_pylist()
    told = model_extraction.extraction_of(titles, held.passages, said)
    return Extraction(
        told.entities, told.mentions, told.relations, found.links, told.title_entities
    )


def _similar_as(wanted: Embedder | Literal[False] | None, before: dict[str, Any]) -> dict[str, Any]:
    """By which model similar names are linked, and whether they are as it links them now."""
    if wanted is None:
        return {name: before.get(name) for name in ("similar_by", "similar_current")}
    return {"similar_by": wanted.name if wanted else None, "similar_current": bool(wanted) or None}


def _by(by: str | None, before: dict[str, Any], completer: Completer | None, openie: Any) -> str:
    """What finds entities: as told, else the model or file given, else as the last time."""
    if by is not None:
        check.choice("by", by, (RULES,))
        if completer is not None or openie is not None:
            raise ParameterError("by: expected no completer and no openie beside rules")
        return RULES
    if completer is not None and openie is not None:
        raise ParameterError("openie: expected a completer or a published file, got both")
    if openie is not None:
        return OPENIE
    last: str = before.get("by", RULES)
    return last if completer is None else completer.name


def _same(before: dict[str, Any], settled: dict[str, Any]) -> bool:
    return bool(before) and {name: before.get(name) for name in settled} == settled


def _fingerprint(store: Store, parent: Snapshot) -> str:
    rows = text_tables.read(store.path, parent, "documents", ["fingerprint"])
    joined = "\n".join(sorted(rows["fingerprint"].to_pylist()))
    return hashlib.sha256(joined.encode()).hexdigest()


def _digest(said: Any) -> str:
    text = json.dumps(said, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(store: Store, parent: Snapshot, *, all_texts: bool) -> _Corpus:
    """The corpus in an order that hangs on the ids alone, not on when they came."""
    listed = text_tables.read(store.path, parent, "documents", _COLUMNS)
    # Of documents without headings and links their passages tell all.
    if all_texts or corpus.marked(listed).any():
        texts = text_tables.read(store.path, parent, "documents", ["text"])["text"]
    else:
        texts = pa.repeat("", listed.num_rows)
    listed = listed.append_column("text", texts).sort_by("id")
    names = ["id", "document", "ordinal", "title", "headings", "text", "source", "start", "end",
             "sha256", "time"]  # fmt: skip
    cut = text_tables.read(store.path, parent, "passages", names)
    cut = cut.sort_by([("document", "ascending"), ("ordinal", "ascending")])
    return _Corpus(
        document_rows=listed.drop_columns(["text", "headings", "links"]),
        passage_rows=cut.drop_columns(["text", "headings"]),
        documents=corpus.documents_of(listed, all_texts=all_texts),
        passages=corpus.passages_of(cut),
    )  # fmt: skip


def _stated(
    store: Store,
    listed: pa.Table,
    cut: pa.Table,
    found: Extraction,
    functional: Collection[str],
    similar_by: Embedder | None,
    progress: Progress | None,
) -> tuple[Graph, dict[str, int]]:
    """What the corpus states, and how many edges of each kind that is."""
    texts = text_graph.nodes_of(listed, cut)
    entities = text_graph.entity_nodes(found, texts["id"].combine_chunks())
    edges = text_graph.extracted_edges(found, listed, cut, functional=functional)
    names = ["mentions", "links", "relations", "superseded"]
    counts = {name: int(one.source.size) for name, one in zip(names, edges, strict=True)}
    edges += [text_graph.part_of(listed, cut), text_graph.about(found, texts.num_rows)]
    edges.append(_related(listed, cut, found))
    counts["related"] = int(edges[-1].source.size)
    counts["similar"] = 0
    if similar_by is not None and entities.num_rows:
        vectors = name_vectors.vectors_of(
            store.path, found.entities["name"].to_pylist(), similar_by, progress=progress
        )
        edges.append(similar.similar_edges(vectors, texts.num_rows))
        counts["similar"] = int(edges[-1].source.size)
    return text_graph.graph_of(pa.concat_tables([texts, entities]), edges), counts


def _related(listed: pa.Table, cut: pa.Table, found: Extraction) -> text_graph.Edges:
    titles = listed["title"].to_pylist()
    passage, target = (found.links[name].to_numpy() for name in ("passage", "document"))
    marked = pc.not_equal(found.links["kind"], "title").to_numpy(zero_copy_only=False)
    long = np.array([len(title) >= SHORTEST for title in titles], np.bool_)
    told = marked | long[target]
    source = text_graph.document_rows(listed, cut)[passage]
    return related(
        (source[told], target[told]), listed["kind"].to_pylist(),
        [tags or () for tags in listed["tags"].to_pylist()],
    )  # fmt: skip


def _similar_between(base: Graph, new: Graph) -> npt.NDArray[np.bool_]:
    """(n_edges,) bool, which links of similar entities join two that are stated still."""
    if text_graph.SIMILAR not in base.relation_names:
        return np.zeros(base.n_edges, np.bool_)
    ids = base.ids_of(np.arange(base.n_nodes))
    stays = pc.is_in(ids, value_set=new.node_ids).to_numpy(zero_copy_only=False)
    code = base.relation_names.index(text_graph.SIMILAR)
    found: npt.NDArray[np.bool_] = (
        stated_edges(base) & (base.relation == code) & stays[base.source] & stays[base.target]
    )
    return found


def _report(
    snapshot: Snapshot,
    figures: dict[str, int],
    begun: float,
    *,
    by: str,
    changed: bool,
    asked: int = 0,
    failures: dict[str, str] | None = None,
) -> CognifyReport:
    return CognifyReport(
        snapshot=snapshot.seq, changed=changed, seconds=time.perf_counter() - begun, by=by,
        asked=asked, failures=failures or {}, **figures,
    )  # fmt: skip
