"""Names topics by the words that distinguish them (class-based TF-IDF, Grootendorst 2022), without a model."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, permutations
from typing import Protocol

from memory.text.languages import elected, votes
from memory.text.words import Script, Word, is_stop_word, read_words, stem, without_possessive, words
from schemas.limits import TOPIC_NAME_CHARACTERS

NAME_WORDS = 3
# A producer chose the theme as the scene's subject, so it counts more than a word of the action.
THEME_WEIGHT = 2
SHORTEST_WORD = 3
# A single character of these is no name.
_WITHOUT_SPACES = frozenset({"han", "katakana"})
# Words far less distinctive than the first one are left out of a name.
LEAST_WEIGHT = 0.3
# A word of a name stands in this share of the topic's nodes or more.
LEAST_SHARE = 1 / 3
# The number of a topic's words that make up the names to try where its best name is in use.
WORDS_TRIED = 6
# The characters of all texts that suffice to recognise their language.
LANGUAGE_CHARACTERS = 20_000
# Frequent words that name no topic, beside the stop words of a language; rarer ones are sorted out by their frequency
# in other topics.
_UNTELLING = frozenset(
    """
    after again all also any april around asked august away back because before came come day days december down
    each enjoy enjoyed enjoys even every everybody everyone february feel feeling feels felt find finding finds
    first found friday gave get given goes going gone good got great half herself himself home itself january july
    june keep keeping keeps kept knew know known last later left let like little long made make makes many march men
    monday more morning most much myself never new next night nothing november now october off old once one only
    onto other out over own put said same saturday say says see seeing seen september show shows some somebody soon
    start started starting still such sunday take taken takes tell themselves thing things think thought three
    through thursday time today told tomorrow took tuesday twice two under until upon used using want wants
    wednesday well went while whole without year years yes yesterday yet
    """.split()  # noqa: SIM905  # it reads better than a list
)


class NodeTexts(Protocol):
    """The texts of a node that can name a topic."""

    @property
    def action(self) -> str:
        """The scene's action."""

    @property
    def themes(self) -> Sequence[str]:
        """The scene's themes."""

    @property
    def actors(self) -> Sequence[str]:
        """The names of the participants."""


def distinctive_names(
    topics: Sequence[Sequence[NodeTexts]],
    others: Sequence[NodeTexts],
    taken: Collection[str],
    people: Iterable[str] = (),
) -> list[str]:
    """Name each topic by its most distinctive words.

    A word's weight in a topic is tf · log(1 + A / f): tf counts the topic's nodes that have it (a theme counts twice),
    f the nodes of all topics together, and A is the average of the sums of tf over the topics. `others` is one more
    topic in this. A word of fewer than a third of the nodes, or of one alone, names a topic only where no other word
    is in as many, and a frequent word only where the others don't suffice; without any such word, also by its
    beginning, the topic has no name. Names of participants in any of the nodes name no topic.

    Args:
        topics: The nodes of each topic to name.
        others: Nodes that are in none of them.
        taken: Names that are in use.
        people: More names of people.

    Returns:
        A name for each topic, all different from each other and from `taken`; empty for a topic without common words.
    """
    language = _language_of([*topics, others])
    everything = [node for nodes in (*topics, others) for node in nodes]
    unnaming = {word for name in chain(people, *(node.actors for node in everything)) for word in _words_of_name(name)}
    nodes_of_topics = [[_NodeWords.of(node, language, unnaming) for node in nodes] for nodes in topics]
    counts = [_weighed(nodes) for nodes in nodes_of_topics]
    background = _weighed([_NodeWords.of(node, language, unnaming) for node in others])
    totals = sum((each for each in [*counts, background]), Counter[str]())
    average = totals.total() / (len(counts) + bool(background)) if totals else 0
    spelled = _spellings(everything, language)
    used = {name.casefold() for name in taken}
    names = []
    for nodes, terms in zip(nodes_of_topics, counts, strict=True):
        weights = {term: tf * math.log1p(average / totals[term]) for term, tf in terms.items()}
        name = _name(_unrelated_terms(_ranked(weights, nodes), language), weights, spelled, used)
        used.add(name.casefold())
        names.append(name)
    return names


