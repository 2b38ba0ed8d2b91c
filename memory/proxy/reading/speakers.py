"""The speakers of a transcript: the names of the user and the Being on the wire, and talk that came as one message.

The request of a frontend that writes names shows their owners: SillyTavern's prompts name the character and the
persona, and where every line of a chat with one character has a name, they are these two.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memory.proxy.reading.comparison import same_name
from memory.proxy.reading.transcript import Line, Transcript
from memory.wrapping.steering import without_steering_behind
from schemas.limits import SPEAKER_CHARACTERS

# SillyTavern's prompts, which name the character that answers, and the persona.
_CHARACTER = re.compile(
    r"\bWrite (?P<name>[^\n]{1,100}?)'s next reply in a fictional"
    r"|\[Write the next reply only as (?P<only>[^\n\]]{1,100}?)\.?\]"
)
_PERSONA = re.compile(
    r"\b(?:fictional|next reply in an?) (?:\w+ )?(?:chat|roleplay|conversation|dialogue) between "
    r"(?P<members>[^\n]{1,200}?),? and (?P<name>[^\n.]{1,100}+)\."
)
# KoboldAI Lite's, which names both where no other text does.
_LOG = re.compile(
    r"\[The following is an? (?:\w+ )?chat message log between (?P<user>[^\n\]]{1,100}?)"
    r" and (?P<being>[^\n\]]{1,100}?)\.?\]"
)
_CHAT_BEGINS = re.compile(r"\[Start a new (?P<group>group )?chat\b[^\[\]]{0,200}\]", re.IGNORECASE)
# Likewise, where all is one message: Pygmalion's and Agnai's prompts, with their examples of talk before it.
_TALK_BEGINS = re.compile(
    rf"{_CHAT_BEGINS.pattern}|^<START>[ \t]*$|\bThen the roleplay chat between [^\n]{{1,200}} begins\.",
    re.IGNORECASE | re.MULTILINE,
)
_MEMBERS = re.compile(r"\[Start a new group chat\b[^\[\]\n:]{0,60}:(?P<names>[^\[\]\n]{1,1000})\]", re.IGNORECASE)
# Open WebUI's, before a channel's line, which has the name of its writer.
_CHANNEL = re.compile(r"You are [^\n]{1,200}, participating in a (?:threaded|channel) conversation\.")
# Instructions that a program put before the words of the user, for a model that takes none apart.
_INSTRUCTED = re.compile(
    r"\s*You(?: are|'re) (?:an?|the|my) (?:[\w,-]{1,30} ){0,5}(?:assistant|AI|chatbot|chat bot|agent|language model)\b",
    re.IGNORECASE,
)
_CARD = re.compile(
    r"\s*(?:system(?: prompt)?:\s*)?(?:You are|You're|Act as|Roleplay as)\s+(?P<name>[^\n,.:;]{1,100})", re.IGNORECASE
)
# `Ann: `, `**Ann:** `, `### Ann:`, `[Ann]: `
_LABEL = re.compile(
    r"^(?:#{1,4}[ \t]{1,3}|\*\*|\[)?(?P<name>[^\n:\[\]<>{}*#]{1,100})(?:\*\*|\])?:(?:\*\*)?(?:[ \t]|$)", re.MULTILINE
)
# Labels that name the roles.
USER_ROLE, MODEL_ROLE = ("Human", "User", "You", "User proxy"), ("Assistant", "AI", "Bot", "Model")
_OWN_LABEL = re.compile(
    rf"^[ \t]*+(?P<bold>\*\*)?+(?P<name>[^\n:]{{1,{SPEAKER_CHARACTERS}}}):(?(bold)(?:\*\*)?+)[ \t]*+", re.MULTILINE
)
# Behind it the model is to write; a program's instructions may stand before.
_AWAITS = re.compile(r"(?:\([^()]*+\)\s*+)?(?P<name>[^\n:]{1,100}):\s*+")
# The most labels by which a line is divided.
MOST_LABELS = 1000


@dataclass(frozen=True, slots=True)
class WireNames:
    """The wire's names of the user, the Being, and others in a group, which may share names with the Being."""

    user: Sequence[str]
    being: Sequence[str]
    others: Sequence[str] = ()


def with_names_in_transcript(transcript: Transcript, names: WireNames) -> WireNames:
    """Add the names that the transcript itself gives to the user and the Being."""
    user, being, members = [*names.user], [*names.being], list[str]()
    begins, group, is_member = False, bool(names.others), _is_member(transcript, being)
    for text in _prompts(transcript):
        being += [found["name"] or found["only"] for found in _CHARACTER.finditer(text) if not is_member]
        user += _personas(text, being)
        members += _members(text)
        for mark in _CHAT_BEGINS.finditer(text):
            begins, group = True, group or mark["group"] is not None
    users = [line.name for line in transcript.lines if line.role == "user"]
    characters = [line.name for line in transcript.lines if line.role == "assistant"]
    are_named = None not in users and None not in characters and (characters or begins)
    if are_named and not group and _are_one(characters):
        being += [name for name in characters[:1] if name]
        if _are_one(users) and not any(_is(name, names.being) for name in users):
            user += [name for name in users[:1] if name]
    if not group and (persona := _persona_before_words(transcript, being)) is not None:
        user.append(persona)
    known = [name for name in members if not _is(name, user) and not _is(name, being)]
    return WireNames(user, being, list(dict.fromkeys([*names.others, *known])))


