"""Rooms: each Being knows what was said while it was present, and an utterance is judged once for all of them."""

import re
from random import Random
from typing import get_args

import pytest
from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory.accounts import being_export, erasure, rooms
from memory.accounts import beings as beings_accounts
from memory.accounts.access import Caller
from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.intake import retraction, room_changes
from memory.intake.room_messages import accept_utterances
from memory.nodes import recall
from memory.nodes.recall import RecallQuery
from memory.search import search
from memory.talk import judging, spine
from memory.talk.confidences import decide_on_messages
from operations.talk.rooms import list_room_messages, remove_room, retract_room_messages
from operations.talk.sessions import list_spines
from providers.thinkers import Thinkers
from schemas.accounts.accounts import KnownTo
from schemas.context.context import ContextRequest
from schemas.errors import NotFound
from schemas.ledger import kinds
from schemas.search import EverythingRequest
from schemas.talk.rooms import NewRoom, RoomChanges, RoomSelection
from store.accounts import beings
from store.talk.rooms import Place
from tests.conversations import Talk, fact, todo
from tests.models.indexed import index
from tests.models.walking import walk_patrol
from tests.scenes import make_user

SLUGS = ("ada", "bea", "cid")
ALL = frozenset({"ingest", "read", "manage"})


@pytest.fixture
def new_room(store, provider, settings, embedders):
    """Make a user with a room of three Beings, each a `Talk` by its slug."""

    def make(**changes):
        changed = settings.model_copy(update=changes)
        with store.transaction() as tx:
            user = make_user(tx)
            made = {slug: beings.add_being(tx, user.user_id, slug, slug.title()) for slug in SLUGS}
        caller = Caller(user.user_id, None, ALL)
        shown = rooms.make(store, user.user_id, NewRoom(name="The tavern", beings=list(SLUGS), people=["Kim"]))
        thinkers = Thinkers(changed)
        talks = {slug: Talk(store, provider, being, changed, thinkers, embedders) for slug, being in made.items()}
        return Room(store, changed, embedders, caller, shown, talks)

    return make


@pytest.fixture
def room(new_room):
    """A room of Ada, Bea and Cid."""
    return new_room()


class Room:
    """A room as its user knows it."""

    def __init__(self, store, settings, embedders, caller, shown, talks) -> None:
        self.store, self.settings, self.embedders, self.caller = store, settings, embedders, caller
        self.shown, self.talks = shown, talks
        self.place = Place(caller.user_id, shown.room_id)

    def bound(self, slug):
        """The caller with a token for one Being."""
        return Caller(self.caller.user_id, self.talks[slug].being.being_id, ALL)

    def hears(self, *said, caller=None):
        """Hand utterances in; a string is the user's."""
        items = [{"role": "user", "content": one} if isinstance(one, str) else one for one in said]
        name = str(self.shown.room_id)
        return rooms.hand_in(
            self.store, self.settings, caller or self.caller, name, items, lambda _: None, paid_by=None
        )

    def lines(self, slug):
        """A Being's part of it: role, speaker and words of each message."""
        with self.store.transaction() as tx:
            return [
                (row["role"], row["speaker"], row["content"])
                for row in tx.execute(
                    "select * from memory.messages where being_id = %s order by created_at, message_id",
                    [self.talks[slug].being.being_id],
                )
            ]

    def words(self, slug):
        """The words of what a Being has."""
        return [content for _, _, content in self.lines(slug)]

    def judged(self):
        """Do all judging that is due."""
        for talk in self.talks.values():
            talk.judged()

    def selected(self, **selection):
        """The messages that a selection of utterances names."""
        return room_changes.selected(self.place, RoomSelection(**selection))

    def beings(self):
        """The Beings of the room."""
        return rooms.hearers(self.store, self.caller, self.shown)

    def retract(self, **selection):
        """Retract utterances."""
        return retract_room_messages.call(self, self.caller, "the-tavern", RoomSelection(**selection))

    def restore(self, **selection):
        """Let utterances stand again."""
        return retraction.restore(self.store, self.settings, self.beings(), self.selected(**selection))

    def erase(self, *message_ids):
        """Erase utterances."""
        return erasure.erase_messages(self.store, self.settings, self.embedders, self.beings(), message_ids)

    def calls(self, purpose="judge"):
        """How many calls of a kind were paid."""
        with self.store.transaction() as tx:
            return tx.value(
                "select count(*) from memory.model_calls where user_id = %s and purpose = %s",
                [self.caller.user_id, purpose],
            )


