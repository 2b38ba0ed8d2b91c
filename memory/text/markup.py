"""Blocks that markup sets apart in a text: fenced and quoted blocks, comments, and tags with their content.

All marks are found in one pass and paired once, so a text is read in time linear in its length, however many of its
blocks stay open. A fence ends at the next one that is as long or longer, a comment at the next end of one, and a tag
where as many of its name were closed as were opened behind it; if there are too few for that, at the next that closes
its name. A mark that nothing closes opens no block.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple

Kind = Literal["fence", "quote", "comment", "tag"]

# Each takes some fifty times the memory of its few characters, and messages are cut off long before.
MOST_MARKS = 50_000

_MARK = re.compile(
    r"(?P<fence>`{3,}+|~{3,}+)|(?P<quote>\"{3}|'{3})|(?P<comment><!--|-->)"
    r"|<(?P<closes>/)?(?P<tag>[^\W\d_][\w.'-]*+)(?:\s[^<>]*+)?>",
    re.IGNORECASE,
)


class Mark(NamedTuple):
    """A mark in a text, from `start` to `end`.

    Attributes:
        kind: The kind of text that it encloses.
        name: A tag's name in lower case, or the character of a fence; the mark that closes it has the same.
        start: Its first character.
        end: The character behind its last.
        opens: Whether it may begin a block.
        closes: Whether it may end one.
    """

    kind: Kind
    name: str
    start: int
    end: int
    opens: bool
    closes: bool


class Block(NamedTuple):
    """A mark that opens, and the one that closes it."""

    opens: Mark
    closes: Mark

    @property
    def content(self) -> slice:
        """The place of its content."""
        return slice(self.opens.end, self.closes.start)


class Markup:
    """The marks of a text, and the blocks between them.

    Args:
        is_read: Whether tags of a name, in lower case, are read; without it all are.

    Attributes:
        marks: The marks, in order; of more than `MOST_MARKS` the first ones.
    """

    def __init__(self, text: str, is_read: Callable[[str], object] | None = None) -> None:
        marks = map(_mark, _MARK.finditer(text))
        telling = (mark for mark in marks if mark.kind != "tag" or is_read is None or is_read(mark.name))
        self.marks = [*islice(telling, MOST_MARKS)]

    def blocks(self, *kinds: Kind) -> Iterator[Block]:
        """Yield the outermost blocks of these kinds, in order; they do not overlap."""
        behind = 0
        for number, mark in enumerate(self.marks):
            if mark.kind in kinds and mark.start >= behind and number in self._closing:
                closing = self.marks[self._closing[number]]
                behind = closing.end
                yield Block(mark, closing)

    def widest(self, behind: int = 0) -> slice | None:
        """Return where the text is between the first tag from a place on and the last that closes its name, if any."""
        opens = next((mark for mark in self.marks if mark.kind == "tag" and mark.opens and mark.start >= behind), None)
        closes = self.last_closing(opens) if opens else None
        return slice(opens.end, closes.start) if opens and closes else None

    def last_closing(self, opens: Mark) -> Mark | None:
        """Return the last tag behind one that closes its name."""
        last = self._last_closing.get(opens.name)
        return last if last and last.start >= opens.end else None

    @cached_property
    def balanced(self) -> dict[int, Mark]:
        """By where a tag begins, the one that closes it or that it closes, if as many are opened as closed between."""
        opening = {closing: number for number, closing in self._balanced.items()}
        return {self.marks[one].start: self.marks[other] for one, other in (self._balanced | opening).items()}

    @cached_property
    def _last_closing(self) -> dict[str, Mark]:
        return {mark.name: mark for mark in self.marks if mark.kind == "tag" and mark.closes}

    @cached_property
    def _balanced(self) -> dict[int, int]:
        """By the number of an opening tag, that of the one that closes it."""
        opened: defaultdict[str, list[int]] = defaultdict(list)
        closing = {}
        for number, mark in enumerate(self.marks):
            if mark.kind != "tag":
                continue
            if mark.opens:
                opened[mark.name].append(number)
            elif mark.closes and opened[mark.name]:
                closing[opened[mark.name].pop()] = number
        return closing

    @cached_property
    def _closing(self) -> dict[int, int]:
        """By the number of a mark that opens a block, that of the one that closes it."""
        # By kind and name, the marks behind a place that may close one before it: of fences each longer than the ones
        # before it, the nearest last.
        behind: defaultdict[tuple[Kind, str], list[int]] = defaultdict(list)
        closing = {}
        for number in reversed(range(len(self.marks))):
            mark = self.marks[number]
            others = behind[mark.kind, mark.name]
            while mark.kind == "fence" and others and _length(self.marks[others[-1]]) < _length(mark):
                others.pop()
            if mark.opens and others:
                closing[number] = others[-1]
            if mark.closes:
                others.append(number)
        return closing | self._balanced


def _mark(found: re.Match[str]) -> Mark:
    start, end = found.span()
    fence, quote, comment, closes, tag = found.groups()
    if fence or quote:
        return Mark("fence" if fence else "quote", (fence or quote)[0], start, end, opens=True, closes=True)
    if comment:
        return Mark("comment", "", start, end, opens=comment == "<!--", closes=comment == "-->")
    return Mark("tag", tag.lower(), start, end, opens=not (closes or found[0].endswith("/>")), closes=bool(closes))


def _length(mark: Mark) -> int:
    return mark.end - mark.start
