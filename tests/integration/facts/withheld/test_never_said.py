"""Whatever was said, retracted, restored, edited and erased: the memory is that of what stands, told by itself.

The model is a function: what it finds in a message depends on that message alone, and how two statements relate on
these two alone. So whatever differs between two memories that were told the same would be due to what was retracted.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count, zip_longest
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.accounts import erasure
from memory.intake import retraction
from memory.intake.retraction import ErasedForGood
from memory.search import indexing
from memory.search.search import search
from memory.talk import session_summary, sessions
from samples.canned import policy
from samples.canned.material import Material
from schemas.search import EverythingRequest
from schemas.talk.retraction import MessageSelection
from store.ledger import work
from store.talk import messages
from tests.conversations import LEASE, Talk
from tests.conversations import fact as found
from tests.conversations import todo as found_todo
from tests.fakes.provider import FakeProvider, running_provider
from tests.full_being import tables_with
from tests.scenes import make_being, make_user

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
# What the user says, with the words of the statement and its key. Two homes exclude each other, two teas do not.
HOME, TEA, PLANT, SISTER = "lives", "likes", "waters", "sister"
SAYINGS = {
    HOME: "I live in {}",
    TEA: "I like the tea of {}",
    PLANT: "I must water the plants of {}",
    SISTER: "My sister is called {}",
    "asks": "Do you live in {}",
}
NAMES = ("Lyon", "Austin", "Berlin")
# All memories of a run are in one database.
MARKS = (f"zq{number}x" for number in count())
# A retracted message is in these, and in nothing that is derived.
KEEPING = {"retracted_messages"}


def judgement(material):
    """Each statement is worded with its message's own mark, so that the memory's words tell whose they are."""
    facts, todos = [], []
    for message in material.all("message"):
        told = re.search(r"^I (live in|like the tea of|must water the plants of) (\w+) (\w+)", message.text)
        sister = re.search(r"^My sister is called (\w+) (\w+)", message.text)
        if message.attributes["new"] != "yes":
            continue
        if told and told[1].startswith("must"):
            content = f"Water the plants of {told[2]}"
            todos.append(found_todo(told[0], content, message=message.ref, due=told[3]))
        elif told:
            home = told[1] == "live in"
            about = [{"type": "thing", "name": "home" if home else "tea"}, {"type": "place", "name": told[2]}]
            words = f"{'Lives in' if home else 'Likes the tea of'} {told[2]}, says {told[3]}."
            kind = "fact" if home else "preference"
            importance = 2 if home else len(told[3]) % 2
            facts.append(
                found(told[0], words, message=message.ref, entities=about, fact_type=kind, importance=importance)
            )
        elif sister:
            about = [{"type": "person", "name": sister[1]}]
            facts.append(
                found(
                    sister[0],
                    f"{sister[1]} is a sister, says {sister[2]}.",
                    message=message.ref,
                    entities=about,
                    type="PEOPLE",
                    fact_type="relationship",
                )
            )
    return {"facts": facts, "todos": todos, "confidences": []}


def reconciliation(material):
    """The same but for the mark is the same, another home contradicts, another tea is added."""
    known = [*material.all("earlier"), *material.all("new")]
    return {"comparisons": list(_compared(material.all("new"), known))}


def _compared(new, known) -> Iterator[dict[str, str]]:
    for one in new:
        for other in known:
            if one.ref == other.ref or one.attributes["matter"] != other.attributes["matter"]:
                continue
            said, before = (each.text.partition(", says")[0] for each in (one, other))
            if said == before:
                yield {"new": one.ref, "relation": "same", "earlier": other.ref}
            elif said.startswith("Lives"):
                yield {"new": one.ref, "relation": "contradicts", "earlier": other.ref}


def answer(request):
    rules = {"Judgement": judgement, "Reconciliation": reconciliation}
    if rule := rules.get(request.purpose):
        return json.dumps(rule(Material(request.material)))
    return policy.answer(request)


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    """A model that is a function of each message."""
    with running_provider(answer=answer) as provider:
        yield provider


class Crash(Exception):
    """The process ends before its transaction commits."""


@dataclass(frozen=True)
class Said:
    """A message as its producer knows it; `mark` is a word that no other version has."""

    id_: str
    minute: int
    saying: str
    name: int
    conversation: str | None
    mark: str

    def as_item(self):
        item = {
            "id": self.id_,
            "role": "assistant" if self.saying == "asks" else "user",
            "content": f"{SAYINGS[self.saying].format(NAMES[self.name])} {self.mark}",
            "created_at": (NOON + timedelta(minutes=self.minute)).isoformat(),
        }
        return item | ({"conversation": self.conversation} if self.conversation else {})


@dataclass
class Producer:
    """A producer's acts on a memory, and what stands of it; the versions in the order of their arrival."""

    talk: Talk
    standing: dict[str, Said] = field(default_factory=dict)
    retracted: dict[str, list[Said]] = field(default_factory=dict)
    arrived: list[Said] = field(default_factory=list)
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
        self.arrived.append(said)

    def say(self, minute, saying, name, conversation):
        self.number += 1
        self.hand_in(Said(f"m{self.number}", minute, saying, name, conversation, next(MARKS)))

    def edit(self, id_, name):
        self.retract(id_)
        versions = self.retracted[id_]
        self.hand_in(replace(versions[-1], name=name, mark=next(MARKS)))

    def retract(self, id_):
        talk = self.talk
        selection = MessageSelection(ids=[id_])
        retraction.retract(talk.store, talk.settings, talk.embedders, [talk.being], selection)
        if said := self.standing.pop(id_, None):
            self.retracted.setdefault(id_, []).append(said)

    def restore(self, id_):
        self.restored(id_)
        if id_ not in self.standing and self.retracted.get(id_):
            self.standing[id_] = self.retracted[id_].pop()

    def restored(self, id_):
        talk = self.talk
        return retraction.restore(talk.store, talk.settings, [talk.being], MessageSelection(ids=[id_]))

    def erase(self, id_):
        talk = self.talk
        erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [self.uuids[id_]])
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

    def come_to_rest(self):
        """Close the sessions, and do all work."""
        with self.talk.store.transaction() as tx:
            messages.end_idle_sessions(tx, 1000)
            session_summary.request_due(tx, self.talk.being.being_id)
        self.derive()

    def do(self, name, *given_):
        if name == "say":
            self.say(*given_)
        elif name in {"derive", "crash"}:
            getattr(self, name)()
        elif (id_ := self.pick(given_[0])) is not None:
            getattr(self, name)(id_, *given_[1:] if name == "edit" else ())


