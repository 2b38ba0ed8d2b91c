"""The store of LangGraph: it answers as the package's own store does, and a graph keeps its memory in it."""

import asyncio
import importlib

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict

from tests.acceptance.http.clients.conftest import secret_of

USER = ("users", "ada")
ITEMS = [
    (USER, "tea", {"text": "drinks green tea", "cups": 3, "tags": ["hot", "leaf"], "at": {"hour": 9}}),
    (USER, "cake", {"text": "bakes plum cake", "cups": 0, "tags": []}),
    ((*USER, "work"), "bakery", {"text": "owns a bakery", "cups": 5, "open": True, "closed": None}),
    (("users", "adam"), "tea", {"text": "hates tea", "cups": 1}),
    (("docs",), "tea", {"text": "how to brew", "cups": 0}),
]
FILTERS = [
    None,
    {"cups": 3},
    {"cups": {"$gt": 0}},
    {"cups": {"$gte": 0, "$lt": 3}, "text": {"$ne": "hates tea"}},
    {"tags": ["hot", "leaf"]},
    {"tags": []},
    {"at": {"hour": {"$eq": 9}}},
    {"at": {"hour": 8}},
    {"open": True},
    {"closed": None, "open": True},
]
READS = [
    *(GetOp(namespace, key) for namespace, key, _ in ITEMS),
    GetOp(USER, "nothing"),
    *(SearchOp(prefix, asked, limit=50) for prefix in ((), ("users",), USER, ("nobody",)) for asked in FILTERS[:4]),
    *(SearchOp((), asked, limit=50) for asked in FILTERS[4:]),
    ListNamespacesOp(),
    ListNamespacesOp(max_depth=1),
    ListNamespacesOp(limit=1, offset=2),
    ListNamespacesOp((MatchCondition("prefix", ("users", "*")), MatchCondition("suffix", ("work",)))),
    ListNamespacesOp((MatchCondition("prefix", ("docs", "x")),)),
]
WRITES = [
    [PutOp(*item) for item in ITEMS],
    [PutOp(USER, "tea", {"text": "drinks mint tea", "cups": 2}), PutOp(USER, "cake", None), GetOp(USER, "tea")],
    [*(PutOp(USER, "tea", {"cups": cups}) for cups in (1, 2)), PutOp(USER, "pie", {}), PutOp(USER, "pie", None)],
]


@pytest.fixture
def adapter(patrol):
    """The adapter's module, as it was installed with the client."""
    assert patrol.MemoryPatrol
    return importlib.import_module("memory_patrol.langgraph")


@pytest.fixture
def store(adapter, patrol, person, stack):
    """A store in the Being's memory."""
    with patrol.MemoryPatrol(stack.url, secret_of(person)) as memory:
        yield adapter.PatrolStore(memory, "mira")


def told(result):
    """A result without what differs between stores: times, scores, and the order of what was not ranked."""
    if isinstance(result, list):
        return sorted((told(one) for one in result), key=str)
    return result if result is None or isinstance(result, tuple) else (result.namespace, result.key, result.value)


@pytest.mark.parametrize("awaited", [False, True])
def test_it_answers_as_the_packages_own_store(adapter, patrol, person, stack, awaited):
    own = InMemoryStore()

    async def answers():
        async with patrol.AsyncMemoryPatrol(stack.url, secret_of(person)) as memory:
            store = adapter.PatrolStore(memory, "mira")
            return [await store.abatch(ops) for writes in WRITES for ops in (writes, READS)]

    def answers_at_once():
        with patrol.MemoryPatrol(stack.url, secret_of(person)) as memory:
            store = adapter.PatrolStore(memory, "mira")
            return [store.batch(ops) for writes in WRITES for ops in (writes, READS)]

    answered = asyncio.run(answers()) if awaited else answers_at_once()

    expected = [own.batch(ops) for writes in WRITES for ops in (writes, READS)]
    assert [[told(one) for one in batch] for batch in answered] == [[told(one) for one in batch] for batch in expected]


def test_what_is_put_is_found_at_once_without_a_patrol_and_stays_out_of_the_snapshot(store, person):
    for namespace, key, kept in ITEMS:
        store.put(namespace, key, kept)
    store.put(USER, "secret", {"text": "plum stones"}, index=False)
    store.put(USER, "note", {"text": "plum", "about": ["marmalade"]}, index=["about[*]"])

    assert [one.key for one in store.search(USER, query="who bakes a plum cake?", limit=1)] == ["cake"]
    assert [one.key for one in store.search(USER, query="marmalade", limit=1)] == ["note"]
    found = {one.key: one.score for one in store.search(USER, query="plums", filter={"text": {"$ne": "x"}}, limit=10)}
    assert found["cake"] > 0
    assert found["secret"] is None
    # What it says under another key is not searched; what it is about has little to do with the question.
    assert (found["note"] or 0) < found["cake"]
    assert person.ask("GET", "/patrols").json()["patrols"] == []
    assert "plum" not in person.ask("POST", "/context", json={"message": "Hi."}).text


