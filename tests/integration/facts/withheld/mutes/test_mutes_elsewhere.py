"""A mute holds wherever its words come or go: other names, Beings, systems, prompts, lists and transactions."""

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from uuid import UUID

import pytest
from pydantic import SecretStr

from memory.accounts import rooms, webhooks
from memory.accounts.access import Caller
from memory.accounts.being_export import export_lines
from memory.accounts.being_import import import_being
from memory.due import webhook_delivery
from memory.facts import editing
from memory.nodes import curation
from memory.proxy.insertion import context_to_insert
from memory.talk import muting, sessions
from operations.facts.due import list_due_notices
from operations.facts.entities import list_entities, list_merges, part_entities, propose_merge
from operations.facts.facts import show_fact
from operations.facts.spoken_requests import list_spoken_requests
from operations.intake.notes import list_notes
from operations.nodes.nodes import list_fading, show_map
from operations.talk.mutes import list_mutes
from operations.talk.sessions import list_party_messages
from schemas.errors import NotFound
from schemas.facts.fact_requests import FactChanges, ProposedMerge
from schemas.ledger import kinds
from schemas.talk.mutes import MuteRequest
from schemas.talk.rooms import NewRoom
from store.accounts import beings, users
from store.facts import facts
from store.intake import notes
from store.ledger import work
from store.nodes import clusters, nodes
from store.talk import rolling as session_states
from tests.conversations import ATTEMPTS, LEASE, Talk, asks, judging_at_once
from tests.databases import answer_of
from tests.frontends import Door
from tests.planting.marked_world import MARK, World
from tests.processes import lock_trace
from tests.processes.webhooks import running_receiver
from tests.scenes import make_being, make_user


def others_of(world, talk):
    """The same memory as another Being has it."""
    return World(talk, world.marks, {thing: marks for thing, marks in world.of.items() if thing[0] == "topic"})


def told_of(world):
    return {mark for marks in world.marks_told().values() for mark in marks}


@pytest.mark.parametrize(("kept", "merged"), [("anna", "boris"), ("boris", "anna")])
def test_names_that_come_to_stand_for_a_muted_person_are_muted_until_they_part(world, kept, merged):
    talk = world.talk
    world.mute("entity", "Anna")
    of_both = world.of["entity", "Anna"] | world.of["entity", "Boris"]
    merge = answer_of(
        talk.store,
        propose_merge,
        talk.being,
        ProposedMerge(kept_ref=f"person:{kept}", merged_ref=f"person:{merged}", accept=True),
    )
    world.rest()
    assert not told_of(world) & of_both
    assert world.marks_told()["search"] == set(world.marks) - of_both

    answer_of(talk.store, part_entities, talk.being, merge.merge_id)
    world.rest()
    assert world.marks_told()["search"] == set(world.marks) - world.of["entity", "Anna"]
    assert not told_of(world) & world.of["entity", "Anna"]


def test_what_is_muted_stays_so_when_the_being_leaves_as_a_file(world, store):
    talk = world.talk
    muted = [("entity", "Anna"), ("conversation", "trip")]
    for kind, marks in (("fact", {"zq1x"}), ("node", {"zq2x"}), ("topic", None), ("message", {"zq3x"})):
        muted += [thing for thing, of in world.of.items() if thing[0] == kind and marks in (None, of)][:1]
    for thing in muted:
        world.mute(*thing)
    hidden = set().union(*(world.of[thing] for thing in muted))
    export = b"".join(export_lines(store, talk.being))
    with store.transaction() as tx:
        newcomer = make_being(tx, make_user(tx))
    taken = import_being(store, talk.settings, talk.embedders, newcomer, BytesIO(export))
    assert (taken.rejected, taken.taken["mute"]) == ([], len(muted))

    arrived = others_of(world, Talk(store, talk.provider, newcomer, talk.settings, talk.thinkers, talk.embedders))
    arrived.rest()
    assert set(world.marks) - hidden <= told_of(arrived)
    assert not told_of(arrived) & hidden
    assert arrived.found(" ".join(hidden), muted=True) >= hidden
    for mute in answer_of(store, list_mutes, newcomer, limit=99).mutes:
        arrived.lift(mute)
    arrived.rest()
    assert arrived.marks_told()["search"] == set(world.marks)


def test_a_being_is_imported_for_a_user_who_has_mutes(world, store):
    talk = world.talk
    world.mute("entity", "Anna")
    export = b"".join(export_lines(store, talk.being))
    with store.transaction() as tx:
        newcomer = make_being(tx, users.get_user(tx, talk.being.user_id), "newcomer")
    taken = import_being(store, talk.settings, talk.embedders, newcomer, BytesIO(export))
    assert taken.rejected == []
    assert taken.taken["message"] > len(world.marks)


