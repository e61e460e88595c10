"""Files, strings and mappings become documents, or are refused with a reason."""

from __future__ import annotations

import io
import json
import os
import sys
from datetime import UTC, datetime

import pytest

from hebbgraph.errors import InputError
from hebbgraph.ingest.decoding import decoded
from hebbgraph.ingest.documents import Document, sha256
from hebbgraph.ingest.passages import passages
from hebbgraph.ingest.reading import documents


def write(path, content, encoding="utf-8"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


# Strings, mappings, names


def test_a_mapping_keeps_its_id_title_time_kind_tags_and_the_rest():
    item = {
        "id": 7,
        "title": "T",
        "text": "x",
        "time": "2024-05-01T09:00:00+09:00",
        "kind": "rule",
        "tags": "a, b",
        "lang": "en",
    }
    (found,) = documents(item)
    assert (found.id, found.title, found.text, found.kind, found.tags) == (
        "7",
        "T",
        "x",
        "rule",
        ("a", "b"),
    )
    assert found.time == datetime(2024, 5, 1, tzinfo=UTC)
    assert found.metadata == {"lang": "en"}


@pytest.mark.parametrize(
    "time", [1714521600, 1714521600000, "1714521600", "2024-05-01", datetime(2024, 5, 1)]
)
def test_times_of_any_kind(time):
    (found,) = documents({"text": "x", "time": time})
    assert found.time == datetime(2024, 5, 1, tzinfo=UTC)


def test_a_string_is_a_text_named_by_its_hash_and_comes_once():
    found = list(documents(["A text.", "Other text.", "A text."]))
    assert [one.text for one in found] == ["A text.", "Other text."]
    assert found[0].id == next(documents("A text.")).id
    assert found[0].id.startswith("text-")


def test_a_document_passes_through():
    document = Document("a", "A", "x", sha256="1")
    assert list(documents([document, document])) == [document]


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("https://example.org/a", "is a URL, and nothing is fetched"),
        ("s3://bucket/key", "is a URL"),
        ("./missing", "no file or folder at ./missing"),
        ("/no/such/file", "no file or folder"),
        ("notes.md", "no file or folder at notes.md"),
        ("notes/", "no file or folder at notes/"),
        (3, "expected a path, a text or a mapping, came int"),
        ({"tags": []}, "expected a text"),
        ({"text": 1.5, "time": "soon"}, "expected ISO 8601"),
        ({"text": ["x"]}, "expected text, came list"),
        ({"text": "x", "tags": 5}, "item 0: tags: expected text or a list, came int"),
        ({"text": "x", "time": 10**400}, "expected ISO 8601"),
        ({"text": "\ud800"}, "half a surrogate"),
    ],
)
def test_what_names_nothing_is_refused(item, why):
    with pytest.raises(InputError, match=why):
        list(documents([item]))


def test_tags_of_a_set_stand_in_one_order():
    tags = {f"t{number}" for number in range(9)}
    (found,) = documents([{"text": "x", "tags": tags}])
    assert found.tags == tuple(sorted(tags))


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.org/a for more.",
        "Is it a.b? No.",
        "What [is] this?",
        "One word",
        "word",
    ],
)
def test_what_only_looks_a_little_like_a_path_is_text(text):
    assert next(documents(text)).text == text


def test_two_documents_with_one_id_are_refused():
    with pytest.raises(InputError, match="second document with the id 'a'"):
        list(documents([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]))


# Folders


def test_a_folder_is_read_in_order_and_says_what_it_skips(tmp_path):
    root = tmp_path / "notes"
    write(root / "b.txt", "two")
    write(root / "a" / "z.md", "# Z\n\none")
    write(root / ".git" / "x.txt", "no")
    write(root / "image.png", b"\x89PNG")
    write(root / "junk.txt", bytes(range(256)) * 10)
    skipped = []
    found = list(
        documents(root, skipped=lambda path, why: skipped.append((os.path.basename(path), why)))
    )
    assert [one.id for one in found] == ["notes/b.txt", "notes/a/z.md"]
    assert found[1].title == "Z"
    assert dict(skipped)[".git"] == "hidden"
    assert dict(skipped)["image.png"] == "no reader for .png"
    assert "came binary data" in dict(skipped)["junk.txt"]
    with pytest.raises(InputError, match=r"junk.txt: expected text, came binary data"):
        list(documents(root))


