"""The Open WebUI filter, with payloads of the shapes that Open WebUI gives to filters."""

import asyncio
import copy
import importlib.util
import json
from pathlib import Path
from uuid import uuid4

import pytest
from psycopg import sql

from schemas.settings import CHECKOUT

FILE = CHECKOUT / "adapters" / "openwebui" / "memory_patrol.py"
PAYLOADS = Path(__file__).parent / "openwebui"


def payload(name, words=""):
    return json.loads((PAYLOADS / f"{name}.json").read_text("utf-8").replace("WORDS", words))


@pytest.fixture
def memory(stack, person):
    """The filter as Open WebUI loads it, set up for the person's Being."""
    spec = importlib.util.spec_from_file_location("function_memory_patrol", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.Filter()
    token = person.with_token(["ingest", "read"]).headers["authorization"].removeprefix("Bearer ")
    made.valves = made.Valves(url=stack.url, token=f"{token}\n", being="mira", timeout=60)
    return made


@pytest.fixture
def stands(person):
    """The messages that stand, oldest first."""

    def rows():
        with person.ledger.transaction() as tx:
            return tx.execute(
                "select role, content, conversation, producer_id, created_at, metadata from memory.messages"
                " where being_id = %s order by created_at, message_id",
                [person.being.being_id],
            ).fetchall()

    return rows


ALLERGY = "The doctor found that Ada is allergic to walnuts."
# What contexts, activations and messages leave behind.
TRACES = ("receipts", "shown_texts", "pending_activations", "memory_nodes", "session_snapshot", "messages", "sessions")


def traces(person):
    """The rows of the person's Being in these tables."""
    with person.ledger.transaction() as tx:
        return {
            table: tx.execute(
                sql.SQL("select * from memory.{} as t where being_id = %s order by t::text").format(
                    sql.Identifier(table)
                ),
                [person.being.being_id],
            ).fetchall()
            for table in TRACES
        }


def tables_with(person, words):
    """The tables in which anything of anybody has these words."""
    with person.ledger.transaction() as tx:
        tables = tx.execute(
            "select relname::text as name from pg_class where relnamespace = 'memory'::regnamespace and relkind = 'r'"
        ).fetchall()
        return [
            table["name"]
            for table in tables
            if tx.execute(
                sql.SQL("select 1 from memory.{} as t where t::text like %s limit 1").format(
                    sql.Identifier(table["name"])
                ),
                [f"%{words}%"],
            ).fetchall()
        ]


def words(rows):
    return [row["content"] for row in rows]


def finishes(memory, *branch, chat="c-1"):
    """An answer has ended: the outlet gets the branch that the user sees, as (id, role, text, second)."""
    messages = [
        {"id": id_, "role": role, "content": text, "timestamp": 1772445600 + second}
        for id_, role, text, second in branch
    ]
    body = {"model": "m", "messages": messages, "chat_id": chat, "session_id": "s", "id": messages[-1]["id"]}
    assert asyncio.run(memory.outlet(copy.deepcopy(body))) == body


def test_a_turn_is_recalled_and_handed_in(memory, person, stands):
    person.ask("POST", "/facts", json=[{"type": "PROFILE", "content": "Allergic to walnuts.", "pinned": True}])
    inlet = payload("inlet")
    changed = asyncio.run(memory.inlet(copy.deepcopy(inlet["body"]), inlet["__user__"], inlet["__metadata__"]))
    system, asked = changed["messages"]
    assert system["content"].startswith("You are kind.\n\n")
    assert "Allergic to walnuts." in system["content"]
    assert asked == inlet["body"]["messages"][1]
    outlet = payload("outlet")
    given = outlet["body"], outlet["__user__"], outlet["__metadata__"]
    assert asyncio.run(memory.outlet(*copy.deepcopy(given))) == outlet["body"]
    assert words(stands()) == ["What should I not eat?", "No walnuts."]
    user, answer = stands()
    assert user["conversation"] == "openwebui/c-1"
    assert user["producer_id"].startswith("openwebui/m-1/")
    assert user["created_at"].isoformat() == "2026-03-02T10:00:00+00:00"
    assert "context_id" in answer["metadata"]


def test_what_open_webui_asks_for_itself_leaves_no_trace(memory, stands):
    title = payload("title")
    assert (
        asyncio.run(memory.inlet(copy.deepcopy(title["body"]), title["__user__"], title["__metadata__"]))
        == (title["body"])
    )
    assert stands() == []


@pytest.mark.parametrize("chat", ["temporary:socket-1", "local:socket-1", "channel:5d0f", ""])
def test_a_chat_that_open_webui_does_not_save_leaves_nothing(memory, person, stands, chat):
    person.ask("POST", "/facts", json=[{"type": "PROFILE", "content": "Allergic to walnuts.", "pinned": True}])
    person.ask("POST", "/notes", json={"type": "scene", "content": {"action": ALLERGY, "actors": ["Ada"], "when": []}})
    person.patrol()
    before, private = traces(person), f"I will quit on {uuid4().hex}."
    # As Open WebUI 0.12 gives them: of what is said in such a chat, the answer alone has an id.
    temporary = payload("temporary", private)
    about = temporary["__metadata__"] | {"chat_id": chat}
    asked = asyncio.run(memory.inlet(copy.deepcopy(temporary["inlet"]), temporary["__user__"], about))
    assert "Allergic to walnuts." in asked["messages"][0]["content"]
    finished = temporary["outlet"] | {"chat_id": chat}
    asyncio.run(memory.outlet(copy.deepcopy(finished), temporary["__user__"], about))
    # Earlier versions gave each message an id.
    finishes(memory, ("t-1", "user", private, 0), ("t-2", "assistant", private, 1), chat=chat)
    assert traces(person) == before
    assert tables_with(person, private) == []
    # Saved by its user, it is a chat with an id of its own, and comes in with the next answer.
    finishes(memory, ("t-1", "user", private, 0), ("t-2", "assistant", "Good.", 1), chat="c-9")
    assert words(stands()) == [private, "Good."]


def test_what_was_said_while_the_being_was_off_the_record_is_not_handed_in_later(memory, person, stands):
    said = [("u1", "user", "A?", 0), ("a1", "assistant", "One.", 2)]
    person.client.patch(f"/v1/beings/{person.being.being_id}", json={"off_the_record": True})
    finishes(memory, *said)
    person.client.patch(f"/v1/beings/{person.being.being_id}", json={"off_the_record": False})
    finishes(memory, *said, ("u2", "user", "B?", 20), ("a2", "assistant", "Two.", 22))
    assert words(stands()) == ["B?", "Two."]


def test_the_branch_that_the_user_sees_stands(memory, stands):
    asked, first, other = ("u1", "user", "A?", 0), ("a1", "assistant", "One.", 2), ("a2", "assistant", "Two.", 9)
    finishes(memory, asked, first)
    finishes(memory, asked, other)
    assert words(stands()) == ["A?", "Two."]
    # The user goes back to the first answer, and goes on from there.
    finishes(memory, asked, first, ("u2", "user", "More.", 20), ("a3", "assistant", "Three.", 22))
    assert words(stands()) == ["A?", "One.", "More.", "Three."]
    finishes(memory, ("u1b", "user", "B?", 40), ("a4", "assistant", "Four.", 41))
    assert words(stands()) == ["B?", "Four."]


def test_what_is_edited_or_deleted_and_saved_arrives_with_the_next_answer(memory, stands):
    turns = [
        ("u1", "user", "I grow quinces.", 0),
        ("a1", "assistant", "How many?", 0),
        ("u2", "user", "Seven.", 4),
        ("a2", "assistant", "So many!", 4),
    ]
    finishes(memory, *turns)
    edited = [("u1", "user", "I grow medlars.", 0), ("a1", "assistant", "How many trees?", 0), *turns[3:]]
    finishes(memory, *edited, ("u3", "user", "Yes.", 8), ("a3", "assistant", "Fine.", 10))
    assert words(stands()) == ["I grow medlars.", "How many trees?", "So many!", "Yes.", "Fine."]
    # An edit that is undone is the first wording again.
    finishes(memory, turns[0], *edited[1:])
    assert words(stands()) == ["I grow quinces.", "How many trees?", "So many!"]


def test_what_was_erased_does_not_come_back_and_holds_nothing_up(memory, person, stands):
    turns = [("u1", "user", "My PIN is 4417.", 0), ("a1", "assistant", "Noted.", 2), ("u2", "user", "More.", 4)]
    finishes(memory, *turns, ("a2", "assistant", "One.", 6))
    (pin,) = (row for row in stands() if "PIN" in row["content"])
    session = person.ask("GET", "/sessions").json()["sessions"][0]["session_id"]
    (message_id,) = (
        one["message_id"]
        for one in person.ask("GET", f"/sessions/{session}/messages").json()["messages"]
        if one["producer_id"] == pin["producer_id"]
    )
    person.ask("DELETE", f"/messages/{message_id}")
    finishes(memory, *turns, ("a3", "assistant", "Two.", 9))
    assert words(stands()) == ["Noted.", "More.", "Two."]
    finishes(memory, *turns, ("a2", "assistant", "One.", 6))
    assert words(stands()) == ["Noted.", "More.", "One."]


def test_a_copy_of_a_chat_takes_nothing_from_it(memory, stands):
    turns = [("u1", "user", "I grow quinces.", 0), ("a1", "assistant", "How many?", 2)]
    finishes(memory, *turns)
    finishes(memory, ("u1", "user", "I grow medlars.", 0), *turns[1:], chat="c-2")
    assert sorted((row["conversation"], row["content"]) for row in stands()) == [
        ("openwebui/c-1", "How many?"),
        ("openwebui/c-1", "I grow quinces."),
        ("openwebui/c-2", "I grow medlars."),
    ]


def test_the_same_answer_again_changes_nothing_and_an_outage_is_made_up_for(memory, stack, stands):
    turn = [("u1", "user", "A?", 0), ("a1", "assistant", "One.", 2)]
    memory.valves.url = "http://127.0.0.1:1"
    finishes(memory, *turn)
    assert stands() == []
    memory.valves.url = stack.url
    later = [*turn, ("u2", "user", "More.", 20), ("a2", "assistant", "Two.", 22)]
    finishes(memory, *later)
    before = stands()
    assert words(before) == ["A?", "One.", "More.", "Two."]
    finishes(memory, *later)
    assert stands() == before


def test_the_chat_goes_on_without_memory(memory):
    told = []

    async def emitter(event):
        told.append(event["data"]["description"])

    memory.valves.url = "http://127.0.0.1:1"
    inlet = payload("inlet")
    assert asyncio.run(memory.inlet(copy.deepcopy(inlet["body"]), None, None, emitter)) == inlet["body"]
    assert "without memory" in told[0]
    memory.valves.token = ""
    assert asyncio.run(memory.inlet(copy.deepcopy(inlet["body"]))) == inlet["body"]


def test_a_user_may_have_a_being_of_their_own_and_may_switch_memory_off(memory, person, stands):
    own = person.add_being("lou")
    outlet = payload("outlet")
    user = outlet["__user__"] | {"valves": memory.UserValves(being="lou")}
    asyncio.run(memory.outlet(outlet["body"], user, outlet["__metadata__"]))
    user["valves"] = memory.UserValves(enabled=False)
    asyncio.run(memory.outlet(outlet["body"], user, outlet["__metadata__"]))
    assert stands() == []
    assert len(person.client.get(f"/v1/beings/{own.being_id}/sessions").json()["sessions"]) == 1


def test_what_is_no_answer_of_the_api_breaks_no_chat(memory, stack):
    # A page of the system in place of the API.
    memory.valves = memory.valves.model_copy(update={"url": f"{stack.url}/page?"})
    told = []

    async def emit(event):
        told.append(event["data"]["description"])

    body = {"messages": [{"role": "user", "content": "Tea?"}]}
    assert asyncio.run(memory.inlet(copy.deepcopy(body), None, {"chat_id": "c"}, emit)) == body
    body = {"chat_id": "c", "messages": [{"id": "m", "role": "user", "content": "Tea?"}]}
    assert asyncio.run(memory.outlet(copy.deepcopy(body), None, {}, emit)) == body
    assert [words.partition(" (")[0] for words in told] == ["Answered without memory", "Not remembered yet"]


def test_times_in_milliseconds_and_none_are_read(memory, stands):
    times = (1_772_445_600_000, 1_772_445_601, 1e300, -5, True)
    messages = [{"id": f"m{n}", "role": "user", "content": f"Tea {n}", "timestamp": at} for n, at in enumerate(times)]
    asyncio.run(memory.outlet({"chat_id": "c", "messages": messages}, None, {}))
    assert sorted(row["content"] for row in stands()) == [f"Tea {n}" for n in range(len(times))]
    assert [row["created_at"].year for row in stands()][:2] == [2026, 2026]
