"""No word of one Being is in an answer about its sibling: of no route and of no MCP tool, with any kind of token.

A word is planted in every text column of the database (tests/planting/planted.py), and a word of its own in every
text of every input: the bodies that the OpenAPI document describes and the arguments of the MCP tools
(tests/planting/unique_words.py). The routes are those of the document and the tools those that the server lists; how
each is asked stands in
test_isolation.py and in `TOOLS`, and one that is not asked fails.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import anyio
import httpx2
import pytest
from psycopg import sql

from schemas.accounts.accounts import Being
from store.accounts import beings
from store.database import Store
from store.transaction import Transaction
from tests.acceptance.conftest import ALL_SCOPES, PATIENCE, Person, Stack
from tests.acceptance.http.accounts.test_isolation import (
    CASES,
    ENDS_ITSELF,
    EVERY_KIND,
    OF_OPERATORS,
    OF_ROOMS,
    OF_USERS,
    WITHOUT_BEING,
    WITHOUT_TOKEN,
    WORK_CASES,
    Side,
    ask,
    remember,
)
from tests.acceptance.http.documents.test_openapi import operations, scopes
from tests.acceptance.http.test_mcp import call, over_http
from tests.planting.planted import PRIVATE, SHARED, plant, unplanted
from tests.planting.unique_words import Words, inputs
from workers.embedded.processes import wait_until

EMBEDDER = "all-MiniLM-L6-v2"
# What finds the planted texts without saying the word, and what each route looks for it with.
NEAR = f"{SHARED} baked bought sold love hides knows oven"
# Without a model only passages are answered that have much of the question.
ASKED = "What was baked and bought?"
LOOKING = {
    "POST /v1/beings/{being}/recall": {"query": NEAR, "threshold": -1, "limit": 50, "format": "nodes", "explain": True},
    "POST /v1/beings/{being}/search_memory": {"query": NEAR, "limit": 50},
    "POST /v1/beings/{being}/search": {
        "query": NEAR,
        "limit": 50,
        "kinds": EVERY_KIND,
        "neighbours": 3,
        "explain": True,
    },
    "POST /v1/beings/{being}/ask": {"question": ASKED, "budget_tokens": 100_000},
    "POST /v1/beings/{being}/ask/stream": {"question": ASKED, "budget_tokens": 100_000},
    "POST /v1/beings/{being}/knowledge/get": {"keys": [{"namespace": [PRIVATE], "key": PRIVATE}]},
    "POST /v1/beings/{being}/knowledge/search": {"query": NEAR, "limit": 50},
    "POST /v1/beings/{being}/facts/retrieve": {"query": f"{PRIVATE} {SHARED}", "limit": 50, "explain": True},
    "POST /v1/beings/{being}/vault/search": {"query": NEAR, "limit": 100},
    "POST /v1/beings/{being}/vault/block": {"query": NEAR},
    "POST /v1/beings/{being}/context": {"message": NEAR, "explain": True, "budget_tokens": 100_000},
    "POST /v1/beings/{being}/turns": {"messages": [{"role": "user", "content": NEAR}], "explain": True},
}
TOOLS = {
    "search": lambda _: {"query": NEAR, "limit": 50, "kinds": EVERY_KIND, "neighbours": 3},
    "recall": lambda _: {"query": NEAR, "limit": 50},
    "recall_memory": lambda side: {"cluster_id": side.cluster_id},
    "search_memory": lambda _: {"query": NEAR, "limit": 50},
    "remember": lambda _: {"action": "The oven failed.", "actors": ["Mira"], "when": ["2026-03-02"]},
    "context": lambda _: {"message": NEAR},
    "ask": lambda _: {"question": ASKED},
}
# Routes that answer numbers, ids, times and settings, or what is the user's, or here nothing.
WITHOUT_TEXTS = {"GET /v1/cost"} | {
    f"GET /v1/beings/{{being}}/{path}"
    for path in ("contexts", "cost", "judgements", "overview", "spine", "vault/candidates", "vault/proposals")
}
# What is asked without a Being is the user's, who may see all: a token for one Being sees that one alone.
FOR_ALL = "a token for all Beings"
ANOTHER_USER = "a token of another user"
# Routes are asked by the login: policies of row-level security bind a token's requests to the Being, and not a login's.
BOUND = "a token for the Being, and a page login with it"
KINDS = [BOUND, FOR_ALL, ANOTHER_USER]
# Inputs of the user's own, or that take something away.
NOT_PLANTED = {
    "POST /v1/beings",
    "PUT /v1/user-model",
    "POST /v1/keys",
    "PUT /v1/webhook",
    # What the Beings share is not to become one Being's.
    "PATCH /v1/beings/{being}/messages/{message_id}",
    "POST /v1/beings/{being}/messages/retract",
    "POST /v1/beings/{being}/messages/restore",
    "POST /v1/beings/{being}/vault/delete",
    "POST /v1/beings/{being}/mutes",
    "POST /v1/beings/{being}/entities/merges",
    "POST /v1/beings/{being}/vault/{record_id}/promote",
    # Its text is a whole export, which comes in as messages and facts do.
    "POST /v1/beings/{being}/imports",
} | OF_ROOMS
WORDS = Words()


def say_everything(side: Side, document: dict[str, Any]) -> None:
    """Send every input that the document describes about a Being, with a word of its own in each text."""
    # What names a row comes first: a patrol of what is handed in may merge the topic that it names.
    for name, operation in sorted(operations(document), key=lambda one: "_id}" not in one[0]):
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is None or name in NOT_PLANTED | OF_OPERATORS:
            continue
        named = any(parameter["name"].lower() == "idempotency-key" for parameter in operation.get("parameters", ()))
        for given in inputs(document, body["schema"], WORDS, name):
            headers = {"Idempotency-Key": WORDS.new(f"{name} Idempotency-Key")} if named else {}
            answer = ask(side, name, side.being.being_id, side, {"json": given, "headers": headers})
            assert answer.is_success, (name, given, answer.text)
            is_json = answer.headers.get("content-type") == "application/json"
            told = answer.json() if is_json else {}
            assert not isinstance(told, dict) or told.get("rejected", []) == [], (name, given, told)


MOMENTS = {"since": "2001-01-01", "until": "2100-01-01"}


async def say_everything_to_tools(stack: Stack, person: Person) -> None:
    """Call every MCP tool with arguments that hold a word of their own in each text."""
    async with over_http(stack, person, ALL_SCOPES, person.being.being_id) as client:
        for tool in (await client.list_tools()).tools:
            for given in inputs(tool.input_schema, tool.input_schema, WORDS, f"tool {tool.name}"):
                # Moments are texts, which models write in several forms.
                moments = {name: day for name, day in MOMENTS.items() if name in given}
                result = await client.call_tool(tool.name, given | moments)
                assert not result.is_error, (tool.name, given, result.content)


def adopt_embedder(tx: Transaction, being: Being) -> None:
    """Let the system's own embedder find a Being's planted memories."""
    beings.adopt_model(tx, being.being_id, EMBEDDER)
    tx.execute(
        """
        update memory.node_vectors set embedding_model = %(model)s, vector = array_fill(0.05, array[384])::halfvec
        where being_id = %(being)s
        """,
        {"being": being.being_id, "model": EMBEDDER},
    )


@pytest.fixture(scope="module")
def columns(stack, ledger):
    """A person's Being with a word in every text column, and what each route that reads answers about it."""
    person = Person(stack, ledger)
    plant(ledger, person.being)
    with ledger.transaction() as tx:
        adopt_embedder(tx, person.being)
        assert unplanted(tx, person.being) == set()
    side = side_of(person)
    described = operations(person.client.get("/openapi.json").json())
    reads = {name for name, operation in described if scopes(operation) == ("read",)}
    yield side, {route: looked(side, route, side) for route in reads & CASES.keys()}
    person.leave()


