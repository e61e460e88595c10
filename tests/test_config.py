"""The configuration file: what it says applies where nothing else is said."""

from __future__ import annotations

import pytest

import hebbgraph
from hebbgraph.config import Config, config
from hebbgraph.errors import ParameterError
from hebbgraph.providers.choice import completer, embedder

TEXT = """
[providers]
embedder = { model = "lsa", dimensions = 64 }
completer = "ollama:qwen3:8b@http://gpu:11434"

[cognify]
functional = ["hired"]

[[types]]
name = "incident"
"""
FACTS = [
    {"id": "a", "time": "2020-03-01", "text": "Lyra Corp hired Ann Smith."},
    {"id": "b", "time": "2022-03-01", "text": "Lyra Corp hired Bob Jones."},
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("HEBBGRAPH_CONFIG", "HEBBGRAPH_EMBEDDER", "HEBBGRAPH_COMPLETER", "OLLAMA_HOST"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_without_a_file_nothing_is_said():
    assert config() == Config()
    assert embedder().name.startswith("lsa")
    assert completer() is None


def test_the_file_names_models_where_nothing_else_does(here, monkeypatch):
    (here / "hebbgraph.toml").write_text(TEXT)
    assert embedder().dimensions == 64
    assert "gpu:11434" in repr(completer())
    monkeypatch.setenv("HEBBGRAPH_COMPLETER", "openai:gpt-4o-mini")
    monkeypatch.setenv("HEBBGRAPH_EMBEDDER", "lsa")
    assert "gpt-4o-mini" in repr(completer())
    assert embedder().dimensions != 64
    assert "qwen" in repr(completer("ollama:qwen3:8b"))


def test_the_file_is_that_of_the_variable(here, monkeypatch):
    (here / "hebbgraph.toml").write_text(TEXT)
    (here / "other.toml").write_text('[providers]\ncompleter = "ollama:llama3"\n')
    monkeypatch.setenv("HEBBGRAPH_CONFIG", str(here / "other.toml"))
    assert config() == Config(completer="ollama:llama3")
    monkeypatch.setenv("HEBBGRAPH_CONFIG", "gone.toml")
    with pytest.raises(
        ParameterError, match="gone.toml, named by HEBBGRAPH_CONFIG, cannot be read"
    ):
        config()


def test_functional_relations_come_from_the_file(here):
    (here / "hebbgraph.toml").write_text('[cognify]\nfunctional = ["hired"]')
    memory = hebbgraph.Memory(here / "data.lance")
    memory.add(FACTS)
    assert memory.cognify().superseded == 1
    assert memory.cognify(functional=[]).superseded == 0
    (here / "hebbgraph.toml").unlink()
    assert not memory.cognify().changed


def test_types_in_it_are_loaded_when_asked(here):
    (here / "hebbgraph.toml").write_text(TEXT)
    memory = hebbgraph.Memory(here / "data.lance")
    assert "incident" not in memory.ontology.types
    assert memory.load_ontology("hebbgraph.toml").types == ("incident",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[provider]\n",
            "hebbgraph.toml: expected tables of providers, cognify, .* got 'provider'",
        ),
        ("providers = 3", r"providers: expected a table \[providers\], got 3"),
        (
            "[providers]\nembeder = 'lsa'",
            "providers: expected keys of embedder, completer, got 'emb",
        ),
        ("[providers]\nembedder = 3", "embedder: expected text or a table, got 3"),
        (
            "[cognify]\nfunctional = 'hired'",
            "functional: expected a list of relations, got 'hired'",
        ),
        ("[cognify]\nfunctional = [3]", r"functional: expected a list of relations, got \[3\]"),
        ("[[", "hebbgraph.toml: expected TOML"),
    ],
)
def test_what_is_wrong_in_it_is_one_line(here, text, message):
    (here / "hebbgraph.toml").write_text(text)
    with pytest.raises(ParameterError, match=message) as caught:
        embedder()
    assert "\n" not in str(caught.value)
