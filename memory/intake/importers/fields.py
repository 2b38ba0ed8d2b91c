"""The names that programs give to the fields of their chats, and what stands in them: a table for each fact.

Known from the exports of Open WebUI, LibreChat, LobeChat, TypingMind, Jan, LM Studio, Agnai, RisuAI, Backyard AI,
DeepSeek, Grok and Copilot, and of programs that write the messages of a model's API.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Any, Literal

from memory.intake.importers.entries import DATABASE_ID, with_snake_case
from memory.intake.importers.json_elements import Element
from memory.intake.importers.times import moment
from memory.wrapping.agents import said_in_result
from providers.chat import spoken_calls
from schemas.wire.fields import says_no

# Where the messages of a chat stand: in a list, or in an object by their ids.
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
# What a message of Meta's has, whose texts have each byte of UTF-8 as a character.
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
# Whose a chat is, in an export of all users of a system: an id, or an object with one, or that a database has made.
CHAT_OWNERS = ("user_id", "userId")
OWNERS_WITHIN = ("user", "account", "owner")
OWNER_IDS = (*CHAT_OWNERS, "uuid", "id")
USERS = "users"
# What `owner` reads in an object around an element.
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
SPEAKERS = ("handle", "speaker", "name", "senderName", "sender_name")
# Who speaks: by a mark, a word, the kind of a part, or by whose id there is.
SAYING = ("role", "sender", "author", "from", "nature", "speaker", "sender_name", "senderName")
ROLES = (*SAYING[:5], "role_type", "message_type", "subtype", "type", *SAYING[5:])
# The kind of the author, which tells the side where nothing names the author: of several people each is a user.
AUTHOR_KINDS = ("author_type", "authorType", "sender_type", "senderType")
# Where an object of such a name has the word.
_WITHIN_ROLES = ("role", "label")
# What tells it, of a message without a name, where nothing else does, and a field that stands beside it then: in
# histories of Rasa, pydantic-ai and AutoGen.
_LAST_ROLES = {"event": ("parse_data", "data"), "kind": ("parts",), "source": ("models_usage",)}
# The support desk's word for a direction is that of Chatwoot, in whose exports the contact is the user.
_DESK, _DESKS = "message_type", {"incoming": "customer", "outgoing": "agent_message"}
# An object about the speaker in Character.AI's dumps; elsewhere a text of this name says where a message came from.
_SOURCE = "src"
# An object about the speaker that tells no side, in Google's chats.
_PERSON = "creator"
# In which a person's id stands, if nothing says the name: beside a role it is whose the chat is.
SPEAKER_IDS = ("user",)
Side = Literal["user", "companion", "neither"]
MARKS: dict[str, Side] = {
    **dict.fromkeys(("isCreatedByUser", "is_user", "isUser", "is_human", "isHuman", "fromUser", "from_user"), "user"),
    **dict.fromkeys(("is_from_me", "isFromMe", "fromMe", "from_me", "is_sender", "isSender"), "user"),
    **dict.fromkeys(("is_bot", "isBot", "is_ai", "isAI", "isAi", "fromBot", "from_bot"), "companion"),
}
OWNERS: dict[str, Side] = {"userId": "user", "characterId": "companion"}
SIDES: dict[str, Side] = {
    **dict.fromkeys(("user", "human", "you", "me", "request", "prompter", "customer"), "user"),
    **dict.fromkeys(("user_message", "outgoing"), "user"),
    **dict.fromkeys(
        ("assistant", "ai", "bot", "robot", "model", "char", "character", "gpt", "response", "chatbot"), "companion"
    ),
    **dict.fromkeys(("assistant_message", "agent_message", "bot_message", "incoming"), "companion"),
    **dict.fromkeys(("system", "tool", "function", "developer", "error", "environment", "search"), "neither"),
    # Letta, ShareGPT, OpenAI's Responses
    **dict.fromkeys(("function_call_output", "custom_tool_call", "custom_tool_call_output"), "neither"),
    **dict.fromkeys(
        ("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"), "neither"
    ),
    **dict.fromkeys(
        ("computer_call", "computer_call_output", "mcp_call", "mcp_list_tools", "item_reference"), "neither"
    ),
    **dict.fromkeys(("approval_request_message", "approval_response_message"), "neither"),
    **dict.fromkeys(("system_message", "reasoning_message", "tool_call_message", "tool_return_message"), "neither"),
    **dict.fromkeys(("observation", "function_call", "tool_call", "tool_response", "tool_result"), "neither"),
}
# Words for the kind of a message; a speaker may have such a name.
KINDS: dict[str, Side] = {
    "prompt": "user",
    **dict.fromkeys(("gemini", "claude", "chatgpt", "copilot", "qwen"), "companion"),
    **dict.fromkeys(("info", "warning", "queue-operation"), "neither"),
    # Who came and went, in Telegram, Slack and Discord
    **dict.fromkeys(("service", "channel_join", "channel_leave", "channel_topic", "channel_purpose"), "neither"),
    **dict.fromkeys(("recipientadd", "recipientremove", "call", "channelnamechange", "channeliconchange"), "neither"),
    **dict.fromkeys(("channelpinnedmessage", "guildmemberjoin", "threadcreated"), "neither"),
}
TEXTS = (
    *("content", "text", "msg", "mes", "message", "body", "value", "data"),
    *("fragments", "steps", "parts", "contentParts", "part", "segments", "say", "blocks", "items", "contents"),
)
# What a message has that a person deleted or an agent wrote for itself, and an answer that is an error's text.
UNSAID = frozenset(("deleted", "isDeleted", "is_deleted", "isMeta", "isSidechain", "isCompactSummary"))
FAILED = ("error", "isError", "is_error", "isApiErrorMessage")
# The model of an answer that a program wrote itself.
NO_MODEL = "<synthetic>"
# What a chat has, or an object in it, that is not to be remembered, and why it is left out then. Letter case and a
# leading `is` do not count; a time stands where the program notes when.
NOT_REMEMBERED = {
    **dict.fromkeys(("do_not_remember", "off_the_record"), "conversations marked as not to be remembered"),
    **dict.fromkeys(("temporary", "temporary_chat", "incognito", "expired_at"), "temporary conversations"),
    **dict.fromkeys(("deleted", "deleted_at"), "deleted conversations"),
}
SETTINGS = ("settings", "metadata", "meta")
# What a part, or a message, has that was only thought, and what a part has that a program added.
THOUGHTS, ADDED = ("thought", "isThought", "is_thought"), "synthetic"
# The kinds of messages that a model only thought, and gpt-oss's channel of these: other channels are people's.
_THOUGHT_KINDS, _THOUGHT_CHANNEL = frozenset(("thought", "thoughts", "thinking", "reasoning", "analysis")), "analysis"
# Calls of tools, by some of which agents speak.
CALLS = ("tool_calls", "tool_call", "function_call")
# Parts of a message, beside those that name a side, in which something is said; others are thoughts, calls and files.
SPOKEN = frozenset(
    (
        *("", "text", "input_text", "output_text", "content", "contentblock", "multimodal_text", "main_text", "plain"),
        *("user-prompt", "textcontent"),
        *("bold", "italic", "underline", "strikethrough", "spoiler", "blockquote", "custom_emoji", "pre", "unknown"),
        *("mention", "mention_name", "hashtag", "cashtag", "bot_command", "email", "phone", "bank_card", "text_link"),
        "link",
    )
)
# Names of the kind of a part, beside its type.
_PART_KINDS = ("ft", "pt", "part_kind", "block_type", "$type")
# A part that is the result of a call, in which the user may speak.
RESULT = "tool_result"
# Lists of alternatives in a message, and the number of the chosen one; else it is the one that was used last.
ALTERNATIVES = {"versions": "currentlySelected", "outputs": "currentlySelected"}
USED_LAST = "activeTimestamp"
# What an alternative has that stands beside the chosen one as a message of its own.
IS_CHOSEN, IS_LEFT = ("is_main", "isMain"), "is_alternative"
# A time of day alone, beside a date.
_CLOCK = re.compile(r"\s*(?:\D{1,9}\s?)?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?\D{1,9})?\s*")
_NESTING = 8
_OTHER: dict[Side, Side] = {"user": "companion", "companion": "user", "neither": "neither"}

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
    """Return the first time; one of a database may be an object (`{"$date": …}`, `{"seconds": …}`)."""
    return next((read for name in names if (read := _time(value.get(name), zone, 0)) is not None), None)


def _time(value: Any, zone: tzinfo, nesting: int) -> datetime | None:
    if isinstance(value, dict) and nesting < _NESTING:
        # A fraction of a second, which may stand first, is no time of its own.
        within = (_time(one, zone, nesting + 1) for name, one in value.items() if "nano" not in name.casefold())
        return next((read for read in within if read is not None), None)
    return moment(value, zone)


def open_time(message: Mapping[str, Any], at: datetime | None) -> Any:
    """Return a message's time as it is written, if one alone does not tell it; None if it is read, or there is none."""
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


