"""The interface of an embedder, and the one that the settings select."""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from providers import tls
from providers.errors import InputRefused, Misconfigured
from providers.metering import Meter
from schemas.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Hashable, Protocol):
    """Turns texts into vectors; one for each process, thread-safe."""

    @property
    def model(self) -> str:
        """The name of the vector space: vectors are compared only where these are equal."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text the model reads; more are ignored, or refused."""

    @property
    def portion(self) -> int:
        """How many texts it is best given at once in the background, so that live work soon gets its worker."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """How many of these tokens each text takes, by estimate where the model's tokenizer is out of reach."""

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed texts that queries are to find, in as few requests as the provider's limits allow.

        Returns:
            Unit vectors of shape `(len(texts), dimensions)`, in the order of `texts`.

        Raises:
            ProviderError: No text was embedded; the subclass says what to do. One refused text fails all of them.
        """

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Embed queries, which some models prefix differently from the texts that they find; otherwise as `embed`."""


def embed_each(embedder: Embedder, texts: Sequence[str]) -> "list[NDArray[np.float32] | InputRefused]":
    """Embed texts, bisecting a refused batch until each refused text is alone.

    One refused text among n costs at most 2·log2(n) + 2 more requests.

    Returns:
        For each text its unit vector, or its refusal.

    Raises:
        ProviderError: Any other error.
    """
    if not texts:
        return []
    try:
        return list(embedder.embed(texts))
    except InputRefused as refusal:
        if len(texts) == 1:
            # The traceback would keep its frames, and with them every text, in memory.
            return [refusal.with_traceback(None)]
    middle = len(texts) // 2
    return embed_each(embedder, texts[:middle]) + embed_each(embedder, texts[middle:])


def make_embedder(settings: Settings, meter: Meter | None = None) -> Embedder:
    """Make the embedder that the settings select.

    `auto` is the local model if a directory is set, else OpenAI if there is a key, else MiniLM.

    Args:
        settings: The settings of this process.
        meter: Accounts for each paid request; local encoders are free.

    Raises:
        Misconfigured: OpenAI without a key or another server's address, or a local encoder without its files.
    """
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    match selected_embedder(settings):
        case "local":
            from providers.local.sentence_encoder import open_encoder  # noqa: PLC0415 - loads the tokenizer

            if settings.local_model is None:
                raise Misconfigured("PATROL_EMBEDDER is `local`. Set PATROL_LOCAL_MODEL to the model's directory.")
            return open_encoder(settings.local_model)
        case "minilm":
            from providers.local.minilm import open_minilm  # noqa: PLC0415 - loads the tokenizer

            return open_minilm(settings.minilm_weights)
        case "multilingual":
            from providers.local.multilingual import open_multilingual  # noqa: PLC0415 - loads the model

            return open_multilingual()
    if not key and not settings.openai_base_url:
        raise Misconfigured(
            "PATROL_EMBEDDER is `openai`, but there is no key. Set OPENAI_API_KEY, set OPENAI_BASE_URL to a server "
            "that needs none, or set PATROL_EMBEDDER to `minilm`, `multilingual` or `local`."
        )
    from providers.sdk.openai_embeddings import OpenAIEmbedder  # noqa: PLC0415 - the SDK takes half a second to load

    return OpenAIEmbedder(
        api_key=key or "none",
        base_url=settings.openai_base_url,
        model=settings.openai_embedding_model,
        dimensions=settings.openai_embedding_dimensions,
        timeout=settings.provider_timeout,
        meter=meter,
    )


def preload(settings: Settings) -> None:
    """Load the modules and weights of the selected embedder before a fork, for all processes; opens no connection.

    The verification of MiniLM's weights takes up to a quarter of a second. If it fails, the process that embeds first
    reports it.
    """
    match selected_embedder(settings):
        case "openai":
            import_module("providers.sdk.openai_embeddings")
            tls.trusted()
        case "local":
            import_module("providers.local.sentence_encoder")
        case "minilm":
            with suppress(Misconfigured):
                make_embedder(settings)


def selected_embedder(settings: Settings) -> str:
    """Return the embedder that the settings select, with `auto` resolved to `local`, `openai` or `minilm`."""
    if settings.embedder != "auto":
        return settings.embedder
    if settings.local_model is not None:
        return "local"
    return "openai" if settings.openai_api_key else "minilm"
