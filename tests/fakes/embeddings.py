"""Embeddings as faulty providers send them."""

import base64

import numpy as np

from samples.canned.wire import Json


def spoil(answer: Json, how: str) -> Json:
    """Spoil the vectors of an answer in one of the ways that providers have been seen to."""
    data = answer["data"]
    first = data[0]
    match how:
        case "short":
            data.pop()
        case "shuffle":
            data.reverse()
        case "lists":
            for item in data:
                item["embedding"] = _numbers(item["embedding"])
        case "nan":
            first["embedding"] = [float("nan"), *_numbers(first["embedding"])[1:]]
        case "dimension":
            first["embedding"] = [1.0] * 7
        case "empty":
            first["embedding"] = []
    return answer


def _numbers(sent: str | list[float]) -> list[float]:
    return sent if isinstance(sent, list) else np.frombuffer(base64.b64decode(sent), "<f4").tolist()
