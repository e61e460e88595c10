"""Files of every format become the same canonical tables, or one line says why not."""

from __future__ import annotations

import gzip
import io
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from hebbgraph.errors import InputError, ParameterError
from hebbgraph.interop.files import FileTable, read_edges, read_nodes, recognise_columns

if TYPE_CHECKING:
    from pathlib import Path

MOMENT = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
IDS = ["서울", "🧠", 'say "hi"', "a,b", "two\nlines", "007", "NA", "null", "+5", "1e5"]


def edges(tmp_path: Path, text: str | bytes, name: str = "edges.csv", **options: Any) -> FileTable:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_edges(path, **options)


def nodes(tmp_path: Path, text: str, name: str = "nodes.csv", **options: Any) -> FileTable:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    return read_nodes(tmp_path / name, **options)


def write(table: pa.Table, path: Path) -> None:
    suffix = path.suffix
    if suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    elif suffix == ".tsv":
        pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(delimiter="\t"))
    elif suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif suffix == ".feather":
        pyarrow.feather.write_feather(table, str(path))
    elif suffix == ".arrow":
        with pyarrow.ipc.new_stream(str(path), table.schema) as writer:
            writer.write_table(table)
    elif suffix == ".lance":
        import lance

        lance.write_dataset(table, str(path))
    else:
        rows = [
            {key: value for key, value in row.items() if value is not None}
            for row in table.to_pylist()
        ]
        lines = [json.dumps(row, default=lambda moment: moment.isoformat()) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


SUFFIXES = ["csv", "tsv", "parquet", "feather", "arrow", "lance", "jsonl"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same_table(tmp_path: Path, suffix: str) -> None:
    n = len(IDS)
    table = pa.table(
        {
            "Src": IDS,
            "extra": list(range(n)),
            "dst": IDS[::-1],
            "rel": ["knows"] * (n - 1) + [None],
            "w": pa.array([0.5] * (n - 1) + [None], pa.float64()),
            "created_at": pa.array([MOMENT] * (n - 1) + [None], pa.timestamp("us", "UTC")),
        }
    )
    write(table, tmp_path / f"edges.{suffix}")
    read = read_edges(tmp_path / f"edges.{suffix}")
    assert read.name == f"edges.{suffix}"
    assert read.table.column_names == ["source", "target", "relation", "weight", "time"]
    assert read.table.schema.types == [
        pa.string(),
        pa.string(),
        pa.string(),
        pa.float64(),
        pa.timestamp("us", "UTC"),
    ]
    assert read.table["source"].to_pylist() == IDS
    assert read.table["target"].to_pylist() == IDS[::-1]
    assert read.table["relation"].to_pylist() == ["knows"] * (n - 1) + [None]
    assert read.table["weight"].to_pylist() == [0.5] * (n - 1) + [None]
    assert read.table["time"].to_pylist() == [MOMENT] * (n - 1) + [None]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("any_inferred", [True, False])
def test_an_export_round_trips(tmp_path: Path, suffix: str, any_inferred: bool) -> None:
    found = "shared_neighbors" if any_inferred else None
    table = pa.table(
        {
            "source": ["a", "b"],
            "target": ["b", "c"],
            "relation": ["r", "s"],
            "weight": [1.0, 0.25],
            "time": pa.array([MOMENT, None], pa.timestamp("us", "UTC")),
            "co_occurrence_count": pa.array([3, 0], pa.int32()),
            "updated_at": pa.array([None, MOMENT], pa.timestamp("us", "UTC")),
            "discovered_by": pa.array([None, found], pa.string()),
            "confidence": pa.array([None, 0.75], pa.float64()),
            "shared_neighbors": pa.array([None, 4], pa.int32()),
            "rank": pa.array([0.125, 0.5], pa.float64()),
            "properties": pa.array(['{"a": "한, 글"}', None], pa.string()),
        }
    )
    write(table, tmp_path / f"edges.{suffix}")
    read = read_edges(tmp_path / f"edges.{suffix}").table
    assert read.schema.equals(table.schema)
    assert read.to_pylist() == table.to_pylist()


def test_without_both_marks_export_columns_are_left_out(tmp_path: Path) -> None:
    read = edges(tmp_path, "source,target,discovered_by,rank\n1,2,x,y\n").table
    assert read.column_names == ["source", "target"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x,,", r'line 2: co_occurrence_count "x" is not a whole number of 32 bits$'),
        ("1.5,,", r'co_occurrence_count "1.5" is not a whole number of 32 bits$'),
        ("3000000000,,", r'co_occurrence_count "3000000000" is not a whole number of 32 bits$'),
        ("1,,x", r'line 2: rank "x" is not a number$'),
    ],
)
def test_broken_export_columns(tmp_path: Path, cell: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        edges(tmp_path, f"source,target,co_occurrence_count,discovered_by,rank\na,b,{cell}\n")


# Ids


def test_integers_beyond_32_bits(tmp_path: Path) -> None:
    read = edges(tmp_path, "source,target\n9223372036854775807,-3000000000\n0,\n").table
    assert read.schema.types == [pa.int64(), pa.int64()]
    assert read.to_pylist()[0] == {"source": 2**63 - 1, "target": -3_000_000_000}
    assert read["target"].to_pylist()[1] is None


@pytest.mark.parametrize(
    "odd", ["007", "+5", "1e5", "NA", "null", "-0", "0x10", " 5", "1.0", "9223372036854775808"]
)
def test_ids_stay_as_written(tmp_path: Path, odd: str) -> None:
    read = edges(tmp_path, f"source,target\n1,2\n{odd},3\n").table
    assert read.schema.types == [pa.string(), pa.string()]
    assert read["source"].to_pylist() == ["1", odd]
    assert read["target"].to_pylist() == ["2", "3"]


def test_ids_in_binary_columns(tmp_path: Path) -> None:
    def read(source: Any, target: Any) -> list[Any]:
        pyarrow.parquet.write_table(
            pa.table({"source": source, "target": target}), tmp_path / "e.parquet"
        )
        table = read_edges(tmp_path / "e.parquet").table
        return [*table.schema.types, table["source"].to_pylist(), table["target"].to_pylist()]

    whole, text = pa.int64(), pa.string()
    assert read(pa.array([1], pa.int8()), ["2"]) == [whole, whole, [1], [2]]
    assert read([1], ["x"]) == [text, text, ["1"], ["x"]]
    assert read(pa.array([1.0, None, float("nan")]), [1, 2, 3])[2] == [1, None, None]
    assert read(pa.array([2**64 - 1], pa.uint64()), [1]) == [text, text, [str(2**64 - 1)], ["1"]]
    assert read(pa.array(["a"]).dictionary_encode(), pa.array(["b"], pa.large_string()))[2] == ["a"]
    with pytest.raises(InputError, match=r'row 2: source "1.5" is neither text nor a whole number'):
        read([1.0, 1.5], [1, 2])
    with pytest.raises(InputError, match=r'row 1: target "true" is neither text nor a whole'):
        read([1], [True])


def test_empty_cells_are_null_quoted_or_not(tmp_path: Path) -> None:
    read = edges(tmp_path, 'source,target,weight,relation\na,,,\n"",b,"",""\n').table
    assert read.to_pylist() == [
        {"source": "a", "target": None, "relation": None, "weight": None},
        {"source": None, "target": "b", "relation": None, "weight": None},
    ]


# Columns


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["source", "target"], {"source": "source", "target": "target"}),
        (["FROM", "To", "W"], {"source": "FROM", "target": "To", "weight": "W"}),
        (["Source", "source", "dst"], {"source": "source", "target": "dst"}),
        (["target", "from", "to"], {"source": "from", "target": "to"}),
        (["head", "type", "tail", "label"], {"source": "head", "relation": "type"}),
        (["u", "v", "t", "score"], {"source": "u", "weight": "score", "time": "t"}),
        (["start", "end", "date"], {"source": "start", "target": "end", "time": "date"}),
    ],
)
def test_recognised_columns(names: list[str], expected: dict[str, str]) -> None:
    found = recognise_columns(names, name="e")
    assert found | expected == found
    assert len(set(found.values())) == len(found)