def wanted(query):
    return EverythingRequest(query=query, limit=50, kinds=["message", "fact"])


def known(talk):
    """The knowledge of a memory, by words and the producer's ids alone."""
    being_id, user_id = talk.being.being_id, talk.being.user_id
    indexing.index_waiting(talk.store, timedelta(seconds=30))
    with talk.store.transaction() as tx:
        facts = tx.execute(
            """
            select f.memory_key, f.content, f.mentions, f.sessions, f.importance, f.confidence, f.status, f.entity_refs,
                array(
                    select (s.content, s.said_at, s.importance, s.mentioned_refs, later.content, m.producer_id, e.span,
                        e.outdated)::text
                    from memory.fact_statements as s
                    join memory.fact_evidence as e using (user_id, statement_id)
                    join memory.messages as m using (being_id, message_id)
                    left join memory.fact_statements as later
                        on later.user_id = s.user_id and later.statement_id = s.replaced_by
                    where s.user_id = f.user_id and s.fact_id = f.fact_id
                    order by 1
                ) as statements
            from memory.facts as f where user_id = %s order by memory_key
            """,
            [user_id],
        ).fetchall()
        todos = tx.execute(
            """
            select t.kind, t.content, t.due, t.status, array(
                select (m.producer_id, e.span, e.closes, e.outdated)::text
                from memory.todo_evidence as e join memory.messages as m using (being_id, message_id)
                where e.being_id = t.being_id and e.todo_id = t.todo_id order by 1
            ) as evidence
            from memory.todos as t where being_id = %s order by kind, content
            """,
            [being_id],
        ).fetchall()
        talked = tx.execute(
            """
            select s.conversation, s.turn_count, s.started_at, s.last_activity_at, s.ended_at,
                array_agg(m.producer_id order by m.created_at, m.message_id) as said,
                bool_and(m.judged or m.role <> 'user') as judged,
                (
                    select content::text from memory.session_summaries as k
                    where k.being_id = s.being_id and k.session_id = s.session_id order by version desc limit 1
                ) as summary
            from memory.sessions as s join memory.messages as m using (being_id, session_id)
            where being_id = %s group by s.being_id, s.session_id order by 3, 4, 1, 6
            """,
            [being_id],
        ).fetchall()
        empty = tx.execute(
            """
            select from memory.sessions as s where being_id = %s and not exists (
                select from memory.messages as m where m.being_id = s.being_id and m.session_id = s.session_id
            )
            """,
            [being_id],
        ).fetchall()
        names = tx.execute(
            "select alias_ref, entity_ref, label from memory.entity_aliases left join memory.entity_labels"
            " using (user_id, alias_ref) where user_id = %s order by 1, 3",
            [user_id],
        ).fetchall()
    state = sessions.state(talk.store, being_id).state
    answers = {
        query: sorted(
            (one.kind, one.producer_id or one.text)
            for one in search(talk.store, talk.embedders, talk.being, wanted(query)).results
        )
        for query in NAMES
    }
    return {
        "facts": facts,
        "todos": todos,
        "talked": talked,
        "empty sessions": empty,
        "names": names,
        "counts": (state.message_count, state.last_interaction, state.last_user_message),
        "found": answers,
    }


