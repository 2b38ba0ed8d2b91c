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
from collections.abc import Sequence

_NAMES = (
    r"context|sources?|documents?|docs|files?|files_info|file_context|attachments?|attachment_file|attached_(?:files?|"
    r"documents?)|(?:web_)?search_results?|web_results?|results|knowledge(?:_base)?|references?|retrieved(?:_\w{1,20})?|"
    r"rag(?:_context)?|user_(?:memory|memories|context)|memor(?:y|ies)|chunks?|url_content|webpages?|page_context|"
    r"context\.instruction|relevant_\w{1,20}|system[-_]reminder|lore(?:book)?|world_info|author'?s?_note"
)
_OPENS = re.compile(rf"<(?P<name>{_NAMES})(?:\s[^<>]*)?>", re.IGNORECASE)
_CLOSES_LAST = re.compile(rf"</(?P<name>{_NAMES})\s*>\s*\Z", re.IGNORECASE)

# A heading of retrieved things, alone on its line.
_OF_WHAT = (
    r"relevant|retrieved|attached|uploaded|additional|provided|web|internet|online|google|search|background|reference"
    r"|knowledge(?:[ \t]base)?|related|user(?:'s)?"
)
_WHAT = (
    r"context(?:[ \t]information)?|documents?|document\(s\)|files?|file\(s\)|attachments?|search results?|results?"
    r"|sources?|references?|reference materials?|materials?|knowledge(?:[ \t]base)?|excerpts?|passages?|snippets?"
    r"|memories|web pages?|pages?"
)
_HEADING = (
    r"[ \t]*+(?:#{1,6}[ \t]*+|\*\*|--+[ \t]*+|=+[ \t]*+|\[)?(?:the[ \t]+)?"
    r"(?:(?:here[ \t]+(?:are|is)|use|using|see|based on|given)[ \t]+)?(?:the[ \t]+)?(?:following[ \t]+)?"
    rf"(?:(?:{_OF_WHAT})[ \t]+){{0,3}}(?:{_WHAT})"
    r"(?:[ \t]+(?:information|contents?|excerpts?|from (?:the )?(?:web|internet|files?|documents?|knowledge base)"
    r"|for [^\n:]{1,60}|below))?"
    r"(?:[ \t]*+\([^()\n]{0,80}\))?[ \t]*+(?:\*\*|\]|--+|=+)?[ \t]*+:?(?:\*\*)?[ \t]*+:?[ \t]*+"
)
_FENCE = re.compile(r"\"{3}|'{3}|`{3,}|~{3,}")
# Below such a heading people list things of their own as well, but not with numbers in brackets, or addresses.
_ENTRY = re.compile(r"[ \t]*(?:\[\^?\d{1,3}\]|https?://|(?:url|title|source|link|snippet)[ \t]*:)", re.IGNORECASE)
_RESULT = re.compile(r"[ \t]*(?:\d{1,3}[.):]|[-*•])[ \t]")
_HEADED = re.compile(rf"{_HEADING}\Z", re.IGNORECASE)
_SEARCHED = re.compile(r"\b(?:search|web|internet|google|online|retrieved)\b", re.IGNORECASE)

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
_QUERY_TAG = re.compile(r"<(?P<name>user_query|query|user_question|question|user_message|user_input)>", re.IGNORECASE)
_BEHIND_QUESTION = re.compile(
    r"\n[ \t]*(?:#{1,6}[ \t]*|\*\*)?(?:reference materials?|references?|context|sources?|documents?)"
    r"(?:\*\*)?[ \t]*:.*\Z",
    re.IGNORECASE | re.DOTALL,
)
_WHEN_ANSWERING = re.compile(
    r"(?:when answer|given the context|answer the|---|###|(?:user'?s? )?(?:query|question)\s*:)", re.IGNORECASE
)
_END_OF_CONTEXT = re.compile(r"</(?:context|documents?|sources?|knowledge|references?)\s*>", re.IGNORECASE)

