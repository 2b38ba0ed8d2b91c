"""The names that programs give to the fields of their chats, and what stands in them: a table for each fact.

Known from the exports of Open WebUI, LibreChat, LobeChat, TypingMind, Jan, LM Studio, Agnai, RisuAI, Backyard AI,
DeepSeek, Grok and Copilot, and of programs that write the messages of a model's API.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Any, Literal

from memory.intake.importers.entries import DATABASE_ID, is_marked
from memory.intake.importers.json_elements import Element
from memory.intake.importers.times import moment

# Where the messages of a chat stand: in a list, or in an object by their ids.
LISTS = ("messages", "message", "responses", "mapping", "chat_messages", "turns", "history", "chat", "conversations")
# Objects of a chat in which its messages, its id or its time may stand; the tree of a chat before the list of a branch.
PARTS = ("chat", "history", "data", "state", "conversation")
# Earlier chats of a chat, which was begun anew.
EARLIER = "threads"
# Objects in which a message, or a node of its tree, has its words.
INNER = ("message", "response")
# By which other messages name one, and the branch that the person sees.
KEYS = ("id", "_id", "uuid", "messageId", "message_id", "chatId")
PARENTS = ("parentId", "parentMessageId", "parent_message_uuid", "parent_response_id", "parent_id", "parent")
LEAVES = ("currentId", "currentNode", "current_node", "currentMessageId", "leaf_response_id", "treeLeafId")
CHATS = (
    "conversation_id",
    "conversationId",
    "chat_id",
    "chatID",
    "thread_id",
    "topicId",
    "sessionId",
    "session_id",
    "conversation",
)
CHAT_IDS = ("conversationId", "conversation_id", "chatID", "chat_id", "id", "_id", "uuid")
# Whose a chat is, in an export of all users of a system: an id, or an object with one, or that a database has made.
CHAT_OWNERS = ("user_id", "userId")
OWNERS_WITHIN = ("user", "account", "owner")
OWNER_IDS = (*CHAT_OWNERS, "uuid", "id")
USERS = "users"
# What `owner` reads in an object around an element.
TELL_OWNER = (*OWNER_IDS, *OWNERS_WITHIN)
# When a chat began, and when a message was said; a chat may have the time of its export under the latter.
BEGINS = ("created_at", "createdAt", "create_time", "inserted_at", "created")
TIMES = (*BEGINS, "timestamp", "time", "date", "send_date")
SPEAKERS = ("handle", "speaker", "name", "senderName", "sender_name")
# Who speaks: by a mark, a word, the kind of a part, or by whose id there is.
ROLES = ("role", "sender", "author", "from", "type")
MARKS = ("isCreatedByUser", "is_user", "isUser", "is_human", "fromUser", "from_user")
Side = Literal["user", "companion", "neither"]
OWNERS: dict[str, Side] = {"userId": "user", "characterId": "companion"}
SIDES: dict[str, Side] = {
    **dict.fromkeys(("user", "human", "you", "me", "request", "prompter"), "user"),
    **dict.fromkeys(
        ("assistant", "ai", "bot", "model", "char", "character", "gpt", "response", "chatbot"), "companion"
    ),
    **dict.fromkeys(("system", "tool", "function", "developer", "error", "environment", "search"), "neither"),
}
TEXTS = (
    *("content", "text", "msg", "mes", "message", "body", "value", "data"),
    *("fragments", "steps", "parts", "contentParts", "part"),
)
# What a message has that a person deleted.
DELETED = ("deleted", "isDeleted", "is_deleted")
# What a part, or a message, has that was only thought.
THOUGHTS = ("thought", "isThought", "is_thought")
# Parts of a message, beside those that name a side, in which something is said; others are thoughts, calls and files.
SPOKEN = frozenset(
    (
        "",
        "text",
        "input_text",
        "output_text",
        "content",
        "contentblock",
        "multimodal_text",
        "bold",
        "italic",
        "link",
        "plain",
    )
)
# Lists of alternatives in a message, and the number of the chosen one; else it is the one that was used last.
ALTERNATIVES = {"versions": "currentlySelected", "outputs": "currentlySelected"}
USED_LAST = "activeTimestamp"
_NESTING = 8

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
    """Return whose an element is: as it says, or the nearest object around it, or the users that it stands in."""
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
    """Return an object with what holds for it, as far as it does not say otherwise itself."""
    return dict(outer) | {key: one for key, one in value.items() if one not in (None, "") or key not in outer}


def time(value: Mapping[str, Any], zone: tzinfo, names: Iterable[str] = TIMES) -> datetime | None:
    """Return the first time; one of a database may be an object (`{"$date": …}`)."""
    for name in names:
        one = value.get(name)
        while isinstance(one, dict) and len(one) == 1:
            (one,) = one.values()
        if (read := moment(one, zone)) is not None:
            return read
    return None


def words(message: Mapping[str, Any]) -> str:
    """Return the words of a message, without thoughts, tools' calls, images and files."""
    if any(message.get(mark) is True for mark in THOUGHTS):
        return ""
    return next((text for name in TEXTS if (text := _words(message.get(name), 0)).strip()), "")


