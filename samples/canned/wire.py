"""The common part of the providers' wire formats: their paths, refusals, and the questions that they received."""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Literal

from pydantic import BaseModel

Endpoint = Literal[
    "embeddings", "chat", "responses", "messages", "batches", "batched", "batch", "batch_results", "batch_cancel"
]
"""`batches` takes in a batch, `batched` is one question in it, `batch` tells how far it is."""
Json = dict[str, Any]

PATHS: dict[tuple[str, str], Endpoint] = {
    ("POST", "/v1/embeddings"): "embeddings",
    ("POST", "/v1/chat/completions"): "chat",
    ("POST", "/v1/responses"): "responses",
    ("POST", "/v1/messages"): "messages",
    ("POST", "/v1/messages/batches"): "batches",
}
_BATCH = re.compile(r"/v1/messages/batches/(msgbatch_\w+)(/results|/cancel)?")
_OF_A_BATCH: dict[tuple[str, str], Endpoint] = {
    ("GET", ""): "batch",
    ("GET", "/results"): "batch_results",
    ("POST", "/cancel"): "batch_cancel",
}
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
_SCHEMA_IN_WORDS = re.compile(r"JSON schema:\n(\{.*\})$", re.MULTILINE)
# The number of blocks before a mark among which a stored prefix is looked for.
LOOKED_BACK = 20
# The characters of a piece of a stream.
PIECE = 12
ids = itertools.count(1)


class Refusal(Exception):
    """A request that the real provider would refuse: its status, and its message."""

    def __init__(
        self, message: str, *, kind: str = "invalid_request_error", code: str | None = None, status: int = 400
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.status = status


class Request(BaseModel):
    """A request as it came in; of the key only its hash."""

    endpoint: Endpoint
    body: Json
    key_sha256: str | None
    batch_id: str | None = None
    paid: bool = False
    """Whether a model answered it, well or badly."""

    @property
    def prompt(self) -> str:
        """The text of all parts for a thinker, system prompt first, a line between parts."""
        return "\n".join(text for _, text, _ in parts(self.body))

    @property
    def material(self) -> str:
        """Its text to a thinker as a user."""
        return "\n".join(text for role, text, _ in parts(self.body) if role == "user")

    @property
    def schema_wanted(self) -> Json | None:
        """The JSON schema of the answer that it requests, in a field or in words."""
        body = self.body
        wanted = (body.get("output_config") or {}).get("format") or (body.get("text") or {}).get("format")
        wanted = wanted or (body.get("response_format") or {}).get("json_schema") or {}
        if "schema" in wanted:
            return dict(wanted["schema"])
        described = _SCHEMA_IN_WORDS.search(self.prompt)
        return dict(json.loads(described[1])) if described else None

    @property
    def purpose(self) -> str:
        """The title of the schema that it requests, which shows its purpose; else the endpoint."""
        return str((self.schema_wanted or {}).get("title") or self.endpoint)


def endpoint_of(method: str, path: str) -> tuple[Endpoint, str | None] | None:
    """Which endpoint a request is for, and which batch."""
    if endpoint := PATHS.get((method, path)):
        return endpoint, None
    if (batch := _BATCH.fullmatch(path)) and (endpoint := _OF_A_BATCH.get((method, batch[2] or ""))):
        return endpoint, batch[1]
    return None


def parts(body: Json) -> Iterator[tuple[str, str, bool]]:
    """The texts of a prompt in order: the speaker of each, the text, and whether a cache is to end there."""
    spoken = [("system", body.get("system", "")), ("system", body.get("instructions", ""))]
    turns = body.get("messages") or body.get("input") or []
    turns = [{"role": "user", "content": turns}] if isinstance(turns, str) else turns
    # Texts to embed are an input too, but no turn of a conversation.
    spoken += [(message["role"], message.get("content") or "") for message in turns if isinstance(message, dict)]
    for role, content in spoken:
        for block in [{"text": content}] if isinstance(content, str) else content:
            if text := block.get("text", ""):
                yield role, text, "cache_control" in block


def error(endpoint: Endpoint, status: int, message: str, kind: str | None = None, code: str | None = None) -> Json:
    """The body of an error, in the form of the endpoint's provider."""
    if endpoint not in {"embeddings", "chat", "responses"}:
        kind = kind or _ANTHROPIC_TYPES.get(status, "api_error")
        details = {"details": {"error_code": code}} if code else {}
        return {"type": "error", "error": {"type": kind, "message": message, **details}, "request_id": f"req_{status}"}
    server = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = kind or _OPENAI_TYPES.get(status, "server_error" if server else "invalid_request_error")
    code = code or _OPENAI_CODES.get(status)
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def event(data: Json, name: str | None = None) -> bytes:
    """A server-sent event."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(data)}\n\n".encode()


def pieces(text: str) -> Iterator[str]:
    """A text in pieces of a few tokens, as a stream has it."""
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))


def tokens(text: str) -> int:
    """How many tokens a thinker makes of a text."""
    return -(-len(text.encode()) // 4)


class PromptCache:
    """The prompt cache of a provider: prefixes, by key and model, by their hashes."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def read(self, request: Request, marked: list[bool], texts: list[str]) -> tuple[int, int, int]:
        """Count a prompt's tokens: read from the cache, written to it, and neither.

        Args:
            request: The request whose key, model and schema the cache belongs to.
            marked: For each text whether a prefix is to be kept that ends with it.
            texts: The prompt in order.
        """
        digest = hashlib.sha256(
            json.dumps([request.key_sha256, request.body.get("model"), request.schema_wanted]).encode()
        )
        counts = [tokens(text) for text in texts]
        found = kept = 0
        ends: list[tuple[str, int]] = []
        for position, text in enumerate(texts):
            digest.update(f"{len(text)}:{text}".encode())
            ends.append((digest.hexdigest(), sum(counts[: position + 1])))
            if marked[position]:
                # A shorter prefix that an earlier request has marked is found as well.
                found = max([found, *(end for prefix, end in ends[-LOOKED_BACK:] if prefix in self._known)])
                kept = ends[-1][1]
        self._known |= {prefix for (prefix, _), is_marked in zip(ends, marked, strict=True) if is_marked}
        return found, kept - found, sum(counts) - kept


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


def check_schema(schema: Json, kept: frozenset[str], *, all_required: bool) -> None:
    """Refuse a schema that the provider would refuse.

    Args:
        schema: The schema.
        kept: The keywords that it takes.
        all_required: Whether every field must be required.

    Raises:
        Refusal: A keyword is not taken, an object is open, a field is optional, or a reference has company.
    """
    if unknown := schema.keys() - kept:
        raise Refusal(f"Invalid schema: {sorted(unknown)} is not permitted.")
    if "$ref" in schema and len(schema) > 1:
        raise Refusal("Invalid schema: $ref cannot have keywords beside it.")
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise Refusal("Invalid schema: 'additionalProperties' is required to be supplied and to be false.")
        if all_required and set(schema.get("required", ())) != schema["properties"].keys():
            raise Refusal("Invalid schema: 'required' must hold every key in properties.")
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", [])]
    for part in [*inner, *([schema["items"]] if "items" in schema else [])]:
        check_schema(part, kept, all_required=all_required)
