"""Detects the encoding of a file that is in no form of Unicode, as programs on Windows write tables and texts.

Where its letters do not decide, it is read as UTF-8, and each invalid byte is reported.
"""

# ruff: noqa: RUF001  # letters of other languages

import codecs
import re
from typing import IO

_READ_BYTES = 1 << 20
_NULS = 3
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
# The first bytes of characters up to Arabic in UTF-16, which stand in no text in UTF-8.
_HIGH = bytes(range(9))
# An encoding, letters that its languages write most, and the least share of them among characters outside ASCII: of
# the Latin ones those of Western Europe alone, beside others of a word, or as a word. A text like the last is in
# another one: of Hungarian õ without ã, of Hebrew or Greek nothing of the end of the Cyrillic alphabet.
_OF_WEST = "[àâäáãåæçèéêëìíîïñòóôõöøùúûüœßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ]"
_LETTERS = (
    ("cp932", re.compile(r"[ぁ-ゖァ-ヺー、。]"), 0.4, None),
    ("cp949", re.compile(r"[이다는에가을를지고하어아요의도나사한기해서그니자시]"), 0.2, None),
    (
        "gb18030",
        re.compile(r"[的一是不了我在有人这你他她们说吗吧啊好么那要就也都会去到没什来个天很，。？！]"),
        0.2,
        None,
    ),
    (
        "cp1252",
        re.compile(
            rf"(?<=[A-Za-z]){_OF_WEST}|(?<=[A-Za-z]{_OF_WEST}){_OF_WEST}|{_OF_WEST}(?={_OF_WEST}?[A-Za-z])"
            rf"|(?<!\w){_OF_WEST}(?!\w)|[“”„‘’‚–—…€£§°«»¿¡·\u00a0]"
        ),
        1.0,
        re.compile(r"(?s)\A(?!.*ã).*õ"),
    ),
    ("cp1251", re.compile(r"[аоеи](?=[а-яії])|(?<=[а-яії])[аоеи]"), 0.2, re.compile(r"\A[^ыюя]*\Z")),
)


def encoding_of(content: IO[bytes]) -> str | None:
    """Return the encoding of a file that is not in UTF-8, and leave the file at its beginning; None if it is, or open.

    A file in UTF-8 of which some bytes are damaged has more that are not.
    """
    sample = content.read(_READ_BYTES)
    try:
        if sample.startswith(_MARKS):
            return None
        is_utf8 = _decodes(content, "utf-8")
        wide = _of_two_bytes(sample, is_utf8=is_utf8)
        if is_utf8 or wide:
            return wide if wide and _decodes(content, wide) else None
        known = sample.decode(errors="ignore")
        marks = sum(not one.isascii() for one in known)
        damaged = sample.decode(errors="replace").count("\ufffd") - known.count("\ufffd")
        if marks >= max(damaged, 1):
            return None
        return next(
            (one for one, letters, least, other in _LETTERS if _fits(content, sample, one, letters, least, other)), None
        )
    finally:
        content.seek(0)


def _of_two_bytes(sample: bytes, *, is_utf8: bool) -> str | None:
    """Recognise UTF-16 without a mark by the places of the NULs of blanks, digits and line breaks."""
    first, second = sample[::2], sample[1::2]
    nuls = (first.count(0), second.count(0))
    high = second if nuls[1] else first
    if min(nuls) > 0 or max(nuls) < _NULS or (is_utf8 and high.strip(_HIGH)):
        return None
    return "utf-16-le" if nuls[1] else "utf-16-be"


def _fits(
    content: IO[bytes],
    sample: bytes,
    encoding: str,
    letters: re.Pattern[str],
    least: float,
    other: re.Pattern[str] | None,
) -> bool:
    # The sample may end within a character.
    text = codecs.getincrementaldecoder(encoding)("ignore").decode(sample)
    others = sum(not one.isascii() for one in text)
    is_like = 0 < least * others <= len(letters.findall(text)) and (other is None or other.match(text) is None)
    return is_like and _decodes(content, encoding)


def _decodes(content: IO[bytes], encoding: str) -> bool:
    """Whether the whole file is in an encoding."""
    content.seek(0)
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    try:
        while read := content.read(_READ_BYTES):
            decoder.decode(read)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
