"""Reads the elements of a large JSON document one at a time, at any place in it.

Exports are JSON documents of up to gigabytes: an array of elements, one element alone, elements in a wrapper, or one on
each line. The reader follows the brackets of the document, which a regular expression finds, and parses one
element at a time: the memory that it takes is bounded by the longest element, and an invalid element, or a line that
breaks off, does not hide those behind it. A streaming parser (ijson) ends at the first invalid byte, and makes a
question mark of the escape of half a character.

Objects around elements may name their owner or their chat, before them or behind. So the elements in an object are
yielded when the outermost one closes, or is longer than an element may be.
"""

import json
import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import IO, Any

from memory.intake.importers.entries import NOT_UTF8, UnreadableEntry, in_utf8
from memory.intake.importers.reading.json_buffer import ELEMENT_BYTES, READ_BYTES, Buffer
from memory.text.errors import InvalidRequest

Path = tuple[str, ...]
# An object of this name, with any keys, is about the one that it stands in.
ABOUT: Path = ("metadata",)
NO_JSON = (
    "The file is no JSON document. Bring other text into this form first, one object a line:"
    ' {"role": "user", "content": "…", "timestamp": "2026-03-02T18:00:00Z"}'
)

# A string, and whether it is a key; one that is cut off is read to its end, so that none is looked for within it.
_STRING = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"(\s*+:\s*+)?+|\Z)', re.DOTALL)
# The bytes that an element takes beside its text until it is yielded.
READ_TAKES_BYTES = 500
# Around elements. Each open bracket keeps its path, and each element the objects around it.
_MOST_OPEN = 200
_CLOSES = {b"{": b"}", b"[": b"]"}
_BETWEEN = b" \t\r\n,"
_BLANK = b" \t\r\n\x00\x1a"


@dataclass(frozen=True, slots=True)
class Element:
    """An element.

    Attributes:
        path: The keys that lead to the array that it stands in, or to itself where it is in none.
        number: Its place in the array, from 1.
        value: Its value.
        around: The fields that were asked for of each object around it, with the keys that lead there, innermost first.
        in_array: Whether it stands in an array.
        keyed: Whether it is one by its place or keys, not only as a document of its own.
    """

    path: Path
    number: int
    value: Any
    around: Sequence[tuple[Path, Mapping[str, Any]]] = ()
    in_array: bool = True
    keyed: bool = True

    def inner(self, name: str, number: int, value: Any, about: Mapping[str, Any]) -> "Element":
        """Return an element in the array of this name in this one, with this one's fields `about` it."""
        path = (*self.path, "[]")
        return Element((*path, name), number, value, [(path, about), *self.around])


@dataclass(slots=True)
class _OpenBracket:
    """An open bracket.

    Attributes:
        kind: The bracket.
        path: The keys that lead to it.
        start: Its place in the file, of an object that may be an element; None if it is none.
        elements: How many elements it has had, of an array.
        fields: Those of its fields that were asked for.
    """

    kind: bytes
    path: Path
    start: int | None = None
    elements: int = 0
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _WholeElement:
    """An element that was read to its end, with the objects around it, innermost first."""

    path: Path
    number: int
    raw: bytes
    around: Sequence[_OpenBracket]
    in_array: bool
    keyed: bool = True


def elements(
    file: IO[bytes],
    paths: Collection[Path],
    keys: Collection[str] = (),
    about: Collection[str] = (),
    *,
    documents: bool = False,
) -> Iterator[Element | UnreadableEntry]:
    """Yield the objects that are elements, in the order of the document.

    Args:
        file: One or more documents, in UTF-8.
        paths: Each leads to an array by its keys; an empty one is a document that is an array. Every object in such an
            array is an element.
        keys: An object with one of these keys is an element at any place, but not within another one.
        about: The fields that hold for an element if an object around it has them.
        documents: Whether a document that is an object, and holds no element, is one itself.

    Yields:
        An element, or the fault of one: it is no object, not JSON, or longer than 64 MB. If the document breaks off, or
        its brackets do not match, the last item says so.

    Raises:
        InvalidRequest: The file is no JSON document.
    """
    return _FileWalk(file, paths, keys, about, documents=documents).elements()


