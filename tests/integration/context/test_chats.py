"""Several chats of one Being: each has its own lines, pauses, regions, first message; the others are memory to it."""

import random
import re
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain, cycle, islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.context.elapsed_time import PAUSE, in_words
from memory.intake.messages import accept_messages
from memory.intake.retraction import retract
from memory.intake.turns import take_turn
from memory.text.errors import InvalidRequest
from operations.context.contexts import list_contexts
from operations.context.working_memory import show_working_memory
from operations.talk.sessions import show_session
from providers.embedders import Embedders
from schemas.context.context import ContextRequest, NewEntry, NewProfile, Turn
from schemas.errors import NotFound, Refused
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store.context import persona, profiles
from store.talk import messages
from tests.conftest import Clock
from tests.databases import answer_of
from tests.scenes import make_being, make_user, put_region

SETTINGS = Settings()
CHATS = (None, "tab-1", "tab-2", "Tab-1")
REGIONS = ("userNotes", "scene")
# It shows nothing but what belongs to the chat: each word in its prompt is this chat's.
OWN = NewProfile(regions=["skills", "user-model", "conversation", "default"], others=True, keep=[])
SKILL, MODEL = "Knows the tides.", "Plans ahead, model {}."

CHAT = st.sampled_from(CHATS)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), CHAT, st.booleans()),
        st.tuples(st.just("message"), CHAT, st.sampled_from(["user", "assistant"])),
        st.tuples(st.just("burst"), CHAT, st.integers(15, 30)),
        st.tuples(st.just("write"), CHAT, st.sampled_from(REGIONS), st.booleans()),
        st.tuples(st.just("ask"), CHAT, st.booleans()),
        st.tuples(st.just("model")),
        st.tuples(st.just("wait"), st.sampled_from([5, 31, 200, 3000])),
    ),
    min_size=4,
    max_size=20,
)


@dataclass
class Chat:
    """The messages of one chat, by the plain rules."""

    lines: list = field(default_factory=list)  # (role, text, when)
    regions: dict = field(default_factory=dict)
    answered: bool = False
    shown_model: str | None = None
    contexts: list = field(default_factory=list)

    def hears(self, *said):
        """Messages that came in together: at most the newest 20 are kept, and of more than 40 in all the newest 20."""
        if not self.goes_on(said[0][2]):
            self.answered, self.shown_model = False, None
        self.answered |= any(role == "assistant" for role, _, _ in said)
        self.lines += said[-20:]
        if len(self.lines) > 40:
            self.lines = self.lines[-20:]

    def notes(self):
        return sorted(chain.from_iterable(self.regions.values()))

    def goes_on(self, now):
        return bool(self.lines) and now - self.lines[-1][2] <= PAUSE


class Talk:
    """One Being and its chats, talked to by the doors and by the plain rules at once."""

    def __init__(self, store):
        self.store, self.clock, self.embedders = store, Clock(store), Embedders(SETTINGS)
        with store.transaction() as tx:
            self.being = make_being(tx, make_user(tx))
            profiles.write(tx, self.being.being_id, "own", OWN)
            skill = {"name": "tides", "content": SKILL, "enabled": True, "position": 0}
            persona.add(tx, self.being.being_id, "skills", skill)
        self.chats = {name: Chat() for name in CHATS}
        self.model = None
        self.number = 0

    def word(self, of):
        self.number += 1
        return f"{of}-{self.number:04}"

    def said(self, name, *roles):
        """New messages of a chat, as a door gets them."""
        lines = [(role, self.word("line"), self.clock.now()) for role in roles]
        self.chats[name].hears(*lines)
        of = {} if name is None else {"conversation": name}
        return [{"role": role, "content": text, **of} for role, text, _ in lines]

    def turn(self, name, answered):
        said = self.said(name, *(["assistant"] if answered and self.chats[name].lines else []), "user")
        asked = Turn(messages=said, process="own")
        made = take_turn(self.store, self.embedders, SETTINGS, self.being, asked, random.Random(1)).context
        self.check(name, made, now=said[-1]["content"], newest=len(said))

    def hand_in(self, name, *roles):
        accept_messages(self.store, SETTINGS, self.being.being_id, self.said(name, *roles))

    def write(self, name, region, add):
        text, regions = self.word("note"), self.chats[name].regions
        regions[region] = [*regions.get(region, ()), text] if add else [text]
        new = [NewEntry(content=text)]
        held = put_region(self.store, self.being, name, region, new, add=add)
        assert [entry.content for entry in held] == regions[region]

    def ask(self, name, whole):
        message = self.word("asked")
        body = ContextRequest(conversation=name, process="externalDialog" if whole else "own")
        asked = AssemblyRequest(body, message, conversation=name)
        made = assemble(self.store, self.embedders, SETTINGS, self.being, asked, random.Random(1))
        if whole:
            self.check_whole(name, made)
        else:
            self.check(name, made, now=message)

    def check(self, name, made, *, now, newest=0):
        """A context of the profile that shows the chat alone is the chat's, word for word."""
        chat, text, at = self.chats[name], made.text, self.clock.now()
        shown = self.shown(name)
        stored = newest > 0
        expected = [words for _, words, _ in shown if words != now] + [now]
        assert re.findall(r"(?:line|asked)-\d{4}", text) == expected
        assert sorted(re.findall(r"note-\d{4}", text)) == chat.notes()
        before = [when for _, words, when in shown if words != now]
        pauses = sum(later - earlier >= PAUSE for earlier, later in pairwise(before))
        assert len(re.findall("<pause>", text)) == pauses
        # What came in together has one time, and does not count as before.
        earlier = [when for _, _, when in chat.lines[: len(chat.lines) - newest]]
        told = re.findall(r"message before this was (.*) ago", text)
        gaps = {in_words(at - earlier[-1]), in_words(at - earlier[-1] - timedelta(seconds=20))} if earlier else set()
        assert (set(told) <= gaps) if earlier else told == []
        assert bool(told) == bool(earlier)
        goes_on = chat.goes_on(at)
        assert (SKILL in text) == (not (goes_on and chat.answered))
        assert ("user-model" in text) == (self.model is not None and not (goes_on and chat.shown_model == self.model))
        self.record(name, made, stored=stored)

    def check_whole(self, name, made):
        """A context of every region names this chat's regions alone, and has as many lines as this chat."""
        reports = {one.region: one.entries for one in made.regions}
        shown = self.shown(name)
        pauses = sum(later[2] - earlier[2] >= PAUSE for earlier, later in pairwise(shown))
        assert reports.get("conversation", 0) == len(shown) + pauses
        own = {region: len(entries) for region, entries in self.chats[name].regions.items()}
        assert {region: count for region, count in reports.items() if region in REGIONS} == own
        self.record(name, made)

    def record(self, name, made, *, stored=False):
        chat = self.chats[name]
        assert made.conversation == name
        chat.contexts.append(made.context_id)
        if not (stored or chat.goes_on(self.clock.now())):
            assert made.session_id is None
            return
        if self.model is not None:
            chat.shown_model = self.model
        assert answer_of(self.store, show_session, self.being, made.session_id).conversation == name

    def shown(self, name):
        lines = list(self.chats[name].lines)
        while lines and lines[0][0] == "assistant":
            lines.pop(0)
        return lines

    def play(self, step, *given):
        match step:
            case "turn":
                self.turn(*given)
            case "message":
                self.hand_in(*given)
            case "burst":
                name, count = given
                self.hand_in(name, *islice(cycle(["user", "assistant"]), count))
            case "write":
                self.write(*given)
            case "ask":
                self.ask(*given)
            case "model":
                self.model = MODEL.format(self.word("v"))
                with self.store.transaction() as tx:
                    persona.write_user_model(tx, self.being.user_id, self.model)
            case "wait":
                self.clock.advance(minutes=given[0])

    def check_lists(self):
        """Working memory, and the record of contexts, are asked for by chat."""
        for name, chat in self.chats.items():
            entries = answer_of(self.store, show_working_memory, self.being, conversation=name).entries
            assert {entry.conversation for entry in entries} <= {name}
            lines = [entry.content for entry in entries if entry.region == "conversation"]
            assert lines == [text for _, text, _ in chat.lines]
            written = [entry.content for entry in entries if entry.region != "conversation"]
            assert sorted(written) == chat.notes()
            page = answer_of(self.store, list_contexts, self.being, conversation=name or "", limit=100)
            assert [one.context_id for one in page.contexts] == chat.contexts[::-1]
            assert {one.conversation for one in page.contexts} <= {name}