def test_a_glob_and_a_path_name_files_alike_wherever_the_folder_lies(tmp_path, monkeypatch):
    for place in ("one", "two"):
        write(tmp_path / place / "docs" / "x.txt", "x")
        write(tmp_path / place / "docs" / "deep" / "y.txt", "y")
    monkeypatch.chdir(tmp_path / "one")
    by_glob = [one.id for one in documents("docs/**/*.txt")]
    assert sorted(by_glob) == sorted(one.id for one in documents("docs"))
    assert sorted(by_glob) == sorted(one.id for one in documents(tmp_path / "two" / "docs"))
    with pytest.raises(InputError, match=r"no file or folder at \./none"):
        list(documents("./none*"))


def test_standard_input_by_what_it_holds(monkeypatch):
    def read(data: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return list(documents("-"))

    assert [one.text for one in read(b"plain text")] == ["plain text"]
    assert [one.id for one in read(b'{"id":"a","text":"x"}\n{"id":"b","text":"y"}\n')] == ["a", "b"]
    assert [one.text for one in read(b'[{"text":"x"}]')] == ["x"]
    assert read(b" \n") == []


# Formats


def test_text_is_what_the_file_holds_and_its_hash(tmp_path):
    path = write(tmp_path / "my_notes.txt", "Zwei\r\nZeilen")
    (found,) = documents(path)
    assert (found.id, found.title, found.text) == ("my_notes.txt", "my notes", "Zwei\r\nZeilen")
    assert (found.source, found.sha256) == (str(path), sha256(path.read_bytes()))


def test_markdown_keeps_its_text_and_knows_headings_and_links(tmp_path):
    text = "Intro [a link](other.md)\n\n# Título\n\n```\n# no heading\n```\n\nSub *part*\n---\n\n[[Wiki|shown]] ![img](x.png)\n"
    (found,) = documents(write(tmp_path / "m.md", text))
    assert found.text == text
    assert [(one.level, one.title) for one in found.headings] == [(1, "Título"), (2, "Sub *part")]
    assert text[found.headings[1].start :].startswith("Sub *part*")
    assert found.title == "Título"
    assert [(text[one.start : one.end], one.target) for one in found.links] == [
        ("a link", "other.md"),
        ("shown", "Wiki"),
    ]


def test_front_matter_of_markdown_gives_title_tags_and_time(tmp_path):
    text = (
        "---\ntags: [db, '#Ops']  # two\ndate: 2025-03-04\nmeta:\n  deep: 1\n---\n# Head\n\nOne\n"
    )
    (found,) = documents(write(tmp_path / "m.md", text))
    assert (found.text, found.title, found.tags) == (text, "Head", ("db", "Ops"))
    assert found.time == datetime(2025, 3, 4, tzinfo=UTC)
    assert [text[one.start :].split("\n")[0] for one in found.headings] == ["# Head"]
    listed = "---\ntitle: Mine\ntags:\n  - a\n  - b\ndate: some day\n---\n# Head\n"
    (other,) = documents(write(tmp_path / "n.md", listed))
    assert (other.title, other.tags, other.time) == ("Mine", ("a", "b"), None)
    (plain,) = documents(write(tmp_path / "plain_note.md", "---\ntags: x, y\n---\nText\n"))
    assert (plain.title, plain.tags, plain.headings) == ("plain note", ("x", "y"), ())


def test_rules_above_a_text_are_no_front_matter(tmp_path):
    text = "---\n\nA sentence that ends here.\n\n---\n\n# Head\n"
    (found,) = documents(write(tmp_path / "m.md", text))
    assert (found.title, found.tags, found.time) == ("Head", (), None)


def test_html_gives_what_is_read_with_headings_and_links(tmp_path):
    page = """<!doctype html><html><head><title>My  page</title><style>p{}</style></head><body>
    <script>var x = "<p>no</p>";</script><h1>Top &amp; first</h1><p>Some <b>bold</b> text,
    a <a href="b.html">link</a>.</p><ul><li>one<li>two</ul><table><tr><td>1<td>2</table></body>"""
    (found,) = documents(write(tmp_path / "p.html", page))
    assert found.title == "My page"
    assert (
        found.text.split()
        == "Top & first Some bold text, a link . one two 1 2".replace("link .", "link.").split()
    )
    assert "var x" not in found.text
    assert [(found.text[one.start :].split("\n")[0], one.level) for one in found.headings] == [
        ("Top & first", 1)
    ]
    assert [(found.text[one.start : one.end], one.target) for one in found.links] == [
        ("link", "b.html")
    ]


def test_html_in_the_encoding_that_it_declares(tmp_path):
    page = '<meta charset="euc-kr"><p>검색팀</p>'
    (found,) = documents(write(tmp_path / "k.html", page, "euc-kr"))
    assert found.text.strip() == "검색팀"


def test_json_lines_know_the_bytes_of_their_line(tmp_path):
    lines = ['{"id": "a", "title": "가", "text": "x"}', "", '{"text": "y"}']
    path = write(tmp_path / "r.jsonl", "\n".join(lines))
    one, two = documents(path)
    assert (one.id, two.id) == ("a", "r.jsonl#3")
    assert json.loads(path.read_bytes()[slice(*one.span)])["title"] == "가"
    with pytest.raises(InputError, match=r"bad.jsonl line 2: expected JSON"):
        list(documents(write(tmp_path / "bad.jsonl", '{"text":"x"}\n{oops')))


def test_json_as_list_as_list_under_a_key_and_as_one_record(tmp_path):
    records = [{"id": "a", "text": "x"}, {"id": "b", "body": "y"}]
    assert [one.id for one in documents(write(tmp_path / "l.json", json.dumps(records)))] == [
        "a",
        "b",
    ]
    under = {"meta": 1, "docs": records}
    assert [one.text for one in documents(write(tmp_path / "k.json", json.dumps(under)))] == [
        "x",
        "y",
    ]
    (found,) = documents(write(tmp_path / "o.json", json.dumps({"title": "O", "lang": "en"})))
    assert (found.id, found.title, found.text) == ("o.json", "O", "lang: en")
    with pytest.raises(InputError, match=r"n.json: expected records with a text, came int"):
        list(documents(write(tmp_path / "n.json", "5")))


def test_csv_of_any_delimiter(tmp_path):
    path = write(tmp_path / "t.csv", 'id;title;text\n1;"A; B";"two\nlines"\n2;C;x\n')
    found = list(documents(path))
    assert [(one.id, one.title, one.text) for one in found] == [
        ("1", "A; B", "two\nlines"),
        ("2", "C", "x"),
    ]
    (row,) = documents(write(tmp_path / "plain.csv", "city,river\nParis,Seine\n"))
    assert row.text == "city: Paris\nriver: Seine"
    with pytest.raises(
        InputError, match=r"wide.csv line 2: expected 1 cells, came 2|expected 2 cells, came 3"
    ):
        list(documents(write(tmp_path / "wide.csv", "id,text\n1,2,3\n")))


def test_chats_keep_roles_and_times(tmp_path):
    simple = [
        {"role": "user", "content": "Hi", "timestamp": 1714521600},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]},
    ]
    found = list(documents(write(tmp_path / "chat.json", json.dumps(simple))))
    assert [(one.text, one.metadata["role"]) for one in found] == [
        ("Hi", "user"),
        ("Hello", "assistant"),
    ]
    assert found[0].time == datetime(2024, 5, 1, tzinfo=UTC)
    assert [one.id for one in found] == ["chat.json#0", "chat.json#1"]