def test_given_columns_are_taken_from_the_recognised(tmp_path: Path) -> None:
    found = recognise_columns(["type", "label", "x", "y"], name="e", source="x", target="type")
    assert found == {"source": "x", "target": "type", "relation": "label"}
    assert recognise_columns(["label", "key"], name="n", id="label") == {"id": "label"}


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        (
            ["a", "b"],
            {},
            (
                r"^e: expected a source and a target column, found 'a', 'b'; pass --source COLUMN "
                r"--target COLUMN, or column numbers such as --source 1 --target 2 .*header$"
            ),
        ),
        (["src", "b"], {}, r"expected a target column"),
        (["a", "b"], {"id": None}, r"expected an id column, .* pass --node-id COLUMN"),
        (["src", "wieght", "dst"], {"weight": "weight"}, r"no column 'weight'; did you mean 'wieg"),
        (["src", "dst"], {"weight": "zzz"}, r"no column 'zzz'; columns found: 'src', 'dst'$"),
        (["a", "b"], {"source": "a", "target": "a"}, r"'a' is given as source and as target"),
        (["src", "src", "dst"], {}, r"two columns are called 'src'; rename one"),
        ([f"c{i}" for i in range(99)], {}, r"'c19' and 79 more; pass"),
    ],
)
def test_columns_that_cannot_be_told(
    names: list[str], given: dict[str, str | None], expected: str
) -> None:
    with pytest.raises(InputError, match=expected):
        recognise_columns(names, name="e", **given)