def _words(value: Any, nesting: int) -> str:
    if isinstance(value, list) and nesting < _NESTING:
        between = "" if any(isinstance(one, str) for one in value) else "\n"
        return between.join(text for one in value if (text := _words(one, nesting + 1)))
    if isinstance(value, dict) and nesting < _NESTING and _is_spoken(value):
        return next((text for name in TEXTS if (text := _words(value.get(name), nesting + 1)).strip()), "")
    return value if isinstance(value, str) else ""


def _is_spoken(part: Mapping[str, Any]) -> bool:
    if any(part.get(mark) is True for mark in THOUGHTS):
        return False
    style, kinds = part.get("style"), (part.get("content_type") or part.get("type"), part.get("ft"), part.get("pt"))
    named = [str(kind).casefold() for kind in kinds if kind]
    is_spoken = all(kind in SPOKEN or SIDES.get(kind, "neither") != "neither" for kind in named)
    return is_spoken and not (isinstance(style, dict) and style.get("type") == "thinking")


def speaker(message: Mapping[str, Any], *, has_side: bool) -> str | None:
    """Return the name of who says a message, which may stand in an object in place of a role.

    Beside a role that says the side, which the caller has read, the name may be a model's.
    """
    within = [one for name in ROLES if isinstance(one := message.get(name), dict)]
    unsaid = (one for one in within if not any(str(one.get(name)).casefold() in SIDES for name in ROLES))
    places = [message, *(unsaid if has_side else within)]
    named = (first(one, SPEAKERS) for one in places)
    return next((name for name in named if name is not None), None)


def side(message: Mapping[str, Any]) -> Side | None:
    """Return who of the two says a message; None if it does not say so in a known word."""
    if any(is_marked(message.get(mark)) for mark in DELETED):
        return "neither"
    mark = next((message[name] for name in MARKS if isinstance(message.get(name), bool)), None)
    if mark is not None:
        return "user" if mark else "companion"
    parts = message.get("fragments")
    kinds = [one.get("type") for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []
    named = [one.get("role") if isinstance(one, dict) else one for one in (message.get(name) for name in ROLES)]
    known, parted = (
        [SIDES.get(one.strip().casefold()) for one in some if isinstance(one, str)] for some in (named, kinds)
    )
    owned = (side for owner, side in OWNERS.items() if message.get(owner))
    # Beside what was looked up for an answer stands the answer.
    parted.sort(key=lambda side: side == "neither")
    return next((one for one in (*known, *parted, *owned) if one is not None), None)


def alternatives(message: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yield what a message says with whether it was chosen: itself, or each of its alternatives."""
    for name, chosen in ALTERNATIVES.items():
        some = message.get(name)
        some = [one for one in some if isinstance(one, dict)] if isinstance(some, list) else []
        if some:
            number = message.get(chosen)
            if not isinstance(number, int) or not 0 <= number < len(some):
                number = max(range(len(some)), key=lambda place: (str(some[place].get(USED_LAST) or ""), place))
            rest = {key: value for key, value in message.items() if key != name}
            for place, one in enumerate(some):
                yield {**rest, **one}, place == number
            return
    yield message, True


def listed(value: Mapping[str, Any], nesting: int = 0) -> Messages | None:
    """Return the messages of a chat, in a list or by their ids; None if it has none."""
    for name in PARTS if nesting < _NESTING else ():
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
    for name in PARTS if nesting < _NESTING else ():
        if isinstance(within := value.get(name), dict):
            yield from about(within, nesting + 1)


def earlier(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the earlier chats that stand within a chat."""
    some = value.get(EARLIER)
    return [one for one in some if isinstance(one, dict)] if isinstance(some, list) else []
