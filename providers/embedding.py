"""What an embedder is, and which one the settings ask for."""

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from providers.errors import InputRefused, Misconfigured
from providers.metering import Meter
from schemas.settings import Settings


class Embedder(Protocol):
    """Turns texts into vectors; made once in each process, shared by its threads."""

    @property
    def model(self) -> str:
        """The name of the vector space: vectors are compared only where these are equal."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, in as few requests as the provider's limits allow.

        Returns:
            Unit vectors of shape `(len(texts), dimensions)`, in the order of `texts`.

        Raises:
            ProviderError: There are no vectors; which kind says what to do. One refused text refuses all of them.
        """


def embed_each(embedder: Embedder, texts: Sequence[str]) -> list[NDArray[np.float32] | InputRefused]:
    """Embed what can be embedded: a refused batch is halved until each refused text stands alone.

    One refused text among n costs at most 2·log2(n) + 2 more requests.

    Returns:
        For each text its unit vector, or why it was refused.

    Raises:
        ProviderError: Anything but a refusal, which ends the whole.
    """
    if not texts:
        return []
    try:
        return list(embedder.embed(texts))
    except InputRefused as refusal:
        if len(texts) == 1:
            # Its traceback would keep the frames, and with them every text, alive.
            return [refusal.with_traceback(None)]
    middle = len(texts) // 2
    return embed_each(embedder, texts[:middle]) + embed_each(embedder, texts[middle:])


def make_embedder(settings: Settings, meter: Meter | None = None) -> Embedder:
    """Make the embedder that the settings ask for; `auto` is OpenAI where there is a key, else MiniLM.

    Args:
        settings: The settings of this process.
        meter: Accounts for each paid request; MiniLM is never paid.

    Raises:
        Misconfigured: OpenAI without a key or a server of one's own, or MiniLM without its weights.
    """
    key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    if _is_local(settings):
        from providers.minilm import MiniLM  # noqa: PLC0415 - who embeds elsewhere need not load the tokenizer

        return MiniLM(settings.minilm_weights)
    if not key and not settings.openai_base_url:
        raise Misconfigured(
            "PATROL_EMBEDDER is `openai`, but there is no key. Set OPENAI_API_KEY, set OPENAI_BASE_URL to a server "
            "that needs none, or set PATROL_EMBEDDER to `minilm`."
        )
    from providers.openai_embeddings import OpenAIEmbedder  # noqa: PLC0415 - the SDK takes half a second to load

    return OpenAIEmbedder(
        api_key=key or "none",
        base_url=settings.openai_base_url,
        model=settings.openai_embedding_model,
        dimensions=settings.openai_embedding_dimensions,
        timeout=settings.provider_timeout,
        meter=meter,
    )


def load_sdk(settings: Settings) -> None:
    """Import what the wanted embedder needs, which opens nothing: done before a fork, it is done for all processes."""
    if not _is_local(settings):
        import_module("providers.openai_embeddings")


def _is_local(settings: Settings) -> bool:
    return settings.embedder == "minilm" or (settings.embedder == "auto" and not settings.openai_api_key)
