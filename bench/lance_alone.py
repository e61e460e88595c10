"""Lance reading and writing what a pass reads and writes, and nothing else.

``python lance_alone.py STORE VALUES`` rewrites the learned columns of STORE with the arrays saved
in VALUES (see ``steps.py``), mapped and not read.  It imports Lance, Arrow and NumPy only.  The
edges and nodes go to one data file each, and each table is committed once by DataReplacement, as
``hebbgraph/tables.py`` does it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

started = time.perf_counter()
os.environ.setdefault("LANCE_LOG", "error")

import lance  # noqa: E402
import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from lance.file import LanceFileWriter  # noqa: E402
from lance.fragment import DataFile  # noqa: E402

ROWS_PER_BATCH = 1 << 20
READ = {
    "nodes": ("type", "properties", "average_edge_weight", "edge_count", "connection_diversity",
              "activation_level", "plasticity_score"),
    "edges": ("source", "target", "relation", "weight", "co_occurrence_count"),
}  # fmt: skip
WRITTEN = {
    "nodes": ("average_edge_weight", "edge_count", "connection_diversity", "activation_level",
              "plasticity_score"),
    "edges": ("weight", "co_occurrence_count", "updated_at"),
}  # fmt: skip


def values(folder: Path, table: str, field: pa.Field) -> pa.Array:
    array = np.load(folder / f"{table}.{field.name}.npy", mmap_mode="r")
    null = folder / f"{table}.{field.name}.null.npy"
    if not null.exists():
        return pa.array(array)
    return pa.array(array, mask=np.load(null)).cast(field.type)


def write(target: Path, folder: Path, table: str) -> None:
    dataset = lance.dataset(str(target))
    fragment = dataset.get_fragments()[0]
    schema = pa.schema([dataset.schema.field(name) for name in WRITTEN[table]])
    rows = pa.table([values(folder, table, field) for field in schema], schema=schema)
    name = "bench.lance"
    full = target / "data" / name
    with LanceFileWriter(str(full), schema=schema, version="2.1") as out:
        for batch in rows.to_batches(max_chunksize=ROWS_PER_BATCH):
            out.write_batch(batch)
    file = DataFile(
        path=name, fields=fragment.data_files()[1].fields,
        column_indices=list(range(len(schema))), file_major_version=2, file_minor_version=1,
        file_size_bytes=full.stat().st_size,
    )  # fmt: skip
    group = lance.LanceOperation.DataReplacementGroup(fragment.fragment_id, file)
    operation = lance.LanceOperation.DataReplacement([group])
    lance.LanceDataset.commit(str(target), operation, read_version=dataset.version)


def main(store: str, folder: str) -> None:
    seconds: dict[str, Any] = {"import": time.perf_counter() - started}
    begun = time.perf_counter()
    for table, columns in READ.items():
        dataset = lance.dataset(str(Path(store) / f"{table}.lance"))
        dataset.to_table(columns=list(columns), batch_size=ROWS_PER_BATCH, scan_in_order=True)
    seconds["read"] = time.perf_counter() - begun
    begun = time.perf_counter()
    for table in WRITTEN:
        write(Path(store) / f"{table}.lance", Path(folder), table)
    seconds["write"] = time.perf_counter() - begun
    print(json.dumps(seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
