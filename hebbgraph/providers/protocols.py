"""What an embedding model and a language model must do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors.

    Attributes
    ----------
    name : provider and model, as in ``ollama:nomic-embed-text``: vectors of different names do not
        compare
    dimensions : length of a vector; None until the first answer, where the model decides it
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def dimensions(self) -> int | None: ...  # noqa: D102

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One vector a text.

        Parameters
        ----------
        texts : none of them blank

        Returns
        -------
        (len(texts), dimensions) float32, finite, no row all zero

        Raises
        ------
        InputError
            a text is blank or no string
        ProviderError
            the model did not answer, or with vectors that no table can take
        """
        ...


@runtime_checkable
class Completer(Protocol):
    """A prompt to an answer.

    Attributes
    ----------
    name : provider and model
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    def complete(self, prompt: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The answer as an object that is valid against ``schema``, a JSON schema of an object.

        Raises
        ------
        ProviderError
            the model did not answer, or twice with something else
        """
        ...

    def complete_text(self, prompt: str) -> str:
        """The answer as it comes.

        Raises
        ------
        ProviderError
            the model did not answer
        """
        ...
