"""``add``, ``remove``, ``cognify``, ``memify`` and ``prune``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options, progress

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.memory import Memory

SHOWN = 10
EMBEDDER_HELP = (
    "lsa, ollama:MODEL[@URL], openai:MODEL[@URL] or onnx:PATH; HEBBGRAPH_EMBEDDER or "
    "hebbgraph.toml by default, else lsa, fitted on the passages."
)


@click.command("add")
@click.argument("files", nargs=-1, required=True)
@click.argument("store")
@click.option("--node-set", multiple=True, help="Set that the documents belong to; repeatable.")
@click.option(
    "--max-tokens", type=int, default=256, show_default=True, help="Of a passage, estimated."
)
@click.option(
    "--overlap", type=int, default=0, show_default=True, help="Tokens passages have in common."
)
@click.option("--encoding", help="Of text files; recognised by default.")
@click.option(
    "--remove", is_flag=True, help="Remove documents of the folders given whose files are gone."
)
@output_options  # fmt: skip
def add_command(
    files: tuple[str, ...], store: str, node_set: tuple[str, ...], max_tokens: int, overlap: int,
    encoding: str | None, remove: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Read FILES into STORE, which is made if it is not there.

    FILES are paths, folders, globs or texts; - is standard input.  What is known and unchanged is
    passed over, what has changed takes the place of what was.
    """
    from hebbgraph.memory import Memory

    skipped: list[dict[str, str]] = []
    with progress(quiet=quiet) as phase:
        done = Memory(store).add(
            list(files), node_set=node_set, max_tokens=max_tokens, overlap=overlap,
            encoding=encoding, remove_missing=remove, progress=phase,
            skipped=lambda path, why: skipped.append({"path": path, "reason": why}),
        )  # fmt: skip

    def show(console: Console) -> None:
        counts = {"new": done.added, "changed": done.replaced, "unchanged": done.unchanged,
                  "removed": done.removed}  # fmt: skip
        listed = [f"{count:,} {name}" for name, count in counts.items() if count]
        console.print(
            f"documents: {', '.join(listed) or 'none'}; {done.passages:,} passages, "
            f"{done.bytes / 1e6:,.2f} MB in {done.seconds:.1f} s → snapshot {done.snapshot}"
        )
        _list_skipped(console, skipped)

    emit({"store": store, **done.to_dict(), "skipped": skipped}, show, as_json=as_json, quiet=quiet)


def _list_skipped(console: Console, skipped: list[dict[str, str]]) -> None:
    for one in skipped[:SHOWN]:
        console.print(f"skipped {one['path']}: {one['reason']}", soft_wrap=True, markup=False)
    if len(skipped) > SHOWN:
        console.print(f"… and {len(skipped) - SHOWN:,} more files skipped")


