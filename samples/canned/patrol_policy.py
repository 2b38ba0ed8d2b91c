"""Canned answers for patrols: merges of similar memories, topics by shared words, roots, names and repairs."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from samples.canned.material import WORD, Fenced, Material, alike
from samples.canned.wire import Json

# Jaccard similarity of content words from which two memories are merged, and from which one repeats the other.
MERGED_LIKENESS = 0.31
REPEATED_LIKENESS = 0.6
TOPIC_MEMORIES = 3
_DENIAL = re.compile(r"\b(?:not|no|never|nobody|nothing|neither|nor|cannot)\b|n't\b", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EMOTION = ("valence", "arousal", "dominance", "safety", "novelty", "trust")
_BUSINESS = frozenset(
    WORD.findall(
        """bank bill boss budget business client clients colleague colleagues commission company contract customer
    customers deadline deal hired interview invoice invoices job manager meeting money office order orders paid
    payment price project promotion rent salary sale sold supplier tax taxes work worked workshop"""
    )
)


def consolidation(material: Material) -> Json:
    """Merge memories with similar words and the same negations; let the other dying ones go."""
    memories = [memory for memory in material.all("memory") if not memory.is_("shortened")]
    merges: list[Json] = []
    taken: set[str] = set()
    # Survivors: pinned memories first, then the longest.
    for survivor in sorted(memories, key=lambda memory: (not memory.is_("pinned"), -len(memory.text))):
        if survivor.ref in taken:
            continue
        absorbed = [
            memory
            for memory in memories
            if memory.ref not in {*taken, survivor.ref}
            and not memory.is_("pinned")
            and alike(memory.words, survivor.words) >= MERGED_LIKENESS
            and _denies(memory) == _denies(survivor)
            and memory.content.get("realm") == survivor.content.get("realm")
        ]
        if absorbed:
            taken |= {survivor.ref, *(memory.ref for memory in absorbed)}
            merges.append(_merge(survivor, absorbed))
    dying = [memory for memory in material.all("memory") if memory.is_("dying")]
    return {
        "merges": merges,
        "make_dead": [memory.ref for memory in dying if memory.ref not in taken],
    }


def _denies(memory: Fenced) -> bool:
    """Whether a memory denies something, which its content words alone do not show."""
    return bool(_DENIAL.search(memory.content.get("action", "")))


def _merge(survivor: Fenced, absorbed: Sequence[Fenced]) -> Json:
    scenes = [survivor.content, *(memory.content for memory in absorbed)]
    return {
        "survivor": survivor.ref,
        "absorbed": [memory.ref for memory in absorbed],
        "action": _joined_action(survivor, absorbed),
        "feeling": next((scene["feeling"] for scene in scenes if scene.get("feeling")), None),
        **{name: _together(scene.get(name) for scene in scenes) for name in ("actors", "dialogue", "themes")},
    }


def _joined_action(survivor: Fenced, absorbed: Sequence[Fenced]) -> str:
    """The survivor's action, and in the order of their dates that of the newest other memory that adds to it."""
    adding = [memory for memory in absorbed if alike(memory.words, survivor.words) < REPEATED_LIKENESS]
    if not adding:
        return str(survivor.content["action"])
    both = sorted([survivor, max(adding, key=_newest_date)], key=_newest_date)
    return " ".join(memory.content["action"] for memory in both)


def _newest_date(memory: Fenced) -> str:
    return max(_DATE.findall(json.dumps(memory.content.get("when", ""))), default="")


def split(material: Material) -> Json:
    """Make a topic of each word that several memories share, the most shared first, while enough of them stay."""
    left = {memory.ref: memory.words for memory in material.all("memory")}
    stays = int(material.one("stays") or 0)
    taken = {name.lower() for name in (material.one("topic"), *material.one("neighbours").splitlines())}
    shared = Counter(word for words in left.values() for word in words)
    spelled = {
        word.lower(): word
        for memory in material.all("memory")
        for word in WORD.findall(memory.content.get("action", ""))
    }
    # A word of most memories distinguishes none.
    candidates = [word for word, count in shared.most_common() if TOPIC_MEMORIES <= count <= max(3, len(left) * 0.6)]
    topics = []
    for word in sorted(candidates, key=lambda word: (-shared[word], word)):
        memories = [ref for ref, words in left.items() if word in words]
        name = _name(word, [left[ref] for ref in memories], shared, spelled)
        if TOPIC_MEMORIES <= len(memories) <= len(left) - stays and name.lower() not in taken:
            topics.append({"name": name, "memories": memories})
            taken.add(name.lower())
            left = {ref: words for ref, words in left.items() if ref not in memories}
    return {"topics": topics}


def _name(word: str, members: Sequence[frozenset[str]], shared: Mapping[str, int], spelled: Mapping[str, str]) -> str:
    beside = Counter(other for words in members for other in words if other != word)
    # The word that belongs to these memories more than to the others.
    second = min(beside, key=lambda other: (-(beside[other] ** 2) / shared[other], other), default="the rest")
    first = spelled.get(word, word)
    return f"{first[:1].upper()}{first[1:]} and {spelled.get(second, second)}"


def topic_name(material: Material) -> Json:
    """Join the first two words that the topic is known by."""
    words = material.one("words").split(", ")
    return {"name": " and ".join(words[:2])}


def classification(material: Material) -> Json:
    """Classify memories with words of work or money as Business."""
    memories = material.all("memory")
    business = [memory.ref for memory in memories if memory.words & _BUSINESS]
    return {"business": business, "private": [memory.ref for memory in memories if memory.ref not in business]}


def repaired_scene(material: Material) -> Json:
    """Take the fields that can still be read; without any, the whole text becomes the action."""
    note = next(iter(material.all("note")), Fenced("", {}))
    moods = {name: re.search(rf"\"{name}\"\s*:\s*(-?[01](?:\.\d+)?)", note.text) for name in _EMOTION}
    importance = re.search(r"\"?importance\"?\s*[:=]\s*([01](?:\.\d+)?)", note.text)
    return {
        "action": _field(note.text, "action") or " ".join(note.text.split()),
        "actors": re.findall(r"\"([^\"]*)\"", found[1])
        if (found := re.search(r"\"?actors\"?\s*[:=]\s*\[([^\]]*)\]?", note.text))
        else [],
        "when": _when(note.text) or [note.attributes.get("received", "today")],
        "setting": _field(note.text, "setting"),
        "dialogue": [],
        "sensory": [],
        "feeling": _field(note.text, "feeling"),
        "importance": float(importance[1]) if importance else None,
        "themes": [],
        "emotion": {name: float(mood[1]) for name, mood in moods.items() if mood} if all(moods.values()) else None,
    }


def _when(text: str) -> list[Json | str]:
    dated = re.findall(r"\{\s*\"date\"\s*:\s*\"([^\"]*)\",\s*\"action\"\s*:\s*\"([^\"]*)\"\s*\}", text)
    lines = {date: {"date": date, "action": action} for date, action in dated}
    return [lines.get(date, date) for date in dict.fromkeys(re.findall(r"\d{4}-\d\d-\d\d", text))]


def _field(text: str, name: str) -> str | None:
    found = re.search(rf"\"?{name}\"?\s*[:=]\s*\"([^\"]*)\"?", text)
    return found[1] if found else None


def _together(lists: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(item for items in lists for item in items or ()))
