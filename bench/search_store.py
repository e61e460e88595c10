"""Search through a store, as a process and warm; and two ways to the vectors near a query."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench import machine
from bench.retrieval_sets import MULTI_HOP, Query, figures, load

PASSAGES = 100_000
WORDS = 45
TARGETS = {"musique": (None, 1.0, None), "many": (1.0, 2.5, 25.0)}
"""Seconds to open, seconds of a process, and milliseconds of a warm search."""


def items(name: str) -> tuple[list[dict[str, str]], list[str]]:
    """Documents and queries: MuSiQue, or windows of 45 words over NFCorpus, one a document."""
    held, queries = load(MULTI_HOP[2] if name == "musique" else "beir-nfcorpus")
    asked = [one.text for one in queries]
    if name == "musique":
        return [{"id": one.id, "title": one.title, "text": one.text} for one in held], asked
    words = [word for one in held for word in one.text.split()]
    step = (len(words) - WORDS) / PASSAGES
    return [
        {
            "id": str(at),
            "title": held[at % len(held)].title,
            "text": " ".join(words[int(at * step) : int(at * step) + WORDS]),
        }
        for at in range(PASSAGES)
    ], asked


def fill(name: str, store: str) -> None:
    import hebbgraph

    memory = hebbgraph.Memory(store)
    memory.add(items(name)[0], max_tokens=1_000_000)
    memory.cognify()
    memory.memify()


def warm(name: str, store: str) -> None:
    """Opening and searching in one process, as JSON."""
    import hebbgraph

    _, queries = items(name)
    before = machine.resident_peak()
    memory = hebbgraph.Memory(store)
    started = time.perf_counter()
    memory.search("to open")
    opened = time.perf_counter() - started
    taken = []
    for turn in range(2):  # the first warms up
        for query in queries:
            started = time.perf_counter()
            memory.search(query)
            taken += [(time.perf_counter() - started) * 1e3] if turn else []
    print(json.dumps({
        "opened": opened, "p50": statistics.median(taken),
        "p95": float(np.quantile(taken, 0.95)), "mib": machine.resident_peak() - before,
        "passages": len(memory.find("x") and memory._opened[1].corpus),  # type: ignore[index]
    }))  # fmt: skip


def stores() -> None:
    rows, compared = [], []
    for name in TARGETS:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder, "data.lance"))
            machine.process("-m", "bench.search_store", "--fill", name, store)
            query = items(name)[1][0]
            runs = [machine.hebbgraph("search", store, query) for _ in range(5)]
            process = statistics.median(run.median for run in runs)
            peak = max(run.peak_mib or 0 for run in runs)
            run = machine.process("-m", "bench.search_store", "--warm", name, store)
            got = json.loads(str(run.result))
            targets = [
                f"{label} {machine.against(value, target)}"
                for label, value, target in zip(
                    ("open", "process", "p50"), (got["opened"], process, got["p50"]),
                    TARGETS[name], strict=True,
                )
                if target is not None
            ]  # fmt: skip
            rows.append((
                f"{name}, {got['passages']:,}", f"{got['opened']:.2f}", f"{process:.2f}",
                f"{peak:,.0f}", f"{got['p50']:.1f}", f"{got['p95']:.1f}", f"{got['mib']:,.0f}",
                ", ".join(targets),
            ))  # fmt: skip
            if name == "many":
                near = machine.process("-m", "bench.search_store", "--near", name, store)
                compared = json.loads(str(near.result))
    print("Search through a store: the first search of a process opens it\n")
    machine.table(("passages", "open, s", "process, s", "its MiB", "p50 ms", "p95 ms",
                   "resident MiB", "target"), rows)  # fmt: skip
    print("Vectors near a query: all of them mapped, or those that Lance's IVF_SQ finds\n")
    machine.table(("way", "p50 ms", "hits of 20 that stay"), compared)


@dataclass(frozen=True)
class Nearest:
    """The vectors of a corpus as an index knows them: the nearest k, 0 for all others."""

    dataset: Any
    row: np.ndarray
    shape: tuple[int, int]
    k: int

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        found = self.dataset.to_table(
            columns=["_rowid", "_distance"], disable_scoring_autoprojection=True, prefilter=True,
            filter="duplicate_of IS NULL", with_row_id=True,
            nearest={"column": "vector", "q": vector, "k": self.k, "nprobes": 20,
                     "refine_factor": max(1, 200 // self.k)},
        )  # fmt: skip
        out = np.zeros(self.shape[0], np.float32)
        out[self.row[found["_rowid"].to_numpy() % (1 << 32)]] = 1 - found["_distance"].to_numpy()
        return out


def near(name: str, store: str) -> None:
    """Time of both ways, and which of the twenty hits are the same, as JSON."""
    import lance

    import hebbgraph
    from hebbgraph.retrieval.kept import texts_of
    from hebbgraph.retrieval.opened import opened
    from hebbgraph.retrieval.search import search

    memory = hebbgraph.Memory(store)
    snapshot = memory.store.snapshot()
    here = opened(memory.store)
    order = texts_of(memory.store, snapshot)[1]
    row = np.empty(order.size, np.int64)
    row[order] = np.arange(order.size)
    dataset = lance.dataset(f"{store}/passages.lance", version=snapshot.versions["passages"])
    shape = here.corpus.vectors.shape
    ways = {"all, mapped": here.corpus.vectors}
    ways |= {f"IVF_SQ, {k}": Nearest(dataset, row, shape, k) for k in (20, 100, 1000)}
    queries = items(name)[1]
    wanted: list[set[str]] = []
    rows = []
    for label, vectors in ways.items():
        own = replace(here.corpus, vectors=vectors)
        taken, kept = [], []
        for at, query in enumerate(queries):
            vector = here.vector(query)
            started = time.perf_counter()
            vectors @ vector
            taken.append((time.perf_counter() - started) * 1e3)
            hits = {hit.passage_id for hit in search(own, query, k=20, vector=vector)}
            if label == "all, mapped":
                wanted.append(hits)
            kept.append(len(hits & wanted[at]) / max(len(wanted[at]), 1))
        rows.append((label, f"{statistics.median(taken):.1f}", f"{np.mean(kept):.3f}"))
    print(json.dumps(rows))


def learned(names: Sequence[str]) -> None:
    """Search by the weights that one pass without any use has learned, beside those before."""
    import hebbgraph

    rows = []
    for name in names:
        held, queries = load(name)
        with tempfile.TemporaryDirectory() as folder:
            memory = hebbgraph.Memory(Path(folder, "data.lance"))
            texts = [{"id": one.id, "title": one.title, "text": one.text} for one in held]
            memory.add(texts, max_tokens=1_000_000)
            memory.cognify()
            memory.memify()
            for label in ("stated", "plastified"):
                score = figures(ranked(memory, queries), queries)
                cells = [f"{score[one]:.3f}" for one in ("mrr", "ndcg", "recall10", "recall5")]
                rows.append((name, label, *cells))
                memory.plastify()
    print("Through a store: weights as text states them, and after one pass that saw no use\n")
    machine.table(("set", "", "MRR", "nDCG@10", "R@10", "R@5"), rows)


def ranked(memory: Any, queries: Sequence[Query]) -> list[list[str]]:
    """Documents by relevance, twenty a query."""
    from hebbgraph.retrieval.opened import opened
    from hebbgraph.retrieval.relevance import relevance, top

    here = opened(memory.store)
    out = []
    for query in queries:
        found = relevance(here.corpus, query.text, vector=here.vector(query.text))
        documents = here.corpus.document[top(found.total, 20)].tolist()
        out.append([here.corpus.document_ids[one] for one in documents])
    return out


if __name__ == "__main__":
    import sys

    {"--fill": fill, "--warm": warm, "--near": near}[sys.argv[1]](*sys.argv[2:])