def test_an_utterance_off_the_record_is_in_no_being_and_a_being_off_it_has_none(room, store):
    marked = {"role": "user", "content": "Between us.", "off_the_record": True}
    first = room.hears("All hear this.", marked)
    beings_accounts.change(store, room.talks["bea"].being, {"off_the_record": True})
    second = room.hears({"id": "t1", "role": "user", "content": "Two hear this."})
    for_bea = room.hears({"role": "user", "content": "For Bea alone.", "present": ["bea"]})
    assert [(one.accepted, one.off_the_record) for one in (first, second, for_bea)] == [(1, [1]), (1, []), (0, [0])]
    assert room.words("ada") == room.words("cid") == ["All hear this.", "Two hear this."]
    assert room.words("bea") == ["All hear this."]
    # On the record again, the same utterance handed in once more is kept.
    beings_accounts.change(store, room.talks["bea"].being, {"off_the_record": False})
    room.hears({"id": "t1", "role": "user", "content": "Two hear this."})
    assert room.words("bea") == ["All hear this.", "Two hear this."]


def test_each_being_has_what_was_said_in_its_presence_and_its_own_words_as_its_own(room):
    receipt = room.hears(
        "Hello, all of you.",
        {"speaker_being": "bea", "content": "Hello, you."},
        {"role": "other", "speaker": "Kim", "content": "I am Kim.", "present": ["ada"]},
        {"role": "user", "content": "Ada, come aside.", "present": ["ada", "cid"]},
    )

    assert (receipt.accepted, receipt.rejected) == (4, [])
    assert room.lines("ada") == [
        ("user", None, "Hello, all of you."),
        ("other", "Bea", "Hello, you."),
        ("other", "Kim", "I am Kim."),
        ("user", None, "Ada, come aside."),
    ]
    assert room.lines("bea") == [("user", None, "Hello, all of you."), ("assistant", None, "Hello, you.")]
    assert room.words("cid") == ["Hello, all of you.", "Hello, you.", "Ada, come aside."]
    shown = list_room_messages.call(room, room.caller, "the-tavern", limit=10).messages
    assert [(one.message_id, one.speaker_being, one.present) for one in reversed(shown)] == [
        (receipt.ids[0], None, ["ada", "bea", "cid"]),
        (receipt.ids[1], "bea", ["ada", "bea", "cid"]),
        (receipt.ids[2], None, ["ada"]),
        (receipt.ids[3], None, ["ada", "cid"]),
    ]


def test_an_utterance_is_known_by_its_id_and_a_repetition_adds_those_that_were_not_told(room):
    said = {"id": "1", "role": "user", "content": "Tea is ready.", "present": ["ada"]}
    first, again = room.hears(said), room.hears(said)
    more, other = room.hears(said | {"present": ["ada", "cid"]}), room.hears(said | {"content": "Coffee is ready."})

    assert (first.accepted, again.accepted, again.duplicates, more.accepted) == (1, 0, 1, 1)
    assert [one.position for one in other.conflicts] == [0]
    assert first.ids == again.ids == more.ids
    assert [room.words(slug) for slug in SLUGS] == [["Tea is ready."], [], ["Tea is ready."]]


def test_a_token_for_one_being_writes_what_that_one_hears_and_the_same_id_is_the_same_utterance(room):
    said = {"id": "1", "role": "user", "content": "Tea is ready."}
    ada, bea = room.bound("ada"), room.bound("bea")
    first = room.hears(said, caller=ada)
    refused = room.hears(said | {"id": "2", "present": ["ada", "bea"]}, caller=ada)
    second = room.hears(said, {"id": "3", "speaker_being": "cid", "content": "Oh."}, caller=bea)

    assert refused.accepted == 0
    assert "bound to one Being" in refused.rejected[0].reason
    assert first.ids[0] == second.ids[0]
    assert [room.words(slug) for slug in SLUGS] == [["Tea is ready."], ["Tea is ready.", "Oh."], []]
    shown = list_room_messages.call(room, ada, "the-tavern", limit=10).messages
    assert [one.content for one in shown] == ["Tea is ready."]


