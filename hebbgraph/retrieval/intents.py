"""What a query is for: six intents, told by words, and what each weighs and adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hebbgraph import check

AXES: Final = ("relevance", "importance", "recency", "vitality", "context")

AUTO: Final = "auto"

INTENTS: Final = {
    "general": (0.55, 0.15, 0.20, 0.10, 0.0),
    "similar_decisions": (0.45, 0.20, 0.15, 0.05, 0.15),
    "past_failures": (0.40, 0.25, 0.20, 0.05, 0.10),
    "related_rules": (0.45, 0.20, 0.10, 0.10, 0.15),
    "reasoning_chain": (0.40, 0.20, 0.20, 0.05, 0.15),
    "context_explore": (0.30, 0.15, 0.15, 0.10, 0.30),
}
"""Weights of the five axes by intent, as of Synaptic Memory."""

KEYWORDS: Final = {
    "similar_decisions": (
        "decision", "decisions", "decide", "decided", "choose", "chose", "chosen", "choice",
        "choices", "alternative", "alternatives", "trade-off", "trade-offs",
        "결정", "선택", "대안", "판단",
    ),
    "past_failures": (
        "fail", "failed", "failure", "failures", "error", "errors", "bug", "bugs", "incident",
        "incidents", "outage", "outages", "crash", "crashes", "crashed", "broke", "broken",
        "mistake", "mistakes", "실패", "오류", "에러", "장애", "버그", "사고", "실수",
    ),
    "related_rules": (
        "rule", "rules", "policy", "policies", "guideline", "guidelines", "convention",
        "conventions", "constraint", "constraints", "standard", "standards", "must",
        "규칙", "정책", "지침", "제약", "원칙", "규정",
    ),
    "reasoning_chain": (
        "why", "reason", "reasons", "reasoning", "because", "rationale", "cause", "led to",
        "왜", "이유", "원인", "근거", "추론", "과정",
    ),
    "context_explore": (
        "context", "related", "around", "connected", "overview", "explore", "background",
        "맥락", "관련", "주변", "연관", "배경", "탐색", "둘러",
    ),
}  # fmt: skip
"""Words that tell an intent; English ones are whole words, Korean ones any part."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """What an intent adds to a hit: neighbours over one kind of edge.

    Attributes
    ----------
    kind : kinds of node from which it goes; empty for all
    relation : of the edge; empty for all
    backward : against the edge's direction
    factor : of the hit's score; times the edge's weight where ``weighted``, at most 1
    """

    kind: str = ""
    relation: str = ""
    backward: bool = False
    factor: float = 1.0
    weighted: bool = False


EXPANSIONS: Final = {
    "general": (),
    "similar_decisions": (Step(kind="decision", relation="resulted_in", factor=0.7),),
    "past_failures": (
        Step(kind="outcome", relation="resulted_in", backward=True, factor=0.8),
        Step(kind="outcome", relation="learned_from", backward=True, factor=0.6),
    ),
    "related_rules": (
        Step(kind="rule", factor=0.5, weighted=True),
        Step(kind="rule", backward=True, factor=0.5, weighted=True),
    ),
    "reasoning_chain": (
        Step(kind="decision", relation="resulted_in", factor=0.7),
        Step(kind="outcome", relation="resulted_in", backward=True, factor=0.8),
        Step(kind="outcome", relation="learned_from", backward=True, factor=0.6),
    ),
    "context_explore": (),
}
"""What each intent adds, as of Synaptic Memory."""

ROUNDS: Final = {"reasoning_chain": 2}
"""How often an intent takes its steps, once unless told: twice leads from decision to lesson."""

CHAIN: Final = {"decision": 0, "outcome": 1, "lesson": 2}
"""The order in which a chain of reasoning is told."""


def intent_of(query: str) -> str:
    """The intent with most keywords in ``query``; of equals the first; ``"general"`` without any.

    Examples
    --------
    >>> intent_of("DB migration failures"), intent_of("배포 장애 원인과 오류"), intent_of("tea")
    ('past_failures', 'past_failures', 'general')
    """
    text = query.casefold()
    padded = f" {''.join(one if one.isalnum() or one == '-' else ' ' for one in text)} "
    best, most = "general", 0
    for intent, words in KEYWORDS.items():
        hits = sum((f" {word} " in padded) if word.isascii() else (word in text) for word in words)
        if hits > most:
            best, most = intent, hits
    return best


def chosen(intent: str, query: str) -> str:
    """``intent``, or the one that ``query`` tells where it is ``"auto"``.

    Raises
    ------
    ParameterError
        there is no such intent
    """
    check.choice("intent", intent, (AUTO, *INTENTS))
    return intent_of(query) if intent == AUTO else intent
