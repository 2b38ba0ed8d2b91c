"""The names that programs give to the fields of chats and messages, beside those of speech: a table for each fact.

Known from the exports of Open WebUI, LibreChat, LobeChat, TypingMind, Jan, LM Studio, Agnai, RisuAI, Backyard AI,
DeepSeek, Grok and Copilot, and of programs that write the messages of a model's API.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import Any

from memory.intake.importers.entries import DATABASE_ID, snake_case
from memory.intake.importers.reading.json_elements import Element
from memory.intake.importers.times import ClockTime, clock_time
from schemas.wire.fields import says_no

# Fields with the messages of a chat: in a list, or in an object by their ids.
LISTS = (
    *("messages", "message", "responses", "mapping", "chat_messages", "chatMessages", "turns", "msgs", "history"),
    *("chat", "conversations"),
)
# An export may have the parts of all messages in a list of their own, to which messages refer by their ids.
PARTS_APART, PART_IDS = "message_blocks", "blocks"
# Objects of a chat in which its messages, its id or its time may stand; the tree of a chat before the list of a branch.
PARTS = ("chat", "history", "data", "state", "conversation", "channel")
# Earlier chats of a chat, which was begun anew.
EARLIER = "threads"
# Fields of a message of Meta's: its texts have each byte of UTF-8 as a character.
META = frozenset(("sender_name", "timestamp_ms"))
# By which other messages name one, and the branch that the person sees.
KEYS = ("id", "_id", "uuid", "messageId", "message_id", "chatId")
PARENTS = (
    "parentId",
    "parentMessageId",
    "parent_message_uuid",
    "parent_response_id",
    "parent_id",
    "parent",
    "parentUuid",
)
LEAVES = ("currentId", "currentNode", "current_node", "currentMessageId", "leaf_response_id", "treeLeafId")
CHATS = (
    *("conversation_id", "conversationId", "chat_id", "chatID", "thread_id", "topicId", "sessionId", "session_id"),
    *("sessionID", "conversation"),
)
CHAT_IDS = ("conversationId", "conversation_id", "chatID", "chat_id", "id", "_id", "uuid", "sessionId")
# The owner of a chat, in an export of all users of a system: an id, or an object with one, or that a database has made.
CHAT_OWNERS = ("user_id", "userId")
OWNERS_WITHIN = ("user", "account", "owner")
OWNER_IDS = (*CHAT_OWNERS, "uuid", "id")
USERS = "users"
# Fields that `owner` reads in an object around an element.
TELL_OWNER = (*OWNER_IDS, *OWNERS_WITHIN)
# When a chat began, and when a message was said; a chat may have the time of its export under the latter.
BEGINS = ("created_at", "createdAt", "create_time", "inserted_at", "created")
TIMES = (
    *BEGINS,
    # Telegram writes the second as local time beside the first.
    *("date_unixtime", "timestamp", "time", "date", "send_date", "datetime", "createTime", "creationTime", "ts"),
    *("timestamp_ms", "sent_at", "sentAt", "sent", "sentOn", "origin_server_ts", "message_date"),
)
_TIMES = frozenset(TIMES)
# Further names of them; ids of messages are not derived of these.
LATE_TIMES = ("created_date", "createdDate", "originalarrivaltime", "startTime", "updated_datetime")
# Marks of a chat, or of an object in it, that is not to be remembered, and the reason to leave it out. Letter case and
# a leading `is` do not count; some programs note a time as the mark.
NOT_REMEMBERED = {
    **dict.fromkeys(("do_not_remember", "off_the_record"), "conversations marked as not to be remembered"),
    **dict.fromkeys(("temporary", "temporary_chat", "incognito", "expired_at"), "temporary conversations"),
    **dict.fromkeys(("deleted", "deleted_at"), "deleted conversations"),
}
SETTINGS = ("settings", "metadata", "meta", "chat_metadata")
# Marks of messages, or in their metadata, that a person deleted, does not see or wants not remembered, or that an agent
# wrote for itself; ChatGPT also marks those that it sends as the person's, or as an answer.
_UNSAID = (
    "deleted deleted_at hidden do_not_remember off_the_record meta sidechain compact_summary user_system_message"
    " visually_hidden_from_conversation auto_proceed_message thinking_preamble_message loading_message"
)
UNSAID = frozenset(_UNSAID.split())
# A time of day alone, beside a date.
_CLOCK = re.compile(r"\s*(?:\D{1,9}\s?)?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?\D{1,9})?\s*")
# Objects and lists within each other are looked through so far.
NESTING = 8

Messages = Sequence[Any] | Mapping[str, Any]


def first(value: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the first id, word or name under one of these names."""
    found = (value.get(name) for name in names)
    return next(
        (str(one) for one in found if isinstance(one, str | int) and not isinstance(one, bool) and one != ""), None
    )


def nearest(element: Element, names: Sequence[str]) -> str | None:
    """Return the first id, word or name under one of these names in an element, or in the nearest object around it."""
    places = (element.value, *(one for _, one in element.around))
    return next((found for one in places if (found := first(one, names)) is not None), None)


