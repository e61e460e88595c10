"""``search`` and ``feedback``."""

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
ANSWERED = ("graph_completion", "rag_completion", "summaries")
"""Types that ask a language model."""
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
    help="What weighs relevance, importance, recency, vitality and context, and what it adds.",
)
@click.option("--node-set", multiple=True, metavar="NAME", help="Look only there; repeatable.")
@click.option("--kind", multiple=True, metavar="KIND", help="Only documents of it; repeatable.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only what has it; repeatable.")
@click.option("--since", metavar="TIME", help="Only what is dated then or later: 2021, 2021-03, …")
@click.option("--until", metavar="TIME", help="Only what is dated then or earlier.")
@click.option("--as-of", metavar="TIME", help="What was known and held then.")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Of an axis (relevance, importance, recency, vitality, context) or of a way to relevance "
    "(vectors, titles, entities, links, …); repeatable.",
)
@click.option(
    "--context-tag",
    "context_tags",
    multiple=True,
    metavar="TAG",
    help="Tag of what the query comes from; repeatable.",
)
@click.option(
    "--synonyms",
    metavar="FILE",
    help="Groups of words in TOML or JSON, or a group a line between commas.",
)
@click.option(
    "-k", "--k", type=click.IntRange(min=1), default=10, show_default=True, help="How many to list."
)
@click.option(
    "--completer",
    "model",
    metavar="MODEL",
    help="ollama:MODEL[@URL] or openai:MODEL[@URL] answers and sums up; by default what "
    "HEBBGRAPH_COMPLETER or hebbgraph.toml names.",
)
@click.option("--record", is_flag=True, help="Note what was found together, for `feedback`.")
@click.option("--explain", is_flag=True, help="Show the five parts and the path of each hit.")
@output_options  # fmt: skip
def search_command(
    store: str, query: str, weights: tuple[str, ...], synonyms: str | None, model: str | None,
    explain: bool, as_json: bool, quiet: bool, **options: Any,
) -> None:  # fmt: skip
    """Passages of STORE that resonate with QUERY, best first.

    The completion types and summaries ask a model; without one they say so, and show passages and
    sentences instead.
    """
    from hebbgraph.cli.text import memory_at
    from hebbgraph.providers.choice import completer
    from hebbgraph.retrieval.synonym_files import read_synonyms

    memory = memory_at(store)
    options |= _weights(weights)
    if synonyms is not None:
        options["synonyms"] = read_synonyms(synonyms)
    if options["search_type"] in ANSWERED:
        options["completer"] = completer(model)
    elif model is not None:
        raise click.UsageError(f"--completer goes with --type {', '.join(ANSWERED)}")
    with progress(quiet=quiet) as phase:
        phase("reading")
        found = memory.find(query, **options)

    def shown(console: Console) -> None:
        show(console, found, explain=explain)
        if options["search_type"] in ANSWERED and options["completer"] is None:
            console.print(
                "--completer ollama:MODEL, HEBBGRAPH_COMPLETER or hebbgraph.toml names one",
                markup=False, soft_wrap=True,
            )  # fmt: skip
        if found.id is not None:
            console.print(
                f"recorded as {found.id}; `hebbgraph feedback {store} {found.id} --useful PASSAGE`",
                markup=False, soft_wrap=True,
            )  # fmt: skip

    emit(document(found), shown, as_json=as_json, quiet=quiet)


@click.command("feedback")
@click.argument("store")
@click.argument("result")
@click.option("--useful", multiple=True, metavar="PASSAGE", help="That helped; repeatable.")
@click.option("--useless", multiple=True, metavar="PASSAGE", help="That did not; repeatable.")
@output_options
def feedback_command(
    store: str, result: str, useful: tuple[str, ...], useless: tuple[str, ...], as_json: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Say which passages of RESULT helped: the id that `search --record` gave.

    The next pass learns it: what joins the useful ones grows, and their importance; that of the
    useless ones falls.
    """
    from hebbgraph.cli.text import memory_at

    if not useful and not useless:
        raise click.UsageError("give --useful PASSAGE or --useless PASSAGE")
    memory_at(store).feedback(result, useful=useful, useless=useless)

    def shown(console: Console) -> None:
        console.print(
            f"{len(useful):,} useful, {len(useless):,} useless; `hebbgraph plastify {store}` "
            "learns it", markup=False, soft_wrap=True,
        )  # fmt: skip

    told = {"store": store, "result": result, "useful": useful, "useless": useless}
    emit(told, shown, as_json=as_json, quiet=quiet)


def _weights(told: tuple[str, ...]) -> dict[str, Any]:
    """Options of `Memory.find` for weights of axes and of ways to relevance."""
    from dataclasses import fields

    from hebbgraph.retrieval.intents import AXES
    from hebbgraph.retrieval.relevance import Weights

    counts = {one.name: one.type == "int" for one in fields(Weights)}
    axes: dict[str, float] = {}
    ways: dict[str, Any] = {}
    for one in told:
        name, _, number = one.partition("=")
        if name not in (*AXES, *counts):
            raise click.BadParameter(
                f"expected NAME=NUMBER, names are {', '.join((*AXES, *counts))}; got {one}",
                param_hint="--weight",
            )
        try:
            if name in counts:
                ways[name] = int(number) if counts[name] else float(number)
            else:
                axes[name] = float(number)
        except ValueError:
            raise click.BadParameter(
                f"expected a number after {name}=, got {number!r}", param_hint="--weight"
            ) from None
    return {"axes": axes or None, "weights": Weights(**ways) if ways else None}


def document(found: Found) -> dict[str, Any]:
    """JSON-ready; a path is one line of text a step."""
    out = dataclasses.asdict(found)
    for made, hit in zip(out["hits"], found.hits, strict=True):
        made["path"] = [str(step) for step in hit.path]
    return out


def show(console: Console, found: Found, *, explain: bool) -> None:
    """Hits for people; front matter says again what stands elsewhere."""
    from hebbgraph.ingest.readers.front_matter import front_matter

    for line in filter(None, (found.note, found.answer)):
        console.print(str(line), markup=False, soft_wrap=True)
    if not found.hits:
        console.print("nothing found")
    for hit in found.hits:
        console.print(f"{hit.score:.3f}  {hit.title or hit.document_id}  {hit.passage_id}",
                      markup=False, soft_wrap=True, style="bold")  # fmt: skip
        text = " ".join(hit.text[front_matter(hit.text)[0] :].split())
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
