"""What is answered to a patrol: near-identical memories become one, shared words make topics, a day some lines."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.fakes.material import WORD, Fenced, Material, alike
from tests.fakes.wire import Json

LIKENESS = 0.35
TOPIC_MEMORIES = 3
LINES = 5
NOTES = 7
LINE_CHARACTERS = 200

_BUSINESS = frozenset(
    WORD.findall(
        """bank bill boss budget business client clients colleague colleagues commission company contract customer
    customers deadline deal hired interview invoice invoices job manager meeting money office order orders paid
    payment price project promotion rent salary sale sold supplier tax taxes work worked workshop"""
    )
)


def consolidation(material: Material) -> Json:
    """Merge what is told in much the same words; let go what is dying and went into nothing."""
    memories = [memory for memory in material.all("memory") if not memory.is_("shortened")]
    merges, taken = [], set()
    # What its owner keeps survives, then what tells most.
    for survivor in sorted(memories, key=lambda memory: (not memory.is_("pinned"), -len(memory.text))):
        if survivor.ref in taken:
            continue
        absorbed = [
            memory
            for memory in memories
            if memory.ref not in {*taken, survivor.ref}
            and not memory.is_("pinned")
            and alike(memory.words, survivor.words) >= LIKENESS
        ]
        if absorbed:
            taken |= {survivor.ref, *(memory.ref for memory in absorbed)}
            merges.append(_merge(survivor, absorbed))
    dying = [memory for memory in material.all("memory") if memory.is_("dying")]
    return {
        "merges": merges,
        "make_dead": [
            memory.ref
            for memory in dying
            if not memory.is_("fresh") and not memory.is_("pinned") and memory.ref not in taken
        ],
    }


def _merge(survivor: Fenced, absorbed: Iterable[Fenced]) -> Json:
    told = [survivor.told, *(memory.told for memory in absorbed)]
    return {
        "survivor": survivor.ref,
        "absorbed": [memory.ref for memory in absorbed],
        "action": survivor.told["action"],
        "feeling": next((scene["feeling"] for scene in told if scene.get("feeling")), None),
        **{name: _together(scene.get(name) for scene in told) for name in ("actors", "dialogue", "themes")},
    }


def split(material: Material) -> Json:
    """Found a topic on each word that several memories share, the most shared first, as long as enough stay."""
    left = {memory.ref: memory.words for memory in material.all("memory")}
    stays = int(material.one("stays") or 0)
    taken = {name.lower() for name in (material.one("topic"), *material.one("neighbours").splitlines())}
    shared = Counter(word for words in left.values() for word in words)
    # A word of most memories tells nothing apart.
    candidates = [word for word, count in shared.most_common() if TOPIC_MEMORIES <= count <= max(3, len(left) * 0.6)]
    topics = []
    for word in sorted(candidates, key=lambda word: (-shared[word], word)):
        memories = [ref for ref, words in left.items() if word in words]
        name = _name(word, [left[ref] for ref in memories])
        if TOPIC_MEMORIES <= len(memories) <= len(left) - stays and name.lower() not in taken:
            topics.append({"name": name, "memories": memories})
            taken.add(name.lower())
            left = {ref: words for ref, words in left.items() if ref not in memories}
    return {"topics": topics}


def _name(word: str, members: Iterable[frozenset[str]]) -> str:
    beside = Counter(other for words in members for other in words if other != word)
    second = min(beside, key=lambda other: (-beside[other], other), default="the rest")
    return f"{word.capitalize()} and {second}"


def classification(material: Material) -> Json:
    """Business is what speaks of work or money."""
    memories = material.all("memory")
    business = [memory.ref for memory in memories if memory.words & _BUSINESS]
    return {"business": business, "private": [memory.ref for memory in memories if memory.ref not in business]}


def repaired_scene(material: Material) -> Json:
    """Take what can still be read of a scene; else the whole text is what happened."""
    note = next(iter(material.all("note")), Fenced("", {}))
    dates = re.findall(r"\d{4}-\d\d-\d\d", note.text)
    importance = re.search(r"\"?importance\"?\s*[:=]\s*([01](?:\.\d+)?)", note.text)
    return {
        "action": _field(note.text, "action") or " ".join(note.text.split()),
        "actors": re.findall(r"\"([^\"]*)\"", found[1])
        if (found := re.search(r"\"?actors\"?\s*[:=]\s*\[([^\]]*)\]?", note.text))
        else [],
        "when": list(dict.fromkeys(dates)) or [note.attributes.get("received", "today")],
        "setting": _field(note.text, "setting"),
        "dialogue": [],
        "sensory": [],
        "feeling": _field(note.text, "feeling"),
        "importance": float(importance[1]) if importance else None,
        "themes": [],
    }


def diary_pages(material: Material) -> Json:
    """A line for what was written today already and for each of the first memories; the rest in a last line."""
    earlier = [line for line in material.one("earlier").splitlines() if line.strip()]
    memories = [" ".join(memory.text.split())[:LINE_CHARACTERS] for memory in material.all("memory")]
    lines = [*earlier[: LINES - 2], *memories]
    quiet = ["It was a day like that.", "Nothing else wants to be told.", "So I keep it here."]
    noted = [line for line in material.one("noted").splitlines() if line.strip()]
    notes = [*noted[: NOTES - 3], *(f"Ask how it went on: {memory}" for memory in memories[:3])]
    open_questions = ["Listen first.", "Ask how the day was.", "Say what I still remember of today."]
    return {"diary": [*lines, *quiet][: max(3, min(LINES, len(lines)))], "next_time": [*notes, *open_questions][:NOTES]}


def _field(text: str, name: str) -> str | None:
    found = re.search(rf"\"?{name}\"?\s*[:=]\s*\"([^\"]*)\"?", text)
    return found[1] if found else None


def _together(lists: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(item for items in lists for item in items or ()))
