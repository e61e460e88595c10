"""The types and relations that every memory begins with."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources

from hebbgraph.ingest.ontology.definitions import read
from hebbgraph.ingest.ontology.model import Ontology, extended


@functools.cache
def default() -> Ontology:
    """The default ontology, that of ``default.toml`` beside this module."""
    text = resources.files(__package__).joinpath("default.toml").read_text("utf-8")
    stated = read(tomllib.loads(text), "default.toml")
    return extended(Ontology(), stated.types.values(), stated.relations.values())