def _language_of(topics: Sequence[Sequence[NodeTexts]]) -> str:
    texts = (text for nodes in topics for node in nodes for text in (node.action, *node.themes))
    read, found = 0, []
    while read < LANGUAGE_CHARACTERS and (text := next(texts, None)) is not None:
        read += len(text)
        found += words(text)
    return elected(votes(found))


def _ranked(weights: dict[str, float], nodes: Sequence["_NodeWords"]) -> list[str]:
    """Return the words that may name a topic, best first, frequent ones last."""
    held = Counter(term for node in nodes for term in node.terms)
    ranked = sorted(weights, key=lambda term: (term in _UNTELLING, -weights[term], term))
    least = max(LEAST_SHARE * len(nodes), min(len(nodes), 2))
    if enough := [term for term in ranked if held[term] >= least]:
        return enough
    begun = {term: sum(any(other.startswith(term) for other in node.terms) for node in nodes) for term in ranked}
    return [term for term in sorted(ranked, key=lambda term: -begun[term])[:1] if begun[term] >= least]


def _name(terms: Sequence[str], weights: dict[str, float], spelled: dict[str, str], used: Collection[str]) -> str:
    """Join the best words; others of them, and at last a number, where that name is in use."""
    if not terms:
        return ""
    best = [term for term in terms if term not in _UNTELLING] or terms[:1]
    best = [term for term in best if weights[term] >= LEAST_WEIGHT * weights[best[0]]]
    tried = terms[:WORDS_TRIED]
    others = chain.from_iterable(permutations(tried, size) for size in range(1, min(NAME_WORDS, len(tried)) + 1))
    for chosen in (best[:NAME_WORDS], *others):
        name = ", ".join(spelled[term] for term in chosen)
        while len(name) > TOPIC_NAME_CHARACTERS and ", " in name:
            name = name.rpartition(", ")[0]
        name = name[:TOPIC_NAME_CHARACTERS]
        name = name[:1].upper() + name[1:]
        if name.casefold() not in used:
            return name
    return next(
        (f"{name} {number}" for number in range(2, len(used) + 3) if f"{name} {number}".casefold() not in used), ""
    )


def _unrelated_terms(ranked: Sequence[str], language: str) -> list[str]:
    chosen: list[str] = []
    for term in ranked:
        if not any(term in other or other in term or stem(term, language) == stem(other, language) for other in chosen):
            chosen.append(term)
    return chosen


@dataclass(frozen=True, slots=True)
class _NodeWords:
    """The words of a node that may name a topic.

    Attributes:
        terms: Those of its action and themes.
        themes: Those of its themes.
    """

    terms: frozenset[str]
    themes: frozenset[str]

    @classmethod
    def of(cls, node: NodeTexts, language: str, unnaming: Collection[str]) -> "_NodeWords":
        themes = {term for theme in node.themes for term, _ in _terms(theme, language)}
        terms = themes | {term for term, _ in _terms(node.action, language)}
        return cls(frozenset(terms.difference(unnaming)), frozenset(themes.difference(unnaming)))


def _weighed(nodes: Sequence[_NodeWords]) -> Counter[str]:
    """How many nodes have each word, a theme counted THEME_WEIGHT times."""
    counts = Counter(term for node in nodes for term in node.terms)
    themes = Counter(theme for node in nodes for theme in node.themes)
    counts.update({theme: times * (THEME_WEIGHT - 1) for theme, times in themes.items()})
    return counts


def _words_of_name(name: str) -> Iterator[str]:
    yield from words(name)
    yield from (without_possessive(spelled.casefold()) for spelled, _ in _compounds(name))


def _spellings(nodes: Sequence[NodeTexts], language: str) -> dict[str, str]:
    """The most frequent spelling of each term."""
    texts = (text for node in nodes for text in (node.action, *node.themes))
    spellings = Counter(spelling for text in texts for spelling in _terms(text, language))
    # The last of equal keys counts.
    return dict(spelling for spelling, _ in reversed(spellings.most_common()))


def _terms(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the words that may name a topic, each in the form for comparison and as spelled."""
    for word, script in _compounds(text):
        spelled = without_possessive(word)
        term = spelled.casefold()
        shortest = 2 if script in _WITHOUT_SPACES else SHORTEST_WORD if term.isascii() else 1
        is_word = not any(character.isdigit() or character in "'\u2019" for character in term)
        is_telling = script != "hiragana" and len(term) >= shortest and is_word
        if is_telling and not is_stop_word(term, language):
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
