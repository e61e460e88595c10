"""What discovery's rankings find of edges held out, beside the formulas of others.

``--parts`` runs some of four:

``ranking``
    A tenth of the edges is taken out at random; precision among the first K/10 and K pairs, K
    edges taken out, of every pair that is not joined.  Common neighbours, Adamic-Adar, resource
    allocation and Jaccard are SciPy's products, ranked by the formula alone and ties by node;
    the rest is :func:`hebbgraph.discover`, whose pairs, shared neighbours and confidences have to
    equal SciPy's.
``ddi``
    ogbl-ddi by its official split, training edges alone: Hits@20, and the shrinkage of confidence
    chosen by the validation edges.
``calibration``
    How many of the pairs in each tier of confidence were taken out.
``tune``
    :func:`hebbgraph.tune` on what is left after a tenth was taken out; that tenth then judges its
    options beside the defaults.

A pair that was not taken out counts as wrong, though it may well belong: precision is a lower bound
and compares rankings of one graph.  ``REFERENCE`` are figures of an earlier study; its split is
not known, so they are held to the spread of five splits.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import holdout, machine
from bench.holdout import Floats, Pairs
from bench.rmat import Ints, read_pairs

SETS = ("ca-CondMat", "facebook_combined", "email-Enron")
FURTHER_SETS = ("planetoid-cora", "wiki-Vote", "ca-AstroPh")
SPLITS = 5
STUDENT = 2.776
"""Of Student's t with four degrees of freedom, 95 % are within this."""

COMMON, ADAMIC_ADAR, ALLOCATION = "common neighbours", "Adamic-Adar", "resource allocation (RA)"
BY_SURPRISE, BY_ALLOCATION = "confidence ≥ .6, by surprise", "confidence ≥ .6, by RA"
DEFAULT, FILTERED = "default ranking, all pairs", "default ranking, default filter"
REFERENCE = {
    COMMON: (0.742, 0.332, 0.777, 0.316, 0.354, 0.132),
    ADAMIC_ADAR: (0.904, 0.483, 0.793, 0.330, 0.409, 0.157),
    ALLOCATION: (0.970, 0.544, 0.883, 0.448, 0.640, 0.329),
    "Jaccard": (0.249, 0.228, 0.482, 0.335, 0.001, 0.000),
    "confidence, then shared": (0.831, 0.351, 0.164, 0.284, 0.246, 0.078),
    BY_SURPRISE: (0.895, 0.366, 0.761, 0.342, 0.376, 0.138),
    BY_ALLOCATION: (0.957, 0.415, 0.888, 0.441, 0.777, 0.215),
}
"""Precision at K/10 and K on each of ``SETS``."""

SHRINKAGES = (0, 25, 50, 100, 200, 400, 800, 1600)
KNOWN_SHRINKAGES = {
    50: "16.44/16.91", 100: "20.34/22.15", 200: "20.27/30.54",
    400: "22.60/36.24", 800: "20.82/38.93", 1600: "17.75/30.76",
}  # fmt: skip
"""Hits@20 on validation and test by the earlier study."""
PUBLISHED = {"Adamic-Adar": 18.61, "SEAL": 30.56, "GraphSAGE": 53.90, "NCN": 82.32}
"""Test Hits@20 on ogbl-ddi."""
LEAST_HITS = 36.0

TUNE_SEEDS = range(3)


@dataclass(frozen=True)
class Split:
    """A data set without a part of its edges.

    Attributes
    ----------
    n_nodes : of the whole
    left, held : (m, 2) edges that stay, and that were taken out
    graph : of ``left``
    """

    n_nodes: int
    left: Ints
    held: Ints
    graph: Any

    @property
    def first(self) -> tuple[int, int]:
        """K/10 and K."""
        return len(self.held) // 10, len(self.held)

    def best(self, found: Any, *keys: Floats) -> Ints:
        """The best K of found pairs by keys: (K or fewer, 2)."""
        place = holdout.best(len(self.held), *keys)
        return np.column_stack((found.source[place], found.target[place]))

    def best_of(self, found: Any) -> Ints:
        """The best K of a discovery, as discovery itself orders them."""
        return self.best(found, found.rank, found.confidence, found.shared)

    def precision(self, best: Ints) -> tuple[float, float]:
        """Of the first K/10 and K of the best pairs, what was taken out; none is a miss."""
        hit = holdout.is_in(best, self.held, self.n_nodes)
        few, many = self.first
        return float(hit[:few].sum() / few), float(hit[:many].sum() / many)

    def discover(self, **options: Any) -> Any:
        """:func:`hebbgraph.discover` on what is left."""
        import hebbgraph

        return hebbgraph.discover(self.graph, **options)


