"""Names in other scripts in Latin letters, and the part of their sound that all scripts keep.

A name that is written in two scripts keeps its consonants as classes: シアトル and Seattle are both s-t-r. Vowels, the
length of sounds, and distinctions that one of the languages does not make (l and r, b and v) are left out.
"""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_name("known_names.toml").read_text())
_HAN = {
    # As x and q are read in pinyin.
    sign: reading.replace("x", "sh").replace("q", "ch")
    for reading, signs in _TABLE["readings"].items()
    for sign in signs
}
_LETTERS = {sign: reading for reading, signs in _TABLE["letters"].items() for sign in signs}
# Consonants at the beginning of a word, and vowels in it most often.
_FIRST_LETTERS = {"و": "w", "ו": "v"}
_CYRILLIC = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ",
        "a b v g d e zh z i i k l m n o p r s t u f h ts ch sh sh - y - e yu ya e i i e g".replace("-", "").split(" "),
        strict=True,
    )
)
_GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχψω", (*"avgdezi", "th", *"iklmnxoprsstifh", "ps", "o"), strict=True))
_KANA_SIGNS = (
    "アイウエオカキクケコガギグゲゴサシスセソザジズゼゾタチツテトダヂヅデドナニヌネノハヒフヘホバビブベボパピプペポマミムメモ"
    "ラリルレロヴワヲンヤユヨァィゥェォャュョ"
)
# As Unicode names them: KATAKANA LETTER KA.
_KANA = {sign: unicodedata.name(sign).split()[-1].lower() for sign in _KANA_SIGNS}
_KANA |= {"シ": "shi", "チ": "chi", "ツ": "tsu", "ジ": "ji", "フ": "fu", "ヲ": "o", "ッ": "", "ー": ""}
_SMALL = "ァィゥェォャュョ"
_HIRAGANA_TO_KATAKANA = 0x60
_LEADS = ("g", "kk", "n", "d", "tt", "r", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p", "h")
_VOWELS = (
    *("a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we", "wi", "yu", "eu"),
    *("ui", "i"),
)
_TAILS = (
    *("", "k", "k", "k", "n", "n", "n", "t", "l", "k", "m", "l", "l", "l", "p", "l", "m", "p", "p", "t", "t", "ng"),
    *("t", "t", "k", "t", "p", "t"),
)
_FIRST_SYLLABLE, _LAST_SYLLABLE = 0xAC00, 0xD7A3
_CLASSES = (
    (re.compile("ng"), "n"),
    (re.compile("t?sch|tch|t?zh|sh|ch|cz|t[sz]|c(?=[eiy])|[szcqj]"), "s"),
    (re.compile("[kg]h?"), "k"),
    (re.compile("[bpvwf]h?"), "b"),
    (re.compile("[dt]h?"), "t"),
    (re.compile("[lr]"), "r"),
    # A letter that is written twice is one sound, but not the two in Toyota.
    (re.compile(r"(.)\1+"), r"\1"),
    (re.compile("[^sbtrkmn]"), ""),
)
_SOFT = re.compile("c(?![eiyhz])")
_MARKS = re.compile("[\u0300-\u036f]")


def romanised(text: str) -> str:
    """A text in lower-case Latin letters, as far as it can be read; characters without a reading stay."""
    letters: list[str] = []
    for sign in unicodedata.normalize("NFKC", text).casefold():
        code = ord(sign)
        kana = chr(code + _HIRAGANA_TO_KATAKANA) if "ぁ" <= sign <= "ゖ" else sign
        if kana in _KANA:
            if kana in _SMALL and letters:
                letters[-1] = letters[-1][:-1]
            letters.append(_KANA[kana])
        elif _FIRST_SYLLABLE <= code <= _LAST_SYLLABLE:
            place = code - _FIRST_SYLLABLE
            letters.append(
                _LEADS[place // (len(_VOWELS) * len(_TAILS))]
                + _VOWELS[place // len(_TAILS) % len(_VOWELS)]
                + _TAILS[place % len(_TAILS)]
            )
        else:
            plain = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", sign)))
            first = "" if letters else _FIRST_LETTERS.get(sign)
            letters.append(
                first or _CYRILLIC.get(sign) or _GREEK.get(plain) or _LETTERS.get(sign) or _HAN.get(sign) or plain
            )
    return "".join(letters)


def is_readable(sign: str) -> bool:
    """Whether a character has a reading in Latin letters."""
    return romanised(sign).isascii()


@cache
def sound(name: str) -> str:
    """The sound of a name that is kept from script to script; empty if there is too little of it to compare."""
    latin = romanised(name)
    letters = "".join(letter for letter in latin if letter.isascii() and letter.isalpha())
    plain = _SOFT.sub("k", letters).replace("x", "ks")
    begins = "a" if plain[:1] and plain[0] in "aeiou" else ""
    for pattern, sign in _CLASSES:
        plain = pattern.sub(sign, plain)
    return begins + plain
