"""Leading right singular vectors of a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_OVERSAMPLING = 32
_ITERATIONS = 4
_NOISE = 1e-10
_BLOCK = 8192


def right_singular_vectors(matrix: Any, rank: int, *, seed: int) -> npt.NDArray[np.float32]:
    """The ``rank`` leading right singular vectors, fewer where the matrix has no more.

    Subspace iteration on XᵀX from a random start: Halko, Martinsson and Tropp (2011), algorithm
    4.4 with its factorisations by the eigenvectors of small Gram matrices. ARPACK is more exact and
    several times slower; retrieval cannot tell the two apart (docs/providers.md).

    Parameters
    ----------
    matrix : (n_rows, n_columns) SciPy CSR array of float32, finite
    rank : above 0
    seed : of the random start; the same seed gives the same vectors

    Returns
    -------
    (n_columns, r) float32, r ≤ rank, orthonormal columns by falling singular value, the largest
    component of each positive
    """
    n_columns = matrix.shape[1]
    width = min(rank + _OVERSAMPLING, *matrix.shape)
    if width == 0:
        return np.empty((n_columns, 0), np.float32)
    transposed = matrix.T.tocsr()
    if width < n_columns:
        basis = np.random.default_rng(seed).standard_normal((n_columns, width), np.float32)
        for _ in range(_ITERATIONS):
            basis = transposed @ (matrix @ basis)
            squares, rotation = _principal_axes(basis)
            basis = basis @ (rotation / np.sqrt(squares)).astype(np.float32)
    else:
        basis = np.eye(n_columns, dtype=np.float32)
    rotation = _principal_axes(matrix @ basis)[1][:, :rank]
    vectors: npt.NDArray[np.float32] = basis @ rotation.astype(np.float32)
    largest = np.abs(vectors).argmax(axis=0)
    vectors *= np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors


def _principal_axes(tall: npt.NDArray[np.float32]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Squared singular values of a tall matrix, falling, and its right singular vectors."""
    gram = np.zeros((tall.shape[1],) * 2)
    for first in range(0, len(tall), _BLOCK):
        block = tall[first : first + _BLOCK].astype(np.float64)
        gram += block.T @ block
    squares, axes = np.linalg.eigh(gram)
    # What is smaller is rounding of float32 and no property of the matrix.
    kept = squares.argsort()[::-1][: np.count_nonzero(squares > squares[-1] * _NOISE)]
    return squares[kept], axes[:, kept]
