"""Canned scenes: the messages of a conversation with the most content, each in its own sentences."""

import re
from collections.abc import Sequence

from samples.canned.material import Fenced, Material, alike, content_words, sentences
from samples.canned.summary_policy import closed_session, conversations
from samples.canned.wire import Json

# A message has content if it has this many words that show its subject.
TELLING_WORDS = 6
# From this likeness on, the later of two messages of a conversation replaces the earlier.
REPEATED_LIKENESS = 0.4
ACTION_CHARACTERS = 400
THEMES = 2
EVERYDAY = ((8, 0.1), (12, 0.3))

_PLAYED = re.compile(r"\*[^*]+\*|\b(?:let'?s play|pretend|in the (?:game|story))\b", re.IGNORECASE)
_IMAGINED = re.compile(r"\b(?:if i|imagine|suppose|what if|i wish|just kidding|only joking)\b", re.IGNORECASE)
_WEIGHTY = re.compile(
    r"\b(?:died|death|born|married|wedding|hospital|diagnos\w+|fired|quit|accident|funeral|divorce\w*)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
_CORRECTED = re.compile(r"\b(?:actually|i meant|correction|no, wait|scratch that)\b", re.IGNORECASE)


def session_with_scenes(material: Material) -> Json:
    """The summary of a conversation, with its scenes."""
    return {**closed_session(material), "scenes": _scenes(material, int(material.one("scenes-wanted") or 0))}


def sessions_with_scenes(material: Material) -> Json:
    """The summaries of several short conversations, each with one scene at most."""
    return {
        "summaries": [
            {"conversation": ref, **closed_session(one), "scenes": _scenes(one, 1)}
            for ref, one in conversations(material)
        ]
    }


def _scenes(material: Material, wanted: int) -> list[Json]:
    messages = [message for message in material.all("message") if message.ref and message.attributes["by"] == "user"]
    groups: list[list[Fenced]] = []
    for message in messages:
        words = content_words(message.text)
        if len(words) < TELLING_WORDS and not _CORRECTED.search(message.text):
            continue
        same = next((group for group in groups if _same(group, message)), None)
        if same is not None:
            same.append(message)
        elif len(words) >= TELLING_WORDS:
            groups.append([message])
    chosen = sorted(groups, key=lambda group: -max(len(content_words(one.text)) for one in group))[:wanted]
    return [_scene(group) for group in groups if group in chosen]


def _same(group: Sequence[Fenced], message: Fenced) -> bool:
    words = content_words(message.text)
    if _CORRECTED.search(message.text) and words & content_words(group[-1].text):
        return True
    return any(alike(words, content_words(one.text)) >= REPEATED_LIKENESS for one in group)


def _scene(group: Sequence[Fenced]) -> Json:
    # A correction comes after the message that it corrects; the last of repetitions replaces all.
    parts = [group[0], group[-1]] if len(group) > 1 and _CORRECTED.search(group[-1].text) else [group[-1]]
    text = " ".join(sentence for message in parts for sentence in sentences(message.text))
    realm = "role-play" if _PLAYED.search(text) else "hypothetical" if _IMAGINED.search(text) else "real"
    words = sorted(content_words(text), key=len, reverse=True)
    return {
        "messages": [message.ref for message in group],
        "action": _retold(text),
        "quote": None,
        "actors": ["the user", *dict.fromkeys(_NAME.findall(text))],
        "setting": None,
        "feeling": None,
        "themes": words[:THEMES],
        "importance": 0.8 if _WEIGHTY.search(text) else _importance(len(words)),
        "realm": realm,
    }


def _importance(words: int) -> float:
    """Scenes of few words are everyday, and fade within three weeks of daily patrols."""
    return next((importance for most, importance in EVERYDAY if words <= most), 0.5)


def _retold(text: str) -> str:
    """As many whole sentences as there is room for, of a too long first one its beginning."""
    kept = ""
    for sentence in sentences(text):
        if len(f"{kept} {sentence}") > ACTION_CHARACTERS:
            break
        kept = f"{kept} {sentence}".strip()
    return f"“{kept or text[:ACTION_CHARACTERS]}”"