def test_what_is_wrong_is_refused_by_its_place(room, store):
    receipt = room.hears(
        {"role": "user", "content": "To whom?", "present": ["dan"]},
        {"speaker_being": "dan", "content": "I am not here."},
        {"role": "user", "content": "To none.", "present": []},
        {"role": "user", "speaker_being": "ada", "content": "Both."},
    )
    assert [one.position for one in receipt.rejected] == [0, 1, 2, 3]

    rooms.change(store, room.caller, "the-tavern", RoomChanges(beings=["ada"]))
    room.hears("Only Ada now.")
    assert [room.words(slug) for slug in SLUGS] == [["Only Ada now."], [], []]


def test_an_utterance_is_judged_once_and_its_facts_are_the_users(room):
    room.talks["ada"].answers(fact("I live in Lisbon", entities=[{"type": "place", "name": "Lisbon"}]))
    room.hears("I live in Lisbon.", {"speaker_being": "bea", "content": "How nice."})
    room.judged()

    assert [talk.contents() for talk in room.talks.values()] == [["I live in Lisbon"]] * 3
    (known,) = room.talks["cid"].facts()
    assert (known.mentions, known.sessions) == (1, 1)
    assert room.calls() == 1


def test_a_todo_that_the_user_names_in_a_room_is_each_listeners(room):
    room.talks["ada"].answers(todos=[todo("I will call the bank")])
    room.hears({"role": "user", "content": "I will call the bank.", "present": ["ada", "bea"]})
    room.judged()
    assert [[one.content for one in talk.todos()] for talk in room.talks.values()] == [
        ["I will call the bank"],
        ["I will call the bank"],
        [],
    ]

    room.talks["ada"].answers(todos=[todo("I called the bank", known="t1", done=True, message="m2")])
    room.hears({"role": "user", "content": "I called the bank.", "present": ["ada", "bea"]})
    room.judged()
    assert [[one.content for one in talk.todos()] for talk in room.talks.values()] == [[], [], []]


def test_a_confidence_stays_with_those_that_heard_it(room):
    room.talks["ada"].answers(fact("I hate my job"), confidences=[("m1", "m1")])
    room.hears({"role": "user", "content": "Don't tell Cid: I hate my job.", "present": ["ada", "bea"]})
    room.judged()

    assert [talk.contents() for talk in room.talks.values()] == [["I hate my job"], ["I hate my job"], []]


def test_a_person_decides_for_all_that_heard_it(room, store):
    room.talks["ada"].answers(fact("I hate my job"))
    receipt = room.hears({"role": "user", "content": "I hate my job.", "present": ["ada", "bea"]})
    room.judged()
    ids = [str(receipt.ids[0])]
    for in_confidence, known in ((True, [1, 1, 0]), (False, [1, 1, 1])):
        decide_on_messages(store, room.talks["bea"].being, ids, in_confidence=in_confidence)
        assert [len(talk.contents()) for talk in room.talks.values()] == known


def test_facts_known_to_those_present_rest_on_nothing_that_was_said_apart(new_room):
    room = new_room(facts_known_to="present")
    room.talks["ada"].answers(fact("I am going to Berlin", entities=[{"type": "place", "name": "Berlin"}]))
    room.hears({"role": "user", "content": "I am going to Berlin.", "present": ["ada"]})
    room.judged()
    room.talks["ada"].answers(
        fact("I take my dog along", entities=[{"type": "thing", "name": "dog"}], message="m2"),
        fact(
            "I will stay there for a year",
            "Stays in Berlin for a year",
            entities=[{"type": "place", "name": "Berlin"}],
            fact_type="fact",
            message="m2",
        ),
    )
    room.hears(
        {"role": "user", "content": "I will stay there for a year. I take my dog along.", "present": ["ada", "bea"]}
    )
    room.judged()

    assert sorted(room.talks["ada"].contents()) == [
        "I am going to Berlin",
        "I take my dog along",
        "Stays in Berlin for a year",
    ]
    assert room.talks["bea"].contents() == ["I take my dog along"]
    assert room.talks["cid"].contents() == []