def answering(transcript: Transcript) -> str | None:
    """Return the name of the character that SillyTavern's prompts ask to answer; None if they name none."""
    prompted = [found for text in _prompts(transcript) for found in _CHARACTER.finditer(text)]
    return (prompted[-1]["name"] or prompted[-1]["only"]) if prompted else None


def group_members(transcript: Transcript) -> tuple[str, ...]:
    """Return the members of the group in SillyTavern's prompts that begin its chat; none if they name none."""
    lists = [found["names"] for text in _prompts(transcript) for found in _MEMBERS.finditer(text)]
    return tuple(name.strip() for names in lists[-1:] for name in names.split(",") if name.strip())


def asks_another(transcript: Transcript, own: Sequence[str]) -> bool:
    """Whether another member of a group is asked to answer than the one that has any of these names."""
    prompted = answering(transcript)
    return prompted is not None and not _is(prompted, own) and _is_member(transcript, own)


def without_merging(transcript: Transcript, names: WireNames) -> Transcript:
    """Return a transcript with a whole chat as its only message, behind character and lore, as the chat's lines.

    Some frontends send all in one message of the user's, each line of the chat behind its speaker's name.
    """
    lines_said = [line for line in transcript.lines if line.role != "system" and line.text.strip()]
    if len(lines_said) != 1 or lines_said[0].role != "user":
        return transcript
    lines = list(_lines_in(lines_said[0].text, names))
    if not lines:
        return transcript
    others = tuple(line for line in transcript.lines if line.role == "system")
    return replace(transcript, lines=(*others, *lines))


def divided(line: Line, names: WireNames) -> Iterator[Line]:
    """Yield each speaker's part of a line: frontends write names before lines, and merge lines of one role.

    The speaker's own name goes; that of another in the group, or one that may be either's, becomes the line's.
    """
    own, others = names.user if line.role == "user" else names.being, names.others
    text = line.text.lstrip()
    awaits = _AWAITS.fullmatch(text) if line.role == "assistant" and line.name is None else None
    if awaits is not None and _is(awaits["name"], [*own, *others]):
        return
    first = _OWN_LABEL.match(text) if line.name is None else None
    if first is None or not _is(first["name"], [*own, *others]) or not text[first.end() :].strip():
        yield line
        return
    found = list(islice(_OWN_LABEL.finditer(text), MOST_LABELS))
    speaking = {name for name in {label["name"] for label in found} if _is(name, [*own, *others])}
    labels = [label for label in found if label["name"] in speaking]
    for label, end in zip(labels, [*(label.start() for label in labels[1:]), len(text)], strict=True):
        name = None if _is(label["name"], own) and not _is(label["name"], others) else label["name"].strip()
        yield replace(line, text=text[label.end() : end].strip(), name=name)


def has_label(line: Line, names: Sequence[str]) -> bool:
    """Whether one of the names stands before words in a line."""
    return any(_is(label["name"], names) for label in islice(_OWN_LABEL.finditer(line.text), MOST_LABELS))


def is_sillytavern(transcript: Transcript) -> bool:
    """Whether a transcript has one of SillyTavern's own prompts, which begin a chat or name the answering character.

    Where the whole chat comes in one message, the prompts stand in it.
    """
    return any(form.search(text) for text in _prompts(transcript) for form in (_CHAT_BEGINS, _CHARACTER, _PERSONA))


def begins_with_card(line: Line, names: WireNames, *, is_told: bool) -> bool:
    """Whether a line begins with a character card: a frontend may have put its instructions before the user's words.

    Forms that people write too count only in a transcript without a system line; `is_told`: it has one.
    """
    is_card = not is_told and (_is_card(line.text, names.being) or _INSTRUCTED.match(line.text) is not None)
    return is_card or _CHARACTER.search(line.text) is not None


def named_in_channel(lines: Sequence[Line], names: WireNames) -> Iterator[Line]:
    """Yield lines, those of a channel with the name that stands before the words; the user's first name is enough."""
    is_channel = any(line.role == "system" and _CHANNEL.search(line.text) for line in lines)
    for line in lines:
        label = _OWN_LABEL.match(line.text) if is_channel and line.role == "user" and line.name is None else None
        if label is None:
            yield line
            continue
        name = label["name"].strip()
        is_user = _is(name, [*names.user, *USER_ROLE]) or _is(name.partition(" ")[0], names.user)
        yield replace(line, name=None if is_user else name, text=line.text[label.end() :])


