"""Whatever was said, taken back, restored, edited and erased: no derived text holds a word of what does not stand."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.accounts import erasure
from memory.intake import retraction
from memory.intake.retraction import ErasedForGood
from schemas.talk.retraction import MessageSelection
from store.ledger import work
from tests.conversations import LEASE, Talk
from tests.full_being import tables_with
from tests.scenes import make_being, make_user

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
USERS = ("I live in {}.", "I like {} tea.", "I must water the {}.", "My sister is called {}.")
NAMES = ("Lyon", "Austin", "Berlin")
# All memories of a run are in one database.
MARKS = (f"zq{number}x" for number in count())
# A retracted message is in these, and in nothing that is derived.
KEEPING = {"retracted_messages"}


class Crash(Exception):
    """The process ends before its transaction commits."""


@dataclass(frozen=True)
class Said:
    """A message as its producer knows it; `mark` is a word that no other version has."""

    id_: str
    minute: int
    template: int
    name: int
    conversation: str | None
    mark: str

    def as_item(self):
        role = "assistant" if self.template == len(USERS) else "user"
        words = "Do you live in {}?" if role == "assistant" else USERS[self.template]
        item = {"id": self.id_, "role": role, "content": f"{words.format(NAMES[self.name])} {self.mark}?"}
        item["created_at"] = (NOON + timedelta(minutes=self.minute)).isoformat()
        return item | ({"conversation": self.conversation} if self.conversation else {})


@dataclass
class Producer:
    """What a producer did to a memory, and what stands of it."""

    talk: Talk
    standing: dict[str, Said] = field(default_factory=dict)
    retracted: dict[str, list[Said]] = field(default_factory=dict)
    uuids: dict[str, object] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    number: int = 0

    def pick(self, number):
        ids = sorted({*self.standing, *self.retracted} - self.gone)
        return ids[number % len(ids)] if ids else None

    def hand_in(self, said):
        receipt = self.talk.says(said.as_item())
        self.uuids[said.id_] = receipt[0]
        self.standing[said.id_] = said

    def say(self, minute, template, name, conversation):
        self.number += 1
        self.hand_in(Said(f"m{self.number}", minute, template, name, conversation, next(MARKS)))

    def edit(self, id_, name):
        self.retract(id_)
        versions = self.retracted[id_]
        self.hand_in(replace(versions[-1], name=name, mark=next(MARKS)))

    def retract(self, id_):
        talk = self.talk
        selection = MessageSelection(ids=[id_])
        retraction.retract(talk.store, talk.settings, talk.embedders, talk.being.being_id, selection)
        if said := self.standing.pop(id_, None):
            self.retracted.setdefault(id_, []).append(said)

    def restore(self, id_):
        self.restored(id_)
        if id_ not in self.standing and self.retracted.get(id_):
            self.standing[id_] = self.retracted[id_].pop()

    def restored(self, id_):
        talk = self.talk
        return retraction.restore(talk.store, talk.settings, talk.being.being_id, MessageSelection(ids=[id_]))

    def erase(self, id_):
        talk = self.talk
        erasure.erase_messages(talk.store, talk.settings, talk.embedders, talk.being, [self.uuids[id_]])
        self.standing.pop(id_, None)
        self.retracted.pop(id_, None)
        self.gone.add(id_)
        with pytest.raises(ErasedForGood):
            self.restored(id_)

    def derive(self):
        self.talk.judged()
        self.talk.summed_up()

    def crash(self):
        self.talk.lease = timedelta(0)
        with patch.object(work, "finish", side_effect=Crash), suppress(Crash):
            self.derive()
        self.talk.lease = LEASE


MINUTE, NAME = st.integers(0, 150), st.integers(0, len(NAMES) - 1)
SAY = st.tuples(st.just("say"), MINUTE, st.integers(0, len(USERS)), NAME, st.sampled_from([None, None, "chat"]))
CHANGE = st.tuples(st.sampled_from(["retract", "retract", "restore", "edit", "erase"]), st.integers(0, 30), NAME)
WORK = st.tuples(st.sampled_from(["derive", "derive", "crash"]))
# Something is said and worked on, then changed; and so again.
ROUND = st.tuples(
    st.lists(SAY, min_size=2, max_size=6), st.lists(WORK, max_size=1), st.lists(CHANGE, min_size=1, max_size=4)
).map(lambda parts: [step for part in parts for step in part])


@settings(max_examples=12)
@given(rounds=st.lists(ROUND, min_size=1, max_size=3))
def test_no_derived_text_holds_what_was_taken_back(talk, rounds):
    with talk.store.transaction() as tx:
        being = make_being(tx, make_user(tx))
    producer = Producer(Talk(talk.store, talk.provider, being, talk.settings, talk.thinkers, talk.embedders))
    producer.talk.attempts = 1000
    for name, *given_ in (step for each in rounds for step in each):
        if name == "say":
            producer.say(*given_)
        elif name in {"derive", "crash"}:
            getattr(producer, name)()
        elif (id_ := producer.pick(given_[0])) is not None:
            if name == "edit":
                producer.edit(id_, given_[1])
            else:
                getattr(producer, name)(id_)
    producer.derive()

    with talk.store.transaction() as tx:
        for said in (one for versions in producer.retracted.values() for one in versions):
            assert tables_with(tx, said.mark).keys() <= KEEPING
