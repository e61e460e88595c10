"""Graph: a frozen CSR matrix of edges with aligned columns, and its nodes."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hebbgraph import casting, edgelist, ids, matrices, nx, structure
from hebbgraph.columns import (
    DISCOVERED_BY,
    EDGE_ARRAYS,
    Ints,
    NodeMetrics,
    build,
    inferred_column,
    row_pointers,
    time_column,
)
from hebbgraph.edgelist import IdPolicy
from hebbgraph.errors import InputError
from hebbgraph.node_use import NodeUse

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Graph:
    """A graph whose edges can learn.

    Edges are directed, typed and weighted; identity is (source, target,
    relation).  They stand in CSR order, sorted by source, then target, then
    relation, and every edge array is aligned with ``indices``.  Build one with
    :meth:`from_edges`, :meth:`from_arrow`, :meth:`from_scipy` or
    :meth:`from_networkx`.

    Attributes
    ----------
    indptr : (n_nodes + 1,) int64
    indices : (n_edges,) int32, or int64 from 2³¹ nodes on; key of the target
    weight : (n_edges,) float32, initially 1.0
    relation : (n_edges,) int32, position in ``relation_names``
    relation_names : names of the relations
    co_occurrence_count : (n_edges,) int32, ≥ 0; co-occurrence already learned from
    time, updated_at, decayed_at : (n_edges,) int64 UTC microseconds, smallest
        int64 where undated; None where no edge is dated
    support : (n_edges,) int32, |N(u) ∩ N(v)| in the window as the last pass counted
        it, 0 at inferred edges, −1 at edges that came after it; None where no pass has
        counted, or edges have gone or node types changed since
    inferred : (n_edges,) bool, made by discovery; None where no edge is
    confidence, rank : (n_edges,) float64, NaN at observed edges; None likewise
    shared_neighbors : (n_edges,) int32, 0 at observed edges; None likewise
    edge_properties : (n_edges,) Arrow strings, one JSON object each, or None
    node_ids : (n_nodes,) Arrow string or int64 array; None where ids are the keys
    node_type : (n_nodes,) int32, position in ``type_names``, −1 where untyped; or None
    node_properties : (n_nodes,) Arrow strings, one JSON object each, or None
    metrics : what the last pass measured at the nodes, or None
    use : what use did to the nodes; None where nothing used them
    directed : whether edge direction carries meaning
    duplicates, self_loops : input rows merged, and dropped, when it was built

    Raises
    ------
    InputError
        arrays given directly are of another type, length, range or order than stated here

    Examples
    --------
    >>> from hebbgraph import Graph
    >>> graph = Graph.from_edges(["ann", "bob", "ann"], ["bob", "cy", "cy"])
    >>> graph
    Graph(3 nodes, 3 edges, directed)
    >>> graph.neighbors("ann")
    ['bob', 'cy']
    """

    indptr: npt.NDArray[np.int64]
    indices: Ints
    weight: npt.NDArray[np.float32]
    relation: npt.NDArray[np.int32]
    relation_names: tuple[str, ...]
    co_occurrence_count: npt.NDArray[np.int32]
    time: npt.NDArray[np.int64] | None = None
    updated_at: npt.NDArray[np.int64] | None = None
    decayed_at: npt.NDArray[np.int64] | None = None
    support: npt.NDArray[np.int32] | None = None
    inferred: npt.NDArray[np.bool_] | None = None
    confidence: npt.NDArray[np.float64] | None = None
    shared_neighbors: npt.NDArray[np.int32] | None = None
    rank: npt.NDArray[np.float64] | None = None
    edge_properties: pa.Array | None = None
    node_ids: pa.Array | None = None
    node_type: npt.NDArray[np.int32] | None = None
    type_names: tuple[str, ...] = ()
    node_properties: pa.Array | None = None
    metrics: NodeMetrics | None = None
    use: NodeUse | None = None
    directed: bool = True
    duplicates: int = field(default=0)
    self_loops: int = field(default=0)
    _checked: tuple[Any, ...] = ()
    """Structure known to be sound: what ``replace`` leaves alone is not looked at again."""

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray) and value.flags.writeable:
                view = value.view()
                view.flags.writeable = False
                object.__setattr__(self, item.name, view)
        structure.check_shapes(self)
        parts = self.indptr, self.indices, self.relation, self.inferred, self.relation_names
        known = self._checked
        if len(known) != len(parts) or any(a is not b for a, b in zip(known, parts, strict=True)):
            structure.check_rows(self)
            object.__setattr__(self, "_checked", parts)

    # -- construction ---------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        source: Any,
        target: Any,
        *,
        weight: Any | None = None,
        relation: Any | None = None,
        time: Any | None = None,
        node_ids: Any | None = None,
        directed: bool = True,
        ids: IdPolicy = "strict",
    ) -> Graph:
        """Build a graph from two sequences of node ids.

        Self-loops are dropped; rows of one (source, target, relation) are merged into one edge
        with their largest weight and latest time.

        Parameters
        ----------
        source, target : (rows,) text ids or integers
            integers are node keys 0 … n−1, unless ``node_ids`` holds integers: then they are
            looked up there
        weight : number or (rows,), finite, ≥ 0
        relation : name or (rows,) names; ``"related"`` by default
        time : (rows,) datetimes, ISO 8601 text or epoch numbers; null is undated
        node_ids : (n_nodes,) ids by key; the only way to have nodes without an edge
        directed : if False, (u, v) and (v, u) are one edge
        ids : ``"strict"`` refuses ids that differ only in Unicode normalisation or blanks,
            ``"normalize"`` merges them, ``"exact"`` keeps them apart

        Raises
        ------
        InputError
            an id or relation is null, a weight is negative or not finite, lengths differ, …
        """
        return cls(**build(
            {"source": source, "target": target, "weight": weight, "relation": relation,
             "time": time},
            node_ids=node_ids, integers_are_keys=True, directed=directed, ids=ids,
            where=edgelist.at_row,
        ))  # fmt: skip

    @classmethod
    def from_arrow(
        cls,
        edges: Any,
        *,
        nodes: pa.Table | None = None,
        source: str = "source",
        target: str = "target",
        directed: bool = True,
        ids: IdPolicy = "strict",
        where: Callable[[int], str] = edgelist.at_row,
        where_node: Callable[[int], str] = edgelist.at_row,
    ) -> Graph:
        """Build a graph from an Arrow table of edges, and one of nodes.

        Parameters
        ----------
        edges : Arrow table, pandas data frame or mapping with columns ``source``, ``target``
            (text or any 64-bit integers), and optionally ``relation``, ``weight``, ``time``,
            ``properties`` and the learned columns that :meth:`to_arrow` writes
        nodes : columns ``id``, and optionally ``type`` and ``properties``; nodes that only
            occur in edges are added
        where, where_node : how a message calls a row of ``edges``, of ``nodes``

        Raises
        ------
        InputError
            as :meth:`from_edges`, or a column is missing
        """
        edges = casting.table_of(edges, "edges")
        for name in (source, target):
            if name not in edges.column_names:
                raise InputError(
                    f'no column "{name}" among {", ".join(edges.column_names)}; '
                    "name it with source= or target="
                )
        columns = {name: edges.column(name) for name in edges.column_names}
        columns["source"], columns["target"] = columns[source], columns[target]
        graph = cls(**build(
            columns, node_ids=None, integers_are_keys=False, directed=directed, ids=ids,
            where=where,
        ))  # fmt: skip
        return graph if nodes is None else graph.with_nodes(nodes, ids=ids, where=where_node)

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, relation: str | None = None, directed: bool = True
    ) -> Graph:
        """Build a graph from a square SciPy sparse matrix; stored values are weights."""
        entries = matrices.entries(matrix)
        return cls.from_edges(
            entries.row, entries.col, weight=entries.data, relation=relation,
            node_ids=np.arange(matrix.shape[0]), directed=directed,
        )  # fmt: skip

    @classmethod
    def from_networkx(
        cls, graph: networkx.Graph[Any], *, weight: str = "weight", relation: str = "relation",
        time: str = "time", node_type: str = "type",
    ) -> Graph:  # fmt: skip
        """Build a graph from a NetworkX graph.

        Nodes that are all integers are integer ids; otherwise ids are the nodes as text.

        Edge attributes named by ``weight``, ``relation`` and ``time`` are read where present.
        """
        edges, nodes = nx.to_columns(
            graph, weight=weight, relation=relation, time=time, node_type=node_type
        )
        known = nodes["id"].combine_chunks()
        built = cls.from_edges(**edges, node_ids=known, directed=graph.is_directed(), ids="exact")
        return built.with_nodes(nodes, ids="exact") if "type" in nodes.column_names else built

    def with_nodes(
        self,
        nodes: pa.Table,
        *,
        ids: IdPolicy = "strict",
        where: Callable[[int], str] = edgelist.at_row,
    ) -> Graph:
        """The same edges with types and properties from a table; unknown ids are added."""
        from hebbgraph.merge import with_nodes

        return with_nodes(self, nodes, id_policy=ids, where=where)

    # -- size and access ------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self.indptr.size - 1)

    @property
    def n_edges(self) -> int:
        """Number of edges, observed and inferred."""
        return int(self.indices.size)

    @property
    def n_inferred(self) -> int:
        """Number of edges made by discovery."""
        return 0 if self.inferred is None else int(np.count_nonzero(self.inferred))

    @property
    def is_inferred(self) -> npt.NDArray[np.bool_]:
        """(n_edges,) bool, whether discovery made the edge."""
        return np.zeros(self.n_edges, np.bool_) if self.inferred is None else self.inferred

    @cached_property
    def source(self) -> Ints:
        """(n_edges,) key of every edge's source, like ``indices``."""
        keys = np.arange(self.n_nodes, dtype=self.indices.dtype)
        return np.repeat(keys, np.diff(self.indptr))

    @property
    def target(self) -> Ints:
        """(n_edges,) key of every edge's target."""
        return self.indices

    @cached_property
    def observed(self) -> tuple[npt.NDArray[np.int64], Ints]:
        """CSR ``(indptr, indices)`` of the observed edges alone."""
        if self.inferred is None:
            return self.indptr, self.indices
        kept = ~self.inferred
        before = np.concatenate(([0], np.cumsum(kept)))
        return before[self.indptr], self.indices[kept]

    @cached_property
    def degree(self) -> npt.NDArray[np.int64]:
        """(n_nodes,) |N(v)|: distinct nodes joined by an observed edge, either direction."""
        indptr, indices = self.observed
        source = np.repeat(np.arange(self.n_nodes, dtype=np.int64), np.diff(indptr))
        low, high = np.minimum(source, indices), np.maximum(source, indices)
        kept = edgelist.canonicalise(
            low, high, None, n_nodes=self.n_nodes, n_relations=1, directed=True
        )
        return np.bincount(kept.source, minlength=self.n_nodes) + np.bincount(
            kept.target, minlength=self.n_nodes
        )

    def key(self, node: str | int) -> int:
        """Key of a node id.

        Raises
        ------
        NodeNotFoundError
            no node has that id
        """
        return ids.key(node, self.node_ids, self.n_nodes)

    def id(self, key: int) -> str | int:
        """Id of a node key."""
        return int(key) if self.node_ids is None else self.node_ids[int(key)].as_py()

    def ids_of(self, keys: Any) -> pa.Array:
        """Ids of many keys as one Arrow array."""
        keys = pa.array(np.asarray(keys, np.int64))
        return keys if self.node_ids is None else self.node_ids.take(keys)

    def incident(self, node: str | int) -> npt.NDArray[np.int64]:
        """Positions of the edges at a node, in either direction, ascending."""
        key = self.key(node)
        incoming = np.flatnonzero(self.indices == key)
        outgoing = np.arange(self.indptr[key], self.indptr[key + 1])
        return np.union1d(outgoing, incoming)

    def neighbors(self, node: str | int, *, inferred: bool = True) -> list[str | int]:
        """Ids of the distinct nodes joined to a node in either direction, by key.

        Parameters
        ----------
        inferred : whether nodes joined by an inferred edge alone are among them

        Raises
        ------
        NodeNotFoundError
            no node has that id
        """
        edges = self.incident(node)
        if not inferred:
            edges = edges[~self.is_inferred[edges]]
        ends = np.union1d(self.source[edges], self.indices[edges])
        found: list[str | int] = self.ids_of(ends[ends != self.key(node)]).to_pylist()
        return found

    def subgraph(self, nodes: Sequence[str | int]) -> Graph:
        """The graph on some of the nodes: edges with both ends among them.

        Keys are new, in the old order; ids and all columns are kept.
        """
        keys = np.unique(np.array([self.key(node) for node in nodes], np.int64))
        new_key = np.full(self.n_nodes, -1, np.int64)
        new_key[keys] = np.arange(keys.size)
        kept = np.flatnonzero((new_key[self.source] >= 0) & (new_key[self.indices] >= 0))
        source, target = new_key[self.source[kept]], new_key[self.indices[kept]]
        return self.take_edges(
            kept, source=source, target=target, n_nodes=keys.size, metrics=None,
            **self.take_nodes(keys),
        )  # fmt: skip

    def take_nodes(self, keys: npt.NDArray[np.int64]) -> dict[str, Any]:
        """Node columns of some keys, ids always explicit, as arguments for ``replace``."""
        chosen = pa.array(keys)
        return {
            "node_ids": self.ids_of(keys),
            "node_type": None if self.node_type is None else self.node_type[keys],
            "node_properties": None
            if self.node_properties is None
            else self.node_properties.take(chosen),
            "use": None if self.use is None else self.use.take(keys),
        }

    def take_edges(
        self,
        edges: npt.NDArray[np.int64],
        *,
        source: Ints | None = None,
        target: Ints | None = None,
        n_nodes: int | None = None,
        **nodes: Any,
    ) -> Graph:
        """The graph on some of the edges, given in CSR order, with new ends and nodes if given."""
        tail = self.source[edges] if source is None else source
        size = self.n_nodes if n_nodes is None else n_nodes
        head = (self.indices[edges] if target is None else target).astype(
            edgelist.index_dtype(size)
        )
        taken: dict[str, Any] = {
            name: None if getattr(self, name) is None else getattr(self, name)[edges]
            for name in EDGE_ARRAYS
        }
        if edges.size < self.n_edges:
            taken["support"] = None
        properties = self.edge_properties
        return dataclasses.replace(
            self,
            indptr=row_pointers(tail, size),
            indices=head,
            edge_properties=None if properties is None else properties.take(pa.array(edges)),
            **taken,
            **nodes,
        )

    # -- export ---------------------------------------------------------------

    def to_arrow(self, *, keys: bool = False) -> pa.Table:
        """Edges as an Arrow table, in CSR order; :meth:`from_arrow` reads it back whole.

        Parameters
        ----------
        keys : write int64 node keys in place of ids
        """
        source: Any = pa.array(self.source.astype(np.int64, copy=False))
        target: Any = pa.array(self.indices.astype(np.int64, copy=False))
        if not keys and self.node_ids is not None:
            source, target = self.node_ids.take(source), self.node_ids.take(target)
        relation = pa.DictionaryArray.from_arrays(
            pa.array(self.relation), pa.array(self.relation_names, pa.string())
        )
        made = self.is_inferred
        found_by = pc.if_else(pa.array(made), DISCOVERED_BY, pa.scalar(None, pa.string()))
        properties = self.edge_properties
        columns = {} if not keys else {"support": self.support}
        if keys and self.support is None:
            columns["support"] = pa.nulls(self.n_edges, pa.int32())
        return pa.table(
            {
                "source": source,
                "target": target,
                "relation": relation,
                "time": time_column(self.time, self.n_edges),
                "discovered_by": found_by,
                "confidence": inferred_column(self.confidence, made, pa.float64()),
                "shared_neighbors": inferred_column(self.shared_neighbors, made, pa.int32()),
                "rank": inferred_column(self.rank, made, pa.float64()),
                "properties": pa.nulls(made.size, pa.string())
                if properties is None
                else properties,
                "weight": pa.array(self.weight),
                "co_occurrence_count": pa.array(self.co_occurrence_count),
                "updated_at": time_column(self.updated_at, self.n_edges),
                "decayed_at": time_column(self.decayed_at, self.n_edges),
                **columns,
            }
        )

    def nodes_to_arrow(self) -> pa.Table:
        """Nodes as an Arrow table with columns id, type, properties, the metrics and use."""
        n = self.n_nodes
        codes = np.full(n, -1, np.int32) if self.node_type is None else self.node_type
        types = pa.DictionaryArray.from_arrays(
            pa.array(codes, mask=codes < 0), pa.array(self.type_names, pa.string())
        )
        columns: dict[str, Any] = {
            "id": self.ids_of(np.arange(n)),
            "type": types,
            "properties": self.node_properties
            if self.node_properties is not None
            else pa.nulls(n, pa.string()),
        }
        for item in dataclasses.fields(NodeMetrics):
            values = None if self.metrics is None else getattr(self.metrics, item.name)
            columns[item.name] = values
        if self.use is not None:
            columns |= self.use.columns()
        kept = {name: column for name, column in columns.items() if column is not None}
        return pa.table(kept)

    def to_scipy(self) -> scipy.sparse.csr_array[Any, Any]:
        """Weights as an (n_nodes, n_nodes) float32 CSR array; parallel edges add up."""
        from scipy.sparse import csr_array

        shape = (self.n_nodes, self.n_nodes)
        matrix = csr_array((self.weight, self.indices, self.indptr), shape=shape)
        if len(self.relation_names) > 1:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix

    def to_networkx(self) -> networkx.Graph[Any]:
        """The graph as a NetworkX (Multi)(Di)Graph with all columns as attributes."""
        return nx.from_columns(
            self.to_arrow(),
            self.nodes_to_arrow(),
            directed=self.directed,
            several=len(self.relation_names) > 1,
        )

    # -- for people -----------------------------------------------------------

    def __repr__(self) -> str:
        parts = [f"{self.n_nodes:,} nodes", f"{self.n_edges:,} edges"]
        if self.n_inferred:
            parts.append(f"{self.n_inferred:,} of them inferred")
        if len(self.relation_names) > 1:
            parts.append(f"{len(self.relation_names):,} relations")
        parts.append("directed" if self.directed else "undirected")
        return f"Graph({', '.join(parts)})"

    def _repr_html_(self) -> str:
        counts = np.bincount(self.relation, minlength=len(self.relation_names))
        weights = f"{self.weight.mean():.3f}" if self.n_edges else "–"
        rows = [
            ("nodes", f"{self.n_nodes:,}"),
            ("edges", f"{self.n_edges:,}"),
            ("inferred", f"{self.n_inferred:,}"),
            ("mean weight", weights),
        ] + [
            (f"— {self.relation_names[code]}", f"{counts[code]:,}")
            for code in np.argsort(-counts, kind="stable")[:8]
        ]
        body = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:right'>{html.escape(value)}</td></tr>"
            for name, value in rows
        )
        return f"<table><caption>{html.escape(repr(self))}</caption>{body}</table>"
