"""The speaker and the words of an exported message: programs' names of their fields, and the reading of these."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from memory.intake.importers.fields import NESTING, PART_IDS, first, is_unsaid
from memory.wrapping.agents import said_in_result
from providers.chat import spoken_calls
from schemas.wire.fields import says_no

SPEAKERS = ("handle", "speaker", "name", "senderName", "sender_name")
# Fields with the speaker: by a mark, a word, the kind of a part, or the owner of an id.
SAYING = ("role", "sender", "author", "from", "nature", "speaker", "sender_name", "senderName")
ROLES = (*SAYING[:5], "role_type", "message_type", "subtype", "type", *SAYING[5:])
# The kind of the author, which decides the side where no field names the author: of several people each is a user.
AUTHOR_KINDS = ("author_type", "authorType", "sender_type", "senderType")
# The fields of an object of such a name that have the word.
_WITHIN_ROLES = ("role", "label")
# The last fields that decide the side of a message without a name, and a field that stands beside each: in
# histories of Rasa, pydantic-ai and AutoGen.
_LAST_ROLES = {"event": ("parse_data", "data"), "kind": ("parts",), "source": ("models_usage",)}
# An object about the speaker in Character.AI's dumps; elsewhere a text of this name says where a message came from.
_SOURCE = "src"
# An object about the speaker without a side, in Google's chats.
_PERSON = "creator"
# Fields with a person's id, where no field has the name: beside a role it is the chat's owner.
SPEAKER_IDS = ("user",)
Side = Literal["user", "companion", "neither"]
MARKS: dict[str, Side] = {
    **dict.fromkeys(("isCreatedByUser", "is_user", "isUser", "is_human", "isHuman", "fromUser", "from_user"), "user"),
    **dict.fromkeys(("is_from_me", "isFromMe", "fromMe", "from_me", "is_sender", "isSender"), "user"),
    **dict.fromkeys(("is_bot", "isBot", "is_ai", "isAI", "isAi", "fromBot", "from_bot"), "companion"),
}
# The direction of a message of a support desk: in Chatwoot's exports the contact is the user.
_DESK = "message_type"
_DESKS: dict[str, Side] = {"incoming": "user", "outgoing": "companion"}
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
    # Members who came and went, in Telegram, Slack and Discord
    **dict.fromkeys(("service", "channel_join", "channel_leave", "channel_topic", "channel_purpose"), "neither"),
    **dict.fromkeys(("recipientadd", "recipientremove", "call", "channelnamechange", "channeliconchange"), "neither"),
    **dict.fromkeys(("channelpinnedmessage", "guildmemberjoin", "threadcreated"), "neither"),
}
# Marks of answers that are an error's text.
FAILED = ("error", "isError", "is_error", "isApiErrorMessage")
# The model of an answer that a program wrote itself.
NO_MODEL = "<synthetic>"
# The kinds of messages that a model only thought, and gpt-oss's channel of these: other channels are people's.
_THOUGHT_KINDS, _THOUGHT_CHANNEL = frozenset(("thought", "thoughts", "thinking", "reasoning", "analysis")), "analysis"
_OTHER: dict[Side, Side] = {"user": "companion", "companion": "user", "neither": "neither"}
TEXTS = (
    *("content", "text", "msg", "mes", "message", "body", "value", "data"),
    *("fragments", "steps", "parts", "contentParts", "part", "segments", "say", "blocks", "items", "contents"),
)
# Marks of a part, or a message, that was only thought, and of a part that a program added.
THOUGHTS, ADDED = ("thought", "isThought", "is_thought"), "synthetic"
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
# Marks of an alternative that stands beside the chosen one as a message of its own.
IS_CHOSEN, IS_LEFT = ("is_main", "isMain"), "is_alternative"


def speaker(message: Mapping[str, Any], *, has_side: bool) -> str | None:
    """Return the name of a message's speaker, which may stand in an object in place of a role.

    Beside a role that says the side, which the caller has read, the name may be a model's.
    """
    within = [one for name in (*ROLES, _SOURCE) if isinstance(one := message.get(name), dict)]
    unsaid = (one for one in within if not any(str(one.get(name)).casefold() in SIDES for name in ROLES))
    places = [message, *(unsaid if has_side else within)]
    named = (first(one, SPEAKERS) for one in places)
    return next((name for name in named if name is not None), None)


def person(message: Mapping[str, Any]) -> str | None:
    """Return the name in an object about the writer of a message, where no other field names the speaker."""
    one = message.get(_PERSON)
    return first(one, SPEAKERS) if isinstance(one, dict) else None


def side(message: Mapping[str, Any]) -> Side | None:
    """Return which of the two says a message; None if it has no known word for it."""
    if is_unsaid(message):
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
        return desk
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
    # The answer stands beside the parts that were looked up for it.
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
    """Return the side by a mark of a message or of the object about its speaker."""
    if one.keys().isdisjoint(MARKS):
        return None
    mark = next((name for name in MARKS if _is_truth(name, one.get(name))), None)
    if mark is None:
        return None
    if not says_no(one[mark]):
        return MARKS[mark]
    # A speaker who is no bot may be any of several people, where messages have names.
    is_certain = MARKS[mark] == "user" or all(first(each, (*SPEAKERS, *SAYING)) is None for each in (one, message))
    return _OTHER[MARKS[mark]] if is_certain else None


def _is_truth(name: str, value: Any) -> bool:
    """Whether a mark has a truth value; a number under a name such as `from_user` may be someone's id."""
    written = str(value).casefold()
    return written in {"true", "false", "yes", "no"} or (name.startswith("is") and written in {"0", "1"})


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
    """Return the texts that an agent sends by calls of a tool."""
    return spoken_calls.spoken_by_calls(calls(message))


def _words(value: Any, nesting: int) -> str:
    if isinstance(value, list) and nesting < NESTING:
        is_run = any(isinstance(one, str) for one in value)
        # Code within a line of text is said, and a part of its own may be a tool's.
        value = [{**one, "type": "text"} if is_run and _is_code(one) else one for one in value]
        return ("" if is_run else "\n").join(text for one in value if (text := _words(one, nesting + 1)))
    if isinstance(value, dict) and nesting < NESTING and value.get("type") == RESULT:
        is_error = value.get("is_error") is True
        return said_in_result(_words(value.get("content"), nesting + 1), is_error=is_error, is_question=False)
    if isinstance(value, dict) and nesting < NESTING and _is_spoken(value):
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


def alternatives(message: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yield a message, or each of its alternatives, with whether it was chosen."""
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
    # A person's message has no alternatives beside it.
    yield message, side(message) == "user" or not is_left
