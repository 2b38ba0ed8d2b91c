"""One Being never sees another's memory: every route is tried across the border, with every id of the other side.

The routes are those of the OpenAPI document, so a new one without a case here fails. All hold the same texts, so that
only ids can tell them apart. Afterwards the rows of the Being that was asked about are what they were, to the last
column.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from uuid import UUID

import httpx2
import pytest
from psycopg import sql

from schemas.accounts.accounts import Being
from schemas.ledger.kinds import PATROL_DUE
from store.facts import entities
from tests.acceptance.conftest import PATIENCE, Person, new_address
from tests.acceptance.http.intake.scenes import scene
from tests.acceptance.tokens import USELESS, useless_secret
from workers.embedded.processes import wait_until

NOTES = [
    {**scene("The oven failed during the morning bake.", feeling="No bread.", themes=["bakery"]), "id": "n1"},
    {**scene("Mira and Jon walked along the river.", importance=0.06), "id": "n2"},
    {**scene("The flour came late, and the bakery opened at noon."), "id": "n3"},
    {"id": "n4", "type": "scene", "content": "no scene at all"},
    {"id": "n5", "type": "todo", "content": "Call the oven repair."},
]
# Told in confidence: the user's other facts are known to all of the user's Beings.
FACT = {"type": "PEOPLE", "content": "Jon mends ovens.", "entity_refs": ["person:jon"], "in_confidence": True}
LOOP = {"type": "OPEN_LOOP", "content": "Which oven to buy."}
ONLY_THEIRS = {**scene("Something."), "id": "only-theirs"}


@dataclass(frozen=True)
class Side:
    """A Being with a memory, and every id of it that another user could name."""

    person: Person
    being: Being
    client: httpx2.Client
    node_id: str
    note_id: str
    cluster_id: str
    run_id: str
    session_id: str
    work_id: str
    record_id: str
    fact_id: str
    merge_id: str
    todo_id: str
    request_id: str
    mute_id: str
    message_id: str
    entry_id: str
    context_id: str
    node_cursor: str
    note_cursor: str
    ids: frozenset[str]
    # Ids of other sides that it has handed in as words of its own: a message to be retracted once it comes, for one.
    handed_in: set[str] = field(default_factory=set)


EVERY_KIND = ["message", "node", "fact", "summary", "diary", "vault"]
ASKERS = ("another person", "a token for a sibling", "a page login for a sibling")
# How each route is asked for another user's rows.
IMPORTED = '{"results": [{"id": "m1", "memory": "Plays the cello", "user_id": "ada"}]}'
KEPT = {"namespace": ["oven"], "key": "age", "value": {"years": 20}}
CASES = {
    "GET /v1/beings": lambda _: {},
    "POST /v1/beings": lambda _: {"json": {"slug": "one-more", "name": "One more"}},
    "GET /v1/beings/{being}": lambda _: {},
    "DELETE /v1/beings/{being}": lambda _: {},
    "PATCH /v1/beings/{being}": lambda _: {"json": {"name": "Taken over"}},
    "POST /v1/beings/{being}/notes": lambda _: {"json": [ONLY_THEIRS]},
    "GET /v1/beings/{being}/notes": lambda it: {"params": {"cursor": it.note_cursor}},
    "GET /v1/beings/{being}/notes/{note_id}": lambda _: {},
    "PATCH /v1/beings/{being}/notes/{note_id}": lambda _: {"json": {"read": True}},
    "DELETE /v1/beings/{being}/notes/{note_id}": lambda _: {},
    "POST /v1/beings/{being}/imports": lambda _: {"json": {"program": "mem0", "text": IMPORTED}},
    "POST /v1/beings/{being}/knowledge": lambda _: {"json": {"items": [KEPT]}},
    "POST /v1/beings/{being}/knowledge/get": lambda _: {"json": {"keys": [{"namespace": ["oven"], "key": "age"}]}},
    "POST /v1/beings/{being}/knowledge/search": lambda _: {"json": {"query": "oven"}},
    "POST /v1/beings/{being}/knowledge/namespaces": lambda _: {"json": {}},
    "POST /v1/beings/{being}/messages": lambda _: {"json": [{"id": "m9", "role": "user", "content": "And I say so."}]},
    "POST /v1/beings/{being}/messages/retract": lambda it: {"json": {"ids": [it.message_id]}},
    "POST /v1/beings/{being}/messages/restore": lambda it: {"json": {"conversation": "chat", "after": it.message_id}},
    "GET /v1/beings/{being}/retracted-messages": lambda it: {"params": {"cursor": it.message_id}},
    "GET /v1/beings/{being}/sessions": lambda it: {"params": {"cursor": it.session_id}},
    "GET /v1/beings/{being}/sessions/{session_id}/messages": lambda _: {},
    "GET /v1/beings/{being}/party-messages": lambda _: {},
    "GET /v1/beings/{being}/sessions/{session_id}": lambda _: {},
    "GET /v1/beings/{being}/session-state": lambda _: {},
    "GET /v1/beings/{being}/rolling-summaries": lambda _: {},
    "GET /v1/beings/{being}/spine": lambda _: {"params": {"limit": 50}},
    "POST /v1/beings/{being}/patrols": lambda _: {},
    "GET /v1/beings/{being}/patrols": lambda _: {},
    "GET /v1/beings/{being}/patrols/{run_id}": lambda _: {},
    "POST /v1/beings/{being}/recall": lambda _: {
        "json": {"query": "oven", "format": "nodes", "threshold": -1, "limit": 50, "explain": True}
    },
    "PATCH /v1/beings/{being}/clusters/{cluster_id}": lambda _: {"json": {"name": "Bread and ovens"}},
    "POST /v1/beings/{being}/recall_memory": lambda it: {
        "json": {"cluster_id": it.cluster_id, "cursor": it.node_cursor}
    },
    "POST /v1/beings/{being}/search_memory": lambda _: {"json": {"query": "oven river flour", "limit": 50}},
    "POST /v1/beings/{being}/search": lambda _: {
        "json": {"query": "oven river flour", "limit": 50, "kinds": EVERY_KIND, "neighbours": 3, "explain": True}
    },
    "POST /v1/beings/{being}/ask": lambda _: {"json": {"question": "Where is the oven?", "about": "river"}},
    "POST /v1/beings/{being}/ask/stream": lambda _: {"json": {"question": "Where is the oven?"}},
    "GET /v1/beings/{being}/clusters": lambda _: {},
    "GET /v1/beings/{being}/map": lambda _: {"params": {"dead": True}},
    "GET /v1/beings/{being}/overview": lambda _: {},
    "GET /v1/beings/{being}/contexts": lambda it: {"params": {"shows": it.node_id}},
    "GET /v1/beings/{being}/contexts/{context_id}": lambda _: {},
    "GET /v1/beings/{being}/messages/{message_id}/erasure": lambda _: {},
    "GET /v1/beings/{being}/nodes": lambda it: {"params": {"cluster": it.cluster_id, "cursor": it.node_cursor}},
    "GET /v1/beings/{being}/nodes/{node_id}": lambda _: {},
    "PATCH /v1/beings/{being}/nodes/{node_id}": lambda _: {"json": {"pinned": True, "feeling": "Mine now."}},
    "DELETE /v1/beings/{being}/nodes/{node_id}": lambda _: {},
    "POST /v1/beings/{being}/nodes/{node_id}/erase": lambda _: {},
    "POST /v1/beings/{being}/notes/{note_id}/erase": lambda _: {},
    "GET /v1/beings/{being}/nodes/{node_id}/history": lambda _: {},
    "POST /v1/beings/{being}/nodes/{node_id}/revive": lambda _: {},
    "POST /v1/beings/{being}/nodes/{node_id}/undo": lambda _: {},
    "POST /v1/beings/{being}/facts/retrieve": lambda _: {"json": {"query": "oven", "limit": 50, "explain": True}},
    "GET /v1/beings/{being}/facts": lambda it: {"params": {"cursor": it.fact_id}},
    "POST /v1/beings/{being}/facts": lambda _: {"json": [FACT]},
    "GET /v1/beings/{being}/facts/{fact_id}": lambda _: {},
    "PATCH /v1/beings/{being}/facts/{fact_id}": lambda _: {"json": {"pinned": True, "content": "Mine now."}},
    "POST /v1/beings/{being}/facts/{fact_id}/unfold": lambda _: {},
    "DELETE /v1/beings/{being}/facts/{fact_id}": lambda _: {},
    "GET /v1/beings/{being}/entities": lambda _: {},
    "GET /v1/beings/{being}/entities/merges": lambda _: {},
    "POST /v1/beings/{being}/entities/merges": lambda _: {
        "json": {"kept_ref": "person:one", "merged_ref": "person:another"}
    },
    "POST /v1/beings/{being}/entities/merges/{merge_id}/accept": lambda _: {},
    "POST /v1/beings/{being}/entities/merges/{merge_id}/decline": lambda _: {},
    "GET /v1/beings/{being}/judgements": lambda _: {},
    "GET /v1/beings/{being}/todos": lambda it: {"params": {"cursor": it.todo_id}},
    "PATCH /v1/beings/{being}/todos/{todo_id}": lambda _: {"json": {"status": "DONE"}},
    "DELETE /v1/beings/{being}/todos/{todo_id}": lambda _: {},
    "GET /v1/beings/{being}/due": lambda _: {"params": {"until": "2100-01-01T00:00:00Z"}},
    "GET /v1/beings/{being}/due/notices": lambda it: {"params": {"cursor": it.note_id}},
    "GET /v1/beings/{being}/spoken_requests": lambda it: {"params": {"cursor": it.request_id}},
    "POST /v1/beings/{being}/spoken_requests/{request_id}/undo": lambda _: {},
    "GET /v1/beings/{being}/mutes": lambda it: {"params": {"cursor": it.mute_id}},
    "POST /v1/beings/{being}/mutes": lambda it: {"json": {"kind": "fact", "target": it.fact_id}},
    "DELETE /v1/beings/{being}/mutes/{mute_id}": lambda _: {},
    "PATCH /v1/beings/{being}/messages/{message_id}": lambda _: {"json": {"in_confidence": True}},
    "DELETE /v1/beings/{being}/messages/{message_id}": lambda _: {},
    "GET /v1/beings/{being}/export": lambda _: {"params": {"vectors": True}},
    "GET /v1/beings/{being}/soul": lambda _: {},
    "PATCH /v1/beings/{being}/soul": lambda _: {"json": {"voice": "Not mine.", "mood": "strange"}},
    "GET /v1/beings/{being}/persona/{kind}": lambda _: {},
    "POST /v1/beings/{being}/persona/{kind}": lambda _: {"json": {"name": "another", "content": "Be theirs."}},
    "PATCH /v1/beings/{being}/persona/{kind}/{entry_id}": lambda _: {"json": {"enabled": False}},
    "DELETE /v1/beings/{being}/persona/{kind}/{entry_id}": lambda _: {},
    "POST /v1/beings/{being}/context": lambda _: {"json": {"message": "The oven?", "explain": True, "activate": False}},
    "POST /v1/beings/{being}/turns": lambda _: {
        "json": {"messages": [{"id": "m8", "role": "user", "content": "The oven?"}], "explain": True}
    },
    "GET /v1/beings/{being}/snapshot": lambda _: {},
    "GET /v1/beings/{being}/profiles": lambda _: {},
    "PUT /v1/beings/{being}/profiles/{process}": lambda _: {"json": {"regions": ["core", "instructions", "default"]}},
    "DELETE /v1/beings/{being}/profiles/{process}": lambda _: {},
    "GET /v1/beings/{being}/working-memory": lambda _: {},
    "PUT /v1/beings/{being}/working-memory/{region}": lambda _: {"json": [{"content": "Theirs."}]},
    "POST /v1/beings/{being}/working-memory/{region}": lambda _: {"json": [{"content": "Theirs."}]},
    "GET /v1/beings/{being}/cost": lambda _: {},
    "GET /v1/cost": lambda _: {},
    "POST /v1/beings/{being}/vault": lambda _: {"json": {"text": "Only theirs."}},
    "GET /v1/beings/{being}/vault": lambda _: {},
    "POST /v1/beings/{being}/vault/search": lambda _: {"json": {"query": "oven", "limit": 100}},
    "GET /v1/beings/{being}/vault/stats": lambda _: {},
    "GET /v1/beings/{being}/vault/candidates": lambda _: {},
    "GET /v1/beings/{being}/vault/proposals": lambda _: {},
    "PUT /v1/beings/{being}/vault/topics/{topic_id}": lambda _: {"json": {"text": "Taken over."}},
    "POST /v1/beings/{being}/vault/delete": lambda it: {"json": {"ids": [it.record_id]}},
    "GET /v1/beings/{being}/vault/{record_id}": lambda _: {},
    "PATCH /v1/beings/{being}/vault/{record_id}": lambda _: {"json": {"text": "Taken over."}},
    "DELETE /v1/beings/{being}/vault/{record_id}": lambda _: {},
    "POST /v1/beings/{being}/vault/{record_id}/erase": lambda _: {},
    "POST /v1/beings/{being}/vault/{record_id}/promote": lambda _: {"json": {}},
    "GET /v1/beings/{being}/vault/snapshot": lambda _: {},
    "POST /v1/beings/{being}/vault/block": lambda _: {"json": {"query": "oven"}},
    "GET /v1/beings/{being}/vault/profile": lambda _: {},
    "PUT /v1/beings/{being}/vault/profile": lambda _: {"json": {"max_items": 1}},
    "POST /v1/beings/{being}/vault/compact": lambda _: {},
    "GET /v1/beings/{being}/vault/export": lambda _: {},
    "POST /v1/beings/{being}/vault/import": lambda _: {
        "content": '{"id": "aaaaaaaaaaaa", "text": "Only theirs.", "scope": "mira"}'
    },
    "GET /v1/beings/{being}/diary": lambda _: {},
    "GET /v1/beings/{being}/fading": lambda _: {"params": {"patrols": 10_000}},
}
# Work is named by itself, without its Being.
WORK_CASES = {
    "GET /v1/work": lambda _: {"params": {"state": "done"}},
    "GET /v1/work/{work_id}": lambda _: {},
    "POST /v1/work/{work_id}/replay": lambda _: {},
    "DELETE /v1/work/{work_id}": lambda _: {},
}
WITHOUT_BEING = {"GET /v1/beings", "POST /v1/beings", "GET /v1/work", "GET /v1/cost"}
# Of rooms in which several Beings take part.
OF_ROOMS = {
    f"{method} /v1/rooms{path}"
    for method, path in (
        ("GET", ""),
        ("POST", ""),
        ("GET", "/{room}"),
        ("PATCH", "/{room}"),
        ("DELETE", "/{room}"),
        ("GET", "/{room}/messages"),
        ("POST", "/{room}/messages"),
        ("POST", "/{room}/messages/retract"),
        ("POST", "/{room}/messages/restore"),
        ("DELETE", "/{room}/messages/{message_id}"),
    )
}
# A user's own, and no Being's: see test_keys.py, test_webhook.py, test_persona.py and test_rooms_over_http.py.
OF_USERS = (
    {"GET /v1/keys", "POST /v1/keys", "DELETE /v1/keys/{key_id}"}
    | {f"{method} /v1/{name}" for name in ("user-model", "webhook") for method in ("GET", "PUT", "DELETE")}
    | OF_ROOMS
)
# An operator's, and no user's: see test_metrics.py and test_users.py.
OF_OPERATORS = {"GET /metrics"} | {
    f"{method} /v1/users{path}"
    for method, path in (
        ("GET", ""),
        ("POST", ""),
        ("GET", "/{user_id}"),
        ("PATCH", "/{user_id}"),
        ("DELETE", "/{user_id}"),
        ("GET", "/{user_id}/tokens"),
        ("POST", "/{user_id}/tokens"),
        ("DELETE", "/{user_id}/tokens/{token_id}"),
    )
}
# It would end one's own: see test_erasing.py.
ENDS_ITSELF = "DELETE /v1/beings/{being}"
WITHOUT_TOKEN = {"GET /health/live", "GET /health/ready", "GET /health/work"}
# Routes that name something of the Being's beside itself.
NAMES_MORE = {route for route in CASES if "_id}" in route and "{topic_id}" not in route} | {
    "POST /v1/beings/{being}/recall_memory",
    "POST /v1/beings/{being}/messages/restore",
    "GET /v1/beings/{being}/nodes",
    "POST /v1/beings/{being}/entities/merges",
    "POST /v1/beings/{being}/mutes",
}


def introduce(person: Person, being: Being, client: httpx2.Client) -> tuple[str, str, str]:
    """Tell a Being in confidence of a person with two names; the ids of a fact, of the names' merge, and of a todo."""
    path = f"/v1/beings/{being.being_id}"
    names = [f"person:{name}_{being.being_id.hex}" for name in ("jon", "john")]
    assert client.post(f"{path}/facts", json=[LOOP, *(FACT | {"entity_refs": [name]} for name in names)]).is_success
    with person.ledger.transaction() as tx:
        merge_id = entities.propose(tx, being.user_id, names[0], names[1], 1.0)
    facts = client.get(f"{path}/facts").json()["facts"]
    (todo,) = client.get(f"{path}/todos").json()["todos"]
    return facts[0]["fact_id"], str(merge_id), todo["todo_id"]


