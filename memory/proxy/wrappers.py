"""Text that frontends put before and behind the user's words in one line: retrieved blocks, and instructions.

A line is read in time linear in its length, however many wrappers are around the user's words: all that may be one is
found once, and the user's part gets narrower from both ends.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from memory.text.markup import Mark, Markup

_NAMES = re.compile(
    r"context|sources?|documents?|docs|files?|files_info|file_context|attachments?|attachment_(?:file|link)|attached_(?:files?|"
    r"documents?)|(?:web_)?search_results?|web_results?|results|knowledge(?:_base)?|references?|retrieved(?:_\w{1,20})?|"
    r"rag(?:_context)?|user_(?:memory|memories|context)|memor(?:y|ies)|chunks?|url_content|webpages?|page_context|"
    r"context\.instruction|relevant_\w{1,20}|system[-_]reminder|lore(?:book)?|world_info|author'?s?_note"
)

# A heading of retrieved things, alone on its line.
_OF_WHAT = (
    r"relevant|retrieved|attached|uploaded|additional|provided|web|internet|online|google|search|background|reference"
    r"|knowledge(?:[ \t]base)?|related|user(?:'s)?"
)
_WHAT = (
    r"context(?:[ \t]information)?|documents?|document\(s\)|files?|file\(s\)|attachments?|search results?|results?"
    r"|sources?|references?|reference materials?|materials?|knowledge(?:[ \t]base)?|excerpts?|passages?|snippets?"
    r"|memories|web pages?|pages?|kontext|dokumente?|suchergebnisse|quellen|anhänge|dateien|contexte|contexto"
    r"|documentos|résultats|resultados|上下文|参考资料|搜索结果|检索结果"
)
_HEADING = re.compile(
    r"[ \t]*+(?:#{1,6}[ \t]*+|\*\*|--++[ \t]*+|=++[ \t]*+|\[)?(?:the[ \t]++)?"
    r"(?:(?:here[ \t]++(?:are|is)|use|using|see|based on|given)[ \t]++)?(?:the[ \t]++)?(?:following[ \t]++)?"
    rf"(?:(?:{_OF_WHAT})[ \t]++){{0,3}}(?:{_WHAT})"
    r"[ \t]*+(?:(?<=[ \t])(?:information|contents?|excerpts?"
    r"|from (?:the )?(?:web|internet|files?|documents?|knowledge base)|for [^\n:]{1,60}|below)[ \t]*+)?"
    r"(?:\([^()\n]{0,80}\)[ \t]*+)?(?:\*\*|\]|--+|=+)?[ \t]*+[:\uff1a]?(?:\*\*)?[ \t]*+:?[ \t]*+"
    r"(?:[^\n:]{1,80}\.\w{1,5})?\Z",
    re.IGNORECASE,
)
# A longer line is no heading.
_HEADING_CHARACTERS = 400
# Below such a heading people list things of their own as well, but not with numbers in brackets, or addresses.
_ENTRY = re.compile(r"[ \t]*(?:\[\^?\d{1,3}\]|https?://|(?:url|title|source|link|snippet)[ \t]*:)", re.IGNORECASE)
# So many line breaks may be between a heading and its first entry.
_ENTRY_APART = 2
_RESULT = re.compile(r"[ \t]*(?:\d{1,3}[.):]|[-*•])[ \t]")
_SEARCHED = re.compile(r"\b(?:search|web|internet|google|online|retrieved)\b", re.IGNORECASE)

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
_NOTE = re.compile(
    r"(?:author'?s note|a/n)[ \t]*:[ \t]"
    r"|\[?(?:current|today's)[ \t]+(?:date|time|datetime)(?:[ \t]+(?:and|&)[ \t]+time)?[ \t]*(?::|is\b)[^\n]{1,60}\Z",
    re.IGNORECASE,
)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*")
_ENDS_LINE = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_WHITE_SPACE = re.compile(r"\s*+")
_LINE = re.compile(r"[^\n]+")


def without_wrappers(text: str) -> str:
    """Return a line without what a frontend put before and behind the user's words, stripped."""
    narrowed = _Narrowed(text).read()
    kept = _without_results(narrowed)
    return kept if kept == narrowed else _Narrowed(kept).read()


def is_steering(text: str) -> bool:
    """Whether a line holds nothing but paragraphs with which a frontend steers the model."""
    text = text.strip()
    begins = 0
    for found in _PARAGRAPHS.finditer(text):
        if not _is_steering(text[begins : found.start()]):
            return False
        begins = found.end()
    return _is_steering(text[begins:])


