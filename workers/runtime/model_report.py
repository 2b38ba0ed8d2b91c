"""A remote control command by which workers report their queues and models to `patrol doctor`, without keys."""

from typing import Any

from celery.worker.control import inspect_command

from providers.completion import Usage
from providers.embedding import selected_embedder
from providers.errors import Misconfigured
from providers.local.encoder_config import MINILM, MULTILINGUAL
from providers.prices import cost_of
from providers.thinkers import platform_models
from schemas.settings import Settings

COMMAND = "patrol_report"


def model_report(settings: Settings) -> dict[str, Any]:
    """Describe the models of a process.

    Returns:
        `embedder` is its name; `language_models` are the names of the platform's, `unpriced` those of them whose price
        is unknown; `errors` are sentences that name invalid settings.
    """
    errors = []
    models: tuple[str, ...] = ()
    try:
        models = platform_models(settings)
    except Misconfigured as fault:
        errors.append(str(fault))
    match selected_embedder(settings):
        case "openai":
            embedder = settings.openai_embedding_model
            if not settings.openai_api_key and not settings.openai_base_url:
                errors.append(
                    "PATROL_EMBEDDER is `openai`, but there is no key. Set OPENAI_API_KEY or OPENAI_BASE_URL."
                )
        case "local":
            embedder = settings.local_model.name if settings.local_model else "none"
        case "multilingual":
            embedder = MULTILINGUAL
        case _:
            embedder = MINILM
    return {
        "embedder": embedder,
        "language_models": list(models),
        "unpriced": [model for model in models if cost_of(model, Usage(), settings.prices) is None],
        "errors": errors,
    }


@inspect_command(name=COMMAND)  # type: ignore[untyped-decorator]  # Celery is published without types
def report(state: Any) -> dict[str, Any]:
    """Describe this worker's models, and the `queues` that it consumes."""
    return {**model_report(Settings()), "queues": [queue.name for queue in state.consumer.task_consumer.queues]}
