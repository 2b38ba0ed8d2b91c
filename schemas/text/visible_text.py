r"""Escapes control, bidirectional and invisible characters for terminals, as in `\u202e`.

Text from users, models and files may contain any character. Written raw to a terminal, control characters move its
cursor, set its title or inject input; bidirectional controls reorder the text; invisible characters make two names look
alike, or carry instructions that only a model reads. Each is replaced by its JSON escape, so that the user sees it. A
JSON document stays valid, with the same value.
"""

import re

BIDIRECTIONAL = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""The controls of the direction of writing, within a set of a regular expression."""
_CHARACTERS = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, except newline and tab
    r"\ud800-\udfff"  # unpaired surrogates, which can't be encoded
    r"\u2028\u2029"  # line and paragraph separators
    rf"{BIDIRECTIONAL}"
    r"\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff"  # zero width
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufff0-\ufffb"  # other invisible characters
    r"\ufe00-\ufe0d\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # variation selectors, except emoji's U+FE0E and U+FE0F
    r"\U000e0000-\U000e0fff"  # tags, and further variation selectors
)
_UNSAFE = re.compile(f"[{_CHARACTERS}]")
_UNSEEN = re.compile(rf"[\s{_CHARACTERS}]*+")


def visible(text: str) -> str:
    """Return the text with every control and invisible character escaped; newlines and tabs stay."""
    return _UNSAFE.sub(_escaped, text)


def shows_nothing(text: str) -> bool:
    """Return whether a text is nothing but white space, controls and invisible characters."""
    return _UNSEEN.fullmatch(text) is not None


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))