def test_a_chat_that_is_a_tree_comes_in_the_order_of_its_times(tmp_path):
    node = {
        "b": {
            "message": {
                "id": "m2",
                "author": {"role": "assistant"},
                "content": {"parts": ["Yes"]},
                "create_time": 2.0,
            }
        },
        "a": {
            "message": {
                "id": "m1",
                "author": {"role": "user"},
                "content": {"parts": ["Really?"]},
                "create_time": 1.0,
            }
        },
        "root": {"message": None},
    }
    found = list(
        documents(
            write(
                tmp_path / "c.json", json.dumps([{"id": "talk", "title": "Talk", "mapping": node}])
            )
        )
    )
    assert [(one.id, one.title, one.text) for one in found] == [
        ("talk#m1", "Talk", "Really?"),
        ("talk#m2", "Talk", "Yes"),
    ]


def pdf(text: str) -> bytes:
    """The smallest PDF with one line of text."""
    stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(data)
    return data + b"xref\n0 6\n0000000000 65535 f \n" + table + end


def test_pdf(tmp_path):
    pytest.importorskip("pypdf")
    (found,) = documents(write(tmp_path / "a.pdf", pdf("Hebbian learning")))
    assert (found.text, found.title, found.metadata) == ("Hebbian learning", "a", {"pages": 1})
    with pytest.raises(InputError, match=r"b.pdf: no text on its 1 pages"):
        list(documents(write(tmp_path / "b.pdf", pdf(""))))
    with pytest.raises(InputError, match=r"c.pdf: expected a PDF"):
        list(documents(write(tmp_path / "c.pdf", b"no pdf")))