def test_what_the_being_was_told_is_searched_and_never_written(store, person, wait_until):
    person.ask("POST", "/messages", json={"role": "user", "content": "My sister lives in Galway."})
    wait_until(lambda: store.search(("memory-patrol",), query="Galway"))

    (one,) = store.search(("memory-patrol", "message"), query="Where does my sister live?", limit=1)

    assert (one.namespace, one.value["text"]) == (("memory-patrol", "message"), "My sister lives in Galway.")
    assert store.search(("memory-patrol", "diary"), query="Galway") == []
    assert store.list_namespaces() == []
    for refused in (
        lambda: store.put(("memory-patrol", "message"), "x", {}),
        lambda: store.search(("memory-patrol",)),
        lambda: store.search(("memory-patrol",), query="x", filter={"a": 1}),
    ):
        with pytest.raises(ValueError, match=r"for searches alone|has a query"):
            refused()


def test_a_store_belongs_to_one_world(adapter, patrol, store, person, stack):
    async def use():
        async with patrol.AsyncMemoryPatrol(stack.url, secret_of(person)) as memory:
            with pytest.raises(TypeError, match="MemoryPatrol"):
                adapter.PatrolStore(memory, "mira").get(USER, "tea")
        with pytest.raises(TypeError, match="AsyncMemoryPatrol"):
            await store.aget(USER, "tea")

    asyncio.run(use())


class Talk(TypedDict):
    """The state of the graph."""

    said: str
    answer: str


def test_a_graph_remembers_between_its_runs(store):
    def answer(state: Talk, *, store: BaseStore):
        known = [item.value["said"] for item in store.search(USER, query=state["said"], limit=1)]
        store.put(USER, state["said"], {"said": state["said"]})
        return {"answer": f"I know: {known}"}

    graph = StateGraph(Talk).add_node("answer", answer).add_edge(START, "answer").add_edge("answer", END)
    compiled = graph.compile(store=store)

    assert compiled.invoke({"said": "My cat is called Miro."})["answer"] == "I know: []"
    assert compiled.invoke({"said": "What is my cat called?"})["answer"] == "I know: ['My cat is called Miro.']"


def test_a_thread_with_several_agents_is_a_room_of_their_beings(adapter, patrol, person, stack):
    critic = person.add_being("critic")

    def says(name, text):
        return lambda _: {"messages": [AIMessage(text, name=name)]}

    builder = StateGraph(MessagesState)
    builder.add_node("writes", says("writer", "Here is a draft."))
    # As a supervisor's agents leave them: a call without words, a model without a name, and a note of handing back.
    note = {"name": "writer", "response_metadata": {"__is_handoff_back": True}}
    unsaid = [AIMessage("", name="critic"), AIMessage("Nameless."), AIMessage("Transferring back to desk", **note)]
    builder.add_node("looks_up", lambda _: {"messages": unsaid})
    builder.add_node("judges", says("critic", [{"type": "text", "text": "It is too long."}]))
    builder.add_edge(START, "writes")
    builder.add_edge("writes", "looks_up")
    builder.add_edge("looks_up", "judges")
    builder.add_edge("judges", END)
    graph = builder.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "desk-1"}}
    with patrol.MemoryPatrol(stack.url, secret_of(person)) as memory:
        memory.create_room({"name": "desk", "beings": ["mira", "critic"]})
        for asked in ("Write a poem.", "Shorten it."):
            state = graph.invoke({"messages": [HumanMessage(asked)]}, thread)
            said = adapter.utterances(state["messages"], beings={"writer": "mira"})
            receipt = memory.hand_in_room_messages("desk", said)
            assert receipt["accepted"] == 3
        shown = memory.list_room_messages("desk")["messages"][::-1]

    round_of = [("mira", "Here is a draft."), ("critic", "It is too long.")]
    expected = [(None, "Write a poem."), *round_of, (None, "Shorten it."), *round_of]
    assert [(one["speaker_being"], one["content"]) for one in shown] == expected
    with person.ledger.transaction() as tx:
        own = tx.execute(
            "select content from memory.messages where being_id = %s and role = 'assistant'", [critic.being_id]
        ).fetchall()
    assert [row["content"] for row in own] == ["It is too long."] * 2
