"""The one ``njit`` of this package: cached, lock-guarded, safe to upgrade.

* numba's disk cache ignores edits in *called* modules, so the cache folder is
  keyed by a hash of every kernel source and of numba's version.
* The ``workqueue`` threading layer aborts the process when two Python threads
  enter parallel kernels at once, so one process-wide lock guards them.
* Where no folder can be written, kernels compile in memory.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import config as _config
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

config: Any = _config  # numba sets its options at run time
_LOCK = threading.RLock()


def _writable_cache_folder() -> str | None:
    base = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"),
        "hebbgraph",
    )
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    folder = os.path.join(base, f"kernels-{digest.hexdigest()[:16]}")
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


_CACHE_FOLDER = _writable_cache_folder()


def _compile(function: Callable[..., Any], *, parallel: bool) -> Any:
    # numba reads CACHE_DIR when it decorates; it is put back so that the
    # user's own jitted functions keep their own cache.
    previous = config.CACHE_DIR
    config.CACHE_DIR = _CACHE_FOLDER or previous
    try:
        return numba.njit(
            cache=_CACHE_FOLDER is not None,
            nogil=True,
            parallel=parallel,
            error_model="numpy",
        )(function)
    finally:
        config.CACHE_DIR = previous


def njit(function: F) -> F:
    """Compile a serial kernel; it may be called from other kernels."""
    compiled: F = _compile(function, parallel=False)
    return compiled


def parallel_njit(function: F) -> F:
    """Compile a kernel that uses ``prange``; it is called from Python only."""
    compiled = _compile(function, parallel=True)

    @functools.wraps(function)
    def guarded(*arguments: Any) -> Any:
        with _LOCK:
            return compiled(*arguments)

    return guarded  # type: ignore[return-value]


SERIAL_BELOW = 1 << 14
"""Entries below which waking a second thread costs more than it saves."""


@contextmanager
def threads_for(entries: int) -> Iterator[None]:
    """Use one thread inside the block if there is little to do."""
    before = thread_count()
    if entries < SERIAL_BELOW:
        numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def thread_count() -> int:
    """Number of threads that a parallel kernel started now would use."""
    return int(numba.get_num_threads())


if config.DISABLE_JIT:

    def fetch_add(array: Any, index: Any, value: Any) -> Any:
        """Add ``value`` to ``array[index]`` and return what stood there."""
        before = array[index]
        array[index] += value
        return before

    def exchange(array: Any, index: Any, value: Any) -> Any:
        """Put ``value`` into ``array[index]`` and return what stood there."""
        before = array[index]
        array[index] = value
        return before

    def count_ones(value: Any) -> Any:
        """Number of bits set in an unsigned integer."""
        return int(value).bit_count()

else:

    def _atomic(operation: str, ordering: str) -> Any:
        """An intrinsic ``f(array, index, value)`` that returns what stood there."""

        @intrinsic
        def apply(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
            if not (isinstance(array, types.Array) and isinstance(array.dtype, types.Integer)):
                return None
            signature = array.dtype(array, types.intp, array.dtype)

            def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
                array_type = sig.args[0]
                view = context.make_array(array_type)(context, builder, arguments[0])
                pointer = cgutils.get_item_pointer(
                    context, builder, array_type, view, [arguments[1]], wraparound=False
                )
                return builder.atomic_rmw(operation, pointer, arguments[2], ordering)

            return signature, generate

        return apply

    @intrinsic
    def count_ones(typing_context: Any, value: Any) -> Any:
        """Number of bits set in an unsigned integer."""

        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return value(value), generate

    fetch_add = _atomic("add", "monotonic")
    exchange = _atomic("xchg", "seq_cst")


def block_cursor() -> np.ndarray:
    """A shared counter from which threads draw their next block of rows."""
    return np.zeros(1, np.int64)
