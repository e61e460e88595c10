"""Numba kernels over plain arrays.

Nothing here knows of graphs, tables or files: a kernel takes NumPy arrays that
its caller has validated and returns NumPy arrays.  Throughout, an *adjacency*
is the pair ``indptr`` (n + 1,) and ``indices`` (m,) of a CSR matrix whose rows
are sorted, symmetric, free of duplicates and of the diagonal.
"""

from hebbgraph_kernels._jit import threads_for

__all__ = ["threads_for"]