def test_properties(tmp_path: Path) -> None:
    text = "source,target,n,version,share,note\n1,2,3,1.10,0.5,서울\n2,3,4,1.2,2,\n"
    read = edges(tmp_path, text, properties=["n", "version", "share", "note"]).table
    assert [json.loads(value) for value in read["properties"].to_pylist()] == [
        {"n": 3, "version": "1.10", "share": 0.5, "note": "서울"},
        {"n": 4, "version": "1.2", "share": 2.0},
    ]
    assert "서울" in read["properties"][0].as_py()
    with pytest.raises(InputError, match=r"edges.csv: no column 'nope'; did you mean 'note'\?"):
        edges(tmp_path, text, properties=["nope"])


def test_nested_properties_of_json_lines(tmp_path: Path) -> None:
    lines = '{"source":1,"target":2,"p":{"a":[1,"2024-01-01"]}}\n{"source":2,"target":3,"p":7}\n'
    read = edges(tmp_path, lines, "e.jsonl", properties=["p"]).table
    expected = [{"p": {"a": [1, "2024-01-01"]}}, {"p": 7}]
    assert [json.loads(value) for value in read["properties"].to_pylist()] == expected


def test_nodes(tmp_path: Path) -> None:
    read = nodes(tmp_path, "Name,kind,age\n서울,city,3\n🧠,,\n", properties=["age"])
    assert read.table.to_pylist() == [
        {"id": "서울", "type": "city", "properties": '{"age": 3}'},
        {"id": "🧠", "type": None, "properties": "{}"},
    ]
    assert read.where(1) == "nodes.csv line 3"
    assert nodes(tmp_path, "id,x\n1,2\n").table.schema.types == [pa.int64()]
    with pytest.raises(InputError, match=r"nodes.csv: expected an id column, found 'x', 'y'"):
        nodes(tmp_path, "x,y\n1,2\n")


def test_properties_of_exported_nodes_come_through(tmp_path: Path) -> None:
    text = 'id,type,properties,degree\na,t,"{""x"": 1}",3\nb,,,4\n'
    assert nodes(tmp_path, text).table["properties"].to_pylist() == ['{"x": 1}', None]
    assert nodes(tmp_path, "id,properties\na,plain text\n").table.column_names == ["id"]
    lines = '{"id":"a","properties":{"x":1}}\n'
    assert nodes(tmp_path, lines, "n.jsonl").table["properties"].to_pylist() == ['{"x": 1}']


# Bytes: encodings, compression, standard input, formats


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_newlines_and_bom(tmp_path: Path, newline: str, bom: bytes) -> None:
    text = newline.join(["source,target", "가,나", "", "다,라"])
    read = edges(tmp_path, bom + text.encode())
    assert read.table.to_pylist() == [
        {"source": "가", "target": "나"},
        {"source": "다", "target": "라"},
    ]
    assert [read.where(0), read.where(1)] == ["edges.csv line 2", "edges.csv line 4"]


def test_bom_before_json(tmp_path: Path) -> None:
    read = edges(tmp_path, b'\xef\xbb\xbf{"source":"a","target":"b"}\n', "e.json")
    assert read.table.num_rows == 1


@pytest.mark.parametrize("pack", [gzip.compress, lambda b: pa.compress(b, "zstd", asbytes=True)])
@pytest.mark.parametrize("name", ["e.csv.gz", "e.csv.zst", "e.csv", "e"])
def test_compression_is_told_by_content(tmp_path: Path, name: str, pack: Any) -> None:
    read = edges(tmp_path, pack(b"source,target\n1,2\n"), name)
    assert read.table.to_pylist() == [{"source": 1, "target": 2}]
    assert read.where(0) == f"{name} line 2"


