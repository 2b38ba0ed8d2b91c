"""`make real-model`: plays a written month against the model that the environment names, and prints a score card."""

import sys
from contextlib import closing
from datetime import timedelta

from pydantic import BaseModel, ValidationError
from rich.console import Console

from bench.ground import ground
from bench.real_model.asking import answers_table, asked_of
from bench.real_model.playing import Player
from bench.real_model.scoring import EXPECTED, Expected, remembered, score
from providers.embedders import Embedders
from providers.errors import BadAnswer, ProviderError
from providers.thinkers import Thinkers, platform_models
from providers.thinking import Question, read
from schemas.settings import Settings
from workers.runtime.logs import configure_logs

NO_MODEL = 2
HELP = """Name a language model in the environment, and run `make real-model` again. On this machine, with Ollama:

  ollama pull qwen3:8b && OLLAMA_CONTEXT_LENGTH=16384 ollama serve
  export OPENAI_BASE_URL=http://127.0.0.1:11434/v1 PATROL_OPENAI_THINKING_MODEL=qwen3:8b

with llama.cpp:

  llama-server -m model.gguf -c 16384 --port 8080
  export OPENAI_BASE_URL=http://127.0.0.1:8080/v1 PATROL_OPENAI_THINKING_MODEL=model

or hosted: ANTHROPIC_API_KEY, or OPENAI_API_KEY and PATROL_OPENAI_THINKING_MODEL. See docs/models.md."""


class Greeting(BaseModel):
    """An answer to see that there is a model."""

    word: str


GREETING = Question(
    purpose="greeting",
    size="small",
    instructions="Answer with one word in `word`.",
    about="",
    material="Which animal barks?",
    answer=Greeting,
    most_tokens=200,
)


def main() -> int:
    """Play the month and print the card.

    Returns:
        The exit status: 2 if no model answers.
    """
    console = Console(width=None if Console().is_terminal else 120)
    try:
        settings = played_with(Settings())
        models = platform_models(settings)
    except (ValidationError, ProviderError) as fault:
        return _without(f"The settings name no usable model: {fault}")
    configure_logs(settings)
    with closing(Thinkers(settings)) as thinkers:
        if not models or (thinker := thinkers.platform()) is None:
            return _without("There is no language model.")
        try:
            read(GREETING, thinker.ask(GREETING))
        except BadAnswer as bad:
            console.print(f"The model's first answer was not valid: {bad}", style="yellow")
        except ProviderError as fault:
            return _without(f"The model does not answer: {fault}")
        with ground() as on:
            player = Player.new(on.store, settings, Embedders(settings), thinkers)
            with console.status("reading the month") as status:
                for day in player.play():
                    status.update(f"{day} is remembered")
                status.update("asking about it")
                answers = asked_of(player)
            found = on.store.run(remembered, player.being.user_id, player.being.being_id)
    console.print(f"Models: {', '.join(models)}")
    for table in score(Expected.model_validate_json(EXPECTED.read_text("utf-8")), found).tables():
        console.print(table)
    console.print(answers_table(answers))
    for kind, times in player.failed.items():
        console.print(f"failed for good: {kind}, {times} times", style="red")
    return 0


def played_with(settings: Settings) -> Settings:
    """The settings of the environment, without the waits that a month in minutes has no time for."""
    return settings.model_copy(
        update={
            # The model's server may have no embeddings.
            "embedder": "minilm" if settings.embedder == "auto" else settings.embedder,
            "judge_quiet": timedelta(0),
            "short_session_wait": timedelta(0),
            "batch_thinking": False,
            "scenes": "on",
            "log_level": "ERROR",
        }
    )


def _without(reason: str) -> int:
    sys.stderr.write(f"{reason}\n\n{HELP}\n")
    return NO_MODEL


if __name__ == "__main__":
    sys.exit(main())
