"""The five axes and the six intents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbgraph.errors import ParameterError
from hebbgraph.retrieval import intents, resonance

DAY = 86_400_000_000


@pytest.mark.parametrize("intent", intents.INTENTS)
def test_weights_of_an_intent_sum_to_one(intent):
    assert resonance.axis_weights(intent).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("DB migration failure", "past_failures"),
        ("지난 배포 장애와 오류", "past_failures"),
        ("which database did we choose", "similar_decisions"),
        ("왜 이 방식을 썼는지 이유", "reasoning_chain"),
        ("naming convention rules", "related_rules"),
        ("관련 맥락", "context_explore"),
        ("ruler of France", "general"),
        ("", "general"),
    ],
)
def test_the_intent_is_told_by_words(query, intent):
    assert intents.chosen("auto", query) == intent
    assert intents.chosen("general", query) == "general"


def test_every_weight_can_be_given():
    weights = resonance.axis_weights("general", {"relevance": 0, "context": 2})
    assert weights.tolist() == [0, 0.15, 0.20, 0.10, 2]
    for wrong in ({"charm": 1}, {"relevance": -1}, {"relevance": math.nan}):
        with pytest.raises(ParameterError, match="axes"):
            resonance.axis_weights("general", wrong)
    with pytest.raises(ParameterError, match="intent"):
        intents.chosen("all", "tea")


def test_axes_are_what_their_equations_say():
    vitals = resonance.Vitals(
        success=np.array([8, 0, 0]), failure=np.array([2, 5, 0]), access=np.array([10, 5, 0]),
        updated=np.array([-20 * DAY, 5 * DAY, np.iinfo(np.int64).min]),
        vitality=np.array([0.95, math.nan, 3.0]), tags=[["db", "api"], [], ["db"]],
    )  # fmt: skip
    parts = resonance.axes(
        np.array([2.0, 1.0, 0.5]), np.arange(3), vitals, now=0, tags=["db", "ui"]
    )
    assert parts[:, 0].tolist() == [1, 0.5, 0.25]
    np.testing.assert_allclose(parts[:, 1], [0.8, 0, 0.5])
    np.testing.assert_allclose(parts[:, 2], [math.exp(-1), 1, 0])
    assert parts[:, 3].tolist() == [0.95, 0, 1]
    np.testing.assert_allclose(parts[:, 4], [1 / 3, 0, 1 / 2])


@given(st.lists(st.tuples(st.floats(0, 1e9), st.integers(0, 99), st.integers(0, 99)), min_size=1))
def test_parts_stay_between_0_and_1(rows):
    relevance, success, failure = (np.array(column) for column in zip(*rows, strict=True))
    vitals = resonance.Vitals(success=success, failure=failure, access=success + failure)
    parts = resonance.axes(relevance.astype(float), np.arange(len(rows)), vitals, now=0)
    assert ((parts >= 0) & (parts <= 1)).all()
