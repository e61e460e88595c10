"""Sequences of use, and rankings of what comes next that need no learning."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from bench import machine
from hebbgraph.plasticity.activity import Events

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
SECOND = 1_000_000
STREAM_BASELINES = (
    "EdgeBank, all", "EdgeBank, window", "count", "recency", "popularity", "Adamic-Adar",
    "resource allocation",
)  # fmt: skip
PRIORS = ("uniform", "in-degree", "visits")
STRENGTHS = (0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Paths:
    """Wikispeedia: a graph of links, clicks along it, and which path each click belongs to."""

    n_nodes: int
    links: tuple[Ints, Ints]
    events: Events
    path: Ints


def wikispeedia() -> Paths | None:
    """Links, and paths in order of time.

    A back-click returns to the page before and is no click to foresee; pages left by it stay in
    the context. Clicks on what is no link (17 of 91,362) are left out.
    """
    folder = machine.DATA / "wikispeedia"
    if not folder.exists():
        return None
    rows = _rows(folder / "links.tsv")
    key = {name: k for k, name in enumerate(sorted({name for row in rows for name in row}))}
    source, target = (np.array([key[row[side]] for row in rows]) for side in (0, 1))
    links = set(zip(source.tolist(), target.tolist(), strict=True))
    paths = sorted(_rows(folder / "paths_unfinished.tsv")[1:], key=lambda row: int(row[1]))
    clicks = []
    for number, (_, time, _, steps, goal, _) in enumerate(paths):
        trail: list[int] = []
        seen: list[int] = []
        for step in steps.split(";"):
            if step == "<":
                del trail[max(len(trail) - 1, 1) :]
                continue
            page = key.get(step)
            if page is None:
                break
            if trail and (trail[-1], page) in links and page != trail[-1]:
                context = [*(node for node in seen if node != trail[-1]), trail[-1]]
                clicks.append((trail[-1], page, int(time) * SECOND, context,
                               [key[goal]] if goal in key else [], number))  # fmt: skip
            trail.append(page)
            seen = [*(node for node in seen if node != page), page]
    start, end, when, contexts, cues, path = zip(*clicks, strict=True)
    events = Events.of(start, end, when, context=contexts, cue=cues)
    return Paths(len(key), (source, target), events, np.array(path))


def _rows(file: Path) -> list[list[str]]:
    return [line.split("\t") for line in file.read_text("utf-8").split("\n") if line]


def stream(name: str) -> tuple[int, Events] | None:
    """Number of nodes and events of a temporal graph; those from a node to itself are left out."""
    file = machine.DATA / name / "events.tsv"
    if not file.exists():
        return None
    rows = np.loadtxt(file, dtype=np.int64)
    rows = rows[rows[:, 0] != rows[:, 1]]
    ids, ends = np.unique(rows[:, :2], return_inverse=True)
    source, target = ends.reshape(-1, 2).T
    return ids.size, Events.of(source, target, rows[:, -1] * SECOND)


def rank(score: Floats, at: int, candidate: Bools) -> float:
    """1 + candidates above + half of those that tie; infinite if it is none itself."""
    if not candidate[at]:
        return np.inf
    score = score[candidate], score[at]
    return 1 + float((score[0] > score[1]).sum()) + (float((score[0] == score[1]).sum()) - 1) / 2


def stream_ranks(n: int, events: Events, asked: Bools, window: int) -> Floats:
    """Ranks by each of STREAM_BASELINES, the state updated after every event.

    EdgeBank: Poursafaei et al. 2022, with its unlimited and its windowed memory.
    """
    count: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    latest: dict[int, dict[int, int]] = defaultdict(dict)
    times: dict[int, dict[int, int]] = defaultdict(dict)
    near: dict[int, set[int]] = defaultdict(set)
    degree = np.zeros(n)
    received = np.zeros(n)
    out = []
    columns = (events.source.tolist(), events.target.tolist(), events.time.tolist())
    for k, (source, target, time) in enumerate(zip(*columns, strict=True)):
        if asked[k]:
            score = np.zeros((len(STREAM_BASELINES), n))
            past = list(count[source])
            score[0, past] = 1
            score[1, past] = [times[source][node] >= time - window for node in past]
            score[2, past] = [count[source][node] for node in past]
            score[3, past] = [latest[source][node] + 1 for node in past]
            score[4] = received
            for middle in near[source]:
                further = list(near[middle])
                score[5, further] += 1 / np.log(max(degree[middle], 2))
                score[6, further] += 1 / degree[middle]
            # The order in which floats are added shall make no difference between equals.
            score = np.round(score, 9)
            known = degree > 0
            known[source] = False
            out.append([rank(row, target, known) for row in score])
        count[source][target] += 1
        latest[source][target] = k
        times[source][target] = time
        received[target] += 1
        for one, other in ((source, target), (target, source)):
            near[one].add(other)
            degree[one] = len(near[one])
    return np.array(out)


@dataclass(frozen=True)
class Markov:
    """First-order counts of clicks with a Dirichlet prior over the links of a page."""

    count: csr_array
    linked: csr_array
    prior: Floats

    @classmethod
    def of(cls, paths: Paths, last: int, prior: str) -> Markov:
        """Counts of the events before ``last``."""
        n = paths.n_nodes
        source, target = paths.events.source[:last], paths.events.target[:last]
        count = csr_array((np.ones(last), (source, target)), (n, n))
        linked = csr_array((np.ones(paths.links[0].size, np.bool_), paths.links), (n, n))
        values = {
            "uniform": np.ones(n),
            "in-degree": linked.sum(axis=0, dtype=np.float64),
            "visits": 1 + count.sum(axis=0),
        }
        return cls(count, linked, values[prior])

    def score(self, source: int, strength: float) -> Floats:
        """Count + strength · prior share among the links, 0 elsewhere."""
        links = self.linked[[source]].toarray()[0]
        prior = np.where(links, self.prior, 0)
        score: Floats = self.count[[source]].toarray()[0] + strength * prior / max(prior.sum(), 1)
        return score


def markov_choice(paths: Paths, first: int, asked: Ints) -> tuple[str, float]:
    """Prior and strength of the best MRR on validation events, of those before ``first``."""
    found = {}
    for prior in PRIORS:
        model = Markov.of(paths, first, prior)
        for strength in STRENGTHS:
            found[prior, strength] = np.mean([
                1 / rank(model.score(int(paths.events.source[k]), strength),
                         int(paths.events.target[k]),
                         model.linked[[int(paths.events.source[k])]].toarray()[0])
                for k in asked
            ])  # fmt: skip
    return max(found, key=lambda key: found[key])


def walk_scores(paths: Paths, sources: Ints, *, damping: float = 0.85, turns: int = 30) -> Floats:
    """Personalised PageRank of every page from each source: (sources, n_nodes)."""
    n = paths.n_nodes
    linked = csr_array((np.ones(paths.links[0].size), paths.links), (n, n))
    leave = linked.sum(axis=1)
    onward = csr_array(linked.multiply(1 / np.maximum(leave, 1)[:, None])).T.tocsr()
    restart = np.zeros((n, sources.size), np.float64)
    restart[sources, np.arange(sources.size)] = 1
    mass = restart.copy()
    for _ in range(turns):
        mass = (1 - damping) * restart + damping * (onward @ mass)
    scores: Floats = mass.T
    return scores
