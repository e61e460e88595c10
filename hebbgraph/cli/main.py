"""Entry point of ``hebbgraph``."""

from __future__ import annotations

import click

from hebbgraph import __version__
from hebbgraph.cli import (
    clusters,
    exchange,
    forgetting,
    inspection,
    maintenance,
    ontology,
    passes,
    search,
    text,
    tuning,
    use,
)
from hebbgraph.cli.output import Commands


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="hebbgraph", message="%(prog)s %(version)s")
def main() -> None:
    """Make graphs plastic.

    Edges strengthen with use, similar edges compete, and links that nobody wrote down are
    discovered from shared neighbours.

    \b
    hebbgraph add notes/ data.lance
    hebbgraph cognify data.lance
    hebbgraph import edges.csv data.lance
    hebbgraph plastify data.lance
    hebbgraph explain data.lance A B
    """  # noqa: D301 - \b is for click


for _command in (
    text.add_command,
    text.remove_command,
    text.cognify_command,
    text.memify_command,
    text.prune_command,
    ontology.ontology_command,
    ontology.link_command,
    ontology.unlink_command,
    exchange.import_command,
    use.record_command,
    passes.plastify_command,
    use.decay_command,
    use.expect_command,
    search.search_command,
    search.feedback_command,
    tuning.tune_command,
    clusters.clusters_command,
    forgetting.consolidate_command,
    forgetting.unarchive_command,
    forgetting.forget_command,
    forgetting.correct_command,
    inspection.info_command,
    maintenance.history_command,
    maintenance.diff_command,
    maintenance.restore_command,
    maintenance.compact_command,
    inspection.explain_command,
    inspection.neighbors_command,
    exchange.export_command,
    passes.demo_command,
    maintenance.completion_command,
):
    main.add_command(_command)
