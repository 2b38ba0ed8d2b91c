"""The settings, read from the environment and validated once."""

import os
import re
from datetime import timedelta
from decimal import Decimal
from ipaddress import ip_network
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
from schemas.llm.prices import PriceList

SECRET_CHARACTERS = 32
CHECKOUT = Path(__file__).resolve().parent.parent


def _seconds(value: Any) -> Any:
    """Parse a number in the environment, which is a string there, as seconds."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _none(value: Any) -> Any:
    """Read the word `none` as no limit; an empty variable means the default."""
    return None if isinstance(value, str) and value.strip().casefold() == "none" else value


Duration = Annotated[timedelta, BeforeValidator(_seconds)]


class Settings(BaseSettings):
    """The settings of one process, from environment variables, or from files of the same names in PATROL_SECRETS.

    Durations are ISO 8601 (`PT24H`), `HH:MM:SS` or seconds. An empty variable counts as not set.
    """

    model_config = SettingsConfigDict(
        env_prefix="PATROL_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        # An invalid setting may be a secret.
        hide_input_in_errors=True,
        secrets_dir=os.environ.get("PATROL_SECRETS") or None,
    )

    home: Path = Field(CHECKOUT / ".patrol", description="The directory for the embedded servers' data and for logs.")
    database_url: SecretStr | None = Field(
        None,
        validation_alias="DATABASE_URL",
        description="Postgres 18 or newer with the `vector` extension 0.8.4 or newer. Not set: the embedded server.",
    )
    redis_url: SecretStr | None = Field(
        None, validation_alias="REDIS_URL", description="Redis. Not set: the embedded server."
    )
    redis_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        description="A port of 127.0.0.1 on which the embedded Redis listens, without a password, for producers that "
        "use streams or Celery. Not set: it listens on a Unix socket alone.",
    )
    database_connections: PositiveInt = Field(8, description="The most database connections of one process.")
    statement_timeout: PositiveFloat = Field(
        5.0, description="The timeout of one SQL statement of an HTTP request, in seconds; the answer is then 503."
    )
    bulk_statement_timeout: PositiveFloat = Field(
        60.0, description="The same for bulk intake, exports and the erasure of a Being, in seconds."
    )
    step_statement_timeout: PositiveFloat = Field(
        300.0, description="The same for workers and the stream reader, in seconds. Migrations have no timeout."
    )

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="The lowest level to log.")
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="The form of log lines; `auto`: text on a terminal, JSON elsewhere."
    )

    api_host: str = Field("127.0.0.1", description="The address on which the HTTP API listens.")
    api_port: int = Field(8765, ge=0, le=65535, description="The port on which the HTTP API listens.")

    api_processes: PositiveInt | None = Field(
        None,
        description="How many processes serve the HTTP API. Not set: one for each processor, at most 4.",
    )
    user_requests: PositiveInt = Field(
        32, description="The most requests of one user that one API process handles at a time; more are answered 429."
    )
    user_connections: PositiveInt = Field(
        2, description="The most database connections that one user's requests hold at a time in one API process."
    )
    user_database_time: PositiveFloat = Field(
        1.0,
        description="How many seconds of database time one user's requests may use per second in one API process, with "
        "a burst of 20 s; further requests are answered 429.",
    )
    bulk_share: PositiveFloat = Field(
        0.5,
        le=1,
        description="The share of one process's time for batches of more than 100 items; all API processes have one "
        "such share together.",
    )
    bulk_wait: PositiveFloat = Field(
        2.0, description="A bulk request that would wait longer for its turn is answered 429, in seconds."
    )
    api_batch_bytes: PositiveInt = Field(
        16 << 20, description="The largest body with a batch of notes, messages or vault records, in bytes."
    )
    api_import_bytes: PositiveInt = Field(64 << 20, description="The largest body of a vault import, in bytes.")
    api_connections: PositiveInt = Field(
        512,
        description="The most connections of one API process. At the limit, an idle connection is closed for a new "
        "one; if none is idle, the new one is answered with 503.",
    )
    api_header_timeout: Duration = Field(
        timedelta(seconds=10), description="The timeout for receiving a request's line and headers."
    )
    api_body_timeout: Duration = Field(
        timedelta(seconds=20),
        description="The timeout for receiving a request's body; each PATROL_API_BODY_RATE bytes add a second.",
    )
    api_body_rate: PositiveInt = Field(
        16 << 10, description="The lowest rate at which a body may arrive, in bytes per second."
    )
    api_answer_timeout: Duration = Field(
        timedelta(seconds=30), description="A response of which the client reads nothing for so long is aborted."
    )
    api_keep_alive: Duration = Field(
        timedelta(seconds=5), description="How long an idle connection stays open between two requests."
    )
    api_trusted_proxies: str = Field(
        "",
        description="Proxies whose `X-Forwarded-For` is trusted: addresses or networks such as `10.0.0.0/8`, separated "
        "by commas. Not set: the header is ignored.",
    )
    api_origins: str = Field(
        "",
        description="Web origins that may call the API (CORS), such as `https://example.com`, separated by commas.",
    )
    flower_host: str = Field("127.0.0.1", description="The address on which Flower listens.")
    flower_port: int = Field(5555, ge=0, le=65535, description="The port on which Flower listens.")
    flower_basic_auth: SecretStr | None = Field(
        None, description="Flower's user name and password, `NAME:PASSWORD`. Flower does not start without it."
    )

    embedder: Literal["auto", "openai", "minilm", "local"] = Field(
        "auto",
        description="The embedder: `openai` (or a compatible server), `minilm` or `local` on this machine; `auto`: "
        "`local` if PATROL_LOCAL_MODEL is set, else `openai` if OPENAI_API_KEY is set, else `minilm`.",
    )
    openai_api_key: SecretStr | None = Field(
        None, validation_alias="OPENAI_API_KEY", description="The key for OpenAI or a compatible server."
    )
    openai_base_url: str | None = Field(
        None, validation_alias="OPENAI_BASE_URL", description="The base URL of an OpenAI-compatible server."
    )
    openai_embedding_model: str = Field("text-embedding-3-small", description="The embedding model there.")
    openai_embedding_dimensions: PositiveInt | None = Field(
        None,
        le=VECTOR_DIMENSIONS,
        description="The length of vectors to request. Not set: the model's own length, which may be 3,800 at most.",
    )
    local_model: Path | None = Field(
        None,
        description="The directory of a sentence encoder of the BERT family, in the layout of `sentence-transformers`; "
        "see [local encoders](local-encoders.md). Used where PATROL_EMBEDDER is `auto` or `local`.",
    )
    minilm_weights: Path | None = Field(
        None, description="The directory with all-MiniLM-L6-v2. Not set: the installed package's."
    )
    provider_timeout: PositiveFloat = Field(60.0, description="The timeout of one embedding request, in seconds.")

    thinker: Literal["auto", "anthropic", "openai", "none"] = Field(
        "auto",
        description="The provider of language models on the platform's key: `anthropic`, `openai` (or a compatible "
        "server); `auto`: the one that is set up. `none`: no language model is used, users' keys included.",
    )
    anthropic_api_key: SecretStr | None = Field(
        None, validation_alias="ANTHROPIC_API_KEY", description="The key for Anthropic."
    )
    anthropic_base_url: str | None = Field(
        None, validation_alias="ANTHROPIC_BASE_URL", description="The base URL of an Anthropic-compatible server."
    )
    thinking_model: str = Field(
        "claude-sonnet-5-5", description="Anthropic's large model, for consolidation, splits, facts and the diary."
    )
    small_thinking_model: str = Field("claude-haiku-5-5", description="Anthropic's small model, for short tasks.")
    openai_thinking_model: str | None = Field(
        None,
        description="The large model at OpenAI or a compatible server (Ollama, vLLM). Not set: no language model is "
        "used there.",
    )
    openai_small_thinking_model: str | None = Field(
        None, description="The small model there. Not set: the large one is used."
    )
    thinking_effort: Literal["auto", "low", "medium", "high"] = Field(
        "low",
        description="The reasoning effort of Anthropic's models. `auto`: the model's default, which older models need.",
    )
    thinking_room: NonNegativeInt = Field(
        4000, description="The most reasoning tokens before an answer, beside the answer's own limit."
    )
    thinking_timeout: PositiveFloat = Field(
        120.0, description="The timeout of one request to a language model, in seconds."
    )
    thinking_calls: PositiveInt = Field(
        4, description="The most concurrent requests of one unit of work to a language model."
    )
    prices: PriceList = Field(
        {},
        validate_default=True,
        description="Prices of models, in dollars per million tokens, as JSON by model name: `input`, `output`, "
        "`cache_read`, `cache_write`. They override the built-in list; the cost of a model in neither is unknown.",
    )

    tick: Duration = Field(
        timedelta(hours=24), description="The least time between two automatic patrols that raise the patrol counter."
    )
    pending_notes: PositiveInt = Field(200, description="So many pending scene notes start a patrol at once.")
    pending_wait: Duration = Field(
        timedelta(minutes=5), description="The longest time that a scene note waits for a patrol to start."
    )
    run_notes: PositiveInt = Field(
        300,
        le=10_000,
        description="The most notes of one patrol; the rest are left to the next, which follows at once.",
    )
    most_pending: PositiveInt = Field(
        100_000,
        description="A Being with so many pending scene notes is answered 429; above 1,000 bulk requests are.",
    )
    most_unjudged: PositiveInt = Field(
        100_000,
        description="A Being with so many unjudged messages is answered 429 while a model key is usable; above 1,000 "
        "bulk requests are.",
    )
    diary_every: Duration = Field(
        timedelta(hours=4), description="The least time between two diary entries of automatic patrols."
    )
    patience: Duration = Field(
        timedelta(minutes=5),
        description="The longest time that a patrol waits for an unavailable language model, before it skips the step.",
    )
    letting_go: Literal["gentle", "seed"] = Field(
        "gentle",
        description="How fast a patrol lets dying memories go. `gentle`: a memory that becomes dying waits for another "
        "counted patrol, and one patrol lets go of at most 5 memories, or of 5 % of the living ones. `seed`: all that "
        "are dying, in the patrol that finds them.",
    )
    topic_birth: bool = Field(True, description="Whether new topics are formed from a root's own nodes.")

    secret_key: SecretStr | None = Field(
        None,
        description="Encrypts users' keys at rest: 32 random characters or more, or several such secrets separated by "
        "commas, the newest first. Not set: with embedded servers one is generated and kept in the home; else users' "
        "keys are refused.",
    )
    request_key_life: Duration = Field(
        timedelta(hours=1),
        description="How long a key that came with a request is kept, to pay for the work it caused.",
    )
    daily_cost: Annotated[Decimal | None, BeforeValidator(_none)] = Field(
        Decimal(5),
        ge=0,
        description="The daily budget in dollars of a Being that has none of its own; `none`: unlimited. If it is set, "
        "a call whose price is unknown is refused; the default lets it pass.",
    )
    daily_tokens: int | None = Field(
        None, ge=0, description="The most tokens that one Being's model calls may use in a day. Not set: unlimited."
    )

    most_beings: PositiveInt = Field(100, description="The most Beings of one user.")
    most_tokens: PositiveInt = Field(100, description="The most valid tokens of one user.")
    most_kept_notes: PositiveInt = Field(
        10_000, description="The most todos, reminders and knowledge notes of one Being."
    )

    vault_capacity: PositiveInt = Field(100, description="The most active records in one scope of the vault.")
    vault_plain_overlap: bool = Field(
        False,
        description="Whether the vault's duplicate gate compares words and sequences alone, as in the seed, even if two"
        " records differ in a number, a name, a negation or another distinguishing word.",
    )
    vault_tombstones: Duration = Field(
        timedelta(days=30),
        description="Compaction keeps tombstones of vault records that are younger than this. Superseded versions and"
        " tombstones that are older are compacted on a schedule.",
    )
    blended_ranking: bool = Field(
        True, description="Whether facts are ranked by similarity, recency and frequency, or by similarity alone."
    )
    curate_after: PositiveInt = Field(20, description="So many new facts of a user start the curator.")
    facts_scope: Literal["user", "being"] = Field(
        "user",
        description="Who knows facts that were not told in confidence: `user`: all of the user's Beings; `being`: the"
        " Being that heard them. A user's own `facts_scope` takes precedence.",
    )
    judge_messages: PositiveInt = Field(
        8, description="So many unjudged user messages of a session are judged at once."
    )
    judge_quiet: Duration = Field(
        timedelta(seconds=60), description="Fewer messages are judged when no further one arrives for so long."
    )
    join_short_sessions: bool = Field(
        True,
        description="Whether closed sessions of at most two messages and 500 characters are summarised together, up to "
        "20 in one call. `off`: one call for each.",
    )
    short_session_wait: Duration = Field(
        timedelta(hours=24), description="The longest time that a short session waits for 20 of its Being."
    )

    scenes: Literal["auto", "on", "off"] = Field(
        "auto",
        description="Whether the model call that summarises a closed session also draws scene notes from its messages, "
        "which patrols then make memories of. `auto`: unless a producer's own scene notes are of the same time. A "
        "Being's own `scenes` takes precedence.",
    )

    batch_thinking: bool = Field(
        False,
        description="Whether automatic patrols use the provider's batch API, which costs half and answers later.",
    )
    batch_wait: Duration = Field(timedelta(minutes=1), description="The interval at which a provider batch is polled.")
    batch_patience: Duration = Field(
        timedelta(hours=1),
        description="After this time a batch is cancelled, and requests that it has not answered are sent directly.",
    )

    lease: Duration = Field(timedelta(seconds=30), description="How long a claim holds unless it is renewed.")
    attempts: PositiveInt = Field(5, description="How often failing work is tried before it is dead.")
    alive_file: Path | None = Field(
        None,
        description="A file that a worker, beat or the stream reader touches every few seconds while it runs, for "
        "health checks. Not set: none.",
    )
    stop_grace: PositiveFloat = Field(10.0, description="How many seconds a stopping worker gives its tasks to finish.")
    crash_at: str | None = Field(
        None,
        description="For tests: a point at which a worker process exits, once (`workers/runtime/crash_points.py`).",
    )
    keep_finished_work: Duration = Field(timedelta(days=7), description="How long the ledger keeps work that is done.")
    keep_receipts: Duration = Field(
        timedelta(days=30),
        description="How long text that a context showed is recognised in messages, and how long the vault recognises "
        "an Idempotency-Key.",
    )
    keep_responses: Duration = Field(
        timedelta(days=30), description="How long model responses are kept that no node's history refers to."
    )
    keep_calls: Duration = Field(timedelta(days=400), description="How long the records of model calls are kept.")
    keep_retracted: Duration | None = Field(
        None,
        description="How long retracted messages can be restored; then they go without a trace. Not set: for ever.",
    )
    keep_judgements: Duration = Field(
        timedelta(days=90), description="How long the counts of what each judging found and dropped are kept."
    )
    keep_fact_history: Duration = Field(
        timedelta(days=400),
        description="How long events of a fact are kept; its birth and its newest event of each kind stay with it.",
    )
    due_limit: Duration = Field(
        timedelta(minutes=1), description="`/health/work` fails when due work has waited for a worker for so long."
    )
    stream_claim: Duration = Field(
        timedelta(seconds=30),
        description="An unacknowledged stream entry is claimed by another reader after so long.",
    )
    keep_stream_entries: Duration = Field(
        timedelta(days=1), description="How long acknowledged entries stay in the Redis streams."
    )
    keep_rejected: Duration = Field(
        timedelta(days=30), description="How long entries stay in the Redis stream `patrol:rejected`."
    )
    vector_index_from: PositiveInt = Field(
        50_000,
        description="A Being with so many vectors of messages, or of memories, gets an HNSW index of its own for them, "
        "built in the background. Fewer are compared one by one.",
    )
    sweep_every: PositiveFloat = Field(
        2.0, description="How often, in seconds, the sweep sends messages for due work that has no message."
    )

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_not_set(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value != ""}

    @field_validator("flower_basic_auth")
    @classmethod
    def _name_and_password(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not re.fullmatch(r"[!-+\--9;-~]+:[!-+\--~]{8,}", value.get_secret_value()):
            raise PydanticCustomError(
                "basic_auth", "Must be NAME:PASSWORD, of ASCII characters without commas, the password of 8 or more"
            )
        return value

    @field_validator("api_trusted_proxies")
    @classmethod
    def _addresses(cls, value: str) -> str:
        for part in filter(None, (part.strip() for part in value.split(","))):
            try:
                ip_network(part)
            except ValueError:
                raise PydanticCustomError("network", "Must be addresses or networks, separated by commas") from None
        return value

    @field_validator("secret_key")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value and any(len(part.strip()) < SECRET_CHARACTERS for part in value.get_secret_value().split(",")):
            raise PydanticCustomError("secret", "Each secret must have 32 characters or more")
        return value
