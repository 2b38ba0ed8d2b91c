"""The SDKs of model providers take half a second each to load: here they are loaded where nobody waits for it."""

from importlib import import_module

from providers.thinkers import platform_is_silent
from schemas.settings import Settings


def load_sdks(settings: Settings) -> None:
    """Import what the platform's own embedder and thinker need; done before a fork, it is done for all processes.

    Nothing is opened and no thread begins. What only a user's key asks for is loaded when it comes.
    """
    openai = settings.openai_api_key or settings.openai_base_url
    thinks = not platform_is_silent(settings)
    if openai and settings.embedder != "minilm":
        import_module("providers.openai_embeddings")
    if openai and thinks and settings.openai_thinking_model:
        import_module("providers.openai_thinker")
    if settings.anthropic_api_key and thinks:
        import_module("providers.anthropic_thinker")
