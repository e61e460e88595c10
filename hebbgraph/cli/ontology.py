"""``ontology``, ``link`` and ``unlink``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.ingest.ontology.model import Ontology

SHOWN = 20


@click.group("ontology")
def ontology_command() -> None:
    """Types of nodes, what they must say, and what relations may join."""


@ontology_command.command("show")
@click.argument("type", required=False)
@click.option(
    "--store",
    metavar="STORE",
    help="With the types defined there; the default ones alone without it.",
)
@output_options
def show_command(type: str | None, store: str | None, as_json: bool, quiet: bool) -> None:
    """Show TYPE with all it inherits, or all types and relations."""
    from hebbgraph.cli.text import memory_at
    from hebbgraph.ingest.ontology.default import default

    known = default() if store is None else memory_at(store).ontology
    if type is None:
        emit(known.to_dict(), lambda console: _tree(console, known), as_json=as_json, quiet=quiet)
    else:
        found = known.schema(type)
        emit(found, lambda console: _type(console, found), as_json=as_json, quiet=quiet)


@ontology_command.command("load")
@click.argument("file")
@click.argument("store")
@click.option("--dry-run", is_flag=True, help="Tell what of the store it would not allow.")
@click.option("--replace", is_flag=True, help="In place of types defined before.")
@output_options
def load_command(
    file: str, store: str, dry_run: bool, replace: bool, as_json: bool, quiet: bool
) -> None:
    """Define the types and relations of FILE, which is TOML or RDF, in STORE, which is there.

    What is there already and does not suit them stays as it is, and is told.
    """
    from hebbgraph.cli.text import memory_at

    done = memory_at(store).load_ontology(file, replace=replace, dry_run=dry_run)

    def show(console: Console) -> None:
        console.print(
            f"{len(done.types):,} types, {len(done.relations):,} relations; "
            + ("nothing written" if dry_run else f"snapshot {done.snapshot}")
        )
        for one in done.violations[:SHOWN]:
            console.print(str(one), markup=False, soft_wrap=True)
        if len(done.violations) > SHOWN:
            console.print(f"… and {len(done.violations) - SHOWN:,} more")

    emit({"store": store, "dry_run": dry_run, **done.to_dict()}, show, as_json=as_json, quiet=quiet)


@click.command("link")
@click.argument("store")
@click.argument("source")
@click.argument("target")
@click.option("--relation", default="related", show_default=True, help="What joins them.")
@click.option("--weight", type=float, help="Of the edge; 1 for a new one by default.")
@click.option("--properties", metavar="JSON", help="What else it says, as a JSON object.")
@output_options  # fmt: skip
def link_command(
    store: str, source: str, target: str, relation: str, weight: float | None,
    properties: str | None, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """State an edge of STORE from SOURCE to TARGET, given by their ids."""
    from hebbgraph.cli.text import memory_at

    said = _object(properties)
    done = memory_at(store).link(source, target, relation, weight=weight, properties=said)

    def show(console: Console) -> None:
        what = "linked" if done.added else "updated" if done.updated else "linked already"
        console.print(f"{what} → snapshot {done.snapshot}")

    emit({"store": store, **done.to_dict()}, show, as_json=as_json, quiet=quiet)


@click.command("unlink")
@click.argument("store")
@click.argument("source")
@click.argument("target")
@click.option("--relation", default="related", show_default=True, help="What joins them.")
@output_options
def unlink_command(
    store: str, source: str, target: str, relation: str, as_json: bool, quiet: bool
) -> None:
    """Take back the edge of STORE from SOURCE to TARGET that was linked."""
    from hebbgraph.cli.text import memory_at

    done = memory_at(store).unlink(source, target, relation)
    emit(
        {"store": store, **done.to_dict()},
        lambda console: console.print(f"unlinked → snapshot {done.snapshot}"),
        as_json=as_json, quiet=quiet,
    )  # fmt: skip


def _object(text: str | None) -> dict[str, Any] | None:
    try:
        found = None if text is None else json.loads(text)
    except ValueError:
        found = text
    if not isinstance(found, dict | None):
        raise click.BadParameter(f"expected a JSON object, came {text}", param_hint="--properties")
    return found


def _tree(console: Console, known: Ontology) -> None:
    """Types below their first parent, then relations with what they join."""

    def below(parent: str | None, depth: int) -> None:
        for one in known.types.values():
            if (one.parents[0] if one.parents else None) == parent:
                line = f"{'  ' * depth}{one.name}  {one.description}".rstrip()
                console.print(line, markup=False, soft_wrap=True)
                below(one.name, depth + 1)

    below(None, 0)
    console.print()
    for relation in known.relations.values():
        pairs = ", ".join(" → ".join(pair) for pair in relation.pairs) or "anything"
        console.print(f"{relation.name}: {pairs}", markup=False, soft_wrap=True)


def _type(console: Console, found: dict[str, Any]) -> None:
    line = " → ".join([found["name"], *found["ancestors"]])
    console.print(line, markup=False, soft_wrap=True)
    if found["description"]:
        console.print(found["description"], markup=False, soft_wrap=True)
    if found["children"]:
        console.print(f"kinds of it: {', '.join(found['children'])}", markup=False, soft_wrap=True)
    for name, one in found["properties"].items():
        required = ", required" if one["required"] else ""
        console.print(
            f"  {name}: {one['type']}{required}  {one['description']} (of {one['from']})",
            markup=False, soft_wrap=True,
        )  # fmt: skip
    for one in found["relations"]:
        console.print(
            f"  {one['relation']}: {one['source']} → {one['target']}", markup=False, soft_wrap=True
        )
