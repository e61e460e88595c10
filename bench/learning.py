"""What learned traces of use foretell: the next click, message or reply, beside other rankings."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench import machine, sequences
from bench.sequences import Bools, Floats, Ints
from hebbgraph.plasticity import prediction
from hebbgraph.plasticity.activity import TIME_CONSTANTS, Events, Use, unused
from hebbgraph.plasticity.prediction import Mix, feature_names

PARTS = ("wikispeedia", "collegemsg", "digg-reply")
RESAMPLES = 2_000
GROUPS = ("habit", "reply", "recent", "shared", "path", "popular")
NAMES = feature_names(TIME_CONSTANTS)
DECAY = tuple(name for name in NAMES if any(word in name for word in ("trace", "recency", "order")))
LEARNED = ("habit.used", "habit.count", "habit.share", "reply.used", "reply.count", "reply.share",
           "shared.weight", "path", "popular.received", "popular.given", *DECAY)  # fmt: skip

Rows = dict[str, Floats]


def spread(first: int, last: int, most: int, size: int) -> Bools:
    """Which of the events are asked: evenly spread over [first, last), at most so many."""
    asked = np.zeros(size, np.bool_)
    count = min(most, last - first) if most else last - first
    asked[np.linspace(first, last - 1, count).astype(np.int64)] = True
    return asked


def interval(ours: Floats, theirs: Floats, group: Ints) -> tuple[float, float, float]:
    """Difference of MRR, and 95 % of its bootstrap, groups of events drawn with replacement."""
    difference = 1 / ours - 1 / theirs
    _, member = np.unique(group, return_inverse=True)
    total = np.bincount(member, difference)
    size = np.bincount(member)
    rng = np.random.default_rng(machine.SEED)
    means = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(total.size, size=total.size)
        means.append(total[drawn].sum() / size[drawn].sum())
    low, high = np.quantile(means, (0.025, 0.975))
    return float(difference.mean()), float(low), float(high)


def report(rows: Rows, ours: str, others: Sequence[str], group: Ints) -> None:
    """MRR and Hits@10 of each, and what ours is ahead by."""
    lines = []
    for name, ranks in rows.items():
        ahead = ""
        if name != ours:
            mean, low, high = interval(rows[ours], ranks, group)
            ahead = f"{mean:+.4f} ({low:+.4f} to {high:+.4f})"
        figures = (f"{(1 / ranks).mean():.4f}", f"{(ranks <= 10).mean():.4f}")
        lines.append((f"**{name}**" if name == ours else name, *figures, ahead))
    machine.table(("ranking", "MRR", "Hits@10", f"{ours} is ahead by (95 %)"), lines)
    behind = [name for name in others if interval(rows[ours], rows[name], group)[1] <= 0]
    said = f"not of {', '.join(behind)}" if behind else f"of all {len(others)}"
    print(f"Ahead {said}, beyond chance (whole interval above 0).\n", flush=True)


def mixes_for(
    state: Use,
    events: Events,
    most: int,
    without: Mapping[str, Sequence[str]],
    **how: bool,
) -> dict[str, Mix]:
    """The mix, and mixes fitted anew without some of its features, at the same penalty."""
    choices = prediction.sampled_choices(state, events, max_events=most, seed=machine.SEED, **how)
    edges_only = how.get("edges_only", False)
    mixes: dict[str, Mix] = {}
    for name, features in without.items():
        mixes[name] = prediction.fit_choices(
            choices, state.time_constants, edges_only=edges_only, without=features,
            penalties=(mixes["ours"].penalty,) if mixes else prediction.PENALTIES,
        )  # fmt: skip
    return mixes


def ranked(state: Use, events: Events, mixes: Mapping[str, Mix], asked: Bools, **how: Any) -> Rows:
    found = prediction.ranks(state, events, list(mixes.values()), asked=asked, **how)
    return dict(zip(mixes, found.T, strict=True))


def weights_of(mix: Mix, count: int = 8) -> str:
    heavy = sorted(mix.weights.items(), key=lambda item: -abs(item[1]))[:count]
    return ", ".join(f"{name} {weight:+.2f}" for name, weight in heavy)


def stream_part(name: str, asking: int, fitting: int) -> Rows | None:
    """The target of each event in the last 15 %, among all nodes seen so far."""
    there = sequences.stream(name)
    if there is None:
        print(f"{name}: skipped, its data set is not here\n", flush=True)
        return None
    n, events = there
    size = len(events)
    first, cut = int(0.7 * size), int(0.85 * size)
    started = time.perf_counter()
    early = unused(n).after(events.part(0, first))
    slice_ = events.part(first, cut)
    without = {"ours": ("cue",), "no decay": ("cue", *DECAY)}
    without |= {f"no {group}": ("cue", group) for group in GROUPS if group != "path"}
    mixes = mixes_for(early, slice_, fitting, without)
    fitted = time.perf_counter() - started
    asked = spread(cut, size, asking, size)
    ready = early.after(slice_)
    rest, mine = events.part(cut, size), asked[cut:]
    rows = ranked(ready, rest, mixes, mine)
    rows["no learning after the fit"] = ranked(ready, rest, {"": mixes["ours"]}, mine, learn=False)[
        ""
    ]
    took = time.perf_counter() - started - fitted
    window = int(events.time[cut - 1] - events.time[first])
    base = sequences.stream_ranks(n, events, asked, window)
    others = dict(zip(sequences.STREAM_BASELINES, base.T, strict=True))
    rows = {**others, **rows}
    unknown = float(np.isinf(rows["ours"]).mean())
    print(
        f"### {name}\n\n{size:,} events, {n:,} nodes; {int(mine.sum()):,} of the last "
        f"{size - cut:,} are asked, of which {unknown:.1%} have a target never seen before: rank "
        f"∞ for all.  Fitted on {mixes['ours'].events:,} events of the 15 % before "
        f"({fitted:.0f} s), ranked in {took:.0f} s.  Penalty {mixes['ours'].penalty:g}; heaviest: "
        f"{weights_of(mixes['ours'])}.\n",
        flush=True,
    )
    report(rows, "ours", sequences.STREAM_BASELINES, events.source[asked].astype(np.int64))
    return rows


def wiki_part(asking: int, fitting: int) -> Rows | None:
    """The next click of the last 30 % of the paths, among the page's links and among all pages."""
    paths = sequences.wikispeedia()
    if paths is None:
        print("wikispeedia: skipped, its data set is not here\n", flush=True)
        return None
    events, n = paths.events, paths.n_nodes
    size, total = len(events), int(paths.path[-1]) + 1
    first = int(np.searchsorted(paths.path, int(0.56 * total)))
    cut = int(np.searchsorted(paths.path, int(0.7 * total)))
    asked = spread(cut, size, asking, size)
    group = paths.path[asked]
    others = wiki_baselines(paths, first, cut, asked)
    print(
        f"### wikispeedia\n\n{size:,} clicks of {total:,} paths, {n:,} pages; "
        f"{int(asked.sum()):,} of the {size - cut:,} clicks of the last 30 % of the paths are "
        f"asked, the state as it stood before them; resampled by path.\n",
        flush=True,
    )
    early = unused(n, paths.links).after(events.part(0, first))
    ready = early.after(events.part(first, cut))
    # The state stands still while it is asked, and so does its clock: in the fit as in the test.
    held, rest = (
        Events(**{**vars(part), "time": np.full(len(part), since)})
        for part, since in (
            (events.part(first, cut), events.time[first - 1]),
            (events.part(cut, size), events.time[cut - 1]),
        )
    )
    out: Rows | None = None
    for edges_only in (True, False):
        started = time.perf_counter()
        without = {"ours": ("cue",), "no decay": ("cue", *DECAY),
                   "no learning": ("cue", *LEARNED)}  # fmt: skip
        without |= {f"no {one}": ("cue", one) for one in GROUPS}
        without["ours, told what is sought"] = ()
        mixes = mixes_for(early, held, fitting, without, learn=False, edges_only=edges_only)
        rows = ranked(ready, rest, mixes, asked[cut:], learn=False)
        among = "the links of the page" if edges_only else "all pages"
        print(f"Among {among} ({time.perf_counter() - started:.0f} s); fitted on "
              f"{mixes['ours'].events:,} clicks, penalty {mixes['ours'].penalty:g}; heaviest: "
              f"{weights_of(mixes['ours'])}.\n", flush=True)  # fmt: skip
        side = {name: ranks[int(not edges_only)] for name, ranks in others.items()}
        report({**side, **rows}, "ours", list(side), group)
        out = out or {**side, **rows}
    return out


