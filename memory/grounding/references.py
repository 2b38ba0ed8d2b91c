"""Whether words refer to earlier messages: by a pronoun, as an answer, or by leaving out their subject."""

import re
import tomllib
from pathlib import Path

from memory.grounding.known_words import KIN, is_unspaced, plain
from memory.text.languages import OF_SCRIPT, likeliest, votes
from memory.text.words import is_stop_word, read_words
from schemas.text.sentences import SENTENCE_ENDS

_TABLE = tomllib.loads(Path(__file__).with_name("words.toml").read_text())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REFERS = {language: _words(words) for language, words in _TABLE["refers"].items()}
_FIRST_PERSON = {language: _words(words) for language, words in _TABLE["first_person"].items()}
_ANSWERS, _UNSPACED_ANSWERS = _words(_TABLE["answers"]["all"]), tuple(_TABLE["answers"]["unspaced"].split())
_NAMELESS = [one for line in _TABLE["things"]["all"].split("\n") for one in line.split("|") if one]
_THINGS = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, _NAMELESS))})(?!\w)")
_SENTENCE_END = re.compile(rf"[{SENTENCE_ENDS};\n\uff1b]")
_QUESTION = re.compile("[?\uff1f]|[かの吗呢么까요]。?\\s*$")
# Languages that leave the subject out where the verb or the talk shows it.
_WITHOUT_SUBJECT = frozenset({"es", "it", "pt", "ru"})
_FIRST_PERSON_ENDING = re.compile("(?:o|é|í|oy)$")
_THIRD_PERSON_ENDING = re.compile("(?:s|was|had|will|ed)$")
# A longer message is more than an answer.
_ANSWER_WORDS = 8
_VERB_PLACES = 3
_PREPOSITIONS = "|".join(map(re.escape, _TABLE["continues"]["all"].split()))
# A phrase of up to four words that goes on with the clause before it, as far as no sign ends it.
_CONTINUATION = re.compile(rf"\s*+[,.]?\s*+(?:{_PREPOSITIONS})(?:\s++[^\s.!?,;:]++){{1,4}}+", re.IGNORECASE)


def language_of(text: str, usual: str) -> str:
    """The language of a text: of its script, else of its frequent words, else the usual one."""
    if is_unspaced(text):
        return "unspaced"
    for script, code in OF_SCRIPT:
        if script.search(text):
            return code
    words = [word.text.casefold() for word in read_words(text)]
    counted = votes(words)
    most = max(counted.values(), default=0)
    return usual if not most or counted.get(usual, 0) == most else likeliest(words)


def is_nameless(name: str, text: str, language: str) -> bool:
    """Whether a supposed name in a text is a pronoun or stop word: "it", "das", "それ"; a capital marks the name Will.

    Args:
        name: The name, as the text has it.
        language: Its language, the result of `language_of`.
    """
    if language == "unspaced":
        return name in _REFERS[language] or name in _FIRST_PERSON[language]
    spoken = [word.text.casefold() for word in read_words(name)]
    if any(word in _REFERS.get(language, ()) for word in spoken):
        return len(spoken) == 1
    is_capital = name[:1].isupper() and re.search(rf"[\w,] {re.escape(name)}(?!\w)", text) is not None
    return not is_capital and all(is_stop_word(word, language) for word in spoken)


def refers(words: str, language: str) -> bool:
    """Whether words refer to a person or a thing that they do not name.

    Args:
        words: The words that are quoted.
        language: Their language, the result of `language_of`.
    """
    if language == "unspaced":
        if any(word in words for word in (*_REFERS["unspaced"], *KIN)):
            return True
        return not any(word in words for word in _FIRST_PERSON["unspaced"])
    spoken = [word.text.casefold() for word in read_words(words)]
    if not _REFERS.get(language, frozenset()).isdisjoint(spoken) or not KIN.isdisjoint(map(plain, spoken)):
        return True
    if (spoken and spoken[0] in _ANSWERS) or _THINGS.search(" ".join(spoken)):
        return True
    return leaves_subject_out(words, language)


def leaves_subject_out(words: str, language: str) -> bool:
    """Whether words may leave out their subject: they do not name the speaker."""
    spoken = [word.text.casefold() for word in read_words(words)]
    if not spoken or is_in_first_person(words, language):
        return False
    if language == "es" and any(_FIRST_PERSON_ENDING.search(word) for word in spoken[:_VERB_PLACES]):
        return False
    return language in _WITHOUT_SUBJECT or (language == "en" and bool(_THIRD_PERSON_ENDING.search(spoken[0])))


def is_in_first_person(words: str, language: str) -> bool:
    """Whether words name the speaker."""
    if language == "unspaced":
        return any(word in words for word in _FIRST_PERSON["unspaced"])
    spoken = {word.text.casefold() for word in read_words(words)}
    parts = {part for word in spoken for part in re.split("['\u2019]", word)}
    return not _FIRST_PERSON.get(language, frozenset()).isdisjoint(spoken | parts)


def answers(words: str, question: str) -> bool:
    """Whether words answer the message before them: a yes, or a few words after a question."""
    spoken = [word.text.casefold() for word in read_words(words)]
    if spoken and (spoken[0] in _ANSWERS or words.strip().startswith(_UNSPACED_ANSWERS)):
        return True
    return len(spoken) <= _ANSWER_WORDS and _QUESTION.search(question) is not None


def continuation(words: str, text: str) -> str:
    """Return the phrase behind quoted words that continues their clause: "to Lisbon" behind "I moved"."""
    at = text.find(words)
    found = _CONTINUATION.match(text, at + len(words)) if at >= 0 else None
    return found[0] if found else ""


def continues(text: str) -> bool:
    """Whether a message continues the clause of the one before it."""
    return _CONTINUATION.match(text) is not None


def sentence_before(words: str, text: str) -> str:
    """The part of a sentence before the words that are quoted of it."""
    at = text.find(words)
    if at <= 0:
        return ""
    ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, at)]
    return text[ends[-1] if ends else 0 : at]
