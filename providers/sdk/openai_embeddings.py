"""The embedder for OpenAI's API and compatible servers."""

import base64
import re
import weakref
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Any

import httpx2
import numpy as np
import openai
from numpy.typing import NDArray
from pydantic import BaseModel
from pydantic_core import from_json

from providers import tls
from providers.chat.answer_so_far import tokens_of
from providers.errors import BadAnswer, InputRefused, Misconfigured
from providers.lease_guard import before_request
from providers.metering import Meter
from providers.sdk.sdk_errors import SettingNames, error_in, sdk_errors
from providers.tokens import estimated_tokens
from schemas.limits import VECTOR_DIMENSIONS

MAX_INPUTS = 2048
# The API's limit for one text; a compatible server with a lower limit refuses the text.
MAX_TOKENS = 8191
MAX_REQUEST_TOKENS = 300_000
# A request costs more than its texts do, and the worker waits for it without computing.
PORTION = 512

_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
_REFUSED = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
# Servers say so how many texts a request may have at most.
_TOO_MANY = re.compile(
    r"(?<!physical )batch[ _]?size (?:\d|is)|in one batch|too many (?:inputs|texts|items)|array too long"
    r"|at most \d{1,4} (?:items|inputs|texts)|texts must be at most",
    re.IGNORECASE,
)
_SETTINGS = SettingNames(key="OPENAI_API_KEY", model="PATROL_OPENAI_EMBEDDING_MODEL", address="OPENAI_BASE_URL")


