"""The embedded default: latent semantic analysis over random indexing, fitted on the corpus."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hebbgraph import check
from hebbgraph.errors import ProviderError
from hebbgraph.providers.svd import right_singular_vectors
from hebbgraph.providers.vectors import checked_texts, checked_vectors
from hebbgraph.providers.words import index_vectors, words

Floats = npt.NDArray[np.float32]

INDEX_SHARE: Final = 0.25
"""Length of the random part of a word, beside 1 as the mean length of what is learned."""
MAX_WORDS: Final = 65_536
MAX_FITTED: Final = 200_000
GROWTH: Final = 1.5
_BATCH: Final = 4096
_FORMAT: Final = b"1"


@dataclass(frozen=True)
class WordSpace:
    """Words of a corpus, with a weight and a vector each.

    Attributes
    ----------
    words : word to row
    weight : (n_words,) float32, inverse document frequency, above 0
    vector : (n_words, dimensions) float32
    n_texts : texts of the corpus
    seed : of the decomposition, on which the axes hang
    fingerprint : the same for the same space, and only for that
    """

    words: dict[str, int]
    weight: Floats
    vector: Floats
    n_texts: int
    seed: int
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        digest = blake2b("\n".join(self.words).encode("utf-8", "surrogatepass"), digest_size=6)
        digest.update(self.weight.tobytes())
        digest.update(str((self.n_texts, self.seed, self.vector.shape)).encode())
        object.__setattr__(self, "fingerprint", digest.hexdigest())


class LsaEmbedder:
    """Vectors that need no model: fitted on the texts they serve.

    The vector of a word is v(w) = √(n/r)·V(w) + ¼·i(w): V its row among the r leading right
    singular vectors of the weighted text-word matrix (Deerwester et al. 1990), n the number of
    words, so that √(n/r)·V has the mean square length 1; i a random unit vector drawn from its hash
    (random indexing). A word that the corpus does not know has V = 0. The vector of a text is
    Σ (1 + ln tf)·ln((1 + N)/(½ + df))·v(w), scaled to length 1: N texts, df of them with w. So
    every text that is not blank has a vector, before anything is fitted too, and equal words count
    where the corpus has taught nothing.

    Parameters
    ----------
    dimensions : in [8, 4096]; stays as it is whatever the corpus: one of lower rank leaves the
        rest to the random part
    seed : of the randomised decomposition
    """

    def __init__(self, *, dimensions: int = 256, seed: int = 0) -> None:
        self.dimensions = check.integer("dimensions", dimensions, 8, 4096)
        self.seed = check.integer("seed", seed, 0)
        self._space = _empty(dimensions)

    def __repr__(self) -> str:
        return f"LsaEmbedder({self.name}, {self.n_texts:,} texts, {len(self._space.words):,} words)"

    @property
    def name(self) -> str:
        """Changes whenever a fit makes another space, whose vectors do not compare with the old."""
        return f"lsa:{self.dimensions}:{self._space.fingerprint}"

    @property
    def n_texts(self) -> int:
        """Texts of the corpus at the last fit."""
        return self._space.n_texts

    def fit(self, texts: Sequence[str]) -> None:
        """Learn the space anew from all texts of a corpus.

        Above 200,000 texts it is learned from as many, evenly spaced. The 65,536 words in most
        texts are learned, in corpora of 1,000 texts and more only those in two or more. The same
        texts and seed give the same space.

        Raises
        ------
        InputError
            a text is blank or no string
        """
        step = max(1, math.ceil(len(texts) / MAX_FITTED))
        self._space = _fitted(
            checked_texts(texts)[::step],
            n_texts=len(texts),
            dimensions=self.dimensions,
            seed=self.seed,
        )

    def outgrown(self, n_texts: int) -> bool:
        """Whether a corpus of ``n_texts`` is half as large again as the one fitted."""
        return n_texts > 0 and n_texts >= GROWTH * self.n_texts

    def update(self, texts: Sequence[str]) -> bool:
        """Fit to ``texts``, all those of the corpus, if it has outgrown the last fit.

        Until then new texts are folded in: `embed` places them in the space as it is, by the words
        they share with it, and their other words count by the random part. Fitting at every half
        of growth costs three times the last fit, over the life of a corpus. Ask `outgrown` first
        where reading all texts is dear.

        Returns
        -------
        True if the space is a new one: vectors made before do not compare, so embed all texts again

        Raises
        ------
        InputError
            a text is blank or no string
        """
        if not self.outgrown(len(texts)):
            return False
        self.fit(texts)
        return True

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector a text; see `hebbgraph.providers.protocols.Embedder`."""
        texts = checked_texts(texts)
        out = np.empty((len(texts), self.dimensions), np.float32)
        for first in range(0, len(texts), _BATCH):
            batch = texts[first : first + _BATCH]
            vectors = _folded_in(batch, self._space)
            out[first : first + _BATCH] = checked_vectors(
                vectors, batch, name=self.name, dimensions=self.dimensions, first=first
            )
        return out

    def save(self, path: str | Path) -> None:
        """Write the space as one Arrow file, in place of what is there, or not at all."""
        import pyarrow as pa

        path = Path(path)
        space = self._space
        vector = pa.FixedSizeListArray.from_arrays(space.vector.ravel(), self.dimensions)
        names = [name.encode("utf-8", "surrogatepass") for name in space.words]
        table = pa.table(
            {"word": pa.array(names, pa.binary()), "weight": space.weight, "vector": vector}
        ).replace_schema_metadata(
            {
                "hebbgraph_lsa": _FORMAT,
                "dimensions": str(self.dimensions),
                "seed": str(self.seed),
                "n_texts": str(space.n_texts),
            }
        )
        unfinished = path.with_name(path.name + ".part")
        try:
            with (
                pa.OSFile(str(unfinished), "wb") as file,
                pa.ipc.new_file(file, table.schema) as to,
            ):
                to.write_table(table)
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise ProviderError(f"{path}: could not be written: {error}") from None

    @classmethod
    def load(cls, path: str | Path) -> LsaEmbedder:
        """Read what `save` wrote; the vectors stay in the file, mapped into memory.

        Raises
        ------
        ProviderError
            the file is missing, damaged, or not of this kind
        """
        import pyarrow as pa

        try:
            with pa.memory_map(str(path)) as file:
                table = pa.ipc.open_file(file).read_all()
        except (OSError, pa.ArrowException) as error:
            what = str(error).splitlines()[0]
            raise ProviderError(f"{path}: expected a file saved by LsaEmbedder; {what}") from None
        metadata = table.schema.metadata or {}
        if metadata.get(b"hebbgraph_lsa") != _FORMAT:
            raise ProviderError(
                f"{path}: expected a file saved by this version of LsaEmbedder; fit and save anew"
            )
        dimensions = int(metadata[b"dimensions"])
        loaded = cls(dimensions=dimensions, seed=int(metadata[b"seed"]))
        names = [name.decode("utf-8", "surrogatepass") for name in table["word"].to_pylist()]
        n_texts = int(metadata[b"n_texts"])
        if n_texts:
            loaded._space = WordSpace(
                words={name: row for row, name in enumerate(names)},
                weight=_whole(table["weight"]).to_numpy(),
                vector=_whole(table["vector"]).values.to_numpy().reshape(-1, dimensions),
                n_texts=n_texts,
                seed=loaded.seed,
            )
        return loaded


