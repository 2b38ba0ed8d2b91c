"""Weights are mapped, not copied, and only if they are the file they should be."""

import hashlib

import numpy as np
import pytest
from safetensors.numpy import save

from providers.errors import Misconfigured
from providers.local.weights import open_weights


@pytest.fixture
def tensors():
    random = np.random.default_rng(7)
    return {
        "matrix": random.standard_normal((3, 5)).astype(np.float32),
        "vector": np.arange(4, dtype=np.float32),
        "positions": np.arange(6, dtype=np.int64),
    }


@pytest.fixture
def weights(tmp_path, tensors):
    path = tmp_path / "model.safetensors"
    path.write_bytes(save(tensors, metadata={"format": "pt"}))
    return path


def test_the_float32_tensors_are_read(weights, tensors):
    found = open_weights(weights, hashlib.sha256(weights.read_bytes()).hexdigest())
    assert set(found) == {"matrix", "vector"}
    assert all(np.array_equal(found[name], tensors[name]) for name in found)


def test_the_tensors_are_views_of_the_file(weights):
    found = open_weights(weights, hashlib.sha256(weights.read_bytes()).hexdigest())
    assert not any(tensor.flags.writeable or tensor.flags.owndata for tensor in found.values())


def test_one_changed_byte_is_refused(weights):
    genuine = hashlib.sha256(weights.read_bytes()).hexdigest()
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(Misconfigured, match=f"not the expected ones.*not {genuine}"):
        open_weights(weights, genuine)


@pytest.mark.parametrize("content", [None, b""])
def test_a_file_that_is_missing_or_empty_is_named(tmp_path, content):
    path = tmp_path / "model.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Misconfigured, match=r"model\.safetensors can't be read"):
        open_weights(path, "0" * 64)
