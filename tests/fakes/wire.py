"""The wire formats of the model providers, as far as their SDKs look: answers, refusals and errors."""

import base64
import hashlib
import itertools
import json
import re
from http import HTTPStatus
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Endpoint = Literal["embeddings", "chat", "messages"]
Ending = Literal["answer", "truncate", "refuse"]
Json = dict[str, Any]

PATHS: dict[str, Endpoint] = {
    "/v1/embeddings": "embeddings",
    "/v1/chat/completions": "chat",
    "/v1/messages": "messages",
}
MAX_INPUTS = 2048
MAX_INPUT_TOKENS = 8192
MAX_REQUEST_TOKENS = 300_000

_DIMENSIONS = {"text-embedding-3-large": 3072}
_OPENAI_TYPES = {401: "invalid_request_error", 403: "permission_error", 404: "invalid_request_error", 429: "requests"}
_OPENAI_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    422: "invalid_request_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_ids = itertools.count(1)


class Refusal(Exception):
    """A request that the real provider would refuse: its status, and what it says."""

    def __init__(self, message: str, *, kind: str = "invalid_request_error", code: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code


def error(endpoint: Endpoint, status: int, message: str, kind: str | None = None, code: str | None = None) -> Json:
    """The body of an error, in the form of the endpoint's provider."""
    if endpoint == "messages":
        kind = kind or _ANTHROPIC_TYPES.get(status, "api_error")
        details = {"details": {"error_code": code}} if code else {}
        return {"type": "error", "error": {"type": kind, "message": message, **details}, "request_id": f"req_{status}"}
    server = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = kind or _OPENAI_TYPES.get(status, "server_error" if server else "invalid_request_error")
    code = code or _OPENAI_CODES.get(status)
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


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
    as_sent = _base64 if body.get("encoding_format") == "base64" else NDArray.tolist
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": as_sent(word_vector(text, dimensions))}
            for index, text in enumerate(texts)
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


def chat(body: Json, text: str, ending: Ending) -> Json:
    """An answer of OpenAI's chat completions."""
    prompt, completion = _tokens(prompt_of(body)), _tokens(text)
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    if ending == "refuse":
        message |= {"content": None, "refusal": "I can't help with that."}
    finish = "length" if ending == "truncate" else "stop"
    return {
        "id": f"chatcmpl-{next(_ids)}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    }


def messages(body: Json, text: str, ending: Ending) -> Json:
    """An answer of Anthropic's messages.

    Raises:
        Refusal: The request has what these models refuse: sampling settings, a forced tool, an answer begun for them.
    """
    if {"temperature", "top_p", "top_k"} & body.keys():
        raise Refusal("`temperature`, `top_p` and `top_k` are not supported by this model.")
    if (body.get("tool_choice") or {}).get("type") in {"any", "tool"}:
        raise Refusal("tool_choice: forced tool use is not supported by this model.")
    if body["messages"][-1]["role"] == "assistant":
        raise Refusal("This model does not support assistant message prefill.")
    return {
        "id": f"msg_{next(_ids)}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [] if ending == "refuse" else [{"type": "text", "text": text}],
        "stop_reason": {"answer": "end_turn", "truncate": "max_tokens", "refuse": "refusal"}[ending],
        "stop_sequence": None,
        "usage": {"input_tokens": _tokens(prompt_of(body)), "output_tokens": _tokens(text)},
    }


def prompt_of(body: Json) -> str:
    """Everything that a request says to the model, system prompt first, a line between parts."""
    said: list[Any] = [body.get("system", ""), *(message["content"] for message in body.get("messages", []))]
    blocks = itertools.chain.from_iterable([part] if isinstance(part, str) else part for part in said)
    return "\n".join(block if isinstance(block, str) else block.get("text", "") for block in blocks)


def schema_of(body: Json) -> Json | None:
    """The JSON schema that a request wants its answer to follow, if any."""
    wanted = (body.get("output_config") or {}).get("format") or (body.get("response_format") or {}).get("json_schema")
    return wanted.get("schema") if wanted else None


def smallest(schema: Json, definitions: Json | None = None) -> Any:  # noqa: PLR0911 - one for each kind of schema
    """The least that a JSON schema allows: null, empty lists, empty strings, zeros, the first of several choices."""
    definitions = schema.get("$defs", definitions or {})
    if "$ref" in schema:
        return smallest(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)
    if choices := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return smallest(next((choice for choice in choices if choice.get("type") == "null"), choices[0]), definitions)
    if "const" in schema or "enum" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            wanted = schema.get("required", ())
            return {name: smallest(schema["properties"][name], definitions) for name in wanted}
        case "array":
            return [smallest(schema["items"], definitions)] * schema.get("minItems", 0)
        case "string":
            return "-" * schema.get("minLength", 0)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
    return None


def _base64(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def _numbers(sent: str | list[float]) -> list[float]:
    return sent if isinstance(sent, list) else np.frombuffer(base64.b64decode(sent), "<f4").tolist()


def _tokens(text: str) -> int:
    return len(json.dumps(text)) // 4
