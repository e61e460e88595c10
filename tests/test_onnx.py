"""A tiny model in an ONNX file, through the real runtime and tokenizer."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")

from onnx import TensorProto, helper  # noqa: E402

from hebbgraph.errors import InputError, ProviderError  # noqa: E402
from hebbgraph.providers.choice import embedder  # noqa: E402
from hebbgraph.providers.onnx import OnnxEmbedder  # noqa: E402
from hebbgraph.providers.protocols import Embedder  # noqa: E402

VOCABULARY = {"[UNK]": 0, "red": 1, "green": 2, "blue": 3, "nothing": 4, "bad": 5}
TABLE = np.array(
    [[1, 1, 1], [3, 0, 0], [0, 4, 0], [0, 0, 5], [0, 0, 0], [np.nan, 0, 0]], np.float32
)


def write_model(path, *, inputs=("input_ids", "attention_mask"), pooled=False):
    """Token ids to rows of a table; ``pooled`` adds up the tokens of a text, padding too."""
    nodes = [helper.make_node("Gather", ["table", inputs[0]], ["tokens" if pooled else "out"])]
    shape = ["texts", "length", 3]
    if pooled:
        nodes.append(helper.make_node("ReduceSum", ["tokens", "axis"], ["out"], keepdims=0))
        shape = ["texts", 3]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "length"])
            for name in inputs
        ],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, shape)],
        [
            helper.make_tensor("table", TensorProto.FLOAT, TABLE.shape, TABLE.ravel()),
            helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)


@pytest.fixture
def folder(tmp_path):
    write_model(tmp_path / "model.onnx")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def unit(*vector):
    return np.array(vector) / np.linalg.norm(vector)


def test_tokens_are_averaged_without_the_padding_and_scaled(folder):
    model = OnnxEmbedder(folder, batch_size=2)
    assert isinstance(model, Embedder)
    vectors = model.embed(["red green blue", "red", "green red red", "unseen"])
    expected = [unit(3, 4, 5), unit(1, 0, 0), unit(6, 4, 0), unit(1, 1, 1)]
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array(expected), abs=1e-6)
    assert model.dimensions == 3
    assert model.embed([]).shape == (0, 3)


def test_vectors_do_not_hang_on_the_batch(folder):
    texts = [" ".join(["red", "green", "blue"][: 1 + n % 3] * (1 + n % 5)) for n in range(40)]
    whole = OnnxEmbedder(folder, batch_size=40, threads=1).embed(texts)
    assert np.allclose(whole, OnnxEmbedder(folder, batch_size=7).embed(texts), atol=1e-6)


def test_a_model_that_pools_itself_is_taken_as_it_is(folder):
    write_model(folder / "model.onnx", inputs=("input_ids",), pooled=True)
    vectors = OnnxEmbedder(folder / "model.onnx", batch_size=1).embed(["red green", "blue"])
    assert vectors == pytest.approx(np.array([unit(3, 4, 0), unit(0, 0, 1)]), abs=1e-6)


def test_long_texts_are_cut(folder):
    vectors = OnnxEmbedder(folder, max_tokens=2).embed(["red green blue blue blue"])
    assert vectors[0] == pytest.approx(unit(3, 4, 0), abs=1e-6)


def test_a_line_of_configuration_and_an_export_in_a_folder_below(folder):
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert embedder(f"onnx:{folder}").embed(["red"]).shape == (1, 3)


@pytest.mark.parametrize(
    ("text", "message"), [("bad", "came NaN"), ("nothing nothing", "came nothing but zeros")]
)
def test_vectors_that_no_table_can_take_are_refused(folder, text, message):
    with pytest.raises(ProviderError, match=f"{message}.* for text 1"):
        OnnxEmbedder(folder).embed(["red", text])
    with pytest.raises(InputError, match="text 0"):
        OnnxEmbedder(folder).embed([" "])


def test_what_is_missing_or_wrong_is_told(folder, tmp_path):
    with pytest.raises(ProviderError, match="or a folder with model.onnx or onnx/model.onnx"):
        OnnxEmbedder(folder / "other")
    with pytest.raises(ProviderError, match="name it with `tokenizer`"):
        OnnxEmbedder(folder, tokenizer=folder / "none.json")
    (folder / "bad.json").write_text("{}")
    with pytest.raises(ProviderError, match="expected a tokenizer"):
        OnnxEmbedder(folder, tokenizer=folder / "bad.json")
    (folder / "bad.onnx").write_bytes(b"no model")
    with pytest.raises(ProviderError, match="expected an ONNX model"):
        OnnxEmbedder(folder / "bad.onnx")
    write_model(folder / "model.onnx", inputs=("pixels",))
    with pytest.raises(ProviderError, match="came pixels"):
        OnnxEmbedder(folder)