@pytest.fixture(scope="module")
def planted(stack, columns):
    """The same Being after every input has been sent, and the person's token for all Beings."""
    side, _ = columns
    say_everything(side, side.client.get("/openapi.json").json())
    anyio.run(say_everything_to_tools, stack, side.person)
    return side_of(side.person)


def side_of(person: Person) -> Side:
    """A person's Being with ids of what it has now."""
    with person.ledger.transaction() as tx:
        ids = {name: _id(tx, person.being, *place) for name, place in PLACES.items()}
        # A pinned fact is not archived.
        fact = "select fact_id from memory.facts where being_id = %s and not pinned limit 1"
        ids["fact_id"] = str(tx.value(fact, [person.being.being_id]))
        # Of all notes only these have a title that can be changed.
        knowledge = "select note_id from memory.notes where being_id = %s and type = 'knowledge' and key is null"
        ids["note_id"] = str(tx.value(knowledge, [person.being.being_id]))
    assert wait_until(partial(indexed, person.ledger, person.being), PATIENCE), (
        "the search does not hold what was planted"
    )
    path = f"/v1/beings/{person.being.being_id}"
    cursors = {
        f"{kind}_cursor": person.client.get(f"{path}/{kind}s", params={"limit": 1}).json()["cursor"]
        for kind in ("node", "note")
    }
    return Side(person, person.being, person.client, **ids, **cursors, ids=frozenset(ids.values()))


