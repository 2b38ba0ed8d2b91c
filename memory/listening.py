"""Asking the judge about messages: what it is shown, and what becomes of messages that it can't read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.evidence import Sound, Witness, weighed
from memory.fences import fenced
from memory.prompting import prompt
from memory.thinking import Mind
from memory.transcript import speaker
from providers.errors import BadAnswer, InputRefused
from schemas.facts import Entity, Todo
from schemas.judgement import Judgement
from schemas.rows import Being, Message

JUDGE = prompt("judge", Judgement, size="small", most_tokens=6_000)
CONTEXT_MESSAGES = 6
CONTEXT_CHARACTERS = 800


@dataclass(frozen=True)
class Conversation:
    """What a judge is shown.

    Attributes:
        being: The companion.
        said: Messages in order: those to be judged, and what was said before them.
        heard: What each of them says beside what this system had shown.
        new: The ids of those that are to be judged.
        entities: What is known by name.
        todos: What is open.
    """

    being: Being
    said: Sequence[Message]
    heard: Mapping[UUID, str]
    new: frozenset[UUID]
    entities: Sequence[Entity]
    todos: Sequence[Todo]


def listen(mind: Mind, talk: Conversation) -> tuple[Sound, dict[UUID, str]]:
    """Ask what the new messages tell.

    What can't be had for all of them is asked for without what was said before, and in halves, until the message that
    spoils it stands alone.

    Returns:
        What may enter, and why which messages could not be judged.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `Mind.ask`; nothing is lost, it can be asked again.
    """
    sound, unjudgeable = Sound(), dict[UUID, str]()
    new = [message for message in talk.said if message.message_id in talk.new]
    # What is left beside what this system had shown may be nothing at all.
    parts = [([message for message in new if talk.heard[message.message_id].strip()], CONTEXT_MESSAGES)]
    while parts:
        part, before = parts.pop(0)
        if not part:
            continue
        try:
            found = _asked(mind, talk, part, before)
        except (BadAnswer, InputRefused) as fault:
            if len(part) > 1:
                middle = len(part) // 2
                parts[:0] = [(part[:middle], 0), (part[middle:], 0)]
            elif before:
                parts.insert(0, (part, 0))
            else:
                unjudgeable[part[0].message_id] = str(fault)
        else:
            sound.facts.extend(found.facts)
            sound.todos.extend(found.todos)
            sound.dropped.update(found.dropped)
    return sound, unjudgeable


def _asked(mind: Mind, talk: Conversation, part: Sequence[Message], before: int) -> Sound:
    new = {message.message_id for message in part}
    shown = _shown(talk.said, new, before)
    refs = {message.message_id: f"m{place}" for place, message in enumerate(shown, start=1)}
    todos = {f"t{place}": todo for place, todo in enumerate(talk.todos, start=1)}
    material = [
        *([fenced("entities", "\n".join(_line(entity) for entity in talk.entities))] if talk.entities else []),
        *(fenced("todo", todo.content, ref=ref, kind=todo.kind) for ref, todo in todos.items()),
        *(_message(message, talk.heard[message.message_id], refs[message.message_id], new) for message in shown),
    ]
    question = JUDGE.question(fenced("companion", talk.being.name), "\n".join(material))
    witnesses = {refs[message.message_id]: Witness(message, talk.heard[message.message_id]) for message in part}
    answer = mind.ask(question).answer
    return weighed(answer, witnesses, {ref: todo.todo_id for ref, todo in todos.items()})


def _shown(said: Sequence[Message], new: set[UUID], before: int) -> list[Message]:
    """The new messages, and before each of them so many that were said before."""
    places = [place for place, message in enumerate(said) if message.message_id in new]
    near = {shown for place in places for shown in range(max(0, place - before), place + 1)}
    return [said[place] for place in sorted(near)]


def _message(message: Message, heard: str, ref: str, new: set[UUID]) -> str:
    is_new = message.message_id in new
    return fenced(
        "message",
        heard if is_new else heard[:CONTEXT_CHARACTERS],
        ref=ref,
        by=speaker(message),
        at=f"{message.created_at:%Y-%m-%d %H:%M}",
        new="yes" if is_new else "no",
    )


def _line(entity: Entity) -> str:
    return f"{entity.entity_ref.partition(':')[0]} {entity.label}"
