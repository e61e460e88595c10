"""Entries of a SciPy sparse matrix, once it is known to be one."""

from __future__ import annotations

from typing import Any

from hebbgraph.errors import InputError


def entries(matrix: Any) -> Any:
    """A square matrix as a SciPy COO array of its own, duplicates added up.

    Raises
    ------
    InputError
        it is no real sparse matrix, not square, or its arrays do not fit each other
    """
    if not hasattr(matrix, "tocoo") or matrix.dtype.kind == "c":
        raise InputError(f"expected a real SciPy sparse matrix, got {type(matrix).__name__}")
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"expected a square matrix, got {matrix.shape}")
    if matrix.format in ("csr", "csc", "bsr"):
        # tocoo() trusts its pointers: it writes where they say.
        try:
            parts = matrix.data, matrix.indices, matrix.indptr
            if any(part.dtype.kind not in "iu" for part in parts[1:]):
                raise ValueError("indices and index pointers must be integers")
            matrix = type(matrix)(parts, shape=matrix.shape)
            matrix.check_format(full_check=True)
        except (ValueError, IndexError) as error:
            raise InputError(f"not a well-formed SciPy matrix: {error}") from None
    out = matrix.tocoo(copy=True)
    out.sum_duplicates()
    return out
