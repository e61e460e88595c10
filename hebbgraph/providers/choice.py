"""From a line of configuration to a model."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from hebbgraph.config import config
from hebbgraph.errors import ParameterError
from hebbgraph.providers.lsa import LsaEmbedder
from hebbgraph.providers.ollama import OllamaCompleter, OllamaEmbedder
from hebbgraph.providers.onnx import OnnxEmbedder
from hebbgraph.providers.openai import OpenAICompleter, OpenAIEmbedder
from hebbgraph.providers.protocols import Completer, Embedder

EMBEDDERS: Final[Mapping[str, Callable[..., Embedder]]] = {
    "lsa": LsaEmbedder,
    "ollama": OllamaEmbedder,
    "onnx": OnnxEmbedder,
    "openai": OpenAIEmbedder,
}
COMPLETERS: Final[Mapping[str, Callable[..., Completer]]] = {
    "ollama": OllamaCompleter,
    "openai": OpenAICompleter,
}
_ADDRESS: Final = {"ollama": "host", "openai": "base_url"}


def embedder(spec: str | Mapping[str, Any] | None = None) -> Embedder:
    """The embedding model that ``spec`` names.

    Parameters
    ----------
    spec : ``lsa``, ``ollama:MODEL[@URL]``, ``openai:MODEL[@URL]`` or ``onnx:PATH``; or a table, as
        of a TOML file, with that as ``model`` beside options of the class; None takes
        HEBBGRAPH_EMBEDDER, then the configuration file (:mod:`hebbgraph.config`), then ``lsa``

    Raises
    ------
    ParameterError
        no such provider or option

    Examples
    --------
    >>> embedder("ollama:nomic-embed-text@http://gpu:11434")
    OllamaEmbedder('nomic-embed-text', host='http://gpu:11434')
    >>> embedder({"model": "lsa", "dimensions": 512}).dimensions
    512
    """
    spec = spec or os.environ.get("HEBBGRAPH_EMBEDDER") or config().embedder or "lsa"
    made: Embedder = _made("embedder", spec, EMBEDDERS)
    return made


def completer(spec: str | Mapping[str, Any] | None = None) -> Completer | None:
    """The language model that ``spec`` names.

    Parameters
    ----------
    spec : ``ollama:MODEL[@URL]`` or ``openai:MODEL[@URL]``; or a table, as for `embedder`; None
        takes HEBBGRAPH_COMPLETER, then the configuration file

    Returns
    -------
    None where nothing is named

    Raises
    ------
    ParameterError
        no such provider or option

    Examples
    --------
    >>> completer("openai:gpt-4o-mini@http://127.0.0.1:8080/v1")
    OpenAICompleter('gpt-4o-mini', base_url='http://127.0.0.1:8080/v1')
    """
    spec = spec or os.environ.get("HEBBGRAPH_COMPLETER") or config().completer
    return _made("completer", spec, COMPLETERS) if spec else None


def _made(
    kind: str, spec: str | Mapping[str, Any], makers: Mapping[str, Callable[..., Any]]
) -> Any:
    options = {} if isinstance(spec, str) else dict(spec)
    line = spec if isinstance(spec, str) else options.pop("model", "")
    provider, _, model = str(line).partition(":")
    if provider not in makers or (not model and provider != "lsa") or (model and provider == "lsa"):
        forms = [_form(name) for name in makers]
        raise ParameterError(f"{kind}: expected {', '.join(forms)}, got {line!r}")
    allowed = [
        name
        for name, parameter in inspect.signature(makers[provider]).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    for name in options:
        if name not in allowed:
            raise ParameterError(f"{kind}: {provider} has {', '.join(allowed)}, got {name!r}")
    if provider == "lsa":
        return makers[provider](**options)
    if provider in _ADDRESS:
        # Names of models hold colons and at signs too.
        for scheme in ("@http://", "@https://"):
            before, found, after = model.partition(scheme)
            if found:
                model = before
                options.setdefault(_ADDRESS[provider], scheme[1:] + after)
    return makers[provider](model, **options)


def _form(name: str) -> str:
    return {"lsa": "lsa", "onnx": "onnx:PATH"}.get(name, f"{name}:MODEL[@URL]")
