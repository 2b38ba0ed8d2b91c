"""Embeddings on the wire of OpenAI: hashed bags of words, within the real limits of a request."""

import base64
import hashlib
import re

import numpy as np
from numpy.typing import NDArray

from samples.canned.wire import Json, Refusal

MAX_INPUTS = 2048
MAX_INPUT_TOKENS = 8192
MAX_REQUEST_TOKENS = 300_000

_DIMENSIONS = {"text-embedding-3-large": 3072}


def embeddings(body: Json, bytes_per_token: int) -> Json:
    """Answer a request for embeddings.

    Args:
        body: The request.
        bytes_per_token: How many UTF-8 bytes this provider makes a token of.

    Raises:
        Refusal: The request exceeds a limit of the real provider, or holds an empty text.
    """
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    if len(texts) > MAX_INPUTS:
        raise Refusal(
            "Invalid 'input': array too long. Expected an array with maximum length "
            f"{MAX_INPUTS}, but instead got an array with length {len(texts)}.",
            code="array_above_max_length",
        )
    counts = [-(-len(text.encode()) // bytes_per_token) for text in texts]
    for position, count in enumerate(counts):
        if count == 0:
            raise Refusal(f"Invalid 'input[{position}]': input cannot be an empty string.")
        if count > MAX_INPUT_TOKENS:
            raise Refusal(f"Invalid 'input[{position}]': maximum input length is {MAX_INPUT_TOKENS} tokens.")
    if sum(counts) > MAX_REQUEST_TOKENS:
        kind = "max_tokens_per_request"
        message = f"Requested {sum(counts)} tokens, max {MAX_REQUEST_TOKENS} tokens per request"
        raise Refusal(message, kind=kind, code=kind)
    dimensions = body.get("dimensions") or _DIMENSIONS.get(body["model"], 1536)
    in_base64 = body.get("encoding_format") == "base64"
    vectors = [word_vector(text, dimensions) for text in texts]
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": _base64(vector) if in_base64 else vector.tolist()}
            for index, vector in enumerate(vectors)
        ],
        "model": body["model"],
        "usage": {"prompt_tokens": sum(counts), "total_tokens": sum(counts)},
    }


def word_vector(text: str, dimensions: int) -> NDArray[np.float32]:
    """A hashed bag of words of unit length: texts are as near to each other as they share words."""
    vector = np.zeros(dimensions, np.float32)
    for word in re.findall(r"\w+", text.lower()) or [text]:
        digest = hashlib.blake2b(word.encode(), digest_size=9).digest()
        vector[int.from_bytes(digest[:8], "little") % dimensions] += 1 if digest[8] & 1 else -1
    length = float(np.linalg.norm(vector))
    if length == 0:
        vector[0] = length = 1
    return vector / np.float32(length)


def _base64(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()