def words(message: Mapping[str, Any]) -> str:
    """Return the words of a message, without thoughts, tools' calls, images and files."""
    if any(message.get(mark) is True for mark in THOUGHTS):
        return ""
    if spoken := spoken_by_calls(message):
        return "\n".join(spoken)
    texts = ((name, message[name]) for name in TEXTS if name in message)
    return next((text for name, one in texts if not _are_ids(name, one) and (text := _words(one, 0)).strip()), "")


def _are_ids(name: str, value: Any) -> bool:
    """Whether a list refers to parts that stand elsewhere."""
    return name == PART_IDS and isinstance(value, list) and any(isinstance(one, str) for one in value)


def calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the calls of tools that stand beside a message's words."""
    held = [message.get(name) for name in CALLS]
    return [call for some in held for call in (some if isinstance(some, list) else [some]) if isinstance(call, dict)]


def spoken_by_calls(message: Mapping[str, Any]) -> list[str]:
    """Return what an agent says by calls of a tool."""
    return spoken_calls.spoken_by_calls(calls(message))


def _words(value: Any, nesting: int) -> str:
    if isinstance(value, list) and nesting < _NESTING:
        is_run = any(isinstance(one, str) for one in value)
        # Code within a line of text is said, and a part of its own may be a tool's.
        value = [{**one, "type": "text"} if is_run and _is_code(one) else one for one in value]
        return ("" if is_run else "\n").join(text for one in value if (text := _words(one, nesting + 1)))
    if isinstance(value, dict) and nesting < _NESTING and value.get("type") == RESULT:
        is_error = value.get("is_error") is True
        return said_in_result(_words(value.get("content"), nesting + 1), is_error=is_error, is_question=False)
    if isinstance(value, dict) and nesting < _NESTING and _is_spoken(value):
        return next((text for name in TEXTS if (text := _words(value.get(name), nesting + 1)).strip()), "")
    return value if isinstance(value, str) else ""


