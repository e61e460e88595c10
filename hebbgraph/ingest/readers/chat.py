"""Chat exports: lists of messages with a role and a content, their times kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hebbgraph.ingest.documents import Document, sha256
from hebbgraph.ingest.readers.records import TIMES, moment

_ROLES: Final = ("role", "sender", "author", "from")
_CONTENTS: Final = ("content", "text", "message", "parts")
_LISTS: Final = ("messages", "chat_messages", "conversation", "turns")


def conversation_of(value: object) -> tuple[str, list[Mapping[str, Any]]] | None:
    """Title and messages of a conversation, in order; None if it is none.

    A list of messages, an object that holds one as ``messages``, ``chat_messages``, ``turns`` or
    ``conversation``, or a tree of them under ``mapping``.
    """
    if isinstance(value, list):
        return ("", value) if value and all(_is_message(item) for item in value) else None
    if not isinstance(value, Mapping):
        return None
    title = value.get("title") or value.get("name") or ""
    title = title if isinstance(title, str) else ""
    for name in _LISTS:
        messages = value.get(name)
        if isinstance(messages, list) and messages and all(map(_is_message, messages)):
            return title, messages
    tree = value.get("mapping")
    if isinstance(tree, Mapping):
        nodes = [node.get("message") for node in tree.values() if isinstance(node, Mapping)]
        messages = [node for node in nodes if isinstance(node, Mapping) and _content(node)]
        messages = [node for node in messages if _is_message(node)]
        messages.sort(key=lambda message: message.get("create_time") or 0)
        return (title, messages) if messages else None
    return None


def read_conversation(
    title: str, messages: list[Mapping[str, Any]], id: str, source: str
) -> Iterator[Document]:
    """Every message with a text as a document; id, role and conversation in the metadata."""
    for number, message in enumerate(messages):
        text = _content(message)
        if not text:
            continue
        given = message.get("id") or message.get("uuid")
        where = f"{source or id} message {number}"
        time = next((message[name] for name in TIMES if message.get(name)), None)
        yield Document(
            f"{id}#{given if isinstance(given, str) else number}",
            title,
            text,
            time=moment(time, f"{where}: time"),
            source=source,
            sha256=sha256(text.encode()),
            metadata={"role": _role(message), "conversation": id},
        )


def _is_message(value: object) -> bool:
    return isinstance(value, Mapping) and bool(_role(value)) and any(n in value for n in _CONTENTS)


def _role(message: Mapping[str, Any]) -> str:
    for name in _ROLES:
        role = message.get(name)
        if isinstance(role, Mapping):
            role = role.get("role") or role.get("name")
        if isinstance(role, str) and role:
            return role
    return ""


def _content(message: Mapping[str, Any]) -> str:
    for name in _CONTENTS:
        text = _flat(message.get(name))
        if text:
            return text
    return ""


def _flat(content: object) -> str:
    """Text of a content: a string, parts, or typed blocks."""
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, Mapping):
        return _flat(content.get("parts") or content.get("text") or "")
    if isinstance(content, list):
        return "\n".join(filter(None, map(_flat, content)))
    return ""
