"""Words and signs that negate, in the languages that conversations are judged in most."""

import re
import unicodedata

from memory.text.tokens import tokens

_WORDS = (
    "no not never none nothing nobody nowhere neither nor without cannot hardly barely scarcely stopped quit"
    " aint dont cant wont isnt arent wasnt werent hasnt havent hadnt doesnt didnt couldnt wouldnt shouldnt mustnt"
    " neednt mightnt shant oughtnt"
    " nicht kein keine keinen keinem keiner keines nie niemals nichts niemand nirgends weder ohne kaum"
    " ne n' pas jamais rien personne aucun aucune ni sans nunca nada nadie ningún ninguno ninguna jamás tampoco sin"
    " non mai niente nessuno nessuna senza né não nem ninguém nenhum nenhuma sem"
    " niet geen nooit niets niemand zonder inte aldrig ikke aldri ej nie bez"
    " не нет ни никогда ничего никто без değil hiç yok"
    " 안 못 לא אין בלי لا ليس لم لن ما नहीं मत न"
    " 不 没 沒 無 无 未 非 別 别 莫 ず ぬ ない なく なし ません"
    " ไม่ 🚫 ❌ ⛔ 👎 🙅"
)
NEGATIONS = frozenset(_WORDS.split())
# Scripts without spaces are compared character by character: な of ない stands for the whole word.
_SIGNS = frozenset("不没沒無无未非別别莫ずぬな않없못")
_PART = re.compile("않|없|아니")
# Signs that negate at any place in a text without spaces, and Korean 안 by itself; 非常 is "very".
_IN_RUN = re.compile(r"ない|ません|なかった|不|没|沒|非(?!常)|ไม่|않|없|못|아니|(?<!\w)안(?!\w)")


def negates(word: str) -> bool:
    """Whether a word (NFKC, case folded, apostrophes as `'`) is a negation."""
    return word in NEGATIONS or word.endswith("n't") or word in _SIGNS or _PART.search(word) is not None


def negations(text: str) -> int:
    """Count the negating words and signs of a text. Texts with different counts may have different meanings."""
    words = sum(one.kind != "character" and negates(one.form) for one in tokens(text))
    return words + len(_IN_RUN.findall(unicodedata.normalize("NFKC", text)))
