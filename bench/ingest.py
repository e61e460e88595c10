"""From text to entities and a committed graph: how fast, how much memory, how much is found.

Entities are judged by passage, as normalised strings, against those that gpt-3.5-turbo wrote down
for the 1,890 passages of hipporag-musique-train100.  Passages of even number were looked at while
the rules were written; those of odd number are reported.  Beside stands one regular expression of
capitalised phrases and years.  A title counts as found in its passage, as it did for the model.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import machine

MUSIQUE = "hipporag-musique-train100"
ENGLISH = (MUSIQUE, "hotpotqa-dev200", "2wiki-dev164", "beir-nfcorpus", "cranfield")
KOREAN = "seed-retrieval/klue_mrc.json"
REGEX = re.compile(r"[A-Z]\w+(?: [A-Z]\w+)*|\b\d{4}\b")
PASSAGES = 100_000
_MOST_MIB = 3e9 / machine.MIB


@dataclass(frozen=True)
class Scores:
    """Over all passages together."""

    precision: float
    recall: float


def musique(data: Path) -> tuple[list[Any], list[set[str]]]:
    """Documents, and the published entities of each in normal form."""
    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.rules.assembly import key_of

    docs = json.loads((data / MUSIQUE / "openie.json").read_text("utf-8"))["docs"]
    gold = [{key_of(name) for name in doc["extracted_entities"]} for doc in docs]
    return [Document(str(n), doc["title"], doc["text"]) for n, doc in enumerate(docs)], gold


def found_by_rules(documents: Sequence[Any]) -> list[set[str]]:
    """What each document mentions, as written there or in its title, in normal form."""
    from hebbgraph.ingest.passages import passages
    from hebbgraph.ingest.rules.assembly import key_of
    from hebbgraph.ingest.rules.extract import extract

    cut = [one for document in documents for one in passages(document)]
    found = extract(documents, cut)
    row = {document.id: number for number, document in enumerate(documents)}
    texts = [document.text.encode() for document in documents]
    names = found.entities["name"].to_pylist()
    mentioned: list[set[str]] = [set() for _ in documents]
    mentions = found.mentions.to_pydict()
    columns = (mentions[name] for name in ("passage", "entity", "start", "end"))
    for passage, entity, start, end in zip(*columns, strict=True):
        number = row[cut[passage].document]
        written = texts[number][start:end].decode() if end > start else names[entity]
        mentioned[number].add(key_of(written))
    return mentioned


def scores(found: Sequence[set[str]], gold: Sequence[set[str]], rows: Iterable[int]) -> Scores:
    right = told = wanted = 0
    for row in rows:
        right += len(found[row] & gold[row])
        told += len(found[row])
        wanted += len(gold[row])
    return Scores(right / told, right / wanted)


def entities() -> None:
    from hebbgraph.ingest.rules.assembly import key_of

    documents, gold = musique(machine.DATA)
    by_regex = [
        {key_of(phrase) for phrase in REGEX.findall(f"{one.title}\n{one.text}")}
        for one in documents
    ]
    rows = []
    for name, found in (("rules", found_by_rules(documents)), ("one regular expression", by_regex)):
        for half, first in (("seen", 0), ("held out", 1)):
            score = scores(found, gold, range(first, len(gold), 2))
            rows.append((name, half, f"{score.precision:.3f}", f"{score.recall:.3f}"))
    print(f"Entities of {len(documents):,} passages; targets: precision .55, recall .75\n")
    machine.table(("", "half", "precision", "recall"), rows)


def corpus(names: Sequence[str]) -> list[Any]:
    """Documents of retrieval sets."""
    from hebbgraph.ingest.documents import Document
    from hebbgraph.ingest.reading import documents

    found: list[Any] = []
    for name in names:
        path = machine.DATA / name
        if path.suffix == ".json":
            held = json.loads(path.read_text("utf-8"))["corpus"]
            found += [Document(own, one["title"], one["text"]) for own, one in held.items()]
        elif path.exists():
            items = [json.loads(line) for line in (path / "corpus.jsonl").open("rb")]
            found += documents({**item, "id": f"{name}/{item['id']}"} for item in items)
    return found


def speed() -> None:
    from hebbgraph.ingest.classify import classify
    from hebbgraph.ingest.passages import passages
    from hebbgraph.ingest.rules.extract import extract

    rows = []
    for label, names in (("English", ENGLISH), ("Korean", (KOREAN,)), ("MuSiQue", (MUSIQUE,))):
        documents = corpus(names)
        megabytes = sum(len(one.text.encode()) for one in documents) / 1e6
        best = [float("inf")] * 3
        for _ in range(3):
            marks = [time.process_time()]
            cut = [one for document in documents for one in passages(document)]
            marks.append(time.process_time())
            found = extract(documents, cut)
            marks.append(time.process_time())
            for document in documents:
                classify(document)
            marks.append(time.process_time())
            best = [min(one, b - a) for one, a, b in zip(best, marks, marks[1:], strict=False)]
        cut_rate, extracted, classified = (f"{megabytes / one:.1f}" for one in best)
        both = megabytes / (best[0] + best[1])
        size = f"{megabytes:.1f} MB, {len(cut):,} passages"
        facts = f"{found.entities.num_rows:,} / {found.relations.num_rows:,}"
        rows.append((label, size, cut_rate, extracted, f"{both:.2f}", classified, facts))
    header = ("text", "size", "cut", "extraction", "both", "kinds, tags", "entities / relations")
    print("MB a second of processor time, best of three; target for both: 2\n")
    machine.table(header, rows)


def whole_processes() -> None:
    rows = []
    for step, target_seconds, target_mib in (("musique", 8.0, None), ("many", None, _MOST_MIB)):
        run = machine.process("-m", "bench.ingest", "--step", step)
        seconds, peak = run.median, run.peak_mib or 0.0
        met = []
        if target_seconds:
            met.append(f"{target_seconds:.0f} s {machine.against(seconds, target_seconds)}")
        if target_mib:
            met.append(f"{target_mib:,.0f} MiB {machine.against(peak, target_mib)}")
        cells = (str(run.result).strip(), f"{seconds:.1f}", f"{peak:,.0f}", ", ".join(met))
        rows.append(cells)
    print("Whole processes: Python, imports, reading, passages, extraction\n")
    machine.table(("text", "s", "peak MiB", "target"), rows)


def stores() -> None:
    """The commands, from a file of documents to a committed graph and its indexes."""
    rows = []
    for name, target_seconds, target_mib in (("musique", 8.0, None), ("many", None, _MOST_MIB)):
        with tempfile.TemporaryDirectory() as folder:
            file, store = str(Path(folder, "documents.jsonl")), str(Path(folder, "data.lance"))
            size = float(machine.process("-m", "bench.ingest", "--write", name, file).result)
            spent, peaks, seconds = [], [], []
            for command in (
                ("add", file, "--max-tokens", "2048", store), ("cognify", store),
                ("add", file, "--max-tokens", "2048", store), ("cognify", store), ("memify", store),
            ):  # fmt: skip
                before = os.times()
                run = machine.hebbgraph(*command)
                after = os.times()
                spent.append(
                    after.children_user + after.children_system
                    - before.children_user - before.children_system
                )  # fmt: skip
                seconds.append(run.median)
                peaks.append(run.peak_mib or 0.0)
        rate = size / (spent[0] + spent[1])
        met = []
        if target_seconds:
            met.append(
                f"{target_seconds:.0f} s {machine.against(seconds[0] + seconds[1], target_seconds)}"
            )
        if target_mib:
            # A second of start-up would decide for a small text.
            met.append(f"1 MB/s {machine.against(1 / rate, 1.0)}")
            met.append(f"{target_mib:,.0f} MiB {machine.against(max(peaks), target_mib)}")
        rows.append((
            f"{name}, {size:.1f} MB", f"{rate:.2f}", *(f"{one:.1f}" for one in seconds),
            f"{max(peaks):,.0f}", ", ".join(met),
        ))  # fmt: skip
    header = ("text", "MB/s add + cognify", "add, s", "cognify", "add again", "cognify again",
              "memify", "peak MiB", "target")  # fmt: skip
    print("Commands as processes; MB a second of processor time, start included\n")
    machine.table(header, rows)


def write(name: str, file: str) -> None:
    """Documents as JSON Lines, and their megabytes on stdout."""
    size = 0
    with Path(file).open("w", encoding="utf-8") as out:
        for one in repeated(name):
            out.write(json.dumps({"id": one.id, "title": one.title, "text": one.text}) + "\n")
            size += len(one.text.encode())
    print(size / 1e6)


def repeated(name: str) -> list[Any]:
    """The documents of one set, or the same texts under other names until there are many."""
    from dataclasses import replace

    documents = corpus((MUSIQUE,) if name == "musique" else ENGLISH)
    if name == "many":
        times = -(-PASSAGES // len(documents))
        documents = [
            replace(one, id=f"{turn}/{one.id}", title=f"{one.title} {turn}" if turn else one.title)
            for turn in range(times)
            for one in documents
        ][:PASSAGES]
    return documents


def step(name: str) -> None:
    """What a process of its own does."""
    from hebbgraph.ingest.passages import passages
    from hebbgraph.ingest.rules.extract import extract

    documents = repeated(name)
    cut = [one for document in documents for one in passages(document, max_tokens=2048)]
    found = extract(documents, cut)
    size = sum(len(one.text) for one in cut) / 1e6
    print(f"{len(cut):,} passages, {size:.1f} MB, {found.entities.num_rows:,} entities")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.ingest")
    parser.add_argument("--step", choices=("musique", "many"), help=argparse.SUPPRESS)
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        write(*arguments.write)
        return
    if arguments.step:
        step(arguments.step)
        return
    if not (machine.DATA / MUSIQUE).exists():
        print("ingest: skipped, its data sets are not here\n", flush=True)
        return
    machine.heading("From text to entities", "numpy", "pyarrow", warm_up="one run to warm up")
    whole_processes()  # first, while this process is small
    stores()
    entities()
    speed()


if __name__ == "__main__":
    main()