def remember(person: Person, being: Being, client: httpx2.Client) -> Side:
    """Give a Being its memory, and wait until nothing moves any more."""
    path = f"/v1/beings/{being.being_id}"
    note_ids = client.post(f"{path}/notes", json=NOTES).json()["ids"]
    client.post(f"{path}/messages", json={"id": "m1", "role": "user", "content": "The oven failed."})
    register = {"text": "The oven is old.", "tier": "register", "topic_id": "oven"}
    (record,) = client.post(f"{path}/vault", json=register, headers={"Idempotency-Key": "k"}).json()["records"]
    fact_id, merge_id, todo_id = introduce(person, being, client)
    entry = client.post(f"{path}/persona/partner_rules", json={"name": "rule", "content": "Be kind."}).json()
    client.put(f"{path}/profiles/daydream", json={"regions": ["core", "instructions", "default"]})
    client.put(f"{path}/working-memory/userNotes", json=[{"content": "Is an expert."}])
    client.post(f"{path}/context", json={"message": "The oven?", "activate": False})
    context_id = client.post(f"{path}/context", json={}).json()["context_id"]
    person.patrol(being)
    run = person.patrol(being)

    def is_quiet() -> bool:
        # What was told is indexed by beat's ticks, which leave no work behind until one comes.
        if client.post(f"{path}/search", json={"query": "oven"}).json()["unindexed"]:
            return False
        with person.ledger.transaction() as tx:
            # The next patrol of its own waits for notes.
            query = "select count(*) from memory.work where owner_id = any(%s) and state <> 'done' and kind <> %s"
            return tx.value(query, [[being.being_id, being.user_id], PATROL_DUE.name]) == 0

    assert wait_until(is_quiet, PATIENCE, pause=0.4)
    nodes = client.get(f"{path}/nodes", params={"limit": 1}).json()
    every_node = client.get(f"{path}/nodes").json()["nodes"]
    clusters = client.get(f"{path}/clusters").json()["clusters"]
    runs = client.get(f"{path}/patrols").json()["patrols"]
    (session,) = client.get(f"{path}/sessions").json()["sessions"]
    (message,) = client.get(f"{path}/sessions/{session['session_id']}/messages").json()["messages"]
    with person.ledger.transaction() as tx:
        tx.execute(
            "update memory.work set state = 'dead', error = 'by hand', finished_at = clock_timestamp()"
            " where owner_id = %s and kind = 'patrol.due'",
            [being.being_id],
        )
        request_id = str(
            tx.value(
                """
                insert into memory.spoken_requests (being_id, message_id, span, effect, meant_message_id)
                values (%(being)s, %(message)s, 'oven', 'ignored', %(message)s)
                returning request_id
                """,
                {"being": being.being_id, "message": message["message_id"]},
            )
        )
    muted = {"kind": "message", "target": message["message_id"]}
    mute_id = client.post(f"{path}/mutes", json=muted).json()["mute_id"]
    (work,) = [work for work in client.get("/v1/work").json()["work"] if work["owner_id"] == str(being.being_id)]
    return Side(
        person,
        being,
        client,
        node_id=nodes["nodes"][0]["node_id"],
        note_id=note_ids[-1],
        cluster_id=nodes["nodes"][0]["cluster_id"],
        run_id=str(run["run_id"]),
        session_id=session["session_id"],
        work_id=work["work_id"],
        record_id=record["id"],
        fact_id=fact_id,
        merge_id=merge_id,
        todo_id=todo_id,
        request_id=request_id,
        mute_id=mute_id,
        message_id=message["message_id"],
        entry_id=entry["entry_id"],
        context_id=context_id,
        node_cursor=nodes["cursor"],
        note_cursor=client.get(f"{path}/notes", params={"limit": 1}).json()["cursor"],
        ids=frozenset(
            [
                str(being.being_id),
                *note_ids,
                *(node["node_id"] for node in every_node),
                *(cluster["cluster_id"] for cluster in clusters),
                *(run["run_id"] for run in runs),
                session["session_id"],
                message["message_id"],
                work["work_id"],
                record["id"],
                fact_id,
                merge_id,
                todo_id,
                request_id,
                mute_id,
                entry["entry_id"],
                context_id,
            ]
        ),
    )


