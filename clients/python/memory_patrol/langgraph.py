"""A store of LangGraph: `builder.compile(store=PatrolStore(memory, "mira"))`.

An item that an agent puts is a knowledge note of the Being: its searches find it at once, by fields, words and
meaning, and it is exported and erased with the Being. It stays out of the snapshot, which is in every prompt.

Searches of the namespace `("memory-patrol",)` cover the Being's messages, and the data derived from them: memories,
facts, summaries and diary. A second label is a kind of it: `store.search(("memory-patrol", "fact"), query="her home")`.

A thread with several agents is a room of their Beings:
`memory.hand_in_room_messages("desk", utterances(state["messages"]))`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
)

from memory_patrol._async.client import AsyncMemoryPatrol
from memory_patrol._requests import batches
from memory_patrol._sync.client import MemoryPatrol

if TYPE_CHECKING:
    from memory_patrol import types

TOLD = "memory-patrol"
# So langgraph-supervisor marks the messages that it writes in an agent's name.
HANDED_BACK = "__is_handoff_back"
PUT_AT_ONCE = 100
GOT_AT_ONCE = 500
# The most results of one search of the API.
MOST_FOUND = 1000
MOST_TOLD = 50


def utterances(
    messages: Iterable[Any], *, beings: Mapping[str, str] | None = None, present: Sequence[str] | None = None
) -> "list[types.RoomMessageInput]":
    """Return a thread's messages as utterances in a room; handing the same in again changes nothing.

    Args:
        messages: LangChain's messages, as a graph's state holds them, with their ids. Those of people are the user's;
            those of models are of the agent in `name`; others, a supervisor's notes of handing back, and those without
            words are left out.
        beings: The ids or slugs of the agents' Beings by their names; an agent that is not in it has its name as its
            Being's slug.
        present: The ids or slugs of the Beings that hear them; by default all of the room.
    """
    taken: list[types.RoomMessageInput] = []
    for message in messages:
        words = _words_of(message.content)
        is_person = message.type == "human"
        is_agent = message.type == "ai" and message.name and not message.response_metadata.get(HANDED_BACK)
        if not words.strip() or not (is_person or is_agent):
            continue
        one: types.RoomMessageInput = {"content": words}
        if message.id is not None:
            one["id"] = message.id
        if present is not None:
            one["present"] = [*present]
        if is_person:
            one["role"] = "user"
        else:
            one["speaker_being"] = (beings or {}).get(message.name, message.name)
        taken.append(one)
    return taken


def _words_of(content: Any) -> str:
    """The text of a message's content, which is text or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = (block if isinstance(block, str) else block.get("text", "") for block in content if _is_text(block))
    return "\n".join(blocks)


def _is_text(block: Any) -> bool:
    return isinstance(block, str) or block.get("type") == "text"


class PatrolStore(BaseStore):
    """A key-value store with search, in the memory of one Being.

    Args:
        memory: The client, whose token has the scopes `ingest` and `read`: `MemoryPatrol`, or `AsyncMemoryPatrol` for
            the methods that are awaited.
        being: The Being's id or slug.
    """

    def __init__(self, memory: MemoryPatrol | AsyncMemoryPatrol, being: str) -> None:
        self._memory = memory
        self._being = being

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations. Reads see the state before the batch; of several writes to one key the last counts.

        Raises:
            ApiError, Unreachable: As the client.
            TypeError: The client is asynchronous.
            ValueError: A namespace is for searches alone.
        """
        if not isinstance(self._memory, MemoryPatrol):
            raise TypeError("Give the store a MemoryPatrol, or call the methods that are awaited.")
        listed = [*ops]
        plan = _plan(listed)
        answers = [getattr(self._memory, call.route)(self._being, call.body) for call in plan]
        return _results(len(listed), plan, answers)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations, as `batch`.

        Raises:
            ApiError, Unreachable: As the client.
            TypeError: The client is synchronous.
            ValueError: A namespace is for searches alone.
        """
        if not isinstance(self._memory, AsyncMemoryPatrol):
            raise TypeError("Give the store an AsyncMemoryPatrol, or call the methods that are not awaited.")
        listed = [*ops]
        plan = _plan(listed)
        answers = [await getattr(self._memory, call.route)(self._being, call.body) for call in plan]
        return _results(len(listed), plan, answers)


@dataclass(frozen=True)
class _Call:
    """A request, with the operations that it answers and their places in the batch."""

    route: str
    body: Mapping[str, Any]
    ops: Sequence[tuple[int, Op]]


