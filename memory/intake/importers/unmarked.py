"""Reads chats that are no lists of messages, as messages: pairs, a text with marks, and records of logs and activity.

Pairs are those of Oobabooga's web UI, the text is a story of KoboldAI Lite, and Google's Takeout has a record for each
prompt of Gemini with its answer. Coding agents write a log, of which a line has a message within a record.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

from memory.intake.importers import fields, speech
from memory.intake.importers.entries import with_snake_case
from memory.intake.importers.reading.json_elements import Element

PAIRS = ("internal", "data_visible", "visible", "history", "data")
_SPEAKING = (*speech.SAYING, *speech.SPEAKER_IDS, "source")
# Texts in place of the user's part of a pair that has none.
_NOTHING = frozenset(("<|BEGIN-VISIBLE-CHAT|>", ""))
_STORY_MARK = r"\{\{\[(?P<mark>INPUT|OUTPUT|SYSTEM)\]\}\}|\{\{\[(?:INPUT|OUTPUT|SYSTEM)_END\]\}\}"
_ROLES = {"INPUT": "user", "OUTPUT": "assistant", "SYSTEM": "system"}
# The field with the asking user in exports of several users, and the fields of a question and its answer in one object.
ASKED_BY = "username"
EXCHANGES = (
    *(("prompt", "response"), ("prompt", "completion"), ("query", "answer"), ("question", "answer")),
    *(("human", "ai"), ("human", "assistant"), ("user", "assistant"), ("user", "bot")),
    ("instruction", "output"),
)
# The field with the subject of a question of such a name, in sets for training.
_ABOUT_QUESTION = {"instruction": "input"}
# Objects in which a message, or a node of its tree, has its words.
INNER = ("message", "response")
# Objects that hold the whole message, where the object around has no words.
_WHOLE = ("node", "kwargs")
# How deeply lists of messages are looked for in an object that has them under no known name.
_NESTING = 5
# Objects that name the speaker of a message that does not name it itself.
OF_MESSAGE = ("info", "meta")
_PERSONS = {"user", "companion"}
# The fields of a log's line: its record, and the kind and time beside it. Two kinds of records may have the same words.
RECORD, RECORD_KIND, RECORD_TIME = "payload", "type", "timestamp"
# A log's own word for the kind of a record.
IN_LOG = "record"
# A message that the user writes while an agent is at work, in the log of Claude Code.
QUEUED = "attachment"
# The user's answers to the questions of an agent, there.
ANSWERED = "toolUseResult"
# The fields of each line of Claude Code's log; its hook hands the same messages in under their ids.
CLAUDE_CODE = frozenset(("uuid", "parentUuid", "sessionId", "userType"))
_BETWEEN_NAMES = "||$||"
# How all names begin where a program writes them in its own way: `Role`, `Media Type`, `_role`.
_CAPITAL = re.compile(r"[A-Z_]")
_APART = re.compile(r"[\s_()-]+")
_GEMINI = re.compile(r"\b(?:Gemini|Bard)\b", re.IGNORECASE)
_PROMPTED = re.compile(r"(?:Prompted(?: with:)?|Asked(?: Gemini:| Bard:)?|Said|Answered|Branched)\s+")
_ATTACHED = re.compile(r"\sAttached \d{1,4} files?\.\Z")
_BLOCKS = frozenset(("p", "br", "li", "div", "tr", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table"))


def of_log(element: Element) -> Element:
    """Return a log's record with its time and kind, the program's if it names no speaker; other elements unchanged."""
    value, line = element.value, element.around[0][1] if element.around else {}
    is_record = element.path[-1:] == (RECORD,) and {RECORD_KIND, RECORD_TIME} <= line.keys()
    if not is_record or fields.listed(value) is not None:
        return element
    is_said = speech.side(value) is not None or fields.first(value, speech.SAYING) is not None
    about = {RECORD_TIME: line[RECORD_TIME], IN_LOG: line[RECORD_KIND]}
    return replace(element, value={**about, **value, **({} if is_said else {"role": "system"})})


def flat(one: Any) -> Any:
    """Return a message with the fields of an object in it beside its own."""
    if not isinstance(one, dict):
        return one
    queued, answered = one.get(QUEUED), one.get(ANSWERED)
    if isinstance(queued, dict) and queued.get("commandMode") == "prompt":
        return {**one, "role": "user", speech.TEXTS[0]: queued.get("prompt")}
    if isinstance(answered, dict) and "questions" in answered and isinstance(answered.get("answers"), dict):
        given = [one if isinstance(one, list) else [one] for one in answered["answers"].values() if one]
        return {**one, "role": "user", speech.TEXTS[0]: "\n".join(", ".join(map(str, each)) for each in given)}
    objects = [name for name in (*INNER, *OF_MESSAGE) if isinstance(one.get(name), dict)]
    if speech.side(one) is not None or not any(speech.side(one[name]) for name in objects):
        objects = [name for name in objects if name in INNER]
    if not objects:
        return _whole(one)
    name = objects[0]
    about = {other: value for other, value in one.items() if other != name}
    has_id = fields.first(about, fields.KEYS) is not None
    return {**{key: value for key, value in one[name].items() if not (has_id and key in fields.KEYS)}, **about}


def _whole(one: dict[str, Any]) -> dict[str, Any]:
    """Return the inner object of one without words in known fields, or one with names as most programs write them."""
    within = next((held for name in _WHOLE if isinstance(held := one.get(name), dict)), None)
    if within is not None and speech.side(one) is None and not speech.words(one).strip():
        return _whole(within)
    return _renamed(one, 0) if all(_CAPITAL.match(name) for name in one) else one


def _renamed(value: Any, nesting: int) -> Any:
    if isinstance(value, list) and nesting < _NESTING:
        return [_renamed(one, nesting + 1) for one in value]
    if isinstance(value, dict) and nesting < _NESTING:
        named = ((_APART.sub("_", name).strip("_"), one) for name, one in with_snake_case(value).items())
        return {name: _renamed(one, nesting + 1) for name, one in named}
    return value


def held(value: Mapping[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return the lists of messages in an object that says nothing itself, with their names, which may be any."""
    if any(isinstance(value.get(name), str) for name in speech.TEXTS):
        return []
    one = flat(value)
    says = speech.side(one) is not None or any(isinstance(one.get(name), str) for name in speech.TEXTS)
    return [] if says or exchange(value) else [*_held(value, 0)]