def _is_code(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "code"


def _is_spoken(part: Mapping[str, Any]) -> bool:
    if any(part.get(mark) is True for mark in (*THOUGHTS, ADDED)):
        return False
    style, kinds = part.get("style"), (part.get("content_type") or part.get("type"), *map(part.get, _PART_KINDS))
    named = [str(kind).casefold() for kind in kinds if kind]
    is_spoken = all(kind in SPOKEN or SIDES.get(kind, "neither") != "neither" for kind in named)
    return is_spoken and not (isinstance(style, dict) and style.get("type") == "thinking")


def speaker(message: Mapping[str, Any], *, has_side: bool) -> str | None:
    """Return the name of who says a message, which may stand in an object in place of a role.

    Beside a role that says the side, which the caller has read, the name may be a model's.
    """
    within = [one for name in (*ROLES, _SOURCE) if isinstance(one := message.get(name), dict)]
    unsaid = (one for one in within if not any(str(one.get(name)).casefold() in SIDES for name in ROLES))
    places = [message, *(unsaid if has_side else within)]
    named = (first(one, SPEAKERS) for one in places)
    return next((name for name in named if name is not None), None)


def person(message: Mapping[str, Any]) -> str | None:
    """Return the name in an object about who wrote a message, where nothing else names the speaker."""
    one = message.get(_PERSON)
    return first(one, SPEAKERS) if isinstance(one, dict) else None


def side(message: Mapping[str, Any]) -> Side | None:
    """Return who of the two says a message; None if it does not say so in a known word."""
    if not all(says_no(message[mark]) for mark in message.keys() & UNSAID):
        return "neither"
    found = "companion" if spoken_by_calls(message) else _side(message)
    is_written = any(message.get(mark) is True for mark in FAILED) or message.get("model") == NO_MODEL
    return "neither" if found == "companion" and is_written else found


def is_thought(message: Mapping[str, Any]) -> bool:
    """Return whether a message that is not the user's is of a kind that a model only thinks."""
    kinds = {str(message.get(name)) for name in ("type", "kind")}
    return not _THOUGHT_KINDS.isdisjoint(kinds) or message.get("channel") == _THOUGHT_CHANNEL


def _side(message: Mapping[str, Any]) -> Side | None:
    if (marked := _marked(message, message)) is not None:
        return marked
    if (desk := _DESKS.get(str(message.get(_DESK)))) is not None:
        return SIDES[desk]
    parts = message.get("fragments")
    part_kinds = [one.get("type") for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []
    has_kind = not message.keys().isdisjoint(AUTHOR_KINDS)
    is_unnamed = has_kind and speaker(message, has_side=False) is None and first(message, SAYING) is None
    roles = (*ROLES, *AUTHOR_KINDS) if is_unnamed else ROLES
    of_roles = (message.get(name) for name in roles)
    named = [first(one, _WITHIN_ROLES) if isinstance(one, dict) else one for one in of_roles]
    known, parted = (
        [SIDES.get(one.strip().casefold()) for one in some if isinstance(one, str)] for some in (named, part_kinds)
    )
    owned = (side for owner, side in OWNERS.items() if message.get(owner))
    # Beside what was looked up for an answer stands the answer.
    parted.sort(key=lambda side: side == "neither")
    within = (_marked(one, message) for name in (*SAYING, _SOURCE) if isinstance(one := message.get(name), dict))
    kinds = [str(message.get(name)).casefold() for name in roles if name not in SAYING]
    of_kind = map(KINDS.get, kinds)
    found = next((one for one in (*known, *parted, *owned, *of_kind, *within) if one is not None), None)
    return _of_last_roles(message) if found is None else found


def _of_last_roles(message: Mapping[str, Any]) -> Side | None:
    if message.keys().isdisjoint(_LAST_ROLES) or speaker(message, has_side=False):
        return None
    if first(message, (*SAYING, *SPEAKER_IDS, *AUTHOR_KINDS)) is not None:
        return None
    known = (name for name, beside in _LAST_ROLES.items() if not message.keys().isdisjoint(beside))
    named = (SIDES.get(str(message.get(name)).casefold()) for name in known)
    return next((one for one in named if one is not None), None)


def _marked(one: Mapping[str, Any], message: Mapping[str, Any]) -> Side | None:
    """The side that a mark tells, of a message or of the object about its speaker."""
    if one.keys().isdisjoint(MARKS):
        return None
    mark = next((name for name in MARKS if _is_truth(name, one.get(name))), None)
    if mark is None:
        return None
    if not says_no(one[mark]):
        return MARKS[mark]
    # Who is no bot may be any of several people, where names tell them apart.
    is_certain = MARKS[mark] == "user" or all(first(each, (*SPEAKERS, *SAYING)) is None for each in (one, message))
    return _OTHER[MARKS[mark]] if is_certain else None


def _is_truth(name: str, value: Any) -> bool:
    """Whether a mark has a value that tells; a number under a name such as `from_user` may be someone's id."""
    written = str(value).casefold()
    return written in {"true", "false", "yes", "no"} or (name.startswith("is") and written in {"0", "1"})


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
    is_left = any(message.get(mark) is False for mark in IS_CHOSEN) or not says_no(message.get(IS_LEFT))
    # What a person said has no alternatives beside it.
    yield message, side(message) == "user" or not is_left


def not_remembered(chat: Mapping[str, Any]) -> str | None:
    """Return why a chat is not to be taken in, as it says itself; None if it is."""
    parts = [*about(chat)]
    parts += [one for part in parts for name in SETTINGS if isinstance(one := part.get(name), dict)]
    for part in parts:
        for name, value in with_snake_case(part).items():
            reason = NOT_REMEMBERED.get(name.removeprefix("is_"))
            is_set = value is True or moment(value) is not None if name.endswith("_at") else not says_no(value)
            if reason is not None and is_set:
                return reason
    return None


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
