"""Text that frontends put before and behind the user's words in one line: retrieved blocks, and instructions.

A line is read in time linear in its length, however many wrappers are around the user's words: all that may be one is
found once, and the user's part gets narrower from both ends.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable

from memory.text.markup import Block, Mark, Markup
from memory.wrapping.agents import TAGS
from memory.wrapping.headings import blocks, without_results
from memory.wrapping.steering import PARAGRAPHS, steers, steers_beside_words

# Words that name retrieved things, alone or among others: `<webpage_contents>`, `<searchResults>`.
_THINGS = (
    r"contexts?|documents?|docs?|files?|attachments?|attached|(?:search|web)_?results?|knowledge|references?|retrieved|rag"
    r"|memor(?:y|ies)|chunks?|(?:web_?)?pages?|lore(?:book)?|relevant|reminder"
)
# Words that do so only behind words for a program's resources; people write `<personal_data>` of their own.
_AT_HAND = (
    r"active|additional|attached|current|editor|embedded|environment|external|function|mcp|open|recent|selected|session|site|system|tool|url|user"
    r"|visible|web|workspace|world"
)
_AMONG_OTHERS = (
    r"contents?|data|date(?:time)?|details|entries|info(?:rmation)?|instructions?|location|notes?|output|response|results?|search|selection|state"
    r"|metadata|text|time(?:stamp)?"
)
_NAMES = re.compile(
    rf"(?!my[._-])(?:[a-z]{{1,20}}[._-]){{0,3}}(?:{_THINGS})(?:[._-][a-z]{{1,20}}){{0,3}}"
    rf"|(?:{_AT_HAND})(?:[._-](?:{_AMONG_OTHERS})|(?:{_THINGS}))"
    rf"|sources?|results|facts|entities|observations|timestamp|env|world_info|author'?s?_note|{TAGS}"
    r"|已知信息|上下文|参考(?:资料|内容|信息)?|知识库?|资料|文档"
)
# Such a name in two words, as in `<additional context>`; of its tags the first word is read.
_TWO_WORDS = re.compile(rf"<(?P<name>{_AT_HAND}) (?:{_AMONG_OTHERS}|{_THINGS})>", re.IGNORECASE)
# A tag of any name that names a file; people ask about tags of web pages, and give titles to their texts.
_FILE_TAG = re.compile(
    r"<(?P<name>[a-z][\w.-]{0,40})\s[^<>]{0,300}?\b(?:name|file|file_?name|file_?path|path)=[\"']?"
    r"[^\"'<>\n]{1,200}\.(?:pdf|md|txt|docx?|odt|rtf|csv|tsv|json|xlsx?|pptx?|epub|log|eml|srt|vtt)\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?P<name>[a-z][\w.-]{0,40})[\s>]", re.IGNORECASE)
_OF_PAGES = frozenset(
    ("a", "input", "iframe", "embed", "object", "meta", "link", "img", "button", "form", "script", "svg", "div", "span")
)
# Tags that hold the user's own words; beside tags of other names, one that no person writes.
_USERS = r"user[._-]?(?:query|question|message|input|request|prompt)"
_OWN = re.compile(
    rf"<(?P<name>task|feedback|query|question|问题|提问|{_USERS})\s*>(?P<said>.*)</(?P=name)\s*>\s*+",
    re.IGNORECASE | re.DOTALL,
)
_USERS_END = re.compile(rf"</(?:{_USERS})>", re.IGNORECASE)
_USERS_NAME = re.compile(_USERS, re.IGNORECASE)
_RULES = re.compile(r"\A\s*+[-=*_]{3,}+[ \t]*+(?:\n|\Z)|\n[ \t]*+[-=*_]{3,}+\s*+\Z")
_ENDS_LINE = re.compile(r"[^\S\n]*+(?:\n|\Z)")
_WHITE_SPACE = re.compile(r"\s*+")
_CLOSES_LINE = re.compile(r"\][ \t]*+\n\s*+")


def without_wrappers(text: str) -> str:
    """Return a line without a frontend's text before and behind the user's words, stripped."""
    # A file alone, in a tag of a person's own, may be the user's text.
    narrowed = _NarrowedLine(text).read() or _NarrowedLine(text, files=False).read()
    kept = without_results(narrowed)
    if kept != narrowed:
        kept = _NarrowedLine(kept).read()
    if kept != text.strip():
        # The rules between the removed text and the user's words.
        kept = _RULES.sub("", kept).strip()
    if kept.startswith("<") and kept.endswith(">") and _USERS_END.search(kept):
        kept = _only_users_block(kept)
    own = _OWN.fullmatch(kept)
    return (_NarrowedLine(own["said"]).read() or own["said"].strip()) if own else kept


def _only_users_block(text: str) -> str:
    """Return the one block with a name for the user's words if there are only blocks beside it; else the text.

    Of several blocks one may hold it.
    """
    outermost = [*Markup(text).blocks("tag")]
    own = _users_blocks(outermost, 0)
    if not own and len(outermost) > 1:
        inner = ((Markup(text[block.content]).blocks("tag"), block.content.start) for block in outermost)
        own = next((held for within, start in inner if (held := _users_blocks(within, start))), [])
    if len(own) != 1:
        return text
    beside = [part for part in (text[: own[0].start].strip(), text[own[0].stop :].strip()) if part]
    return text[own[0]] if all(part[0] == "<" and part[-1] == ">" for part in beside) else text


def _users_blocks(within: Iterable[Block], start: int) -> list[slice]:
    """Return the places of the blocks with a name for the user's words; theirs count from `start`."""
    own = (block for block in within if _USERS_NAME.fullmatch(block.opens.name))
    return [slice(start + block.opens.start, start + block.closes.end) for block in own]