@click.command("remove")
@click.argument("store")
@click.argument("documents", nargs=-1, required=True)
@output_options
def remove_command(store: str, documents: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Remove DOCUMENTS, given by id, and what only they supported from STORE.

    The id of a file or a folder stands for all its documents.
    """
    done = memory_at(store).remove(documents)

    def show(console: Console) -> None:
        console.print(f"{done.removed:,} documents removed → snapshot {done.snapshot}")

    emit({"store": store, **done.to_dict()}, show, as_json=as_json, quiet=quiet)


@click.command("cognify")
@click.argument("store")
@click.option(
    "--completer",
    metavar="MODEL",
    help="ollama:MODEL[@URL] or openai:MODEL[@URL] finds entities; HEBBGRAPH_COMPLETER or "
    "hebbgraph.toml by default, else rules.",
)
@click.option("--workers", type=int, default=4, show_default=True, help="Calls at a time.")
@click.option("--rules", is_flag=True, help="Go back to rules, with no model.")
@click.option("--openie", metavar="FILE", help="Take a published extraction of the same texts.")
@click.option(
    "--similar/--no-similar",
    default=None,
    help="Link entities of similar names by the embedder, or take these links away; without "
    "either, links made before stay.",
)
@click.option("--embedder", metavar="MODEL", help=f"With --similar: {EMBEDDER_HELP}")
@click.option(
    "--functional",
    multiple=True,
    metavar="RELATION",
    help="A subject has one object of it at a time: newer closes older; repeatable.",
)
@output_options  # fmt: skip
def cognify_command(
    store: str, completer: str | None, workers: int, rules: bool, openie: str | None,
    similar: bool | None, embedder: str | None, functional: tuple[str, ...], as_json: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Make the graph that the documents of STORE state: entities, mentions, links, relations.

    Answers of a model are kept: what was interrupted goes on where it stopped.
    """
    from hebbgraph.ingest.memify import embedder_of
    from hebbgraph.providers import choice

    if embedder and not similar:
        raise click.UsageError("--embedder goes with --similar")
    memory = memory_at(store)
    options: dict[str, Any] = {"workers": workers, "openie": openie}
    if rules:
        options["by"] = "rules"
    if completer:
        options["completer"] = choice.completer(completer)
    if similar:
        wanted = choice.embedder(embedder)
        options["similar_by"] = embedder_of(memory.store, memory.store.snapshot(), wanted)
    elif similar is not None:
        options["similar_by"] = False
    if functional:
        options["functional"] = functional
    with progress(quiet=quiet) as phase:
        done = memory.cognify(**options, progress=phase)

    def show(console: Console) -> None:
        console.print(
            f"{done.passages:,} passages by {done.by}: {done.entities:,} entities, "
            f"{done.mentions:,} mentions, {done.relations:,} relations, {done.links:,} links"
            + (f", {done.related:,} related documents" if done.related else "")
            + (f", {done.similar:,} similar" if done.similar else "")
            + (f", {done.superseded:,} facts superseded" if done.superseded else ""),
            markup=False, soft_wrap=True,
        )  # fmt: skip
        console.print(
            f"{'snapshot' if done.changed else 'nothing new, snapshot'} {done.snapshot}, "
            f"{done.seconds:.1f} s" + (f"; {done.asked:,} passages asked" if done.asked else "")
        )

    emit({"store": store, **done.to_dict()}, show, as_json=as_json, quiet=quiet)
    if done.failures:
        first = next(iter(done.failures.items()))
        click.echo(
            f"{len(done.failures):,} passages have no answer yet and are asked again next time; "
            f"{first[0]}: {first[1]}", err=True,
        )  # fmt: skip


@click.command("memify")
@click.argument("store")
@click.option("--embedder", metavar="MODEL", help=EMBEDDER_HELP)
@output_options
def memify_command(store: str, embedder: str | None, as_json: bool, quiet: bool) -> None:
    """Give the passages of STORE vectors and search indexes."""
    from hebbgraph.providers import choice

    memory = memory_at(store)
    with progress(quiet=quiet) as phase:
        done = memory.memify(
            embedder=choice.embedder(embedder) if embedder else None, progress=phase
        )

    def show(console: Console) -> None:
        console.print(
            f"{done.passages:,} passages, {done.embedded:,} embedded"
            f"{f' by {done.embedder}' if done.embedder else ''}, "
            f"{done.duplicates:,} duplicates",
            markup=False, soft_wrap=True,
        )  # fmt: skip
        console.print(
            f"{'snapshot' if done.changed else 'nothing new, snapshot'} {done.snapshot}, "
            f"{done.seconds:.1f} s"
        )

    emit({"store": store, **done.to_dict()}, show, as_json=as_json, quiet=quiet)


@click.command("prune")
@click.argument("store")
@click.option("--keep", type=int, help="Keep only this many of the newest snapshots.")
@output_options
def prune_command(store: str, keep: int | None, as_json: bool, quiet: bool) -> None:
    """Drop what nothing in STORE needs: old versions, answers to texts that are gone."""
    done = memory_at(store).prune(keep=keep)

    def show(console: Console) -> None:
        console.print(
            f"{done.bytes_freed / 1e6:,.1f} MB freed, {done.snapshots} snapshots kept, "
            f"{done.answers_removed:,} answers dropped"
        )

    emit({"store": store, **done.to_dict()}, show, as_json=as_json, quiet=quiet)


def memory_at(store: str) -> Memory:
    """The memory at a path, which must be there."""
    from hebbgraph.errors import StoreNotFoundError
    from hebbgraph.memory import Memory
    from hebbgraph.store import Store

    try:
        Store(store)
    except StoreNotFoundError:
        raise StoreNotFoundError(
            f"{store}: no such store; make one with `hebbgraph add FILES {store}`"
        ) from None
    return Memory(store)