def test_plain_content_under_a_compressed_name_and_several_gzip_members(tmp_path: Path) -> None:
    assert edges(tmp_path, "source\ttarget\n1\t2\n", "e.tsv.gz").table.num_rows == 1
    members = gzip.compress(b"source,target\n1,2\n") + gzip.compress(b"3,4\n")
    assert edges(tmp_path, members, "e.csv.gz").table.num_rows == 2


def test_broken_compression(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^e.csv.gz: broken gzip file: .+$"):
        edges(tmp_path, gzip.compress(b"source,target\n1,2\n" * 99)[:-20], "e.csv.gz")
    with pytest.raises(InputError, match=r"^e.csv.gz: the file is empty"):
        edges(tmp_path, gzip.compress(b""), "e.csv.gz")


def parquet_bytes() -> bytes:
    out = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"source": [1], "target": [2]}), out)
    return out.getvalue()


def arrow_bytes() -> bytes:
    out = io.BytesIO()
    table = pa.table({"source": [1], "target": [2]})
    with pyarrow.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"source,target\n1,2\n",
        b"# a comment, with commas\nsource\ttarget\n1\t2\n",
        b'{"source": 1, "target": 2}\n',
        gzip.compress(b"source,target\n1,2\n"),
        parquet_bytes(),
        arrow_bytes(),
    ],
    # Compressed bytes hold the time: as names they would differ between test processes.
    ids=["csv", "tsv", "jsonl", "gzip", "parquet", "arrow"],
)
def test_formats_are_sniffed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    assert edges(tmp_path, content, "data.txt").table.to_pylist() == [{"source": 1, "target": 2}]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    read = read_edges("-")
    assert read.table.to_pylist() == [{"source": 1, "target": 2}]
    assert read.name == "<stdin>"
    assert read.where(0).startswith("<stdin> ")


def test_format_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"source\ttarget\n1\tx\n")))
    with pytest.raises(InputError, match=r"^<stdin>: expected a source and a target"):
        read_edges("-", format="csv")
    assert edges(tmp_path, "source\ttarget\na\tb\n", "e.csv", format="TSV").table.num_rows == 1
    with pytest.raises(ParameterError, match=r'format "xls" is unknown, expected csv, tsv'):
        edges(tmp_path, "x", format="xls")


@pytest.mark.parametrize(
    ("name", "what"), [("e.parquet", "Parquet"), ("e.arrow", "Arrow IPC"), ("e.feather", "Arrow")]
)
def test_content_that_is_not_what_its_name_says(tmp_path: Path, name: str, what: str) -> None:
    with pytest.raises(InputError, match=rf"^{name}: cannot be read as {what}[^\n]+$"):
        edges(tmp_path, "source,target\n1,2\n", name)


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.csv: no such file; check the path$"):
        read_edges(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"expected a file or a Lance dataset, came a folder$"):
        read_edges(tmp_path)
    with pytest.raises(InputError, match=r"expected a Lance dataset, which is a folder"):
        edges(tmp_path, "x", "e.lance")
    with pytest.raises(InputError, match=r"^edges.csv: the file is empty \(0 bytes\)$"):
        edges(tmp_path, "")
    with pytest.raises(InputError, match=r"^edges.csv: no rows, only a header$"):
        edges(tmp_path, "source,target\n\n")
    with pytest.raises(InputError, match=r"^edges.csv: no rows, only blank lines or comments$"):
        edges(tmp_path, "\n# nothing\n\n")
    with pytest.raises(InputError, match=r"^e.jsonl: no rows$"):
        edges(tmp_path, "\n \n", "e.jsonl")


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "lance"])
def test_no_rows_in_binary_formats(tmp_path: Path, suffix: str) -> None:
    empty = pa.table({"source": pa.array([], pa.int64()), "target": pa.array([], pa.int64())})
    write(empty, tmp_path / f"e.{suffix}")
    with pytest.raises(InputError, match=rf"^e.{suffix}: no rows$"):
        read_edges(tmp_path / f"e.{suffix}")


@pytest.mark.parametrize("content", [b"source,target\na,b\nc,\xff\n", b"\xff\xfes\0o\0"])
def test_other_encodings(tmp_path: Path, content: bytes) -> None:
    line = 1 if content[:1] == b"\xff" else 3
    with pytest.raises(InputError, match=rf"^edges.csv line {line}: expected UTF-8, came the byte"):
        edges(tmp_path, content)


