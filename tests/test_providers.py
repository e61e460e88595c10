"""Providers through their real clients, against a server that fails in every way servers do."""

from __future__ import annotations

import logging
import math
import socket
import time

import numpy as np
import pytest
from model_server import (
    ModelServer,
    broken,
    dropped,
    malformed,
    slow,
    status,
    vector_of,
)

from hebbgraph.errors import HebbGraphError, InputError, ParameterError, ProviderError
from hebbgraph.providers.answers import parsed
from hebbgraph.providers.choice import completer, embedder
from hebbgraph.providers.ollama import OllamaCompleter, OllamaEmbedder
from hebbgraph.providers.openai import OpenAICompleter, OpenAIEmbedder
from hebbgraph.providers.protocols import Completer, Embedder
from hebbgraph.providers.retry import TransientError, retried
from hebbgraph.providers.vectors import checked_vectors

KEY = "sk-0123456789abcdef"
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
TRANSIENT = {
    "broken": broken,
    "dropped": dropped,
    "malformed": malformed,
    "500": status(500, {"error": "llama runner process has terminated"}),
    "503": status(503, {"error": "server busy, please try again"}),
}


@pytest.fixture
def server(monkeypatch):
    for name in ("OLLAMA_HOST", "OLLAMA_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with ModelServer() as running:
        yield running


def ollama_embedder(server, model="nomic-embed-text", **options):
    return OllamaEmbedder(model, host=server.url, **{"first_wait": 0.01, "timeout": 5} | options)


def openai_embedder(server, model="text-embedding-3-small", **options):
    base_url = server.url + "/v1"
    return OpenAIEmbedder(model, base_url=base_url, **{"first_wait": 0.01, "timeout": 5} | options)


def ollama_completer(server, model="qwen3:8b", **options):
    return OllamaCompleter(model, host=server.url, **{"first_wait": 0.01, "timeout": 5} | options)


def openai_completer(server, model="gpt-4o-mini", **options):
    base_url = server.url + "/v1"
    return OpenAICompleter(model, base_url=base_url, **{"first_wait": 0.01, "timeout": 5} | options)


EMBEDDERS = pytest.mark.parametrize("make", [ollama_embedder, openai_embedder])
COMPLETERS = pytest.mark.parametrize("make", [ollama_completer, openai_completer])
ALL = pytest.mark.parametrize(
    "make", [ollama_embedder, openai_embedder, ollama_completer, openai_completer]
)


def use(provider):
    if isinstance(provider, Embedder):
        return provider.embed(["a text"])
    return provider.complete("Who?", PERSON)


# Embedding


@EMBEDDERS
def test_every_text_gets_its_own_vector_whatever_the_batches(server, make):
    texts = [f"text {number} 장애" for number in range(7)]
    provider = make(server, batch_size=3)
    assert isinstance(provider, Embedder)
    assert provider.dimensions is None
    vectors = provider.embed(texts)
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([vector_of(text, 12) for text in texts]), abs=1e-6)
    assert [len(body["input"]) for body in server.bodies()] == [3, 3, 1]
    assert provider.dimensions == 12


@EMBEDDERS
def test_dimensions_are_asked_for(server, make):
    assert make(server, dimensions=5).embed(["a"]).shape == (1, 5)
    assert server.bodies()[0]["dimensions"] == 5


def test_keep_alive_is_sent(server):
    ollama_embedder(server, keep_alive="30m").embed(["a"])
    assert server.bodies()[0]["keep_alive"] == "30m"


@EMBEDDERS
def test_no_texts_are_no_request(server, make):
    assert make(server, dimensions=5).embed([]).shape == (0, 5)
    assert not server.requests


@EMBEDDERS
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one string", r"write \[text\]"),
        (["good", " \n"], "text 1: .*blank"),
        (["good", None], "text 1: expected a string, came NoneType"),
    ],
)
def test_texts_are_checked_before_they_are_sent(server, make, texts, message):
    with pytest.raises(InputError, match=message):
        make(server).embed(texts)
    assert not server.requests


@EMBEDDERS
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rows: rows[:-1], "expected 3 vectors, came 2"),
        (lambda rows: [*rows[:1], rows[1][:-1], *rows[2:]], r"came 11, for text 4 \('text 4'\)"),
        (lambda rows: [*rows[:2], [math.nan] * 12], r"came NaN or infinity, for text 5"),
        (lambda rows: [[math.inf] * 12, *rows[1:]], r"came NaN or infinity, for text 3"),
        (lambda rows: [[1e300] * 12, *rows[1:]], r"came NaN or infinity, for text 3"),
        (lambda rows: [rows[0], [0.0] * 12, rows[2]], r"came nothing but zeros, for text 4"),
        (lambda rows: [[], [], []], "came 0, for text 3"),
    ],
)
def test_vectors_that_no_table_can_take_are_refused(server, make, spoil, message):
    provider = make(server, batch_size=3)
    server.spoil = lambda rows: rows if len(server.requests) == 1 else spoil(rows)
    with pytest.raises(ProviderError, match=message) as caught:
        provider.embed([f"text {number}" for number in range(6)])
    assert provider.name in str(caught.value)
    assert "\n" not in str(caught.value)


