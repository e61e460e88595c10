"""A sentence-embedding model in an ONNX file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import ProviderError
from hebbgraph.providers.vectors import checked_texts, checked_vectors

_MAX_TOKENS: Final = 512
_FILES: Final = ("model.onnx", "onnx/model.onnx")


class OnnxEmbedder:
    """A model on disk, run on this machine; an `Embedder`.

    The vectors of a text's tokens are averaged and scaled to length 1. A model whose output is one
    vector a text already is taken as it is, and scaled. Needs the extra ``hebbgraph[onnx]``.

    Parameters
    ----------
    path : the ONNX file, or a folder with ``model.onnx`` or ``onnx/model.onnx``
    tokenizer : ``tokenizer.json``; None looks beside the ONNX file and one folder up
    max_tokens : longer texts are cut; None takes what the tokenizer says, else 512
    batch_size : texts a run, of like length
    threads : of the runtime; None takes one a core
    """

    def __init__(
        self,
        path: str | Path,
        *,
        tokenizer: str | Path | None = None,
        max_tokens: int | None = None,
        batch_size: int = 32,
        threads: int | None = None,
    ) -> None:
        try:
            import onnxruntime
            import tokenizers
        except ImportError:
            raise ProviderError(
                'ONNX models need two more packages; type `pip install "hebbgraph[onnx]"`'
            ) from None
        self.batch_size = check.integer("batch_size", batch_size, 1)
        if max_tokens is not None:
            check.integer("max_tokens", max_tokens, 1)
        model = _model_file(Path(path))
        self.name = f"onnx:{model}"
        self.dimensions: int | None = None
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = (
            0 if threads is None else check.integer("threads", threads, 1)
        )
        try:
            self._session = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its many kinds share no base
            raise ProviderError(f"{model}: expected an ONNX model; {_first_line(error)}") from None
        source = _tokenizer_file(model, tokenizer)
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(source))
        except Exception as error:  # tokenizers raises Exception itself
            raise ProviderError(
                f"{source}: expected a tokenizer of Hugging Face's tokenizers; {_first_line(error)}"
            ) from None
        if max_tokens or self._tokenizer.truncation is None:
            self._tokenizer.enable_truncation(max_length=max_tokens or _MAX_TOKENS)
        self._tokenizer.no_padding()
        self._inputs = {put.name for put in self._session.get_inputs()}
        unknown = self._inputs - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown or "input_ids" not in self._inputs:
            raise ProviderError(
                f"{model}: expected inputs input_ids, attention_mask and token_type_ids, came "
                f"{', '.join(sorted(self._inputs))}"
            )

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name.removeprefix('onnx:')!r})"

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector a text; see `hebbgraph.providers.protocols.Embedder`."""
        texts = checked_texts(texts)
        if not texts:
            return np.empty((0, self.dimensions or 0), np.float32)
        encoded = self._tokenizer.encode_batch(texts)
        # Texts of like length share a run, or all would be padded to the longest.
        order = np.argsort([len(one.ids) for one in encoded], kind="stable")
        parts = [
            self._run([encoded[place] for place in order[first : first + self.batch_size]])
            for first in range(0, len(order), self.batch_size)
        ]
        vectors = np.concatenate(parts)[np.argsort(order)]
        checked = checked_vectors(vectors, texts, name=self.name, dimensions=self.dimensions)
        self.dimensions = checked.shape[1]
        return checked

    def _run(self, encoded: list[Any]) -> npt.NDArray[np.float32]:
        width = max(1, *(len(one.ids) for one in encoded))
        ids, mask, kinds = np.zeros((3, len(encoded), width), np.int64)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
            kinds[row, : len(one.ids)] = one.type_ids
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
        try:
            output = self._session.run(None, {name: feed[name] for name in self._inputs})[0]
        except Exception as error:  # its many kinds share no base
            raise ProviderError(f"{self.name}: the model failed; {_first_line(error)}") from None
        output = np.asarray(output, np.float32)
        if output.ndim == 3 and output.shape[:2] == mask.shape:
            inside = mask[:, :, None].astype(np.float32)
            output = (output * inside).sum(axis=1) / np.maximum(inside.sum(axis=1), 1)
        elif output.ndim != 2:
            raise ProviderError(
                f"{self.name}: expected output (texts, tokens, dimensions) or (texts, dimensions), "
                f"came {output.shape}"
            )
        lengths = np.linalg.norm(output, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = output / np.where(lengths > 0, lengths, np.float32(1))
        return unit


def _model_file(path: Path) -> Path:
    if path.is_file():
        return path
    for name in _FILES:
        if (path / name).is_file():
            return path / name
    raise ProviderError(f"{path}: expected an ONNX file, or a folder with {' or '.join(_FILES)}")


def _tokenizer_file(model: Path, given: str | Path | None) -> Path:
    places = [model.with_name("tokenizer.json"), model.parent.parent / "tokenizer.json"]
    for place in [Path(given)] if given is not None else places:
        if place.is_file():
            return place
    raise ProviderError(f"{given or places[0]}: no tokenizer there; name it with `tokenizer`")


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