def splits(name: str, seeds: range) -> Iterator[Split]:
    """A data set split by each seed; nothing, and a line, where it is not here."""
    from hebbgraph.graph import Graph

    whole = holdout.read(name)
    if whole is None:
        print(f"{name}: skipped, its data set is not here\n", flush=True)
        return
    n_nodes, edges = whole
    for seed in seeds:
        left, held = holdout.split(edges, seed)
        graph = Graph.from_edges(*left.T, node_ids=np.arange(n_nodes), directed=False)
        yield Split(n_nodes, left, held, graph)


def rankings(split: Split) -> tuple[dict[str, Ints], str]:
    """The best K pairs of every ranking, and whether ours found what SciPy did."""
    pairs = holdout.unjoined_pairs(split.n_nodes, split.left)
    every = split.discover(
        max_new_edges_per_node=None, min_shared_neighbors=1, confidence_threshold=0,
        rank_by="overlap_allocation",
    )  # fmt: skip
    two = every.take(every.shared >= 2)

    def filtered(rank_by: str) -> Ints:
        return split.best_of(split.discover(
            max_new_edges_per_node=None, min_shared_neighbors=2, confidence_threshold=0.6,
            rank_by=rank_by,
        ))  # fmt: skip

    best = {
        COMMON: split.best(pairs, pairs.shared),
        ADAMIC_ADAR: split.best(pairs, pairs.adamic_adar),
        ALLOCATION: split.best(pairs, pairs.allocation),
        "Jaccard": split.best(pairs, pairs.jaccard),
        "confidence, then shared": split.best(two, two.confidence, two.shared),
        BY_SURPRISE: filtered("surprise"),
        BY_ALLOCATION: filtered("resource_allocation"),
        DEFAULT: split.best_of(every),
        FILTERED: filtered("overlap_allocation"),
    }
    return best, compared(every, pairs)


def compared(found: Any, pairs: Pairs) -> str:
    """How a discovery of every pair agrees with SciPy's products."""
    same = all(
        np.array_equal(getattr(found, name), getattr(pairs, name))
        for name in ("source", "target", "shared", "confidence")
    )
    if not same:
        return "**PAIRS DIFFER**"
    off = float(np.abs(found.rank - pairs.overlap_allocation).max(initial=0))
    return "equal" if off < 1e-9 else f"**RANKS DIFFER** by up to {off:.2g}"


def ranking_part(seeds: range) -> None:
    print("### Ranking\n")
    print(
        "K/10 and K: precision among so many pairs; mean and standard deviation over seeds "
        f"{seeds.start}–{seeds.stop - 1}. “Confidence, then shared” asks for two shared "
        "neighbours. A figure of the earlier study is “outside” where Student's t of another "
        "split beside these has p < .05: by chance, one in twenty.\n"
    )
    gains: dict[str, dict[str, list[float]]] = {DEFAULT: {}, FILTERED: {}}
    for name in SETS:
        precisions: dict[str, list[tuple[float, float]]] = {}
        answers = set()
        for split in splits(name, seeds):
            best, answer = rankings(split)
            answers.add(answer)
            for ranking, pairs in best.items():
                precisions.setdefault(ranking, []).append(split.precision(pairs))
        if not precisions:
            continue
        for ranking, gain in gains.items():
            both = zip(precisions[ranking], precisions[ALLOCATION], strict=True)
            gain[name] = [ours[0] - theirs[0] for ours, theirs in both]
        print(f"**{name}**: K = {split.first[1]:,}; discovery of every pair beside SciPy, "
              f"pairs, shared, confidence and rank: {', '.join(sorted(answers))}\n")  # fmt: skip
        machine.table(
            ("ranking", f"K/10, seed {seeds.start}", f"K, seed {seeds.start}",
             "K/10, mean", "K, mean", "REFERENCE K/10", "REFERENCE K"),
            [ranking_row(ranking, values, name) for ranking, values in precisions.items()],
        )  # fmt: skip
    if all(gains.values()):
        gain_tables(gains, seeds)


