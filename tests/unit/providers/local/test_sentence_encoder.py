"""A sentence encoder from a directory gives the vectors that the reference implementation gives.

`make_encoders.py` says how the small encoders and their reference vectors were made.
"""

import base64
import json
import shutil
import tracemalloc
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from providers.errors import Misconfigured
from providers.local.minilm import PACKAGE, open_minilm
from providers.local.sentence_encoder import open_encoder

ENCODERS = Path(__file__).with_name("encoders")
REFERENCE = json.loads((ENCODERS / "reference.json").read_text(encoding="utf-8"))
TEXTS = REFERENCE["texts"]
NAMES = sorted(REFERENCE["encoders"])


def golden(name, kind):
    vectors = REFERENCE["encoders"][name][kind]
    return np.stack([np.frombuffer(base64.b64decode(vector), "<f4") for vector in vectors])


@pytest.fixture
def copied(tmp_path):
    """A copy of an encoder's directory, to be changed."""
    return Path(shutil.copytree(ENCODERS / "like-e5", tmp_path / "like-e5"))


def change(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("name", NAMES)
def test_it_agrees_with_the_reference_implementation(name):
    encoder = open_encoder(ENCODERS / name)
    assert np.abs(encoder.embed(TEXTS) - golden(name, "documents")).max() < 1e-5
    assert np.abs(encoder.embed_queries(TEXTS) - golden(name, "queries")).max() < 1e-5


def test_the_encoders_differ_in_what_is_read_from_their_files():
    prefixed = {name for name in NAMES if np.abs(golden(name, "queries") - golden(name, "documents")).max() > 0.01}
    assert prefixed == {"like-e5", "like-arctic", "like-multilingual-e5-small"}
    configs = [json.loads((ENCODERS / name / "config.json").read_text()) for name in NAMES]
    assert {config["model_type"] for config in configs} == {"bert", "roberta", "xlm-roberta"}


def test_a_text_has_the_same_vector_alone_and_in_company():
    encoder = open_encoder(ENCODERS / "like-bge-m3")
    alone = np.concatenate([encoder.embed([text]) for text in TEXTS])
    assert np.abs(alone - encoder.embed(TEXTS * 3)[: len(TEXTS)]).max() < 1e-6


def test_the_directory_of_minilm_gives_the_vectors_of_the_built_in_one():
    directory = Path(find_spec(PACKAGE).submodule_search_locations[0]) / "model"
    texts = ["tea", "a longer cup of tea", "tea " * 400]
    assert np.abs(open_encoder(directory).embed(texts) - open_minilm().embed(texts)).max() < 1e-6


def test_an_encoder_keeps_no_copy_of_its_weights():
    directory = Path(find_spec(PACKAGE).submodule_search_locations[0]) / "model"
    tracemalloc.start()
    try:
        encoder = open_encoder(directory)
        encoder.embed(["tea"])
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < (directory / "model.safetensors").stat().st_size / 100


def test_a_vector_space_is_named_after_directory_configuration_and_weights(copied):
    original = open_encoder(ENCODERS / "like-e5").model
    assert open_encoder(copied).model == original
    change(copied / "config_sentence_transformers.json", prompts={"query": "question: "})
    other_prefix = open_encoder(copied).model
    weights = load_file(copied / "model.safetensors")
    weights["embeddings.word_embeddings.weight"] *= 2
    save_file(weights, copied / "model.safetensors")
    names = {original, other_prefix, open_encoder(copied).model}
    assert len(names) == 3
    assert all(name.startswith("local/like-e5@") for name in names)


def test_tensors_may_carry_the_prefix_of_a_larger_model(copied):
    before = open_encoder(copied).embed(TEXTS)
    weights = load_file(copied / "model.safetensors")
    prefixed = {f"bert.{name}": tensor for name, tensor in weights.items()}
    save_file(prefixed | {"cls.predictions.bias": np.zeros(3, np.float32)}, copied / "model.safetensors")
    assert np.array_equal(open_encoder(copied).embed(TEXTS), before)


def test_a_directory_without_modules_pools_by_the_mean(copied):
    before = open_encoder(copied).embed_queries(TEXTS)
    shutil.rmtree(copied / "1_Pooling")
    (copied / "modules.json").unlink()
    assert np.array_equal(open_encoder(copied).embed_queries(TEXTS), before)


def test_a_length_in_the_sentence_configuration_comes_before_the_tokenizers(copied):
    change(copied / "sentence_bert_config.json", max_seq_length=8, do_lower_case=True)
    one, other = open_encoder(copied).embed(["tea " * 20, "tea " * 20 + "umbrella"])
    assert one @ other == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("file", "changes", "says"),
    [
        ("config.json", {"model_type": "modernbert"}, r"of type 'modernbert'.*bert, roberta, xlm-roberta"),
        ("config.json", {"hidden_act": "relu"}, r"`hidden_act` in .*config\.json is 'relu'"),
        ("config.json", {"position_embedding_type": "relative_key"}, "`position_embedding_type`"),
        ("config.json", {"num_attention_heads": 5}, "divided among 5 attention heads"),
        ("config.json", {"num_attention_heads": None}, "lacks a number"),
        ("1_Pooling/config.json", {"pooling_mode": "lasttoken"}, "pooling 'lasttoken'"),
        ("1_Pooling/config.json", {"pooling_mode": ["mean", "max"]}, "pooling"),
        ("1_Pooling/config.json", {"include_prompt": False}, "include_prompt"),
        ("config_sentence_transformers.json", {"prompts": []}, None),
        ("config_sentence_transformers.json", {"prompts": ["query: "]}, "`prompts`"),
    ],
)
def test_what_can_not_be_computed_is_refused(copied, file, changes, says):
    change(copied / file, **changes)
    if says is None:
        assert open_encoder(copied).dimensions == 16
    else:
        with pytest.raises(Misconfigured, match=says):
            open_encoder(copied)


def test_an_unknown_module_and_a_dot_product_without_normalisation_are_refused(copied):
    modules = json.loads((copied / "modules.json").read_text())
    (copied / "modules.json").write_text(json.dumps(modules[:2]))
    change(copied / "config_sentence_transformers.json", similarity_fn_name="dot")
    with pytest.raises(Misconfigured, match="`similarity_fn_name`"):
        open_encoder(copied)
    dense = {"idx": 3, "name": "3", "path": "3_Dense", "type": "sentence_transformers.models.Dense"}
    (copied / "modules.json").write_text(json.dumps([*modules, dense]))
    with pytest.raises(Misconfigured, match="module Dense"):
        open_encoder(copied)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_or_broken_file_is_named(copied, file):
    (copied / file).write_bytes(b"not what it should be")
    with pytest.raises(Misconfigured, match=file.replace(".", r"\.")):
        open_encoder(copied)
    (copied / file).unlink()
    with pytest.raises(Misconfigured, match=file.replace(".", r"\.")):
        open_encoder(copied)


def test_weights_and_tokenizer_of_different_models_are_refused(copied):
    shutil.copy(ENCODERS / "like-e5" / "tokenizer.json", copied)
    weights = load_file(copied / "model.safetensors")
    weights["embeddings.word_embeddings.weight"] = weights["embeddings.word_embeddings.weight"][:50]
    save_file(weights, copied / "model.safetensors")
    with pytest.raises(Misconfigured, match="of different models"):
        open_encoder(copied)
    del weights["encoder.layer.1.output.LayerNorm.bias"]
    save_file(weights, copied / "model.safetensors")
    with pytest.raises(Misconfigured, match=r"lack the tensor encoder\.layer\.1\.output\.LayerNorm\.bias"):
        open_encoder(copied)
