"""What every command shares: where output goes, how errors end, progress."""

from __future__ import annotations

import functools
import io
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hebbgraph.errors import HebbGraphError

if TYPE_CHECKING:
    from rich.console import Console

F = TypeVar("F", bound=Callable[..., Any])

SECONDS_BEFORE_PROGRESS = 1.0
PIPE_WIDTH = 120


class Commands(click.Group):
    """A group whose commands end with one line and exit code 1 when they fail."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except HebbGraphError as error:
            message = str(error)
        except BrokenPipeError:
            sys.stderr.close()
            ctx.exit(1)
        except OSError as error:
            message = f"{error.filename or 'input or output'}: {error.strerror or error}"
        except MemoryError:
            message = "out of memory; use a smaller graph or a larger machine"
        click.echo(f"Error: {' '.join(message.split())}", err=True)
        ctx.exit(1)
        return None


def output_options(command: F) -> F:
    """Add ``--json`` and ``--quiet``."""
    command = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")(
        command
    )
    return click.option("--quiet", "-q", is_flag=True, help="Print errors only.")(command)


def emit(document: Any, show: Callable[[Console], None], *, as_json: bool, quiet: bool) -> None:
    """Print a result once: as JSON, for people, or not at all."""
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=2, default=str))
    elif not quiet:
        show(console())


@functools.cache
def console(*, stderr: bool = False) -> Console:
    """The terminal, or a pipe wide enough for tables; colours follow ``NO_COLOR``."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made = Console(stderr=stderr, highlight=False, width=PIPE_WIDTH)
    return made


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show the phase at work on a terminal's stderr once it has lasted a second.

    Yields a function to call with each phase's name.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        console=console(stderr=True), transient=True,
    )  # fmt: skip
    task = bar.add_task("starting")
    timer = threading.Timer(SECONDS_BEFORE_PROGRESS, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda name: bar.update(task, description=name)
    finally:
        timer.cancel()
        bar.stop()
