"""Models that Ollama serves."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import ProviderError
from hebbgraph.providers.answers import Message, ask
from hebbgraph.providers.retry import TRANSIENT_STATUS, TransientError, retried
from hebbgraph.providers.vectors import in_batches, place_of
from hebbgraph.providers.wire import CONNECT_SECONDS, DIRECT, one_line, shown_url

T = TypeVar("T")

_DEFAULT_HOST: Final = "http://127.0.0.1:11434"
_NAN: Final = "unsupported value: NaN"


class _Server:
    """One model of one Ollama server; its failures as `ProviderError`."""

    def __init__(
        self,
        model: str,
        *,
        host: str | None,
        timeout: float,
        keep_alive: str | float | None,
        attempts: int,
        first_wait: float,
    ) -> None:
        import httpx
        import ollama

        self.name = f"ollama:{model}"
        self.model = model
        self.timeout = check.number("timeout", timeout, 0, open_low=True)
        self.keep_alive = keep_alive
        self.attempts = check.integer("attempts", attempts, 1)
        self.first_wait = check.number("first_wait", first_wait, 0)
        host = host or os.environ.get("OLLAMA_HOST") or _DEFAULT_HOST
        self.url = shown_url("host", host)
        self.client = ollama.Client(
            host=host,
            timeout=httpx.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)),
            mounts=DIRECT,
        )
        weakref.finalize(self, self.client.close)

    def call(self, request: Callable[[], T]) -> T:
        return retried(
            lambda: self._once(request), attempts=self.attempts, first_wait=self.first_wait
        )

    def _once(self, request: Callable[[], T]) -> T:
        import httpx
        import ollama
        import pydantic

        try:
            return request()
        except ollama.ResponseError as error:
            raise self._told(error.status_code, error.error) from None
        except ConnectionError:
            raise ProviderError(
                f"Ollama is not running at {self.url}; start it with `ollama serve`"
            ) from None
        except httpx.TimeoutException:
            raise TransientError(
                f"{self.name}: expected an answer of {self.url} within {self.timeout:g} s, came "
                "none; raise `timeout` or take a smaller model"
            ) from None
        except httpx.HTTPError as error:
            raise TransientError(
                f"{self.name}: the connection to {self.url} broke: {one_line(error)}"
            ) from None
        except (pydantic.ValidationError, TypeError, AttributeError):
            raise ProviderError(
                f"{self.name}: expected an answer in Ollama's format, came another; is Ollama "
                f"what serves {self.url}?"
            ) from None
        except ValueError:
            raise TransientError(
                f"{self.name}: expected JSON of {self.url}, came a cut or garbled answer"
            ) from None

    def _told(self, status: int, said: object) -> ProviderError:
        words = one_line(said, os.environ.get("OLLAMA_API_KEY"))
        if status == 404 and "not found" in words and "model" in words:
            return ProviderError(
                f"model {self.model} is not pulled at {self.url}; type `ollama pull {self.model}`"
            )
        message = f"{self.name}: {self.url} answered {status}: {words or 'nothing'}"
        if status in TRANSIENT_STATUS and _NAN not in words:
            return TransientError(message)
        return ProviderError(message)


class OllamaEmbedder:
    """An embedding model of Ollama; an `Embedder`.

    Texts beyond the model's context are cut by Ollama.

    Parameters
    ----------
    model : as in ``nomic-embed-text``
    dimensions : of a vector, for models that can shorten theirs; None takes what the model gives
    host : URL of the server; None takes OLLAMA_HOST, then http://127.0.0.1:11434
    batch_size : texts a request
    keep_alive : how long the model stays in memory, as in ``"10m"``; seconds; -1 for ever; None
        leaves it to the server
    timeout : seconds a request, with the loading of the model
    attempts : in all, where a failure may pass (no answer in time, a broken connection, HTTP 408,
        425, 429, 500, 502 to 504)
    first_wait : seconds before the second attempt, doubled for each further one
    """

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        host: str | None = None,
        batch_size: int = 32,
        keep_alive: str | float | None = "10m",
        timeout: float = 120,
        attempts: int = 3,
        first_wait: float = 0.5,
    ) -> None:
        self._asked = None if dimensions is None else check.integer("dimensions", dimensions, 1)
        self.dimensions = self._asked
        self.batch_size = check.integer("batch_size", batch_size, 1)
        self._server = _Server(
            model,
            host=host,
            timeout=timeout,
            keep_alive=keep_alive,
            attempts=attempts,
            first_wait=first_wait,
        )

    def __repr__(self) -> str:
        return f"OllamaEmbedder({self._server.model!r}, host={self._server.url!r})"

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._server.name

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector a text; see `hebbgraph.providers.protocols.Embedder`."""
        vectors = in_batches(
            texts, self._vectors, size=self.batch_size, name=self.name, dimensions=self.dimensions
        )
        self.dimensions = vectors.shape[1] or self.dimensions
        return vectors

    def _vectors(self, batch: list[str], first: int) -> Sequence[Sequence[float]]:
        try:
            return self._request(batch)
        except ProviderError as error:
            if _NAN not in str(error):
                raise
        # Ollama cannot send NaN, answers 500, and does not say for which text.
        vectors: list[Sequence[float]] = []
        for place, text in enumerate(batch):
            try:
                vectors += self._request([text])
            except ProviderError as error:
                if _NAN not in str(error):
                    raise
                raise ProviderError(
                    f"{self.name}: expected a finite vector, came NaN, "
                    f"{place_of(batch, place, first)}; shorten or clean that text, or take "
                    "another model"
                ) from None
        return vectors

    def _request(self, batch: list[str]) -> Sequence[Sequence[float]]:
        server = self._server
        answer = server.call(
            lambda: server.client.embed(
                server.model, batch, dimensions=self._asked, keep_alive=server.keep_alive
            )
        )
        return answer.embeddings


