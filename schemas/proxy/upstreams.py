"""An operator's configuration of the proxy: upstreams, paths passed on unread, and frontends' task prompts."""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr
from pydantic_core import PydanticCustomError

from schemas.llm.calls import Provider

WireName = Literal["chat", "responses", "messages"]
"""OpenAI's chat completions and responses, and Anthropic's messages."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


def _http(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise PydanticCustomError("base_url", "Must be a base URL such as https://api.example.com/v1")
    return url.rstrip("/")


class Upstream(BaseModel):
    """A server that speaks one or more wires of chat.

    Attributes:
        base_url: Its base URL, to which the path of a wire is appended, such as `/chat/completions`.
        wires: The wires that it speaks. A request is passed on to an upstream of its own wire, and never translated.
        provider: The provider whose stored users' keys it accepts; None: users' keys are never sent to it.
        key: The platform's key there, which pays for users without a key; None: the platform pays for no user.
        models: The models that may be requested; None: all that it has.
        limit_field: The field in which it reads the most tokens of an answer.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    base_url: Annotated[str, AfterValidator(_http)]
    wires: Annotated[tuple[WireName, ...], Field(min_length=1)] = ("chat",)
    provider: Provider | None = None
    key: SecretStr | None = None
    models: tuple[str, ...] | None = Field(None, min_length=1)
    limit_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"

    @property
    def is_free(self) -> bool:
        """True for a server that needs no key, such as one on this machine."""
        return self.provider is None and self.key is None


def _named(upstreams: dict[str, Upstream]) -> dict[str, Upstream]:
    if any(not _NAME.fullmatch(name) for name in upstreams):
        raise PydanticCustomError("upstream_name", "Each name must be of a-z, 0-9, _ and -, at most 32 characters")
    return upstreams


Upstreams = Annotated[dict[str, Upstream], AfterValidator(_named)]
"""Upstreams by name. The first that speaks a wire is the default there."""


_PATH = re.compile(r"[a-z0-9_-]+(?:/[a-z0-9_-]+)*(?:/?\*)?")


def _relative(paths: tuple[str, ...]) -> tuple[str, ...]:
    if not all(_PATH.fullmatch(path) for path in paths):
        raise PydanticCustomError(
            "pass_path", "Each must be a path behind the base URL such as embeddings, or its beginning with * behind it"
        )
    return paths


PassPaths = Annotated[tuple[str, ...], AfterValidator(_relative)]
"""Paths behind a base URL; one that ends with `*` stands for all that begin so."""


PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}|\{\w*\}")
"""A part of a template that stands for any text in a prompt."""

# People's messages would match a prompt with less text of its own.
LEAST_CHARACTERS = 20


def _telling(prompts: tuple[str, ...]) -> tuple[str, ...]:
    for prompt in prompts:
        if len("".join(PLACEHOLDER.sub("", prompt).split())) < LEAST_CHARACTERS:
            raise PydanticCustomError(
                "task_prompt", "Each prompt must have 20 characters at least besides its placeholders"
            )
    return prompts


TaskPrompts = Annotated[tuple[str, ...], AfterValidator(_telling)]
"""Prompts. A request that ends with one is a frontend's own."""
