"""The user's own part of a line that a frontend has wrapped: without documents, search results, notes and instructions.

Frontends put what they retrieved, attached or were told to add into the user's line. That is told from the user's words
by where it stands and how it is marked, never by a marker in the midst of a sentence:

- a template that asks for an answer from what was retrieved, which says where the user's question stands
- at the beginning or the end of the line, on lines of their own: closed tags with names of retrieved things, a heading
  of such things with a quoted block, a fence or numbered results behind it, and paragraphs in brackets by which
  frontends steer the model
- comments that a frontend marks as its own, wherever they stand
"""

import re

from memory.proxy.wrappers import without_wrappers
from memory.text.markup import Markup

# What frontends ask the model to answer from what was retrieved; behind the last tag, or a label, stands the question.
_TASKS = re.compile(
    r"\s*(?:###\s*Task:\s*Respond to the user|Use the following (?:pieces of )?context"
    r"|Please answer the question based on|Answer the (?:user'?s? )?(?:question|query) (?:using|based on|from)"
    r"|You are given a user query|Context information is below"
    r"|(?:Based on|Using|Given) the (?:following|provided|above) (?:context|documents?|information|sources?))",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:^|\n)[ \t]*(?:#{1,6}[ \t]*|\*\*)?"
    r"(?:my question is|(?:the )?user'?s? (?:query|question|message)|query|question)"
    r"(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*(?P<question>.+)",
    re.IGNORECASE | re.DOTALL,
)
_QUERY_NAME = re.compile(r"user_query|query|user_question|question|user_message|user_input")
_BEHIND_QUESTION = re.compile(
    r"\n[ \t]*(?:#{1,6}[ \t]*|\*\*)?(?:reference materials?|references?|context|sources?|documents?)"
    r"(?:\*\*)?[ \t]*:.*\Z",
    re.IGNORECASE | re.DOTALL,
)
_ANSWER_LABEL = re.compile(
    r"(?:\n[ \t]*+[-=*]{3,}[ \t]*+)?\n[ \t]*+(?:#{1,6}[ \t]*+|\*\*)?(?:helpful |your |final |the )?(?:answer|response)"
    r"(?:\*\*)?[ \t]*+:?(?:\*\*)?\s*+\Z",
    re.IGNORECASE,
)
_WHEN_ANSWERING = re.compile(
    r"(?:when answer|given the context|answer the|---|###|(?:user'?s? )?(?:query|question)\s*:)", re.IGNORECASE
)
_CONTEXT_NAME = re.compile(r"context|documents?|sources?|knowledge|references?")

_MARKED = re.compile(
    r"<!--[ \t]*SYSTEM CONTEXT\b.*?(?:<!--[ \t]*END SYSTEM CONTEXT[ \t]*-->|\Z)", re.IGNORECASE | re.DOTALL
)


def own_words(text: str) -> str:
    """Return the user's own part of a line, stripped; empty if a frontend wrote all of it."""
    text = _MARKED.sub("\n\n", text)
    if _TASKS.match(text):
        text = _ANSWER_LABEL.sub("", _question(text))
    return without_wrappers(text)


def _question(text: str) -> str:
    """The question behind instructions to answer it from a context; the text as it is if none can be told."""
    end = max(
        (mark.end for mark in Markup(text, _CONTEXT_NAME.fullmatch).marks if mark.kind == "tag" and mark.closes),
        default=0,
    )
    queries = Markup(text, _QUERY_NAME.fullmatch)
    if (quoted := queries.widest(end)) and text[quoted]:
        return text[quoted]
    behind = text[end:]
    if end and behind.strip():
        asked = _ASKED.search(behind) if _WHEN_ANSWERING.match(behind.lstrip()) else None
        return asked["question"] if asked else behind
    if (quoted := queries.widest()) and text[quoted]:
        return text[quoted]
    if asked := _ASKED.search(text):
        return _BEHIND_QUESTION.sub("", asked["question"])
    return "" if end else text