@pytest.fixture(scope="module")
def sides(stack, ledger):
    """Two people with a Being each of the same slug, and two siblings of the first, each asked about in its own way."""
    first, second = Person(stack, ledger), Person(stack, ledger)
    sibling, seen = first.add_being("sibling"), first.add_being("seen")
    login = first.with_page_login(first.with_token(being_id=seen.being_id))
    with ThreadPoolExecutor() as pool:
        yield list(
            pool.map(
                remember,
                [first, second, first, first],
                [first.being, second.being, sibling, seen],
                [first.client, second.client, first.with_token(being_id=sibling.being_id), login],
            )
        )
    first.leave()
    second.leave()


def rows_of(side: Side) -> dict[str, list[str]]:
    """Everything the ledger holds of a Being, and of no other, by table."""
    each = sql.SQL("select {} as name, array(select t::text from memory.{} as t where {} = %(being)s) as rows")
    with side.person.ledger.transaction() as tx:
        owned = tx.execute(
            """
            select relname as table, attname as owner
            from pg_attribute
            join pg_class on pg_class.oid = attrelid
            where relnamespace = 'memory'::regnamespace and relkind in ('r', 'p')
                and attname in ('being_id', 'owner_id')
            order by relname, attname
            """
        ).fetchall()
        reads = [each.format(one["table"], sql.Identifier(one["table"]), sql.Identifier(one["owner"])) for one in owned]
        rows = tx.execute(sql.SQL(" union all ").join(reads), {"being": side.being.being_id})
        return {row["name"]: row["rows"] for row in rows}


