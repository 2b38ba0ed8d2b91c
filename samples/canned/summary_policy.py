"""Answers where something is to be summed up: the sentences of the messages themselves, the newest kept."""

import json
import re
from collections.abc import Iterable

from samples.canned.material import Fenced, Material, sentences
from samples.canned.wire import Json

ROLLING_CHARACTERS = 480
LINE_CHARACTERS = 200
ITEMS = 6
SPINE_ITEMS = 20
SELVES = 3

_PROMISE = re.compile(r"\b(?:I'll|I will|I must|I have to|I need to|I promise)\b")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_SELF = re.compile(r"\bI(?: am|'m| always| never| like| love| hate| prefer| can't stand)\b")
_PROJECT = re.compile(r"\b(?:working on|project|client|order|launch|deadline)\b", re.IGNORECASE)


def rolling_summary(material: Material) -> Json:
    """The earlier summary, and the first sentence of each message, as much of its end as there is room for."""
    lines = [*sentences(_so_far(material).get("summary", "")), *_first_sentences(material.all("message"))]
    kept: list[str] = []
    for sentence in reversed(lines):
        if len(" ".join([sentence, *kept])) > ROLLING_CHARACTERS:
            break
        kept.insert(0, sentence)
    return {"summary": " ".join(kept) or lines[-1][:ROLLING_CHARACTERS]}


def session_summary(material: Material) -> Json:
    """The conversation in its first sentence; questions are open, promises are promises, names are people."""
    so_far, messages = _so_far(material), material.all("message")
    lines = [sentence for message in messages for sentence in _lines(message)]
    return {
        "one_liner": so_far.get("one_liner") or (lines or ["Something was said."])[0],
        "what_mattered": _merged(so_far.get("what_mattered"), _first_sentences(messages), ITEMS),
        "open_loops": _merged(so_far.get("open_loops"), (line for line in lines if line.endswith("?")), ITEMS),
        "commitments": _merged(so_far.get("commitments"), filter(_PROMISE.search, lines), ITEMS),
        "people": _merged(so_far.get("people"), _names(lines), ITEMS),
        "tone": "lively" if any(line.endswith("!") for line in lines) else "calm",
    }


def closed_session(material: Material) -> Json:
    """A conversation's summary; statements about oneself are the user model, and the last message the topic."""
    own = [message for message in material.all("message") if message.attributes.get("own")]
    open_messages = [message for message in own if message.attributes.get("in-confidence") != "yes"]
    selves = [(line, message) for message in open_messages for line in _lines(message) if _SELF.search(line)]
    works = [(line, message) for message in open_messages for line in _lines(message) if _PROJECT.search(line)]
    last = [(lines[0], message) for message in open_messages[-1:] if (lines := _lines(message))]
    return {
        **session_summary(material),
        "user_model": [_resting(*one) for one in selves[:SELVES]],
        "project": next((_resting(*one) for one in reversed(works)), None),
        "mood": None,
        "topic": next((_resting(*one) for one in last), None),
    }


def _resting(line: str, message: Fenced) -> Json:
    return {"text": line, "messages": [message.attributes["own"]]}


def session_summaries(material: Material) -> Json:
    """Each of several short conversations, as if it were alone."""
    return {"summaries": [{"conversation": ref, **closed_session(one)} for ref, one in conversations(material)]}


def conversations(material: Material) -> list[tuple[str, Material]]:
    """Several conversations by their refs, each as if it were alone."""
    return [(attributes["ref"], Material(text)) for text, attributes in material.fences("conversation")]


def summary_spine(material: Material) -> Json:
    """Sentences about oneself, one's work, others, and open tasks; the newest first."""
    so_far = _so_far(material)
    rest = [sentence for message in reversed(material.all("message")) for sentence in _lines(message)]
    open_, rest = [line for line in rest if _PROMISE.search(line)], [line for line in rest if not _PROMISE.search(line)]
    projects, rest = [line for line in rest if _PROJECT.search(line)], [x for x in rest if not _PROJECT.search(x)]
    people, rest = [line for line in rest if _NAME.search(line)], [line for line in rest if not _NAME.search(line)]
    sections = {"PROFILE": rest, "PROJECTS": projects, "PEOPLE": people, "OPEN_LOOPS": open_}
    return {
        name: list(dict.fromkeys([*lines, *so_far.get(name, [])]))[:SPINE_ITEMS] for name, lines in sections.items()
    }


def _so_far(material: Material) -> Json:
    text = material.one("so-far")
    return json.loads(text) if text else {}


def _lines(message: Fenced) -> list[str]:
    return [sentence[:LINE_CHARACTERS] for sentence in sentences(message.text)]


def _first_sentences(messages: Iterable[Fenced]) -> list[str]:
    return [lines[0] for message in messages if (lines := _lines(message))]


def _names(lines: Iterable[str]) -> list[str]:
    return [name for line in lines for name in _NAME.findall(line)]


def _merged(before: list[str] | None, new: Iterable[str], most: int) -> list[str]:
    return list(dict.fromkeys([*(before or []), *new]))[-most:]