def _held(value: Mapping[str, Any], nesting: int) -> Iterator[tuple[str, list[Any]]]:
    for name, one in value.items() if nesting < _NESTING else ():
        if isinstance(one, dict):
            yield from _held(one, nesting + 1)
        elif isinstance(one, list) and are_messages(one):
            yield name, one


def are_messages(some: Iterable[Any]) -> bool:
    """Whether a list holds messages, or questions with their answers.

    Things of other kinds have a type that is a word for a side, but hardly types for both.
    """
    types = set()
    for one in some:
        message = flat(one)
        if not isinstance(message, dict):
            continue
        if exchange(one) is not None:
            return True
        if speech.words(message).strip():
            side = speech.side({**message, "type": None})
            if side in _PERSONS or fields.first(message, speech.SAYING) is not None:
                return True
            types.add(speech.side(message))
    return types >= _PERSONS


def answered(value: Mapping[str, Any], within: fields.Messages) -> fields.Messages:
    """Return the messages of a request to a model with the answer that stands beside them in a record of both."""
    places = (value, value.get("response"))
    offered = [one.get("choices") for one in places if isinstance(one, dict)]
    first = next((one[0] for one in offered if isinstance(one, list) and one), None)
    answer = first.get("message") if isinstance(first, dict) else None
    return [*within, answer] if isinstance(answer, dict) and not isinstance(within, Mapping) else within


def is_event(one: Any) -> bool:
    """Whether it names no speaker, as other events do that stand between messages."""
    message = flat(one)
    if not isinstance(message, dict) or speech.side(message) is not None or exchange(message) is not None:
        return False
    return fields.first(message, _SPEAKING) is None


def program(line: Mapping[str, Any]) -> str | None:
    """Return which program wrote a line of a log, if its messages may have come in by a hook that names it."""
    return "claude-code" if line.keys() >= CLAUDE_CODE else None


def twice(kinds: Sequence[tuple[str, Hashable] | None]) -> set[int]:
    """Return the places of a log's records that repeat a record of another kind, the most frequent one.

    Args:
        kinds: Of each record its kind, and its speaker with the words; None for one without words.
    """
    counts = Counter(one[0] for one in kinds if one)
    main = max(counts, key=lambda kind: counts[kind], default=None)
    held = Counter(one[1] for one in kinds if one and one[0] == main)
    found = set()
    for place, one in enumerate(kinds):
        if one and one[0] != main and held[one[1]]:
            held[one[1]] -= 1
            found.add(place)
    return found


