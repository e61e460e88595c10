"""Arrow schemas of every table; ``docs/data-model.md`` tabulates them.

Fields named in ``LEARNED`` are rewritten by a pass and live in data files of
their own; all others are written once.
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 2
"""Raised when an older release could misread a table."""

TIME = pa.timestamp("us", tz="UTC")
NAME = pa.dictionary(pa.int32(), pa.string())


def _field(name: str, kind: pa.DataType, comment: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"comment": comment})


NODES = pa.schema(
    [
        _field("key", pa.int64(), "row number, from 0; what edges refer to"),
        _field("id", pa.string(), "the node's own id, unique"),
        _field("type", NAME, "kind of node", nullable=True),
        _field("properties", pa.string(), "one JSON object", nullable=True),
        _field("average_edge_weight", pa.float32(), "mean weight of incident edges", nullable=True),
        _field("edge_count", pa.int64(), "incident edges, observed and inferred", nullable=True),
        _field("connection_diversity", pa.int32(), "distinct relations", nullable=True),
        _field("activation_level", pa.float32(), "mean(w)/w_max·exp(−Δt/τ)", nullable=True),
        _field("plasticity_score", pa.float32(), "activation·(1+w̄/10)+diversity", nullable=True),
        _field("access_count", pa.int32(), "episodes that held the node", nullable=True),
        _field("success_count", pa.int32(), "of them with an outcome above 0", nullable=True),
        _field("failure_count", pa.int32(), "of them with an outcome below 0", nullable=True),
        _field("activation", pa.float32(), "in [0, 1], as at activated_at", nullable=True),
        _field("activated_at", TIME, "last use; null if never used", nullable=True),
        _field("tier", pa.int8(), "0 raw to 3 lasting", nullable=True),
        _field("created_at", TIME, "first use, or first consolidation", nullable=True),
        _field("archived_at", TIME, "when it left for the archive; null if it is here",
               nullable=True),
    ]
)  # fmt: skip

EDGES = pa.schema(
    [
        _field("source", pa.int64(), "key of the source node; rows are sorted by it"),
        _field("target", pa.int64(), "key of the target node; sorted within a source"),
        _field("relation", NAME, "kind of edge; identity is (source, target, relation)"),
        _field("time", TIME, "when it was observed; null is undated", nullable=True),
        _field("discovered_by", pa.string(), "rule that inferred it; null if observed",
               nullable=True),
        _field("confidence", pa.float64(), "value of the measure, inferred edges", nullable=True),
        _field("shared_neighbors", pa.int32(), "common neighbours, inferred edges", nullable=True),
        _field("rank", pa.float64(), "value of rank_by, inferred edges", nullable=True),
        _field("properties", pa.string(), "one JSON object; evidence, inferred edges",
               nullable=True),
        _field("weight", pa.float32(), "synaptic weight, initially 1.0"),
        _field("co_occurrence_count", pa.int32(), "co-occurrence already learned from"),
        _field("updated_at", TIME, "last change, fading at the floor aside", nullable=True),
        _field("decayed_at", TIME, "up to when the weight has faded", nullable=True),
        _field("support", pa.int32(), "shared neighbours at the last pass, -1 if newer",
               nullable=True),
    ]
)  # fmt: skip

ARCHIVE = EDGES
"""Edges of archived nodes, with all they learned."""

EPISODES = pa.schema(
    [
        _field("seq", pa.int64(), "order of recording, ascending from 0"),
        _field("id", pa.string(), "given by the recorder; of equal ids the first counts",
               nullable=True),
        _field("time", TIME, "when it happened"),
        _field("outcome", pa.float32(), "in [-1, 1]: failure to success, 0 neither"),
        _field("kind", pa.string(), "what it was: search, tool call, …", nullable=True),
        _field("context", pa.string(), "whatever the recorder wants to keep", nullable=True),
        _field("nodes", pa.list_(pa.string()), "ids of the distinct nodes active together"),
    ]
)  # fmt: skip

SNAPSHOTS = pa.schema(
    [
        pa.field(
            "seq",
            pa.int64(),
            nullable=False,
            metadata={
                "comment": "number of the snapshot, from 0; the compare-and-swap key",
                "lance-schema:unenforced-primary-key": "true",
            },
        ),
        _field("id", pa.string(), "random, tells which of two racing writers won"),
        _field("parent", pa.int64(), "snapshot it was made from", nullable=True),
        _field("created_at", TIME, "when it was committed"),
        _field("operation", pa.string(), "import, plastify, tune, restore, …"),
        _field("parameters", pa.string(), "options of the operation, JSON"),
        _field("figures", pa.string(), "report of the operation, JSON"),
        _field("directed", pa.bool_(), "whether edge direction carries meaning"),
        _field("id_type", pa.string(), "string, int64, or key where ids are the keys"),
        _field("empty_columns", pa.string(), "edge columns that are all null, JSON list"),
        _field("nodes_version", pa.int64(), "Lance version of nodes"),
        _field("edges_version", pa.int64(), "Lance version of edges"),
        _field("archive_version", pa.int64(), "Lance version of archive; null until there is one",
               nullable=True),
        _field("episodes_seen", pa.int64(), "episodes with a smaller seq are learned from",
               nullable=True),
        _field("schema_version", pa.int32(), "schema it was written with"),
        _field("clusters_version", pa.int64(), "Lance version of clusters", nullable=True),
        _field("documents_version", pa.int64(), "Lance version of documents", nullable=True),
        _field("passages_version", pa.int64(), "Lance version of passages", nullable=True),
    ]
)  # fmt: skip

CLUSTERS = pa.schema(
    [
        _field("id", pa.int64(), "stays from pass to pass; never given twice"),
        _field("name", pa.string(), "ids of the most central members"),
        _field("center", pa.int64(), "key of the most central member"),
        _field("size", pa.int64(), "number of members"),
        _field("cohesion", pa.float64(), "share of the members' weight that stays inside"),
        _field("stability", pa.float64(), "mean best Jaccard overlap with the other seeds"),
        _field("members", pa.list_(pa.int64()), "keys of the members, ascending"),
    ]
)

_HEADING = pa.struct([("start", pa.int64()), ("level", pa.int32()), ("title", pa.string())])
_LINK = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("target", pa.string())])

DOCUMENTS = pa.schema(
    [
        _field("key", pa.int64(), "key of its node"),
        _field("id", pa.string(), "id of its node, unique: what search returns"),
        _field("title", pa.string(), "empty if none is known"),
        _field("text", pa.string(), "as it was read"),
        _field("time", TIME, "when it was written or said", nullable=True),
        _field("source", pa.string(), "file it was read from; empty for a string"),
        _field("start", pa.int64(), "first of its bytes in the file; null: all", nullable=True),
        _field("end", pa.int64(), "byte after the last; null: all", nullable=True),
        _field("sha256", pa.string(), "of the bytes it was read from"),
        _field("kind", pa.string(), "lesson, decision, rule, …"),
        _field("tags", pa.list_(pa.string()), "small keywords, at most six if not given"),
        _field("keywords", pa.list_(pa.string()), "what one would type to find it", nullable=True),
        _field("scenarios", pa.list_(pa.string()), "when one would look for it", nullable=True),
        _field("node_set", pa.list_(pa.string()), "sets it was added to, sorted"),
        _field("headings", pa.list_(_HEADING), "where they stand, in characters"),
        _field("links", pa.list_(_LINK), "where they stand, in characters"),
        _field("metadata", pa.string(), "what else the source says, JSON"),
        _field("max_tokens", pa.int32(), "how it was cut"),
        _field("overlap", pa.int32(), "how it was cut"),
        _field("fingerprint", pa.string(), "hash of all the above but key and file"),
    ]
)

PASSAGES = pa.schema(
    [
        _field("key", pa.int64(), "key of its node"),
        _field("id", pa.string(), "id of its node: document#ordinal"),
        _field("document", pa.string(), "id of its document"),
        _field("ordinal", pa.int32(), "place in the document, from 0"),
        _field("title", pa.string(), "of the document"),
        _field("headings", pa.list_(pa.string()), "titles it stands under, the highest first"),
        _field("text", pa.string(), "without blanks at its ends"),
        _field("source", pa.string(), "file of the document; empty for a string"),
        _field("start", pa.int64(), "first of its bytes in the document's text"),
        _field("end", pa.int64(), "byte after the last"),
        _field("sha256", pa.string(), "of the bytes the document was read from"),
        _field("time", TIME, "of the document", nullable=True),
        _field("node_set", pa.list_(pa.string()), "of the document"),
        _field("tags", pa.list_(pa.string()), "of the document"),
        _field("kind", pa.string(), "of the document"),
        _field("words", pa.string(), "words of title and text by blanks: what full text indexes"),
        _field("duplicate_of", pa.int64(), "key of the first passage of the same words",
               nullable=True),
    ]
)  # fmt: skip

VECTOR = "vector"
"""Column that memify adds to passages, a fixed-size list whose length the embedder decides."""


def with_vectors(dimensions: int) -> pa.Schema:
    """Schema of passages once they have vectors."""
    comment = "by the embedder that the snapshot names; null where none was made"
    return PASSAGES.append(_field(VECTOR, pa.list_(pa.float32(), dimensions), comment,
                                  nullable=True))  # fmt: skip


TABLES = {
    "nodes": NODES,
    "edges": EDGES,
    "archive": ARCHIVE,
    "episodes": EPISODES,
    "clusters": CLUSTERS,
    "documents": DOCUMENTS,
    "passages": PASSAGES,
    "snapshots": SNAPSHOTS,
}

LEARNED = {
    "nodes": (
        "average_edge_weight",
        "edge_count",
        "connection_diversity",
        "activation_level",
        "plasticity_score",
        "access_count",
        "success_count",
        "failure_count",
        "activation",
        "activated_at",
        "tier",
        "created_at",
        "archived_at",
    ),
    "edges": ("weight", "co_occurrence_count", "updated_at", "decayed_at", "support"),
}


def learned(table: str) -> pa.Schema:
    """The columns of ``table`` that a pass rewrites."""
    return pa.schema([TABLES[table].field(name) for name in LEARNED[table]])


def observed(table: str) -> pa.Schema:
    """The columns of ``table`` that a pass never touches."""
    return pa.schema([field for field in TABLES[table] if field.name not in LEARNED[table]])
