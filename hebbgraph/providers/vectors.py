"""Texts before they are embedded, and vectors before they reach a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbgraph.errors import InputError, ProviderError

_SHOWN = 40


def checked_texts(texts: Sequence[str]) -> list[str]:
    """``texts`` as a list, if each is a string with more than blanks in it.

    Raises
    ------
    InputError
        a bare string, or a text that is blank or no string
    """
    if isinstance(texts, str):
        raise InputError("texts: expected a list of texts, came one string; write [text]")
    texts = list(texts)
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {place}: expected a string, came {type(text).__name__}")
        if not text or text.isspace():
            raise InputError(f"text {place}: expected a text, came a blank one; leave it out")
    return texts


def checked_vectors(
    values: Any, texts: Sequence[str], *, name: str, dimensions: int | None, first: int = 0
) -> npt.NDArray[np.float32]:
    """What a model answered, as float32, if a table can take it.

    Parameters
    ----------
    values : one sequence of numbers a text, or a two-dimensional array
    texts : what was embedded; at least one
    name : provider and model, for the message
    dimensions : length that every vector must have; None takes that of the first
    first : place of ``texts[0]`` among all texts of the caller, for the message

    Raises
    ------
    ProviderError
        too few or too many vectors, another length, NaN or infinity, or nothing but zeros
    """
    if len(values) != len(texts):
        raise ProviderError(f"{name}: expected {len(texts)} vectors, came {len(values)}")
    wanted = dimensions or len(values[0])
    for place, vector in enumerate(values):
        if len(vector) != wanted or wanted == 0:
            where = place_of(texts, place, first)
            hint = "; set `dimensions` to what the model gives, or embed all texts again"
            raise ProviderError(
                f"{name}: expected a vector of {wanted or 'some'} dimensions, "
                f"came {len(vector)}, {where}{hint if dimensions else ''}"
            )
    try:
        # A float64 beyond float32 becomes infinite here and is told below.
        with np.errstate(over="ignore"):
            array = np.asarray(values).astype(np.float32)
    except (TypeError, ValueError):
        raise ProviderError(f"{name}: expected vectors of numbers, came something else") from None
    for wrong, what in (
        (~np.isfinite(array).all(axis=1), "NaN or infinity"),
        (~array.any(axis=1), "nothing but zeros"),
    ):
        if wrong.any():
            where = place_of(texts, int(wrong.argmax()), first)
            raise ProviderError(
                f"{name}: expected a finite vector that is not zero, came {what}, {where}; "
                "shorten or clean that text, or take another model"
            )
    return array


def in_batches(
    texts: Sequence[str],
    ask: Callable[[list[str], int], Any],
    *,
    size: int,
    name: str,
    dimensions: int | None,
) -> npt.NDArray[np.float32]:
    """One checked vector a text, asked for in batches: (n, d) float32, (0, d) for no text.

    Parameters
    ----------
    ask : what a model answers to a batch, whose first text has this place among all

    Raises
    ------
    InputError, ProviderError
        as :func:`checked_texts` and :func:`checked_vectors`
    """
    texts = checked_texts(texts)
    parts = [np.empty((0, dimensions or 0), np.float32)]
    for first in range(0, len(texts), size):
        batch = texts[first : first + size]
        parts.append(
            checked_vectors(ask(batch, first), batch, name=name, dimensions=dimensions, first=first)
        )
        dimensions = parts[-1].shape[1]
    return np.concatenate(parts[1:] or parts)


def place_of(texts: Sequence[str], place: int, first: int = 0) -> str:
    """How a message names one text: its place and how it begins."""
    text = " ".join(texts[place].split())
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return f"for text {first + place} ({shown!r})"