@EMBEDDERS
def test_a_model_that_ignores_dimensions_is_told(server, make):
    server.spoil = lambda rows: [row * 2 for row in rows]
    with pytest.raises(ProviderError, match="expected a vector of 6 dimensions, came 12"):
        make(server, dimensions=6).embed(["a"])


@EMBEDDERS
def test_a_model_that_changes_its_dimensions_is_told(server, make):
    provider = make(server)
    provider.embed(["a"])
    server.spoil = lambda rows: [row[:4] for row in rows]
    with pytest.raises(ProviderError, match="expected a vector of 12 dimensions, came 4"):
        provider.embed(["a"])


def test_the_text_for_which_ollama_has_nan_is_named_at_once(server):
    with pytest.raises(ProviderError, match=r"came NaN, for text 5 \('☠ bones'\)"):
        ollama_embedder(server, batch_size=4, first_wait=60).embed([*"abcde", "☠ bones", "f"])


def test_vectors_of_words_are_refused():
    with pytest.raises(ProviderError, match="expected vectors of numbers"):
        checked_vectors([["a", "b"]], ["t"], name="m", dimensions=2)


# Completion


@COMPLETERS
def test_an_answer_is_an_object_by_the_schema(server, make):
    provider = make(server)
    assert isinstance(provider, Completer)
    assert provider.complete("Who?", PERSON) == {"name": "Ada", "age": 36}
    body = server.bodies()[0]
    assert body["messages"][-1] == {"role": "user", "content": "Who?"}
    assert '"minimum": 0' in body["messages"][0]["content"]
    sent = body.get("format") or body["response_format"]["json_schema"]["schema"]
    assert sent == PERSON


@COMPLETERS
def test_text_comes_as_it_is(server, make):
    server.answers = ["Ada, I think."]
    assert make(server).complete_text("Who?") == "Ada, I think."
    assert not {"format", "response_format"} & set(server.bodies()[0])


@COMPLETERS
def test_a_code_fence_is_taken_off(server, make):
    server.answers = ['```json\n{"name": "Ada", "age": 36}\n```\n']
    assert make(server).complete("Who?", PERSON)["age"] == 36
    assert len(server.requests) == 1


WRONG = [
    ("Sure! Here you are", "no JSON"),
    ('{"name": "Ada", "age": 3', "no JSON"),
    ('{"name": "Ada", "age": NaN}', "NaN is no JSON number"),
    ("[1]", "JSON list where an object"),
    ('{"name": "Ada"}', "'age' is a required property"),
    ('{"name": "Ada", "age": -1}', r"\$\.age: -1 is less than the minimum"),
    ('{"name": "\\ud800", "age": 1}', "half a surrogate pair"),
    ("[" * 100_000, "no JSON"),
    ("", "no JSON"),
]


@COMPLETERS
@pytest.mark.parametrize(("answer", "fault"), WRONG)
def test_a_wrong_answer_is_shown_to_the_model_once(server, make, answer, fault):
    server.answers = [answer, '{"name": "Ada", "age": 36}']
    assert make(server).complete("Who?", PERSON)["name"] == "Ada"
    first, second = (body["messages"] for body in server.bodies())
    assert second[: len(first)] == first
    # The client of Ollama leaves empty content out.
    assert {"content": ""} | second[-2] == {"role": "assistant", "content": answer}
    with pytest.raises(ValueError, match=fault):
        parsed(answer, PERSON)
    server.answers = [answer]
    with pytest.raises(ProviderError, match=f"came twice .*{fault}") as caught:
        make(server).complete("Who?", PERSON)
    assert len(server.requests) == 4
    assert len(str(caught.value)) < 400


@COMPLETERS
def test_a_schema_is_checked_before_it_is_sent(server, make):
    with pytest.raises(ParameterError, match=r"\$\.type: 'objekt' is not valid"):
        make(server).complete("Who?", {"type": "objekt"})
    assert not server.requests


@COMPLETERS
def test_an_answer_cut_at_the_limit_is_told(server, make):
    server.reason, server.answers = "length", ['{"name": "A']
    with pytest.raises(ProviderError, match="the answer was cut at"):
        make(server).complete("Who?", PERSON)
    assert len(server.requests) == 1


def test_options_of_a_model_are_sent(server):
    ollama_completer(server, context_length=16384, think=False).complete("Who?", PERSON)
    body = server.bodies()[0]
    assert body["options"] == {"num_ctx": 16384, "temperature": 0}
    assert body["think"] is False
    openai_completer(server, temperature=None).complete("Who?", PERSON)
    assert "temperature" not in server.bodies()[1]


