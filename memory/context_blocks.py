"""The regions of a context as text: what is ours stands outside of fences, what people and models wrote inside.

Each block is made of what it is given and nothing else, so that the same state makes the same bytes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from memory.fences import disarmed, fenced, unfenced
from memory.fragments import pieces
from memory.regions import DEFAULT, Entry
from memory.scene import scene_to_text
from schemas.context import MindEntry
from schemas.persona import PersonaEntry, PersonaKind, SoulState
from schemas.rows import Being, DiaryEntry, Node, Role, Soul
from store.context import KeptNote, Summaries

READ = "I have this in mind."

_SOUL = ("personality", "voice", "values", "backstory", "inner_world", "examples", "think_md")
_LISTS: dict[PersonaKind, str] = {
    "partner_rules": "rule",
    "preferences": "preference",
    "relationships": "relationship",
    "partner_tools": "tool",
    "partner_map": "map",
}


@dataclass(frozen=True, slots=True)
class Block:
    """A region that holds something.

    Attributes:
        region: Its name.
        origin: Where it came from, in words.
        entries: What it says.
        pieces: The pieces of memory in it, as they were written, to be recognised when they come back.
        stable: Whether it stays the same from turn to turn.
    """

    region: str
    origin: str
    entries: tuple[Entry, ...]
    pieces: tuple[str, ...] = ()
    stable: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a block in its fence."""

    text: str
    piece: str

    @classmethod
    def of(cls, name: str, text: str, /, **facts: object) -> "Part":
        """Put a piece into a fence."""
        return cls(fenced(name, text, **facts), text)


def core(being: Being, soul: Soul, lists: Sequence[PersonaEntry]) -> Block:
    """Block 1-A: who the Being is, and what its person has laid down for it."""
    parts = [Part.of("name", being.name), Part.of("partner", soul.partner_type)]
    parts += [Part.of(name, text) for name in _SOUL if (text := getattr(soul, name))]
    for kind, name in _LISTS.items():
        parts += [Part.of(name, each.content, name=each.name) for each in lists if each.kind == kind and each.enabled]
    return _system(
        "core",
        "soul, think_md, partner rules, preferences, relationships, tools, map",
        "This is you.",
        parts,
        stable=True,
    )


def instructions(text: str) -> Block | None:
    """What the process is told to do."""
    if not text:
        return None
    return Block("instructions", "the process's profile", (Entry("system", fenced("instructions", text)),), stable=True)


def snapshot(notes: Iterable[KeptNote], diary: Iterable[DiaryEntry], vault: str) -> Block | None:
    """Block 1-B: unread notes, knowledge, the diary's last days, the vault; a message, and the Being's nod to it."""
    parts = [Part.of(note.type, note.content, **_given(title=note.title, due=note.due)) for note in notes]
    parts += [Part.of("diary", entry.text, day=entry.day) for entry in diary]
    parts += [Part(vault, unfenced(vault))] if vault else []
    if not parts:
        return None
    told = _wrapped("snapshot", "This is what you keep in mind these days.", parts)
    return Block(
        "snapshot",
        "unread notes, knowledge, diary, vault",
        (Entry("user", told), Entry("assistant", READ)),
        tuple(part.piece for part in parts),
        stable=True,
    )


def conversation(said: Iterable[MindEntry]) -> Block | None:
    """What was said lately, from the first message on that the Being did not say itself."""
    said_to_it = dropwhile(lambda entry: entry.role == "assistant", said)
    entries = tuple(heard(entry) for entry in said_to_it)
    return Block("conversation", "working memory, filled by messages", entries, stable=True) if entries else None


def heard(said: MindEntry) -> Entry:
    """A message of the conversation in a prompt."""
    own: Role = "assistant" if said.role == "assistant" else "user"
    return spoken("other" if said.other else own, said.content, said.speaker)


def spoken(role: Role, content: str, speaker: str | None) -> Entry:
    """A message in a prompt; the Being's own have their role for a fence."""
    if role == "assistant":
        return Entry("assistant", disarmed(content))
    return Entry("user", fenced("message", content, **_given(speaker=speaker, role=role == "other" and "other")))


def skills(lists: Sequence[PersonaEntry]) -> Block | None:
    """What the Being can do, for a conversation's beginning."""
    parts = [Part.of("skill", each.content, name=each.name) for each in lists if each.kind == "skills" and each.enabled]
    return (
        _system("skills", "skills, on a session's first message", "This is what you can do.", parts) if parts else None
    )


def user_model(text: str) -> Block:
    """What is known about the user as a person."""
    parts = [Part.of("model", text)]
    return _system("user-model", "user model, new to this session", "This is whom you are talking to.", parts)


def summary(known: Summaries) -> Block | None:
    """How the talk has gone so far, the conversation before, and the long line of all of them."""
    parts = [
        Part.of(name, text)
        for name, text in (
            ("spine", _outlined(known.spine)),
            ("last-session", _outlined(known.last_session)),
            ("so-far", known.rolling),
        )
        if text
    ]
    return (
        _system("summary", "spine, last session, rolling summary", "This is what came before.", parts)
        if parts
        else None
    )


def state(now: SoulState) -> Block | None:
    """What the Being is at, where it is not the default."""
    told = {"project": now.project, "mood": now.mood, "topic": now.topic}
    parts = [Part.of(name, text) for name, text in told.items() if text]
    return _system("context", "the soul's state", "This is what you are at.", parts) if parts else None


def recent(nodes: Sequence[Node]) -> Block | None:
    """Block 2-B: the memories that were activated last."""
    parts = [
        Part(fenced("memory", scene_to_text(node.scene, node.feeling)), "\n".join(pieces([node]))) for node in nodes
    ]
    return _system("recent-nodes", "memories activated last", "You thought of this lately.", parts) if parts else None


def recalled(parts: Sequence[Part]) -> Block | None:
    """What comes to mind at what is said."""
    return _system("rag-context", "recall and facts", "This comes to mind.", parts) if parts else None


def default(put_there: Iterable[MindEntry], now: Entry | None) -> Block | None:
    """What callers put there, and the message that is answered."""
    entries = _as_put(DEFAULT, put_there)
    if now is not None:
        entries += (now,)
    return Block(DEFAULT, "the message, and what callers put here", entries) if entries else None


def of_callers(region: str, entries: Iterable[MindEntry]) -> Block:
    """What a caller has put into a region."""
    return Block(region, "working memory, filled by callers", _as_put(region, entries))


def _as_put(region: str, entries: Iterable[MindEntry]) -> tuple[Entry, ...]:
    return tuple(Entry(each.role, fenced("region", each.content, name=region)) for each in entries)


def _system(region: str, origin: str, heading: str, parts: Sequence[Part], *, stable: bool = False) -> Block:
    entry = Entry("system", _wrapped(region, heading, parts))
    return Block(region, origin, (entry,), tuple(part.piece for part in parts), stable)


def _wrapped(region: str, heading: str, parts: Sequence[Part]) -> str:
    return "\n".join((f"<{region}>", heading, *(part.text for part in parts), f"</{region}>"))


def _outlined(content: dict[str, Any] | None) -> str:
    """A structured summary, a heading a line, what is empty left away."""
    told = (
        (name, "; ".join(map(str, value)) if isinstance(value, list) else value)
        for name, value in (content or {}).items()
    )
    return "\n".join(f"{name}: {text}" for name, text in told if text)


def _given(**facts: object) -> dict[str, object]:
    return {name: value for name, value in facts.items() if value}