def differences(lived, only_told):
    """The differences between two memories, part by part."""
    rows = (
        (part, place, one, other) for part in lived for place, (one, other) in enumerate(_pairs(lived, only_told, part))
    )
    return [(part, place, one, other) for part, place, one, other in rows if one != other]


def _pairs(lived, only_told, part):
    parts = [[*of.items()] if isinstance(of, dict) else [*of] for of in (lived[part], only_told[part])]
    return zip_longest(*parts)


MINUTE, NAME = st.integers(0, 150), st.integers(0, len(NAMES) - 1)
SAY = st.tuples(st.just("say"), MINUTE, st.sampled_from([*SAYINGS]), NAME, st.sampled_from([None, None, "chat"]))
CHANGE = st.tuples(st.sampled_from(["retract", "retract", "restore", "edit", "erase"]), st.integers(0, 30), NAME)
WORK = st.tuples(st.sampled_from(["derive", "derive", "crash"]))
# Something is said and worked on, then changed; and so again.
ROUND = st.tuples(
    st.lists(SAY, min_size=2, max_size=6), st.lists(WORK, max_size=1), st.lists(CHANGE, min_size=1, max_size=4)
).map(lambda parts: [step for part in parts for step in part])


# A statement and a todo lose the words of one of two messages, which were judged by themselves.
TOLD_TWICE = [
    *[("say", 0, HOME, 0, None), ("say", 1, PLANT, 0, None), ("derive",)],
    *[("say", 100, HOME, 0, None), ("say", 101, PLANT, 0, None), ("derive",)],
]
# Without the first message, the third would not have joined the second, nor the fourth brought them together.
BRIDGED = [("say", 25, TEA, 0, None), ("say", 0, TEA, 1, None), ("say", 50, TEA, 2, None), ("say", 25, TEA, 0, None)]


@settings(max_examples=settings.default.max_examples // 25)
@example(rounds=[[*TOLD_TWICE, ("retract", 0, 0), ("retract", 3, 0)]])
@example(rounds=[[*BRIDGED, ("derive",), ("retract", 0, 0)]])
@example(rounds=[[*BRIDGED, ("retract", 0, 0), ("derive",), ("restore", 0, 0)]])
@given(rounds=st.lists(ROUND, min_size=1, max_size=3))
def test_the_memory_is_that_of_what_stands(talk, rounds):
    def anew():
        with talk.store.transaction() as tx:
            being = make_being(tx, make_user(tx))
        producer = Producer(Talk(talk.store, talk.provider, being, talk.settings, talk.thinkers, talk.embedders))
        producer.talk.attempts = 1000
        return producer

    producer = anew()
    for step in (step for each in rounds for step in each):
        producer.do(*step)
    producer.come_to_rest()

    told = anew()
    for said in producer.arrived:
        if producer.standing.get(said.id_) == said:
            told.hand_in(said)
    told.come_to_rest()

    lived, only_told = known(producer.talk), known(told.talk)
    assert differences(lived, only_told) == []
    with talk.store.transaction() as tx:
        for said in (one for versions in producer.retracted.values() for one in versions):
            assert tables_with(tx, said.mark).keys() <= KEEPING