class _Narrowed:
    """A line, of which the part from `begin` to `end` may be the user's; neither begins nor ends with white space."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._begin, self._end = 0, len(text.rstrip())
        self._go_to(0)
        self._markup = Markup(text, _NAMES.fullmatch)
        tags = [mark for mark in self._markup.marks if mark.kind == "tag"]
        self._opening, self._closing = {tag.start: tag for tag in tags}, {tag.end: tag for tag in tags}
        headed = list(_headed_blocks(text, self._markup))
        self._behind_headed, self._before_headed = dict(headed), {end: begin for begin, end in headed}

    def read(self) -> str:
        """Return the user's part."""
        # What is cut off at the end may be all that stood behind a block at the beginning.
        for _ in range(2):
            while self._is_shorter_at_its_beginning():
                pass
            while self._is_shorter_at_its_end():
                pass
        return self._text[self._begin : self._end]

    def _is_shorter_at_its_beginning(self) -> bool:
        """Whether something was before the user's part, which is passed over, and more may be."""
        end = self._behind_headed.get(self._begin)
        tag = self._opening.get(self._begin)
        if tag is not None and tag.opens:
            closes = self._markup.balanced.get(tag.start) or self._markup.last_closing(tag)
            end = closes.end if closes else None
        if end is not None and end <= self._end and _ENDS_LINE.match(self._text, end, self._end):
            return self._go_to(end)
        found = _PARAGRAPHS.search(self._text, self._begin, self._end)
        ends, begins = found.span() if found else (self._end, self._end)
        return _is_steering(self._text[self._begin : ends]) and self._go_to(begins)

    def _is_shorter_at_its_end(self) -> bool:
        """Whether something was behind the user's part, which is cut off, and more may be."""
        tag = self._closing.get(self._end)
        if tag is not None and tag.closes:
            opens = self._markup.balanced.get(tag.start)
            if opens is not None and opens.start >= self._begin and self._begins_line(opens):
                return self._end_at(opens.start)
        begin = self._before_headed.get(self._end)
        if begin is not None and begin >= self._begin:
            return self._end_at(begin)
        begins = self._last_paragraph()
        return _is_steering(self._text[begins : self._end]) and self._end_at(begins)

    def _last_paragraph(self) -> int:
        """Where the last paragraph begins."""
        line = self._text.rfind("\n", self._begin, self._end)
        while line >= 0:
            before = self._text.rfind("\n", self._begin, line)
            if before >= 0 and not self._text[before:line].strip():
                return line + 1
            line = before
        return self._begin

    def _begins_line(self, opens: Mark) -> bool:
        return opens.start == self._begin or self._text[opens.start - 1] == "\n"

    def _go_to(self, place: int) -> bool:
        """Let the part begin with the first word from a place on; returns whether any is left to narrow."""
        found = _WHITE_SPACE.match(self._text, place, self._end)
        self._begin = found.end() if found else self._end
        return self._begin < self._end

    def _end_at(self, place: int) -> bool:
        """Let the part end with the last word before a place; returns whether any is left to narrow."""
        while place > self._begin and self._text[place - 1].isspace():
            place -= 1
        self._end = max(place, self._begin)
        return self._begin < self._end


def _headed_blocks(text: str, markup: Markup) -> Iterator[tuple[int, int]]:
    """Yield where quoted blocks under a heading of retrieved things begin, with their headings, and end."""
    for block in markup.blocks("fence", "quote"):
        end = block.opens.start
        while end and text[end - 1].isspace():
            end -= 1
        earliest = max(0, end - _HEADING_CHARACTERS)
        begins = text.rfind("\n", earliest, end) + 1 or earliest
        if (
            "\n" in text[block.content]
            and _HEADING.match(text[begins:end])
            and (begins == 0 or text[begins - 1] == "\n")
        ):
            found = _WHITE_SPACE.match(text, begins)
            yield found.end() if found else begins, block.closes.end


def _is_steering(paragraph: str) -> bool:
    return bool(_STEERING.match(paragraph) or _NOTE.match(paragraph))


def _without_results(text: str) -> str:
    """A line without numbered results or addresses below a heading, up to the first paragraph that is none of them."""
    kept: list[str] = []
    place = 0
    for line, following in pairwise(_LINE.finditer(text)):
        apart = text[line.end() : following.start()].count("\n")
        if line.start() < place or apart > _ENTRY_APART or len(line[0]) > _HEADING_CHARACTERS:
            continue
        searched = apart == 1 and _SEARCHED.search(line[0]) is not None
        if _HEADING.match(line[0]) and _is_entry(following[0], searched=searched):
            kept.append(text[place : line.start()])
            place = _behind_entries(text, line.start())
    return "\n\n".join(one.strip() for one in [*kept, text[place:]]).strip() if kept else text


def _behind_entries(text: str, place: int) -> int:
    """Where the first paragraph behind one begins that is no entry."""
    for found in _PARAGRAPHS.finditer(text, place):
        if not _is_entry(text[found.end() : found.end() + _HEADING_CHARACTERS], searched=True):
            return found.end()
    return len(text)


def _is_entry(line: str, *, searched: bool) -> bool:
    return _ENTRY.match(line) is not None or (searched and _RESULT.match(line) is not None)
