"""Blocks between a line that names their beginning, and one that marks their end.

    [webpage 1 begin] … [webpage 1 end]        Chatbox, DeepSeek
    [CONTEXT 0]: … [END CONTEXT 0]             AnythingLLM
    ** cv.md full content ** … ** end of cv.md **   LM Studio
    --- cv.md --- … --- End of cv.md ---
    [CONTEXT] … [/CONTEXT], BEGIN CONTEXT … END CONTEXT, <!-- cv.md --> … <!-- end -->
    [ATTACHED_FILES] … [/ATTACHED_FILES]   Jan

Each line is a mark by how it begins; a block is one of retrieved things if one of its marks names a file or such a
thing. A block ends at the end mark with the name of its first one, else at the next end.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

# Of more marks the first ones are read.
MOST_MARKS = 2_000
# A longer line is no mark.
_MARK = re.compile(
    r"^[ \t]*+(?:(?P<style>-{3,}+|={3,}+|\*\*|<{2,}+|<!--|(?=(?:BEGIN|START|END)[ \t_]))(?P<words>[^\n]{1,200})"
    r"|(?P<bracket>\[)(?P<within>[^\n\[\]]{1,200}\])(?::[^\n]{0,200}|[ \t]*+))$",
    re.MULTILINE,
)
_ENDS = re.compile(
    r"[^\w\n]{0,9}end[ \t_]{1,9}\w|/\w|[ \t]{0,9}/?end[ \t]{0,9}-->|[^\n]{0,200}\bend\]\Z", re.IGNORECASE
)
_ABOUT = re.compile(
    r"\b(?:context|documents?|docs?|files?|attachments?|web ?pages?|pages?|urls?|articles?|sources?|citations?|results?"
    r"|search|knowledge|chunks?|passages?|excerpts?|references?|transcripts?|uploads?|memor(?:y|ies)|content|data ?bank"
    r"|replying)\b"
    r"|[^\s.\[\]*=#-]\.\w{1,5}\b",
    re.IGNORECASE,
)
_FRAME = re.compile(r"\b(?:begin|start|end|of|full|content|file)\b|[\W_]+", re.IGNORECASE)
_WHITE_SPACE = re.compile(r"\s*+")


@dataclass(frozen=True, slots=True)
class _Mark:
    style: str
    words: str
    key: str
    start: int
    end: int
    ends: bool
    tells_what: bool


def delimited_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the beginnings and ends of such blocks, in order; they do not overlap."""
    marks = [_mark(found) for found in islice(_MARK.finditer(text), MOST_MARKS)]
    ends: dict[tuple[str, str], list[int]] = {}
    for number in reversed(range(len(marks))):
        if marks[number].ends:
            for key in (marks[number].key, ""):
                ends.setdefault((marks[number].style, key), []).append(number)
    number = 0
    while number < len(marks):
        opens = marks[number]
        last = None if opens.ends else _end_of(opens, number, ends)
        if last is None or not (opens.tells_what or marks[last].tells_what):
            number += 1
            continue
        # Ends of outer blocks may follow.
        while last + 1 < len(marks) and marks[last + 1].ends and _adjoin(text, marks[last], marks[last + 1]):
            last += 1
        yield opens.start, marks[last].end
        number = last + 1


def _mark(found: re.Match[str]) -> _Mark:
    is_bracket = found["bracket"] is not None
    style, words = (found["bracket"], found["within"]) if is_bracket else (found["style"], found["words"])
    start = found.start("bracket" if is_bracket else "style")
    key = _FRAME.sub("", words).casefold()
    tells_what = _ABOUT.search(words.replace("_", " ")) is not None
    return _Mark(style[:2], words, key, start, found.end(), _ENDS.match(words) is not None, tells_what)


def _end_of(opens: _Mark, number: int, ends: dict[tuple[str, str], list[int]]) -> int | None:
    """Return the number of the mark that ends the block of an opening one."""
    for key in (opens.key, ""):
        behind = ends.get((opens.style, key), [])
        while behind and behind[-1] <= number:
            behind.pop()
        if behind:
            return behind[-1]
    return None


def _adjoin(text: str, mark: _Mark, following: _Mark) -> bool:
    found = _WHITE_SPACE.match(text, mark.end)
    return found is not None and found.end() == following.start
