"""Rules that each request in the Shadow Judge's answer must pass before anything is done for it.

The model proposes and code decides: the user asks in words of their own, seriously and outside of quotation marks, and
means a fact, todo or message of theirs that was shown or said. In doubt nothing is done.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args
from uuid import UUID

from memory.facts.confidence_rules import ShownMessage
from memory.facts.extraction_rules import (
    USER,
    ExtractedFact,
    ExtractedRequest,
    ExtractedTodo,
    Extraction,
    FactRuleBroken,
    quotation,
    statement_of,
)
from memory.grounding.references import is_nameless, language_of
from memory.grounding.setting import Setting
from memory.text.entity_names import USER_REF, entity_ref, slug
from schemas.facts.fact_rows import Fact
from schemas.facts.judgement import FoundRequest, Wish
from schemas.text.sentences import SENTENCE_ENDS

# A request changes memory: a model that finds another reading possible is not sure enough.
LEAST_CONFIDENCE = 0.7
# Words in quotation marks, between the asterisks of a role-play, or behind the mark of a quoted line, are another's.
_OPENING = re.compile(
    r"```|[`*\"\u201c\u201e\u00ab\u00bb\u2039\u300c\u300e]|(?<!\w)['\u2018](?=\w)|^[ \t]*+>", re.MULTILINE
)
_CLOSING = {
    **{mark: re.compile(re.escape(mark)) for mark in ("```", "`", "*", '"')},
    **{mark: re.compile(r"['\u2019](?!\w)") for mark in "'\u2018"},
    "\u201c": re.compile("\u201d"),
    "\u201e": re.compile("[\u201c\u201d]"),
    "\u00ab": re.compile("\u00bb"),
    "\u00bb": re.compile("\u00ab"),
    "\u2039": re.compile("\u203a"),
    "\u300c": re.compile("\u300d"),
    "\u300e": re.compile("\u300f"),
}
_OF_SEVERAL_LINES = frozenset({"```", "\u300c", "\u300e"})
_SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS}\n]")


@dataclass(frozen=True)
class RequestTargets:
    """The facts, todos and messages that a request may be about, by the refs in the prompt.

    Attributes:
        facts: The facts that were shown.
        companion: The Being's name, which may stand before words addressed to it.
    """

    facts: Mapping[str, Fact]
    todos: Mapping[str, UUID]
    messages: Mapping[str, ShownMessage]
    companion: str = ""


@dataclass
class _ChosenTargets:
    facts: list[Fact] = field(default_factory=list)
    todos: list[UUID] = field(default_factory=list)
    messages: list[UUID] = field(default_factory=list)


def add_requests(
    extraction: Extraction,
    found: Collection[FoundRequest],
    targets: RequestTargets,
    new: Collection[UUID],
    setting: Setting,
) -> None:
    """Add the requests that pass the rules, and count the others by the rule that they break.

    Args:
        extraction: The items of the answer that passed so far.
        found: The requests as the judge named them.
        targets: The facts, todos and messages that a request may be about.
        new: The ids of the messages to judge, which alone may ask.
        setting: The talk's user, time zone and language.
    """
    for each in found:
        try:
            extraction.requests.append(_checked(each, targets, new, setting))
        except FactRuleBroken as reason:
            extraction.dropped[str(reason)] += 1


def _checked(found: FoundRequest, targets: RequestTargets, new: Collection[UUID], setting: Setting) -> ExtractedRequest:
    quotable = {
        ref: source
        for ref, source in targets.messages.items()
        if source.message.message_id in new and source.message.role == "user"
    }
    speaker = USER if setting.is_user(found.speaker) else found.speaker
    message, span = quotation(found.model_copy(update={"speaker": speaker}), quotable)
    if found.wish not in get_args(Wish):
        raise FactRuleBroken("unknown type")
    if not found.confidence >= LEAST_CONFIDENCE:
        raise FactRuleBroken("not sure")
    source = next(one for one in quotable.values() if one.message is message)
    if _is_anothers(span, source.own_text, targets.companion):
        raise FactRuleBroken("quoted")
    about = _named(found, source.own_text, setting)
    chosen = _ChosenTargets() if about and not found.means else _chosen(found, targets)
    request = ExtractedRequest(
        message=message,
        span=span,
        wish=found.wish,
        facts=tuple(fact.fact_id for fact in chosen.facts),
        todos=tuple(chosen.todos),
        messages=tuple(chosen.messages),
        about=about,
    )
    return _correction(found, request, chosen, targets, setting) if found.wish == "correct" else request


def _named(found: FoundRequest, text: str, setting: Setting) -> str | None:
    """Return the name of an entity not to be mentioned, if it stands in the request's message; None for "it".

    Raises:
        FactRuleBroken: It does not, or is the user.
    """
    if found.wish != "do not mention" or not (name := (found.about or "").strip()):
        return None
    if name.casefold() not in text.casefold() or entity_ref("person", name) in {None, USER_REF}:
        raise FactRuleBroken("means nothing known")
    return None if is_nameless(name, text, language_of(text, setting.usual)) else name


def _chosen(found: FoundRequest, targets: RequestTargets) -> _ChosenTargets:
    """The facts, todos and messages that a request is about, each once.

    Raises:
        FactRuleBroken: It names no item, an item that was not shown, or one that is not the user's.
    """
    chosen = _ChosenTargets()
    for ref in dict.fromkeys(found.means):
        if ref in targets.facts:
            chosen.facts.append(targets.facts[ref])
        elif ref in targets.todos:
            chosen.todos.append(targets.todos[ref])
        elif ref in targets.messages:
            message = targets.messages[ref].message
            if message.role == "other":
                raise FactRuleBroken("another's words")
            if message.role == "user":
                chosen.messages.append(message.message_id)
        else:
            raise FactRuleBroken("not shown")
    if not (chosen.facts or chosen.todos or chosen.messages):
        raise FactRuleBroken("means nothing known")
    return chosen


def _correction(
    found: FoundRequest, request: ExtractedRequest, chosen: _ChosenTargets, targets: RequestTargets, setting: Setting
) -> ExtractedRequest:
    """Return a correction with its statement: names and numbers in it stand in the user's words or corrected items."""
    if len(chosen.facts) > 1 or (len(chosen.messages) > 1 and not chosen.facts):
        raise FactRuleBroken("several are meant")
    if not chosen.facts and not chosen.messages:
        raise FactRuleBroken("means nothing known")
    statement = statement_of(found.statement or "")
    shown = list(targets.messages.values())
    place = next(place for place, one in enumerate(shown) if one.message is request.message)
    own_text = shown[place].own_text
    before = [one.own_text for one in shown[:place]]
    ground = setting.quoted(request.span, own_text, before, request.message.created_at)
    corrected = [fact.content for fact in chosen.facts]
    corrected += [one.own_text for one in shown if one.message.message_id in chosen.messages]
    if faults := replace(ground, words="\n".join([ground.words, *corrected])).faults(statement):
        raise FactRuleBroken(faults[0])
    time = setting.time_of(ground.words, request.message.created_at, text=own_text)
    return replace(request, statement=statement, time=time)


