"""The retrieval sets as documents and queries, and the figures that rankings are judged by."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import machine

SYNAPTIC = ("allganize_rag_eval", "hotpotqa_24", "autorag_retrieval", "klue_mrc")
MULTI_HOP = ("2wiki-dev164", "hotpotqa-dev200", "hipporag-musique-train100")
TOPICS = ("beir-nfcorpus", "cranfield")
OPENIE = "hipporag-musique-train100 with OpenIE"


@dataclass(frozen=True)
class Query:
    """A question, and the grade of each document that answers it."""

    text: str
    gold: Mapping[str, int]


def load(name: str) -> tuple[list[Any], list[Query]]:
    """Documents and queries of a set, by the protocol of its README."""
    from hebbgraph.ingest.documents import Document

    if name in SYNAPTIC:
        path = machine.DATA / "seed-retrieval" / f"{name}.json"
        held = json.loads(path.read_text("utf-8"))
        ids, asked = list(held["corpus"]), list(held["queries"])
        if name == "klue_mrc":
            ids = random.Random(42).sample(ids, 500)
            kept = set(ids)
            asked = [one for one in asked if kept & set(held["qrels"].get(one, ()))][:100]
        docs = {own: held["corpus"][own] for own in ids}
        documents = [
            Document(own, one.get("title") or one["text"][:80], one["text"][:2000])
            for own, one in docs.items()
        ]
        queries = [Query(held["queries"][one], held["qrels"][one]) for one in asked]
        return documents, queries
    folder = machine.DATA / name.removesuffix(" with OpenIE")
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_bytes().splitlines()]
    documents = [Document(one["id"], one.get("title") or "", one["text"]) for one in rows]
    queries = []
    for line in (folder / "queries.jsonl").read_bytes().splitlines():
        one = json.loads(line)
        gold = one["gold"]
        graded = gold if isinstance(gold, dict) else dict.fromkeys(gold, 1)
        queries.append(Query(one["text"], graded))
    return documents, queries


def figures(rankings: Sequence[Sequence[str]], queries: Sequence[Query]) -> dict[str, float]:
    """Means of MRR over 20, nDCG@10 with graded gains, recall at 10 and at 5."""
    rows = []
    for ranking, query in zip(rankings, queries, strict=True):
        gold = query.gold
        first = next((1 / at for at, one in enumerate(ranking[:20], 1) if one in gold), 0.0)
        gain = [gold.get(one, 0) / np.log2(at + 1) for at, one in enumerate(ranking[:10], 1)]
        best = sorted(gold.values(), reverse=True)[:10]
        ideal = sum(grade / np.log2(at + 1) for at, grade in enumerate(best, 1))
        found = [len(set(ranking[:k]) & set(gold)) / len(gold) for k in (10, 5)]
        rows.append((first, sum(gain) / ideal, *found))
    means = np.array(rows).mean(axis=0).tolist()
    return dict(zip(("mrr", "ndcg", "recall10", "recall5"), means, strict=True))
