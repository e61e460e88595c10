"""Trying again, where that can help."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from hebbgraph.errors import ProviderError

T = TypeVar("T")

TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses after which the same request may succeed."""

_LONGEST_WAIT = 30.0


class TransientError(ProviderError):
    """A failure that may pass: no connection in time, a cut answer, an overloaded server.

    Attributes
    ----------
    wait : seconds that the server asked for, None if it did not
    """

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def retried(request: Callable[[], T], *, attempts: int, first_wait: float) -> T:
    """``request()``, called again after a `TransientError`, up to ``attempts`` times in all.

    The n-th wait is drawn from [½, 1]·first_wait·2ⁿ seconds, so that many clients do not come back
    together, and at least what the server asked for; never above 30 s.

    Raises
    ------
    ProviderError
        the last failure, with the number of attempts
    """
    for attempt in range(attempts - 1):
        try:
            return request()
        except TransientError as error:
            backoff = first_wait * 2**attempt * random.uniform(0.5, 1)
            time.sleep(min(max(backoff, error.wait or 0), _LONGEST_WAIT))
    try:
        return request()
    except TransientError as error:
        times = "" if attempts == 1 else f" ({attempts} attempts)"
        raise ProviderError(f"{error}{times}") from None
