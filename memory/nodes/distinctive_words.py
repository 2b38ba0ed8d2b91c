"""Names topics by the words that distinguish them (class-based TF-IDF, Grootendorst 2022), without a model."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from memory.text.languages import elected, votes
from memory.text.words import Script, Word, is_stop_word, read_words, stem, words
from schemas.limits import TOPIC_NAME_CHARACTERS

NAME_WORDS = 3
# A producer chose a theme to say what a scene is about, so it counts more than a word of the action.
THEME_WEIGHT = 2
SHORTEST_WORD = 3
# A single character of these is no name.
_WITHOUT_SPACES = frozenset({"han", "katakana"})
# Words far less distinctive than the first one are left out of a name.
LEAST_SHARE = 0.3
# So much of all texts tells their language.
LANGUAGE_CHARACTERS = 20_000
# Frequent words that name no topic, beside the stop words of a language; rarer ones are sorted out by their frequency
# in other topics.
_UNTELLING = frozenset(
    """
    after again all also any april around asked august away back because before came come day days december down each
    even every everybody everyone february first friday gave get given goes going gone good got half home itself january
    july june kept knew know known last later left let like little long made make makes many march men monday more
    morning most much myself never new next night nothing november now october off old once one only onto other out over
    own put said same saturday say says see seen september some somebody soon still such sunday take taken takes tell
    thing things think thought three through thursday time today told tomorrow took tuesday twice two under until upon
    used using want wants wednesday well went while whole without year years yes yesterday yet
    """.split()  # noqa: SIM905  # it reads better than a list
)


class Texts(Protocol):
    """The texts of a node that can name a topic."""

    @property
    def action(self) -> str:
        """The scene's action."""

    @property
    def themes(self) -> Sequence[str]:
        """The scene's themes."""


def distinctive_names(topics: Sequence[Sequence[Texts]], others: Sequence[Texts], taken: Collection[str]) -> list[str]:
    """Name each topic by its most distinctive words.

    A word's weight in a topic is tf · log(1 + A / f): tf counts the topic's nodes that have it (a theme counts twice),
    f the nodes of all topics together, and A is the average of the sums of tf over the topics. `others` is one more
    topic in this. Words of a single node are left out if there are others.

    Args:
        topics: The nodes of each topic to name.
        others: Nodes that are in none of them.
        taken: Names that are in use.

    Returns:
        A name for each topic, all different from each other and from `taken`; empty for a topic without any words.
    """
    language = _language_of([*topics, others])
    counts = [_term_counts(nodes, language) for nodes in topics]
    background = _term_counts(others, language)
    totals = sum((each for each in [*counts, background]), Counter[str]())
    average = totals.total() / (len(counts) + bool(background)) if totals else 0
    spelled = _spellings([node for nodes in [*topics, others] for node in nodes], language)
    used = {name.casefold() for name in taken}
    names = []
    for nodes, terms in zip(topics, counts, strict=True):
        weights = {term: tf * math.log1p(average / totals[term]) for term, tf in terms.items()}
        name = _name(_unlike(_ranked(weights, terms, nodes), language), spelled, used)
        used.add(name.casefold())
        names.append(name)
    return names


def _language_of(topics: Sequence[Sequence[Texts]]) -> str:
    texts = (text for nodes in topics for node in nodes for text in (node.action, *node.themes))
    read, found = 0, []
    while read < LANGUAGE_CHARACTERS and (text := next(texts, None)) is not None:
        read += len(text)
        found += words(text)
    return elected(votes(found))


def _ranked(weights: dict[str, float], counts: Counter[str], nodes: Sequence[Texts]) -> list[str]:
    ranked = sorted(weights, key=lambda term: (-weights[term], term))
    shared = [term for term in ranked if counts[term] > 1 or len(nodes) == 1]
    best = shared or ranked
    return [term for term in best if weights[term] >= LEAST_SHARE * weights[best[0]]]


def _name(terms: Sequence[str], spelled: dict[str, str], used: Collection[str]) -> str:
    """Join the first words; take more of them while the name is in use."""
    if not terms:
        return ""
    for most in range(min(NAME_WORDS, len(terms)), len(terms) + 1):
        name = ", ".join(spelled[term] for term in terms[:most])
        while len(name) > TOPIC_NAME_CHARACTERS and ", " in name:
            name = name.rpartition(", ")[0]
        name = name[:TOPIC_NAME_CHARACTERS]
        name = name[:1].upper() + name[1:]
        if name.casefold() not in used:
            return name
    return next(
        (f"{name} {number}" for number in range(2, len(used) + 3) if f"{name} {number}".casefold() not in used), ""
    )


def _unlike(ranked: Sequence[str], language: str) -> list[str]:
    chosen: list[str] = []
    for term in ranked:
        if not any(term in other or other in term or stem(term, language) == stem(other, language) for other in chosen):
            chosen.append(term)
    return chosen


def _term_counts(nodes: Sequence[Texts], language: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for node in nodes:
        themes = {term for theme in node.themes for term, _ in _terms(theme, language)}
        counts.update({term for term, _ in _terms(node.action, language)} - themes)
        counts.update(dict.fromkeys(themes, THEME_WEIGHT))
    return counts


def _spellings(nodes: Sequence[Texts], language: str) -> dict[str, str]:
    """The most frequent spelling of each term."""
    texts = (text for node in nodes for text in (node.action, *node.themes))
    spellings = Counter(spelling for text in texts for spelling in _terms(text, language))
    # The last of equal keys counts.
    return dict(spelling for spelling, _ in reversed(spellings.most_common()))


def _terms(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield what may name a topic, as it is compared and as it is spelled."""
    for spelled, script in _compounds(text):
        term = spelled.casefold()
        shortest = 2 if script in _WITHOUT_SPACES else SHORTEST_WORD if term.isascii() else 1
        is_telling = script != "hiragana" and len(term) >= shortest and not any(map(str.isdigit, term))
        if is_telling and term not in _UNTELLING and not is_stop_word(term, language):
            yield term, spelled


def _compounds(text: str) -> Iterator[tuple[str, Script]]:
    """Yield the words of a text, and words that hyphens join as one."""
    parts: list[Word] = []
    for word in read_words(text):
        if parts and not (word.script == parts[-1].script == "spaced" and text[parts[-1].end : word.start] == "-"):
            yield text[parts[0].start : parts[-1].end], parts[0].script
            parts = []
        parts.append(word)
    if parts:
        yield text[parts[0].start : parts[-1].end], parts[0].script