def owner(element: Element, names: Sequence[str] = CHAT_OWNERS) -> str | None:
    """Return the owner of an element: from itself, or the nearest object around it, or the users that it stands in."""
    places = [((*element.path, "[]"), element.value), *element.around]
    for path, value in places:
        parts = [*about(value)]
        noted = [one for part in parts if isinstance(one := part.get("metadata"), dict)]
        within = [one.get(name) for one in (*parts, *noted) for name in OWNERS_WITHIN]
        named = [*(first(one, names) for one in parts), *(first(one, CHAT_OWNERS) for one in noted)]
        named += [first(one, OWNER_IDS) for one in within if isinstance(one, dict)]
        named += [one for one in within if isinstance(one, str) and DATABASE_ID.fullmatch(one)]
        if path[-2:] == (USERS, "[]"):
            named.append(first(value, OWNER_IDS))
        if (found := next((one for one in named if one is not None), None)) is not None:
            return found
    keyed = (key for before, key in pairwise(element.path) if before == USERS and key != "[]")
    return next(keyed, None)


def under(outer: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the fields of the one around it, where it has no value of its own."""
    return dict(outer) | {key: one for key, one in value.items() if one not in (None, "") or key not in outer}


def time(value: Mapping[str, Any], zone: tzinfo, names: Iterable[str] = TIMES) -> ClockTime:
    """Return the first time; one of a database may be an object (`{"$date": …}`)."""
    return _first(_time(value.get(name), zone, 0) for name in names)


def _time(value: Any, zone: tzinfo, nesting: int) -> ClockTime:
    if isinstance(value, dict) and nesting < NESTING:
        # A fraction of a second, which may stand first, is no time of its own.
        return _first(_time(one, zone, nesting + 1) for name, one in value.items() if "nano" not in name.casefold())
    return clock_time(value, zone)


def _first(times: Iterable[ClockTime]) -> ClockTime:
    return next((one for one in times if one.at is not None), ClockTime(None))


def open_time(message: Mapping[str, Any], at: datetime | None) -> Any:
    """Return a message's time as written, if it is ambiguous by itself; None if it is read, or there is none."""
    day, clock = message.get("date"), message.get("time")
    if isinstance(day, str) and isinstance(clock, str) and _CLOCK.fullmatch(clock):
        return f"{day} {clock}"
    if at is not None:
        written = (message[name] for name in message.keys() & _TIMES)
        return next((one for one in written if isinstance(one, str) and "/" in one), None)
    parts = message.get("parts")
    places = (message, *(one for one in (parts if isinstance(parts, list) else [])[:1] if isinstance(one, dict)))
    held = (one.get(name) for one in places for name in (*TIMES, *LATE_TIMES))
    return next((one for one in held if isinstance(one, str | int | float) and one), None)


def not_remembered(chat: Mapping[str, Any]) -> str | None:
    """Return the reason not to import a chat, by its own marks; None if there is none."""
    parts = [*about(chat)]
    parts += [one for part in parts for name in SETTINGS if isinstance(one := part.get(name), dict)]
    return next((NOT_REMEMBERED[mark] for part in parts for mark in _marks(part, NOT_REMEMBERED)), None)


def is_unsaid(message: Mapping[str, Any]) -> bool:
    """Return whether a message was not said to the other, by its own marks (`UNSAID`)."""
    noted = message.get("metadata")
    parts = (message, noted) if isinstance(noted, dict) else (message,)
    return any(True for part in parts for _ in _marks(part, UNSAID))


def _marks(part: Mapping[str, Any], known: Container[str]) -> Iterator[str]:
    """Yield those of some marks that an object has set: a time where the program notes when, else not a no."""
    for name, value in part.items():
        mark = _mark(name)
        if mark is not None and mark in known and (_is_noted(value) if mark.endswith("_at") else is_set(value)):
            yield mark


def _is_noted(value: Any) -> bool:
    return value is True or _time(value, UTC, 0).at is not None


def is_set(value: Any, nesting: int = 0) -> bool:
    """Whether the value of a mark, or one in it, means yes."""
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if within is None or nesting == NESTING:
        return not says_no(value)
    return any(is_set(one, nesting + 1) for one in within)


@lru_cache(maxsize=4096)
def _mark(name: str) -> str | None:
    snake = snake_case(name)
    return None if snake in SETTINGS else snake.removeprefix("is_")


def listed(value: Mapping[str, Any], nesting: int = 0) -> Messages | None:
    """Return the messages of a chat, in a list or by their ids; None if it has none."""
    for name in PARTS if nesting < NESTING else ():
        within = value.get(name)
        if isinstance(within, dict) and (found := listed(within, nesting + 1)) is not None:
            return found
    for name in LISTS:
        some = value.get(name)
        if isinstance(some, list) and any(isinstance(one, dict) for one in some):
            return some
        if isinstance(some, dict) and some and all(isinstance(one, dict) for one in some.values()):
            return some
    return None


def about(value: Mapping[str, Any], nesting: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that have facts about a chat: itself, and its parts."""
    yield value
    for name in PARTS if nesting < NESTING else ():
        if isinstance(within := value.get(name), dict):
            yield from about(within, nesting + 1)


def earlier(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the earlier chats that stand within a chat."""
    some = value.get(EARLIER)
    return [one for one in some if isinstance(one, dict)] if isinstance(some, list) else []
