"""Number words of the languages in which expressions of time are read, with their values."""

from collections.abc import Iterator, Mapping

from memory.text.time_expressions.resolution import LANGUAGES

_DE = ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_DE_TEENS = ("dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn")
_DE_TENS = ("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig")
_ES = ("uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve")
_ES_TEENS = ("trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve")
_ES_TWENTIES = (
    *("veintiuno", "veintidós", "veintitrés", "veinticuatro", "veinticinco", "veintiséis", "veintisiete"),
    *("veintiocho", "veintinueve"),
)
_ES_TENS = ("treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
_ES_HUNDREDS = (
    *("doscientos", "trescientos", "cuatrocientos", "quinientos", "seiscientos", "setecientos", "ochocientos"),
    "novecientos",
)
_FR = ("un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf")
_FR_TEENS = ("onze", "douze", "treize", "quatorze", "quinze", "seize", "dix sept", "dix huit", "dix neuf")
_FR_TENS = ("vingt", "trente", "quarante", "cinquante", "soixante")

MULTIPLIERS: Mapping[str, int] = {
    **dict.fromkeys(("hundred", "hundert", "ciento", "cien", "cent", "cents"), 100),
    **dict.fromkeys(("thousand", "tausend", "mil", "mille", "k"), 1000),
    **dict.fromkeys(("million", "millions", "millionen", "millón", "millones"), 1_000_000),
    "dozen": 12,
}
# The articles, and words that mean something else in another of the languages: "once", "elf", "neuf", "a few cents".
_AMBIGUOUS = "a an one ein eine einem einer einen un una uno une once elf sept neuf cent cents mil k"
AMBIGUOUS = frozenset(_AMBIGUOUS.split())


def _words() -> Iterator[tuple[str, int]]:
    for language in LANGUAGES.values():
        if language.spaced:
            for word, count in language.numbers.items():
                if count.least == count.most:
                    yield word.casefold().replace("-", " "), count.least
    yield from ((word, 0) for word in ("zero", "null", "cero", "zéro"))
    yield from _german()
    yield from ((word, number) for number, word in enumerate(_ES_TEENS, 13))
    yield "veinte", 20
    yield from ((word, number) for number, word in enumerate(_ES_TWENTIES, 21))
    for ten, word in enumerate(_ES_TENS, 3):
        yield word, 10 * ten
        yield from ((f"{word} y {one}", 10 * ten + number) for number, one in enumerate(_ES, 1))
    yield from ((word, 100 * number) for number, word in enumerate(_ES_HUNDREDS, 2))
    yield from _french()


def _german() -> Iterator[tuple[str, int]]:
    below = {word: number for number, word in enumerate(_DE, 1)} | {"zehn": 10, "elf": 11, "zwölf": 12}
    below |= {word: number for number, word in enumerate(_DE_TEENS, 13)}
    for ten, word in enumerate(_DE_TENS, 2):
        below[word] = 10 * ten
        below |= {f"{one}und{word}": 10 * ten + number for number, one in enumerate(_DE, 1)}
    for word, number in below.items():
        folded = word.casefold()
        yield folded, number
        yield f"{folded}tausend", 1000 * number
        if number < len(_DE) + 1:
            yield f"{folded}hundert", 100 * number
            yield from ((f"{folded}hundert{rest.casefold()}", 100 * number + more) for rest, more in below.items())


def _french() -> Iterator[tuple[str, int]]:
    yield from ((word, number) for number, word in enumerate(_FR_TEENS, 11))
    for ten, word in enumerate(_FR_TENS, 2):
        yield word, 10 * ten
        yield f"{word} et un", 10 * ten + 1
        yield from ((f"{word} {one}", 10 * ten + number) for number, one in enumerate(_FR, 1))
    yield from ((f"soixante {word}", number) for number, word in enumerate(("dix", *_FR_TEENS), 70))
    yield "soixante et onze", 71
    yield from (("quatre vingt", 80), ("quatre vingts", 80))
    lower = (*_FR, "dix", *_FR_TEENS)
    yield from ((f"quatre vingt {word}", number) for number, word in enumerate(lower, 81))


NUMBER_WORDS: Mapping[str, int] = dict(_words())
MONTHS: Mapping[str, int] = {
    word.casefold(): month
    for language in LANGUAGES.values()
    if language.spaced
    for word, month in language.words["month"].items()
}
ORDINALS: Mapping[str, int] = {
    word.casefold().replace("-", " "): number
    for language in LANGUAGES.values()
    if language.spaced
    for word, number in language.words.get("ordinal", {}).items()
    if word.isalpha()
}
NUMERALS: Mapping[str, int] = {
    word: number
    for words in ({word: number for word, number in ORDINALS.items() if number}, MULTIPLIERS, NUMBER_WORDS)
    for word, number in words.items()
    if word not in AMBIGUOUS and " " not in word
}
"""Single words that stand for a number, or a place in a row, and for nothing else."""
NUMERAL_SIGNS: Mapping[str, int] = {
    word: count.least
    for language in LANGUAGES.values()
    if not language.spaced
    for word, count in language.numbers.items()
    if count.least == count.most and len(word) == 1 and word not in "一半"
}
"""The same within a text without spaces, but for 一, which stands in many other words."""
