"""Kind, tags, search keywords and search scenarios of a document, by rule.

The kinds and the idea of asking “when will someone look for this?” are those of Synaptic Memory;
keywords in English and Korean stand for its rules.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from hebbgraph.ingest.rules.korean import is_verbal, without_particle
from hebbgraph.ingest.rules.words import FUNCTION_WORDS, KOREAN_FUNCTION_WORDS

if TYPE_CHECKING:
    from hebbgraph.ingest.documents import Document

_NAMED: Final = re.compile(r"[\w][\w .-]{0,40}: ")
_HEAD: Final = 2000  # characters that are looked at: what a text is shows at its beginning
_IN_TITLE: Final = 3  # a word of the title counts as that many of the text
_MOST_TAGS: Final = 6
_DEFAULT: Final = "concept"

# Words and, after the bar, phrases that tell a kind; of equals the earlier kind is taken. Korean
# has no plural to list and joins words at will, so that its signs are all phrases.
_SIGNS: Final = {
    "lesson": "lesson lessons postmortem retrospective pitfall pitfalls takeaway takeaways"
    "|root cause|post-mortem|learned that|교훈|회고|근본 원인|재발 방지|배운 점|장애 보고",
    "decision": "decision decisions decided chose chosen choose adopted adoption rationale adr"
    " alternatives|trade-off|결정|채택|선정|선택 이유|대안",
    "rule": "policy policies rule rules must shall prohibited guideline guidelines never always"
    " regulation regulations|required to|not allowed"
    "|규정|정책|규칙|지침|반드시|금지|의무|해야 합니다|준수",
    "outcome": "outcome outcomes succeeded failed achieved completed"
    "|results were|result was|결과|성공했|실패했|달성|완료됐",
    "task": "todo task tasks implement fix fixes assigned deadline"
    "|to-do|action item|due date|할 일|작업|과제|담당자|마감",
    "sprint": "sprint sprints iteration backlog velocity|스프린트|이터레이션|백로그",
    "session": "session sessions conversation meeting minutes transcript|세션|회의록|대화|미팅",
    "tool_call": "invoked stdout stderr|tool call|function call|exit code|api call"
    "|도구 호출|실행 결과",
    "reasoning": "reasoning therefore hypothesis hypotheses because"
    "|we infer|it follows|추론|따라서|가설|근거",
    "observation": "observation observations observed noticed measured monitoring metric metrics"
    "|관찰|관측|측정|모니터링|지표",
    "artifact": "artifact artifacts repository readme report specification diagram"
    "|source code|release notes|문서|보고서|산출물|명세|코드",
    "agent": "agent agents assistant bot|에이전트|비서|챗봇",
    "entity": "born founded headquartered"
    "|located in|is a company|is a city|is a river|is a village|is a film|태어났|설립|본사|위치한",
    "concept": "means definition concept theory"
    "|refers to|defined as|is a |is an |개념|정의|이란|의미한다|이론",
}
_WORD_KINDS: Final = {
    word: kind for kind, signs in _SIGNS.items() for word in signs.split("|")[0].split()
}
_PHRASES: Final = [
    (phrase, kind) for kind, signs in _SIGNS.items() for phrase in signs.split("|")[1:]
]
_LATIN_PHRASES: Final = [(phrase, kind) for phrase, kind in _PHRASES if phrase.isascii()]
_WORD: Final = re.compile(r"#?[^\W\d_][\w+-]*[^\W_]")
_HANGUL: Final = re.compile(r"[가-힣]")

_KEYWORDS: Final = {
    "lesson": ("{} cause", "{} fix"),
    "decision": ("{} rationale", "{} alternatives"),
    "rule": ("{} policy", "{} requirements"),
    "outcome": ("{} result",),
    "task": ("{} to do",),
    "observation": ("{} metrics",),
    "artifact": ("{} document",),
}
_SCENARIOS: Final = {
    "lesson": "looking for past cases when {} goes wrong",
    "decision": "asking why {} was decided, and what was turned down",
    "rule": "checking what is allowed before acting on {}",
    "outcome": "asking how {} ended",
    "task": "planning what is left to do on {}",
    "sprint": "looking up what was planned for {}",
    "session": "recalling what was said on {}",
    "tool_call": "checking what a tool returned on {}",
    "reasoning": "following the argument on {}",
    "observation": "looking for what was seen of {}",
    "artifact": "looking for the document on {}",
    "agent": "asking who works on {}",
    "entity": "asking who or what {} is",
    "concept": "asking what {} means",
}
_KOREAN_KEYWORDS: Final = {
    "lesson": ("{} 원인", "{} 해결"),
    "decision": ("{} 결정 이유", "{} 대안"),
    "rule": ("{} 규정", "{} 기준"),
    "outcome": ("{} 결과",),
    "task": ("{} 할 일",),
    "observation": ("{} 지표",),
    "artifact": ("{} 문서",),
}
_KOREAN_SCENARIOS: Final = {
    "lesson": "{} 문제가 다시 생겼을 때 지난 사례를 찾기",
    "decision": "{} 결정의 이유와 대안을 확인하기",
    "rule": "{} 관련 규정을 먼저 확인하기",
    "outcome": "{} 결과를 확인하기",
    "task": "{} 남은 작업을 계획하기",
    "entity": "{} 정보를 찾기",
    "concept": "{} 뜻을 찾기",
}


@dataclass(frozen=True, slots=True)
class Classification:
    """What a document is for.

    Attributes
    ----------
    kind : concept, entity, lesson, decision, rule, artifact, agent, task, sprint, tool_call,
        observation, reasoning, outcome or session
    tags : at most six, from hashtags, the title, and the commonest words, in small letters
    keywords : what one would type to find it
    scenarios : when one would look for it
    """

    kind: str
    tags: tuple[str, ...]
    keywords: tuple[str, ...]
    scenarios: tuple[str, ...]


def classify(document: Document) -> Classification:
    """Classify by words; a kind and tags that the document brings along stand.

    Examples
    --------
    >>> from hebbgraph.ingest.documents import Document
    >>> text = "Refunds are available within 7 days. Items must be unopened."
    >>> found = classify(Document("r", "Refund Policy", text))
    >>> found.kind, found.tags[:2]
    ('rule', ('refund', 'policy'))
    >>> found.scenarios
    ('checking what is allowed before acting on Refund Policy',)
    """
    title, head = document.title, document.text[:_HEAD]
    of_title, of_head = _words(title), _words(head)
    kind = document.kind or _kind(title.lower(), head.lower(), of_title, of_head)
    values = _values(head)
    tags = document.tags or _tags(of_title, _words(values) if values else of_head)
    topic = title or " ".join(tags[:3])
    if not topic:
        return Classification(kind, tags, (), ())
    korean = _HANGUL.search(topic) is not None
    keywords = (_KOREAN_KEYWORDS if korean else _KEYWORDS).get(kind, ())
    scenario = _KOREAN_SCENARIOS.get(kind) if korean else _SCENARIOS.get(kind)
    return Classification(
        kind,
        tags,
        (topic, *(keyword.format(topic) for keyword in keywords)),
        (scenario.format(topic),) if scenario else (),
    )


def kind_of(title: str, text: str) -> str:
    """The kind whose signs are met most often; a sign in the title counts three times.

    Examples
    --------
    >>> kind_of("Payment Outage Postmortem", "PG API timeout caused errors.")
    'lesson'
    >>> kind_of("", "")
    'concept'
    """
    return _kind(title.lower(), text.lower(), _words(title), _words(text))


def _kind(title: str, text: str, of_title: Counter[str], of_text: Counter[str]) -> str:
    """As :func:`kind_of`, of texts in small letters and their words."""
    scores = dict.fromkeys(_SIGNS, 0)
    for weight, part, counts in ((_IN_TITLE, title, of_title), (1, text, of_text)):
        for word in _WORD_KINDS.keys() & counts.keys():
            scores[_WORD_KINDS[word]] += weight * counts[word]
        # Looking for the phrases one by one is most of the work, and the Korean ones are half.
        for phrase, kind in _PHRASES if _HANGUL.search(part) else _LATIN_PHRASES:
            scores[kind] += weight * part.count(phrase)
    best = max(scores, key=scores.__getitem__)
    return best if scores[best] else _DEFAULT


def _words(text: str) -> Counter[str]:
    """Words in small letters with their number, in order of the first."""
    if text.isascii():
        return Counter(_WORD.findall(text.lower()))
    # Small letters may be cut where the text was not: İ becomes two characters, one a mark.
    return Counter(map(str.lower, _WORD.findall(text)))


def _values(text: str) -> str:
    """What ``name: value`` lines say; "" of any other text.

    The names are those of a table's columns, so that all its rows have them.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    named = [_NAMED.match(line) for line in lines]
    if len(lines) < 2 or not all(named):
        return ""
    return "\n".join(line[one.end() :] for line, one in zip(lines, named, strict=True) if one)


def _tags(title: Counter[str], text: Counter[str]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for weight, words in ((_IN_TITLE, title), (1, text)):
        for word, count in words.items():
            tag = _tag(word)
            if tag:
                times = 2 * _IN_TITLE if word[0] == "#" else weight
                counts[tag] = counts.get(tag, 0) + times * count
    # Among equals the order of the first mention stays.
    best = sorted(counts.items(), key=itemgetter(1), reverse=True)
    return tuple(tag for tag, _ in best[:_MOST_TAGS])


@lru_cache(maxsize=1 << 16)
def _tag(word: str) -> str | None:
    """The tag that a word in small letters makes."""
    if word[0] == "#":
        return word[1:]
    if _HANGUL.search(word):
        stem = without_particle(word)
        is_noun = len(stem) > 1 and not is_verbal(word) and stem not in KOREAN_FUNCTION_WORDS
        return stem if is_noun else None
    return word if len(word) > 2 and word not in FUNCTION_WORDS else None
