"""Answers of language models as valid objects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from hebbgraph.errors import ParameterError, ProviderError

Message = dict[str, str]

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.S | re.I)
_SHOWN = 80


def ask(
    chat: Callable[[list[Message]], str], prompt: str, schema: Mapping[str, Any], *, name: str
) -> dict[str, Any]:
    """The answer to ``prompt`` that is valid against ``schema``.

    The schema stands in the system message too: grammars that hold a model to it leave the meaning
    of its fields to be guessed, and some servers have no grammar. Where the answer is invalid, the
    model is shown it and what is wrong, and asked once more.

    Parameters
    ----------
    chat : messages to the text of the answer
    schema : JSON schema (draft 2020-12) of an object

    Raises
    ------
    ParameterError
        ``schema`` is no JSON schema
    ProviderError
        the second answer is invalid too
    """
    check_schema(schema)
    system = "Answer with one JSON object, and nothing else, that is valid against this schema:\n"
    messages = [
        {"role": "system", "content": system + json.dumps(schema, ensure_ascii=False)},
        {"role": "user", "content": prompt},
    ]
    answer = chat(messages)
    try:
        return parsed(answer, schema)
    except ValueError as error:
        repair = f"That is no valid answer: {error}. Answer again, with the JSON object alone."
        messages += [
            {"role": "assistant", "content": answer},
            {"role": "user", "content": repair},
        ]
    try:
        return parsed(chat(messages), schema)
    except ValueError as error:
        raise ProviderError(
            f"{name}: expected an answer by the schema, came twice {error}"
        ) from None


def check_schema(schema: Mapping[str, Any]) -> None:
    """Refuse what is no JSON schema.

    Raises
    ------
    ParameterError
        with the first fault
    """
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(dict(schema))
    except jsonschema.SchemaError as error:
        raise ParameterError(
            f"schema: expected a JSON schema; at {error.json_path}: {error.message}"
        ) from None


def parsed(answer: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """``answer`` as an object, free of the code fence that some models put around it.

    Raises
    ------
    ValueError
        no JSON, no object, or not by the schema; the message fits in a sentence
    """
    import jsonschema

    fenced = _FENCE.match(answer)
    text = fenced[1] if fenced else answer
    try:
        value = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        shown = " ".join(text.split())[:_SHOWN]
        raise ValueError(f"no JSON ({error}): {shown!r}") from None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("half a surrogate pair, which is no text") from None
    if not isinstance(value, dict):
        raise ValueError(f"a JSON {type(value).__name__} where an object was expected")
    fault = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(dict(schema)).iter_errors(value)
    )
    if fault is not None:
        raise ValueError(f"a fault at {fault.json_path}: {fault.message[: 2 * _SHOWN]}")
    return value


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")