def _is_anothers(span: str, text: str, companion: str) -> bool:
    """Whether words stand in a text only where the user repeats another's, or plays a part."""
    quoted = list(_quotations(text))
    places = [one.start() for one in re.finditer(re.escape(span), text)]
    return not any(
        not any(start <= place < end for start, end in quoted) and not _is_announced(text[:place], companion)
        for place in places
    )


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """The places of quotations, role-play and quoted lines in a text, in order."""
    at = line_end = 0
    # By each mark the place up to which nothing closes it.
    unclosed: dict[str, int] = {}
    while opening := _OPENING.search(text, at):
        mark, at = opening[0], opening.end()
        if line_end < at:
            newline = text.find("\n", at)
            line_end = len(text) if newline < 0 else newline
        closing = _CLOSING.get(mark)
        if closing is None:
            yield opening.start(), line_end
            at = line_end
        elif unclosed.get(mark, 0) <= at:
            end = len(text) if mark in _OF_SEVERAL_LINES else line_end
            if found := closing.search(text, at, end):
                yield opening.start(), found.end()
                at = found.end()
            else:
                unclosed[mark] = end


def _is_announced(before: str, companion: str) -> bool:
    """Whether words before others announce them: "She told me:". A name alone addresses the companion."""
    clause, colon, rest = before.rpartition(":")
    if not colon or rest.strip():
        return False
    return slug(_SENTENCE_END.split(clause)[-1]) not in {"", slug(companion)}


def settle(extraction: Extraction, ignored: Mapping[UUID, UUID]) -> None:
    """Take out of an extraction the items of messages not to be remembered, and items that are requests themselves.

    A correction of a message that is judged in the same extraction takes the place of that message's fact.

    Args:
        extraction: All that was found in some messages.
        ignored: Messages that are not to be remembered since before, each with the message that asked for it.
    """
    hidden = set(ignored) | {
        id_ for one in extraction.requests if one.wish in {"forget", "do not remember"} for id_ in one.messages
    }
    facts = [fact for fact in extraction.facts if not _is_hidden(fact, hidden, extraction)]
    todos = [todo for todo in extraction.todos if not _is_hidden(todo, hidden, extraction)]
    if lost := len(extraction.facts) + len(extraction.todos) - len(facts) - len(todos):
        extraction.dropped["not to be remembered"] += lost
    for request in extraction.requests:
        wrong = [place for place, fact in enumerate(facts) if fact.message.message_id in request.messages]
        if request.statement and not request.facts and len(wrong) == 1:
            (place,) = wrong
            facts[place] = replace(
                facts[place], message=request.message, span=request.span, content=request.statement, time=request.time
            )
    extraction.facts[:], extraction.todos[:] = facts, todos


def _is_hidden(item: ExtractedFact | ExtractedTodo, hidden: Collection[UUID], extraction: Extraction) -> bool:
    """Whether an item is of a message that is not to be remembered, or quotes words that ask for something."""
    return item.message.message_id in hidden or any(
        one.message.message_id == item.message.message_id and (one.span in item.span or item.span in one.span)
        for one in extraction.requests
    )