class _FileWalk:
    """The way through one file."""

    def __init__(
        self,
        file: IO[bytes],
        paths: Collection[Path],
        keys: Collection[str],
        about: Collection[str],
        *,
        documents: bool,
    ) -> None:
        self._takes_documents = documents
        self._buffer = Buffer(file)
        self._paths = set(paths)
        self._keys = {key.encode() for key in keys}
        self._about = {f'"{name}"'.encode(): name for name in about}
        self._opened: list[_OpenBracket] = []
        self._found = 0
        # How many documents the file has until here, how many of them have elements, and which was the last of these.
        self._documents = 0
        self._with_some = 0
        self._last_with_some = 0
        self._behind = b""
        self._fault = "it ends in the middle: it was cut off"
        self._read: list[_WholeElement | UnreadableEntry] = []
        self._read_bytes = 0

    def elements(self) -> Iterator[Element | UnreadableEntry]:
        """Yield the elements; see the function of this name."""
        try:
            yield from self._walk()
            yield from self._by_line()
        except Exception:
            # Of an archive that is damaged here, the elements before count.
            yield from self._yielded()
            raise
        yield from self._end()

    def _by_line(self) -> Iterator[Element | UnreadableEntry]:
        """Continue after a damaged line, each line by itself, where objects begin with lines."""
        begin = self._damaged_from()
        for line in self._buffer.lines_from(begin) if begin is not None else ():
            if not self._opened:
                self._behind, self._buffer = b"", Buffer(BytesIO(line))
                yield from self._walk()
            if self._opened or self._rest:
                yield UnreadableEntry(f"behind entry {self._found}", "its line is no JSON", in_utf8(line)[0])
                self._documents -= bool(self._opened)
                self._opened, self._behind, self._buffer = [], b"", Buffer(BytesIO())

    def _damaged_from(self) -> int | None:
        """Return where the damage begins: with an object that holds no element, or behind the last one."""
        if self._opened:
            return self._opened[0].start
        return self._buffer.end - len(self._rest) if self._rest else None

    @property
    def _rest(self) -> bytes:
        """The bytes behind the last document that are no document."""
        return (self._behind + self._buffer.rest).lstrip(_BLANK)

    def _walk(self) -> Iterator[Element | UnreadableEntry]:
        for text, bracket in self._brackets():
            parent = self._opened[-1] if self._opened else None
            if parent is None and (text.strip(_BETWEEN) or bracket not in _CLOSES):
                self._behind = text + bracket
                break
            if parent is not None and self._is_wanted(parent) and (others := text.strip(_BETWEEN)):
                self._read.append(
                    UnreadableEntry(f"behind entry {parent.elements}", "it is no object", in_utf8(others)[0])
                )
            if parent is not None and parent.kind == b"{":
                self._note(parent, text, is_closed=bracket not in _CLOSES)
            named = parent is not None and self._names_key(parent, text)
            if not named and bracket in _CLOSES:
                self._open(bracket, parent, text)
            elif not named and not self._close(bracket):
                self._fault = "its brackets do not match"
                break
            if named or (parent is not None and bracket in _CLOSES and self._is_wanted(parent)):
                # Of one that is named by a key the bracket just read closes it, or opens something in it.
                depth = 1 if not named else 0 if bracket == b"}" else 2
                if not self._closes_again(depth):
                    break
                self._read.append(self._innermost())
            if self._read and (self._read_bytes > ELEMENT_BYTES or all(one.kind == b"[" for one in self._opened)):
                yield from self._yielded()
        yield from self._yielded()

    def _note(self, one: _OpenBracket, text: bytes, *, is_closed: bool) -> None:
        """Keep the fields of an object that are asked for, from the text before a bracket in it."""
        if any(name in text for name in self._about):
            # A bracket that opens stands behind a key.
            whole = b"{" + text.strip(_BETWEEN) + (b"}" if is_closed else b"null}")
            try:
                found = json.loads(in_utf8(whole)[0], strict=False)
            except (ValueError, RecursionError):
                return
            one.fields |= {name: found[name] for name in self._about.values() if found.get(name) is not None}

    def _yielded(self) -> Iterator[Element | UnreadableEntry]:
        """Yield the elements and faults that were read."""
        some, self._read, self._read_bytes = self._read, [], 0
        for one in some:
            if isinstance(one, UnreadableEntry):
                yield one
                continue
            raw, mended = in_utf8(one.raw)
            place = f"entry {one.number}"
            try:
                # Programs that write JSON by hand leave line breaks in strings.
                value = json.loads(raw, strict=False)
            except (ValueError, RecursionError) as fault:
                reason = f"not JSON: {fault.msg}" if isinstance(fault, json.JSONDecodeError) else "not JSON"
                yield UnreadableEntry(place, reason, raw)
            else:
                if isinstance(value, dict):
                    around = [(outer.path, outer.fields) for outer in one.around]
                    yield Element(one.path, one.number, value, around, one.in_array, one.keyed)
                else:
                    yield UnreadableEntry(place, "it is no object", value)
            if mended:
                yield UnreadableEntry(place, NOT_UTF8, None)

    def _brackets(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield each bracket with the text before it, up to the end of the file, or where too many are open."""
        while len(self._opened) < _MOST_OPEN:
            found = self._buffer.bracket()
            if found is not None:
                yield found
            elif not self._buffer.grow(self._needed()):
                return
        self._fault = "its brackets are nested too deeply"

    def _needed(self) -> int:
        """Return from where on the file is needed; an object that is too long for an element becomes none."""
        for one in self._opened:
            if one.start is not None and self._buffer.end - one.start > ELEMENT_BYTES:
                one.start = None
        return min((one.start for one in self._opened if one.start is not None), default=self._buffer.place)

    def _names_key(self, parent: _OpenBracket, text: bytes) -> bool:
        """Whether an open object that may be an element has one of the keys in its own text before a bracket."""
        if parent.start is None or parent.kind != b"{":
            return False
        return any(found[2] is not None and found[1] in self._keys for found in _STRING.finditer(text))

    def _is_wanted(self, parent: _OpenBracket) -> bool:
        return parent.kind == b"[" and parent.path in self._paths

    def _open(self, bracket: bytes, parent: _OpenBracket | None, text: bytes) -> None:
        wanted = parent is not None and self._is_wanted(parent)
        path = () if parent is None else _path(parent, text)
        may_be = wanted or (bracket == b"{" and bool(self._keys) and path[-1:] != ABOUT)
        if parent is None:
            self._documents += 1
        elif parent.kind == b"[":
            parent.elements += 1
        self._opened.append(_OpenBracket(bracket, path, self._buffer.place - 1 if may_be else None))

    def _close(self, bracket: bytes) -> bool:
        if _CLOSES[self._opened[-1].kind] != bracket:
            return False
        closed = self._opened.pop()
        self._tell_outer(closed)
        if self._takes_documents and not self._opened and closed.kind == b"{" and closed.start is not None:
            self._count_document()
            raw = self._buffer.read_of(closed.start)
            self._read.append(_WholeElement((), self._documents, raw, (), in_array=False, keyed=False))
        return True

    def _tell_outer(self, closed: _OpenBracket) -> None:
        """Keep the fields of an object that is itself a field that is asked for, of the object around it."""
        if closed.fields and self._opened and self._opened[-1].kind == b"{" and closed.path[-1] in self._about.values():
            self._opened[-1].fields[closed.path[-1]] = closed.fields

    def _closes_again(self, depth: int) -> bool:
        """Go to the place where `depth` open brackets are closed; returns false if the file ends before."""
        if not depth:
            return True
        for _, bracket in self._brackets():
            depth += 1 if bracket in _CLOSES else -1
            if not depth:
                return True
        return False

    def _count_document(self) -> None:
        """Count the document that is being read among those that have elements."""
        if self._last_with_some != self._documents:
            self._last_with_some = self._documents
            self._with_some += 1

    def _innermost(self) -> _WholeElement | UnreadableEntry:
        """Take the innermost open bracket, which was read to its end, as an element, or as the fault of one."""
        one = self._opened.pop()
        parent = self._opened[-1] if self._opened else None
        in_array = parent is not None and parent.kind == b"["
        self._found += 1
        self._count_document()
        for outer in self._opened:
            outer.start = None
        path, number = one.path, self._found
        if parent is not None and in_array:
            path, number = parent.path, parent.elements
            # Beside one element, the others of the array have to be some too, and are reported if they are none.
            self._paths.add(path)
        place = f"entry {number}"
        if one.start is None:
            return UnreadableEntry(place, f"it is longer than {ELEMENT_BYTES >> 20} MB", None)
        raw = self._buffer.read_of(one.start)
        if not in_array and path and path[-1] in self._about.values():
            self._note(one, raw[1:-1], is_closed=True)
            self._tell_outer(one)
        self._read_bytes += len(raw) + READ_TAKES_BYTES
        return _WholeElement(
            path, number, raw, [each for each in reversed(self._opened) if each.kind == b"{"], in_array
        )

    def _end(self) -> Iterator[UnreadableEntry]:
        """Yield the faults at the end of the file."""
        if not self._documents:
            raise InvalidRequest(NO_JSON)
        if self._opened:
            yield self._broken(self._fault)
        elif self._rest:
            yield UnreadableEntry(
                f"behind entry {self._found}", "it is no JSON", self._rest[:READ_BYTES].decode(errors="replace")
            )
        if self._with_some and (others := self._documents - self._with_some):
            yield UnreadableEntry(
                "the file", f"{others} of its {self._documents} objects hold nothing of this program", None
            )

    def _broken(self, reason: str) -> UnreadableEntry:
        number = next((each.elements for each in reversed(self._opened) if each.elements), self._found)
        return UnreadableEntry(f"behind entry {number}", f"the file is damaged: {reason}", None)


def _path(parent: _OpenBracket, text: bytes) -> Path:
    """The path of a bracket behind this text; the elements of an array have the array's path with `[]`."""
    if parent.kind == b"[":
        return (*parent.path, "[]")
    last = deque(_STRING.finditer(text), maxlen=1)
    is_key = bool(last) and last[0][2] is not None and last[0].end() == len(text)
    return (*parent.path, last[0][1].decode(errors="replace") if is_key else "")
