"""Selects the thinker: with the platform's key, or with a user's."""

import weakref
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from providers import tls
from providers.errors import Misconfigured
from providers.thinking import Thinker
from schemas.llm.calls import Provider
from schemas.settings import Settings

if TYPE_CHECKING:
    from providers.sdk.anthropic_thinker import AnthropicThinker
    from providers.sdk.openai_thinker import OpenAIThinker

Connected = TypeVar("Connected", "AnthropicThinker", "OpenAIThinker")

_ANTHROPIC_KEY = "sk-ant-"
_USERS_KEY = "the user's key"
_NO_KEY = "none"  # sent to servers that need no key


def platform_llm_disabled(settings: Settings) -> bool:
    """Whether the settings provide no model to users without a key of their own."""
    if settings.thinker != "auto":
        return settings.thinker == "none"
    openai = settings.openai_thinking_model and (settings.openai_api_key or settings.openai_base_url)
    return not (settings.anthropic_api_key or openai)


def platform_provider(settings: Settings) -> Provider | None:
    """Return the provider of the platform's models; None if the settings provide none.

    Raises:
        Misconfigured: The settings select a provider without its key or address.
    """
    if platform_llm_disabled(settings):
        return None
    match settings.thinker:
        case "anthropic" if not settings.anthropic_api_key:
            raise Misconfigured("PATROL_THINKER is `anthropic`, but there is no key. Set ANTHROPIC_API_KEY.")
        case "openai" if not (settings.openai_api_key or settings.openai_base_url):
            raise Misconfigured(
                "PATROL_THINKER is `openai`, but there is no key. Set OPENAI_API_KEY, or set OPENAI_BASE_URL to a "
                "server that needs none."
            )
    return "anthropic" if settings.anthropic_api_key and settings.thinker != "openai" else "openai"


def platform_models(settings: Settings) -> tuple[str, ...]:
    """Return the names of the platform's large and small model, without repetition; none if there is no provider.

    Raises:
        Misconfigured: As `platform_provider`, or no OpenAI model is configured.
    """
    match platform_provider(settings):
        case None:
            return ()
        case "anthropic":
            names = (settings.thinking_model, settings.small_thinking_model)
        case "openai":
            if settings.openai_thinking_model is None:
                raise Misconfigured("No OpenAI model is configured: set PATROL_OPENAI_THINKING_MODEL.")
            names = (
                settings.openai_thinking_model,
                settings.openai_small_thinking_model or settings.openai_thinking_model,
            )
    return tuple(dict.fromkeys(names))


def preload(settings: Settings) -> None:
    """Import the platform's provider before a fork, for all processes: Anthropic's SDK takes two seconds.

    Opens no connection. Without a platform key nothing is imported, unless another address of Anthropic's API is set,
    which users' keys are then used with; else the first call with a user's key imports the SDK.
    """
    provider: Provider | None = "anthropic" if settings.anthropic_base_url else None
    with suppress(Misconfigured):
        provider = platform_provider(settings) or provider
    if provider and settings.thinker != "none":
        import_module(f"providers.sdk.{provider}_thinker")
        tls.trusted()


class Thinkers:
    """The thinkers of one process, made when first needed.

    All keys of a provider share its connections and its known abilities. Users' keys are not stored here.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def platform(self) -> Thinker | None:
        """Return the thinker with the platform's key; None if the settings provide none.

        Raises:
            Misconfigured: The settings select a provider without its key or address.
        """
        return self._platform

    @cached_property
    def _platform(self) -> Thinker | None:
        settings = self._settings
        match platform_provider(settings):
            case None:
                return None
            case "anthropic" if settings.anthropic_api_key:
                return self._anthropic.with_key(settings.anthropic_api_key.get_secret_value())
        key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else _NO_KEY
        return self._openai.with_key(key)

    def has_platform(self) -> bool:
        """Whether the platform provides a model; false if its settings are invalid."""
        try:
            return self.platform() is not None
        except Misconfigured:
            return False

    def with_key(self, provider: Provider, key: str) -> Thinker:
        """Return the thinker with a user's key.

        Raises:
            Misconfigured: Models are turned off, or no OpenAI model is configured.
        """
        if self._settings.thinker == "none":
            raise Misconfigured("PATROL_THINKER is `none`: models are turned off, also for users with a key.")
        thinker = self._anthropic if provider == "anthropic" else self._openai
        return thinker.with_key(key, called=_USERS_KEY)

    def provider_of(self, key: str) -> Provider:
        """Guess a key's provider: Anthropic by its prefix, else OpenAI if an OpenAI model is configured."""
        if key.startswith(_ANTHROPIC_KEY):
            return "anthropic"
        if self._settings.openai_thinking_model or self._settings.thinker == "openai":
            return "openai"
        return "anthropic"

    def close(self) -> None:
        """Close every connection."""
        for made in ("_anthropic", "_openai"):
            if thinker := self.__dict__.get(made):
                thinker.client.close()

    @cached_property
    def _anthropic(self) -> "AnthropicThinker":
        from providers.sdk.anthropic_thinker import AnthropicThinker  # noqa: PLC0415  # the SDK loads slowly

        return self._closed_with_this(AnthropicThinker.connected(self._settings))

    @cached_property
    def _openai(self) -> "OpenAIThinker":
        from providers.sdk.openai_thinker import OpenAIThinker  # noqa: PLC0415  # the SDK takes half a second to load

        return self._closed_with_this(OpenAIThinker.connected(self._settings))

    def _closed_with_this(self, thinker: Connected) -> Connected:
        # Not left to the garbage collector, which would close the sockets first and warn of them.
        weakref.finalize(self, thinker.client.close).atexit = False
        return thinker
