"""Plants a word in confidences of every form, each after all that the user's Beings share had taken the word in."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

from memory.facts import seeding
from memory.intake.messages import accept_messages
from memory.talk.confidences import change_fact, change_todo, decide_on_messages
from schemas.accounts.accounts import Being
from schemas.facts.fact_requests import FactChanges, Seed, TodoChanges
from schemas.settings import Settings
from store.accounts import erasure
from store.database import Store
from store.facts import entities, todos
from store.facts.entities import Mention
from store.facts.statements import NewStatement, add_statements
from store.talk import confidences
from store.transaction import new_ids


class Told:
    """A message with the word, and what rested on it before it was in confidence: a fact, a todo, the spine."""

    def __init__(self, store: Store, being: Being, word: str, form: str) -> None:
        self.store, self.being, self.word, self.form = store, being, word, form
        self.message_id = self.says(f"The {word} of {form}.")
        self.ref = f"thing:{word}_{form.replace(' ', '_')}"
        with store.transaction() as tx:
            (statement_id,) = new_ids(tx, 1)
            entities.add(tx, being.user_id, [Mention(None, self.ref, self.ref.partition(":")[2])])
            told = NewStatement(
                statement_id=statement_id,
                scope=None,
                type="PROFILE",
                entity_label=self.ref.partition(":")[2],
                fact_type="preference",
                mentioned_refs=[self.ref],
                content=f"Has the {word} of {form}.",
                source="shadow_extraction",
                confidence=0.9,
                importance=3,
                told_at=tx.value("select memory.now()"),
                span=f"The {word} of {form}",
                being_id=being.being_id,
                message_id=self.message_id,
                pinned=True,
            )
            ((self.fact_id, _),) = add_statements(tx, being.user_id, [told])
            self.todo_id = todos.add(
                tx, being.being_id, kind="thread", content=told.content, source="shadow_extraction", confidence=0.9
            )
            todos.add_evidence(
                tx, being.being_id, self.todo_id, self.message_id, told.span, content=told.content, due=None
            )
            tx.execute(
                """
                with next as (
                    insert into memory.summary_spines (user_id, version, content, message_count)
                    select user_id, max(version) + 1, jsonb_build_object('PEOPLE', jsonb_build_array(%(word)s::text)) ||
                        '{"PROFILE": [], "PROJECTS": [], "OPEN_LOOPS": []}', 20
                    from memory.summary_spines
                    where user_id = %(user)s and being_id is null
                    group by user_id
                    returning version
                )
                update memory.messages set judged = true, spine_version = (select version from next)
                where being_id = %(being)s and message_id = %(message)s
                """,
                {"word": word, "user": being.user_id, "being": being.being_id, "message": self.message_id},
            )

    def says(self, content: str, **more: Any) -> UUID:
        """Hand a message of the user's in."""
        said = [{"role": "user", "content": content, **more}]
        (message_id,) = accept_messages(self.store, Settings(), self.being.being_id, said).ids
        assert message_id is not None
        return message_id

    def judged(self, *asked: tuple[UUID, UUID]) -> None:
        """Store what a judging found."""
        with self.store.transaction() as tx:
            confidences.keep(tx, self.being.being_id, [asking for _, asking in asked], asked)
            erasure.remove_unused_names(tx, self.being.user_id)


def _judge(told: Told) -> None:
    told.judged((told.message_id, told.message_id))


def _later(told: Told) -> None:
    asking = told.says(f"Please keep the {told.word} between us.")
    told.judged((told.message_id, asking), (asking, asking))


def _message(told: Told) -> None:
    decide_on_messages(told.store, told.being, [str(told.message_id)], in_confidence=True)


def _fact(told: Told) -> None:
    change_fact(told.store, told.being, told.fact_id, FactChanges(in_confidence=True))


def _corrected_fact(told: Told) -> None:
    changes = FactChanges(content=f"Has a corrected {told.word}.", in_confidence=True)
    change_fact(told.store, told.being, told.fact_id, changes)


def _todo(told: Told) -> None:
    change_todo(told.store, told.being, told.todo_id, TodoChanges(in_confidence=True))


FORMS: Mapping[str, Callable[[Told], None]] = {
    "what the judge names": _judge,
    "what a later message asks for": _later,
    "a person's message": _message,
    "a person's fact": _fact,
    "a fact that a person corrected": _corrected_fact,
    "a person's todo": _todo,
}


def plant_confidences(store: Store, being: Being, word: str) -> None:
    """Plant the word in a confidence of every form, in a mark of the producer's, and in a message that none has judged.

    The Being's user has a version of the spine.
    """
    for form, confide in FORMS.items():
        confide(Told(store, being, word, form))
    told = list(_unjudged(word))
    accept_messages(store, Settings(), being.being_id, told)
    seed = Seed(type="PROFILE", content=f"Was given the {word}.", entity_refs=[f"thing:{word}_given"], pinned=True)
    (fact_id,) = seeding.seed(store, Settings(), being, [seed]).fact_ids
    change_fact(store, being, fact_id, FactChanges(in_confidence=True))


def _unjudged(word: str) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": f"The {word} that is marked.", "metadata": {"in_confidence": True}}
    yield {"role": "user", "content": f"The {word} that waits to be judged."}
