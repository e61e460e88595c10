"""What a language model says of passages: asked once, kept for good."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Final

from hebbgraph.errors import ProviderError
from hebbgraph.providers.protocols import Completer

PROMPT_VERSION: Final = 1
"""Raised when prompt or schema change: answers to another version are asked for anew."""
FOLDER: Final = "answers"
OPENIE: Final = "openie"
_HOPELESS: Final = 12  # failures in a row after which no more are asked

SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "entities": {
            "type": "array",
            "description": "every named thing of the passage: people, places, works, dates, terms",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "as the passage writes it"},
                    "type": {"type": "string", "description": "one word, as person or place"},
                },
                "required": ["name", "type"],
                "additionalProperties": False,
            },
        },
        "relations": {
            "type": "array",
            "description": "what the passage states of its entities",
            "items": {
                "type": "object",
                "properties": {
                    "subject": {"type": "string", "description": "name of an entity"},
                    "predicate": {"type": "string", "description": "a short verb phrase"},
                    "object": {"type": "string", "description": "name of an entity"},
                },
                "required": ["subject", "predicate", "object"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["entities", "relations"],
    "additionalProperties": False,
}
_PROMPT: Final = (
    "List the entities of this passage and the relations that it states between them. Take names "
    "as they are written; leave out what the passage does not say.\n\nTitle: {title}\n\n{text}"
)

Answer = Mapping[str, Any]


def content_hash(title: str, text: str) -> str:
    """What an answer hangs on, beside model and prompt."""
    return hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()


class Answers:
    """Answers of one model to one version of the prompt, a line each in a file of the store.

    A line is written at once when its answer comes, so a process that is killed loses only what is
    under way.  Of two lines with one hash the later counts; a line cut short is none.
    """

    def __init__(self, store: Path, name: str) -> None:
        digest = hashlib.sha256(f"{name}\n{PROMPT_VERSION}".encode()).hexdigest()[:16]
        self._read(store / FOLDER / f"{digest}.jsonl")

    @classmethod
    def all(cls, store: Path) -> list[Answers]:
        """Those of every model that the store ever asked."""
        found = []
        for place in sorted((store / FOLDER).glob("*.jsonl")):
            found.append(cls.__new__(cls))
            found[-1]._read(place)
        return found

    def _read(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self.known: dict[str, Answer] = {}
        data = self.path.read_bytes() if self.path.exists() else b""
        for line in data.split(b"\n"):
            try:
                row = json.loads(line)
                self.known[row["hash"]] = row["answer"]
            except (ValueError, KeyError, TypeError):
                continue
        self._whole = not data or data.endswith(b"\n")

    def add(self, hash_: str, answer: Answer) -> None:
        """Keep an answer, on disk before this returns."""
        text = json.dumps({"hash": hash_, "answer": answer}, ensure_ascii=False)
        # A model may escape half a surrogate pair, which no table can hold.
        line = text.encode("utf-8", "replace") + b"\n"
        with self._lock:
            self.path.parent.mkdir(exist_ok=True)
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                # What a killed process left of a line must not swallow this one.
                os.write(descriptor, line if self._whole else b"\n" + line)
            finally:
                os.close(descriptor)
            self._whole = True
            self.known[hash_] = json.loads(line)["answer"]

    def keep_only(self, hashes: Iterable[str]) -> int:
        """Drop the answers to all other texts; returns how many."""
        kept = {one: self.known[one] for one in hashes if one in self.known}
        dropped = len(self.known) - len(kept)
        if dropped:
            lines = [
                json.dumps({"hash": one, "answer": answer}, ensure_ascii=False) + "\n"
                for one, answer in kept.items()
            ]
            unfinished = self.path.with_suffix(".part")
            unfinished.write_text("".join(lines), "utf-8")
            unfinished.replace(self.path)
            self.known = kept
        return dropped


def ask(
    completer: Completer,
    answers: Answers,
    passages: Sequence[tuple[str, str, str]],
    *,
    workers: int,
    progress: Callable[[str], None] | None = None,
) -> tuple[int, dict[str, str]]:
    """Ask for every passage that has no answer yet, several at a time.

    Parameters
    ----------
    passages : id, title and text

    Returns
    -------
    asked : passages put to the model
    failures : id of a passage to the reason; the others after a dozen failures in a row are not
        asked, and have the reason of the last

    Raises
    ------
    ProviderError
        the model failed at the first dozen, or has never answered at all
    """
    wanted: dict[str, tuple[str, str, str]] = {}
    for id_, title, text in passages:
        hash_ = content_hash(title, text)
        if hash_ not in answers.known:
            wanted.setdefault(hash_, (id_, title, text))
    queue = iter(wanted.items())
    failures: dict[str, str] = {}
    asked = done = row = 0
    begun = time.perf_counter()
    under_way: dict[Future[Answer], tuple[str, str]] = {}
    with ThreadPoolExecutor(workers) as pool:
        while True:
            while len(under_way) < workers and row < _HOPELESS:
                following = next(queue, None)
                if following is None:
                    break
                hash_, (id_, title, text) = following
                prompt = _PROMPT.format(title=title or "(none)", text=text)
                under_way[pool.submit(completer.complete, prompt, SCHEMA)] = (hash_, id_)
                asked += 1
            if not under_way:
                break
            ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in ended:
                hash_, id_ = under_way.pop(future)
                try:
                    answers.add(hash_, future.result())
                    done, row = done + 1, 0
                except ProviderError as error:
                    failures[id_] = str(error)
                    row += 1
            if progress is not None:
                rate = (done + len(failures)) / (time.perf_counter() - begun)
                failed = f", {len(failures):,} failed" if failures else ""
                progress(f"asking: {done:,} of {len(wanted):,} passages, {rate:.1f}/s{failed}")
    if failures and not done and (row >= _HOPELESS or not answers.known):
        raise ProviderError(next(iter(failures.values())))
    last = list(failures.values())[-1] if failures else ""
    for _, (id_, _, _) in queue:
        failures[id_] = f"not asked after {_HOPELESS} failures in a row: {last}"
    return asked, failures