def changed(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, list[str]]:
    """The rows of each table that came or went."""
    both = {table: sorted({*before[table]} ^ {*after[table]}) for table in before}
    return {table: rows for table, rows in both.items() if rows}


def ask(
    asker: Side, route: str, being: UUID | str, of: Side, options: dict[str, object] | None = None
) -> httpx2.Response:
    """Ask a route about a Being, with the ids of one side; its usual question, where no other is given."""
    method, _, path = route.partition(" ")
    answer = asker.client.request(
        method,
        path.format(
            being=being,
            node_id=of.node_id,
            run_id=of.run_id,
            session_id=of.session_id,
            work_id=of.work_id,
            record_id=of.record_id,
            fact_id=of.fact_id,
            merge_id=of.merge_id,
            cluster_id=of.cluster_id,
            todo_id=of.todo_id,
            request_id=of.request_id,
            mute_id=of.mute_id,
            message_id=of.message_id,
            topic_id="oven",
            context_id=of.context_id,
            note_id=of.note_id,
            entry_id=of.entry_id,
            kind="partner_rules",
            process="daydream" if method == "DELETE" else "decision",
            region="userNotes",
        ),
        **((CASES | WORK_CASES)[route](of) if options is None else options),
    )
    body = answer.request.read().decode()
    asker.handed_in.update(id_ for id_ in of.ids if id_ in body)
    return answer