@pytest.mark.parametrize("formats", [{"json_object"}, {"json_schema"}, {"text"}])
def test_a_server_without_a_format_is_asked_for_another_and_remembered(server, formats):
    server.formats = formats
    provider = openai_completer(server)
    assert provider.complete("Who?", PERSON)["age"] == 36
    before = len(server.requests)
    assert provider.complete("Who?", PERSON)["age"] == 36
    assert len(server.requests) == before + 1


def test_another_refusal_of_the_request_is_no_matter_of_format(server):
    server.faults = [status(400, {"error": {"message": "temperature is not supported"}})]
    with pytest.raises(ProviderError, match="answered 400: temperature is not supported"):
        openai_completer(server).complete("Who?", PERSON)
    assert len(server.requests) == 1


def test_a_refusal_is_told(server):
    server.refusal = "I can not help\nwith that"
    with pytest.raises(ProviderError, match="the model refused: I can not help with that"):
        openai_completer(server).complete("Who?", PERSON)


# Failures of the server


@ALL
@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT)
def test_what_may_pass_is_tried_again(server, make, fault):
    server.faults = [fault, fault]
    assert len(use(make(server)))
    assert len(server.requests) == 3


@ALL
@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT)
def test_what_does_not_pass_is_told_after_the_last_attempt(server, make, fault):
    server.faults = [fault] * 9
    with pytest.raises(ProviderError, match=r"\(3 attempts\)$") as caught:
        use(make(server))
    assert not isinstance(caught.value, TransientError)
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 3


@ALL
def test_a_slow_server_is_given_up(server, make):
    server.faults = [slow(6)] * 2
    begin = time.monotonic()
    with pytest.raises(ProviderError, match=r"within 0\.2 s, came none.*\(2 attempts\)"):
        use(make(server, timeout=0.2, attempts=2))
    assert time.monotonic() - begin < 5


@ALL
def test_a_late_answer_is_an_answer(server, make):
    server.faults = [slow(0.2)]
    assert len(use(make(server)))


@ALL
@pytest.mark.parametrize("body", [{"data": 1}, ["no", "object"], {}, None])
def test_another_format_is_told_and_not_tried_again(server, make, body):
    server.faults = [status(200, body)]
    with pytest.raises(ProviderError, match="expected an answer in (Ollama|OpenAI)'s format"):
        use(make(server))
    assert len(server.requests) == 1


@ALL
@pytest.mark.parametrize("body", [b"", b"<html>no</html>", ["odd"], {"odd": 1}, {"error": {}}])
def test_errors_in_any_shape_are_one_line(server, make, body):
    server.faults = [status(418, body)]
    with pytest.raises(ProviderError) as caught:
        use(make(server))
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


@ALL
def test_a_server_that_does_not_run(server, make):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        server_url = f"http://127.0.0.1:{unused.getsockname()[1]}"

        class Nowhere:
            url = server_url

        with pytest.raises(ProviderError) as caught:
            use(make(Nowhere, first_wait=60))
    assert server_url in str(caught.value)
    assert ("`ollama serve`" if "ollama" in make.__name__ else "base_url") in str(caught.value)


@pytest.mark.parametrize("make", [ollama_embedder, ollama_completer])
def test_a_model_that_is_not_pulled(server, make):
    with pytest.raises(ProviderError, match=r"not pulled at http.*type `ollama pull llama9:1b`"):
        use(make(server, "llama9:1b"))
    assert len(server.requests) == 1


def test_a_path_that_is_not_there_is_no_missing_model(server):
    with pytest.raises(ProviderError, match="answered 404: 404 page not found"):
        OllamaEmbedder("nomic-embed-text", host=server.url + "/other").embed(["a"])


def test_a_model_that_cannot_embed(server):
    with pytest.raises(ProviderError, match="answered 400: this model does not support embeddings"):
        ollama_embedder(server, "qwen3:8b").embed(["a"])


def test_a_model_that_an_endpoint_does_not_have(server):
    with pytest.raises(ProviderError, match=r"404: The model `other` does not exist.* end in /v1"):
        openai_completer(server, "other").complete("Who?", PERSON)


def test_the_wait_that_a_server_asks_for_is_kept(server):
    server.faults = [status(429, {"error": {"message": "slow down"}}, Retry_After="0.3")]
    begin = time.monotonic()
    openai_embedder(server).embed(["a"])
    assert time.monotonic() - begin >= 0.3