def exchange(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return a question and its answer, which have one time and id; None if an object is no such pair."""
    if isinstance(value.get("message"), dict) and isinstance(value.get("response"), list):
        return list(_of_request(value))
    if speech.side(value) is not None or speech.words(value).strip():
        return None
    for asks, answered in EXCHANGES:
        question, answer = value.get(asks), value.get(answered)
        beside = value.get(_ABOUT_QUESTION.get(asks, ""))
        if isinstance(question, str) and isinstance(beside, str):
            question = f"{question}\n{beside}".strip()
        if isinstance(question, str) and answered in value and isinstance(answer, str | None):
            about = {key: one for key, one in value.items() if key not in {asks, answered, *fields.KEYS}}
            about = {fields.CHAT_OWNERS[0]: about[ASKED_BY], **about} if isinstance(about.get(ASKED_BY), str) else about
            key = fields.first(value, fields.KEYS)
            keys = ({"id": f"{key}/question"}, {"id": f"{key}/answer"}) if key else ({}, {})
            return [
                {**about, **keys[0], "role": "user", "content": question},
                {**about, **keys[1], "role": "assistant", "content": answer},
            ]
    return None


def messages(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the messages of a chat of pairs or of a story; None if it is neither."""
    for name in PAIRS:
        pairs = value.get(name)
        if isinstance(pairs, list) and pairs and all(isinstance(pair, list) for pair in pairs):
            before = list(_of_speakers(pairs) or _of_pairs(pairs, value.get("metadata")))
            # In sets for training a last pair stands beside those before it.
            return before + (exchange({key: one for key, one in value.items() if key != name}) or [])
    actions, settings = value.get("actions"), value.get("savedsettings")
    if isinstance(actions, list) and isinstance(value.get("prompt"), str):
        story = "".join(one for one in (value["prompt"], *actions) if isinstance(one, str))
        return list(_of_story(story, settings if isinstance(settings, dict) else {}))
    return None


def _of_speakers(pairs: list[list[Any]]) -> list[dict[str, Any]]:
    """The messages of pairs of a speaker's side and a text; none if they are pairs of texts."""
    sides = [str(pair[0]).strip().casefold() if len(pair) > 1 else "" for pair in pairs]
    are_sides = len(set(sides)) > 1 and all(side in speech.SIDES for side in sides)
    return [{"role": side, "content": pair[1]} for side, pair in zip(sides, pairs, strict=True)] if are_sides else []


def _of_pairs(pairs: list[list[Any]], about: Any) -> Iterator[dict[str, Any]]:
    about = about if isinstance(about, dict) else {}
    for number, pair in enumerate(pairs):
        for role, text in zip(("user", "assistant"), pair, strict=False):
            beside = about.get(f"{role}_{number}")
            if isinstance(text, str) and text.strip() not in _NOTHING:
                yield {"role": role, "content": text, **(beside if isinstance(beside, dict) else {})}


def _of_request(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The user's request in an editor (VS Code), and the pieces of the answer that are none of a tool."""
    pieces = [one for one in request["response"] if isinstance(one, dict)]
    texts = [piece.get("content", piece) for piece in pieces if piece.get("kind") in {None, "markdownContent"}]
    answer = "".join(str(one["value"]) for one in texts if isinstance(one, dict) and one.get("value"))
    at = {"time": request.get("timestamp")}
    yield {**at, "id": request.get("requestId"), "role": "user", "content": request["message"].get("text")}
    yield {**at, "id": request.get("responseId"), "role": "assistant", "content": answer}


def _of_story(story: str, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Divide a story at its marks, or at the names before the lines of a chat."""
    user, others = str(settings.get("chatname") or ""), str(settings.get("chatopponent") or "").split(_BETWEEN_NAMES)
    names = "|".join(re.escape(name) for name in (user, *others) if name)
    mark = re.compile(rf"{_STORY_MARK}|^(?P<name>{names or '(?!)'}):[ \t]?", re.MULTILINE)
    before: dict[str, Any] = {"role": "unknown"}
    begin = 0
    for found in mark.finditer(story):
        if begin or story[: found.start()].strip():
            yield {**before, "content": story[begin : found.start()]}
        begin = found.end()
        if found["name"]:
            before = {"role": "user" if found["name"] == user else "assistant", "name": found["name"]}
        elif found["mark"]:
            before = {"role": _ROLES[found["mark"]]}
    yield {**before, "content": story[begin:]}


def activity(record: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return a prompt to Gemini and its answer, which have one time; nothing for other activity.

    Of an object that is no record of activity, None.
    """
    title, answers, products = (record.get(name) for name in ("title", "safeHtmlItem", "products"))
    if not isinstance(title, str) or not isinstance(products, list):
        return None
    if not any(isinstance(one, str) and _GEMINI.search(one) for one in (record.get("header"), *products)):
        return []
    texts = [one.get("html") for one in answers if isinstance(one, dict)] if isinstance(answers, list) else []
    answer = "\n".join(_words(text) for text in texts if isinstance(text, str))
    # In other languages than English, an answered record is a prompt.
    prompted = _PROMPTED.match(title)
    if prompted is None and not answer.strip():
        return []
    prompt = _ATTACHED.sub("", title[prompted.end() if prompted else 0 :])
    about = {"conversation": "gemini", "time": record.get("time")}
    key = f"{record.get('time')}/{title}"
    return [
        {**about, "id": key, "role": "user", "content": prompt},
        {**about, "parent": key, "role": "assistant", "content": answer},
    ]


def _words(html: str) -> str:
    reader = _Words()
    reader.feed(html)
    reader.close()
    return re.sub(r"\n{3,}", "\n\n", "".join(reader.words)).strip()


class _Words(HTMLParser):
    """The words of HTML, with a line for each block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a line where a block begins."""
        del attrs
        if tag in _BLOCKS:
            self.words.append("\n")

    def handle_data(self, data: str) -> None:
        """Take words."""
        self.words.append(data)
