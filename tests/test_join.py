"""The join and what is built on it against plain loops; also runs with NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import naive
import numba
import numpy as np
import pytest
import strategies
from hebbgraph_kernels import (
    accumulation,
    best,
    join,
    lookup,
    measures,
    membership,
    ranking,
    stream,
    twins,
)
from hebbgraph_kernels.frame import Frame, frame, sums_of_shares
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import adjacency, to_csr, to_rows

pytestmark = pytest.mark.usefixtures("one_thread")

fast = settings(max_examples=60, deadline=None)
key_types = st.sampled_from((np.int32, np.int64))
RANKINGS = {
    "resource_allocation": 0, "confidence": 1, "surprise": 2, "overlap_allocation": 3,
}  # fmt: skip
MEASURES = {"overlap": 0, "jaccard": 1, "dice": 2, "cosine": 3, "resource_allocation": 4}
any_neighbourhoods = strategies.neighbourhoods(max_nodes=11) | strategies.twinned()
PRICES = (0.0, accumulation.PRICE, 2.0**40)
"""Of a wedge of a prefix: every row pruned, each by its wedges, every row counted whole."""
compiled = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="takes minutes uncompiled")


def kernel_options(options: dict[str, Any]) -> dict[str, Any]:
    named = {name: options[name] for name in ("min_shared", "threshold", "shrinkage")}
    return named | {"measure": MEASURES[options["measure"]]}


@contextmanager
def priced(price: float) -> Iterator[None]:
    """Choose between the two roads of the join at this price."""
    before = accumulation.PRICE
    accumulation.PRICE = price
    try:
        yield
    finally:
        accumulation.PRICE = before


def population(around: naive.Neighbourhoods) -> int:
    return max(sum(1 for near in around.values() if near) - 2, 0)


@st.composite
def candidates(draw: st.DrawFn) -> tuple[naive.Neighbourhoods, dict[str, Any], list[bool]]:
    around = draw(any_neighbourhoods)
    options = draw(strategies.ranking_options)
    n = len(around)
    allowed = draw(st.just([True] * n) | st.lists(st.booleans(), min_size=n, max_size=n))
    return around, options, allowed


# -- twins -----------------------------------------------------------------------------


@fast
@given(any_neighbourhoods, st.data(), key_types)
def test_twins(around: naive.Neighbourhoods, data: st.DataObject, dtype: Any) -> None:
    n = len(around)
    rows = adjacency(around, dtype)
    fingerprint = twins.fingerprints(*rows)
    counted = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    pairs = [
        (a, b) for a, b in itertools.combinations(np.flatnonzero(counted).tolist(), 2)
        if around[a] == around[b]
    ]  # fmt: skip
    for a, b in itertools.combinations(range(n), 2):
        assert (fingerprint[a] == fingerprint[b]) == (around[a] == around[b])
    assert len(pairs) <= twins.twin_pairs(fingerprint, counted) <= len(pairs) + n * n // 8 + 2
    nodes = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=12))
    got = twins.same_as_previous(*rows, np.array(nodes, dtype))
    same = [around[one] == around[other] for one, other in itertools.pairwise(nodes)]
    assert got.tolist() == [False, *same]


def test_twin_pairs_are_counted_once() -> None:
    fingerprint = np.array([3, 9, 3, 3, 2**64 - 1, 2**64 - 1, 0], np.uint64)
    everyone = np.ones(7, np.bool_)
    assert twins.twin_pairs(fingerprint, everyone) == 4
    assert twins.twin_pairs(fingerprint, everyone & (fingerprint != 3)) == 1
    assert twins.twin_pairs(fingerprint[:0], everyone[:0]) == 0


# -- membership ------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 2, 3, 255, 10**6, 2**29 - 1, 2**29, 2**31 - 1, 2**33])
def test_a_row_has_a_place_in_every_filter(length: int) -> None:
    for row in (0, 1, 2, 77, 2**16, 2**31 - 2, 2**31 - 1):
        with np.errstate(over="ignore"):
            place = membership.bit_place(np.int64(row), np.int64(length))
        assert 0 <= place < 8 * length


def in_filter(bits: np.ndarray, indptr: np.ndarray, column: int, row: int) -> bool:
    begin, length = indptr[column], indptr[column + 1] - indptr[column]
    place = int(membership.bit_place(row, length)) if length else 0
    return length > 0 and bool(bits[begin + (place >> 3)] >> (place & 7) & 1)


@fast
@given(any_neighbourhoods, key_types)
def test_a_filter_never_says_no_for_a_member(around: naive.Neighbourhoods, dtype: Any) -> None:
    indptr, indices = adjacency(around, dtype)
    bits = membership.membership_filter(indptr, indices)
    for node, near in around.items():
        assert all(in_filter(bits, indptr, node, row) for row in near)


def test_a_filter_says_no_for_nearly_all_others() -> None:
    indptr, indices = to_csr([list(range(0, 8000, 4)), [5], []])
    bits = membership.membership_filter(indptr, indices)
    others = [row for row in range(8000) if row % 4]
    assert sum(in_filter(bits, indptr, 0, row) for row in others) < 0.2 * len(others)
    assert 1 <= sum(in_filter(bits, indptr, 1, row) for row in range(8000)) < 2000
    assert not any(in_filter(bits, indptr, 2, row) for row in range(8))


@fast
@given(any_neighbourhoods, key_types)
def test_signatures(around: naive.Neighbourhoods, dtype: Any) -> None:
    """Groups of the middles that a row has after the list at hand, beside each of its entries."""
    rows = adjacency(around, dtype)
    out = membership.signatures(*rows, rows[0])
    for middle, near in around.items():
        for entry, row in enumerate(sorted(near)):
            groups = {other % 16 for other in around[row] if other > middle}
            assert out[rows[0][middle] + entry] == sum(1 << group for group in groups)


@fast
@given(any_neighbourhoods)
def test_signatures_pay_where_most_visits_see_few_middles_to_come(
    around: naive.Neighbourhoods,
) -> None:
    visits = sparse = 0
    for middle, near in around.items():
        for row in near:
            short = sum(1 for other in near if other < row and len(around[other]) <= 8)
            visits += short
            sparse += short * (sum(1 for other in around[row] if other > middle) <= 8)
    rows = adjacency(around)
    assert membership.tell_apart(*rows, rows[0]) == (2 * sparse > visits)


def test_eight_middles_to_come_are_few() -> None:
    for length, pays in ((9, True), (10, False)):
        rows = to_csr([[0], list(range(length))])
        assert membership.tell_apart(*rows, np.zeros(length + 1, np.int64)) == pays


# -- frame -----------------------------------------------------------------------------


def hold_frame(
    around: naive.Neighbourhoods, allowed: list[bool], place: list[int] | None, measure: str,
    min_shared: int, dtype: Any,
) -> Frame:  # fmt: skip
    """Build a frame and hold it to what its attributes promise."""
    rows = adjacency(around, dtype)
    common: dict[str, Any] = {
        "allowed": np.array(allowed), "measure": MEASURES[measure], "min_shared": min_shared,
        "threshold": 0.3, "shrinkage": 0.5, "place": None if place is None else np.array(place),
    }  # fmt: skip
    with priced(0.0):
        walked, unit = frame(*rows, **common)
    assert not walked.whole.any()
    for price in PRICES[1:]:
        with priced(price):
            again, same_unit = frame(*rows, **common)
        assert same_unit == unit
        hold_roads(again, unit, common, price)
        for name in set(Frame._fields) - {"membership", "signature", "whole"}:
            np.testing.assert_array_equal(getattr(again, name), getattr(walked, name))
    order = sorted(around, key=lambda node: (len(around[node]), node))
    classes = to_rows(walked.class_indptr, walked.class_nodes)
    members = [node for one in classes for node in one]
    usable = [v for v in around if allowed[v] and len(around[v]) >= min_shared]
    assert len(set(members)) == len(members)
    assert set(usable) <= set(members)
    restricted = measure == "resource_allocation" or not all(allowed) or len(classes) < len(members)
    if restricted:
        assert set(members) == set(usable)
    for one in classes:
        assert all(around[node] == around[one[0]] for node in one)
        if place is not None:
            assert one == sorted(one, key=place.__getitem__)
    assert [order[middle] for middle in walked.middle_of] == [one[0] for one in classes]
    share, same_unit = ranking.allocation_shares(rows[0])
    assert unit == same_unit
    assert walked.share.tolist() == share[order].tolist()
    degree = np.diff(rows[0])
    size = sums_of_shares(*rows, share) if measure == "resource_allocation" else degree
    assert walked.size.tolist() == [size[one[0]] for one in classes]
    assert walked.size.tolist() == sorted(walked.size.tolist())
    held = to_rows(walked.row_indptr, walked.row_indices)
    assert held == [sorted(map(order.index, around[one[0]])) for one in classes]
    lists = to_rows(walked.list_indptr, walked.list_indices)
    assert lists == [[r for r, row in enumerate(held) if c in row] for c in range(len(order))]
    assert all(
        in_filter(walked.membership, walked.list_indptr, c, row)
        for c, rows_of in enumerate(lists) for row in rows_of
    )  # fmt: skip
    assert walked.signature.size in (0, walked.row_indices.size)
    assert walked.row_indices.dtype == walked.list_indices.dtype == dtype
    return walked


def hold_roads(walked: Frame, unit: float, options: dict[str, Any], price: float) -> None:
    """A row is counted whole if its prefix costs more; no filters are made if all rows are."""
    rows = to_rows(walked.row_indptr, walked.row_indices)
    lists = to_rows(walked.list_indptr, walked.list_indices)
    for row, middles in enumerate(rows):
        prefix, least = join.plan(
            row, walked.row_indptr, walked.row_indices, walked.size, walked.share,
            options["measure"], options["min_shared"], options["threshold"], options["shrinkage"],
            unit,
        )  # fmt: skip
        beyond = [sum(1 for other in lists[middle] if other > row) for middle in middles]
        walks = sum(beyond[:prefix])
        cheaper = walks > 0 and sum(beyond) < price * walks
        assert walked.whole[row] == (least <= len(middles) and cheaper)
    if walked.whole.all():
        assert walked.membership.size == walked.signature.size == 0
    else:
        assert walked.membership.size == walked.row_indices.size


@settings(max_examples=120, deadline=None)
@given(candidates(), st.data(), st.booleans(), key_types)
def test_frame(found: Any, data: st.DataObject, tied: bool, dtype: Any) -> None:
    around, options, allowed = found
    place = data.draw(st.permutations(range(len(around)))) if tied else None
    walked = hold_frame(around, allowed, place, options["measure"], options["min_shared"], dtype)
    assert tied or walked.class_nodes.size == walked.size.size


@pytest.mark.parametrize("measure", ["overlap", "resource_allocation"])
@pytest.mark.parametrize("name", ["many twins", "contained"])
def test_twins_are_one_row_where_there_are_many(name: str, measure: str) -> None:
    around = strategies.path_graph(name)
    n = len(around)
    for allowed in ([True] * n, [node % 12 > 0 for node in around]):
        walked = hold_frame(around, allowed, list(range(n))[::-1], measure, 2, np.int32)
        kinds = {frozenset(around[v]) for v in around if allowed[v] and len(around[v]) >= 2}
        assert walked.size.size == len(kinds) < walked.class_nodes.size


def test_twins_are_rows_of_their_own_where_there_are_few() -> None:
    around = strategies.path_graph("cube")
    around |= {64: {0, 1}, 65: {0, 1}}
    for node in (64, 65):
        for near in around[node]:
            around[near].add(node)
    walked = hold_frame(around, [True] * 66, list(range(66)), "overlap", 2, np.int32)
    assert walked.size.size == 66


# -- candidates ------------------------------------------------------------------------


def hold_candidates(walked: Frame, unit: float, options: dict[str, Any], wide: bool) -> int:
    """No partner that qualifies is missed, and those found are counted right; how many rows."""
    measure, min_shared, threshold, shrinkage = (
        options[name] for name in ("measure", "min_shared", "threshold", "shrinkage")
    )
    rows = [set(row) for row in to_rows(walked.row_indptr, walked.row_indices)]
    lists = walked.row_indptr, walked.row_indices, walked.list_indptr, walked.list_indices
    signed = membership.signatures(*lists[:3])
    n_rows = len(rows)
    share = walked.share.tolist()
    for signature in (signed, signed[:0]):
        seen = np.zeros(n_rows, np.int32 if wide else np.uint8)
        touched = np.empty(n_rows + 1, walked.list_indices.dtype)
        worth = np.empty(max(1 << membership.SHORT, *(len(row) + 1 for row in rows), 1), np.int64)
        counts, amounts = np.empty(n_rows, np.int32), np.empty(n_rows, np.int64)
        for row, middles in enumerate(rows):
            prefix, least = join.plan(
                row, *lists[:2], walked.size, walked.share, measure, min_shared, threshold,
                shrinkage, unit,
            )  # fmt: skip
            limit = n_rows
            found = asked = 0
            if least <= len(middles):
                limit = measures.first_too_large(measure, row, walked.size, threshold, shrinkage)
                found, asked = join.candidates(
                    row, *lists, walked.membership, signature, prefix, least, limit, seen, touched
                )
            partners = touched[:found].tolist()
            assert len(set(partners)) == found
            assert np.flatnonzero(seen).tolist() == sorted(partners)
            wanted = set()
            for other in range(row + 1, n_rows):
                common = middles & rows[other]
                value = measures.value(
                    measure, len(common), sum(share[c] for c in common), walked.size[row],
                    walked.size[other], shrinkage, unit,
                )  # fmt: skip
                if len(common) >= min_shared and value >= threshold:
                    wanted.add(other)
            assert wanted <= set(partners), row
            join.worths(row, *lists[:2], walked.share, worth)
            for other in partners:
                known, common = int(seen[other]), middles & rows[other]
                number = join.number_known(known, len(middles) <= membership.SHORT)
                assert number >= len(common)
                assert worth[known] >= sum(share[c] for c in common)
            touched[:found].sort()
            for shares in (walked.share[:0], walked.share):
                join.settle(
                    row, *lists, walked.membership, shares, asked, worth, seen, touched, 0, found,
                    counts, amounts,
                )  # fmt: skip
                for k, other in enumerate(touched[:found].tolist()):
                    common = middles & rows[other]
                    assert counts[k] == len(common)
                    assert not shares.size or amounts[k] == sum(share[c] for c in common)
            seen[touched[:found]] = 0
    return n_rows


@settings(max_examples=120, deadline=None)
@given(candidates(), st.booleans(), key_types)
def test_candidates(found: Any, wide: bool, dtype: Any) -> None:
    around, options, allowed = found
    named = kernel_options(options)
    with priced(0.0):
        walked, unit = frame(
            *adjacency(around, dtype), allowed=np.array(allowed), place=np.arange(len(around)),
            **named,
        )  # fmt: skip
    hold_candidates(walked, unit, named, wide)


@compiled
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", ["many twins", "wide", "circulant"])
def test_candidates_on_every_path(name: str, measure: str) -> None:
    around = strategies.path_graph(name)
    options = {
        "measure": MEASURES[measure], "min_shared": 2, "threshold": 0.4, "shrinkage": 0.5,
    }  # fmt: skip
    with priced(0.0):
        walked, unit = frame(
            *adjacency(around), allowed=np.ones(len(around), np.bool_), place=None, **options
        )
    assert hold_candidates(walked, unit, options, wide=True) <= len(around)


# -- best partners ---------------------------------------------------------------------


def hold_tables(
    got: tuple[np.ndarray, ...], pairs: list[naive.Pair], place: list[int], cap: int,
    nodes: list[int] | None = None,
) -> None:  # fmt: skip
    """Kernel tables against the pairs that each node, or each of ``nodes``, keeps."""
    kept: dict[int, list[Any]] = {node: [] for node in range(len(place))}
    for owner, *entry in zip(*got, strict=True):
        kept[int(owner)].append(entry)
    for node, expected in naive.best(pairs, place, cap).items():
        if nodes is not None and node not in nodes:
            assert not kept[node]
            continue
        assert [entry[0] for entry in kept[node]] == [pair.other(node) for pair in expected], node
        for (_, shared, value, rank), pair in zip(kept[node], expected, strict=True):
            assert shared == pair.shared
            assert value == pytest.approx(pair.confidence, abs=1e-9)
            assert rank == pytest.approx(pair.rank, abs=1e-7)


def best_partners(
    around: naive.Neighbourhoods, options: dict[str, Any], allowed: list[bool], cap: int,
    place: list[int], dtype: Any = np.int32,
) -> tuple[np.ndarray, ...]:  # fmt: skip
    """The tables, the same on either road."""
    tables = []
    for price in PRICES:
        with priced(price):
            tables.append(best.best_partners(
                *adjacency(around, dtype), cap=cap, allowed=np.array(allowed),
                place=np.array(place), ranking=RANKINGS[options["rank_by"]],
                population=population(around), **kernel_options(options),
            ))  # fmt: skip
        for one, other in zip(tables[0], tables[-1], strict=True):
            np.testing.assert_array_equal(one, other)
    return tables[0]


def partners_of(
    around: naive.Neighbourhoods, options: dict[str, Any], allowed: list[bool], cap: int,
    place: list[int], nodes: list[int], dtype: Any = np.int32,
) -> tuple[np.ndarray, ...]:  # fmt: skip
    rows = adjacency(around, dtype)
    share, unit = ranking.allocation_shares(rows[0])
    by_shares = options["measure"] == "resource_allocation"
    return lookup.partners_of(
        np.array(nodes, dtype), *rows, cap=cap, allowed=np.array(allowed), place=np.array(place),
        size=sums_of_shares(*rows, share) if by_shares else np.diff(rows[0]), share=share,
        unit=unit, ranking=RANKINGS[options["rank_by"]], population=population(around),
        log_factorial=ranking.log_factorials(population(around)), **kernel_options(options),
    )  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(candidates(), st.sampled_from((1, 2, 3, 11)), st.data(), key_types)
def test_best_partners(found: Any, cap: int, data: st.DataObject, dtype: Any) -> None:
    around, options, allowed = found
    place = data.draw(st.permutations(range(len(around))))
    got = best_partners(around, options, allowed, cap, place, dtype)
    pairs = naive.qualifying(around, **options, allowed=allowed.__getitem__)
    hold_tables(got, pairs, place, cap)


@settings(max_examples=200, deadline=None)
@given(candidates(), st.sampled_from((1, 2, 3, 11)), st.data(), key_types)
def test_partners_of_some_nodes(found: Any, cap: int, data: st.DataObject, dtype: Any) -> None:
    """And they are, number for number, what the join finds for all."""
    around, options, allowed = found
    n = len(around)
    place = data.draw(st.permutations(range(n)))
    nodes = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n))
    got = partners_of(around, options, allowed, cap, place, nodes, dtype)
    pairs = naive.qualifying(around, **options, allowed=allowed.__getitem__)
    hold_tables(got, pairs, place, cap, nodes)
    every = best_partners(around, options, allowed, cap, place, dtype)
    some = np.isin(every[0], nodes)
    columns = (sorted(zip(*one, strict=True)) for one in (got, [c[some] for c in every]))
    assert next(columns) == next(columns)


@compiled
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", strategies.PATHS)
def test_best_partners_on_every_path(name: str, measure: str) -> None:
    around = strategies.path_graph(name)
    n = len(around)
    place = list(range(n))[::-1]
    some = list(range(0, n, 7))
    settings = (
        ([True] * n, 1, 0.3, 0.0),
        ([node % 5 > 0 for node in around], 2, 0.6, 0.5),
        ([node % 12 > 0 for node in around], 2, 1.0, 0.0),
    )
    for k, (allowed, min_shared, threshold, shrinkage) in enumerate(settings):
        options: dict[str, Any] = {
            "min_shared": min_shared, "threshold": threshold, "shrinkage": shrinkage,
            "measure": measure, "rank_by": list(RANKINGS)[(2 * k + MEASURES[measure]) % 4],
        }  # fmt: skip
        pairs = naive.qualifying_by_products(around, **options, allowed=allowed.__getitem__)
        for cap in (1, 3):
            hold_tables(best_partners(around, options, allowed, cap, place), pairs, place, cap)
            got = partners_of(around, options, allowed, cap, place, some)
            hold_tables(got, pairs, place, cap, some)


# -- every pair ------------------------------------------------------------------------


def qualifying_pairs(
    around: naive.Neighbourhoods, allowed: list[bool], adjacent: bool, dtype: Any, block: int,
    options: dict[str, Any],
) -> dict[tuple[int, int], tuple[Any, ...]]:  # fmt: skip
    """Every pair of every block, its shared neighbours and its value, the same on either road."""
    found = []
    for price in PRICES:
        with priced(price):
            found.append(pairs_of_blocks(around, allowed, adjacent, dtype, block, options))
        assert found[0] == found[-1]
    return found[0]


def pairs_of_blocks(
    around: naive.Neighbourhoods, allowed: list[bool], adjacent: bool, dtype: Any, block: int,
    options: dict[str, Any],
) -> dict[tuple[int, int], tuple[Any, ...]]:  # fmt: skip
    """Every pair with its numbers; without the sum if it is not wanted."""
    got = {}
    for left, right, *numbers in stream.qualifying_pairs(
        *adjacency(around, dtype), allowed=np.array(allowed), adjacent=adjacent,
        pairs_per_block=block, **options,
    ):  # fmt: skip
        assert left.dtype == right.dtype == dtype
        assert left.size <= max(block, len(around))
        if not options.get("sums", True):
            assert numbers.pop().size == 0
        for a, b, *found in zip(left.tolist(), right.tolist(), *numbers, strict=True):
            assert (min(a, b), max(a, b)) not in got
            got[min(a, b), max(a, b)] = tuple(found)
    return got


def hold_pairs(
    around: naive.Neighbourhoods, allowed: list[bool], adjacent: bool, dtype: Any, block: int,
    *, min_shared: int, threshold: float, shrinkage: float = 0.0, measure: str = "overlap",
) -> None:  # fmt: skip
    options = {"min_shared": min_shared, "threshold": threshold, "shrinkage": shrinkage}
    expected = {
        (pair.source, pair.target): (
            pair.shared, pytest.approx(pair.confidence, abs=1e-9), pytest.approx(pair.rank, abs=1e-9)
        )
        for pair in naive.qualifying(
            around, **options, measure=measure, rank_by="resource_allocation",
            allowed=allowed.__getitem__, adjacent=adjacent,
        )
    }  # fmt: skip
    options["measure"] = MEASURES[measure]
    assert qualifying_pairs(around, allowed, adjacent, dtype, block, options) == expected
    got = qualifying_pairs(around, allowed, adjacent, dtype, block, options | {"sums": False})
    assert got == {pair: numbers[:2] for pair, numbers in expected.items()}


@settings(max_examples=150, deadline=None)
@given(candidates(), st.booleans(), st.sampled_from((1, 10_000)), key_types)
def test_qualifying_pairs(found: Any, adjacent: bool, block: int, dtype: Any) -> None:
    around, options, allowed = found
    del options["rank_by"]
    hold_pairs(around, allowed, adjacent, dtype, block, **options)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.6, 0.9])
def test_qualifying_pairs_among_hubs(seed: int, threshold: float) -> None:
    around = strategies.skewed(70, 400 + 300 * seed, seed)
    allowed = [node % 9 != 4 for node in around]
    for min_shared in (1, 3):
        for adjacent in (False, True):
            hold_pairs(
                around, allowed, adjacent, np.int32, 1,
                min_shared=min_shared, threshold=threshold,
            )  # fmt: skip


@compiled
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", strategies.PATHS)
def test_qualifying_pairs_on_every_path(name: str, measure: str) -> None:
    around = strategies.path_graph(name)
    for adjacent, threshold in ((True, 0.3), (False, 0.6)):
        allowed = [adjacent or node % 5 > 0 for node in around]
        options = {"min_shared": 2, "threshold": threshold, "shrinkage": 0.5}
        pairs = naive.qualifying_by_products(
            around, **options, measure=measure, rank_by="resource_allocation",
            allowed=allowed.__getitem__, adjacent=adjacent,
        )  # fmt: skip
        code = {"measure": MEASURES[measure]}
        got = qualifying_pairs(around, allowed, adjacent, np.int32, 1, options | code)
        assert sorted(got) == [(pair.source, pair.target) for pair in pairs]
        wanted = [(pair.shared, pair.confidence, pair.rank) for pair in pairs]
        np.testing.assert_allclose([got[pair] for pair in sorted(got)], wanted, atol=1.1e-9)
        again = qualifying_pairs(around, allowed, adjacent, np.int64, 10**6, options | code)
        assert got == again
        bare = {"sums": False}
        again = qualifying_pairs(around, allowed, adjacent, np.int32, 1, options | code | bare)
        assert {pair: numbers[:2] for pair, numbers in got.items()} == again
