"""What a graph has learned, as associations of passages."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from hebbgraph.graph import Graph
from hebbgraph.retrieval.corpus import Corpus
from hebbgraph.retrieval.joins import made_by_use


def taught(
    corpus: Corpus,
    graph: Graph,
    keys: npt.NDArray[np.int64],
    *,
    without: Collection[str] = (),
    inferred: bool = False,
) -> Corpus:
    """The corpus with the edges between passages that use has made.

    Parameters
    ----------
    graph : one that has learned
    keys : (n,) node of each passage, distinct
    without : relations that stand for something else, such as links
    inferred : whether edges found by discovery count too; measured, they cost a little
    """
    row = np.full(graph.n_nodes, -1, np.int64)
    row[keys] = np.arange(len(corpus))
    return corpus.learned(*made_by_use(graph, row, without=without, inferred=inferred))