def test_waits_double_and_end_at_the_last_attempt(monkeypatch):
    waits = []
    monkeypatch.setattr("hebbgraph.providers.retry.time.sleep", waits.append)

    def request():
        raise TransientError("down", wait=100 if len(waits) == 4 else None)

    with pytest.raises(ProviderError, match=r"^down \(6 attempts\)$"):
        retried(request, attempts=6, first_wait=1)
    assert len(waits) == 5
    assert all(2**n / 2 <= wait <= 2**n for n, wait in enumerate(waits[:4]))
    assert waits[4] == 30


# The key


@pytest.mark.parametrize("make", [openai_embedder, openai_completer])
@pytest.mark.parametrize("source", ["option", "environment"])
def test_the_key_is_sent_and_never_shown(server, make, source, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    if source == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        provider = make(server, attempts=1)
    else:
        provider = make(server, attempts=1, api_key=KEY)
    use(provider)
    assert server.requests[0][2]["Authorization"] == f"Bearer {KEY}"
    shown = [repr(provider), str(provider), provider.name]
    for fault in (
        status(401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}),
        status(500, {"error": KEY}),
        status(400, {"detail": KEY}),
        *TRANSIENT.values(),
    ):
        server.faults = [fault]
        with pytest.raises(HebbGraphError) as caught:
            use(provider)
        shown += [str(caught.value), repr(caught.value)]
        assert caught.value.__cause__ is None
    assert "***" in shown[3]
    assert "OPENAI_API_KEY" in shown[3]
    assert caplog.text
    assert KEY not in "\n".join(shown) + caplog.text


def test_without_a_key_none_is_sent(server):
    openai_embedder(server).embed(["a"])
    assert "Authorization" not in server.requests[0][2]


def test_a_password_in_an_address_is_not_shown(server):
    address = server.url.replace("http://", "http://ada:secret@") + "/v1"
    provider = OpenAIEmbedder("other", base_url=address)
    with pytest.raises(ProviderError) as caught:
        provider.embed(["a"])
    assert "secret" not in repr(provider) + str(caught.value)


@ALL
def test_no_proxy_stands_before_loopback(server, make, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert len(use(make(server)))


# From a line of configuration


def test_a_line_names_model_and_server(server):
    one = embedder(f"ollama:nomic-embed-text@{server.url}")
    assert one.embed(["a"]).shape == (1, 12)
    other = completer(f"openai:gpt-4o-mini@{server.url}/v1")
    assert other.complete("Who?", PERSON)["age"] == 36


def test_names_of_models_keep_their_colons_and_at_signs():
    assert embedder("ollama:qwen3-embedding:0.6b").name == "ollama:qwen3-embedding:0.6b"
    assert embedder("openai:@cf/baai/bge-m3@http://h/v1").name == "openai:@cf/baai/bge-m3"


def test_a_table_names_model_and_options(server):
    table = {"model": f"ollama:nomic-embed-text@{server.url}", "dimensions": 6, "timeout": 9.5}
    assert embedder(table).embed(["a"]).shape == (1, 6)
    assert table["dimensions"] == 6


def test_the_environment_is_asked_where_nothing_is_named(monkeypatch):
    monkeypatch.delenv("HEBBGRAPH_EMBEDDER", raising=False)
    monkeypatch.delenv("HEBBGRAPH_COMPLETER", raising=False)
    assert embedder().name.startswith("lsa:256:")
    assert completer() is None
    monkeypatch.setenv("HEBBGRAPH_EMBEDDER", "ollama:bge-m3")
    monkeypatch.setenv("HEBBGRAPH_COMPLETER", "ollama:qwen3:8b@http://gpu:11434")
    assert embedder().name == "ollama:bge-m3"
    assert repr(completer()) == "OllamaCompleter('qwen3:8b', host='http://gpu:11434')"


@pytest.mark.parametrize(
    ("make", "spec", "message"),
    [
        (embedder, "word2vec", r"^embedder: expected lsa, ollama:MODEL\[@URL\], onnx:PATH, openai"),
        (embedder, "ollama", "got 'ollama'"),
        (embedder, "lsa:512", "got 'lsa:512'"),
        (embedder, {"model": "lsa", "size": 3}, "lsa has dimensions, seed, got 'size'"),
        (embedder, {"dimensions": 3}, "got ''"),
        (embedder, {"model": "lsa", "dimensions": 2}, r"dimensions: expected .* \[8, 4096\]"),
        (completer, "lsa", r"^completer: expected ollama:MODEL\[@URL\], openai:MODEL\[@URL\], got"),
        (completer, {"model": "ollama:m", "timeout": 0}, "timeout: expected a number"),
        (completer, "openai:m@http://h:x/v1", "base_url: expected a URL"),
        (completer, {"model": "openai:m", "base_url": "ftp://h"}, "got ftp://"),
    ],
)
def test_unknown_names_are_told_with_what_is_allowed(make, spec, message):
    with pytest.raises(ParameterError, match=message) as caught:
        make(spec)
    assert "\n" not in str(caught.value)