def test_what_a_being_was_told_with_others_outlives_it_and_is_judged_for_them(room, store):
    room.talks["ada"].answers(fact("I live in Lisbon", entities=[{"type": "place", "name": "Lisbon"}]))
    room.hears("I live in Lisbon.")
    room.judged()
    room.hears({"role": "user", "content": "I have a cat.", "present": ["ada", "bea"]})
    erasure.erase_being(store, room.talks.pop("ada").being)
    assert room.talks["bea"].contents() == ["I live in Lisbon"]

    judging.request_waiting(store, room.talks["bea"].thinkers)
    room.talks["bea"].answers(fact("I have a cat", entities=[{"type": "thing", "name": "cat"}], message="m2"))
    room.judged()
    assert sorted(room.talks["cid"].contents()) == ["I have a cat", "I live in Lisbon"]


@pytest.mark.parametrize("by", ["producer's id", "message's id", "place"])
def test_retracting_reaches_every_copy_and_restoring_brings_each_back_to_those_that_heard_it(room, by):
    room.talks["ada"].answers(fact("I live in Lisbon", entities=[{"type": "place", "name": "Lisbon"}]))
    first = room.hears({"id": "0", "role": "user", "content": "Hello."})
    receipt = room.hears({"id": "1", "role": "user", "content": "I live in Lisbon.", "present": ["ada", "cid"]})
    room.judged()
    selection = {
        "producer's id": {"ids": ["1"]},
        "message's id": {"ids": [str(receipt.ids[0])]},
        "place": {"after": "0"},
    }[by]

    gone = room.retract(**selection)
    assert (gone.retracted, gone.ids) == (1, receipt.ids)
    assert [room.words(slug) for slug in SLUGS] == [["Hello."]] * 3
    assert room.talks["ada"].contents() == []
    room.judged()

    back = room.restore(**selection)
    assert (back.restored, back.ids) == (1, receipt.ids)
    assert [len(room.words(slug)) for slug in SLUGS] == [2, 1, 2]
    room.talks["ada"].answers(fact("I live in Lisbon", message="m2", entities=[{"type": "place", "name": "Lisbon"}]))
    room.judged()
    assert room.talks["bea"].contents() == ["I live in Lisbon"]
    assert first.accepted == 1


def test_a_retraction_that_comes_first_is_awaited_by_all(room):
    assert room.retract(ids=["1"]).awaited == 1
    room.hears({"id": "1", "role": "user", "content": "Never mind."})
    assert [room.words(slug) for slug in SLUGS] == [[], [], []]
    assert room.restore(ids=["1"]).restored == 1
    assert [room.words(slug) for slug in SLUGS] == [["Never mind."]] * 3


def test_erasing_reaches_every_copy_and_none_comes_back(room):
    said = {"id": "1", "role": "user", "content": "I live in Lisbon."}
    room.talks["ada"].answers(fact("I live in Lisbon", entities=[{"type": "place", "name": "Lisbon"}]))
    receipt = room.hears(said)
    room.judged()

    erased = room.erase(*receipt.ids)
    assert (erased.messages, len(erased.facts_removed)) == (1, 1)
    assert [room.words(slug) for slug in SLUGS] == [[], [], []]
    assert (room.hears(said).accepted, room.hears(said).erased) == (0, [0])
    with pytest.raises(retraction.ErasedForGood):
        room.restore(ids=["1"])


def test_what_is_judged_again_is_found_again_for_all(room):
    room.talks["ada"].answers(
        fact("I hate my job", message="m2"),
        confidences=[("m2", "m1")],
    )
    receipt = room.hears(
        {"role": "user", "content": "Keep this between us.", "present": ["ada", "bea"]},
        {"role": "user", "content": "I hate my job.", "present": ["ada", "bea"]},
    )
    room.judged()
    assert [talk.contents() for talk in room.talks.values()] == [["I hate my job"], ["I hate my job"], []]

    room.retract(ids=[str(receipt.ids[0])])
    room.talks["ada"].answers(fact("I hate my job"))
    room.judged()
    assert [talk.contents() for talk in room.talks.values()] == [["I hate my job"]] * 3
    (known,) = room.talks["cid"].facts()
    assert known.mentions == 1