# Where each id of a `Side` is found: the table, the column, the column of the owner.
PLACES = {
    "node_id": ("memory_nodes", "node_id"),
    "note_id": ("notes", "note_id"),
    "cluster_id": ("memory_nodes", "cluster_id"),
    "run_id": ("patrol_runs", "run_id"),
    "session_id": ("sessions", "session_id"),
    "work_id": ("work", "work_id", "owner_id"),
    "record_id": ("vault_records", "id"),
    "merge_id": ("entity_merges", "merge_id", None),
    "todo_id": ("todos", "todo_id"),
    "request_id": ("spoken_requests", "request_id"),
    "mute_id": ("mutes", "mute_id", None),
    "message_id": ("messages", "message_id"),
    "entry_id": ("persona", "entry_id"),
    "context_id": ("receipts", "context_id"),
}


def indexed(ledger: Store, being: Being) -> bool:
    """Whether a Being's words, and those of its user, are searchable."""
    with ledger.transaction() as tx:
        return not tx.value(
            "select exists (select from memory.search_queue where owner_id = any(%s) and stage = 'words')",
            [[being.being_id, being.user_id]],
        )


def _id(tx: Transaction, being: Being, table: str, column: str, owner: str | None = "being_id") -> str:
    """The id of some row of a Being's, or where it has no owner's column, of its user's."""
    query = sql.SQL("select {}::text as id from memory.{} where {} = %s limit 1").format(
        sql.Identifier(column), sql.Identifier(table), sql.Identifier(owner or "user_id")
    )
    (row,) = tx.execute(query, [being.being_id if owner else being.user_id])
    return str(row["id"])


def sibling_of(planted: Side, kind: str, newcomer: Callable[[], Person]) -> Side:
    """A Being with a memory of its own, asked about with one kind of token."""
    if kind == ANOTHER_USER:
        person = newcomer()
        return remember(person, person.being, person.client)
    person = planted.person
    being = person.add_being(f"sibling-{uuid4()}")
    side = remember(person, being, person.client)
    if kind == FOR_ALL:
        return side
    return replace(side, client=person.with_page_login(person.with_token(being_id=being.being_id)))


def leaked_words(text: str) -> set[str]:
    """The places in which the planted words of a text were planted."""
    return WORDS.found_in(text) or ({"a column of the database"} if PRIVATE in text.lower() else set())


def unsaid(asked: dict[str, Any]) -> dict[str, Any]:
    """The same question without the word that is the user's: its echo would look like a leak to another user."""
    return dict(json.loads(json.dumps(asked).replace(SHARED, "almonds")))


def looking(route: str, of: Side, *, stranger: bool = False) -> dict[str, Any]:
    """How a route is asked for all that it shows, with the ids of one side, from the first page on."""
    options = {"json": LOOKING[route]} if route in LOOKING else (CASES | WORK_CASES)[route](of)
    if stranger and route in LOOKING:
        options = unsaid(options)
    return options | {"params": {name: said for name, said in options.get("params", {}).items() if name != "cursor"}}