def ranking_row(ranking: str, values: list[tuple[float, float]], name: str) -> list[str]:
    table = np.array(values)
    mean, deviation = table.mean(axis=0), table.std(axis=0, ddof=1)
    row = [ranking, *(fraction(one) for one in table[0])]
    row += [f"{fraction(m)} ± {fraction(d)}" for m, d in zip(mean, deviation, strict=True)]
    if ranking not in REFERENCE:
        return [*row, "–", "–"]
    start = 2 * SETS.index(name)
    for place, known in enumerate(REFERENCE[ranking][start : start + 2]):
        # It is given to three digits.
        away = max(abs(known - mean[place]) - 5e-4, 0.0)
        spread = deviation[place] * (1 + 1 / len(table)) ** 0.5
        row.append(f"{fraction(known)} {'' if away <= STUDENT * spread else 'outside'}".strip())
    return row


def gain_tables(gains: dict[str, dict[str, list[float]]], seeds: range) -> None:
    """The default ranking less resource allocation of all pairs, at K/10, and what holds of it."""
    print("**Default ranking less resource allocation of all pairs**, precision at K/10\n")
    rows = []
    for ranking, gain in gains.items():
        for name, values in gain.items():
            signed = [f"{value:+.4f}" for value in values]
            rows.append((ranking, name, *signed, f"{np.mean(values):+.4f}"))
    machine.table(("ranking", "data set", *(f"seed {seed}" for seed in seeds), "mean"), rows)
    print(
        "“The default ranking is never below resource allocation at K/10 on the three sets, and "
        "above it on two or more”:\n"
    )
    rows = []
    for ranking, gain in gains.items():
        table = np.array(list(gain.values()))
        by_seed = [holds(column) for column in table.T]
        rows.append((ranking, *by_seed, holds(table.mean(axis=1))))
    machine.table(("ranking", *(f"seed {seed}" for seed in seeds), "mean"), rows)


def holds(gains: Floats) -> str:
    if len(gains) < len(SETS):
        return "not told: a data set is not here"
    below = int((gains < 0).sum())
    if below:
        return f"no: below on {below}"
    above = int((gains > 0).sum())
    return "holds" if above >= 2 else f"no: above on {above}"


Scored = dict[str, tuple[Ints, Floats, Floats]]
"""Shared neighbours, confidence and rank of the pairs of each list."""


def ddi_part() -> None:
    from hebbgraph.graph import Graph
    from hebbgraph.plasticity.neighborhood import observed_neighborhood
    from hebbgraph.plasticity.parameters import DiscoveryParameters
    from hebbgraph.plasticity.scoring import Scoring

    print("### ogbl-ddi, official split, Hits@20 in per cent\n")
    folder = machine.DATA / "ogbl-ddi"
    if not folder.exists():
        print("ogbl-ddi: skipped, its data set is not here\n", flush=True)
        return
    left = np.column_stack(read_pairs(folder / "train_edges.tsv"))
    lists = {
        part: np.column_stack(read_pairs(folder / f"{part}.tsv"))
        for part in ("valid_pos", "valid_neg", "test_pos", "test_neg")
    }
    graph = Graph.from_edges(*left.T, directed=False)
    around = observed_neighborhood(graph)

    def ours(rank_by: str, shrinkage: int = 0) -> Scored:
        # What discover(pairs=…) does, without looking up half a million pairs of ids each time.
        options = DiscoveryParameters(
            min_shared_neighbors=1, confidence_threshold=0, shrinkage=shrinkage,
            rank_by=rank_by,  # type: ignore[arg-type]
        )  # fmt: skip
        scoring = Scoring(around, options)
        columns = {part: np.ascontiguousarray(pairs.T) for part, pairs in lists.items()}
        return {part: scoring.pairs(*pair) for part, pair in columns.items()}

    print(f"{graph.n_nodes:,} nodes, {len(left):,} training edges", end="")
    ddi_scores(ours, holdout.given_pairs(graph.n_nodes, left, lists))
    ddi_shrinkage(ours)