def test_a_removed_room_takes_nothing_in_and_leaves_each_being_what_it_heard(room, store):
    room.talks["ada"].answers(fact("I live in Lisbon", entities=[{"type": "place", "name": "Lisbon"}]))
    receipt = room.hears({"role": "user", "content": "I live in Lisbon.", "present": ["ada", "bea"]})
    remove_room.call(room, room.caller, "the-tavern")

    assert rooms.opened_by(store, room.caller) == rooms.opened_by(store, room.bound("ada")) == []
    for gone in ("the-tavern", str(room.shown.room_id)):
        with pytest.raises(NotFound):
            rooms.find(store, room.caller, gone)
    with pytest.raises(NotFound):
        accept_utterances(store, room.settings, room.place, [{"role": "user", "content": "Hello?"}])
    again = rooms.make(store, room.caller.user_id, NewRoom(name="The tavern", beings=["ada"]))
    assert (again.slug, again.room_id == room.shown.room_id) == ("the-tavern", False)
    assert "The tavern" not in everything(store, "rooms", room.caller.user_id, "removed_at is not null and user_id")

    assert [room.words(slug) for slug in SLUGS] == [["I live in Lisbon."], ["I live in Lisbon."], []]
    room.judged()
    assert (room.calls(), room.talks["cid"].contents()) == (1, ["I live in Lisbon"])
    # What the one copy was judged for goes on standing in the other.
    ada, bea = room.talks["ada"], room.talks["bea"]
    erasure.erase_messages(store, room.settings, room.embedders, [ada.being], receipt.ids)
    assert [room.words(slug) for slug in SLUGS] == [[], ["I live in Lisbon."], []]
    room.judged()
    assert bea.contents() == ["I live in Lisbon"]
    erasure.erase_messages(store, room.settings, room.embedders, [bea.being], receipt.ids)
    assert bea.contents() == []


def test_where_facts_stay_with_those_present_each_being_has_a_spine_of_what_it_heard(new_room, store):
    room = new_room(facts_known_to="present")
    small_talk = ["I like the garden."] * 19
    ids = {}
    for word, present in (("quince", ["ada"]), ("walrus", ["ada", "bea"])):
        said = [{"role": "user", "content": one, "present": present} for one in (f"I grow a {word}.", *small_talk)]
        ids[word] = str(room.hears(*said).ids[0])
    assert spines_of(room) == [["quince", "walrus"], ["walrus"], []]
    assert room.calls("spine") == 2

    room.retract(ids=[ids["walrus"]])
    assert spines_of(room) == [["quince"], [], []]
    room.restore(ids=[ids["walrus"]])
    assert spines_of(room) == [["quince"], ["walrus"], []], "two spines have taken in all but one message"
    decide_on_messages(store, room.talks["ada"].being, [ids["quince"]], in_confidence=False)
    assert spines_of(room) == [["walrus"], ["walrus"], []]

    # What was said before stays where it is known, and what is said from now on is known to all.
    for talk in room.talks.values():
        talk.settings = room.settings.model_copy(update={"facts_known_to": "all"})
    room.hears("I grow a tundra.", *small_talk)
    assert spines_of(room) == [["quince", "tundra", "walrus"], ["quince", "tundra", "walrus"], ["quince", "tundra"]]
    assert room.calls("spine") == 6
    erasure.erase_being(store, room.talks.pop("ada").being)
    assert spines_of(room)[0] == ["tundra", "walrus"]


def spines_of(room):
    """The planted words in the spines that each Being's context and export hold, once all due versions are written."""
    found = []
    room.judged()
    for talk in room.talks.values():
        talk.do_due(talk.being.user_id, kinds.SPINE, spine.write)
    for talk in room.talks.values():
        request = AssemblyRequest(ContextRequest(message="Hello.", format="text", budget_tokens=100_000), "Hello.")
        context = assemble(room.store, room.embedders, room.settings, talk.being, request, Random(1)).text
        shown = " ".join(re.findall("<spine>(.*?)</spine>", context, re.DOTALL))
        exported = b"".join(line for line in being_export.export_lines(room.store, talk.being) if b'"spine"' in line)
        pages = [list_spines.call(room, talk.being, known_to=known_to) for known_to in get_args(KnownTo)]
        held = [" ".join(page.model_dump_json() for page in pages), shown, exported.decode()]
        words = [[word for word in sorted(WORDS) if word in one] for one in held]
        assert words[0] == words[1] == words[2]
        found.append(words[0])
    return found