def test_utf8_cut_short_at_the_end(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: expected UTF-8"):
        edges(tmp_path, "source,target\na,가".encode()[:-1])


# CSV and TSV


def test_lines_are_physical(tmp_path: Path) -> None:
    text = (
        "# comment\n\n# another\nsource,target,weight\n"
        'a,b,1\n\n"c\nc","d\r\nd",2\n5" disk,e,3\ng,h,4\n'
    )
    read = edges(tmp_path, text)
    assert read.table["source"].to_pylist() == ["a", "c\nc", '5" disk', "g"]
    assert read.table["target"].to_pylist()[1] == "d\r\nd"
    assert [read.where(row)[-2:] for row in range(4)] == [" 5", " 7", "10", "11"]
    with pytest.raises(InputError, match=r'^edges.csv line 11: weight "abc" is not a number$'):
        edges(tmp_path, text.replace("g,h,4", "g,h,abc"))


def test_a_header_with_quotes_and_newlines(tmp_path: Path) -> None:
    read = edges(tmp_path, 'source,"target","odd\nname"\na,b,c\n')
    assert read.where(0) == "edges.csv line 3"


@pytest.mark.parametrize("row", ["1", "1,2,3", '"1\n,2",3,4'])
def test_the_wrong_number_of_fields(tmp_path: Path, row: str) -> None:
    came = 3 if row.endswith(("3", "4")) else 1
    expected = rf"^edges.csv line 7: expected 2 fields, came {came}$"
    with pytest.raises(InputError, match=expected):
        edges(tmp_path, f'# top\nsource,target\n1,2\n\n"a\nb",2\n{row}\n1,2,3,4\n')


def test_a_quote_never_closed(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'^edges.csv line 3: a quote \("\) is opened and never'):
        edges(tmp_path, 'source,target\na,b\nc,"d\ne,f\n')
    assert edges(tmp_path, 'source,target\n6" disk,b\nc,d\n').table.num_rows == 2


def test_a_file_without_header(tmp_path: Path) -> None:
    snap = "# Directed graph\n# FromNodeId\tToNodeId\n1\t2\n3\t4\n"
    read = edges(tmp_path, snap, "graph.txt", source="1", target="2")
    assert read.table.to_pylist() == [{"source": 1, "target": 2}, {"source": 3, "target": 4}]
    assert [read.where(0), read.where(1)] == ["graph.txt line 3", "graph.txt line 4"]
    text = "a,b,0.5,x\nc,d,1,y\n"
    options: dict[str, Any] = {"source": "2", "target": "1", "weight": "3", "properties": ["4"]}
    rows = edges(tmp_path, text, **options).table.to_pylist()
    assert rows[0] == {"source": "b", "target": "a", "weight": 0.5, "properties": '{"4": "x"}'}
    with pytest.raises(InputError, match=r"no column '5'; columns found: '1', '2', '3', '4'"):
        edges(tmp_path, text, source="1", target="5")
    with pytest.raises(InputError, match=r"graph.txt: expected a source and a target .*--target 2"):
        edges(tmp_path, snap, "graph.txt")
    with pytest.raises(InputError, match=r"^edges.csv line 2: expected 2 fields, came 3$"):
        edges(tmp_path, "a,b\nc,d,e\n", source="1", target="2")


def test_columns_named_by_digits_are_names(tmp_path: Path) -> None:
    read = edges(tmp_path, "x,1,2\na,b,c\n", source="1", target="2")
    assert read.table.to_pylist() == [{"source": "b", "target": "c"}]


def test_unused_columns_may_share_a_name(tmp_path: Path) -> None:
    read = edges(tmp_path, "source,x,x,target\na,1,2,b\n")
    assert read.table.to_pylist() == [{"source": "a", "target": "b"}]


def test_a_row_larger_than_a_block(tmp_path: Path) -> None:
    read = edges(tmp_path, f"source,target,x\na,b,{'x' * 9_000_000}\nc,d,e\n")
    assert read.table["source"].to_pylist() == ["a", "c"]


@pytest.mark.parametrize("word", ["abc", "NA", "1_000", "0x10", "1,5"])
def test_weights_that_are_no_numbers(tmp_path: Path, word: str) -> None:
    rows = "a,b,1\n" * 810
    with pytest.raises(InputError, match=rf'^edges.csv line 812: weight "{word}" is not a number$'):
        edges(tmp_path, f'source,target,weight\n{rows}c,d,"{word}"\n')


def test_weights_come_through_unchecked(tmp_path: Path) -> None:
    read = edges(tmp_path, "source,target,weight\na,a,nan\na,b,-1\na,b,\na,b,inf\na,b, 1e-3\n")
    values = read.table["weight"].to_pylist()
    assert values[0] != values[0]
    assert values[1:] == [-1.0, None, float("inf"), 1e-3]


def test_times(tmp_path: Path) -> None:
    read = edges(tmp_path, "source,target,time\na,b,7\n", time_unit="ms").table
    assert read["time"].to_pylist() == [datetime(1970, 1, 1, 0, 0, 0, 7000, tzinfo=UTC)]
    with pytest.raises(InputError, match=r'^edges.csv line 3: time "yesterday" is neither ISO'):
        edges(tmp_path, "source,target,time\na,b,2024-01-02\na,b,yesterday\n")


# JSON Lines


def test_json_lines_keep_what_is_written(tmp_path: Path) -> None:
    text = '{"source":"2024-01-02","target":"007"}\n\n{"source":"b","target":"c","weight":2}\n'
    read = edges(tmp_path, text, "e.ndjson")
    assert read.table.to_pylist() == [
        {"source": "2024-01-02", "target": "007", "weight": None},
        {"source": "b", "target": "c", "weight": 2.0},
    ]
    assert [read.where(0), read.where(1)] == ["e.ndjson line 1", "e.ndjson line 3"]


def test_json_lines_of_mixed_types(tmp_path: Path) -> None:
    text = '{"source":1,"target":"x"}\n  \n{"source":"b","target":9999999999999999999999}\n'
    read = edges(tmp_path, text, "e.jsonl")
    assert read.table["source"].to_pylist() == ["1", "b"]
    assert read.table["target"].to_pylist() == ["x", "9999999999999999999999"]
    assert read.where(1) == "e.jsonl line 3"
    text = '{"source":1,"target":2,"weight":1,"time":"2024-01-02"}\n'
    with pytest.raises(InputError, match=r'^e.jsonl line 2: weight "abc" is not a number$'):
        edges(tmp_path, text + '{"source":1,"target":2,"weight":"abc"}\n', "e.jsonl")
    with pytest.raises(InputError, match=r'^e.jsonl line 1: weight "true" is not a number$'):
        edges(tmp_path, '{"source":1,"target":2,"weight":true}\n', "e.jsonl")
    with pytest.raises(InputError, match=r'line 2: time "17" is an epoch number while others are'):
        edges(tmp_path, text + '{"source":1,"target":2,"time":17}\n', "e.jsonl")
    with pytest.raises(InputError, match=r"line 2: source \"\[1\]\" is neither text nor a whole"):
        edges(tmp_path, text + '{"source":[1],"target":2}\n', "e.jsonl")


@pytest.mark.parametrize(
    ("line", "came"),
    [
        ('[{"source": 1}]', "came an array"),
        ("7", "came a bare value"),
        (r'{"source": "\ud83e"}', "came half a surrogate pair"),
        ('{"source": 1', "Expecting ',' delimiter"),
        ('{"source": 1}{"source": 2}', "Extra data"),
    ],
)
def test_lines_that_are_no_json_objects(tmp_path: Path, line: str, came: str) -> None:
    with pytest.raises(InputError, match=rf"^e.jsonl line 3: expected .*{came}"):
        edges(tmp_path, f'{{"source":1,"target":2}}\n\n{line}\n', "e.jsonl")


def test_json_keys_that_appear_late(tmp_path: Path) -> None:
    lines = ['{"source":1,"target":2}'] * 3000 + ['{"source":1,"target":2,"weight":0.5}']
    read = edges(tmp_path, "\n".join(lines), "e.jsonl").table
    assert read["weight"].to_pylist()[-2:] == [None, 0.5]


def test_where_names_rows_of_binary_formats(tmp_path: Path) -> None:
    write(pa.table({"source": ["a", "b"], "target": ["b", None]}), tmp_path / "e.parquet")
    read = read_edges(tmp_path / "e.parquet")
    assert read.table["target"].to_pylist() == ["b", None]
    assert read.where(0) == "e.parquet row 1"


@pytest.mark.parametrize("name", ["e.csv", "e.jsonl"])
def test_pipes_are_read(tmp_path: Path, name: str) -> None:
    import os
    import threading

    content = b"source,target\n1,2\n" if name == "e.csv" else b'{"source":1,"target":2}\n'
    path = tmp_path / name
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    table = read_edges(path).table
    writer.join()
    assert table.to_pylist() == [{"source": 1, "target": 2}]
