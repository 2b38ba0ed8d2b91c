"""The turns of a transcript: what was said in it, and by whom. All else in it is passed over."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.proxy.comparison import comparable, digest, same_name
from memory.proxy.transcript import Line, Transcript
from memory.text.reasoning import spoken
from schemas.limits import SPEAKER_CHARACTERS
from schemas.talk.messages import Role


@dataclass(frozen=True, slots=True)
class Names:
    """By which names the wire means the user, and the Being."""

    user: Sequence[str]
    being: Sequence[str]


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said.

    Attributes:
        role: Who said it.
        speaker: The name of a third speaker; None for the user and the Being.
        text: What was said, without reasoning; never blank.
        comparable: The text as it is compared.
        digest: The digest of role and text.
    """

    role: Role
    speaker: str | None
    text: str
    comparable: str
    digest: bytes


def turns_of(transcript: Transcript, names: Names) -> list[Turn]:
    """Return the turns of a transcript in order: lines of the user, the Being and third speakers that have text."""
    turns = (_turn(line, names, opened=transcript.opened) for line in transcript.lines)
    return [turn for turn in turns if turn is not None]


def last_words(transcript: Transcript, names: Names) -> str | None:
    """Return the text of a transcript's last turn, as `turns_of` reads it; None if nothing is said in it."""
    turns = (_turn(line, names, opened=transcript.opened) for line in reversed(transcript.lines))
    return next((turn.text for turn in turns if turn is not None), None)


def turn_of(role: Role, speaker: str | None, text: str, *, opened: bool = False) -> Turn | None:
    """Return a turn; None if nothing is said in it. `opened`: the request opened the reasoning of its answers."""
    said = (text if role == "user" else spoken(text, opened=opened)).strip()
    compared = comparable(said)
    return Turn(role, speaker, said, compared, digest(role, compared)) if compared else None


def _turn(line: Line, names: Names, *, opened: bool) -> Turn | None:
    if line.role not in ("user", "assistant"):
        return None
    own = names.user if line.role == "user" else names.being
    opened = opened and line.role == "assistant"
    if line.name is not None and not any(same_name(line.name, name) for name in own):
        return turn_of("other", line.name, line.text, opened=opened)
    return turn_of(line.role, None, _without_name(line.text, own), opened=opened)


def _without_name(text: str, names: Sequence[str]) -> str:
    """Return a text without the speaker's own name that some frontends write before it in groups."""
    name, colon, said = text.lstrip().partition(":")
    if colon and len(name) <= SPEAKER_CHARACTERS and said.strip() and any(same_name(name, own) for own in names):
        return said
    return text