def leaked(answer: httpx2.Response, asker: Side, asked: Side) -> set[str]:
    """Ids of the other side that an answer holds, and that its question and what the asker handed in did not."""
    return {id_ for id_ in asked.ids - asker.handed_in if id_ in answer.text and id_ not in str(answer.request.url)}


def test_every_route_has_a_case(sides):
    document = sides[0].client.get("/openapi.json").json()
    routes = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert routes - WITHOUT_TOKEN - OF_USERS - OF_OPERATORS == (CASES | WORK_CASES).keys()


def test_both_sides_remember_the_same(sides):
    answers = [
        side.client.post(
            f"/v1/beings/{side.being.being_id}/recall",
            json={"query": "oven", "format": "nodes", "threshold": -1, "limit": 50, "activate": False},
        ).json()["nodes"]
        for side in sides
    ]
    actions = [[node["scene"]["action"] for node in nodes] for nodes in answers]
    assert all(found == actions[0] for found in actions)
    assert len(actions[0]) == 3


@pytest.fixture(scope="module")
def askers(sides):
    """Those who may not see the first side: each has a memory of its own, and shows a token or a login of the page."""
    return dict(zip(ASKERS, sides[1:], strict=True))


@pytest.mark.parametrize("asks", ASKERS)
def test_nothing_of_another_being_is_seen_or_changed(sides, askers, problem, asks):
    other, asker = sides[0], askers[asks]
    before = rows_of(other)
    # The Being of a token is opened in one place, and the wall binds a token besides: a login is held to it by the
    # routes alone.
    for route in sorted(CASES)[:: 5 if asks == "a token for a sibling" else 1]:
        if route in WITHOUT_BEING:
            answer = ask(asker, route, "", other)
            assert answer.status_code in {200, 201, 403, 409}, route
            assert not leaked(answer, asker, other), route
        else:
            problem(ask(asker, route, other.being.being_id, other), 404)
        if route not in WITHOUT_BEING | {ENDS_ITSELF}:
            mine = ask(asker, route, asker.being.being_id, other)
            if route in NAMES_MORE:
                problem(mine, 404)
            else:
                assert mine.is_success, (route, mine.text)
            assert not leaked(mine, asker, other), route
            # Names of Beings are one's own: the other's leads to one's own Being, or nowhere.
            named = ask(asker, route, other.being.slug, other)
            assert not leaked(named, asker, other), route
            if asker.person is other.person:
                problem(named, 404)
            if route == "POST /v1/beings/{being}/notes":
                assert mine.json()["conflicts"] == []
    assert changed(before, rows_of(other)) == {}


