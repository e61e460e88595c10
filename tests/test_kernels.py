"""Kernels against plain loops; also runs with NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numba
import numpy as np
import pytest
import strategies
from hebbgraph_kernels import competition, csr, hebbian, measures, metrics, ranking, support
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import adjacency, to_csr, to_rows

pytestmark = pytest.mark.usefixtures("one_thread")

fast = settings(max_examples=60, deadline=None)
key_types = st.sampled_from((np.int32, np.int64))
OVERLAP, JACCARD, DICE, COSINE, ALLOCATION = range(5)


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
@given(strategies.neighbourhoods(), key_types, st.integers(1, 4))
def test_orient(around: naive.Neighbourhoods, dtype: Any, threads: int) -> None:
    indptr, indices = adjacency(around, dtype)
    out_indptr, heads, leaves = csr.orient(indptr, indices, threads)
    assert indices[leaves].tolist() == heads.tolist()
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


@fast
@given(strategies.neighbourhoods(), st.data(), key_types)
def test_pair_overlap(around: naive.Neighbourhoods, data: st.DataObject, dtype: Any) -> None:
    node = st.integers(0, len(around) - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=12))
    left, right = (np.array([pair[side] for pair in pairs], dtype) for side in (0, 1))
    share = np.array([2**62 // 9 - 7**node for node in around])
    shared, amount = support.pair_overlap(*adjacency(around, dtype), left, right, share)
    assert shared.tolist() == naive.support(around, pairs)
    assert amount.tolist() == [sum(share[list(around[u] & around[v])].tolist()) for u, v in pairs]


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


# -- measures and shares ---------------------------------------------------------------

THRESHOLDS = (0.0, 1e-9, 0.1, 0.3, 1 / 3, 0.5, 0.6, 2 / 3, 0.7, 0.8, 0.9, 1.0)
SHRINKAGES = (0.0, 0.3, 1.0, 3.0, 10.0)
LARGE = 2**31
not_interpreted = pytest.mark.skipif(
    numba.config.DISABLE_JIT, reason="NumPy's 32-bit scalars overflow where a kernel's do not"
)


def exact(measure: int, shared: int, small: int, large: int, shrinkage: float) -> float:
    """Value of a pair by sizes, which no number of neighbours can overflow."""
    k = Fraction(shrinkage)
    if measure == COSINE:
        return shared / (math.sqrt(small * large) + shrinkage)
    below = {
        OVERLAP: small + k,
        JACCARD: small + large - shared + k,
        DICE: Fraction(small + large, 2) + k,
        ALLOCATION: small + k,
    }
    return float(Fraction(shared) / below[measure])


def sizes(most: int) -> np.ndarray:
    """Every s ≤ A ≤ B up to ``most``, s > 0, as columns."""
    return np.array(
        [(s, a, b) for b in range(1, most + 1) for a in range(1, b + 1) for s in range(1, a + 1)]
    ).T


@pytest.mark.parametrize("measure", [OVERLAP, JACCARD, DICE, COSINE])
@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_value_of_every_small_pair(measure: int, shrinkage: float) -> None:
    s, a, b = sizes(9)
    got = measures.values(measure, s, s, a, b, shrinkage, 1.0)
    assert got.tolist() == measures.values(measure, s, s, b, a, shrinkage, 1.0).tolist()
    wanted = [
        exact(measure, *numbers, shrinkage) for numbers in zip(*sizes(9).tolist(), strict=True)
    ]
    np.testing.assert_allclose(got, wanted, rtol=1e-15)
    nothing = np.zeros(2, np.int64)
    assert measures.values(measure, nothing, nothing, nothing, nothing, 0.0, 1.0).tolist() == [0, 0]


@pytest.mark.parametrize("measure", [OVERLAP, JACCARD, DICE, COSINE])
def test_bounds_are_never_too_tight(measure: int) -> None:
    """No pair that qualifies shares less than the least sum, or is beyond the largest size."""
    s, a, b = sizes(25)
    for threshold, shrinkage in itertools.product(THRESHOLDS, SHRINKAGES):
        good = measures.values(measure, s, s, a, b, shrinkage, 1.0) >= threshold
        least = np.array(
            [measures.least_sum(measure, size, threshold, shrinkage, 1.0) for size in range(26)]
        )
        largest = np.array(
            [0.0]
            + [measures.largest_size(measure, size, threshold, shrinkage) for size in range(1, 26)]
        )
        assert (s >= least[a])[good].all(), (threshold, shrinkage)
        assert (b <= largest[a])[good].all(), (threshold, shrinkage)


@pytest.mark.parametrize("measure", [OVERLAP, JACCARD, DICE, COSINE])
def test_bounds_are_no_looser_than_they_need_be(measure: int) -> None:
    for size, threshold, shrinkage in itertools.product((1, 2, 7, 25), THRESHOLDS, SHRINKAGES):
        least = math.ceil(measures.least_sum(measure, size, threshold, shrinkage, 1.0))
        if 0 < least <= size:
            value = measures.value(measure, least, least, size, size, shrinkage, 1.0)
            assert value >= threshold - 1e-9, (size, threshold, shrinkage)
        largest = measures.largest_size(measure, size, threshold, shrinkage)
        assert (largest == math.inf) == (measure == OVERLAP or threshold == 0)
        if size <= largest < 2**40:
            partner = math.floor(largest)
            value = measures.value(measure, size, size, size, partner, shrinkage, 1.0)
            assert value >= threshold - 1e-9, (size, threshold, shrinkage)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(THRESHOLDS), st.sampled_from(SHRINKAGES), st.integers(30, 52))
def test_bounds_of_shares_are_never_too_tight(
    data: st.DataObject, threshold: float, shrinkage: float, bits: int
) -> None:
    """Also where a pair shares to the unit what it needs."""
    unit = 2.0**-bits
    size = data.draw(st.integers(1, 2**30 << min(bits, 31)))
    edge = math.floor(threshold * (size + shrinkage / unit))
    amount = data.draw(st.integers(edge - 3, edge + 3) | st.integers(1, size))
    amount = min(max(amount, 1), size)
    value = measures.value(ALLOCATION, 1, amount, size, size + 5, shrinkage, unit)
    wanted = exact(ALLOCATION, amount, size, size, shrinkage / unit)
    assert value == pytest.approx(wanted, abs=0.6e-9)
    if value >= threshold:
        assert amount >= measures.least_sum(ALLOCATION, size, threshold, shrinkage, unit)
    assert measures.largest_size(ALLOCATION, size, threshold, shrinkage) == math.inf


@pytest.mark.parametrize("measure", [OVERLAP, JACCARD, DICE, COSINE])
@fast
@given(st.data())
def test_first_too_large(measure: int, data: st.DataObject) -> None:
    size = np.array(sorted(data.draw(st.lists(st.integers(1, 60), min_size=1, max_size=12))))
    row = data.draw(st.integers(0, size.size - 1))
    threshold, shrinkage = (
        data.draw(st.sampled_from(THRESHOLDS)),
        data.draw(st.sampled_from(SHRINKAGES)),
    )
    first = measures.first_too_large(measure, row, size, threshold, shrinkage)
    largest = measures.largest_size(measure, size[row], threshold, shrinkage)
    assert first == sum(1 for other in size.tolist() if other <= largest)


@not_interpreted
@pytest.mark.parametrize("measure", [OVERLAP, JACCARD, DICE, COSINE])
@pytest.mark.parametrize("shrinkage", [0.0, 2.5])
def test_sizes_beyond_31_bits_do_not_overflow(measure: int, shrinkage: float) -> None:
    """Shared counts are 32-bit, sizes 64-bit; sums and products of them fit neither."""
    cases = [
        (LARGE - 1, LARGE - 1, LARGE - 1), (LARGE - 1, LARGE, LARGE + 1), (LARGE - 1, LARGE, 3 * LARGE),
        (LARGE // 2, LARGE - 1, 2 * LARGE), (7, 9, 2**40), (LARGE - 1, 2**33, 2**34),
    ]  # fmt: skip
    shared, small, large = (np.array(column) for column in zip(*cases, strict=True))
    wanted = [exact(measure, *numbers, shrinkage) for numbers in cases]
    for sides in ((small, large), (large, small)):
        got = measures.values(measure, shared.astype(np.int32), shared, *sides, shrinkage, 1.0)
        np.testing.assert_allclose(got, wanted, rtol=1e-14)
        assert (got >= 0).all()
    for (s, a, b), value in zip(cases, wanted, strict=True):
        for threshold in (value * (1 - 1e-15), value * (1 - 1e-6)):
            assert s >= measures.least_sum(measure, a, threshold, shrinkage, 1.0)
            assert b <= measures.largest_size(measure, a, threshold, shrinkage)


DEGREES = (LARGE, 0, 1, 2, 3, 5, 6, 7, 1000, LARGE - 1)


@pytest.mark.parametrize(
    "degrees", [DEGREES[1:-1], DEGREES[:-1], DEGREES[1:], (2**34, 3), (2**20, 2**20 - 1), (0,), ()]
)
def test_allocation_shares(degrees: tuple[int, ...]) -> None:
    """As fine as may be, so that even the largest node's sum of whole shares fits 63 bits."""
    indptr = np.cumsum([0, *degrees]).astype(np.int64)
    share, unit = ranking.allocation_shares(indptr)
    assert share.dtype == np.int64
    for degree, found in zip(degrees, share.tolist(), strict=True):
        assert found >= 1
        off = abs(Fraction(found) * Fraction(unit) - Fraction(1, max(degree, 1)))
        assert off <= unit / 2 + 1e-15 or found == 1
    largest = max(degrees, default=1)
    assert largest * (1 / unit) < 2**63
    assert (largest + 1) * (1 / unit) >= 2**60
    assert ranking.allocations(share, unit).tolist() == [
        ranking.allocation(one, unit) for one in share
    ]


