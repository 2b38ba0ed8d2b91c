"""The turns of a transcript: its messages with their speakers. All else in it is passed over.

A line without words (a picture, audio, the result of a tool, nothing at all) is no turn, and keeps its place: the next
line answers it, and goes on from nothing before it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory.proxy.reading.background import maker_of, may_be_task
from memory.proxy.reading.comparison import named_by
from memory.proxy.reading.speakers import (
    MODEL_ROLE,
    USER_ROLE,
    WireNames,
    begins_with_card,
    divided,
    has_label,
    is_sillytavern,
    named_in_channel,
    with_names_in_transcript,
    without_merging,
)
from memory.proxy.reading.transcript import Line, Transcript
from memory.text.same_words import comparable, digest
from memory.wrapping.agents import acknowledges, ends_examples, may_be_programs
from memory.wrapping.documents import may_hold_document, may_stand_alone
from memory.wrapping.field_forms import has_fields, spoken_fields
from memory.wrapping.own_words import users_words
from memory.wrapping.steering import is_steering
from memory.wrapping.written_calls import behind_result, is_report, without_call
from schemas.text.reasoning import spoken
from schemas.text.source_marks import of_chatgpt
from schemas.text.visible_text import shows_nothing
from schemas.wire.fields import Role

# A picture's bytes within the words, with its name.
_PICTURE = re.compile(
    r"!\[(?P<name>[^\[\]\n]{0,300})\]\(data:[^()\s,]{0,100};base64,[^()\s]*+\)"
    r"|<img\s[^<>]{0,300}?\bsrc=[\"']?data:[^<>\s,]{0,100};base64,[^<>]*+>",
    re.IGNORECASE,
)
# Programs' notes behind an answer that they broke off.
_STOPPED = re.compile(
    r"\n[ \t]*+[\[(][^\n\[\]()]{0,20}\b(?:generation|response) (?:was )?(?:stopped|interrupted|aborted|cancell?ed)\b"
    r"[^\n\[\]()]{0,40}[\])]\s*+\Z",
    re.IGNORECASE,
)
# Programs' lines before a greeting, for models that need a user's line first.
_PLACEHOLDER = re.compile(r"(?:let's get started\.|\[start a new chat\]|continue\.|proceed\.)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a transcript.

    Attributes:
        role: The speaker's role.
        speaker: The name of a third speaker; None for the user and the Being.
        text: The text without reasoning; never blank.
        comparable: The text for comparison.
        digest: The digest of role and text.
        unsure: Whether a frontend may have written it for itself, or it may answer such a line.
        after_wordless: Whether a line without words stands between it and the turn before.
        after_system: Whether a system line stands there.
        perhaps_of: For an answer in a group, the name on the wire if another's may be written so as well; empty if it
            has none.
    """

    role: Role
    speaker: str | None
    text: str
    comparable: str
    digest: bytes
    unsure: bool = False
    after_wordless: bool = False
    after_system: bool = False
    perhaps_of: str | None = None


def turns_of(transcript: Transcript, names: WireNames, task_prompts: Sequence[str] = ()) -> list[Turn]:
    """Return the turns of a transcript in order: lines of the user, the Being and third speakers that have text.

    Args:
        transcript: The transcript.
        names: By which names the wire means the user and the Being.
        task_prompts: The operator's templates of requests that frontends make for themselves.
    """
    lines, names = _read(transcript, names)
    last_is_unsure = maker_of(transcript, task_prompts) == "unsure"
    is_told = any(line.role == "system" for line in lines)
    puts_files_unmarked = is_sillytavern(transcript)
    last_user = max((number for number, line in enumerate(lines) if line.role == "user"), default=None)
    turns: list[Turn] = []
    is_unsure = wordless = system = False
    for number, line in enumerate(lines):
        turn = _turn(line, names, opened=transcript.opened)
        if turn is None:
            wordless = wordless or line.role in ("user", "assistant", "tool")
            system = system or line.role == "system"
            continue
        if turn.role != "assistant":
            is_unsure = turn.role == "user" and (
                may_be_task(line.text, task_prompts)
                or (last_is_unsure and number == last_user)
                or (not turns and begins_with_card(line, names, is_told=is_told))
                # In a program's form it may be an example.
                or (number != last_user and has_fields(line.text))
                or may_hold_document(turn.text, unmarked=puts_files_unmarked)
                or (puts_files_unmarked and "\r" in line.text)
            )
        turns.append(replace(turn, unsure=is_unsure, after_wordless=wordless, after_system=system))
        wordless = system = False
    return turns


def last_words(transcript: Transcript, names: WireNames) -> str | None:
    """Return the text of a transcript's last turn, as `turns_of` reads it; None if it has no words."""
    lines, names = _read(transcript, names)
    turns = (_turn(line, names, opened=transcript.opened) for line in reversed(lines))
    return next((turn.text for turn in turns if turn is not None), None)


