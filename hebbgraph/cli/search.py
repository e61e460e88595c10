"""``search``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from hebbgraph.cli.output import emit, output_options, progress

if TYPE_CHECKING:
    from rich.console import Console

    from hebbgraph.retrieval.hits import Found, Hit

SHOWN = 240
"""Characters of a passage that are shown."""
TYPES = ("chunks", "lexical", "graph", "graph_completion", "rag_completion", "summaries",
         "temporal", "similar")  # fmt: skip
INTENTS = ("auto", "general", "similar_decisions", "past_failures", "related_rules",
           "reasoning_chain", "context_explore")  # fmt: skip


@click.command("search")
@click.argument("store")
@click.argument("query")
@click.option(
    "--type",
    "search_type",
    type=click.Choice(TYPES),
    default="chunks",
    show_default=True,
    help="What is looked for, and how.",
)
@click.option(
    "--intent",
    type=click.Choice(INTENTS),
    default="auto",
    show_default=True,
    help="What weighs relevance, importance, recency, vitality and context.",
)
@click.option("--node-set", multiple=True, metavar="NAME", help="Look only there; repeatable.")
@click.option("-k", "--k", type=int, default=10, show_default=True, help="How many to list.")
@click.option("--explain", is_flag=True, help="Show the five parts and the path of each hit.")
@output_options  # fmt: skip
def search_command(
    store: str, query: str, search_type: str, intent: str, node_set: tuple[str, ...], k: int,
    explain: bool, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Passages of STORE that resonate with QUERY, best first.

    The completion types ask the model that HEBBGRAPH_COMPLETER names.
    """
    from hebbgraph.memory import Memory
    from hebbgraph.providers.choice import completer
    from hebbgraph.store import Store

    Store(store)
    with progress(quiet=quiet) as phase:
        phase("reading")
        found = Memory(store).find(
            query, k=k, search_type=search_type, intent=intent, node_set=node_set or None,
            completer=completer() if search_type.endswith("completion") else None,
        )  # fmt: skip
    emit(document(found), lambda console: show(console, found, explain=explain),
         as_json=as_json, quiet=quiet)  # fmt: skip


def document(found: Found) -> dict[str, Any]:
    """JSON-ready; a path is one line of text a step."""
    out = dataclasses.asdict(found)
    for made, hit in zip(out["hits"], found.hits, strict=True):
        made["path"] = [str(step) for step in hit.path]
    return out


def show(console: Console, found: Found, *, explain: bool) -> None:
    """Hits for people."""
    for line in filter(None, (found.note, found.answer)):
        console.print(str(line), markup=False, soft_wrap=True)
    if not found.hits:
        console.print("nothing found")
    for hit in found.hits:
        console.print(f"{hit.score:.3f}  {hit.title or hit.document_id}  {hit.passage_id}",
                      markup=False, soft_wrap=True, style="bold")  # fmt: skip
        text = " ".join(hit.text.split())
        console.print("  " + (text if len(text) <= SHOWN else text[:SHOWN] + "…"), markup=False)
        if explain:
            _explain(console, hit)
    for subject, predicate, target, _ in found.triplets:
        console.print(f"  {subject} —{predicate}→ {target}", markup=False, soft_wrap=True)


def _explain(console: Console, hit: Hit) -> None:
    parts = "  ".join(
        f"{name} {value:.2f}" for name, value in dataclasses.asdict(hit.parts).items()
    )
    console.print(f"  {parts}", markup=False, style="dim")
    for step in hit.path:
        console.print(f"  {step}", markup=False, style="dim", soft_wrap=True)
