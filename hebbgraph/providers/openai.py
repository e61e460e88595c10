"""Models behind any endpoint that speaks OpenAI's format.

Over plain httpx, which the client of Ollama brings along: two requests are all that is needed, and
the `openai` package takes 30 MB and 0.7 s to import for them.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import ProviderError
from hebbgraph.providers.answers import Message, ask
from hebbgraph.providers.retry import TRANSIENT_STATUS, TransientError, retried
from hebbgraph.providers.vectors import in_batches
from hebbgraph.providers.wire import CONNECT_SECONDS, DIRECT, one_line, shown_url

_DEFAULT_URL: Final = "https://api.openai.com/v1"


class _RefusedError(ProviderError):
    """A request that the server calls wrong (HTTP 400 or 422)."""


class _Endpoint:
    """One model of one endpoint; its failures as `ProviderError`, never with the key."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        attempts: int,
        first_wait: float,
    ) -> None:
        import httpx

        self.name = f"openai:{model}"
        self.model = model
        self.timeout = check.number("timeout", timeout, 0, open_low=True)
        self.attempts = check.integer("attempts", attempts, 1)
        self.first_wait = check.number("first_wait", first_wait, 0)
        base_url = base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL
        self.url = shown_url("base_url", base_url)
        self._key = api_key or os.environ.get("OPENAI_API_KEY")
        self._client = httpx.Client(
            base_url=base_url if "://" in base_url else self.url,
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=httpx.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)),
            mounts=DIRECT,
        )
        weakref.finalize(self, self._client.close)

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        return retried(
            lambda: self._once(path, body), attempts=self.attempts, first_wait=self.first_wait
        )

    def _once(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        import httpx

        try:
            response = self._client.post(path, json=body)
        except httpx.ConnectError as error:
            raise ProviderError(
                f"{self.name}: nothing answers at {self.url} ({one_line(error, self._key)}); "
                "start the server or put `base_url` right"
            ) from None
        except httpx.TimeoutException:
            raise TransientError(
                f"{self.name}: expected an answer of {self.url} within {self.timeout:g} s, came "
                "none; raise `timeout` or take a smaller model"
            ) from None
        except httpx.HTTPError as error:
            raise TransientError(
                f"{self.name}: the connection to {self.url} broke: {one_line(error, self._key)}"
            ) from None
        if response.status_code != 200:
            raise self._told(response)
        try:
            answer = response.json()
        except ValueError:
            raise TransientError(
                f"{self.name}: expected JSON of {self.url}, came a cut or garbled answer"
            ) from None
        if not isinstance(answer, dict):
            raise self.strange()
        return answer

    def strange(self) -> ProviderError:
        """An answer of status 200 that is in another format."""
        return ProviderError(
            f"{self.name}: expected an answer in OpenAI's format, came another; does `base_url` "
            f"{self.url} end in the version, as in /v1?"
        )

    def _told(self, response: Any) -> ProviderError:
        status = response.status_code
        said = one_line(_complaint(response), self._key)
        message = f"{self.name}: {self.url} answered {status}: {said or 'nothing'}"
        if status in (401, 403):
            return ProviderError(f"{message}; set OPENAI_API_KEY or `api_key`")
        if status == 404:
            return ProviderError(f"{message}; is the model there, and does `base_url` end in /v1?")
        if status in (400, 422):
            return _RefusedError(message)
        if status in TRANSIENT_STATUS:
            return TransientError(message, wait=_seconds(response.headers.get("retry-after")))
        return ProviderError(message)


class OpenAIEmbedder:
    """An embedding model behind an endpoint in OpenAI's format; an `Embedder`.

    Parameters
    ----------
    model : as in ``text-embedding-3-small``
    dimensions : of a vector, for models that can shorten theirs; None takes what the model gives
    base_url : with the version, as in ``http://host:8080/v1``; None takes OPENAI_BASE_URL, then
        https://api.openai.com/v1
    api_key : None takes OPENAI_API_KEY, and sends none where that is not set
    batch_size : texts a request
    timeout : seconds a request
    attempts : in all, where a failure may pass (no answer in time, a broken connection, HTTP 408,
        425, 429, 500, 502 to 504)
    first_wait : seconds before the second attempt, doubled for each further one; Retry-After of the
        server is kept to, up to 30 s
    """

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        batch_size: int = 128,
        timeout: float = 60,
        attempts: int = 3,
        first_wait: float = 0.5,
    ) -> None:
        self._asked = None if dimensions is None else check.integer("dimensions", dimensions, 1)
        self.dimensions = self._asked
        self.batch_size = check.integer("batch_size", batch_size, 1)
        self._endpoint = _Endpoint(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            attempts=attempts,
            first_wait=first_wait,
        )

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._endpoint.model!r}, base_url={self._endpoint.url!r})"

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._endpoint.name

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector a text; see `hebbgraph.providers.protocols.Embedder`."""
        vectors = in_batches(
            texts,
            lambda batch, _: self._vectors(batch),
            size=self.batch_size,
            name=self.name,
            dimensions=self.dimensions,
        )
        self.dimensions = vectors.shape[1] or self.dimensions
        return vectors

    def _vectors(self, batch: list[str]) -> list[list[float]]:
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "input": batch,
            "encoding_format": "float",
        }
        if self._asked is not None:
            body["dimensions"] = self._asked
        answer = self._endpoint.post("embeddings", body)
        try:
            rows = sorted(answer["data"], key=lambda row: row["index"])
            vectors = [row["embedding"] for row in rows]
        except (KeyError, TypeError):
            raise self._endpoint.strange() from None
        if not all(isinstance(vector, list) for vector in vectors):
            raise self._endpoint.strange()
        return vectors


class OpenAICompleter:
    """A language model behind an endpoint in OpenAI's format; a `Completer`.

    A schema is sent as ``response_format`` of type json_schema; to a server that refuses it, as
    json_object, and without a format to one that refuses that. The answer is held to the schema in
    any case.

    Parameters
    ----------
    model : as in ``gpt-4o-mini``
    temperature : 0 answers alike to the same prompt; None leaves it out, for models that refuse it
    base_url, api_key, timeout, attempts, first_wait : as for `OpenAIEmbedder`
    """

    def __init__(
        self,
        model: str,
        *,
        temperature: float | None = 0,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 300,
        attempts: int = 3,
        first_wait: float = 0.5,
    ) -> None:
        self._body: dict[str, Any] = {"model": model}
        if temperature is not None:
            self._body["temperature"] = check.number("temperature", temperature, 0)
        self._formats = ["json_schema", "json_object", "none"]
        self._endpoint = _Endpoint(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            attempts=attempts,
            first_wait=first_wait,
        )

    def __repr__(self) -> str:
        return f"OpenAICompleter({self._endpoint.model!r}, base_url={self._endpoint.url!r})"

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._endpoint.name

    def complete(self, prompt: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The answer as a valid object; see `hebbgraph.providers.protocols.Completer`."""
        return ask(
            lambda messages: self._formatted(messages, schema), prompt, schema, name=self.name
        )

    def complete_text(self, prompt: str) -> str:
        """The answer as it comes; see `hebbgraph.providers.protocols.Completer`."""
        return self._chat([{"role": "user", "content": prompt}], {})

    def _formatted(self, messages: list[Message], schema: Mapping[str, Any]) -> str:
        while True:
            try:
                return self._chat(messages, _response_format(self._formats[0], schema))
            except _RefusedError as error:
                is_format = any(word in str(error) for word in ("response_format", "json_"))
                if not is_format or len(self._formats) == 1:
                    raise
                del self._formats[0]

    def _chat(self, messages: list[Message], more: Mapping[str, Any]) -> str:
        answer = self._endpoint.post(
            "chat/completions", {**self._body, "messages": messages, **more}
        )
        try:
            choice = answer["choices"][0]
            content, refusal = choice["message"].get("content"), choice["message"].get("refusal")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise self._endpoint.strange() from None
        if choice.get("finish_reason") == "length":
            raise ProviderError(
                f"{self.name}: the answer was cut at the limit of tokens; shorten the prompt or "
                "raise the limit of the server"
            )
        if refusal:
            raise ProviderError(f"{self.name}: the model refused: {one_line(refusal)}")
        if content is not None and not isinstance(content, str):
            raise self._endpoint.strange()
        return content or ""


def _response_format(kind: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "none":
        return {}
    if kind == "json_object":
        return {"response_format": {"type": kind}}
    # Not `strict`, which takes only schemas that require and close everything.
    described = {"name": "answer", "schema": dict(schema)}
    return {"response_format": {"type": kind, "json_schema": described}}


def _complaint(response: Any) -> object:
    """What an error says; servers put it under different names."""
    try:
        body = response.json()
    except ValueError:
        return response.text
    while isinstance(body, dict):
        known = [body[name] for name in ("error", "message", "detail") if body.get(name)]
        if not known:
            return response.text
        body = known[0]
    return body


def _seconds(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None
