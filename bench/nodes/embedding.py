"""Measures MiniLM relative to the bare matrix products that it needs."""

import json
from collections.abc import Iterator

import numpy as np

from bench.figures import Figure, timed
from bench.ground import Ground
from providers.local.minilm import open_minilm
from schemas.settings import CHECKOUT

SENTENCES = 184
TIMES = 2
LAYERS = 6
WIDTH = 384
# Of the attention's query, key, value and output projections, then of the feed-forward's two layers.
SHAPES = ((WIDTH, WIDTH),) * 4 + ((WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH))
ROWS = 1024


def embedding(ground: Ground) -> Iterator[Figure]:
    """Measure MiniLM's texts per second, on one thread as in a worker."""
    del ground
    lines = (CHECKOUT / "samples" / "month.jsonl").read_text(encoding="utf-8").splitlines()
    scenes = [json.loads(line)["content"] for line in lines]
    sentences = [scene["action"] for scene in scenes if isinstance(scene, dict)][:SENTENCES]
    model = open_minilm()
    (took,) = timed(lambda: model.embed(sentences), times=TIMES, warm_up=1)
    tokens = sum(len(model._tokens(sentence)) for sentence in sentences)  # noqa: SLF001  # no public function counts tokens
    yield Figure(
        what=f"{len(sentences)} sentences of {tokens / len(sentences):.0f} tokens",
        measured=1000 * len(sentences) / took.p50,
        unit="/s",
        limit=len(sentences) / _products(tokens),
        against="its matrix products alone",
    )


def _products(tokens: int) -> float:
    """Return the seconds that the matrix products of `tokens` tokens take."""
    chance = np.random.default_rng(1)
    rows = {width: chance.normal(size=(ROWS, width)).astype(np.float32) for width in (WIDTH, 4 * WIDTH)}
    weights = [chance.normal(size=shape).astype(np.float32) for shape in SHAPES]

    def layer() -> None:
        for weight in weights:
            rows[len(weight)] @ weight

    (took,) = timed(layer, times=10)
    return took.p50 / 1000 * LAYERS * tokens / ROWS