def of_both(score: Callable[[str], Floats]) -> tuple[float, float]:
    """Hits@20 of validation and test, by the score of a list."""
    valid, test = (
        holdout.hits_at(score(f"{part}_pos"), score(f"{part}_neg")) for part in ("valid", "test")
    )
    return valid, test


def ddi_scores(ours: Callable[..., Scored], theirs: dict[str, Pairs]) -> None:
    """Scores without an option to choose."""
    plain, surprise = ours("resource_allocation"), ours("surprise")
    default = ours("overlap_allocation")
    same = all(
        np.array_equal(plain[part][0], pairs.shared)
        and np.array_equal(plain[part][1], pairs.confidence)
        for part, pairs in theirs.items()
    )
    scores: dict[str, tuple[Callable[[str], Floats], str]] = {
        COMMON: (lambda part: plain[part][0], "17.73"),
        ADAMIC_ADAR: (lambda part: theirs[part].adamic_adar, "18.61"),
        ALLOCATION: (lambda part: plain[part][2], "6.23"),
        "Jaccard": (lambda part: theirs[part].jaccard, "0.00"),
        "confidence": (lambda part: plain[part][1], "0.00"),
        "surprise": (lambda part: surprise[part][2], "–"),
        "default ranking": (lambda part: default[part][2], "–"),
    }
    rows = []
    for name, (score, known) in scores.items():
        valid, test = of_both(score)
        rows.append((name, f"{valid:.2f}", f"{test:.2f}", known))
    answer = "equal" if same else "**DIFFER**"
    print(f"; shared neighbours and confidence beside NumPy's: {answer}\n")
    machine.table(("score", "validation", "test", "REFERENCE test"), rows)


def ddi_shrinkage(ours: Callable[..., Scored]) -> None:
    """Confidence by shrinkage, the best on validation, and where that stands."""
    found = {}
    for shrinkage in SHRINKAGES:
        values = ours("confidence", shrinkage)
        found[shrinkage] = of_both(lambda part, values=values: values[part][1])  # type: ignore[misc]
    chosen = max(found, key=lambda shrinkage: found[shrinkage][0])
    rows = []
    for shrinkage, (valid, test) in found.items():
        known = KNOWN_SHRINKAGES.get(shrinkage, "–")
        note = "best on validation" if shrinkage == chosen else ""
        rows.append((str(shrinkage), f"{valid:.2f}", f"{test:.2f}", known, note))
    print("Confidence with shrinkage\n")
    machine.table(("shrinkage", "validation", "test", "REFERENCE", ""), rows)
    test = found[chosen][1]
    standing = PUBLISHED | {f"hebbgraph, confidence with shrinkage {chosen}": test}
    ordered = sorted(standing.items(), key=lambda item: item[1])
    machine.table(("", "test Hits@20"), [(name, f"{value:.2f}") for name, value in ordered])
    met = "met" if test >= LEAST_HITS else "**missed**"
    print(f"Test Hits@20 of the choice ≥ {LEAST_HITS:g}: {met}, {test:.2f}\n", flush=True)


