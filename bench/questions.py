"""Measures a question to a memory of 10,000 messages, without the time of the models: both answer at once."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bench.figures import Figure, timed
from bench.ground import CONNECTIONS, Ground
from bench.search.handing_in import ranks_of_words, tell, text_of_words
from memory.asking.answering import AskInputs, ask
from providers.completion import Completion, Usage
from providers.embedders import Embedders
from providers.local.encoder_config import MINILM
from providers.thinkers import Thinkers
from providers.thinking import Question, Size
from schemas.context.asking import AskPlan, AskRequest
from schemas.ledger.acting import acting_for
from schemas.llm.calls import Provider
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from workers.embedded.postgres import as_application

MESSAGES = 10_000
ASKED = 200
PROMISED_MS = 60.0
MODELS: Mapping[Size, str] = {"large": "claude-sonnet-5-5", "small": "claude-haiku-5-5"}
_SOURCE = re.compile(r'<message ref="(e\d+)"[^>]*>\n([^<\n]+)')


class AtOnce:
    """A thinker that plans two searches and something to count, and quotes three sources."""

    provider: Provider = "anthropic"

    def model(self, size: Size) -> str:
        """Return a model whose price is known."""
        return MODELS[size]

    def ask(self, question: Question[Any]) -> Completion:
        """Answer."""
        if question.answer is AskPlan:
            written: dict[str, Any] = {"queries": ["word7 word120", "word300"], "names": ["Nora"], "since": None}
            written |= {"until": None, "counts": [{"any_of": ["word450", "word500"]}]}
        else:
            cited = _SOURCE.findall(question.material)[:3]
            written = {"sentences": [{"sentence": text, "cites": [{"ref": ref, "quote": text}]} for ref, text in cited]}
        return Completion(json.dumps(written), self.model(question.size), Usage(1000, 100))

    def stream(self, question: Question[Any]) -> Iterator[Completion]:
        """Answer at once."""
        yield self.ask(question)


class AnsweringAtOnce(Thinkers):
    """The thinkers of a platform whose model answers at once."""

    def platform(self) -> AtOnce:
        """Return the thinker."""
        return AtOnce()


def asking(ground: Ground) -> Iterator[Figure]:
    """Measure answers of three checked sentences."""
    being_id = ground.new_being()
    tell(ground, being_id, MESSAGES, MINILM)
    settings = Settings(embedder="minilm")
    embedders, thinkers = Embedders(settings), AnsweringAtOnce(settings)
    with ground.store.transaction() as tx:
        beings.change_being(tx, being_id, {"daily_tokens": None, "daily_cost": 1_000_000})
        being = beings.get_being(tx, being_id)
    questions = iter(ranks_of_words(np.random.default_rng(62), 2 * ASKED))

    def answered() -> None:
        words = text_of_words(next(questions)[:3])
        answer = ask(AskInputs(bound, embedders, thinkers, settings, being, AskRequest(question=f"What of {words}?")))
        assert answer.method == "model", answer.without_model  # noqa: S101  # what is measured is the whole way
        assert answer.known, answer.dropped  # noqa: S101  # likewise

    # As the API does, by the role that policies bind.
    with Store(as_application(ground.url), CONNECTIONS) as bound, acting_for(being.user_id, being_id):
        (times,) = timed(answered, times=ASKED, warm_up=20)
    yield Figure(
        what=f"a question to {MESSAGES:,} messages, without the models' time, p95",
        measured=times.p95,
        unit="ms",
        limit=PROMISED_MS,
        against="the promise",
        remark=f"p50 {times.p50:.1f} ms; two calls, two searches beside the question, three checked sentences",
    )
