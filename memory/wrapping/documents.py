"""Documents in the user's line without a mark of their end: the user's words can't be separated from them.

SillyTavern puts an attached file's text before the user's words, without a mark; other programs write a heading, and
people paste. People write long lines of their own as well, so that a document needs a sign: its structure, its line
breaks, a text that never mentions its writer, or a heading that names a retrieved thing.
"""

import re

from memory.grounding.references import is_in_first_person, language_of
from memory.wrapping.field_forms import has_fields
from memory.wrapping.headings import FENCE_OF_FILE, names_retrieved
from memory.wrapping.prompt_formats import may_be_filled_in
from memory.wrapping.steering import may_be_own_note, steers
from memory.wrapping.wrappers import without_wrappers
from schemas.text.sentences import SENTENCE_ENDS

# A shorter line is read whole.
_LONG = 1000
# How many signs of one kind a document has.
_LEAST = 3
_SIGNS = (
    # Headings of Markdown, numbered sections, rows of tables
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"^\d{1,3}(?:\.\d{1,3}){1,4}\.?[ \t]+\S", re.MULTILINE),
    re.compile(r"^\|[^\n]{1,500}\|[ \t]*$", re.MULTILINE),
    # Rows with fields, members of JSON, markup, code
    re.compile(r"^(?:[^,;\t\n]{0,100}[,;\t]){3,20}[^,;\t\n.!?]{0,100}$", re.MULTILINE),
    re.compile(r"^[ \t]*\"[^\"\n]{1,100}\"[ \t]*:", re.MULTILINE),
    re.compile(r"^[ \t]*</?[a-z][^<>\n]{0,200}>", re.MULTILINE | re.IGNORECASE),
    re.compile(r"^[^\n]{0,300}[;{}][ \t]*$", re.MULTILINE),
    # Pages
    re.compile(r"^(?:page|seite|página|第) ?\d{1,4}\b", re.MULTILINE | re.IGNORECASE),
)
# Lines of text files are broken where they would be too long, and not where a sentence ends.
_BROKEN_LINES = 8
_BROKEN = range(50, 101)
_ENDS_SENTENCE = re.compile(rf"[{SENTENCE_ENDS}:…\"”'*)]\Z")
# The least characters of prose that never mentions its writer. Other languages leave the speaker out.
_IMPERSONAL = 2000
_SPEAKER_NAMED = frozenset({"en", "de", "fr", "nl"})
_ROLE_PLAY = re.compile(r"\*[^*\n]{2,200}\*")
# More than people type before their last paragraph.
_LONGER_THAN_TYPED = 4000
# Characters that a browser's text field can't hold, and a file's last line break before those that SillyTavern adds.
_OF_FILES = re.compile(r"[\r\f\u00ad\ufeff]|\n\n\n")
# A block of code that says which file it is.
_FILE_ALONE = re.compile(rf"\s*+(?P<fence>`{{3,}}+|~{{3,}}+){FENCE_OF_FILE}[ \t]*+\n.*\n(?P=fence)\s*+", re.DOTALL)
# A tag of one's own on one line, as people write it too.
_TAG_ALONE = re.compile(r"\s*+<(?P<tag>[a-z]{1,20})>(?P<said>[^<>\n]{1,2000})</(?P=tag)>\s*+", re.IGNORECASE)
# A note as programs put them beside the user's words, alone.
_NOTE_ALONE = re.compile(r"\s*+\[[ \t]*(?:memory|memories|reminder)[ \t]*:[^\[\]\n]*\]\s*+", re.IGNORECASE)
_LAST_PARAGRAPH = re.compile(r"\n[ \t]*\n(?=\S)")


def may_hold_document(text: str, *, unmarked: bool) -> bool:
    """Whether a line may hold a document beside the user's words.

    Args:
        text: The line, without the parts that are surely not the user's.
        unmarked: Whether the frontend puts files before the user's words without a mark.
    """
    if names_retrieved(text) or may_be_filled_in(text) or has_fields(text):
        return True
    if may_stand_alone(text) or may_be_own_note(text):
        return True
    if unmarked and _OF_FILES.search(text):
        return True
    if len(text) < _LONG:
        return False
    behind = max((found.start() for found in _LAST_PARAGRAPH.finditer(text)), default=0)
    before = text[:behind]
    if len(before) < _LONG:
        return False
    return (
        any(_has_many(sign, before) for sign in _SIGNS)
        or _is_broken(before)
        or _is_impersonal(before)
        or (unmarked and len(before) >= _LONGER_THAN_TYPED)
    )


def may_stand_alone(text: str) -> bool:
    """Whether a line is a file in a block of code, a first person's words in a tag or note, or a reminder, and no more.

    Beside other words it is a program's; alone the user may have written it.
    """
    tag = _TAG_ALONE.fullmatch(text)
    words = tag["said"] if tag else text if steers(text.strip()) else ""
    is_own = words != "" and is_in_first_person(words, language_of(words, "en"))
    return (is_own and not without_wrappers(text)) or bool(_FILE_ALONE.fullmatch(text) or _NOTE_ALONE.fullmatch(text))


def _has_many(sign: re.Pattern[str], text: str) -> bool:
    return sum(1 for _, _ in zip(sign.finditer(text), range(_LEAST), strict=False)) == _LEAST


def _is_broken(text: str) -> bool:
    """Whether most lines are as long as a page is wide, and end within a sentence."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    broken = sum(len(line) in _BROKEN and not _ENDS_SENTENCE.search(line) for line in lines)
    return broken >= _BROKEN_LINES and broken * 2 > len(lines)


def _is_impersonal(text: str) -> bool:
    """Whether a long prose never mentions its writer, and plays no role."""
    if len(text) < _IMPERSONAL or _ROLE_PLAY.search(text):
        return False
    language = language_of(text, "en")
    return language in _SPEAKER_NAMED and not is_in_first_person(text, language)