def test_each_beings_copy_of_a_muted_utterance_of_a_room_is_muted(store, provider, thinkers, embedders):
    with store.transaction() as tx:
        user = make_user(tx)
        ada, bea = (beings.add_being(tx, user.user_id, slug, slug.title()) for slug in ("ada", "bea"))
    settings = judging_at_once(provider)
    room = rooms.make(store, user.user_id, NewRoom(name="The tavern", beings=["ada", "bea"]))
    caller = Caller(user.user_id, None, frozenset({"ingest", "read", "manage"}))
    said = [
        {"id": f"id-{mark}", "role": "user", "content": text.format(mark)}
        for mark, text in (("zq1x", "I like {}."), ("zq2x", "Anna told me of {}."), ("zq3x", "I like {}."))
    ]
    rooms.hand_in(store, settings, caller, str(room.room_id), said, lambda _: None, paid_by=None)
    worlds = [
        World(Talk(store, provider, one, settings, thinkers, embedders), ["zq1x", "zq2x", "zq3x"]) for one in (ada, bea)
    ]
    for each in worlds:
        each.rest()
        assert told_of(each) == {"zq1x", "zq2x", "zq3x"}

    mute = worlds[0].mute("message", "id-zq1x")
    worlds[1].mute("entity", "Anna")
    for each in worlds:
        each.rest()
        assert told_of(each) == {"zq3x"}
    worlds[0].lift(mute)
    for each in worlds:
        each.rest()
        assert told_of(each) == {"zq1x", "zq3x"}


def test_no_prompt_that_the_proxy_makes_has_what_is_muted(world):
    door = Door(world.talk.store, world.talk.being)

    def prompt(number):
        asked = f"What did Anna and Boris tell, what do I like, and what must I buy? {number}"
        taken, told = door.asks(asked), []
        context_to_insert(
            door.store, door.embedders, door.settings, door.being, taken, embedded=lambda: None, report=told.append
        )
        return set(MARK.findall(told[0].stable + told[0].varying))

    hidden = world.of["entity", "Anna"] | world.of["conversation", "trip"]
    assert prompt(1) & hidden, "the test would prove nothing"
    world.mute("entity", "Anna")
    world.mute("conversation", "trip")
    for number in (2, 3):
        marks = prompt(number)
        assert marks
        assert not marks & hidden
        world.rest()


def marks_noticed(talk):
    return set(MARK.findall(str(answer_of(talk.store, list_due_notices, talk.being, limit=50))))


def test_what_was_noticed_as_due_is_not_delivered_once_it_is_muted(talk, clock):
    in_force = talk.settings.model_copy(update={"secret_key": SecretStr("x" * 32), "webhook_private": True})
    for place, mark in (("work", "zq1x"), ("home", "zq2x")):
        talk.says({"role": "user", "conversation": place, "content": f"I must buy {mark} tomorrow."})
    talk.judged()
    clock.advance(days=2)
    with running_receiver() as receiver:
        webhooks.put(talk.store, in_force, talk.being.user_id, receiver.url)
        webhook_delivery.notice(talk.store)
        assert marks_noticed(talk) == {"zq1x", "zq2x"}
        muting.mute(talk.store, in_force, talk.being, MuteRequest(kind="conversation", target="work"))
        assert marks_noticed(talk) == {"zq2x"}
        with talk.store.transaction() as tx:
            keys = tx.execute("select key from memory.work where kind = %s", [kinds.DELIVER_DUE.name]).fetchall()
        assert len(keys) == 2
        for row in keys:
            with talk.store.transaction() as tx:
                claim = work.claim(
                    tx, talk.being.being_id, kinds.DELIVER_DUE.name, row["key"], lease=LEASE, attempts=ATTEMPTS
                )
            webhook_delivery.deliver(talk.store, in_force, claim)
        assert set(MARK.findall(str(receiver.took))) == {"zq2x"}


