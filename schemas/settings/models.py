"""Embedders and language models."""

from pathlib import Path
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, SecretStr

from schemas.limits import VECTOR_DIMENSIONS
from schemas.llm.prices import PriceList
from schemas.settings.section import Section


class ModelSettings(Section):
    """Embedders and language models."""

    embedder: Literal["auto", "openai", "minilm", "multilingual", "local"] = Field(
        "auto",
        description="The embedder: `openai` (or a compatible server), `minilm` (English), `multilingual` (the optional "
        "`requirements/multilingual.txt`) or `local` on this machine; `auto`: "
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
        "claude-sonnet-5-5",
        description="Anthropic's large model. It answers `ask`, `consolidate`, `diary`, `spine` and `split`: purposes "
        "as the costs name them.",
    )
    small_thinking_model: str = Field(
        "claude-haiku-5-5",
        description="Anthropic's small model. It answers `ask_plan`, `classify`, `close`, `close_short`, `fold`, "
        "`judge`, `name`, `reconcile`, `repair` and `rolling`.",
    )
    openai_thinking_model: str | None = Field(
        None,
        description="The large model at OpenAI or a compatible server (Ollama, vLLM), for the same as Anthropic's. "
        "Not set: no language model is used there.",
    )
    openai_small_thinking_model: str | None = Field(
        None, description="The small model there, for the same as Anthropic's. Not set: the large one is used."
    )
    prompts: Literal["auto", "full", "short"] = Field(
        "auto",
        description="The form of the instructions to language models. `short` is a third shorter, for models with "
        "little context; `auto`: `short` if the server says that the model has fewer than 16,384 tokens of context, "
        "else `full`.",
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
