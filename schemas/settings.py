"""Everything that can be set from the environment, validated once, in one place."""

import os
import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from schemas.limits import VECTOR_DIMENSIONS
from schemas.prices import PriceList

SECRET_CHARACTERS = 32
CHECKOUT = Path(__file__).resolve().parent.parent


def _seconds(value: Any) -> Any:
    """Let a number be a number of seconds, as the environment can only say it in letters."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


Duration = Annotated[timedelta, BeforeValidator(_seconds)]


class Settings(BaseSettings):
    """The settings of one process, read from the environment, or from files named like its variables in PATROL_SECRETS.

    Durations are ISO 8601 (`PT24H`), `HH:MM:SS` or seconds. A variable that is set to nothing counts as not set.
    """

    model_config = SettingsConfigDict(
        env_prefix="PATROL_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        # A setting that can't be used may be a secret.
        hide_input_in_errors=True,
        secrets_dir=os.environ.get("PATROL_SECRETS") or None,
    )

    home: Path = Field(CHECKOUT / ".patrol", description="Where the embedded servers keep their data, and the logs go.")
    database_url: SecretStr | None = Field(
        None,
        validation_alias="DATABASE_URL",
        description="Postgres 18 or newer with the `vector` extension 0.8.4 or newer. Not set: the embedded server.",
    )
    redis_url: SecretStr | None = Field(
        None, validation_alias="REDIS_URL", description="Redis. Not set: the embedded server."
    )
    database_connections: PositiveInt = Field(4, description="The most connections that one process opens.")

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="The least that is logged.")
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="How log lines look: text on a terminal and JSON elsewhere, unless said."
    )

    api_host: str = Field("127.0.0.1", description="The address on which the HTTP API listens.")
    api_port: int = Field(8765, ge=0, le=65535, description="The port on which the HTTP API listens.")

    api_origins: str = Field(
        "", description="Web pages that may call the API: origins such as `https://example.com`, with commas between."
    )
    flower_host: str = Field("127.0.0.1", description="The address on which Flower listens.")
    flower_port: int = Field(5555, ge=0, le=65535, description="The port on which Flower listens.")
    flower_basic_auth: SecretStr | None = Field(
        None, description="`NAME:PASSWORD`, which Flower asks everybody for. It does not start without."
    )

    embedder: Literal["auto", "openai", "minilm"] = Field(
        "auto",
        description="Who embeds: `openai` (or a server like it), `minilm` on this machine, or by whether a key is set.",
    )
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="The key for OpenAI or a server like it."
    )
    openai_base_url: str | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="A server that speaks like OpenAI's."
    )
    openai_embedding_model: str = Field("text-embedding-3-small", description="The embedding model asked for.")
    openai_embedding_dimensions: PositiveInt | None = Field(
        None,
        le=VECTOR_DIMENSIONS,
        description="Ask for shorter vectors. Not set: the model's own length, which may be 3,800 at most.",
    )
    minilm_weights: Path | None = Field(
        None, description="The directory with all-MiniLM-L6-v2. Not set: the installed package's."
    )
    provider_timeout: PositiveFloat = Field(60.0, description="How long one request to a model may take, in seconds.")

    thinker: Literal["auto", "anthropic", "openai", "none"] = Field(
        "auto",
        description="Who thinks on the platform's key: `anthropic`, `openai` (or a server like it), or by which of "
        "them is set up. `none`: nobody, and no other key is used either.",
    )
    anthropic_api_key: SecretStr | None = Field(
        None, validation_alias="ANTHROPIC_API_KEY", description="The key for Anthropic."
    )
    anthropic_base_url: str | None = Field(
        None, validation_alias="ANTHROPIC_BASE_URL", description="A server that speaks like Anthropic's."
    )
    thinking_model: str = Field(
        "claude-sonnet-5-5", description="Anthropic's model for what takes judgement: consolidation, splits, diary."
    )
    small_thinking_model: str = Field("claude-haiku-5-5", description="Anthropic's model for the small questions.")
    openai_thinking_model: str | None = Field(
        None,
        description="The model that thinks at OpenAI or a server like it (Ollama, vLLM). Not set: nobody thinks there.",
    )
    openai_small_thinking_model: str | None = Field(
        None, description="The model for the small questions there. Not set: the same."
    )
    thinking_effort: Literal["auto", "low", "medium", "high"] = Field(
        "low",
        description="How much Anthropic's models think before they answer. `auto`: as each would by itself; older ones "
        "know nothing else.",
    )
    thinking_room: NonNegativeInt = Field(
        4000, description="So many tokens a model may think before its answer, which has its own limit."
    )
    thinking_timeout: PositiveFloat = Field(120.0, description="How long one question to a model may take, in seconds.")
    thinking_calls: PositiveInt = Field(4, description="The most questions that one unit of work asks at a time.")
    prices: PriceList = Field(
        {},
        validate_default=True,
        description="What models cost, in dollars for a million tokens, as JSON by their names: `input`, `output`, "
        "`cache_read`, `cache_write`. Comes over what is known; a model in neither has no cost, rather than none.",
    )

    tick: Duration = Field(
        timedelta(hours=24), description="How much time must pass before a patrol nobody demanded counts as one."
    )
    pending_notes: PositiveInt = Field(200, description="So many scene notes waiting start a patrol at once.")
    pending_wait: Duration = Field(
        timedelta(minutes=5), description="A scene note waits at most this long for a patrol to start."
    )
    run_notes: PositiveInt = Field(
        300, le=10_000, description="The most notes one patrol takes; more are left to the patrol right after it."
    )
    most_pending: PositiveInt = Field(
        100_000,
        description="While so many scene notes of a Being wait, its doors answer 429; above 1,000 to bulk only.",
    )
    diary_every: Duration = Field(
        timedelta(hours=4), description="A patrol that nobody demanded writes the diary if it is this old, at least."
    )
    patience: Duration = Field(
        timedelta(minutes=5),
        description="A patrol waits at most this long for a model that is out of reach, and goes on without it.",
    )
    topic_birth: bool = Field(True, description="Whether a crowded root gives birth to topics.")

    secret_key: SecretStr | None = Field(
        None,
        description="Seals the keys that users bring: 32 random characters or more, or several such secrets with "
        "commas between them, the newest first. Not set: with embedded servers it is made "
        "and kept in the home, else no key of a user's is taken.",
    )
    request_key_life: Duration = Field(
        timedelta(hours=1), description="For how long a key that came with a request can pay for what that caused."
    )
    daily_cost: Decimal | None = Field(
        None, ge=0, description="What one Being's models may cost in a day, in dollars. Not set: as much as they like."
    )
    daily_tokens: int | None = Field(
        None, ge=0, description="How many tokens one Being's models may use in a day. Not set: as many as they like."
    )

    vault_capacity: PositiveInt = Field(100, description="The most records that live in one scope of the vault.")
    vault_tombstones: Duration = Field(
        timedelta(days=30), description="A compaction keeps the tombstones of vault records that are younger than this."
    )
    blended_ranking: bool = Field(
        True, description="Whether facts are ranked by recency and frequency beside similarity, or by that alone."
    )
    curate_after: PositiveInt = Field(
        20, description="So many new facts of a user let the curator look for those that say the same."
    )
    judge_messages: PositiveInt = Field(
        8, description="So many of a user's messages in one conversation are judged at once."
    )
    judge_quiet: Duration = Field(
        timedelta(seconds=60), description="What a user said is judged when nothing more has come in for so long."
    )

    batch_thinking: bool = Field(
        False, description="Whether patrols that nobody demanded ask in batches, which cost half and take their time."
    )
    batch_wait: Duration = Field(timedelta(minutes=1), description="How long to wait between looks at a batch.")
    batch_patience: Duration = Field(
        timedelta(hours=1), description="What a batch has not answered by then is asked directly."
    )

    lease: Duration = Field(timedelta(seconds=30), description="How long a claim holds unless it is renewed.")
    attempts: PositiveInt = Field(5, description="How often failing work is tried before it is dead.")
    stop_grace: PositiveFloat = Field(
        10.0, description="A worker that is asked to stop gives its tasks so many seconds to finish."
    )
    crash_at: str | None = Field(
        None, description="For tests: where a worker process is to die, once (see `workers/crash_points.py`)."
    )
    keep_finished_work: Duration = Field(
        timedelta(days=7), description="For how long the ledger remembers work that is done."
    )
    keep_receipts: Duration = Field(
        timedelta(days=30),
        description="For how long a piece of memory that a context showed is recognised in messages, and an item for "
        "the vault by its Idempotency-Key.",
    )
    keep_responses: Duration = Field(
        timedelta(days=30), description="For how long what models said is kept, where no memory's history leads to it."
    )
    keep_calls: Duration = Field(timedelta(days=400), description="For how long it is told what calls of models cost.")
    due_limit: Duration = Field(
        timedelta(minutes=1), description="Due work that nobody takes for so long turns health red."
    )
    stream_claim: Duration = Field(
        timedelta(seconds=30),
        description="A stream entry that its reader has not acknowledged for so long is another reader's.",
    )
    keep_stream_entries: Duration = Field(
        timedelta(days=1), description="For how long acknowledged entries stay in the Redis streams."
    )
    keep_rejected: Duration = Field(
        timedelta(days=30), description="For how long `patrol:rejected` keeps what no door could take."
    )
    sweep_every: PositiveFloat = Field(2.0, description="How often beat looks for due work that nobody rang, in s.")

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_not_set(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value != ""}

    @field_validator("flower_basic_auth")
    @classmethod
    def _name_and_password(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not re.fullmatch(r"[!-+\--9;-~]+:[!-+\--~]{8,}", value.get_secret_value()):
            raise PydanticCustomError(
                "basic_auth", "Must be NAME:PASSWORD, of plain characters without commas, the password of 8 or more"
            )
        return value

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value and any(len(part.strip()) < SECRET_CHARACTERS for part in value.get_secret_value().split(",")):
            raise PydanticCustomError("secret", "Each secret must have 32 characters or more")
        return value