def _names_of_files(text: str) -> set[str]:
    """Return the names of tags that name a file at each of their openings."""
    naming = Counter(found["name"].lower() for found in _FILE_TAG.finditer(text))
    opened = Counter(found["name"].lower() for found in _TAG.finditer(text)) if naming else naming
    return {name for name, number in naming.items() if number == opened[name] and name not in _OF_PAGES}


class _NarrowedLine:
    """A line, of which the part from `begin` to `end` may be the user's; neither begins nor ends with white space."""

    def __init__(self, text: str, *, files: bool = True) -> None:
        self._text = text
        self._begin, self._end = 0, len(text.rstrip())
        self._go_to(0)
        named = {found["name"].lower() for found in _TWO_WORDS.finditer(text)}
        named |= _names_of_files(text) if files else set()
        self._markup = Markup(text, lambda name: name in named or _NAMES.fullmatch(name))
        tags = [mark for mark in self._markup.marks if mark.kind == "tag"]
        self._opening, self._closing = {tag.start: tag for tag in tags}, {tag.end: tag for tag in tags}
        found = list(blocks(text, self._markup))
        self._behind_block, self._before_block = dict(found), {end: begin for begin, end in found}
        self._breaks = [found.span() for found in PARAGRAPHS.finditer(text)]

    def read(self) -> str:
        """Return the user's part."""
        # A part cut off at the end may be all of the text behind a block at the beginning.
        for _ in range(2):
            while self._is_shorter_at_its_beginning():
                pass
            while self._is_shorter_at_its_end():
                pass
        return self._text[self._begin : self._end]

    def _is_shorter_at_its_beginning(self) -> bool:
        """Whether something was before the user's part, which is passed over, and more may be."""
        end = self._behind_block.get(self._begin)
        tag = self._opening.get(self._begin)
        if tag is not None and tag.opens:
            closes = self._markup.balanced.get(tag.start) or self._markup.last_closing(tag)
            end = closes.end if closes else None
        if end is not None and end <= self._end and _ENDS_LINE.match(self._text, end, self._end):
            return self._go_to(end)
        place = bisect(self._breaks, (self._begin,))
        ends, begins = self._breaks[place] if place < len(self._breaks) else (self._end, self._end)
        if ends >= self._end:
            return self._is_steered_before() or (steers(self._text[self._begin : self._end]) and self._go_to(self._end))
        if steers_beside_words(self._text[self._begin : ends]):
            return self._go_to(begins)
        return self._is_steered_before()

    def _is_steered_before(self) -> bool:
        """Whether a note in brackets stood on lines of its own before the user's part, which is passed over."""
        if not self._text.startswith("[", self._begin, self._end):
            return False
        closes = _CLOSES_LINE.search(self._text, self._begin, self._end)
        is_note = closes is not None and steers(self._text[self._begin : closes.start() + 1])
        return closes is not None and is_note and self._go_to(closes.end())

    def _is_shorter_at_its_end(self) -> bool:
        """Cut off a frontend's text behind the user's part; returns whether there was one, so that more may follow."""
        # With its heading, if it has one.
        begin = self._before_block.get(self._end)
        if begin is not None and begin >= self._begin:
            return self._end_at(begin)
        tag = self._closing.get(self._end)
        if tag is not None and tag.closes:
            opens = self._markup.balanced.get(tag.start)
            if opens is not None and opens.start >= self._begin and self._begins_line(opens):
                return self._end_at(opens.start)
        begins = self._last_paragraph()
        if begins > self._begin and steers_beside_words(self._text[begins : self._end]):
            return self._end_at(begins)
        begins = max(self._text.rfind("\n[", begins, self._end) + 1, begins)
        return steers(self._text[begins : self._end]) and self._end_at(begins)

    def _last_paragraph(self) -> int:
        """Return the beginning of the last paragraph."""
        place = bisect(self._breaks, (self._end,)) - 1
        return max(self._begin, self._breaks[place][1]) if place >= 0 else self._begin

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
