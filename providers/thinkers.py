"""Which thinker serves whom: the platform's own, or one behind a key that somebody brought."""

from functools import cached_property
from typing import TYPE_CHECKING

from providers.errors import Misconfigured
from providers.thinking import Thinker
from schemas.settings import Settings
from schemas.thinking import Provider

if TYPE_CHECKING:
    from providers.anthropic_thinker import AnthropicThinker
    from providers.openai_thinker import OpenAIThinker

_ANTHROPIC_KEY = "sk-ant-"
_BROUGHT = "the key that was brought along"
_NO_KEY = "none"  # what a server that asks for no key is sent


def platform_is_silent(settings: Settings) -> bool:
    """Tell whether the settings have nobody think who brings no key."""
    if settings.thinker != "auto":
        return settings.thinker == "none"
    openai = settings.openai_thinking_model and (settings.openai_api_key or settings.openai_base_url)
    return not (settings.anthropic_api_key or openai)


class Thinkers:
    """The thinkers of one process, made when first needed.

    All keys of one provider share its connections, and what is known of its abilities. Keys themselves are not kept.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def platform(self) -> Thinker | None:
        """Return the thinker that the settings ask for, behind the platform's own key; None if nobody is to think.

        Raises:
            Misconfigured: The settings ask for a provider without what it needs.
        """
        settings = self._settings
        if platform_is_silent(settings):
            return None
        anthropic_key = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else None
        openai_key = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
        openai_is_reachable = openai_key or settings.openai_base_url
        match settings.thinker:
            case "anthropic" if not anthropic_key:
                raise Misconfigured("PATROL_THINKER is `anthropic`, but there is no key. Set ANTHROPIC_API_KEY.")
            case "openai" if not openai_is_reachable:
                raise Misconfigured(
                    "PATROL_THINKER is `openai`, but there is no key. Set OPENAI_API_KEY, or set OPENAI_BASE_URL to a "
                    "server that needs none."
                )
        if anthropic_key and settings.thinker != "openai":
            return self._anthropic.with_key(anthropic_key)
        return self._openai.with_key(openai_key or _NO_KEY)

    def has_platform(self) -> bool:
        """Whether anybody thinks on the platform's key; nobody does by settings that can't be used."""
        try:
            return self.platform() is not None
        except Misconfigured:
            return False

    def with_key(self, provider: Provider, key: str) -> Thinker:
        """Return the thinker behind a key that a user or a request brought.

        Raises:
            Misconfigured: Nobody is to think, or OpenAI's model has no name.
        """
        if self._settings.thinker == "none":
            raise Misconfigured("PATROL_THINKER is `none`: no model is asked, whoever brings a key.")
        thinker = self._anthropic if provider == "anthropic" else self._openai
        return thinker.with_key(key, called=_BROUGHT)

    def provider_of(self, key: str) -> Provider:
        """Tell whose key this is: Anthropic's by how it begins, else OpenAI's if a model is named there."""
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
        from providers.anthropic_thinker import AnthropicThinker  # noqa: PLC0415  # the SDK takes its time to load

        return AnthropicThinker.connected(self._settings)

    @cached_property
    def _openai(self) -> "OpenAIThinker":
        from providers.openai_thinker import OpenAIThinker  # noqa: PLC0415  # the SDK takes half a second to load

        return OpenAIThinker.connected(self._settings)