def _persona_before_words(transcript: Transcript, being: Sequence[str]) -> str | None:
    """The name before all of the user's words, where a frontend has written the Being's before all of its own."""
    lines = [line for line in transcript.lines if line.name is None and line.text.strip()]
    labels = {
        role: [_OWN_LABEL.match(line.text) for line in lines if line.role == role] for role in ("user", "assistant")
    }
    users, characters = ([label and label["name"] for label in labels[role]] for role in ("user", "assistant"))
    is_written = len(users) > 1 and characters and all(_is(name, being) for name in characters)
    return users[0] if is_written and _are_one(users) else None


def _lines_in(text: str, names: WireNames) -> Iterator[Line]:
    """Yield the lines of a chat that one message holds; none if it holds no chat with this Being."""
    logged = [(found["user"], found["being"]) for found in _LOG.finditer(text)]
    being = [*names.being, *(found["name"] or found["only"] for found in _CHARACTER.finditer(text))]
    being += [character for _, character in logged]
    personas = [*names.user, *_personas(text, being), *(persona for persona, _ in logged)]
    begins = max((mark.end() for mark in _TALK_BEGINS.finditer(text)), default=0)
    others = [*names.others, *_members(text)]
    labels = list(_LABEL.finditer(text, begins))
    if _is_card(text, being) and any(_is(label["name"], MODEL_ROLE) for label in labels):
        being, personas = [*being, *MODEL_ROLE], [*personas, *USER_ROLE]
    first = next((place for place, label in enumerate(labels) if _is(label["name"], being)), None)
    if first is None:
        is_told = any(_is(label["name"], personas) for label in labels)
        if not is_told or not _is_card(text, being):
            named = [label for label in labels if _begins_paragraph(text, label)]
            if not named or not _is_card(text, being):
                return
            personas.append(named[-1]["name"])
    elif not any(_is(label["name"], personas) for label in labels):
        after = [label["name"] for label in labels[first + 1 :] if not _is(label["name"], [*being, *others])]
        if not after:
            return
        personas.append(max(after, key=lambda name: (after.count(name), -after.index(name))))
    speaking = [label for label in labels if _is(label["name"], [*being, *personas, *others])]
    ends = [*(label.start() for label in speaking[1:]), len(without_steering_behind(text))]
    for label, end in zip(speaking, ends, strict=True):
        words = text[label.end() : end].strip()
        if not words:
            # The label of the answer that the model is to write.
            continue
        if _is(label["name"], being):
            yield Line("assistant", words)
        else:
            is_user = _is(label["name"], personas)
            yield Line("user" if is_user else "assistant", words, name=None if is_user else label["name"].strip())


def _is_member(transcript: Transcript, own: Sequence[str]) -> bool:
    return any(_is(name, own) for name in group_members(transcript))


def _prompts(transcript: Transcript) -> list[str]:
    """The system lines, and the first of the others if it holds a prompt; people speak of characters in it as well."""
    first = next((line for line in transcript.lines if line.role != "system"), None)
    if first is not None and not any(form.search(first.text) for form in (_CHARACTER, _CHAT_BEGINS)):
        first = None
    return [line.text for line in transcript.lines if line.role == "system" or line is first]


def _members(text: str) -> list[str]:
    """The members of a group that a text names."""
    lists = [found["names"] for found in _MEMBERS.finditer(text)]
    # One alone is the character, also if the Being has another name.
    lists += [found["members"] for found in _PERSONA.finditer(text) if "," in found["members"]]
    return [name.strip() for names in lists for name in names.split(",") if name.strip()]


def _personas(text: str, being: Sequence[str]) -> list[str]:
    """Return the user's names in a text: of two in a chat the one that is not the Being's, in either order."""
    pairs = [(found["name"], found["members"]) for found in _PERSONA.finditer(text)]
    return [members if _is(name, being) else name for name, members in pairs]


def _is_card(text: str, being: Sequence[str]) -> bool:
    """Whether a text begins with a character card."""
    found = _CARD.match(text)
    words = found["name"].split() if found else []
    is_named = any(_is(" ".join(words[:size]), being) for size in range(1, len(words) + 1))
    return is_named or _CHARACTER.search(text) is not None


def _begins_paragraph(text: str, label: re.Match[str]) -> bool:
    return text[: label.start()].endswith("\n\n")


def _is(name: str | None, names: Sequence[str]) -> bool:
    return name is not None and any(same_name(name, one) for one in names)


def _are_one(names: Sequence[str | None]) -> bool:
    return all(one is not None and names[0] is not None and same_name(one, names[0]) for one in names)
