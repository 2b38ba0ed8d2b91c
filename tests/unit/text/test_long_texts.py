"""Functions that read people's words take time by their length: texts of 16 KB that are made to take long.

Texts that an API bounds are as long as it lets them be: names, and records of the vault.
"""

import io
import json
import math
from datetime import UTC, datetime
from time import thread_time
from uuid import UUID

import pytest

from memory.facts.entity_resolution import find_candidates
from memory.facts.matters.exclusive_values import give_different_values
from memory.grounding.name_similarity import compare_names
from memory.intake.importers import times
from memory.intake.importers.reading.json_elements import elements
from memory.nodes.scenes import Unparsable, parse_scene
from memory.retrieval.query_vectors import significant_terms
from memory.search.terms import terms
from memory.text.prompt_escaping import escaped, unescaped
from memory.text.shingles import blank_spans, shingles, spans_in_tags
from memory.text.time_expressions.resolution import LANGUAGES, MAX_CHARACTERS, resolve_time_expressions
from memory.vault import pii_guard
from memory.vault.distinction import distinct
from memory.vault.similarity import Query, ratio, tokens
from memory.wrapping.agents import marks_line, said_in_result, without_insertions
from memory.wrapping.own_words import own_words
from providers import windows
from providers.answers.answer_scalars import references
from providers.answers.answer_verdicts import doubts
from samples.canned.material import Material
from schemas.limits import NAME_CHARACTERS, VAULT_CHARACTERS
from schemas.text import source_marks
from schemas.text.reasoning import spoken
from schemas.text.visible_text import visible

LONG = 16 * 1024
# A function that takes less is not looked at: by the square, 16 KB take a fifth of a second to minutes.
SHORT = 0.003
# Four times the text takes four times as long, by the square sixteen times.
LINEAR, MOST_GROWTH, SQUARE = 4, 8, 16
# A machine's pace varies by three from second to second: the least times of some tries are compared.
TRIES = 12
OWNER = UUID(int=1)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
FENCES = frozenset({"a"})


