"""Names of recurring times and of years by themselves: the same in every language that names them by a word."""

from memory.text.time_expressions import meanings
from memory.text.time_expressions.language import Phrase

BARE_NAMES = (
    Phrase("{month}", meanings.yearly(meanings.month)),
    Phrase("{season}", meanings.yearly(meanings.season)),
    Phrase("{holiday}", meanings.yearly(meanings.holiday)),
    Phrase("{year}", meanings.year),
)
