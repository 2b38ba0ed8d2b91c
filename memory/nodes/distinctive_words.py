"""Names topics by the words that distinguish them (class-based TF-IDF, Grootendorst 2022), without a model."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from schemas.limits import TOPIC_NAME_CHARACTERS

NAME_WORDS = 3
# A producer chose a theme to say what a scene is about, so it counts more than a word of the action.
THEME_WEIGHT = 2
SHORTEST_WORD = 3
# Words far less distinctive than the first one are left out of a name.
LEAST_SHARE = 0.3
# Words with a common beginning of this length are forms of one word: umbrella, umbrellas.
STEM = 5
# Runs of Han and of katakana, which are written without spaces; and words of all other scripts but hiragana.
_WORD = re.compile(
    r"[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff]{2,}|[\u30a1-\u30ff]{2,}"
    r"|[^\W\d_\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+(?:-[^\W\d_]+)*"
)
# Frequent words that say nothing of a topic; rarer ones are sorted out by their frequency in other topics.
_STOP_WORDS = frozenset(
    """
    about after again all also and any are around asked away back because been before being but came can come could
    day days did does down each even every everybody everyone first for from gave get given goes going gone good got
    had half has have her here hers him his home how into its itself just kept knew know known last later left let
    like little long made make makes many may men more morning most much must myself never new next night not
    nothing now off old once one only onto other our out over own put said same say says see seen she should some
    somebody soon still such take taken takes tell than that the their them then there these they thing things think
    this those thought three through time today told tomorrow too took twice two under until upon used using very
    want wants was well went were what when where which while who whole why will with without would year years yes
    yesterday yet you your monday tuesday wednesday thursday friday saturday sunday january february march april
    june july august september october november december aber als auch auf aus bei das dass dem den der des die dies
    doch ein eine einem einen einer für hat hatte ich ihr ihre ist kein mit nach nicht noch nur oder schon sein
    seine sich sie sind über und uns vom von vor war waren wenn wie wir wird zum zur avec ce cette dans de du elle
    elles en est et eux il ils je la le les leur leurs lui mais me même nos notre nous ont ou par pas pour que qui
    sa sans se ses son sur très un une vous était al algo como con cuando del desde donde el ella ellas ellos entre
    era eran es esta este está fue ha las lo los más mi muy no para pero por porque sin sobre su sus también te
    tiene todo una y ya anche che chi cosa da dal dalla dei della delle di e gli hanno lei loro ma nel nella non per
    più poi quando questa questo si sono sua suo tra uno ao com do dos ela ele eles em foi isso mas na nas não o os
    pela pelo seu são também tem um uma
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
    counts = [_term_counts(nodes) for nodes in topics]
    background = _term_counts(others)
    totals = sum((each for each in [*counts, background]), Counter[str]())
    average = totals.total() / (len(counts) + bool(background)) if totals else 0
    spelled = _spellings([node for nodes in [*topics, others] for node in nodes])
    used = {name.casefold() for name in taken}
    names = []
    for nodes, terms in zip(topics, counts, strict=True):
        weights = {term: tf * math.log1p(average / totals[term]) for term, tf in terms.items()}
        name = _name(_ranked(weights, terms, nodes), spelled, used)
        used.add(name.casefold())
        names.append(name)
    return names


def _ranked(weights: dict[str, float], counts: Counter[str], nodes: Sequence[Texts]) -> list[str]:
    ranked = sorted(weights, key=lambda term: (-weights[term], term))
    shared = [term for term in ranked if counts[term] > 1 or len(nodes) == 1]
    best = shared or ranked
    return [term for term in best if weights[term] >= LEAST_SHARE * weights[best[0]]]


def _name(ranked: Sequence[str], spelled: dict[str, str], used: Collection[str]) -> str:
    """Join the first words; take more of them while the name is in use."""
    words = [spelled[term] for term in _unlike(ranked)]
    if not words:
        return ""
    for most in range(min(NAME_WORDS, len(words)), len(words) + 1):
        name = ", ".join(words[:most])
        while len(name) > TOPIC_NAME_CHARACTERS and ", " in name:
            name = name.rpartition(", ")[0]
        name = name[:TOPIC_NAME_CHARACTERS]
        name = name[:1].upper() + name[1:]
        if name.casefold() not in used:
            return name
    return next(
        (f"{name} {number}" for number in range(2, len(used) + 3) if f"{name} {number}".casefold() not in used), ""
    )


def _unlike(ranked: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for term in ranked:
        if not any(term in other or other in term or _stem(term) == _stem(other) for other in chosen):
            chosen.append(term)
    return chosen


def _stem(term: str) -> str:
    return term[:STEM] if len(term) >= STEM else term


def _term_counts(nodes: Sequence[Texts]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for node in nodes:
        themes = {term for theme in node.themes for term, _ in _terms(theme)}
        counts.update({term for term, _ in _terms(node.action)} - themes)
        counts.update(dict.fromkeys(themes, THEME_WEIGHT))
    return counts


def _spellings(nodes: Sequence[Texts]) -> dict[str, str]:
    """The most frequent spelling of each term."""
    texts = (text for node in nodes for text in (node.action, *node.themes))
    spellings = Counter(spelling for text in texts for spelling in _terms(text))
    # The last of equal keys counts.
    return dict(spelling for spelling, _ in reversed(spellings.most_common()))


def _terms(text: str) -> Iterator[tuple[str, str]]:
    for found in _WORD.finditer(text):
        term = found[0].casefold()
        if (len(term) >= SHORTEST_WORD or not term.isascii()) and term not in _STOP_WORDS:
            yield term, found[0]
