"""A chat frontend and what the proxy makes of its requests, as tests play them against the ledger."""

from dataclasses import dataclass, field

from memory.proxy.reading.transcript import read_transcript
from memory.proxy.taking.answer_intake import take_answer
from memory.proxy.taking.exchange import take_transcript
from providers.embedders import Embedders
from schemas.settings import Settings

SYSTEM = {"role": "system", "content": "You are a companion."}


def user(text, **fields):
    return {"role": "user", "content": text, **fields}


def assistant(text, **fields):
    return {"role": "assistant", "content": text, **fields}


def wire(*said):
    """Entries of `messages`; plain strings alternate between the user and the assistant."""
    return [
        one if isinstance(one, dict) else (user(one) if place % 2 == 0 else assistant(one))
        for place, one in enumerate(said)
    ]


@dataclass
class Door:
    """The use cases as the HTTP door calls them, without the HTTP."""

    store: object
    being: object
    settings: Settings = field(default_factory=lambda: Settings(embedder="minilm"))

    def __post_init__(self):
        self.embedders = Embedders(self.settings)

    def asks(self, *said, answer=None, conversation=None, **options):
        """Send a transcript behind a system prompt; `answer` is what the model then says. Returns what was decided."""
        messages = [SYSTEM, *wire(*said)]
        taken = take_transcript(
            self.store,
            self.settings,
            self.embedders,
            self.being,
            read_transcript(messages),
            conversation=conversation,
            **options,
        )
        if answer is not None:
            self.answers(taken, answer)
        return taken

    def answers(self, taken, text):
        """Take in what the model said to a request."""
        return taken.place and take_answer(self.store, self.settings, self.being, taken.place, text)

    def stands(self, conversation=None):
        """The talk as it stands, in the order of its times: texts, of one conversation or of all."""
        return [text for _, _, text in self.said(conversation)]

    def said(self, conversation=None):
        """The talk as it stands, in the order of its times: role, speaker and text."""
        return self._rows("messages", conversation)

    def retracted(self):
        """The texts that were retracted."""
        return [text for _, _, text in self._rows("retracted_messages", None)]

    def conversations(self):
        """How many conversations hold messages that stand."""
        with self.store.transaction() as tx:
            (row,) = tx.execute(
                "select count(distinct conversation) as n from memory.messages where being_id = %s",
                [self.being.being_id],
            )
        return row["n"]

    def _rows(self, table, conversation):
        with self.store.transaction() as tx:
            rows = tx.execute(
                f"select role, speaker, content from memory.{table} where being_id = %s"  # noqa: S608  # of constants
                " and (%s::text is null or conversation = %s) order by created_at, message_id",
                [self.being.being_id, conversation, conversation],
            ).fetchall()
        return [(row["role"], row["speaker"], row["content"]) for row in rows]
