"""Personalised PageRank by forward push, at the cost of what it touches.

Andersen, Chung and Lang, *Local graph partitioning using PageRank vectors* (2006), on weighted
graphs, first in first out.  A residual is what has arrived at a node and was
not handed on yet.  A push keeps 1 − d of it there and divides d among the node's edges by weight.
A node is pushed while its residual is above ε times its strength: hubs, which cost most, wait
longest.
"""

from __future__ import annotations

import numpy as np

from hebbgraph_kernels._jit import njit

RESIDUAL, ESTIMATE, STRENGTH, OTHER = 0, 1, 2, 3
"""Columns of a state, (n, 4) float64: what a touched edge reads of its end is in one cache line.

``OTHER`` is what arrives in the next level, and later what inhibition takes away.  Between calls
all but the strength are zeros.
"""

CLOSE = 0.02
"""Share of an estimate within which two are told apart by a further step, about the error that was
measured at hubs."""


def state_of(strength: np.ndarray) -> np.ndarray:
    """State at rest for nodes of these strengths, (n,) float64."""
    state = np.zeros((strength.size, 4))
    state[:, STRENGTH] = strength
    return state


@njit
def _push(indptr, indices, weight, state, damping, epsilon, queue, touched, found):  # type: ignore[no-untyped-def]
    """Push the touched nodes once, then whatever is above its threshold, first in, first out."""
    n = state.shape[0]
    pushes = 0
    head = 0
    waiting = found
    for k in range(found):
        queue[k] = touched[k]
    while waiting:
        node = queue[head]
        head = head + 1 if head + 1 < n else 0
        waiting -= 1
        pushes += 1
        mass = state[node, RESIDUAL]
        state[node, RESIDUAL] = 0.0
        if state[node, STRENGTH] == 0.0:
            state[node, ESTIMATE] += mass
            continue
        state[node, ESTIMATE] += (1.0 - damping) * mass
        scale = damping * mass / state[node, STRENGTH]
        for entry in range(indptr[node], indptr[node + 1]):
            other = indices[entry]
            before = state[other, RESIDUAL]
            after = before + scale * weight[entry]
            state[other, RESIDUAL] = after
            if before == 0.0 and state[other, ESTIMATE] == 0.0:
                touched[found] = other
                found += 1
            bar = epsilon * state[other, STRENGTH]
            # Over the bar is in the queue, so each node stands there at most once.
            if before <= bar and after > bar:
                tail = head + waiting
                queue[tail if tail < n else tail - n] = other
                waiting += 1
    return found, pushes


@njit
def _push_levels(indptr, indices, weight, state, damping, epsilon, depth, queue, touched, found):  # type: ignore[no-untyped-def]
    """The same in steps, of which there are at most ``depth``.

    What a level leaves below the threshold stays where it is and goes no further; so does what has
    come to the last level.  Returns also the mass that was held back before that.
    """
    pushes = 0
    held = 0.0
    size = found
    for k in range(found):
        queue[k] = touched[k]
    for level in range(depth):
        if size == 0:
            break
        first_new = size
        for k in range(size):
            node = queue[k]
            mass = state[node, RESIDUAL]
            state[node, RESIDUAL] = 0.0
            strength = state[node, STRENGTH]
            if strength == 0.0:
                state[node, ESTIMATE] += mass
                pushes += 1
                continue
            state[node, ESTIMATE] += (1.0 - damping) * mass
            if level > 0 and mass <= epsilon * strength:
                held += damping * mass
                continue
            pushes += 1
            scale = damping * mass / strength
            for entry in range(indptr[node], indptr[node + 1]):
                other = indices[entry]
                before = state[other, OTHER]
                state[other, OTHER] = before + scale * weight[entry]
                if before == 0.0:
                    queue[first_new] = other
                    first_new += 1
                    if state[other, ESTIMATE] == 0.0 and state[other, RESIDUAL] == 0.0:
                        touched[found] = other
                        found += 1
        for k in range(size, first_new):
            node = queue[k]
            queue[k - size] = node
            state[node, RESIDUAL] = state[node, OTHER]
            state[node, OTHER] = 0.0
        size = first_new - size
    for k in range(size):
        node = queue[k]
        kept = 1.0 if state[node, STRENGTH] == 0.0 else 1.0 - damping
        state[node, ESTIMATE] += kept * state[node, RESIDUAL]
        state[node, RESIDUAL] = 0.0
    return found, pushes, held


