"""The proxy for chat completions."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt

from schemas.limits import LEAST_CONTEXT_TOKENS, MOST_CONTEXT_TOKENS
from schemas.proxy.upstreams import PassPaths, TaskPrompts, Upstreams
from schemas.settings.section import Budget, Duration, Section


class ProxySettings(Section):
    """The proxy for chat completions."""

    proxy_upstreams: Upstreams = Field(
        {},
        description="The servers that the [proxy](proxy.md) passes requests to, as JSON by name: `base_url`, "
        "`wires` (its wire formats: `chat`, `responses`, `messages`; default: `chat` alone), "
        "`provider` (`openai` or `anthropic`, whose stored users' keys pay there), `key` (the platform's, for users "
        "without one), `models` (the only ones that may be requested), `limit_field` (where the server reads the limit "
        "of an answer: `max_completion_tokens` or `max_tokens`). The first that speaks a wire is its default. Not set: "
        "the proxy is off.",
    )
    proxy_pass_paths: PassPaths = Field(
        (),
        description="Further paths under the base URLs that are passed on to the upstream unchanged, as a JSON"
        " list: `embeddings`, `audio/*`. They are neither stored nor accounted: the user's stored key pays, or the"
        " platform's if it has no budget. Not set: none.",
    )
    proxy_daily_cost: Budget = Field(
        Decimal(1),
        ge=0,
        description="The daily budget in dollars of one user's chat completions on the platform's key; `none`: "
        "unlimited. A model whose price is unknown is refused, unless there is no budget.",
    )
    proxy_answer_tokens: PositiveInt = Field(
        4096,
        description="The limit of an answer that such a request gets if it sets none itself, in tokens.",
    )
    proxy_media_tokens: PositiveInt = Field(
        50_000,
        description="The most tokens that a picture, sound or file in a request may have, which are reserved in that "
        "budget. Most models take some thousand for a picture.",
    )
    proxy_task_prompts: TaskPrompts = Field(
        (),
        description="Prompts with which the operator's frontends make requests for themselves, as a JSON list, each as"
        " it is set in the frontend, placeholders included: `{{name}}` or `{name}` stands for any text. A request that"
        " ends with one, from its first word to its last, is no talk. The defaults of common frontends are known.",
    )
    proxy_context_tokens: int = Field(
        2000,
        ge=LEAST_CONTEXT_TOKENS,
        le=MOST_CONTEXT_TOKENS,
        description="The longest context that the proxy adds to a request, in estimated tokens.",
    )
    proxy_patience: PositiveFloat = Field(
        0.3,
        description="How long a chat completion waits for the memory, in seconds; then it continues without.",
    )
    proxy_body_bytes: PositiveInt = Field(
        32 << 20, description="The largest body of a chat completion, images included, in bytes."
    )
    proxy_requests: PositiveInt = Field(
        128, description="The most chat completions of one user that one API process passes on at a time."
    )
    proxy_silence_timeout: Duration = Field(
        timedelta(minutes=5), description="An upstream that sends nothing for this time is aborted."
    )
    proxy_grace: Duration = Field(
        timedelta(minutes=5),
        description="While the database is unreachable or slow, the proxy accepts tokens that the process verified "
        "within this time.",
    )
    proxy_grace_requests: PositiveInt = Field(
        20,
        description="The most chat completions of one token that one process passes on meanwhile, before the accounts "
        "have them.",
    )
    proxy_grace_cost: Annotated[Decimal, Field(ge=0)] = Field(
        Decimal("0.50"), description="Their highest cost together, in dollars, as far as prices are known."
    )
