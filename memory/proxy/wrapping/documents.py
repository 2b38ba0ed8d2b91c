"""Documents in the user's line that nothing marks: SillyTavern puts an attached file's text before the user's words.

No line says where the file ends, so that the words behind it can't be told from it. People write long lines as well;
what tells a document is its structure.
"""

import re

# A shorter line is read as it is.
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
_LAST_PARAGRAPH = re.compile(r"\n[ \t]*\n(?=\S)")


def may_hold_document(text: str) -> bool:
    """Whether a long line with the structure of a document stands before the last paragraph."""
    if len(text) < _LONG:
        return False
    behind = max((found.start() for found in _LAST_PARAGRAPH.finditer(text)), default=0)
    before = text[:behind]
    return len(before) >= _LONG and any(_has_many(sign, before) for sign in _SIGNS)


def _has_many(sign: re.Pattern[str], text: str) -> bool:
    return sum(1 for _, _ in zip(sign.finditer(text), range(_LEAST), strict=False)) == _LEAST
