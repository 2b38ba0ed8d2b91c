"""Which embedder serves a Being: the one of its vectors, for as long as they are its vectors."""

from providers.embedding import Embedder, make_embedder
from providers.errors import Misconfigured, Transient
from providers.metering import Meter
from schemas.rows import UNEMBEDDED
from schemas.settings import Settings

MINILM = "all-MiniLM-L6-v2"
UNEMBEDDED_SECONDS = 5.0


class Embedders:
    """The embedders of one process, made when first needed.

    A Being's vectors are of one model, and only that model's queries meet them. A missing key therefore never swaps a
    Being's embedder: `serving` says so, and what needs embedding waits.
    """

    def __init__(self, settings: Settings, meter: Meter | None = None) -> None:
        self._settings = settings
        self._meter = meter
        self._made: dict[str, Embedder] = {}
        self._wanted: Embedder | None = None

    @property
    def wanted(self) -> Embedder:
        """The embedder that the settings ask for."""
        if self._wanted is None:
            self._wanted = make_embedder(self._settings, self._meter)
            self._made[self._wanted.model] = self._wanted
        return self._wanted

    @property
    def replaces(self) -> bool:
        """Whether Beings with vectors of another model move to the wanted one.

        They do, unless MiniLM was taken only because there is no key.
        """
        return self._settings.embedder != "auto" or self.wanted.model != MINILM

    def serving(self, model: str | None) -> Embedder:
        """The embedder of a Being's model; the wanted one for a Being that has no vectors yet.

        Raises:
            Misconfigured: This process can't ask that model.
            Transient: The Being's vectors are yet to be made.
        """
        if model == UNEMBEDDED:
            raise Transient("This Being's memories are being embedded.", retry_after=UNEMBEDDED_SECONDS)
        if model is None or model == self.wanted.model:
            return self.wanted
        if model not in self._made:
            self._made[model] = make_embedder(self._settings_for(model), self._meter)
        return self._made[model]

    def _settings_for(self, model: str) -> Settings:
        if model == MINILM:
            return self._settings.model_copy(update={"embedder": "minilm"})
        if self._settings.openai_api_key is None and self._settings.openai_base_url is None:
            raise Misconfigured(
                f"These vectors are of the model {model}, and there is no key for it. Set OPENAI_API_KEY, or set "
                "PATROL_EMBEDDER to `minilm` to have them made anew."
            )
        name, _, dimensions = model.partition("@")
        return self._settings.model_copy(
            update={
                "embedder": "openai",
                "openai_embedding_model": name,
                "openai_embedding_dimensions": int(dimensions) if dimensions else None,
            }
        )