def test_lists_that_a_program_reads_leave_out_what_is_muted(world):
    talk, store, being = world.talk, world.talk.store, world.talk.being
    talk.says(
        {"role": "other", "speaker": "Anna", "content": "Anna told me of zq70x.", "conversation": "work"},
        {"role": "user", "content": "Anna told me of zq71x.", "conversation": "work"},
    )
    world.rest()
    topic = next(target for kind, target in world.of if kind == "topic")
    anna = world.of["entity", "Anna"]
    fact, mark = next(
        (target, min(marks & anna)) for (kind, target), marks in world.of.items() if kind == "fact" and marks & anna
    )
    node = next(target for (kind, target), marks in world.of.items() if kind == "node" and marks == {"zq2x"})
    answer_of(
        store, propose_merge, being, ProposedMerge(kept_ref="person:anna", merged_ref="person:boris", accept=False)
    )

    def one(read, *args, **options):
        try:
            return read(*args, **options)
        except NotFound:
            return None

    def lists(*, muted):
        with store.transaction() as tx:
            topics = clusters.live(tx, being.being_id, muted=muted)
            note_id = nodes.get(tx, being.being_id, UUID(node)).note_id
            note = notes.get(tx, being.being_id, note_id, muted=muted)
            memory = one(curation.look, tx, being.being_id, UUID(node), muted=muted)
        return {
            "note": note,
            "fact": one(answer_of, store, show_fact, being, fact_id=UUID(fact), muted=muted),
            "memory": memory,
            "story": one(curation.story, store, being.being_id, UUID(node), muted=muted),
            "notes": answer_of(store, list_notes, being, muted, limit=99),
            "merges": answer_of(store, list_merges, being, muted, limit=9),
            "topics": topics,
            "map": answer_of(store, show_map, being, muted, dead=True, limit=99),
            "fading": answer_of(store, list_fading, being, muted, patrols=9999, limit=99),
            "entities": answer_of(store, list_entities, being, muted, limit=99),
            "others": answer_of(store, list_party_messages, being, muted, limit=99),
            "state": sessions.state(store, being.being_id, muted=muted),
        }

    before = lists(muted=False)
    named = {"entities": "Anna", "others": "zq70x", "state": "zq71x", "topics": topic, "map": topic, "fading": topic}
    named |= dict.fromkeys(["note", "memory", "story", "notes"], "zq2x") | {"fact": mark, "merges": "person:anna"}
    assert not {name for name, words in named.items() if words not in str(before[name])}, "it would prove nothing"
    world.mute("entity", "Anna")
    world.mute("topic", topic)
    world.rest()
    hidden = lists(muted=False)
    assert not {name for name, words in named.items() if words in str(hidden[name])}
    kept = lists(muted=True)
    assert not {name for name, words in named.items() if words not in str(kept[name])}


def test_a_request_in_talk_that_mutes_waits_for_the_talk_of_all_beings_before_it_locks_facts(talk, other, wait_until):
    """Otherwise it would wait, with the facts, for a transaction that has the other's talk and waits for the facts."""
    for each, text in ((talk, "Anna told me of zq1x."), (other, "Anna told me of zq2x.")):
        each.says(text)
        each.judged()
    wish = asks("let's not talk about Anna any more", "do not mention", about="Anna", message="m2")
    talk.says("Please let's not talk about Anna any more.")
    talk.answers(requests=[wish])

    with ThreadPoolExecutor(1) as pool:
        with talk.store.transaction() as tx:
            session_states.lock(tx, other.being.being_id)
            tx.execute("update memory.messages set judged = judged where being_id = %s", [other.being.being_id])
            judging = pool.submit(talk.judged)
            wait_until(talk.a_transaction_waits)
            facts.lock(tx, talk.being.user_id)
        judging.result()
    (request,) = answer_of(talk.store, list_spoken_requests, talk.being, muted=True, limit=10).requests
    assert (request.effect, request.name) == ("muted", "person:anna")
    with talk.store.transaction() as tx:
        rows = tx.execute("select content from memory.tellable_messages where being_id = %s", [other.being.being_id])
        assert not [row for row in rows if "zq2x" in row["content"]]


def test_all_that_may_mute_locks_the_talk_of_all_beings_first(talk, other, url):
    talk.says("Anna told me of zq1x.")
    other.says("I like zq2x.")
    for each in (talk, other):
        each.judged()
    muting.mute(talk.store, talk.settings, talk.being, MuteRequest(kind="entity", target="Anna"))
    lock_trace.install(url)
    with talk.store.transaction() as tx:
        (liked,) = [one for one in talk.facts() if "zq2x" in one.content]
        editing.change(tx, talk.being, liked.fact_id, FactChanges(content="Likes Anna."))
    with talk.store.transaction() as tx:
        beings.lock(tx, talk.being.being_id)
    other.says("Anna told me of zq3x.")
    other.judged()
    assert lock_trace.inversions(url) == []
    taken = [one for one in lock_trace.sequences(url) if {"fact_states", "beings"} & set(one)]
    assert taken
    for one in taken:
        assert "session_states" in one[: min(one.index(name) for name in ("fact_states", "beings") if name in one)]