def _whole(column: Any) -> Any:
    """A column as one array; `combine_chunks` would copy one that is whole out of the file."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _empty(dimensions: int) -> WordSpace:
    vector = np.empty((0, dimensions), np.float32)
    return WordSpace({}, np.empty(0, np.float32), vector, n_texts=0, seed=0)


def _fitted(texts: Sequence[str], *, n_texts: int, dimensions: int, seed: int) -> WordSpace:
    if not texts:
        return _empty(dimensions)
    counts, met = _counted(texts)
    found = np.bincount(counts.indices, minlength=len(met))
    order = sorted(range(len(met)), key=lambda row: (-found[row], met[row]))[:MAX_WORDS]
    least = 2 if len(texts) >= 1000 else 1
    kept = sorted((row for row in order if found[row] >= least), key=met.__getitem__)
    names = [met[row] for row in kept]
    weight = np.log((1 + len(texts)) / (0.5 + found[kept])).astype(np.float32)
    matrix = counts[:, kept]
    _weigh(matrix, weight)
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    matrix.data /= np.repeat(lengths, np.diff(matrix.indptr))
    learned = right_singular_vectors(matrix, dimensions, seed=seed)
    vector = INDEX_SHARE * index_vectors(names, dimensions)
    rank = learned.shape[1]
    vector[:, :rank] += learned * np.float32(math.sqrt(len(names) / max(rank, 1)))
    rows = {name: row for row, name in enumerate(names)}
    return WordSpace(rows, weight, vector, n_texts=n_texts, seed=seed)


def _folded_in(texts: Sequence[str], space: WordSpace) -> Floats:
    counts, met = _counted(texts)
    row = np.array([space.words.get(name, -1) for name in met], np.int64)
    known = row >= 0
    dimensions = space.vector.shape[1]
    vector = np.empty((len(met), dimensions), np.float32)
    weight = np.full(len(met), math.log(2 * (1 + space.n_texts)), np.float32)
    vector[known] = space.vector[row[known]]
    weight[known] = space.weight[row[known]]
    unknown = [name for name, is_known in zip(met, known, strict=True) if not is_known]
    vector[~known] = INDEX_SHARE * index_vectors(unknown, dimensions)
    _weigh(counts, weight)
    out = np.asarray(counts @ vector, np.float32)
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    out /= np.where(lengths > 0, lengths, 1)
    return out


def _counted(texts: Iterable[str]) -> tuple[Any, list[str]]:
    """How often each text has each word, (n_texts, n_words) CSR, and the words as met."""
    import scipy.sparse

    row_of: dict[str, int] = {}
    starts, rows, counts = [0], list[int](), list[int]()
    for text in texts:
        tally = Counter(words(text))
        rows += [row_of.setdefault(word, len(row_of)) for word in tally]
        counts += tally.values()
        starts.append(len(rows))
    shape = (len(starts) - 1, len(row_of))
    data = (np.array(counts, np.float32), np.array(rows, np.int32), np.array(starts))
    return scipy.sparse.csr_array(data, shape=shape), list(row_of)


def _weigh(counts: Any, weight: Floats) -> None:
    """Counts to (1 + ln tf)·weight, in place."""
    counts.data = (1 + np.log(counts.data)) * weight[counts.indices]