@pytest.mark.parametrize("asks", ASKERS)
def test_work_of_another_being_is_not_seen_or_touched(sides, askers, problem, asks):
    other, asker = sides[0], askers[asks]
    before = rows_of(other)
    for route in sorted(WORK_CASES):
        answer = ask(asker, route, "", other)
        if route in WITHOUT_BEING:
            assert answer.is_success, route
            assert not leaked(answer, asker, other), route
        else:
            problem(answer, 404)
        assert changed(before, rows_of(other)) == {}, route


@pytest.mark.parametrize("shown", [*USELESS, "an operator's token"])
def test_what_is_no_valid_token_of_the_users_opens_no_route(sides, problem, shown):
    (side, *_) = sides
    secret = useless_secret(side.person, shown, side.being.being_id)
    before = rows_of(side)
    # Operators see all users' work, without its content.
    operators = shown == "an operator's token"
    # What is wrong with a secret is found in one place, which each route that opens without one has left out.
    for route in sorted(CASES if operators else CASES | WORK_CASES)[:: 1 if operators or shown == "no token" else 10]:
        stranger = replace(side, client=side.person.with_secret(secret, new_address()), handed_in=set())
        answer = ask(stranger, route, side.being.being_id, side)
        problem(answer, 403 if operators else 401)
        assert not leaked(answer, stranger, side) - {str(side.being.being_id)}, route
    assert changed(before, rows_of(side)) == {}
