"""What each part of search adds, set by set: words, vectors, graph, plastify, feedback; and time.

The weights are one setting for every set, without a model; ``--choose`` prints it, chosen on one
set, and docs/retrieval.md says what else was in view.  Feedback: half of the queries, drawn with a
seed, are searched; those of the ten hits that are right are recorded as an episode of outcome 1;
what a pass makes of them is judged on the other half alone, beside the same half without it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from bench import machine, retrieval_choice, search_store
from bench.retrieval_sets import MULTI_HOP, OPENIE, SYNAPTIC, TOPICS, Query, figures, load


@dataclass(frozen=True)
class Case:
    """A set, ready for search."""

    corpus: Any
    queries: Sequence[Query]
    vectors: Any


def prepared(name: str, *, vectors: bool = True) -> Case:
    from hebbgraph.ingest.openie import read_openie
    from hebbgraph.ingest.passages import passages
    from hebbgraph.ingest.rules.extract import extract
    from hebbgraph.providers.lsa import LsaEmbedder
    from hebbgraph.retrieval.corpus import corpus

    documents, queries = load(name)
    cut = [one for document in documents for one in passages(document, max_tokens=1_000_000)]
    found, links = extract(documents, cut), None
    if name == OPENIE:
        path = machine.DATA / MULTI_HOP[2] / "openie.json"
        links = found.links
        documents, cut, found = read_openie(path, ids=[one.id for one in documents])
    own = asked = None
    if vectors:
        title = {one.id: one.title for one in documents}
        texts = [f"{title[one.document]}\n{one.text}" for one in cut]
        model = LsaEmbedder()
        model.fit(texts)
        own, asked = model.embed(texts), model.embed([one.text for one in queries])
    return Case(corpus(documents, cut, found, vectors=own, links=links), queries, asked)


def ranked(case: Case, weights: Any, rows: Sequence[int]) -> list[list[str]]:
    """Documents by relevance, twenty a query."""
    from hebbgraph.retrieval.relevance import relevance, top

    out = []
    for row in rows:
        vector = None if case.vectors is None else case.vectors[row]
        found = relevance(case.corpus, case.queries[row].text, vector=vector, weights=weights)
        documents = case.corpus.document[top(found.total, 20)].tolist()
        out.append([case.corpus.document_ids[one] for one in documents])
    return out


def graph_of(corpus: Any) -> Any:
    """Passages, then entities, with mentions and links between passages."""
    import hebbgraph

    n = len(corpus)
    mentioning = np.repeat(np.arange(n), np.diff(corpus.mentions.indptr))
    linking = np.repeat(np.arange(n), np.diff(corpus.links.indptr))
    mentioned, linked = corpus.mentions.target + n, corpus.first[corpus.links.target]
    ids = [f"{kind}{row}" for kind, size in (("p", n), ("e", len(corpus.entity_names)))
           for row in range(size)]  # fmt: skip
    return hebbgraph.Graph.from_edges(
        np.concatenate([mentioning, linking]), np.concatenate([mentioned, linked]),
        relation=["mentions"] * mentioning.size + ["links"] * linking.size, node_ids=ids,
    )  # fmt: skip


def after_feedback(case: Case, train: Sequence[int], weights: Any) -> Any:
    """The corpus after one pass over the episodes of the training queries."""
    import hebbgraph
    from hebbgraph.retrieval.learned import taught

    when = datetime(2025, 6, 1, tzinfo=UTC)
    row = {one: number for number, one in enumerate(case.corpus.document_ids)}
    episodes = []
    for number, ranking in zip(train, ranked(case, weights, train), strict=True):
        right = [one for one in ranking[:10] if one in case.queries[number].gold]
        nodes = [f"p{case.corpus.first[row[one]]}" for one in right]
        if len(nodes) > 1:
            episodes.append({"nodes": nodes, "outcome": 1.0, "time": when})
    learned, _ = hebbgraph.plastify(
        graph_of(case.corpus), episodes=episodes, now=when, discover=False, decay=False
    )
    return taught(case.corpus, learned, np.arange(len(case.corpus)), without=("links",))


def after_plastify(case: Case) -> Any:
    """The corpus with the passages that discovery joins."""
    import hebbgraph
    from hebbgraph.retrieval.learned import taught

    learned, _ = hebbgraph.plastify(graph_of(case.corpus))
    keys = np.arange(len(case.corpus))
    return taught(case.corpus, learned, keys, without=("links",), inferred=True)


SPLITS = 5
"""Random halves of the queries on which feedback is judged."""
STUDENT = 2.776
"""Two-sided 95 % of Student's t with SPLITS − 1 degrees of freedom."""
SHOWN = ("mrr", "ndcg", "recall10", "recall5")


