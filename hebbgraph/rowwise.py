"""Columns that are read row by row, where all of them in memory would be a waste."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_AT_ONCE: Final = 8192  # rows of a loop over all


class Rowwise(Sequence[Any]):
    """A sequence that reads the rows asked for."""

    @abstractmethod
    def several(self, rows: Sequence[int]) -> list[Any]:
        """Values of some rows, in the order asked."""

    @overload
    def __getitem__(self, row: int) -> Any: ...

    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...

    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return self.several(range(*row.indices(len(self))))
        if not -len(self) <= row < len(self):
            raise IndexError(row)  # what ends a loop over a sequence
        return self.several([row % len(self)])[0]

    def __iter__(self) -> Iterator[Any]:
        for first in range(0, len(self), _AT_ONCE):
            yield from self[first : first + _AT_ONCE]


class Values(Rowwise):
    """An Arrow array as a sequence.

    Parameters
    ----------
    array : of any type
    rows : (n,) rows of it that count, in this order; all where None
    """

    def __init__(self, array: Any, rows: npt.NDArray[np.int64] | None = None) -> None:
        self.array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        self.rows = rows

    def __len__(self) -> int:
        return len(self.array) if self.rows is None else self.rows.size

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice) or not 0 <= row < len(self):
            return super().__getitem__(row)
        # The commonest case by far, and ten times as fast as taking one of many.
        return self.array[int(row if self.rows is None else self.rows[row])].as_py()

    def several(self, rows: Sequence[int]) -> list[Any]:
        """Values of some rows, in the order asked."""
        chosen = np.asarray(rows, np.int64)
        chosen = chosen if self.rows is None else self.rows[chosen]
        found: list[Any] = self.array.take(pa.array(chosen)).to_pylist()
        return found


def several(values: Sequence[Any], rows: Sequence[int]) -> list[Any]:
    """Values of some rows of any sequence, in one reading where it is `Rowwise`."""
    return values.several(rows) if isinstance(values, Rowwise) else [values[row] for row in rows]