class OpenAIEmbedder:
    """An embedder at OpenAI or a compatible server; thread-safe.

    Args:
        api_key: The key.
        model: The model's name as the server knows it.
        dimensions: The vectors' length to request; it becomes part of the name of the vector space.
        base_url: A compatible server; by default OpenAI's own.
        timeout: The limit of one request, in seconds.
        meter: Accounts for each request.
    """

    def __init__(
        self,
        *,
        api_key: str,
        model: str,
        dimensions: int | None = None,
        base_url: str | None = None,
        timeout: float = 60.0,
        meter: Meter | None = None,
    ) -> None:
        self.model = model if dimensions is None else f"{model}@{dimensions}"
        self._wire_model = model
        self._asked_dimensions = dimensions
        self._dimensions = dimensions or _DIMENSIONS.get(model)
        self._meter = meter
        self._most_inputs = MAX_INPUTS
        # The encodings to ask for, until one has worked: some servers refuse the first, each with another error.
        self._encodings: Sequence[dict[str, str]] = ({"encoding_format": "base64"}, {})
        # The ledger retries: it backs off without holding a worker.
        self._client = openai.OpenAI(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(verify=tls.trusted()),
        )
        # Not left to the garbage collector, which would close the sockets first and warn of them.
        weakref.finalize(self, self._client.close).atexit = False

    @property
    def dimensions(self) -> int:
        """The length of a vector; an unknown model's is taken from its first answer, requested if there was none."""
        if self._dimensions is None:
            self._dimensions = len(self.embed(["dimensions"])[0])
        return self._dimensions

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text the model reads."""
        return MAX_TOKENS

    @property
    def portion(self) -> int:
        """How many texts it is best given at once in the background."""
        return PORTION

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate the tokens of texts, erring on the high side."""
        return [estimated_tokens(text) for text in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; see the Embedder protocol.

        Raises:
            Transient: The server is busy, down or unreachable.
            BadAnswer: The vectors don't fit the texts.
            InputRefused: A text is empty, over 8,192 tokens or otherwise refused; none of `texts` is embedded.
            Misconfigured: The key, the address or the model's name is wrong.
        """
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.concatenate([self._embed_batch(batch) for batch in batches(texts, self._most_inputs)])

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed queries, which OpenAI's models treat as any text."""
        return self.embed(texts)

    def _embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        try:
            return self._vectors(self._ask(texts), len(texts))
        except InputRefused as refusal:
            if not refusal.too_large or len(texts) == 1:
                raise
        fewer = min(-(-len(texts) // 2), self._most_inputs)
        return np.concatenate([self._embed_batch(batch) for batch in batches(texts, fewer)])

    def _ask(self, texts: Sequence[str]) -> "_Answer":
        if self._meter is None:
            return self._sent(texts)
        with self._meter.request(self._wire_model, sum(map(estimated_tokens, texts))) as used:
            answer = self._sent(texts)
            if tokens := answer.tokens:
                used(tokens)
            return answer

    def _sent(self, texts: Sequence[str]) -> "_Answer":
        with sdk_errors(openai, _SETTINGS):
            content = self._content(texts)
        try:
            body = from_json(content)
            if error := error_in(body, _SETTINGS):
                raise error
            return _Answer.model_validate(body)
        except ValueError:
            raise BadAnswer("The answer is not a list of embeddings.") from None

    def _content(self, texts: Sequence[str]) -> bytes:
        encodings = self._encodings
        for encoding in encodings:
            before_request()
            try:
                # Parsed by `_Answer`: the SDK's `embeddings.create` does not validate the response, and makes Python
                # lists of the vectors. Looking through the types of its parameters takes it 0.1 ms.
                response = self._client.post(
                    "/embeddings",
                    cast_to=httpx2.Response,
                    body={
                        "model": self._wire_model,
                        "input": list(texts),
                        **encoding,
                        **({"dimensions": self._asked_dimensions} if self._asked_dimensions else {}),
                    },
                )
            except openai.APIStatusError as refusal:
                if len(texts) > 1 and _TOO_MANY.search(refusal.response.text):
                    self._most_inputs = min(self._most_inputs, len(texts) // 2)
                    raise InputRefused("The server takes fewer texts at once.", too_large=True) from None
                if encoding == encodings[-1] or refusal.status_code not in _REFUSED:
                    raise
            else:
                self._encodings = (encoding,)
                break
        return response.content

    def _vectors(self, answer: "_Answer", count: int) -> NDArray[np.float32]:
        places = [place if item.index is None else item.index for place, item in enumerate(answer.data)]
        data = [item for _, item in sorted(zip(places, answer.data, strict=True), key=lambda placed: placed[0])]
        if sorted(places) != list(range(count)):
            raise BadAnswer(f"The answer has {len(data)} vectors for {count} texts, or their numbers are wrong.")
        rows = [item.vector() for item in data]
        expected = self._dimensions or len(rows[0])
        if expected > VECTOR_DIMENSIONS:
            raise Misconfigured(
                f"The vectors of {self._wire_model} have {expected} numbers, and the limit is {VECTOR_DIMENSIONS}: set "
                "PATROL_OPENAI_EMBEDDING_DIMENSIONS to ask for shorter ones, or take another model."
            )
        if wrong := {len(row) for row in rows} - {expected}:
            raise BadAnswer(f"A vector has {wrong.pop()} dimensions; those of {self.model} have {expected}.")
        vectors = np.stack(rows)
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise BadAnswer("A vector has no direction: it has NaN or infinity, or is all zero.")
        self._dimensions = expected
        vectors /= lengths
        return vectors.astype(np.float32)


def batches(texts: Sequence[str], most: int = MAX_INPUTS) -> Iterator[Sequence[str]]:
    """Cut texts into as few requests as the limits allow: `most` inputs and, by estimate, 300,000 tokens.

    If the estimate was too low, the server refuses the batch without charge, and the caller halves it.
    """
    start = tokens = 0
    for index, text in enumerate(texts):
        more = estimated_tokens(text)
        if index - start == most or (index > start and tokens + more > MAX_REQUEST_TOKENS):
            yield texts[start:index]
            start, tokens = index, 0
        tokens += more
    if start < len(texts):
        yield texts[start:]


class _Embedding(BaseModel):
    index: int | None = None
    embedding: str | list[float]

    def vector(self) -> NDArray[np.float64]:
        """Decode base64 of little-endian float32, or a list; to float64, so that the norm's squares do not overflow."""
        if isinstance(self.embedding, list):
            return np.array(self.embedding, np.float64)
        try:
            return np.frombuffer(base64.b64decode(self.embedding, validate=True), "<f4").astype(np.float64)
        except ValueError:
            raise BadAnswer("A vector is not base64 of float32 numbers.") from None


class _Answer(BaseModel):
    data: list[_Embedding]
    usage: Any = None

    @property
    def tokens(self) -> int:
        """The tokens that it reports, by either name; 0 if it reports none."""
        usage = self.usage if isinstance(self.usage, dict) else {}
        return tokens_of(usage.get("prompt_tokens")) or tokens_of(usage.get("total_tokens")) or 0
