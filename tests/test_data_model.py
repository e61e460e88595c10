"""``docs/data-model.md`` says what the tables are."""

from __future__ import annotations

import re
from pathlib import Path

from hebbgraph import schema

PAGE = Path(__file__).parents[1] / "docs" / "data-model.md"


def _documented() -> dict[str, list[list[str]]]:
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    tables = {}
    for section in sections[1:]:
        name = section.split("\n", 1)[0].strip("` ")
        rows = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in section.splitlines()
            if line.startswith("| `")
        ]
        if rows:
            tables[name] = rows
    return tables


def test_tables_and_columns_are_documented():
    documented = _documented()
    assert set(documented) == set(schema.TABLES)
    for table, fields in schema.TABLES.items():
        want = [
            [
                f"`{field.name}`",
                str(field.type)
                .split("<values=string")[0]
                .replace("dictionary", "dictionary of text"),
                "yes" if field.nullable else "",
                "pass" if field.name in schema.LEARNED.get(table, ()) else "once",
                field.metadata[b"comment"].decode(),
            ]
            for field in fields
        ]
        assert documented[table] == want, table


def test_schema_version_is_documented():
    assert f"Schema version **{schema.SCHEMA_VERSION}**" in PAGE.read_text(encoding="utf-8")


def test_learned_columns_stand_last():
    """Data files are laid out by it: what a pass rewrites is one file."""
    for table, names in schema.LEARNED.items():
        assert tuple(schema.TABLES[table].names[-len(names) :]) == names
