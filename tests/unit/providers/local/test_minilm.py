"""MiniLM gives the reference implementation's vectors, whatever the rest of the batch and the calling thread.

`minilm_reference.json` holds texts and, as base64 of little-endian float16, what sentence-transformers 6.2 with
torch 2.13 on the CPU made of them: `SentenceTransformer(directory).encode(text, normalize_embeddings=True)`, a text at
a time, from the same weights.
"""

import base64
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import erf, sqrt
from pathlib import Path
from time import thread_time

import numpy as np
import pytest

import providers
from providers.errors import InputRefused, Misconfigured
from providers.local.bert import gelu
from providers.local.minilm import PACKAGE, open_minilm

REFERENCE = json.loads(Path(__file__).with_name("minilm_reference.json").read_text(encoding="utf-8"))
TEXTS = [entry["text"] for entry in REFERENCE]


@pytest.fixture(scope="module")
def minilm():
    return open_minilm()


@pytest.fixture(scope="module")
def vectors(minilm):
    return minilm.embed(TEXTS)


def test_it_agrees_with_the_reference_implementation(vectors):
    reference = np.stack([np.frombuffer(base64.b64decode(entry["vector"]), "<f2") for entry in REFERENCE])
    reference = reference.astype(np.float64) / np.linalg.norm(reference.astype(np.float64), axis=1, keepdims=True)
    cosines = dict(zip(TEXTS, np.einsum("ij,ij->i", vectors, reference), strict=True))
    assert {text: cosine for text, cosine in cosines.items() if cosine < 0.9999} == {}


def test_vectors_are_float32_of_unit_length(minilm, vectors):
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), minilm.dimensions), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_a_text_has_the_same_vector_alone_and_in_company(minilm, vectors):
    alone = np.concatenate([minilm.embed([text]) for text in TEXTS])
    assert np.abs(alone - vectors).max() < 1e-6


def test_vectors_come_in_the_order_of_the_texts(minilm, vectors):
    assert np.abs(minilm.embed(TEXTS[::-1])[::-1] - vectors).max() < 1e-6


def test_more_texts_than_fit_one_batch_are_all_embedded(minilm):
    many = [f"{text} {number}" for number in range(3) for text in TEXTS[:31]]
    alone = minilm.embed(many[:31])
    assert np.abs(minilm.embed(many)[:31] - alone).max() < 1e-6


def test_a_text_that_comes_again_is_computed_once(minilm, vectors):
    def seconds(times):
        began = thread_time()
        again = minilm.embed([*TEXTS[:2], *TEXTS[:2] * times])
        took = thread_time() - began
        assert np.abs(again - np.tile(vectors[:2], (times + 1, 1))).max() < 1e-6
        return took

    assert min(seconds(200) for _ in range(3)) < 20 * min(seconds(0) for _ in range(3))


def test_text_beyond_256_tokens_is_ignored(minilm):
    short, long = minilm.embed(["tea " * 254, "tea " * 254 + "and a great deal of coffee"])
    assert short @ long == pytest.approx(1, abs=1e-6)


def test_no_texts_have_no_vectors(minilm):
    assert minilm.embed([]).shape == (0, 384)


def test_half_a_surrogate_pair_is_refused(minilm):
    with pytest.raises(InputRefused, match="surrogate"):
        minilm.embed(["tea", "\ud83c"])


def test_threads_share_it(minilm, vectors):
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(minilm.embed, [TEXTS[:30]] * 8))
    assert all(np.abs(answer - vectors[:30]).max() < 1e-6 for answer in answers)


def test_it_survives_a_fork():
    script = """
import os
from providers.local.minilm import open_minilm
minilm = open_minilm()
before = minilm.embed(["tea", "a longer cup of tea"])
child = os.fork()
if child == 0:
    os._exit(int(abs(minilm.embed(["tea", "a longer cup of tea"]) - before).max() > 1e-6))
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    checkout = Path(providers.__file__).parents[1]
    subprocess.run([sys.executable, "-c", script], cwd=checkout, check=True, timeout=300)


def test_its_package_is_found_without_being_imported(minilm):
    assert minilm.model == "all-MiniLM-L6-v2"
    assert {PACKAGE, "torch"}.isdisjoint(sys.modules)


def test_a_directory_without_the_model_is_named(tmp_path):
    with pytest.raises(Misconfigured, match=r"model\.safetensors can't be read"):
        open_minilm(tmp_path)


def test_gelu_is_exact_to_within_4e_7():
    x = np.linspace(-12, 12, 48_000, dtype=np.float32).reshape(-1, 480)
    exact = np.array([v * (1 + erf(v / sqrt(2))) / 2 for v in x.astype(np.float64).flat]).reshape(x.shape)
    assert np.abs(gelu(x.copy()) - exact).max() < 4e-7