def wiki_baselines(paths: sequences.Paths, first: int, cut: int, asked: Bools) -> dict[str, Floats]:
    """Ranks among the links, and among all pages: (2, asked) each."""
    n = paths.n_nodes
    some = np.flatnonzero(spread(first, cut, 1_000, len(paths.events)))
    prior, strength = sequences.markov_choice(paths, first, some)
    model = sequences.Markov.of(paths, cut, prior)
    in_degree = model.linked.sum(axis=0, dtype=np.float64)
    sources = np.unique(paths.events.source[asked])
    walks = sequences.walk_scores(paths, sources)
    everything = np.ones(n, np.bool_)
    names = ("uniform", "in-degree", "PageRank from the page",
             f"Markov, {prior} prior of {strength:g}")  # fmt: skip
    found: dict[str, list[list[float]]] = {name: [[], []] for name in names}
    for event in np.flatnonzero(asked):
        source, target = int(paths.events.source[event]), int(paths.events.target[event])
        links = model.linked[[source]].toarray()[0]
        links[source] = False
        others = everything.copy()
        others[source] = False
        walk = walks[np.searchsorted(sources, source)]
        # Those that know the links may use them among all pages too.
        scores = (links * 1.0, links * (1 + in_degree), walk, model.score(source, strength))
        for name, score in zip(names, scores, strict=True):
            for side, candidates in enumerate((links, others)):
                found[name][side].append(sequences.rank(score, target, candidates))
    return {name: np.array(ranks) for name, ranks in found.items()}


