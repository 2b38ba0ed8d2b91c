"""Reads chats that are no lists of messages, as messages: pairs of texts, a text with marks, and records of activity.

Pairs are those of Oobabooga's web UI, the text is a story of KoboldAI Lite, and Google's Takeout has a record for each
prompt of Gemini with its answer.
"""

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from memory.intake.importers.fields import SIDES

PAIRS = ("internal", "data_visible", "visible", "history", "data")
# What stands for the user's part of a pair that has none.
_NOTHING = frozenset(("<|BEGIN-VISIBLE-CHAT|>", ""))
_STORY_MARK = r"\{\{\[(?P<mark>INPUT|OUTPUT|SYSTEM)\]\}\}|\{\{\[(?:INPUT|OUTPUT|SYSTEM)_END\]\}\}"
_ROLES = {"INPUT": "user", "OUTPUT": "assistant", "SYSTEM": "system"}
_BETWEEN_NAMES = "||$||"
_GEMINI = re.compile(r"\b(?:Gemini|Bard)\b", re.IGNORECASE)
_PROMPTED = re.compile(r"(?:Prompted(?: with:)?|Asked(?: Gemini:| Bard:)?|Said|Answered|Branched)\s+")
_ATTACHED = re.compile(r"\sAttached \d{1,4} files?\.\Z")
_BLOCKS = frozenset(("p", "br", "li", "div", "tr", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "table"))


def messages(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the messages of a chat of pairs or of a story; None if it is neither."""
    for name in PAIRS:
        pairs = value.get(name)
        if isinstance(pairs, list) and pairs and all(isinstance(pair, list) for pair in pairs):
            return list(_of_speakers(pairs) or _of_pairs(pairs, value.get("metadata")))
    actions, settings = value.get("actions"), value.get("savedsettings")
    if isinstance(actions, list) and isinstance(value.get("prompt"), str):
        story = "".join(one for one in (value["prompt"], *actions) if isinstance(one, str))
        return list(_of_story(story, settings if isinstance(settings, dict) else {}))
    return None


def _of_speakers(pairs: list[list[Any]]) -> list[dict[str, Any]]:
    """The messages of pairs of a speaker's side and a text; none if they are pairs of texts."""
    sides = [str(pair[0]).strip().casefold() if len(pair) > 1 else "" for pair in pairs]
    are_sides = len(set(sides)) > 1 and all(side in SIDES for side in sides)
    return [{"role": side, "content": pair[1]} for side, pair in zip(sides, pairs, strict=True)] if are_sides else []


def _of_pairs(pairs: list[list[Any]], about: Any) -> Iterator[dict[str, Any]]:
    about = about if isinstance(about, dict) else {}
    for number, pair in enumerate(pairs):
        for role, text in zip(("user", "assistant"), pair, strict=False):
            beside = about.get(f"{role}_{number}")
            if isinstance(text, str) and text.strip() not in _NOTHING:
                yield {"role": role, "content": text, **(beside if isinstance(beside, dict) else {})}


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
    # In other languages than English, what was answered was a prompt.
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
