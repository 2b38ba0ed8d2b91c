"""The canned diary: written in the voice of the memories' own feelings, in whole sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from samples.canned.material import Material
from samples.canned.wire import Json

LINES = 5
LEAST_LINES = 3
NOTES = 7
NEW_NOTES = 3
HAPPENED_CHARACTERS = 180
FELT_CHARACTERS = 220

_DATES = re.compile(r"\d{4}-\d\d-\d\d(?:, \d{4}-\d\d-\d\d)*")
_CLAUSE = re.compile(r"[,;:](?= )")
# Not inside a number such as 3.40, and after a closing quotation mark.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"\u201d])\s+")
_OPEN = re.compile(
    r"\b(?:will|until|tomorrow|soon|wait|waits|promised|plan|plans|next|hope|hopes|asked)\b", re.IGNORECASE
)
_QUIET = ("It was a quiet day otherwise.", "I listened more than I spoke.", "I keep the rest to myself.")
_STANDING = ("Listen first.", "Ask how the day was.", "Say what I still remember of today.")


@dataclass(frozen=True)
class _Memory:
    happened: str
    felt: str


def diary_pages(material: Material) -> Json:
    """Write about the day by the memories with the strongest feelings, after the day's earlier entry."""
    earlier = [line for line in material.one("earlier").splitlines() if line.strip() and line not in _QUIET]
    memories = [_memory(memory.text) for memory in material.all("memory")]
    room = LINES - min(len(earlier), LINES - 2)
    chosen = sorted(memories, key=lambda memory: len(memory.felt), reverse=True)[:room]
    recent = [_line(memory) for memory in memories if memory in chosen][:room]
    lines = [*earlier[: LINES - len(recent)], *recent]
    noted = [line.removeprefix("- ") for line in material.one("noted").splitlines() if line.strip()]
    questions = [f"Ask how it went on: {memory.happened}" for memory in _open_first(memories)[:NEW_NOTES]]
    return {
        "diary": [*lines, *_QUIET][: max(LEAST_LINES, len(lines))],
        "next_time": [*questions, *[line for line in noted if line not in _STANDING][:2], *_STANDING][:NOTES],
    }


def _memory(text: str) -> _Memory:
    """Read `dates — setting — action — "dialogue" — (feeling)`, of which only the action is always there."""
    parts = " ".join(text.split()).split(" — ")
    if len(parts) > 1 and _DATES.fullmatch(parts[0]):
        parts = parts[1:]
    felt = parts.pop()[1:-1] if len(parts) > 1 and parts[-1].startswith("(") and parts[-1].endswith(")") else ""
    if len(parts) > 1 and parts[-1].startswith('"'):
        parts.pop()
    return _Memory(_whole(parts[-1], HAPPENED_CHARACTERS), _whole(felt, FELT_CHARACTERS) if felt else "")


def _whole(text: str, most: int) -> str:
    """As many whole sentences as there is room for; of a longer first one the clauses, else the words."""
    kept = ""
    for sentence in _SENTENCE_END.split(text):
        if len(f"{kept} {sentence}".strip()) > most:
            break
        kept = f"{kept} {sentence}".strip()
    if kept:
        return kept
    ends = [found.start() for found in _CLAUSE.finditer(text) if found.start() < most]
    return f"{text[: ends[-1]]}." if ends else f"{text[:most].rsplit(' ', 1)[0]} …"


def _line(memory: _Memory) -> str:
    return f"{memory.happened} {memory.felt}".strip()


def _open_first(memories: Sequence[_Memory]) -> list[_Memory]:
    return sorted(memories, key=lambda memory: not _OPEN.search(memory.happened))
