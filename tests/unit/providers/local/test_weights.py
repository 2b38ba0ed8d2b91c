"""Weights are mapped, not copied, and only if they are the file they should be."""

import hashlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from providers.errors import Misconfigured
from providers.local.weights import mapped_weights


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
    found = mapped_weights(weights, hashlib.sha256(weights.read_bytes()).hexdigest())
    assert set(found) == {"matrix", "vector"}
    assert all(np.array_equal(found[name], tensors[name]) for name in found)


def test_the_tensors_are_views_of_the_file(weights):
    found = mapped_weights(weights, hashlib.sha256(weights.read_bytes()).hexdigest())
    assert not any(tensor.flags.writeable or tensor.flags.owndata for tensor in found.values())


@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux tells of a process's memory")
def test_the_memory_that_the_hash_has_read_is_given_back(weights):
    def in_memory():
        _, _, mapped = Path("/proc/self/smaps").read_text().partition(str(weights))
        return int(re.search(r"^Rss: +(\d+) kB$", mapped, re.MULTILINE)[1])

    digest = hashlib.sha256(weights.read_bytes()).hexdigest()
    found = mapped_weights(weights, digest)
    assert in_memory() == 0
    assert np.isfinite(sum(float(tensor.sum()) for tensor in found.values()))
    assert in_memory() > 0


def test_one_changed_byte_is_refused(weights):
    genuine = hashlib.sha256(weights.read_bytes()).hexdigest()
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    with pytest.raises(Misconfigured, match=f"not the expected ones.*not {genuine}"):
        mapped_weights(weights, genuine)


@pytest.mark.parametrize("content", [None, b""])
def test_a_file_that_is_missing_or_empty_is_named(tmp_path, content):
    path = tmp_path / "model.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Misconfigured, match=r"model\.safetensors can't be read"):
        mapped_weights(path, "0" * 64)
