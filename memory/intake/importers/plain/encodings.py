"""Tells in which encoding a file is that is in no form of Unicode, as programs on Windows write tables and texts.

Where its letters do not tell, it is read as UTF-8, and each byte that is none is told.
"""

# ruff: noqa: RUF001  # letters of other languages

import codecs
import re
from typing import IO

_READ_BYTES = 1 << 20
_NULS = 3
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
# An encoding, the letters that its languages write most, and the least share of them in what is not ASCII. Of Chinese
# the frequent half of GB 2312 counts, which is ordered by sound, and of Latin ones those of Western Europe alone.
_WESTERN = "cp1252"
_LETTERS = (
    ("cp932", re.compile(r"[ぁ-ゖァ-ヺー、。]"), 0.4),
    ("cp949", re.compile(r"[가-힣]"), 0.85),
    ("gb18030", re.compile(r"[一-鿿，。？！：；“”]"), 0.6),
    (_WESTERN, re.compile(r"[àâäáãåæçèéêëìíîïñòóôõöøùúûüœßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜŒ“”„‘’‚–—…€£§°«»¿¡·\u00a0]"), 1.0),
    ("cp1251", re.compile(r"[аоеи](?=[а-яії])|(?<=[а-яії])[аоеи]"), 0.2),
)
_FREQUENT = range(0xB0, 0xD8)


def encoding_of(content: IO[bytes]) -> str | None:
    """Return the encoding of a file that is not in UTF-8, and leave the file at its beginning; None if it is, or open.

    A file in UTF-8 of which some bytes are damaged has more that are not.
    """
    sample = content.read(_READ_BYTES)
    try:
        if sample.startswith(_MARKS) or _of_two_bytes(sample) or _decodes(content, "utf-8"):
            return _of_two_bytes(sample)
        known = sample.decode(errors="ignore")
        marks = sum(not one.isascii() for one in known)
        damaged = sample.decode(errors="replace").count("\ufffd") - known.count("\ufffd")
        if marks >= damaged > 0:
            return None
        return next((one for one, letters, least in _LETTERS if _fits(content, sample, one, letters, least)), None)
    finally:
        content.seek(0)


def _of_two_bytes(sample: bytes) -> str | None:
    """Tell UTF-16 without a mark by where the NULs of blanks, digits and line breaks stand."""
    first, second = sample[::2].count(0), sample[1::2].count(0)
    is_one = not sample.startswith(_MARKS) and min(first, second) == 0 and max(first, second) >= _NULS
    return None if not is_one else "utf-16-le" if second else "utf-16-be"


def _fits(content: IO[bytes], sample: bytes, encoding: str, letters: re.Pattern[str], least: float) -> bool:
    # The sample may end within a character.
    text = codecs.getincrementaldecoder(encoding)("ignore").decode(sample)
    others = sum(not one.isascii() for one in text)
    if encoding == _WESTERN and "õ" in text and "ã" not in text:
        # In Hungarian it stands for another letter.
        return False
    fitting = sum(_is_frequent(one, encoding) for one in letters.findall(text))
    return 0 < least * others <= fitting and _decodes(content, encoding)


def _is_frequent(letter: str, encoding: str) -> bool:
    return encoding != "gb18030" or letter.encode(encoding)[0] in _FREQUENT or not "一" <= letter <= "鿿"


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
