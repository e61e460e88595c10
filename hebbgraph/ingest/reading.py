"""Paths, globs, folders, strings and mappings as documents, in an order that does not change."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from hebbgraph.errors import InputError
from hebbgraph.ingest.documents import Document, sha256
from hebbgraph.ingest.readers.records import document_of
from hebbgraph.ingest.readers.source import Source

Item = str | os.PathLike[str] | Mapping[str, Any] | Document
Skipped = Callable[[str, str], None]

# Ending to module and function.
_READERS: Final = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), ("markdown", "read")),
    **dict.fromkeys((".html", ".htm", ".xhtml"), ("html", "read")),
    ".json": ("jsons", "read"),
    **dict.fromkeys((".jsonl", ".ndjson"), ("jsons", "read_lines")),
    **dict.fromkeys((".csv", ".tsv", ".tab"), ("tables", "read")),
    ".pdf": ("pdf", "read"),
    ".docx": ("docx", "read"),
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".adoc", ".org", ".tex"), ("text", "read")),
    **dict.fromkeys((".py", ".pyi", ".js", ".ts", ".go", ".rs", ".java", ".kt"), ("text", "read")),
    **dict.fromkeys((".c", ".h", ".cpp", ".hpp", ".cs", ".rb", ".php", ".sh"), ("text", "read")),
    **dict.fromkeys((".sql", ".toml", ".yaml", ".yml", ".ini", ".cfg", ""), ("text", "read")),
    **dict.fromkeys((".ttl", ".nt", ".nq", ".trig", ".n3"), ("rdf", "read")),
    **dict.fromkeys((".owl", ".rdf", ".jsonld"), ("rdf", "read")),
}
_URL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://\S+")
_GLOB: Final = re.compile(r"[*?]|\[[^\]]+\]")
_LOOKS_LIKE_PATH: Final = re.compile(
    r"(?:~?/|\.{1,2}/|[A-Za-z]:[\\/])\S*|\S+[\\/]|\S+\.[A-Za-z][A-Za-z0-9]{0,5}"
)


def documents(
    items: Item | Iterable[Item],
    *,
    encoding: str | None = None,
    skipped: Skipped | None = None,
) -> Iterator[Document]:
    """Read items as documents, one after another.

    What a string is: ``"-"`` is standard input. A string that names a file or a folder is that; one
    with ``*``, ``?`` or ``[…]`` that matches files is those. One that is a URL, or a single word
    with the look of a path (``./x``, ``/x/y``, ``notes.md``), is refused, as it names nothing that
    can be read. Every other string is a text.

    What a document is called: by the ``id`` of its mapping; else by its path, seen from the folder
    that holds what was named, with ``/``; records of a file add ``#`` and their line or number. A
    text is called by the hash of its content.

    Parameters
    ----------
    items : paths, globs, folders, texts, mappings ({"id", "title", "text", "time", …}), documents;
        one or many
    encoding : of text files; None recognises it
    skipped : called with a path and a reason for each file of a folder or a glob that is left out:
        it is hidden, of an unknown ending, or cannot be read. Without it the first two go quietly,
        and one that cannot be read is an error, as is any that is named itself

    Yields
    ------
    Document
        in the order of `items`; files of a folder by their paths. The same content under the same
        id comes once

    Raises
    ------
    InputError
        an item cannot be read, or two different documents have one id

    Examples
    --------
    >>> [one.title for one in documents([{"id": "a", "title": "A", "text": "x"}, "A text."])]
    ['A', '']
    """
    seen: dict[str, str] = {}
    one = isinstance(items, str | os.PathLike | Mapping | Document)
    every: Iterable[Any] = [items] if one else items  # type: ignore[assignment]
    for number, item in enumerate(every):
        for document in _read(item, number, encoding, skipped):
            if document.id not in seen:
                seen[document.id] = document.sha256
                yield document
            elif seen[document.id] != document.sha256:
                raise InputError(
                    f"item {number}: a second document with the id {document.id!r} and other "
                    "content; give each its own id"
                )


def _read(
    item: Any, number: int, encoding: str | None, skipped: Skipped | None
) -> Iterator[Document]:
    if isinstance(item, Document):
        yield item
    elif isinstance(item, Mapping):
        yield document_of(item, where=f"item {number}")
    elif isinstance(item, str):
        yield from _read_string(item, number, encoding, skipped)
    elif isinstance(item, os.PathLike):
        path = Path(item)
        if not path.exists():
            raise InputError(f"item {number}: no file or folder at {path}")
        yield from _read_path(path, encoding, skipped)
    else:
        raise InputError(
            f"item {number}: expected a path, a text or a mapping, came {type(item).__name__}"
        )


def _read_string(
    item: str, number: int, encoding: str | None, skipped: Skipped | None
) -> Iterator[Document]:
    if item == "-":
        yield from _read_stdin(encoding)
        return
    is_line = "\n" not in item and len(item) < 4096
    if is_line and _URL.fullmatch(item.strip()):
        raise InputError(
            f"item {number}: {item.strip()} is a URL, and nothing is fetched from the network; "
            "save the page and give its path"
        )
    if is_line and item.strip():
        path = Path(item).expanduser()
        try:
            exists = path.exists()
        except (OSError, ValueError):
            exists = False
        if exists:
            yield from _read_path(path, encoding, skipped)
            return
        matches = _matches(item)
        if matches is not None:
            root, files = matches
            for file in files:
                yield from _read_or_skip(file, root, encoding, skipped)
            return
        if _LOOKS_LIKE_PATH.fullmatch(item.strip()):
            raise InputError(f"item {number}: no file or folder at {item.strip()}")
    yield document_of({"text": item}, where=f"item {number}")


def _matches(pattern: str) -> tuple[Path, list[Path]] | None:
    """The folder before the first wildcard and the files that match; None if none do."""
    if not _GLOB.search(pattern):
        return None
    parts = Path(pattern).expanduser().parts
    wild = next(place for place, part in enumerate(parts) if _GLOB.search(part))
    root = Path(*parts[:wild])
    if not root.is_dir():
        return None
    try:
        found = sorted(path for path in root.glob("/".join(parts[wild:])) if path.is_file())
    except (ValueError, NotImplementedError, IndexError):
        return None
    return (root, found) if found else None


def _read_path(path: Path, encoding: str | None, skipped: Skipped | None) -> Iterator[Document]:
    if not path.is_dir():
        yield from _read_file(path, Source(path.name, str(path), encoding))
        return
    for folder, folders, files in os.walk(path):
        for name in [one for one in folders if one.startswith(".")]:
            folders.remove(name)
            _skip(skipped, Path(folder) / name, "hidden")
        folders.sort()
        for name in sorted(files):
            yield from _read_or_skip(Path(folder) / name, path, encoding, skipped)


def _read_or_skip(
    file: Path, root: Path, encoding: str | None, skipped: Skipped | None
) -> Iterator[Document]:
    if file.name.startswith("."):
        _skip(skipped, file, "hidden")
        return
    if file.suffix.lower() not in _READERS:
        _skip(skipped, file, f"no reader for {file.suffix}")
        return
    name = root.resolve().name
    own = f"{name}/{file.relative_to(root).as_posix()}" if name else file.as_posix()
    try:
        yield from _read_file(file, Source(own, str(file), encoding))
    except InputError as error:
        if skipped is None:
            raise
        skipped(str(file), str(error))


def _skip(skipped: Skipped | None, path: Path, reason: str) -> None:
    if skipped is not None:
        skipped(str(path), reason)


def _read_file(file: Path, source: Source) -> Iterator[Document]:
    suffix = file.suffix.lower()
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: cannot be read; {error.strerror}") from None
    # A file of an unknown ending that was named itself is tried as text.
    module, function = _READERS.get(suffix, ("text", "read"))
    if suffix == ".xml" and b"<rdf:RDF" in data[:65536]:
        module = "rdf"
    reader = importlib.import_module(f"hebbgraph.ingest.readers.{module}")
    yield from getattr(reader, function)(data, source)


def _read_stdin(encoding: str | None) -> Iterator[Document]:
    data = sys.stdin.buffer.read()
    if not data.strip():
        return
    source = Source(f"stdin-{sha256(data)[:16]}", "<stdin>", encoding)
    is_json = data.lstrip()[:1] in (b"{", b"[")
    from hebbgraph.ingest.readers import jsons, text

    if is_json:
        lines = [line for line in data.splitlines() if line.strip()]
        is_lines = len(lines) > 1 and all(line.lstrip().startswith(b"{") for line in lines)
        yield from (jsons.read_lines if is_lines else jsons.read)(data, source)
    else:
        yield from text.read(data, source)