def test_docx(tmp_path):
    docx = pytest.importorskip("docx")
    word = docx.Document()
    word.add_heading("Chapter", level=1)
    word.add_paragraph("Some text.")
    table = word.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "a", "b"
    word.add_heading("Part", level=2)
    word.save(str(tmp_path / "w.docx"))
    (found,) = documents(tmp_path / "w.docx")
    assert found.text == "Chapter\n\nSome text.\n\na\tb\n\nPart"
    assert [(found.text[one.start :].split("\n")[0], one.level) for one in found.headings] == [
        ("Chapter", 1),
        ("Part", 2),
    ]
    with pytest.raises(InputError, match=r"x.docx: expected a Word document"):
        list(documents(write(tmp_path / "x.docx", b"no word")))


@pytest.mark.parametrize("suffix", ["txt", "md", "html", "json", "jsonl", "csv"])
def test_empty_files_are_no_error(tmp_path, suffix):
    found = list(documents(write(tmp_path / f"e.{suffix}", b"")))
    assert "".join(one.text for one in found) == ""


def test_rdf_is_one_document_with_a_graph_in_place_of_passages(tmp_path):
    pytest.importorskip("pyoxigraph")
    text = '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'
    for name, content, syntax in [
        ("o.ttl", "<urn:a> <urn:b> <urn:c> .", "TURTLE"), ("e.ttl", "", "TURTLE"),
        ("o.owl", text, "RDF_XML"), ("o.xml", text, "RDF_XML"), ("plain.xml", "<a>x</a>", ""),
    ]:  # fmt: skip
        (found,) = documents(write(tmp_path / name, content))
        assert (found.text, found.syntax) == (content, syntax)
    with pytest.raises(InputError, match="bad.nt: expected N TRIPLES"):
        list(documents(write(tmp_path / "bad.nt", "<a> <b>")))
    with pytest.raises(InputError, match="latin.ttl: expected UTF-8"):
        list(documents(write(tmp_path / "latin.ttl", '<urn:a> <urn:b> "é" .'.encode("latin-1"))))


def test_what_says_its_kind_keeps_its_properties_apart(tmp_path):
    row = {"id": "d", "kind": "decision", "title": "Use Lance", "rationale": "fast"}
    (found,) = documents(row)
    assert found.metadata == {"rationale": "fast"}
    assert "rationale: fast" in found.text
    (found,) = documents({"id": "d", "title": "Use Lance", "rationale": "fast"})
    assert found.metadata == {}


def test_fifty_megabytes(tmp_path):
    line = "The quick brown fox of Hebbville jumps over the lazy dog. " * 20 + "\n"
    path = write(tmp_path / "big.txt", line * (50_000_000 // len(line)))
    (found,) = documents(path)
    assert len(found.text) == path.stat().st_size
    cut = passages(found)
    assert cut[-1].end == len(found.text.rstrip())
    assert len(cut) > 45_000


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "euc-kr", "cp949"])
def test_korean_in_any_encoding(encoding):
    text = "김철수가 검색팀을 서울에서 만났다."
    assert decoded(text.encode(encoding), "k.txt")[0] == text


@pytest.mark.parametrize(
    "text", ["Der Käufer zahlt für die Wohnung.", "Café déjà vu – naïve “quotes”", "Größe"]
)
def test_windows_text(text):
    assert decoded(text.encode("cp1252"), "w.txt") == (text, "cp1252")


def test_the_encoding_is_noted_and_can_be_given(tmp_path):
    path = write(tmp_path / "l.txt", "żółć", "iso-8859-2")
    assert next(documents(path, encoding="iso-8859-2")).text == "żółć"
    with pytest.raises(InputError, match=r"l.txt: expected text in ascii"):
        list(documents(path, encoding="ascii"))
    (found,) = documents(write(tmp_path / "k.txt", "김철수가 검색팀을 만났다", "euc-kr"))
    assert found.metadata == {"encoding": "cp949"}


@pytest.mark.parametrize(
    "data", [b"\x00\x01\x02", bytes(range(256)), b"\x89PNG\r\n\x1a\n\x00\x00", b"\xff\xfe\x00"]
)
def test_binary_is_refused(data):
    with pytest.raises(InputError, match="binary|begins like"):
        decoded(data, "b.bin")