# Paragraphs with which frontends steer the model; people put asides in brackets as well, so the words decide.
_STEERING = re.compile(
    r"\[[ \t]*(?:start a new (?:group )?chat\b|example chat\b|continue (?:your last|the following) message"
    r"|write (?:the|your) next reply|(?:system|author'?s?|a/n|assistant)(?:'s)?[ \t]*(?:note)?[ \t]*:|author'?s? note\b"
    r"|(?:scenario|style|writing style|genre|tone|summary|previous events|instructions?|reminder|world info"
    r"|lore(?:book)?|setting|memory|memories|persona|character|narration)[ \t]*:"
    r"|following is a list of (?:recent )?events|system (?:note|info|prompt)\b"
    r"|ooc[ \t]*note to (?:the )?(?:ai|model)\b)[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*\Z",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:author'?s note|a/n)[ \t]*:[ \t]", re.IGNORECASE)
_MARKED = re.compile(
    r"<!--[ \t]*SYSTEM CONTEXT\b.*?(?:<!--[ \t]*END SYSTEM CONTEXT[ \t]*-->|\Z)", re.IGNORECASE | re.DOTALL
)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
# The most wrappers around one line.
_TRIES = 64


def own_words(text: str) -> str:
    """Return the user's own part of a line, stripped; empty if a frontend wrote all of it."""
    text = _MARKED.sub("\n\n", text)
    if _TASKS.match(text):
        text = _question(text)
    text = text.strip()
    for _ in range(_TRIES):
        shorter = _without_first(text)
        shorter = _without_last(shorter).strip()
        if shorter == text:
            break
        text = shorter
    return text


def is_steering(text: str) -> bool:
    """Whether a line holds nothing but paragraphs with which a frontend steers the model."""
    return bool(text.strip()) and all(map(_is_steering, _PARAGRAPHS.split(text.strip())))


def between_tags(opens: re.Pattern[str], text: str) -> str | None:
    """The text between the first tag that `opens` finds, by its group `name`, and the last that closes it, if any."""
    if (tag := opens.search(text)) is None:
        return None
    closing = [one.start() for one in re.finditer(f"</{re.escape(tag['name'])}>", text, re.IGNORECASE)]
    return text[tag.end() : closing[-1]] if closing and closing[-1] >= tag.end() else None


def _headed_blocks(text: str) -> list[tuple[int, int]]:
    """Where quoted blocks under a heading of retrieved things begin, with their headings, and end."""
    blocks = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[0].startswith(opened[0]) and "\n" in text[opened.end() : fence.start()]:
            head = text[: opened.start()].rstrip()
            begins = head.rfind("\n") + 1
            if _HEADED.match(head[begins:]):
                blocks.append((begins, fence.end()))
            opened = None
    return blocks


def _question(text: str) -> str:
    """The question behind instructions to answer it from a context; the text as it is if none can be told."""
    ends = list(_END_OF_CONTEXT.finditer(text))
    if quoted := between_tags(_QUERY_TAG, text[ends[-1].end() :] if ends else text):
        return quoted
    if ends:
        behind = text[ends[-1].end() :]
        asked = _ASKED.search(behind) if _WHEN_ANSWERING.match(behind.lstrip()) else None
        if asked or behind.strip():
            return asked["question"] if asked else behind
    if quoted := between_tags(_QUERY_TAG, text):
        return quoted
    if asked := _ASKED.search(text):
        return _BEHIND_QUESTION.sub("", asked["question"])
    if ends:
        return ""
    return text


def _without_first(text: str) -> str:
    """The text without what a frontend put before it."""
    if (tag := _OPENS.match(text)) and (end := _closing(text, tag)) is not None and _is_apart(text[end:], before=True):
        return text[end:].lstrip()
    blocks = _headed_blocks(text)
    if blocks and not text[: blocks[0][0]].strip() and _is_apart(text[blocks[0][1] :], before=True):
        return text[blocks[0][1] :].lstrip()
    first, rest = _first_paragraph(text)
    if _is_steering(first):
        return rest
    lines = text.split("\n")
    return _behind_entries(text) if _begins_results(lines, 0) else text


def _without_last(text: str) -> str:
    """The text without what a frontend put behind it."""
    if (tag := _CLOSES_LAST.search(text)) is not None:
        begins = _opening(text, tag)
        if begins is not None and (not text[:begins].strip() or text[:begins].endswith("\n")):
            return text[:begins]
    blocks = _headed_blocks(text)
    if blocks and not text[blocks[-1][1] :].strip():
        return text[: blocks[-1][0]]
    paragraphs = _PARAGRAPHS.split(text)
    if _is_steering(paragraphs[-1]):
        return text[: text.rfind(paragraphs[-1])]
    lines = text.split("\n")
    for number in range(len(lines) - 1):
        if _begins_results(lines, number):
            left = "\n".join(lines[:number])
            behind = _behind_entries("\n".join(lines[number:]))
            return f"{left}\n\n{behind}".strip()
    return text


def _closing(text: str, tag: re.Match[str]) -> int | None:
    """Where the last closing tag of an opening one ends: a document may quote its own."""
    closes = list(re.finditer(rf"</{re.escape(tag['name'])}\s*>", text, re.IGNORECASE))
    opens = list(re.finditer(rf"<{re.escape(tag['name'])}(?:\s[^<>]*)?>", text, re.IGNORECASE))
    depth = 0
    for mark in sorted([*opens, *closes], key=lambda one: one.start()):
        depth += -1 if mark.group().startswith("</") else 1
        if depth == 0:
            return mark.end()
    return closes[-1].end() if closes else None


def _opening(text: str, tag: re.Match[str]) -> int | None:
    """Where the block begins that a tag at the end of a text closes."""
    name = re.escape(tag["name"])
    depth = 0
    for mark in reversed(list(re.finditer(rf"</?{name}(?:\s[^<>]*)?>", text, re.IGNORECASE))):
        depth += 1 if mark.group().startswith("</") else -1
        if depth == 0:
            return mark.start()
    return None


def _is_apart(rest: str, *, before: bool) -> bool:
    """Whether a block is followed by a line break, so that it is no part of a sentence."""
    return not rest.strip() or (before and rest.lstrip(" \t").startswith("\n"))


def _first_paragraph(text: str) -> tuple[str, str]:
    found = _PARAGRAPHS.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def _is_steering(paragraph: str) -> bool:
    return bool(_STEERING.match(paragraph.strip()) or _NOTE.match(paragraph.strip()))


def _begins_results(lines: Sequence[str], number: int) -> bool:
    """Whether a line is a heading of retrieved things, and the next their first entry."""
    if number + 1 >= len(lines) or not lines[number].strip() or not _HEADED.match(lines[number]):
        return False
    return _is_entry(lines[number + 1], searched=_SEARCHED.search(lines[number]) is not None)


def _is_entry(line: str, *, searched: bool) -> bool:
    return _ENTRY.match(line) is not None or (searched and _RESULT.match(line) is not None)


def _behind_entries(text: str) -> str:
    """What stands behind a heading and its entries: the first paragraph that begins with none."""
    _, *paragraphs = _PARAGRAPHS.split(text)
    for number, paragraph in enumerate(paragraphs):
        if not _is_entry(paragraph, searched=True):
            return "\n\n".join(paragraphs[number:])
    return ""