@settings(max_examples=settings.default.max_examples // 6)
@given(steps=STEPS)
def test_no_chat_shows_what_another_one_holds(store, steps):
    talk = Talk(store)
    for step in steps:
        talk.play(*step)
    for name in CHATS:
        talk.ask(name, False)
        talk.ask(name, True)
    talk.check_lists()


@pytest.fixture
def talk(store):
    return Talk(store)


def test_a_session_names_its_conversation(talk):
    talk.turn("tab-1", answered=False)
    (session,) = _sessions(talk)
    for named in (None, "tab-1"):
        asked = AssemblyRequest(ContextRequest(), "Hm?", conversation=named, session_id=session.session_id)
        made = assemble(talk.store, talk.embedders, SETTINGS, talk.being, asked, random.Random(1))
        assert (made.conversation, made.session_id) == ("tab-1", session.session_id)
    other = AssemblyRequest(ContextRequest(), "Hm?", conversation="tab-2", session_id=session.session_id)
    with pytest.raises(NotFound, match="in this conversation"):
        assemble(talk.store, talk.embedders, SETTINGS, talk.being, other, random.Random(1))


def test_the_pause_before_a_session_is_the_conversations(talk):
    talk.turn("tab-1", answered=False)
    talk.clock.advance(hours=2)
    talk.turn("tab-2", answered=False)
    talk.clock.advance(hours=3)
    talk.turn("tab-1", answered=False)
    pauses = [(one.conversation, one.pause and round(one.pause / 3600)) for one in _sessions(talk)]
    assert pauses == [("tab-1", 5), ("tab-2", None), ("tab-1", None)]


def test_a_chat_keeps_its_own_most_lines_and_its_own_most_regions(store, talk):
    for name, count in (("tab-1", 20), ("tab-2", 20), ("tab-1", 20), ("tab-2", 11), ("tab-1", 1)):
        talk.hand_in(name, *["user"] * count)
    assert [len(talk.chats[name].lines) for name in ("tab-1", "tab-2")] == [20, 31]
    talk.check_lists()
    new = [NewEntry(content="x")]
    for number in range(50):
        try:
            put_region(store, talk.being, "tab-1", f"r{number}", new, add=False)
        except Refused:
            break
    else:
        pytest.fail("a conversation may have any number of regions")
    assert put_region(store, talk.being, "tab-2", "r0", new, add=False)
    with pytest.raises(InvalidRequest):
        put_region(store, talk.being, "tab-2", "conversation", new, add=False)


def test_what_is_taken_back_in_one_chat_stays_in_the_others(store, talk):
    for name in CHATS:
        talk.turn(name, answered=False)
    retract(store, SETTINGS, talk.embedders, [talk.being], MessageSelection(conversation="tab-1"))
    talk.chats["tab-1"].lines.clear()
    talk.check_lists()


def _sessions(talk):
    with talk.store.transaction() as tx:
        return messages.sessions(tx, talk.being.being_id, before=None, limit=9)