WORDS = ("quince", "marzipan", "zeppelin", "obelisk", "walrus", "tundra", "fjord", "saffron")


@given(data=st.data())
@hypothesis_settings(max_examples=5, phases=[Phase.generate])
def test_a_being_has_no_word_of_what_was_said_in_its_absence(new_room, clock, data):
    known_to = data.draw(st.sampled_from(["all", "present"]))
    room = new_room(scenes="on", facts_known_to=known_to)
    planted = {slug: set() for slug in SLUGS}
    by_user = set()
    for place, word in enumerate(data.draw(st.permutations(WORDS))[: data.draw(st.integers(1, 6))]):
        present = set(data.draw(st.lists(st.sampled_from(SLUGS), min_size=1, unique=True)))
        speaker = data.draw(st.sampled_from(["user", "user", "Kim", *SLUGS]))
        said = {"id": f"{place}", "content": f"I keep a {word} in the garden, and I love the {word}."}
        if speaker in SLUGS:
            said["speaker_being"] = speaker
            present.add(speaker)
        else:
            said |= {"role": "user"} if speaker == "user" else {"role": "other", "speaker": speaker}
        by = data.draw(st.sampled_from([room.caller, *(room.bound(slug) for slug in sorted(present))]))
        if by.being_id is not None:
            present = {slug for slug in present if room.talks[slug].being.being_id == by.being_id}
        receipt = room.hears(said | {"present": sorted(present)}, caller=by)
        assert receipt.accepted == 1
        for slug in present:
            planted[slug].add(word)
        by_user |= {word} if speaker == "user" else set()
        if data.draw(st.booleans()) and place:
            room.retract(ids=["0"])
            room.judged()
            room.restore(ids=["0"])
    clock.advance(hours=1)
    room.hears("Good night.")
    room.judged()
    for talk in room.talks.values():
        talk.summed_up()
        walk_patrol(talk.store, talk.embedders, talk.settings, talk.being.being_id, talk.thinkers)
    for slug, talk in room.talks.items():
        for table in tables_of_a_being(room.store):
            held = everything(room.store, table, talk.being.being_id).lower()
            assert {word for word in WORDS if word in held} <= planted[slug], table
        assert {word for word in WORDS if any(word in one for one in room.words(slug))} == planted[slug]
        index(room.store, talk.being.being_id)
        # What the user tells is known to all their Beings, unless it is to stay with those present.
        known = planted[slug] if known_to == "present" else planted[slug] | by_user
        for door, held in of_doors(room, talk).items():
            assert {word for word in WORDS if word in held.lower()} <= known, door


def of_doors(room, talk):
    """The contents of a Being's context, searches, recall and export, by the door."""
    store, embedders, being = room.store, room.embedders, talk.being
    query = " ".join(WORDS)
    shown = ContextRequest(message=query, conversation=str(room.shown.room_id), budget_tokens=100_000, format="text")
    request = AssemblyRequest(shown, shown.message, conversation=shown.conversation)
    recalled = RecallQuery(query, 50, 0.0, activate=False)
    found = search.search(store, embedders, being, EverythingRequest(query=query, limit=50, neighbours=3))
    met = recall.search(store, being.being_id, query, all_terms=False, limit=50, activate=False)
    return {
        # The message to be answered is the test's own.
        "context": assemble(store, embedders, room.settings, being, request, Random(1)).text.replace(query, ""),
        "search": " ".join(one.model_dump_json() for one in found.results),
        "search_memory": str(met.nodes),
        "recall": str(recall.recall(store, embedders, being, recalled, Random(1))),
        "export": b"".join(being_export.export_lines(store, being)).decode(),
        "facts": " ".join(talk.contents()),
    }


def tables_of_a_being(store):
    """The tables with a column of the Being."""
    with store.transaction() as tx:
        rows = tx.execute(
            "select table_name from information_schema.columns"
            " where table_schema = 'memory' and column_name = 'being_id'"
        ).fetchall()
    return sorted(row["table_name"] for row in rows)


def everything(store, table, owner_id, owner="being_id"):
    """All rows of a Being, or another owner, in a table, as text."""
    with store.transaction() as tx:
        rows = tx.execute(f"select t::text as row from memory.{table} as t where {owner} = %s", [owner_id]).fetchall()  # noqa: S608
    return "\n".join(row["row"] for row in rows)