class Characters:
    """Counts four characters as a token."""

    max_tokens = 256

    def count_tokens(self, texts):
        return [len(text) // 4 + 1 for text in texts]


def scene(text):
    try:
        parse_scene(text)
    except Unparsable:
        return


READERS = {
    "windows": lambda text: list(windows.windows(Characters(), text)),
    "secrets": pii_guard.found_in,
    "scenes": scene,
    "terms": lambda text: terms(text, "en"),
    "terms of queries": significant_terms,
    "shingles": lambda text: list(shingles(OWNER, text)),
    "spans": lambda text: blank_spans(text, spans_in_tags(text, FENCES)),
    "reasoning": spoken,
    "reasoning that was opened": lambda text: spoken(text, opened=True),
    "escapes": lambda text: unescaped(escaped(text)),
    "visible text": visible,
    "tokens of the vault": tokens,
    "queries of the vault": lambda text: Query("a b c d " * 50).score_at_most(text),
    "single values": lambda text: give_different_values("thing:home", text, text + " Rome"),
    "fences of prompts": lambda text: Material(text).all("a"),
    "sentences of prompts": lambda text: list(Material(text).sentences()),
    "marks of ChatGPT": lambda text: source_marks.of_chatgpt(
        text, [{"matched_text": "\ue200a\ue201", "name": "b"}] * 1000
    ),
    "marks of Claude": source_marks.of_claude,
    "times of exports": times.moment,
    "references of answers": lambda text: references("m", f"m1{text}a"),
    "doubts of answers": lambda text: doubts(f"{text}a"),
    "lines of agents": lambda text: (
        marks_line(text),
        without_insertions(text),
        said_in_result(text, is_error=True, is_question=True),
    ),
    # The last character is none of the unit.
    "words of the user": lambda text: own_words(f"a\n{text[:-1]}"),
    "elements of JSON": lambda text: list(
        elements(io.BytesIO(json.dumps([{text[:9]: text, "b": [text]}]).encode()), [()])
    ),
    **{
        f"times in {language}": lambda text, language=language: resolve_time_expressions(text, NOON, "UTC", language)
        for language in LANGUAGES
    },
}
# The longest runs of what the functions look for, and what looks like its beginning.
UNITS = {
    *("a", " ", "\n", "?", ".", ".)", "a.", "a ", "A ", "-", "'", '"', "\\", "`", "```\n", "<", "&amp;"),
    *("<a>", "<a></a> ", "<a", "</a>", "<think>", "</think>", "`<think>`</think>", "[", "{", '{"a":', "~~~\n", '\\"'),
    *(
        "apikey=",
        "password for a is ",
        "パスワードは_",
        "1-",
        "4111 ",
        "ssn ",
        "today ",
        "from May to ",
        "昨日",
        "今",
        "12 ",
    ),
    *("[Style: a]\n", "\ue200a\ue201 ", "\ue200", "turn0search1", "【", "e\u0301", "\u00df", "\ufdfa", "😀"),
}


# How much a function reads of a long text; of more, four times as much takes it no longer.
READ_AT_MOST = {f"times in {language}": MAX_CHARACTERS for language in LANGUAGES}


def seconds(reader, text):
    began = thread_time()
    reader(text)
    return thread_time() - began


def part_of(unit, length):
    return unit * (length // len(unit)) + "\0"


def clearly_grows_by_length(reader, unit, most, fourth):
    """Whether a sixteenth of a text, beside its fourth, tells that four times the text takes some four times as long.

    Of the time of the sixteenth, less than an eighth may be by the square; then four times the fourth takes less than
    `MOST_GROWTH` times as long.
    """
    always = seconds(reader, "\0")
    return fourth - always < (LINEAR + SQUARE / 8) / (1 + 1 / 8) * (seconds(reader, part_of(unit, most // 16)) - always)


@pytest.mark.parametrize("name", READERS)
def test_four_times_the_text_takes_some_four_times_as_long(name):
    reader, most = READERS[name], READ_AT_MOST.get(name, LONG)
    fourths = {unit: seconds(reader, part_of(unit, most // 4)) for unit in sorted(UNITS)}
    longest = max(fourths, key=fourths.get)
    for unit, fourth in fourths.items():
        if fourth < SHORT / SQUARE or (unit != longest and clearly_grows_by_length(reader, unit, most, fourth)):
            continue
        # Measured beside the whole: the machine's pace a second ago may have been another.
        least, whole = math.inf, math.inf
        for _ in range(TRIES):
            whole = min(whole, seconds(reader, part_of(unit, most)))
            least = min(least, seconds(reader, part_of(unit, most // 4)))
            if whole < SHORT or whole < MOST_GROWTH * least:
                break
        else:
            pytest.fail(f"{whole:.3f} s, and {least:.3f} s for a fourth, with {unit!r}")


# What compares two texts may take time by the product of their lengths, which the API bounds.
PAIRS = {
    "names": (compare_names, NAME_CHARACTERS),
    "names that are known": (
        lambda one, other: find_candidates([f"person:{one}"], {f"person:{other}": "person:a"}, [], {}),
        NAME_CHARACTERS,
    ),
    "texts of the vault": (ratio, VAULT_CHARACTERS),
    "statements of the vault": (distinct, VAULT_CHARACTERS),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("unit", "other"), [("a", "a"), ("ab", "ba"), ("abc ", "acb "), ("a_", "b_"), ("1", "2")])
def test_two_long_texts_are_compared_in_time(name, unit, other):
    compare, length = PAIRS[name]
    pair = [(each * length)[:length] for each in (unit, other)]
    assert min(seconds(lambda text: compare(text, pair[1]), pair[0]) for _ in range(2)) < 1


def test_fences_hold_what_stands_in_them():
    text = '<a b="1">\none &lt; two\n</a> <a>\n\n</a><a></a> <b><a>inner</a></b> <a>not closed'
    fences = Material(text).all("a")
    assert [fence.text for fence in fences] == ["one < two", "", "", "inner"]
    assert fences[0].attributes == {"b": "1"}
    assert Material(text).one("b") == "<a>inner</a>"