def strengthened(case: Case) -> Any:
    """The corpus with what one pass makes of its mentions and links, discovery left out."""
    import hebbgraph

    graph = graph_of(case.corpus)
    learned, _ = hebbgraph.plastify(graph, discover=False)
    weight = dict(zip(zip(learned.source.tolist(), learned.indices.tolist(), strict=True),
                      learned.weight.tolist(), strict=True))  # fmt: skip
    corpus, n = case.corpus, len(case.corpus)

    def reweighed(joins: Any, source_of: Any, target_of: Any) -> Any:
        rows = np.repeat(np.arange(joins.indptr.size - 1), np.diff(joins.indptr)).tolist()
        pairs = zip(rows, joins.target.tolist(), strict=True)
        found = [weight.get((source_of(row, end), target_of(row, end)), 1.0) for row, end in pairs]
        return replace(joins, weight=np.array(found, np.float32))

    return replace(
        corpus,
        links=reweighed(corpus.links, lambda row, _: row, lambda _, end: int(corpus.first[end])),
        mentions=reweighed(corpus.mentions, lambda row, _: row, lambda _, end: end + n),
        mentioned_in=reweighed(corpus.mentioned_in, lambda _, end: end, lambda row, _: row + n),
    )


def ablation(names: Sequence[str]) -> None:
    from hebbgraph.retrieval.relevance import TEXT_ONLY, Weights
    from hebbgraph.retrieval.search import WORDS_AND_VECTORS

    rows, halves = [], []
    for name in names:
        case = prepared(name)
        everything = range(len(case.queries))
        ways = (
            ("words", case, TEXT_ONLY),
            ("+ vectors", case, WORDS_AND_VECTORS),
            ("+ graph", case, Weights()),
            ("+ learned weights", replace(case, corpus=strengthened(case)), Weights()),
            ("+ discovered links", replace(case, corpus=after_plastify(case)), Weights()),
        )
        for label, own, weights in ways:
            ranked(own, weights, everything[:1])  # the first search makes the network
            started = time.perf_counter()
            score = figures(ranked(own, weights, everything), case.queries)
            each = (time.perf_counter() - started) / len(case.queries) * 1e3
            cells = [f"{score[one]:.3f}" for one in SHOWN]
            rows.append((name, label, *cells, f"{each:.1f}"))
        halves.append((name, *_fed(case)))
    machine.table(("set", "", "MRR", "nDCG@10", "R@10", "R@5", "ms a query"), rows)
    print(f"What feedback adds on the held-out half, mean of {SPLITS} splits ± its 95 % interval\n")
    machine.table(("set", "MRR", "nDCG@10", "R@10", "R@5"), halves)


def _fed(case: Case) -> list[str]:
    """What feedback on half of the queries adds to each figure of the other half."""
    from hebbgraph.retrieval.relevance import Weights

    gains = []
    for split in range(SPLITS):
        order = np.random.default_rng(machine.SEED + split).permutation(len(case.queries)).tolist()
        train, test = order[: len(order) // 2], order[len(order) // 2 :]
        asked = [case.queries[one] for one in test]
        fed = replace(case, corpus=after_feedback(case, train, Weights()))
        before, after = (figures(ranked(own, Weights(), test), asked) for own in (case, fed))
        gains.append([after[one] - before[one] for one in SHOWN])
    mean, spread = np.mean(gains, axis=0), np.std(gains, axis=0, ddof=1)
    # Student's t of the splits, which share queries: as narrow as it can be, not wider.
    half = STUDENT * spread / np.sqrt(SPLITS)
    return [f"{one:+.4f} ± {other:.4f}" for one, other in zip(mean, half, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval")
    parser.add_argument("--sets", nargs="*", default=[*SYNAPTIC, *MULTI_HOP, OPENIE, *TOPICS])
    parser.add_argument("--only", choices=("ablation", "learned", "many"))
    parser.add_argument("--choose", metavar="SET", help="choose the setting on a set, and print it")
    arguments = parser.parse_args()
    if not (machine.DATA / "seed-retrieval").exists():
        print("retrieval: skipped, its data sets are not here\n", flush=True)
        return
    machine.heading("Search", "numpy", "scipy", "snowballstemmer", warm_up="one run to warm up")
    if arguments.choose is not None:
        retrieval_choice.main(arguments.choose)
        return
    if arguments.only in (None, "ablation"):
        ablation(arguments.sets)
    if arguments.only in (None, "learned"):
        search_store.learned([name for name in arguments.sets if name in (*MULTI_HOP, *TOPICS)])
    if arguments.only in (None, "many"):
        search_store.stores()


if __name__ == "__main__":
    main()
