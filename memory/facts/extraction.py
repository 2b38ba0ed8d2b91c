"""The extraction call: the prompt with a conversation, and bisection of messages that the model refuses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.facts.confidence_rules import ShownMessage
from memory.facts.extraction_rules import Extraction, check
from memory.facts.spoken_requests.rules import RequestTargets, add_requests, settle
from memory.grounding.setting import Setting
from memory.llm.portions import ask_in_turn, halves
from memory.llm.prompting import prompt
from memory.llm.session import LlmSession
from memory.text.prompt_escaping import tagged
from memory.text.transcripts import CONFIDED, speaker
from providers.errors import BadAnswer
from schemas.accounts.accounts import Being
from schemas.facts.fact_rows import Entity, Fact, Todo
from schemas.facts.judgement import UNTOLD, Judgement
from schemas.talk.messages import Message
from schemas.text.sentences import cut_at_sentence

JUDGE = prompt("judge", Judgement, size="small", most_tokens=6_000)
CONTEXT_MESSAGES = 6
# A message of at least this many characters is read in two parts if it can't be read whole.
LEAST_DIVIDED = 4_000
CONTEXT_CHARACTERS = 800
# Enough to know a fact by.
FACT_CHARACTERS = 200
# Of a message of the Being's, which holds a promise at most.
OWN_CHARACTERS = 1_500


@dataclass(frozen=True)
class Conversation:
    """The prompt's content.

    Attributes:
        being: The companion.
        messages: The messages to judge and those before them, in order.
        own_texts: Their texts with the words of contexts blanked (`context_provenance.own_texts`).
        new: The ids of the messages to judge.
        entities: Entities that the Being knows by name.
        todos: The Being's open todos.
        setting: The talk's user, time zone and language, for the grounding of items.
        facts: Known facts that the user may mean in these messages.
        ignored: Messages that the user asked not to remember, each with a message that asked for it.
    """

    being: Being
    messages: Sequence[Message]
    own_texts: Mapping[UUID, str]
    new: frozenset[UUID]
    entities: Sequence[Entity]
    todos: Sequence[Todo]
    setting: Setting
    facts: Sequence[Fact] = ()
    ignored: Mapping[UUID, UUID] = field(default_factory=dict)


def extract(llm: LlmSession, conversation: Conversation) -> tuple[Extraction, dict[UUID, str]]:
    """Extract facts and todos from the new messages.

    If the call fails for all of them, it is repeated for each half, and then without the earlier messages, until the
    message that causes the failure stands alone (`ask_in_turn`). A message that is longer than the model's context is
    read in two parts.

    Returns:
        The extraction, and by message id the reason why a message could not be judged.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; the caller leaves the messages unjudged.
    """
    extraction = Extraction()
    # A message that only repeats a context has no text of its own to judge.
    new = [
        message
        for message in conversation.messages
        if message.message_id in conversation.new and conversation.own_texts[message.message_id].strip()
    ]

    def take(portion: _Portion, divisible: bool) -> None:
        found = _extract_from(llm, conversation, portion, divisible=divisible)
        extraction.facts.extend(found.facts)
        extraction.todos.extend(found.todos)
        extraction.confidences.update(found.confidences)
        extraction.requests.extend(found.requests)
        extraction.dropped.update(found.dropped)
        extraction.doubted.update(found.doubted)

    portions = [_Portion(new, conversation.own_texts)] if new else []
    left = ask_in_turn(portions, take, _Portion.divided)
    # A second judgement may find a request no more: then the messages that it hid count again.
    still = {
        message_id: asking for message_id, asking in conversation.ignored.items() if asking not in conversation.new
    }
    settle(extraction, still)
    return extraction, {message.message_id: str(fault) for portion, fault in left for message in portion.messages}


@dataclass(frozen=True)
class _Portion:
    """A portion of the new messages with their texts, and how many messages before each of them are shown.

    A half shows those before it as well, for a message may ask for confidence about another.
    """

    messages: Sequence[Message]
    own_texts: Mapping[UUID, str]
    before: int = CONTEXT_MESSAGES
    is_part: bool = False

    def divided(self) -> list["_Portion"]:
        if not self.is_part and len(self.messages) > 1:
            return [replace(self, messages=some, is_part=True) for some in halves(self.messages)]
        if self.before or len(self.messages) > 1:
            return [replace(self, messages=some, before=0) for some in halves(self.messages) or [self.messages]]
        (message,) = self.messages
        text = self.own_texts[message.message_id].strip()
        if len(text) < LEAST_DIVIDED or message.role == "assistant":
            return []
        first = cut_at_sentence(text, len(text) // 2)
        return [
            replace(self, own_texts={**self.own_texts, message.message_id: part})
            for part in (first, text[len(first) :])
        ]


def _extract_from(llm: LlmSession, conversation: Conversation, portion: _Portion, *, divisible: bool) -> Extraction:
    new = {message.message_id for message in portion.messages}
    own_texts = portion.own_texts
    shown = _with_preceding(conversation.messages, new, portion.before)
    refs = {message.message_id: f"m{place}" for place, message in enumerate(shown, start=1)}
    todos = {f"t{place}": todo for place, todo in enumerate(conversation.todos, start=1)}
    facts = {f"f{place}": fact for place, fact in enumerate(conversation.facts, start=1)}
    material = [
        *(
            [tagged("entities", "\n".join(_line(each) for each in conversation.entities))]
            if conversation.entities
            else []
        ),
        *(tagged("todo", todo.content, ref=ref, kind=todo.kind) for ref, todo in todos.items()),
        *(tagged("fact", fact.content[:FACT_CHARACTERS], ref=ref) for ref, fact in facts.items()),
        *(_message(message, own_texts[message.message_id], refs[message.message_id], new) for message in shown),
    ]
    question = JUDGE.question(tagged("companion", conversation.being.name), "\n".join(material))
    sources = {refs[message.message_id]: ShownMessage(message, own_texts[message.message_id]) for message in shown}
    answer = llm.ask(replace(question, divisible=divisible), _tells_confidences).answer
    promises = {todo.todo_id for todo in conversation.todos if todo.kind == "promise"}
    known = {ref: todo.todo_id for ref, todo in todos.items()}
    extraction = check(answer, sources, new, known, promises, conversation.setting)
    targets = RequestTargets(facts, known, sources, conversation.being.name)
    add_requests(extraction, answer.requests, targets, new, conversation.setting)
    return extraction


def _tells_confidences(answer: Judgement) -> None:
    """Ask again for an answer that leaves the confidences out; at last, all that it judges is in confidence.

    Raises:
        BadAnswer: It has no `confidences`.
    """
    if any(one.model_dump() == UNTOLD for one in answer.confidences):
        raise BadAnswer("`confidences` is missing: give an empty list if there are none.", valid=answer)


def _with_preceding(messages: Sequence[Message], new: set[UUID], before: int) -> list[Message]:
    """The new messages, each with up to `before` messages that precede it."""
    places = [place for place, message in enumerate(messages) if message.message_id in new]
    near = {shown for place in places for shown in range(max(0, place - before), place + 1)}
    return [messages[place] for place in sorted(near)]


def _message(message: Message, own_text: str, ref: str, new: set[UUID]) -> str:
    is_new = message.message_id in new
    shown = OWN_CHARACTERS if message.role == "assistant" else None
    return tagged(
        "message",
        own_text[: shown if is_new else CONTEXT_CHARACTERS],
        ref=ref,
        by=speaker(message),
        at=f"{message.created_at:%Y-%m-%d %H:%M}",
        new="yes" if is_new else "no",
        **CONFIDED if message.in_confidence else {},
    )


def _line(entity: Entity) -> str:
    return f"{entity.entity_ref.partition(':')[0]} {entity.label}"