def _plan(ops: Sequence[Op]) -> list[_Call]:
    """Return the requests of a batch, those that write last."""
    gets: list[tuple[int, Op]] = []
    puts: dict[tuple[tuple[str, ...], str], tuple[int, PutOp]] = {}
    calls: list[_Call] = []
    for place, op in enumerate(ops):
        match op:
            case GetOp():
                gets.append((place, op))
            case PutOp():
                if op.namespace[0] == TOLD:
                    raise ValueError(f"The namespace {TOLD} is for searches alone.")
                puts[op.namespace, op.key] = place, op
            case SearchOp():
                calls += [_Call(route, body, [(place, op)]) for route, body in _searches(op)]
            case ListNamespacesOp():
                calls += [_Call("list_knowledge_namespaces", body, [(place, op)]) for body in _listings(op)]
    for some in batches(gets, GOT_AT_ONCE):
        keys = [{"namespace": [*op.namespace], "key": op.key} for _, op in some if isinstance(op, GetOp)]
        calls.append(_Call("get_knowledge", {"keys": keys}, [*some]))
    for items in batches(puts.values(), PUT_AT_ONCE):
        calls.append(_Call("put_knowledge", {"items": [_item(op) for _, op in items]}, [*items]))
    return calls


def _item(op: PutOp) -> "types.NewKnowledge":
    value = None if op.value is None else dict(op.value)
    text = None
    if op.index is False:
        text = ""
    elif op.index is not None:
        found = (part for path in op.index for part in get_text_at_path(value, tokenize_path(path)))
        text = "\n".join(found)
    return {"namespace": [*op.namespace], "key": op.key, "value": value, "search_text": text}


def _pages(limit: int, offset: int) -> Iterable[dict[str, int]]:
    for start in range(0, limit, MOST_FOUND):
        yield {"limit": min(MOST_FOUND, limit - start), "offset": offset + start}


def _searches(op: SearchOp) -> list[tuple[str, Mapping[str, Any]]]:
    if op.namespace_prefix[:1] != (TOLD,):
        wanted = {"namespace_prefix": [*op.namespace_prefix], "query": op.query or None, "filter": op.filter}
        return [("search_knowledge", {**wanted, **page}) for page in _pages(op.limit, op.offset)]
    if not op.query or op.filter:
        raise ValueError(f"A search of the namespace {TOLD} has a query, and no filter.")
    parameters: dict[str, Any] = {"query": op.query, "limit": min(MOST_TOLD, op.offset + op.limit)}
    if kinds := op.namespace_prefix[1:]:
        parameters["kinds"] = [*kinds]
    return [("search_everything", parameters)]


def _listings(op: ListNamespacesOp) -> list[Mapping[str, Any]]:
    conditions = [{"at": one.match_type, "path": [*one.path]} for one in op.match_conditions or () if one.path]
    return [{"conditions": conditions, "max_depth": op.max_depth, **page} for page in _pages(op.limit, op.offset)]


def _results(count: int, plan: Sequence[_Call], answers: Sequence[Any]) -> list[Result]:
    found: dict[int, Any] = {}
    for call, answer in zip(plan, answers, strict=True):
        for number, (place, op) in enumerate(call.ops):
            match op:
                case GetOp():
                    kept = answer["items"][number]
                    found[place] = None if kept is None else Item(**_fields(kept))
                case PutOp():
                    found[place] = None
                case SearchOp() if "results" in answer:
                    items = [_search_item(result) for result in answer["results"]]
                    found[place] = items[op.offset : op.offset + op.limit]
                case SearchOp():
                    items = [SearchItem(**_fields(one), score=one["score"]) for one in answer["items"]]
                    found[place] = found.get(place, []) + items
                case ListNamespacesOp():
                    found[place] = found.get(place, []) + [tuple(one) for one in answer["namespaces"]]
    # A put that a later one of the batch replaces is in no request, and like every put has no result.
    return [found.get(place) for place in range(count)]


def _fields(kept: "types.KeyedKnowledge") -> dict[str, Any]:
    return {
        "namespace": tuple(kept["namespace"]),
        "key": kept["key"],
        "value": kept["value"],
        "created_at": datetime.fromisoformat(kept["created_at"]),
        "updated_at": datetime.fromisoformat(kept["updated_at"]),
    }


def _search_item(result: "types.SearchResult") -> SearchItem:
    at = datetime.fromisoformat(result["at"])
    value = {name: result[name] for name in ("text", "speaker", "producer_id", "session_id")}
    return SearchItem((TOLD, result["kind"]), result["id"], value, at, at, result["score"])
