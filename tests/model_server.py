"""A server on loopback that speaks the wire formats of Ollama and of OpenAI, and fails on order."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

Json = dict[str, Any]
Fault = Callable[["Exchange"], None]

EMBEDDING_MODELS = {"nomic-embed-text": 12, "text-embedding-3-small": 12}
CHAT_MODELS = {"qwen3:8b", "gpt-4o-mini"}


def vector_of(text: str, dimensions: int) -> list[float]:
    """A unit vector that hangs on the text alone."""
    raw = np.random.default_rng(list(text.encode())).standard_normal(dimensions)
    return (raw / np.linalg.norm(raw)).tolist()


class Exchange(BaseHTTPRequestHandler):
    """One request and its answer."""

    protocol_version = "HTTP/1.1"
    server: _Listener

    def do_POST(self) -> None:
        self.body: Json = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        owner = self.server.owner
        with owner.lock:
            owner.requests.append((self.path, self.body, dict(self.headers)))
            fault = owner.faults.pop(0) if owner.faults else None
        (fault or Exchange.answer)(self)

    def answer(self) -> None:
        """What a server in order answers."""
        routes = {
            "/api/embed": self._ollama_embed,
            "/api/chat": self._ollama_chat,
            "/v1/embeddings": self._openai_embeddings,
            "/v1/chat/completions": self._openai_chat,
        }
        if self.path not in routes:
            return self.send(404, b"404 page not found", "text/plain")
        return self.send(*routes[self.path]())

    def send(self, status: int, body: Any, kind: str = "application/json", **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _rows(self) -> list[list[float]]:
        texts = self.body["input"]
        texts = [texts] if isinstance(texts, str) else texts
        size = self.body.get("dimensions") or EMBEDDING_MODELS[self.body["model"]]
        rows = [vector_of(text, size) for text in texts]
        return self.server.owner.spoil(rows)

    def _ollama_embed(self) -> tuple[int, Json]:
        model = self.body["model"]
        if model in CHAT_MODELS:
            return 400, {"error": "this model does not support embeddings"}
        if model not in EMBEDDING_MODELS:
            return 404, {"error": f'model "{model}" not found, try pulling it first'}
        texts = self.body["input"]
        if any("☠" in text for text in ([texts] if isinstance(texts, str) else texts)):
            return 500, {"error": "failed to encode response: json: unsupported value: NaN"}
        return 200, {
            "model": model,
            "embeddings": self._rows(),
            "total_duration": 14143917,
            "load_duration": 1019500,
            "prompt_eval_count": 8,
        }

    def _ollama_chat(self) -> tuple[int, Json]:
        model = self.body["model"]
        if model not in CHAT_MODELS:
            return 404, {"error": f"model '{model}' not found"}
        content, reason = self.server.owner.next_answer()
        return 200, {
            "model": model,
            "created_at": "2025-10-17T23:14:07.414671Z",
            "message": {"role": "assistant", "content": content},
            "done": True,
            "done_reason": reason,
            "total_duration": 174560334,
            "prompt_eval_count": 11,
            "eval_count": 18,
        }

    def _openai_embeddings(self) -> tuple[int, Json]:
        model = self.body["model"]
        if model not in EMBEDDING_MODELS:
            return self._no_model(model)
        data = [
            {"object": "embedding", "index": place, "embedding": row}
            for place, row in enumerate(self._rows())
        ]
        usage = {"prompt_tokens": 8, "total_tokens": 8}
        # Some servers answer in the order in which their workers end.
        return 200, {"object": "list", "data": data[::-1], "model": model, "usage": usage}

    def _openai_chat(self) -> tuple[int, Json]:
        model = self.body["model"]
        if model not in CHAT_MODELS:
            return self._no_model(model)
        kind = self.body.get("response_format", {"type": "text"})["type"]
        if kind not in self.server.owner.formats:
            message = f"'response_format.type' must be one of {sorted(self.server.owner.formats)}"
            return 400, {"error": {"message": message, "type": "invalid_request_error"}}
        content, reason = self.server.owner.next_answer()
        message = {"role": "assistant", "content": content, "refusal": self.server.owner.refusal}
        return 200, {
            "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
            "object": "chat.completion",
            "created": 1741569952,
            "model": model,
            "choices": [
                {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
            ],
            "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29},
        }

    def _no_model(self, model: str) -> tuple[int, Json]:
        message = f"The model `{model}` does not exist or you do not have access to it."
        error = {
            "message": message,
            "type": "invalid_request_error",
            "param": None,
            "code": "model_not_found",
        }
        return 404, {"error": error}


class _Listener(ThreadingHTTPServer):
    owner: ModelServer
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is no news."""


class ModelServer:
    """The server, for a ``with`` statement.

    Attributes
    ----------
    requests : path, body and headers of every request so far
    faults : what to do with the next requests instead of answering them
    answers : what the language model says next; the last is said again
    reason : why the language model stopped
    refusal : what an OpenAI model says that refuses
    formats : kinds of response_format that are taken
    spoil : what becomes of good vectors before they are sent
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, Json, dict[str, str]]] = []
        self.faults: list[Fault] = []
        self.answers = ['{"name": "Ada", "age": 36}']
        self.reason = "stop"
        self.refusal: str | None = None
        self.formats = {"text", "json_object", "json_schema"}
        self.spoil: Callable[[list[list[float]]], list[Any]] = lambda rows: rows
        self.lock = threading.Lock()
        self._listener = _Listener(("127.0.0.1", 0), Exchange)
        self._listener.owner = self
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.01,))

    def next_answer(self) -> tuple[str, str]:
        with self.lock:
            text = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return text, self.reason

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.server_port}"

    def bodies(self) -> list[Json]:
        return [body for _, body, _ in self.requests]

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()


def status(code: int, body: Any = b"", **headers: str) -> Fault:
    """An answer of that status."""
    return lambda exchange: exchange.send(code, body, **headers)


def slow(seconds: float) -> Fault:
    """The right answer, late."""

    def fault(exchange: Exchange) -> None:
        time.sleep(seconds)
        exchange.answer()

    return fault


def broken(exchange: Exchange) -> None:
    """A body that ends before its announced length."""
    exchange.send_response(200)
    exchange.send_header("Content-Type", "application/json")
    exchange.send_header("Content-Length", "1000")
    exchange.end_headers()
    exchange.wfile.write(b'{"model": "nomic-em')
    exchange.close_connection = True


def dropped(exchange: Exchange) -> None:
    """No answer, the connection closed."""
    exchange.close_connection = True
    exchange.connection.close()


malformed = status(200, b'{"model": "nomic-embed-text", "embeddings": [[0.1, 0.2')
"""JSON that stops in the middle, with the length it says."""
