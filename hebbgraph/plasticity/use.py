"""What episodes do to a graph: nodes are lifted, edges are rewarded or blamed, new ones grow."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import numpy as np
import numpy.typing as npt
from hebbgraph_kernels import episodes as kernels
from hebbgraph_kernels._jit import thread_count
from hebbgraph_kernels.csr import transpose
from hebbgraph_kernels.search import places

from hebbgraph.edgelist import UNDATED
from hebbgraph.episodes import Episodes
from hebbgraph.graph import Graph
from hebbgraph.merge import with_edges
from hebbgraph.node_use import NodeUse
from hebbgraph.plasticity.parameters import UseParameters

ACCESS_DAMPING = 0.02
"""How much each earlier access dampens what an outcome changes."""
PAIRS_AT_ONCE = 1 << 24


def co_activation(graph: Graph, episodes: Episodes, *, since: int) -> npt.NDArray[np.int32]:
    """Episodes inside the temporal window that hold both ends of each edge: (n_edges,) int32.

    Corrections are no evidence of co-occurrence.

    Notes
    -----
    This is A∘(EᵀE), see :mod:`hebbgraph_kernels.episodes`.
    """
    inside = episodes.take(np.flatnonzero((episodes.time >= since) & episodes.counted))
    out = np.zeros(graph.n_edges, np.int32)
    if len(inside):
        by_node, episode = _by_node(inside, graph.n_nodes)
        kernels.co_activation(
            graph.indptr,
            graph.indices,
            by_node,
            episode,
            inside.indptr,
            inside.nodes,
            thread_count(),
            out,
        )
    return out


def uses_since(graph: Graph, episodes: Episodes | None, since: int) -> npt.NDArray[np.int32]:
    """Episodes inside the temporal window that hold each node: (n_nodes,) int32."""
    if episodes is None:
        return np.zeros(graph.n_nodes, np.int32)
    recent = (episodes.time >= since) & episodes.is_use
    inside = np.repeat(recent, np.diff(episodes.indptr))
    uses = np.bincount(episodes.nodes[inside], minlength=graph.n_nodes)
    return uses.astype(np.int32)


def grow(graph: Graph, episodes: Episodes) -> tuple[Graph, npt.NDArray[np.bool_]]:
    """``graph`` with an edge of weight 0 for each unjoined pair that succeeded together.

    Returns
    -------
    graph : the same object if there is no such pair
    old : (n_edges,) bool, which of its edges were there before
    """
    new = episodes.new
    pairs = _pairs(new.take(np.flatnonzero(new.outcome > 0)), graph.n_nodes)
    low, high = pairs // graph.n_nodes, pairs % graph.n_nodes
    apart = ~(_joined(graph, low, high) | _joined(graph, high, low))
    if not apart.any():
        return graph, np.ones(graph.n_edges, np.bool_)
    return with_edges(graph, low[apart], high[apart], weight=0.0)


def _joined(
    graph: Graph, source: npt.NDArray[np.int64], target: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Which pairs have an edge from the one to the other."""
    place = np.empty(source.size, np.int64)
    places(graph.indptr, graph.indices, source, target, place)
    inside = place < graph.indptr[source + 1]
    out = np.zeros(source.size, np.bool_)
    out[inside] = graph.indices[place[inside]] == target[inside]
    return out


def learn_from_use(
    graph: Graph,
    alive: npt.NDArray[np.bool_],
    episodes: Episodes,
    parameters: UseParameters,
    *,
    max_weight: float,
) -> Graph:
    """``graph`` after the episodes that are new, each once, in order of recording.

    An outcome o > 0 adds r₊·o to the weight of every edge inside its episode and one below 0 takes
    r₋·|o| from it, both divided by 1 + 0.02·(mean access count of its nodes so far).  Weights stay
    in [−max_inhibition, max_weight].

    A correction changes a weight by correction_rate·o and is not dampened: the more a wrong belief
    was used, the more it takes to unlearn it.  One that says something was wrong is no use of its
    nodes: it counts as their failure and lifts nothing.

    Batches are equal to one: episodes recorded first are learned from first, and every step is
    rounded as it is stored.

    Parameters
    ----------
    alive : (n_edges,) bool; other edges come to life by a success, failures before pass them by
    """
    new = episodes.new
    if not len(new):
        return graph
    use, mean_access = _lifted(graph, new, parameters)
    rate = np.where(new.outcome > 0, parameters.success_rate, parameters.failure_rate)
    used_before = np.zeros(len(new))
    used_before[new.is_use] = mean_access
    rate[~new.counted], used_before[~new.counted] = parameters.correction_rate, 0.0
    change = rate * new.outcome.astype(np.float64) / (1 + ACCESS_DAMPING * used_before)
    if not change.any():
        return dataclasses.replace(graph, use=use)
    weight = graph.weight.copy()
    by_node, episode = _by_node(new, graph.n_nodes)
    kernels.reinforce(
        graph.indptr, graph.indices, by_node, episode, new.indptr, new.nodes, change,
        -parameters.max_inhibition, max_weight, thread_count(), alive.copy(), weight,
    )  # fmt: skip
    return dataclasses.replace(graph, weight=weight, use=use)


def _lifted(
    graph: Graph, new: Episodes, parameters: UseParameters
) -> tuple[NodeUse, npt.NDArray[np.float64]]:
    before = NodeUse.none(graph.n_nodes) if graph.use is None else graph.use
    access, success = before.access_count.copy(), before.success_count.copy()
    failure = before.failure_count.copy()
    activation, activated_at = before.activation.copy(), before.activated_at.copy()
    created = before.created_at.copy()
    lifting = np.flatnonzero(new.is_use)
    used = new if lifting.size == len(new) else new.take(lifting)
    mean_access = np.empty(len(used))
    kernels.use_nodes(
        used.indptr, used.nodes, used.time, used.outcome, parameters.activation_gain,
        parameters.time_constant / timedelta(microseconds=1), UNDATED, created,
        access, success, failure, activation, activated_at, mean_access,
    )  # fmt: skip
    use = dataclasses.replace(
        before,
        access_count=access,
        success_count=success,
        failure_count=failure + _blamed(new, graph.n_nodes),
        activation=activation,
        activated_at=activated_at,
        created_at=created,
    )
    return use, mean_access


def _blamed(new: Episodes, n_nodes: int) -> npt.NDArray[np.int32]:
    """Corrections of each node that say it was wrong: (n_nodes,) int32."""
    at = np.repeat(~new.is_use & (new.outcome < 0), np.diff(new.indptr))
    return np.bincount(new.nodes[at], minlength=n_nodes).astype(np.int32)


def _pairs(episodes: Episodes, n_nodes: int) -> npt.NDArray[np.int64]:
    """Distinct pairs inside the episodes, a·n + b with a < b, ascending."""
    size = np.diff(episodes.indptr)
    number = np.cumsum(size * (size - 1) // 2)
    found = [np.empty(0, np.int64)]
    first = 0
    while first < len(episodes):
        done = number[first - 1] if first else 0
        last = max(int(np.searchsorted(number, done + PAIRS_AT_ONCE, side="right")), first + 1)
        part = episodes.take(np.arange(first, min(last, len(episodes))))
        out = np.empty(number[min(last, len(episodes)) - 1] - done, np.int64)
        kernels.pairs_within(part.indptr, part.nodes, n_nodes, out)
        found.append(np.unique(out))
        first = last
    return np.unique(np.concatenate(found))


def _by_node(
    episodes: Episodes, n_nodes: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Episodes of each node, in CSR form."""
    return transpose(episodes.indptr, episodes.nodes.astype(np.int64, copy=False), n_nodes)
