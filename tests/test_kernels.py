"""Kernels against plain loops; also runs with NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

import math
import random
from typing import Any

import naive
import numpy as np
import pytest
import strategies
from hebbgraph_kernels import (
    best,
    competition,
    csr,
    hebbian,
    metrics,
    ranking,
    stream,
    support,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

pytestmark = pytest.mark.usefixtures("one_thread")

fast = settings(max_examples=60, deadline=None)
key_types = st.sampled_from((np.int32, np.int64))
RANKINGS = {"resource_allocation": 0, "confidence": 1, "surprise": 2}
MEASURES = {"overlap": 0, "jaccard": 1, "dice": 2, "cosine": 3, "resource_allocation": 4}


def to_csr(rows: list[list[int]], dtype: Any = np.int32) -> tuple[np.ndarray, np.ndarray]:
    """CSR of lists of columns."""
    indptr = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    return indptr, np.array([column for row in rows for column in row], dtype)


def adjacency(around: naive.Neighbourhoods, dtype: Any = np.int32) -> tuple[np.ndarray, np.ndarray]:
    return to_csr([sorted(around[node]) for node in sorted(around)], dtype)


def to_rows(indptr: np.ndarray, indices: np.ndarray) -> list[list[int]]:
    return [indices[indptr[k] : indptr[k + 1]].tolist() for k in range(indptr.size - 1)]


@st.composite
def matrices(draw: st.DrawFn) -> list[list[int]]:
    """Sorted rows of a square multigraph, duplicates and the diagonal included."""
    n = draw(st.integers(1, 9))
    return [sorted(draw(st.lists(st.integers(0, n - 1), max_size=6))) for _ in range(n)]


@fast
@given(matrices(), key_types)
def test_transpose(rows: list[list[int]], dtype: Any) -> None:
    indptr, indices = to_csr(rows, dtype)
    in_indptr, in_rows, in_entry = csr.transpose_entries(indptr, indices, len(rows))
    for one, other in zip(
        csr.transpose(indptr, indices, len(rows)), (in_indptr, in_rows), strict=True
    ):
        assert one.tolist() == other.tolist()
    flat = [(u, v) for u, row in enumerate(rows) for v in row]
    expected = [[u for u, v in flat if v == column] for column in range(len(rows))]
    assert to_rows(in_indptr, in_rows) == expected
    assert in_rows.dtype == dtype
    for column in range(len(rows)):
        for slot in range(in_indptr[column], in_indptr[column + 1]):
            assert flat[in_entry[slot]] == (in_rows[slot], column)


@fast
@given(matrices(), key_types)
def test_symmetrise(rows: list[list[int]], dtype: Any) -> None:
    indptr, indices = to_csr(rows, dtype)
    in_indptr, in_rows = csr.transpose(indptr, indices, len(rows))
    edges = [naive.Edge(u, v) for u, row in enumerate(rows) for v in row]
    expected = naive.neighbourhoods(len(rows), edges)
    got = csr.symmetrise(indptr, indices, in_indptr, in_rows)
    assert to_rows(*got) == [sorted(near) for near in expected.values()]
    assert got[1].dtype == dtype


@fast
@given(strategies.neighbourhoods(), key_types)
def test_degree_order_and_orient(around: naive.Neighbourhoods, dtype: Any) -> None:
    indptr, indices = adjacency(around, dtype)
    order, rank = csr.degree_order(indptr, indices)
    expected = sorted(around, key=lambda node: (len(around[node]), node))
    assert order.tolist() == expected
    assert [expected.index(node) for node in around] == rank.tolist()
    renamed = [sorted(expected.index(v) for v in around[u]) for u in expected]
    assert to_rows(*csr.relabel(indptr, indices, order, rank)) == renamed


@fast
@given(strategies.neighbourhoods(), key_types)
def test_orient(around: naive.Neighbourhoods, dtype: Any) -> None:
    out_indptr, heads, degree = csr.orient(*adjacency(around, dtype))
    assert degree.tolist() == [len(near) for near in around.values()]
    assert to_rows(out_indptr, heads) == [
        sorted(v for v in near if (len(around[v]), v) > (len(near), u))
        for u, near in around.items()
    ]
    assert heads.dtype == dtype


def test_relabel_sorts_long_rows() -> None:
    n = 60
    everyone = {node: set(range(n)) - {node} for node in range(n)}
    indptr, indices = adjacency(everyone)
    shuffled = random.Random(5)
    order = np.array(shuffled.sample(range(n), n), np.int32)
    rank = np.argsort(order).astype(np.int32)
    assert to_rows(*csr.relabel(indptr, indices, order, rank)) == [
        [other for other in range(n) if other != node] for node in range(n)
    ]


@fast
@given(strategies.neighbourhoods(max_nodes=14), st.data(), key_types)
def test_edge_support(around: naive.Neighbourhoods, data: st.DataObject, dtype: Any) -> None:
    n = len(around)
    rows = [data.draw(st.lists(st.integers(0, n - 1), max_size=5)) for _ in range(n)]
    rows = [sorted([*row, *around[node]]) for node, row in enumerate(rows)]
    pairs = [(u, v) for u, row in enumerate(rows) for v in row]
    counts = naive.support(around, pairs)
    expected = [
        count if v in around[u] else -1 for (u, v), count in zip(pairs, counts, strict=True)
    ]
    got = support.edge_support(*adjacency(around, dtype), *to_csr(rows, dtype))
    assert got.tolist() == expected


@fast
@given(strategies.neighbourhoods(), st.data(), key_types)
def test_pair_support(around: naive.Neighbourhoods, data: st.DataObject, dtype: Any) -> None:
    node = st.integers(0, len(around) - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=12))
    left, right = (np.array([pair[side] for pair in pairs], dtype) for side in (0, 1))
    got = support.pair_support(*adjacency(around, dtype), left, right)
    assert got.tolist() == naive.support(around, pairs)


@pytest.mark.parametrize("small", [(), (0, 50), (3, 4, 99), (98, 99), (7,)])
def test_pair_support_gallops_through_a_long_list(small: tuple[int, ...]) -> None:
    near = {100: set(range(0, 100, 2)) | {99}, 101: set(small)}
    around = {node: set() for node in range(100)} | near
    ends = [np.array([node], np.int32) for node in (100, 101)]
    for left, right in (ends, ends[::-1]):
        got = support.pair_support(*adjacency(around), left, right)
        assert got.tolist() == [len(near[100] & near[101])]


def test_edge_support_of_a_graph_of_many_blocks() -> None:
    rng = random.Random(11)
    edges = [naive.Edge(rng.randrange(300), rng.randrange(300)) for _ in range(1500)]
    around = naive.neighbourhoods(300, edges)
    indptr, indices = adjacency(around)
    pairs = [(u, v) for u in around for v in sorted(around[u])]
    got = support.edge_support(indptr, indices, indptr, indices)
    assert got.tolist() == naive.support(around, pairs)


weights = st.sampled_from((-2.0, 0.0, 0.05, 0.1, 1.0, 4.95, 5.0, 7.5))
counters = st.sampled_from((0, 1, 2, 7, 1_000_000, 2**31 - 1))


@fast
@given(
    st.lists(st.tuples(weights, counters, counters), max_size=8),
    st.sampled_from((0.0, 0.1, 2.0)),
    st.sampled_from(((0.0, 5.0), (0.1, 5.0), (1.0, 1.0))),
)
def test_strengthen(edges: list[Any], rate: float, bounds: tuple[float, float]) -> None:
    low, high = bounds
    weight = np.array([edge[0] for edge in edges], np.float32)
    seen, count = (np.array([edge[k] for edge in edges], np.int32) for k in (1, 2))
    out = np.full(len(edges), np.nan, np.float32)
    hebbian.strengthen(weight, seen, count, rate, low, high, out)
    expected = [
        naive.strengthened(float(w), s, c, rate=rate, low=low, high=high)
        for w, (_, s, c) in zip(weight, edges, strict=True)
    ]
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    same = seen == count
    assert (out[same] == weight[same]).all()


def hold_losers(rows: list[list[int]], weight: list[float], pairs: list[Any], dtype: Any) -> None:
    flat = [(u, v) for u, row in enumerate(rows) for v in row]
    lost = np.zeros(len(flat), np.bool_)
    left, right = (np.array([pair[side] for pair in pairs], dtype) for side in (0, 1))
    competition.mark_losers(
        *csr.transpose_entries(*to_csr(rows, dtype), len(rows)), np.array(weight, np.float32),
        left, right, lost,
    )  # fmt: skip
    expected = [
        any(
            tail == u and heavier > own and ((v, head) in pairs or (head, v) in pairs)
            for (tail, head), heavier in zip(flat, weight, strict=True)
        )
        for (u, v), own in zip(flat, weight, strict=True)
    ]
    assert lost.tolist() == expected


@settings(max_examples=150, deadline=None)
@given(st.data(), key_types)
def test_mark_losers(data: st.DataObject, dtype: Any) -> None:
    n = data.draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    rows = [sorted(data.draw(st.lists(node, max_size=6))) for _ in range(n)]
    m = sum(map(len, rows))
    weight = data.draw(st.lists(weights, min_size=m, max_size=m))
    pairs = data.draw(st.lists(st.tuples(node, node).filter(lambda pair: pair[0] != pair[1])))
    hold_losers(rows, weight, pairs, dtype)


@pytest.mark.parametrize("few", [(7,), (0, 59), (58, 59), ()])
def test_mark_losers_gallops(few: tuple[int, ...]) -> None:
    """Nearly every node has an edge to 60, few have one to 61."""
    rows = [[60, 61] if u in few else [60] if u % 7 else [] for u in range(60)] + [[], []]
    weight = [float(k % 3) for k in range(sum(map(len, rows)))]
    hold_losers(rows, weight, [(60, 61)], np.int32)
    hold_losers(rows, weight, [(61, 60)], np.int32)


@fast
@given(matrices(), st.data(), key_types)
def test_incident_sums(rows: list[list[int]], data: st.DataObject, dtype: Any) -> None:
    flat = [(u, v) for u, row in enumerate(rows) for v in row]
    m = len(flat)
    weight = data.draw(st.lists(weights, min_size=m, max_size=m))
    relations = data.draw(st.sampled_from((1, 3, 64, 130)))
    relation = data.draw(st.lists(st.integers(0, relations - 1), min_size=m, max_size=m))
    indptr, indices = to_csr(rows, dtype)
    total, count = metrics.incident_sums(indptr, indices, np.array(weight, np.float32))
    codes = np.array(relation, np.int32)
    diversity = metrics.relation_diversity(indptr, indices, codes, relations)
    for node in range(len(rows)):
        # A loop, which graphs never hold, would count at both of its ends.
        sides = [k for k, ends in enumerate(flat) for end in ends if end == node]
        assert total[node] == pytest.approx(sum(np.float32(weight[k]) for k in sides), abs=1e-5)
        assert count[node] == len(sides)
        assert diversity[node] == len({relation[k] for k in sides})


@fast
@given(st.lists(st.integers(-8, 60).map(lambda k: k / 8), max_size=30))
def test_histogram(values: list[float]) -> None:
    expected = [0] * 20
    for value in values:
        expected[min(max(math.floor(value / 0.25), 0), 19)] += 1
    assert metrics.histogram(np.array(values, np.float32), 0.0, 0.25, 20).tolist() == expected


@st.composite
def candidates(draw: st.DrawFn) -> tuple[naive.Neighbourhoods, dict[str, Any], list[bool]]:
    around = draw(strategies.neighbourhoods(max_nodes=11))
    options = draw(strategies.ranking_options)
    n = len(around)
    allowed = draw(st.just([True] * n) | st.lists(st.booleans(), min_size=n, max_size=n))
    return around, options, allowed


def kernel_options(options: dict[str, Any]) -> dict[str, Any]:
    named = {name: options[name] for name in ("min_shared", "threshold", "shrinkage")}
    return named | {"measure": MEASURES[options["measure"]]}


def hold_tables(
    got: tuple[np.ndarray, ...], pairs: list[naive.Pair], place: list[int], cap: int
) -> None:
    """Kernel tables against the pairs that each node keeps."""
    kept: dict[int, list[Any]] = {node: [] for node in range(len(place))}
    for owner, *entry in zip(*got, strict=True):
        kept[int(owner)].append(entry)
    for node, expected in naive.best(pairs, place, cap).items():
        assert [entry[0] for entry in kept[node]] == [pair.other(node) for pair in expected], node
        for (_, shared, value, rank), pair in zip(kept[node], expected, strict=True):
            assert shared == pair.shared
            assert value == pytest.approx(pair.confidence, abs=1e-9)
            assert rank == pytest.approx(pair.rank, abs=1e-7)


@settings(max_examples=200, deadline=None)
@given(candidates(), st.sampled_from((1, 2, 3, 11)), st.data(), key_types)
def test_best_partners(found: Any, cap: int, data: st.DataObject, dtype: Any) -> None:
    around, options, allowed = found
    place = data.draw(st.permutations(range(len(around))))
    got = best.best_partners(
        *adjacency(around, dtype), cap=cap, allowed=np.array(allowed), place=np.array(place),
        ranking=RANKINGS[options["rank_by"]], **kernel_options(options),
        population=max(sum(1 for near in around.values() if near) - 2, 0),
    )  # fmt: skip
    pairs = naive.qualifying(around, **options, allowed=allowed.__getitem__)
    hold_tables(got, pairs, place, cap)


def hold_pairs(
    around: naive.Neighbourhoods, allowed: list[bool], adjacent: bool, dtype: Any, block: int,
    *, min_shared: int, threshold: float, shrinkage: float = 0.0, measure: str = "overlap",
) -> None:  # fmt: skip
    expected = {}
    for a in around:
        for b in range(a):
            common = around[a] & around[b]
            if not (allowed[a] and allowed[b]) or (b in around[a] and not adjacent):
                continue
            value = naive.measured(around, a, b, measure, shrinkage)
            if len(common) >= min_shared and value >= threshold:
                amount = sum(1 / len(around[c]) for c in common)
                expected[b, a] = (
                    len(common), pytest.approx(value, abs=1e-9), pytest.approx(amount, abs=1e-9),
                )  # fmt: skip
    got = {}
    for left, right, *numbers in stream.qualifying_pairs(
        *adjacency(around, dtype), allowed=np.array(allowed), adjacent=adjacent,
        pairs_per_block=block, min_shared=min_shared, threshold=threshold, shrinkage=shrinkage,
        measure=MEASURES[measure],
    ):  # fmt: skip
        assert left.dtype == right.dtype == dtype
        assert left.size <= max(block, len(around))
        for a, b, *found in zip(left, right, *numbers, strict=True):
            assert (min(a, b), max(a, b)) not in got
            got[min(a, b), max(a, b)] = tuple(found)
    assert got == expected


@settings(max_examples=150, deadline=None)
@given(candidates(), st.booleans(), st.sampled_from((1, 10_000)), key_types)
def test_qualifying_pairs(found: Any, adjacent: bool, block: int, dtype: Any) -> None:
    around, options, allowed = found
    del options["rank_by"]
    hold_pairs(around, allowed, adjacent, dtype, block, **options)


def skewed(n: int, m: int, seed: int) -> naive.Neighbourhoods:
    """A random graph with hubs, twins and leaves, so that every way to count is taken."""
    rng = random.Random(seed)
    edges = [naive.Edge(int(n * rng.random() ** 3), rng.randrange(n)) for _ in range(m)]
    edges += [naive.Edge(n + k, hub) for k in range(8) for hub in range(5)]
    return naive.neighbourhoods(n + 8, edges)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.6, 0.9])
def test_qualifying_pairs_among_hubs(seed: int, threshold: float) -> None:
    around = skewed(70, 400 + 300 * seed, seed)
    allowed = [node % 9 != 4 for node in around]
    for min_shared in (1, 3):
        for adjacent in (False, True):
            hold_pairs(
                around, allowed, adjacent, np.int32, 1,
                min_shared=min_shared, threshold=threshold,
            )  # fmt: skip


def _surprise(shared: int, left: int, right: int, population: int) -> float:
    table = ranking.log_factorials(population)
    one = [np.array([value], np.int32) for value in (shared, left, right)]
    return float(ranking.surprise(*one, population, table)[0])


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_surprise_is_the_exact_tail(data: st.DataObject) -> None:
    population = data.draw(st.integers(1, 80))
    left, right = (data.draw(st.integers(1, population)) for _ in range(2))
    shared = data.draw(st.integers(0, min(left, right)))
    got = _surprise(shared, left, right, population)
    assert got == pytest.approx(naive.surprise(shared, left, right, population), abs=1e-7)
    assert got >= 0


@pytest.mark.parametrize(
    ("shared", "left", "right", "population"),
    [(3, 60, 2_000, 20_000), (12, 60, 2_000, 20_000), (500, 500, 600, 20_000), (1, 2, 3, 20_000)],
)
def test_surprise_of_large_degrees_is_exact(
    shared: int, left: int, right: int, population: int
) -> None:
    expected = naive.surprise(shared, left, right, population)
    assert _surprise(shared, left, right, population) == pytest.approx(expected, rel=1e-8, abs=1e-7)


@pytest.mark.parametrize(
    ("shared", "left", "right"), [(2, 40, 900), (30, 40, 900), (400, 5_000, 9_000), (2, 2, 2)]
)
def test_surprise_agrees_with_scipy(shared: int, left: int, right: int) -> None:
    population = 300_000
    log_tail = stats.hypergeom.logsf(shared - 1, population, left, right)
    expected = -log_tail / math.log(10)
    assert _surprise(shared, left, right, population) == pytest.approx(expected, rel=1e-6, abs=1e-7)