def test_a_node_with_2_to_the_31_neighbours_still_has_a_share() -> None:
    share, unit = ranking.allocation_shares(np.array([0, 2**31 + 1]))
    assert share[0] > 0
    assert ranking.allocation(share[0], unit) == pytest.approx(2.0**-31, abs=2.0**-31)


small = st.lists(st.integers(1, 30), min_size=1, max_size=8)


@settings(max_examples=500, deadline=None)
@given(small, small, st.sampled_from((1, 900, 2**19)))
def test_equal_sums_of_small_degrees_are_one_number(
    left: list[int], right: list[int], largest: int
) -> None:
    """The number nearest to the fraction, also where hubs make units coarser."""
    sums = [sum(Fraction(1, d) for d in side) for side in (left, right)]
    share, unit = ranking.allocation_shares(np.cumsum([0, *left, *right, largest]))
    got = [
        ranking.allocation(part.sum(), unit) for part in (share[: len(left)], share[len(left) : -1])
    ]
    assert got[0] == float(sums[0])
    assert got[1] == float(sums[1])


@pytest.mark.parametrize(
    ("first", "second", "ends"),
    [
        ((2, 6), (3, 5), (4, 2)), ((2,), (7, 7), (2, 2)), ((30, 30), (15,), (2, 0)),
        ((15, 15, 29), (10, 29, 30), (3, 3)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("largest", [1, 900, 2**19])
def test_equal_overlap_allocations_are_one_number(
    first: tuple[int, ...], second: tuple[int, ...], ends: tuple[int, int], largest: int
) -> None:
    exact, got = [], []
    for degrees, smaller in zip((first, second), ends, strict=True):
        s = len(degrees)
        share, unit = ranking.allocation_shares(np.cumsum([0, *degrees, largest]))
        summed = ranking.allocation(share[:-1].sum(), unit)
        exact.append(sum(Fraction(1, d) for d in degrees) * Fraction(s, s + smaller + 4))
        got.append(ranking.overlap_allocation(summed, s, smaller, unit))
    assert (got[0] == got[1]) == (exact[0] == exact[1])


def test_equal_values_of_larger_degrees_are_seldom_told_apart() -> None:
    """1/d = 1/2d + 1/2d = 1/3d + 1/3d + 1/3d, of degrees that no unit divides."""
    apart = 0
    degrees = range(31, 331)
    for d in degrees:
        share, unit = ranking.allocation_shares(np.cumsum([0, d, 2 * d, 3 * d]))
        sums = [ranking.allocation(k * share[k - 1], unit) for k in (1, 2, 3)]
        ranked = {ranking.overlap_allocation(one, 5, 7, unit) for one in sums}
        apart += len(set(sums)) > 1 or len(ranked) > 1
    assert apart <= 3


@fast
@given(
    st.lists(st.integers(1, 2000), min_size=1, max_size=9), st.integers(0, 50),
    st.integers(0, 5), st.integers(0, 2**45), st.sampled_from((1, 2**19, 2**21, 2**29)),
)  # fmt: skip
def test_what_is_not_known_yet_can_only_be_worth_more(
    degrees: list[int], more: int, unknown: int, amount: int, largest: int
) -> None:
    """The pruning bound takes a count and a sum that are at least the true ones."""
    share, unit = ranking.allocation_shares(np.cumsum([0, *degrees, largest]))
    s, true = len(degrees), int(share[:-1].sum())
    smaller = s + unknown + more
    bound = ranking.allocation(true + amount, unit)
    assert bound >= ranking.allocation(true, unit)
    assert ranking.overlap_allocation(
        bound, s + unknown, smaller, unit
    ) >= ranking.overlap_allocation(ranking.allocation(true, unit), s, smaller, unit)


@pytest.mark.parametrize("degrees", [(2, 3, 6), (4, 4), (7,) * 7, (900,) * 900, (3, 3, 3)])
def test_sums_of_shares_that_make_up_a_simple_fraction_are_it(degrees: tuple[int, ...]) -> None:
    share, unit = ranking.allocation_shares(np.cumsum([0, *degrees]))
    assert ranking.allocation(share.sum(), unit) == float(sum(Fraction(1, d) for d in degrees))


@fast
@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), st.integers(0, 50))
def test_overlap_allocations(degrees: list[int], more: int) -> None:
    share, unit = ranking.allocation_shares(np.cumsum([0, *degrees]))
    summed = ranking.allocations(share.sum(keepdims=True), unit)
    s = len(degrees)
    got = ranking.overlap_allocations(summed, np.array([s], np.int32), np.array([s + more]), unit)
    wanted = sum(Fraction(1, d) for d in degrees) * Fraction(s, 2 * s + more + 4)
    assert got[0] == pytest.approx(float(wanted), abs=2.0**-30)
    assert got[0] == ranking.overlap_allocation(summed[0], s, s + more, unit)


def test_logarithms_of_factorials_do_not_drift() -> None:
    table = ranking.log_factorials(3_000_000)
    assert table[:3].tolist() == [0, 0, math.log(2)]
    for k in (10, 1000, 999_999, 2_345_678, 3_000_000):
        assert table[k] == pytest.approx(math.lgamma(k + 1), rel=4e-16)
    assert ranking.log_factorials(0).tolist() == [0]


def test_surprise_of_degrees_near_31_bits(tmp_path: Path) -> None:
    """Nearly all of 2³¹ nodes are marked, and nearly all drawn, so the rest can be counted."""
    population, left, right = LARGE + 50, LARGE - 10, LARGE - 5
    # A table of 2³¹ logarithms of which a handful are looked at: a file of holes.
    table = np.asarray(np.memmap(tmp_path / "table", np.float64, "w+", shape=(population + 1,)))
    for missed in (0, 1, 3):
        shared = left - missed
        for k in (
            left, shared, missed, population - left, right - shared,
            population - left - right + shared, population, right, population - right,
        ):  # fmt: skip
            table[k] = math.lgamma(k + 1)
        undrawn = population - right
        ways = sum(
            math.comb(left, hit) * math.comb(population - left, undrawn - hit)
            for hit in range(missed + 1)
        )
        exact_chance = Fraction(ways, math.comb(population, undrawn))
        wanted = math.log10(exact_chance.denominator) - math.log10(exact_chance.numerator)
        got = ranking.hypergeometric_surprise(shared, left, right, population, table)
        assert got == pytest.approx(wanted, abs=1e-4)