def looked(asker: Side, route: str, of: Side, *, stranger: bool = False) -> httpx2.Response:
    """A route's answer about the asker's Being."""
    return ask(asker, route, asker.being.being_id, of, looking(route, of, stranger=stranger))


def test_the_being_itself_is_shown_the_word(columns):
    """Words that are not shown here could not be missed elsewhere."""
    _, answers = columns
    assert {route: answer.text for route, answer in answers.items() if not answer.is_success} == {}
    assert {route for route, answer in answers.items() if PRIVATE not in answer.text.lower()} == WITHOUT_TEXTS


@pytest.mark.parametrize("kind", KINDS)
def test_no_tool_and_no_route_shows_a_sibling_the_word(stack, planted, newcomer, kind):
    sibling = sibling_of(planted, kind, newcomer)
    check_tools(stack, planted, sibling)
    check_routes(planted, sibling)


def check_tools(stack: Stack, planted: Side, sibling: Side) -> None:
    """Call every tool about the sibling, with ids of both."""
    every_being, stranger = sibling.client is planted.client, sibling.person is not planted.person
    bound = None if every_being else sibling.being.being_id

    async def answers() -> dict[tuple[str, str], str]:
        async with over_http(stack, sibling.person, ALL_SCOPES, bound) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == TOOLS.keys()
            asked = {
                (tool, of): unsaid(TOOLS[tool](side)) if stranger else TOOLS[tool](side)
                for tool in sorted(tools)
                for of, side in (("its own", sibling), ("the other's", planted))
            }
            said = {
                where: json.dumps(await call(client, where[0], **given, being=str(sibling.being.being_id)))
                for where, given in asked.items()
            }
            # Nor is the other Being reached by its name.
            for tool in () if every_being else sorted(tools):
                named = await call(client, tool, **TOOLS[tool](planted), being=str(planted.being.being_id))
                assert "no Being" in named, tool
                said[tool, "by name"] = json.dumps(named)
            return said

    said = anyio.run(answers)
    assert {where: leaked_words(answer) for where, answer in said.items() if leaked_words(answer)} == {}
    assert (SHARED in said["context", "its own"]) != stranger


def check_routes(planted: Side, sibling: Side) -> None:
    """Ask every route about the sibling, with ids of both."""
    document = planted.client.get("/openapi.json").json()
    named = [(name, scopes(operation)) for name, operation in operations(document)]
    asked = [(name, of) for name, of in named if name not in WITHOUT_TOKEN | OF_USERS | OF_OPERATORS | {ENDS_ITSELF}]
    every_being, stranger = sibling.client is planted.client, sibling.person is not planted.person
    leaks, shared = set(), set()
    # What is read is read first: writing takes away.
    for route, _ in sorted(asked, key=lambda one: "read" not in one[1]):
        if every_being and route in WITHOUT_BEING | WORK_CASES.keys():
            continue
        ways = [(of, looking(route, of, stranger=stranger)) for of in (sibling, planted)]
        ways.append((planted, (CASES | WORK_CASES)[route](planted)))
        # Many routes name neither side.
        different = {
            (repr({"params": {}} | options), "_id}" in route and of.node_id): (of, options) for of, options in ways
        }
        texts = [ask(sibling, route, sibling.being.being_id, *way).text for way in different.values()]
        texts += [] if every_being else [ask(sibling, route, planted.being.being_id, planted).text]
        leaks |= {(route, place) for text in texts for place in leaked_words(text)}
        shared |= {route for text in texts if SHARED in text.lower()}

    assert leaks == set()
    if stranger:
        assert shared == set(), "what is a user's is told to no other"
        return
    assert shared >= {
        f"{method} /v1/beings/{{being}}/{path}"
        for method, path in (
            ("GET", "facts"),
            ("GET", "entities"),
            ("GET", "export"),
            ("GET", "spine"),
            ("GET", "vault"),
            ("POST", "context"),
            ("POST", "facts/retrieve"),
            ("POST", "search"),
        )
    }, "what is the user's is told to all"