def plot(results: Mapping[str, Rows], file: Path) -> None:
    """Bars of MRR, one panel a data set."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(5 * len(results), 5), squeeze=False)
    for axis, (name, rows) in zip(axes[0], results.items(), strict=True):
        values = [(1 / ranks).mean() for ranks in rows.values()]
        colours = ["C3" if key.startswith("ours") else "C1" if key.startswith("no ") else "C0"
                   for key in rows]  # fmt: skip
        axis.barh(list(rows), values, color=colours)
        axis.invert_yaxis()
        axis.set(title=name, xlabel="MRR")
    figure.tight_layout()
    figure.savefig(file)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.learning", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    add = parser.add_argument
    add("--asked", type=int, default=4_000, metavar="N",
        help="test events asked, evenly spread; 0 is all; 4,000 by default")  # fmt: skip
    add("--fitted", type=int, default=8_000, metavar="N",
        help="events a mix is fitted on; 8,000 by default")  # fmt: skip
    parser.add_argument("--plot", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    machine.heading(
        "Learning from use", "numpy", "scipy", "numba",
        warm_up="kernels compiled in the first part; one setting for all data sets",
    )  # fmt: skip
    print("Ranks: 1 + candidates above + half of those that tie, for all alike.\n", flush=True)
    results = {}
    for part in arguments.parts:
        rows = (
            wiki_part(arguments.asked, arguments.fitted)
            if part == "wikispeedia"
            else stream_part(part, arguments.asked, arguments.fitted)
        )
        if rows is not None:
            results[part] = rows
    if arguments.plot:
        plot(results, arguments.plot)
    print(f"Peak memory {machine.resident_peak():,.0f} MiB.\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
