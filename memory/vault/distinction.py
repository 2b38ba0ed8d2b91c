"""Tells statements apart that share most of their words but differ in what distinguishes them.

The vault seed's overlap calls "allergic to penicillin" a near-duplicate of "allergic to walnuts". Two similar texts are
distinct if their numbers or their negation differ, or if each has a content word that the other lacks (a substitution).
Content words that only one of them has are an elaboration, unless they are a quarter of it or more: "the user's mother
lives in Lisbon" is not "the user lives in Lisbon".
"""

import re
from collections.abc import Iterable

from rapidfuzz.distance import Levenshtein

from memory.vault.similarity import tokens

# In a longer text, one substituted word in this many content words is a rewording.
REWORDED = 20
ELABORATED = 4
LEAST_TYPO = 6

# Function words of English, German, French, Spanish, Italian, Portuguese and Dutch.
_FUNCTION = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could did do does doing done
    each either every for from got had has have having he her hers him his how i if in into is it its just ll me more
    most much my of on one only or other our out over own re s she should so some such t than that the their them then
    there these they this those through to too until up ve very was we were what when where which while who whom whose
    why will with would you your
    aber als am auch auf aus bei bin das dass dem den der des die du ein eine einem einen einer er es für hat ich im ist
    ihr mit oder sehr sein seine sich sie sind und von war wir zu zum zur
    au aux avec ce cette dans de des du elle en est et il ils je la le les leur lui mais mon nous ou par pour que qui sa
    se ses son sont sur très un une vous
    al como con del e el ella ellos es esta este la las los lo mi muy más o para pero por que se su sus un una uno y yo
    che con da dal della di e gli ha i il in io la le lo ma mio molto non per più se si sono suo tra un una
    ao com como da do dos ele ela em eu mais mas meu muito na no nos o os ou para por seu sua um uma
    aan de die een en er het hij ik is met naar niet of om op te uit van voor was ze zijn
    """.split()  # noqa: SIM905  # one word list, as it is read
)
_NEGATIONS = frozenset(
    """
    no not never none nobody nothing neither nor without cannot nicht kein keine keinen keinem keiner keines nie niemals
    ohne ne pas jamais sans nunca jamás sin non mai senza não nem sem niet geen nooit zonder не нет никогда без
    """.split()  # noqa: SIM905  # likewise
)
_NEGATED = re.compile(r"(?<!\w)\w+n['\u2019]t\b|ない|ません|なかった|不|没|沒|非|않|못|없")
_NUMERALS = frozenset(
    """
    zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million first second third half
    """.split()  # noqa: SIM905  # likewise
)
_SUFFIXES = ("ing", "ied", "ies", "ed", "es", "s")
_HIRAGANA = re.compile(r"[ぁ-ゟ]+")
_CAPITALISED = re.compile(r"\b[^\W\d_][\w]*")


def distinct(first: str, second: str) -> bool:
    """Returns true if two similar texts state different things; symmetric, and false for the same words reordered."""
    one, other = tokens(first), tokens(second)
    if _negated(first, one) != _negated(second, other):
        return True
    numbers, other_numbers = _numbers(one), _numbers(other)
    if numbers and other_numbers and numbers != other_numbers:
        return True
    content, other_content = _content(one), _content(other)
    names = _capitalised(first) | _capitalised(second)
    left = _unmatched(content, other_content, names)
    other_left = _unmatched(other_content, content, names)
    if left and other_left:
        return min(len(left), len(other_left)) * REWORDED > min(len(content), len(other_content))
    longer = max(len(content), len(other_content))
    return longer > 0 and len(left or other_left) * ELABORATED >= longer


def _content(words: Iterable[str]) -> frozenset[str]:
    return frozenset(
        word for word in words if word not in _FUNCTION and word not in _NEGATIONS and not _HIRAGANA.fullmatch(word)
    )


def _numbers(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if word in _NUMERALS or any(sign.isdigit() for sign in word))


def _negated(text: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(_NEGATIONS) or _NEGATED.search(text.casefold()) is not None


def _capitalised(text: str) -> frozenset[str]:
    return frozenset(word[0].casefold() for word in _CAPITALISED.finditer(text) if word[0][0].isupper())


def _unmatched(words: frozenset[str], others: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    """The words that have no equal, no inflection and no misspelling among the others."""
    missing = words - others
    if not missing:
        return missing
    stems = {_stem(other) for other in others}
    return frozenset(
        word
        for word in missing
        if _stem(word) not in stems and not any(_misspelled(word, other, names) for other in others)
    )


def _stem(word: str) -> str:
    """The word without an English inflection: lives, lived and living have the same stem."""
    if any(sign.isdigit() for sign in word) or word in _NUMERALS:
        return word
    for suffix in _SUFFIXES:
        base = word.removesuffix(suffix)
        if base != word and len(base) >= 3:  # noqa: PLR2004  # a shorter stem is no word
            word = base + "y" if suffix in {"ied", "ies"} else base
            break
    word = word.removesuffix("e") if len(word) > 3 else word  # noqa: PLR2004  # likewise
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word  # noqa: PLR2004  # likewise


def _misspelled(word: str, other: str, names: frozenset[str]) -> bool:
    """Whether two words of six letters or more differ by one letter that is not the first; names and numbers never."""
    if min(len(word), len(other)) < LEAST_TYPO or word[0] != other[0] or {word, other} & names:
        return False
    if any(sign.isdigit() for sign in word + other):
        return False
    return Levenshtein.distance(word, other, score_cutoff=1) <= 1