@njit
def _settle(  # type: ignore[no-untyped-def]
    indptr, indices, weight, seeds, shares, damping, epsilon, level, best, state, ratio,
    touched, found, activation,
):  # fmt: skip
    """Replace estimates close to the ``best``-th highest by what their neighbours' give exactly.

    One step of a = (1 − d)·x + d·Wᵀ·diag(1/s)·a, closest first, over no more strength than pushing
    may take.  Errors of many neighbours cancel, so at hubs, whose own are largest, little is left.
    """
    # Read over and over at random: in an array of its own eight times as many lie in a cache.
    for k in range(found):
        node = touched[k]
        activation[k] = state[node, ESTIMATE]
        if state[node, STRENGTH] > 0.0:
            ratio[node] = state[node, ESTIMATE] / state[node, STRENGTH]
    bar = np.partition(activation[:found], found - best)[found - best]
    close = np.flatnonzero(np.abs(activation[:found] - bar) <= CLOSE * bar)
    close = close[np.argsort(np.abs(activation[close] - bar), kind="mergesort")]
    budget = 1.0 / ((1.0 - damping) * epsilon)
    spent = 0.0
    done = 0
    for place in close:
        node = touched[place]
        strength = state[node, STRENGTH]
        spent += strength
        if spent > budget:
            break
        done += 1
        if strength == 0.0:
            continue
        arriving = 0.0
        for entry in range(indptr[node], indptr[node + 1]):
            own = ratio[indices[entry]]
            arriving += weight[entry] * (own if own > 0.0 else level)
        activation[place] = damping * arriving
    for place in close[:done]:
        if state[touched[place], STRENGTH] > 0.0:
            state[touched[place], ESTIMATE] = activation[place]
            # Marks for the seeds below; taken back there.
            state[touched[place], OTHER] = 1.0
    for k in range(seeds.size):
        if state[seeds[k], OTHER] == 1.0:
            state[seeds[k], ESTIMATE] += (1.0 - damping) * shares[k]
    for place in close[:done]:
        state[touched[place], OTHER] = 0.0
    for k in range(found):
        ratio[touched[k]] = 0.0


@njit
def spread(
    indptr: np.ndarray,
    indices: np.ndarray,
    weight: np.ndarray,
    inhibitory_indptr: np.ndarray,
    inhibitory_indices: np.ndarray,
    inhibitory_weight: np.ndarray,
    inhibitory_strength: np.ndarray,
    seeds: np.ndarray,
    shares: np.ndarray,
    damping: float,
    epsilon: float,
    depth: int,
    whole: float,
    best: int,
    state: np.ndarray,
    ratio: np.ndarray,
    queue: np.ndarray,
    touched: np.ndarray,
    activation: np.ndarray,
) -> tuple[int, int, float, float, float]:
    """Activation that seeds spread.

    Parameters
    ----------
    indptr, indices, weight : (n + 1,) int64, (m,) int, (m,) float32 > 0; edges that activate
    inhibitory_indptr, … : likewise, by absolute weight; edges that take away
    inhibitory_strength : (n,) float64, sums of their rows; (0,) where there are none
    seeds : (k,) int64, distinct
    shares : (k,) float64 > 0, sum 1
    damping : d in (0, 1)
    epsilon : largest residual of a unit of strength
    depth : most steps; negative where there is no limit
    whole : Σ of strengths where weights are symmetric and no depth is given; infinite elsewhere
    best : how many of the highest are wanted: what is close to the last of them is settled by one
        exact step; 0 for none.  Only where ``whole`` is finite
    state : (n, 4) float64, see :func:`state_of`; left as it was
    ratio : (n,) float32, zeros before and after; (0,) where ``best`` is never given
    queue : (2 n,) like ``indices``, scratch
    touched, activation : (n,) like ``indices``, (n,) float64; out

    Returns
    -------
    found : how many nodes are touched; the first places of ``touched`` and ``activation`` hold them
    pushes : residuals handed on
    held : activation that was not handed on, of which no more than this can be missing anywhere
    undelivered : the part of it that no node was given
    silent : activation of nodes too weak to inhibit over the inhibitory edges they have
    """
    for k in range(seeds.size):
        touched[k] = seeds[k]
        state[seeds[k], RESIDUAL] = shares[k]
    if depth < 0:
        found, pushes = _push(
            indptr, indices, weight, state, damping, epsilon, queue, touched, seeds.size
        )
        undelivered = 0.0
        for k in range(found):
            node = touched[k]
            undelivered += damping * state[node, RESIDUAL]
        held = undelivered
        level = held / whole
        for k in range(found):
            node = touched[k]
            # Of what arrived a node keeps its part, whether or not the rest goes on; the rest is
            # taken to have mixed, and then every node has as much as it has strength.
            state[node, ESTIMATE] += (1.0 - damping) * state[node, RESIDUAL]
            state[node, RESIDUAL] = 0.0
            share = level * state[node, STRENGTH]
            state[node, ESTIMATE] += share
            undelivered -= share
        if 0 < best < found and whole < np.inf:
            _settle(
                indptr, indices, weight, seeds, shares, damping, epsilon, level, best, state, ratio,
                touched, found, activation,
            )  # fmt: skip
    else:
        found, pushes, held = _push_levels(
            indptr, indices, weight, state, damping, epsilon / max(depth, 1), depth, queue,
            touched, seeds.size,
        )  # fmt: skip
        undelivered = held
    silent = 0.0
    active = found
    if inhibitory_indices.size:
        for k in range(active):
            node = touched[k]
            begin, end = inhibitory_indptr[node], inhibitory_indptr[node + 1]
            if begin == end:
                continue
            total = state[node, STRENGTH] + inhibitory_strength[node]
            amount = state[node, ESTIMATE]
            if amount <= (1.0 - damping) * epsilon * total:
                silent += amount
                continue
            scale = damping * amount / total
            for entry in range(begin, end):
                other = inhibitory_indices[entry]
                if state[other, OTHER] == 0.0 and state[other, ESTIMATE] == 0.0:
                    touched[found] = other
                    found += 1
                state[other, OTHER] += scale * inhibitory_weight[entry]
    for k in range(found):
        node = touched[k]
        activation[k] = state[node, ESTIMATE] - state[node, OTHER]
        state[node, ESTIMATE] = 0.0
        state[node, OTHER] = 0.0
    return found, pushes, held, max(undelivered, 0.0), silent
