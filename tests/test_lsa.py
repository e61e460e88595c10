"""The embedded default against its definition, and on real questions."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbgraph.errors import InputError, ProviderError
from hebbgraph.providers import lsa
from hebbgraph.providers.lsa import LsaEmbedder
from hebbgraph.providers.protocols import Embedder
from hebbgraph.providers.svd import right_singular_vectors
from hebbgraph.providers.words import index_vectors, words

TEXTS = [
    "The cat sat on the mat",
    "A cat and a dog are pets",
    "Dogs and cats, cats and dogs",
    "The stock market fell on Monday",
    "Shares fell as the market opened",
    "장애 대응 절차를 문서로 남긴다",
    "장애가 나면 절차를 따른다",
]
BLANK = st.text(" \t\n\u00a0\u3000", max_size=4)
NOT_BLANK = st.text(min_size=1).filter(lambda text: not text.isspace())


def naive(texts, fitted, dimensions):
    """The definition, word by word, with the exact decomposition of NumPy."""
    names = sorted({word for text in fitted for word in words(text)})
    df = {name: sum(name in words(text) for text in fitted) for name in names}
    n = len(fitted)

    def weights(text):
        return {
            word: (1 + math.log(count)) * math.log((1 + n) / (0.5 + df.get(word, 0)))
            for word, count in Counter(words(text)).items()
        }

    matrix = np.zeros((n, len(names)))
    for row, text in enumerate(fitted):
        for word, weight in weights(text).items():
            matrix[row, names.index(word)] = weight
        matrix[row] /= np.linalg.norm(matrix[row])
    _, squares, rows = np.linalg.svd(matrix, full_matrices=False)
    rank = min(dimensions, int((squares > 1e-5 * squares[0]).sum()))
    out = np.zeros((len(texts), dimensions))
    for place, text in enumerate(texts):
        for word, weight in weights(text).items():
            out[place] += weight * 0.25 * index_vectors([word], dimensions)[0]
            if word in names:
                learned = rows[:rank, names.index(word)] * math.sqrt(len(names) / rank)
                signs = np.sign([row[np.abs(row).argmax()] for row in rows[:rank]])
                out[place, :rank] += weight * learned * signs
        out[place] /= np.linalg.norm(out[place])
    return out


def fitted(texts=TEXTS, **options):
    embedder = LsaEmbedder(**options)
    embedder.fit(texts)
    return embedder


@pytest.mark.parametrize("dimensions", [8, 16, 100])
def test_vectors_are_those_of_the_definition(dimensions):
    asked = [*TEXTS, "a cat in the market", "zebra", "zebra cat", "?!"]
    vectors = fitted(dimensions=dimensions).embed(asked)
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(naive(asked, TEXTS, dimensions), abs=2e-4)


@settings(max_examples=30, deadline=None)
@given(st.lists(NOT_BLANK, min_size=1, max_size=8), st.lists(NOT_BLANK, min_size=1, max_size=4))
def test_any_text_has_a_vector_of_length_one(corpus, texts):
    embedder = LsaEmbedder(dimensions=16)
    for _ in range(2):
        vectors = embedder.embed(texts)
        assert vectors.shape == (len(texts), 16)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
        embedder.fit(corpus)
        assert np.isfinite(embedder.embed(corpus)).all()


@settings(deadline=None)
@given(BLANK)
def test_a_blank_text_is_refused(blank):
    with pytest.raises(InputError, match="text 1: .*blank"):
        LsaEmbedder(dimensions=16).embed(["a", blank])
    with pytest.raises(InputError, match="text 0: .*blank"):
        LsaEmbedder(dimensions=16).fit([blank])


def test_an_embedder_without_a_corpus_goes_by_equal_words():
    embedder = LsaEmbedder()
    assert isinstance(embedder, Embedder)
    a, b, c = embedder.embed(["red apple pie", "apple pie, red", "the stock market"])
    assert a @ b == pytest.approx(1, abs=1e-5)
    assert abs(a @ c) < 0.3
    assert embedder.embed([]).shape == (0, 256)


def test_words_that_share_no_text_meet_by_their_company():
    topics = {("car", "auto"): "engine wheel road", ("cake", "bread"): "flour oven sugar"}
    topics |= {(f"x{n}", f"y{n}"): f"a{n} b{n} c{n}" for n in range(6)}
    texts = [
        f"{name} {company} {number}"
        for pair, company in topics.items()
        for name in pair
        for number in range(10)
    ]
    before = LsaEmbedder(dimensions=8).embed(["car", "auto", "cake"])
    after = fitted(texts, dimensions=8).embed(["car", "auto", "cake"])
    assert before[0] @ before[1] < 0.8 < after[0] @ after[1]
    assert after[0] @ after[2] < 0.3


def test_words_new_since_the_fit_still_find_their_text():
    embedder = fitted(TEXTS)
    passages = embedder.embed(["the zyxwv protocol", "the quux protocol", "the protocol"])
    assert (passages @ embedder.embed(["zyxwv"])[0]).argmax() == 0


def test_a_fit_hangs_on_the_texts_alone():
    first, second = fitted(), fitted()
    assert first.name == second.name
    assert np.array_equal(first.embed(TEXTS), second.embed(TEXTS))
    code = (
        f"from hebbgraph.providers.lsa import *; e = LsaEmbedder(); e.fit({TEXTS!r}); print(e.name)"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == first.name


def test_the_name_tells_spaces_apart():
    names = {
        LsaEmbedder().name,
        LsaEmbedder(dimensions=128).name,
        fitted().name,
        fitted(seed=1).name,
        fitted(TEXTS[:-1]).name,
        fitted([*TEXTS, TEXTS[0]]).name,
    }
    assert len(names) == 6


def test_update_fits_when_the_corpus_is_half_as_large_again():
    embedder, fits = LsaEmbedder(dimensions=8), []
    for size in range(31):
        corpus = [f"text {number} of many" for number in range(size)]
        assert embedder.outgrown(size) == (size > 0 and (not fits or size >= 1.5 * fits[-1]))
        before = embedder.name
        if embedder.update(corpus):
            fits.append(size)
        assert (embedder.name != before) == (bool(fits) and fits[-1] == size)
    assert fits == [1, 2, 3, 5, 8, 12, 18, 27]
    whole = fitted([f"text {number} of many" for number in range(27)], dimensions=8)
    assert embedder.name == whole.name
    assert np.array_equal(embedder.embed(TEXTS), whole.embed(TEXTS))


def test_a_saved_space_is_the_same_space(tmp_path):
    path = tmp_path / "lsa.arrow"
    first = fitted(dimensions=24, seed=3)
    first.save(path)
    loaded = LsaEmbedder.load(path)
    assert (loaded.name, loaded.n_texts, loaded.seed) == (first.name, len(TEXTS), 3)
    asked = [*TEXTS, "zebra \ud800"]
    assert np.array_equal(loaded.embed(asked), first.embed(asked))
    assert not loaded.update(TEXTS)
    assert loaded.update([*TEXTS, *TEXTS])
    loaded.save(path)
    assert LsaEmbedder.load(path).name == loaded.name
    assert [file.name for file in tmp_path.iterdir()] == ["lsa.arrow"]


def test_a_space_of_nothing_is_saved_too(tmp_path):
    LsaEmbedder(dimensions=32).save(tmp_path / "lsa.arrow")
    assert LsaEmbedder.load(tmp_path / "lsa.arrow").name == LsaEmbedder(dimensions=32).name


def test_a_corpus_that_teaches_no_word_is_saved_too(tmp_path):
    first = fitted([f"only{number}" for number in range(1000)], dimensions=8)
    first.save(tmp_path / "lsa.arrow")
    loaded = LsaEmbedder.load(tmp_path / "lsa.arrow")
    assert (loaded.name, loaded.n_texts) == (first.name, 1000)
    assert np.array_equal(loaded.embed(["only3"]), first.embed(["only3"]))


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "other"])
def test_a_file_that_is_none_of_ours_is_told(tmp_path, damage):
    path = tmp_path / "lsa.arrow"
    fitted().save(path)
    if damage == "missing":
        path.unlink()
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    else:
        import pyarrow as pa

        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, pa.schema([])) as writer:
            writer.write_table(pa.table({}))
    with pytest.raises(ProviderError, match="expected a file saved by") as caught:
        LsaEmbedder.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ProviderError, match="could not be written"):
        fitted().save(tmp_path / "no" / "lsa.arrow")


def test_large_corpora_are_sampled_and_words_capped(monkeypatch):
    monkeypatch.setattr(lsa, "MAX_FITTED", 10)
    monkeypatch.setattr(lsa, "MAX_WORDS", 12)
    embedder = fitted([f"common word w{number}" for number in range(25)])
    assert embedder.n_texts == 25
    kept = set(embedder._space.words)
    assert {"common", "word", "w0", "w3", "w24"} < kept
    assert "w1" not in kept
    assert len(kept) <= 12


def test_words_of_one_text_are_not_learned_where_texts_are_many():
    embedder = fitted([f"word{number // 2} only{number}" for number in range(1000)], dimensions=8)
    assert len(embedder._space.words) == 500


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ärger, IT-Security: v2_beta", ["ärger", "it", "security", "v2", "beta"]),
        ("Straße ＡＢＣ ﬁn", ["strasse", "abc", "fin"]),
        ("나는 장애대응을", ["나는", "장애", "애대", "대응", "응을"]),
        ("東京都に行く", ["東京", "京都", "都に", "に行", "行く"]),
        ("GPT模型 B", ["gpt", "模型", "b"]),
        ("가 a", ["가", "a"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("привет мир", ["привет", "мир"]),
        ("🙂 ?", ["🙂", "?"]),
        ("", []),
    ],
)
def test_words_in_any_script(text, expected):
    assert words(text) == expected


@settings(deadline=None)
@given(st.text())
def test_only_blank_texts_have_no_words(text):
    assert bool(words(text)) == bool(text.strip())
    assert all(words(text))


def test_index_vectors_are_fixed_and_nearly_orthogonal():
    names = [f"word {number}" for number in range(200)]
    vectors = index_vectors(names, 300)
    cosines = vectors @ vectors.T - np.eye(200)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert abs(cosines.mean()) < 0.01
    assert cosines.std() == pytest.approx(1 / math.sqrt(300), rel=0.05)
    # A file holds vectors of words and none of unknown ones: these must never change.
    assert (index_vectors(["hebb"], 8)[0] > 0).tolist() == HEBB
    assert index_vectors([], 8).shape == (0, 8)


HEBB = [True, False, False, False, True, False, False, False]


@pytest.mark.parametrize("shape", [(300, 200), (40, 300), (300, 40), (1, 5), (5, 1)])
def test_singular_vectors_span_what_numpy_finds(shape):
    rng = np.random.default_rng(5)
    rank = 20
    left, right = rng.standard_normal((shape[0], rank)), rng.standard_normal((rank, shape[1]))
    dense = ((left * 0.7 ** np.arange(rank)) @ right).astype(np.float32)
    vectors = right_singular_vectors(scipy.sparse.csr_array(dense), 8, seed=0)
    _, _, rows = np.linalg.svd(dense, full_matrices=False)
    expected = min(8, *shape)
    assert vectors.shape == (shape[1], expected)
    assert vectors.T @ vectors == pytest.approx(np.eye(expected), abs=1e-4)
    assert np.abs(rows[:expected] @ vectors) == pytest.approx(np.eye(expected), abs=5e-3)
    assert all(column[np.abs(column).argmax()] > 0 for column in vectors.T)


def test_a_matrix_of_low_rank_has_no_more_vectors():
    dense = np.outer(np.arange(1, 50), np.arange(1, 80)).astype(np.float32)
    assert right_singular_vectors(scipy.sparse.csr_array(dense), 8, seed=0).shape == (79, 1)


def test_questions_find_their_passages_better_than_by_words_alone(data):
    """Cranfield; plain BM25 has nDCG@10 .330 there, cosine of tf-idf .330."""
    folder = data / "cranfield"
    if not folder.is_dir():
        pytest.skip("no Cranfield here")
    read = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    passages = {one["id"]: f"{one['title']} {one['text']}" for one in read}
    passages = {key: text for key, text in passages.items() if text.strip()}
    queries = [
        json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()
    ]
    embedder = fitted(list(passages.values()))
    scores = (
        embedder.embed([query["text"] for query in queries])
        @ embedder.embed(list(passages.values())).T
    )
    ids, gains = list(passages), []
    for query, row in zip(queries, scores, strict=True):
        discount = 1 / np.log2(np.arange(2, 12))
        top = [query["gold"].get(ids[place], 0) for place in np.argsort(-row, kind="stable")[:10]]
        best = sorted(query["gold"].values(), reverse=True)[:10]
        gains.append(top @ discount / (best @ discount[: len(best)]))
    assert np.mean(gains) > 0.37
