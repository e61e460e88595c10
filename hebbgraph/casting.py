"""What a caller passes, as Arrow columns of the type that is meant, or a line that says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from hebbgraph.errors import InputError

REFUSALS = (
    pa.ArrowException, ArithmeticError, AttributeError, LookupError, NotImplementedError,
    TypeError, ValueError,
)  # fmt: skip
"""What Arrow and NumPy raise for values that they cannot hold."""


def brief(error: BaseException) -> str:
    """The first line of what a library said, cut where long."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[0] if len(lines[0]) <= 160 else lines[0][:160] + "…"


def column_of(values: Any, name: str, wanted: str) -> Any:
    """``values`` as an Arrow array, or as the chunked one that they are.

    Raises
    ------
    InputError
        ``name: expected wanted, got …``
    """
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        column = pa.array(values)
    except REFUSALS as error:
        raise InputError(f"{name}: expected {wanted}, got a mixture ({brief(error)})") from None
    if not isinstance(column, pa.Array | pa.ChunkedArray):
        raise InputError(f"{name}: expected {wanted}, got {type(values).__name__}")
    return column


def cast(
    column: Any, kind: pa.DataType, name: str, wanted: str, where: Callable[[int], str]
) -> Any:
    """A column as another type, no value changed.

    Raises
    ------
    InputError
        naming the column, and the first row that cannot be had if not the type is to blame
    """
    try:
        return column.cast(kind)
    except REFUSALS as error:
        if not _casts(column[:0], kind):
            raise InputError(f"{name}: expected {wanted}, got {column.type}") from None
        fine, bad = 0, len(column)
        while bad - fine > 1:
            half = (fine + bad) // 2
            fine, bad = (half, bad) if _casts(column[fine:half], kind) else (fine, half)
        raise InputError(f"{where(fine)}: {name} is not {wanted} ({brief(error)})") from None


def _casts(column: Any, kind: pa.DataType) -> bool:
    try:
        column.cast(kind)
    except REFUSALS:
        return False
    return True


def table_of(values: Any, name: str) -> pa.Table:
    """A table with distinct column names, whatever holds the columns.

    Raises
    ------
    InputError
        it holds none, or one name twice
    """
    if isinstance(values, pa.RecordBatch):
        values = pa.Table.from_batches([values])
    if not isinstance(values, pa.Table):
        try:
            values = pa.table(values)
        except REFUSALS as error:
            raise InputError(
                f"{name}: expected a table with named columns ({brief(error)})"
            ) from None
    names = values.column_names
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise InputError(f'{name}: expected distinct column names, got "{twice}" twice; rename one')
    return values