class OllamaCompleter:
    """A language model of Ollama; a `Completer`.

    Parameters
    ----------
    model : as in ``qwen3:8b``
    context_length : tokens of prompt and answer together; Ollama cuts a longer prompt and does not
        say so. None leaves it to the server
    temperature : 0 answers alike to the same prompt; None leaves it to the model
    think : whether a thinking model may think first; None leaves it to the model
    host, keep_alive, timeout, attempts, first_wait : as for `OllamaEmbedder`
    """

    def __init__(
        self,
        model: str,
        *,
        context_length: int | None = None,
        temperature: float | None = 0,
        think: bool | None = None,
        host: str | None = None,
        keep_alive: str | float | None = "10m",
        timeout: float = 300,
        attempts: int = 3,
        first_wait: float = 0.5,
    ) -> None:
        self._options: dict[str, Any] = {}
        if context_length is not None:
            self._options["num_ctx"] = check.integer("context_length", context_length, 1)
        if temperature is not None:
            self._options["temperature"] = check.number("temperature", temperature, 0)
        self._think = think
        self._server = _Server(
            model,
            host=host,
            timeout=timeout,
            keep_alive=keep_alive,
            attempts=attempts,
            first_wait=first_wait,
        )

    def __repr__(self) -> str:
        return f"OllamaCompleter({self._server.model!r}, host={self._server.url!r})"

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._server.name

    def complete(self, prompt: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The answer as a valid object; see `hebbgraph.providers.protocols.Completer`."""
        return ask(
            lambda messages: self._chat(messages, dict(schema)), prompt, schema, name=self.name
        )

    def complete_text(self, prompt: str) -> str:
        """The answer as it comes; see `hebbgraph.providers.protocols.Completer`."""
        return self._chat([{"role": "user", "content": prompt}], None)

    def _chat(self, messages: list[Message], schema: dict[str, Any] | None) -> str:
        server = self._server
        answer = server.call(
            lambda: server.client.chat(
                server.model,
                messages,
                format=schema,
                think=self._think,
                options=self._options,
                keep_alive=server.keep_alive,
            )
        )
        if answer.done_reason == "length":
            raise ProviderError(
                f"{self.name}: the answer was cut at {answer.eval_count} tokens; raise "
                "`context_length` or shorten the prompt"
            )
        return answer.message.content or ""