def calibration_part(seeds: range) -> None:
    from hebbgraph.plasticity.discovery import TIERS

    print("### Calibration\n")
    print(
        "Share of each tier's pairs that were taken out, all seeds together, and pairs per seed; "
        "chance is the share of any pair that is not joined. A tier is worth more than the next "
        "only where the share falls.\n"
    )
    rows = []
    for name in SETS:
        counts = np.zeros((2, len(TIERS), 2), np.int64)
        held = unjoined = 0
        for split in splits(name, seeds):
            held += len(split.held)
            unjoined += split.n_nodes * (split.n_nodes - 1) // 2 - len(split.left)
            for place, most in enumerate((None, 3)):
                found = split.discover(
                    max_new_edges_per_node=most, min_shared_neighbors=2,
                    confidence_threshold=0.6, rank_by="overlap_allocation",
                )  # fmt: skip
                pairs = np.column_stack((found.source, found.target))
                hit = holdout.is_in(pairs, split.held, split.n_nodes)
                for tier in range(len(TIERS)):
                    inside = found.tier == tier
                    counts[place, tier] += inside.sum(), (inside & hit).sum()
        if not held:
            continue
        for label, tiers in zip(("all that qualify", "three a node"), counts, strict=True):
            shares = [right / max(total, 1) for total, right in tiers]
            cells = [f"{fraction(share)} of {total // len(seeds):,}"
                     for share, (total, _) in zip(shares, tiers, strict=True)]  # fmt: skip
            falls = "yes" if shares == sorted(shares, reverse=True) else "**no**"
            rows.append((name, label, *cells, f"{held / unjoined:.1e}", falls))
    if rows:
        names = [f"{relation} ≥ {max(least, 0.6):g}" for least, relation in TIERS]
        machine.table(("data set", "pairs", *names, "chance", "falls"), rows)


def tune_part() -> None:
    import hebbgraph

    print("### Tuning\n")
    if not hasattr(hebbgraph, "tune"):
        print("hebbgraph.tune: not here\n", flush=True)
        return
    print(
        "`tune` sees the graph without a tenth of its edges, and that tenth judges: precision at "
        "K/10 and K by the defaults and by the tuned options, three partners a node. Won and "
        "lost: edges that only the tuned options, only the defaults find; p by McNemar, exact, "
        "two-sided.\n"
    )
    rows = []
    worse = np.zeros(2, np.int64)
    for name in (*SETS, *FURTHER_SETS):
        for seed, split in zip(TUNE_SEEDS, splits(name, TUNE_SEEDS), strict=False):
            started = time.process_time()
            tuning = hebbgraph.tune(split.graph)
            seconds = time.process_time() - started
            before = split.best_of(split.discover())
            after = split.best_of(split.discover(**tuning.options))
            duels = [duel(split, before[:count], after[:count]) for count in split.first]
            worse += [lost > won for won, lost in duels]
            chosen = ", ".join(f"{key} {value}" for key, value in tuning.options.items())
            precisions = (*split.precision(before), *split.precision(after))
            rows.append((name, str(seed), *(fraction(one) for one in precisions),
                         *(verdict(*one) for one in duels),
                         chosen if tuning.changed else "defaults", f"{seconds:.0f}"))  # fmt: skip
    if not rows:
        return
    machine.table(
        ("data set", "seed", "defaults K/10", "defaults K", "tuned K/10", "tuned K",
         "won–lost K/10", "won–lost K", "chosen", "CPU s"), rows,
    )  # fmt: skip
    print(f"Tuned finds fewer than the defaults on {worse[0]} of {len(rows)} splits at K/10, and "
          f"on {worse[1]} at K.\n", flush=True)  # fmt: skip


def duel(split: Split, before: Ints, after: Ints) -> tuple[int, int]:
    """Edges taken out that only ``after`` has, and that only ``before`` has."""
    old, new = (holdout.is_in(split.held, pairs, split.n_nodes) for pairs in (before, after))
    return int((new & ~old).sum()), int((old & ~new).sum())


def verdict(won: int, lost: int) -> str:
    if won == lost == 0:
        return "same"
    word = ", **worse**" if lost > won else ""
    return f"{won}–{lost}, p {holdout.mcnemar(won, lost):.2g}{word}"


def fraction(value: float) -> str:
    """Three decimals, without the leading nought."""
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"


PARTS = ("ranking", "ddi", "calibration", "tune")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.link_prediction", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    parser.add_argument("--first-seed", type=int, default=0, metavar="N",
                        help="of ranking and calibration, 0 by default")  # fmt: skip
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + SPLITS)
    run: dict[str, Callable[[], None]] = {
        "ranking": lambda: ranking_part(seeds),
        "ddi": ddi_part,
        "calibration": lambda: calibration_part(seeds),
        "tune": tune_part,
    }
    machine.heading(
        "Link prediction", "numpy", "scipy", "numba",
        warm_up="answers do not depend on threads, and nothing is timed but `tune`",
    )  # fmt: skip
    for part in arguments.parts:
        run[part]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