def ends_without_words(transcript: Transcript, names: WireNames) -> bool:
    """Whether a transcript's last line has no words, so that the model answers a picture, or a tool's result."""
    lines, names = _read(transcript, names)
    last = next((line for line in reversed(lines) if line.role in ("user", "assistant", "tool")), None)
    return last is not None and _turn(last, names, opened=transcript.opened) is None


def trailing_words(turns: Sequence[Turn]) -> int:
    """Return the number of the first turn behind the last answer: where the newest words begin."""
    number = len(turns)
    while number and turns[number - 1].role != "assistant":
        number -= 1
    return number


def turn_of(role: Role, speaker: str | None, text: str, *, opened: bool = False) -> Turn | None:
    """Return a line's turn; None if it has no words. `opened`: the request opened the reasoning of its answers."""
    if role == "user":
        words = users_words(text)
    else:
        words = of_chatgpt(_STOPPED.sub("", spoken_fields(spoken(text, opened=opened))), None).strip()
    words = _without_pictures(words) if "data:" in words else words
    compared = "" if shows_nothing(words) else comparable(words)
    return Turn(role, speaker, words, compared, digest(role, compared)) if compared else None


def _without_pictures(words: str) -> str:
    """Return words without the bytes of pictures; pictures' names stay where other words stand beside them."""
    rest = _PICTURE.sub("", words).strip()
    return _PICTURE.sub(lambda picture: picture["name"] or "", words).strip() if rest else rest


def _read(transcript: Transcript, names: WireNames) -> tuple[Sequence[Line], WireNames]:
    """Return a transcript's lines of talk, and the names in it."""
    names = with_names_in_transcript(transcript, names)
    lines = [*_without_placeholders(without_merging(transcript, names).lines)]
    lines = [*named_in_channel([*_without_calls(lines)], names)]
    # A frontend that writes no name before the user's words writes none of another: the user calls them by it.
    labels = any(line.role == "user" and has_label(line, names.user) for line in lines)
    by_role = {"user": names if labels else replace(names, others=()), "assistant": names}
    divide = [divided(line, by_role[line.role]) if line.role in by_role else [line] for line in lines]
    return [one for some in divide for one in some], names


def _without_placeholders(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines, but for those of a frontend that stand as the user's or the Being's without a word of theirs."""
    begins = max((at for at, line in enumerate(lines) if line.role == "user" and ends_examples(line.text)), default=0)
    lines = [line for at, line in enumerate(lines) if at >= begins or line.role == "system"]
    talk = [line for line in lines if line.role in ("user", "assistant")]
    is_asked = len(talk) > 1 and talk[1].role == "assistant" and talk[0].role == "user"
    place = -1
    for line in lines:
        place += line.role in ("user", "assistant")
        is_alone = [one.role for one in talk[max(0, place - 1) : place + 2]].count("user") == 1
        if line.role == "assistant" and place and _is_prompted(talk[place - 1], line):
            continue
        is_programs = line.role == "user" and any(_is_prompted(line, answer) for answer in talk[place + 1 : place + 2])
        if is_asked and line is talk[0] and _PLACEHOLDER.fullmatch(line.text.strip()):
            continue
        is_note = line.role == "user" and not line.other_parts and is_steering(line.text)
        if is_note and not (is_alone and may_stand_alone(line.text)):
            continue
        # Without words it keeps its place.
        yield replace(line, text="") if is_programs else line


def _is_prompted(line: Line, answer: Line) -> bool:
    """Whether a program has written both a line of the user's and the answer to it."""
    both = (line.role, answer.role) == ("user", "assistant") and not line.other_parts
    if not both or not acknowledges(answer.text, prompted=True):
        return False
    own = users_words(line.text)
    return not own or may_be_programs(own)


def _without_calls(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines, of which agents have written calls of tools as text, and results in the user's name."""
    called = False
    for line in lines:
        own: str | None = line.text
        if line.role == "assistant":
            own = without_call(line.text)
            called = own != line.text and not is_report(line.text)
        elif line.role == "user" and called:
            own = behind_result(line.text)
            called = own == ""
            if called:
                yield replace(line, role="tool")
                continue
        yield line if own is None or own == line.text else replace(line, text=own)


def _turn(line: Line, names: WireNames, *, opened: bool) -> Turn | None:
    if line.role not in ("user", "assistant"):
        return None
    # Agents' programs write the role as a name.
    own = [*names.user, *USER_ROLE] if line.role == "user" else [*names.being, *MODEL_ROLE]
    opened = opened and line.role == "assistant"
    named = named_by(line.name, [*own, *names.others]) if line.name is not None else own
    others = [name for name in named if name in names.others]
    if set(named).isdisjoint(own):
        return turn_of("other", others[0] if len(others) == 1 else line.name, line.text, opened=opened)
    turn = turn_of(line.role, None, line.text, opened=opened)
    is_doubtful = line.role == "assistant" and (others if line.name else names.others)
    return replace(turn, perhaps_of=line.name or "") if turn and is_doubtful else turn
