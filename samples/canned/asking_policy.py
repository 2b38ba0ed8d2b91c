"""Answers questions to the memory: in the words of the sources that have most in common with the question."""

import re

from samples.canned.material import Fenced, Material, content_words, sentences
from samples.canned.wire import Json

TAGS = ("message", "fact", "memory", "summary", "diary", "record", "knowledge", "computed")
LEAST_SHARED = 0.5
MOST_TOLD = 2
_COUNTS = re.compile(r"^(?:how (?:often|many)|when did)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z]\w+")


def sources(material: Material) -> list[Fenced]:
    """The sources of a question, in the order of their refs."""
    found = [one for tag in TAGS for one in material.all(tag) if one.ref]
    return sorted(found, key=lambda one: int(one.ref[1:]))


def plan(material: Material) -> Json:
    """Search for the names of the question, and count its other words if it begins with "how often"."""
    question = material.one("question")
    names = _NAME.findall(question)
    counted = sorted(content_words(question) - {name.lower() for name in names})
    counts = [{"any_of": counted[:1]}] if counted and _COUNTS.search(question) else []
    return {"queries": [], "names": names, "since": None, "until": None, "counts": counts}


def draft(material: Material) -> Json:
    """Answer with the sentences that have most words of the question, each as its source has it."""
    wanted = content_words(material.one("question"))
    candidates = [
        (one, sentence) for one in sources(material) for sentence in sentences(one.text) if "?" not in sentence
    ]
    shared = [
        (len(wanted & content_words(sentence)) / max(1, len(wanted)), one, sentence) for one, sentence in candidates
    ]
    best = sorted((each for each in shared if each[0] >= LEAST_SHARED), key=lambda each: -each[0])[:MOST_TOLD]
    return {
        "sentences": [
            {"sentence": sentence, "cites": [{"ref": one.ref, "quote": sentence}]} for _, one, sentence in best
        ]
    }
