"""The guard against a corpus: what it finds, what it lets pass, and that docs/vault.md says how often it is right."""

import random
import re
from collections import Counter
from pathlib import Path
from string import ascii_letters, ascii_uppercase, digits, hexdigits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vault import pii_guard
from memory.vault.pii_guard import found_in, passes_luhn
from schemas.settings import CHECKOUT

CORPUS = Path(__file__).parent / "corpus.txt"
KINDS = {
    "ssn": pii_guard.SSN,
    "card": pii_guard.CARD,
    "password": pii_guard.PASSWORD,
    "api key": pii_guard.API_KEY,
    "private key": pii_guard.PRIVATE_KEY,
}
SIGNS = {"hex": hexdigits[:16], "word": ascii_letters + digits, "LETTERS": ascii_uppercase + digits}


def corpus():
    """Each line: what must be found in it, whether its form gives that away, and its text."""
    chance = random.Random(6)

    def signs(match):
        return "".join(chance.choices(SIGNS[match[1]], k=int(match[2]) - 1)) + "7"

    for line in CORPUS.read_text().splitlines():
        if line and not line.startswith("# "):
            kind, text = line.split("\t")
            yield kind.removeprefix("~"), not kind.startswith("~"), re.sub(r"\{(\w+) (\d+)\}", signs, text)


LINES = list(corpus())


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, plain, text in LINES if plain])
def test_what_has_the_form_is_found_and_what_has_not_passes(kind, text):
    assert found_in(text) == [KINDS[kind] for _ in range(kind in KINDS)]


def measured():
    """For each kind and for all together: lines that hold it, precision, recall."""
    right, held, found = Counter(), Counter(), Counter()
    for kind, _, text in LINES:
        held.update({kind, "all"} if kind in KINDS else ())
        for name, words in KINDS.items():
            if words in found_in(text):
                found.update([name, "all"])
                right.update([name, "all"] if name == kind else ())
    return {kind: (held[kind], right[kind] / found[kind], right[kind] / held[kind]) for kind in [*KINDS, "all"]}


def test_the_guide_tells_the_measured_figures():
    rows = [
        f"| {kind} | {count} | {precision:.3f} | {recall:.3f} |"
        for kind, (count, precision, recall) in measured().items()
    ]
    assert len(LINES) >= 200
    assert "\n".join(rows) in (CHECKOUT / "docs" / "vault.md").read_text(), "\n".join(rows)
    assert f"{len(LINES)} lines" in (CHECKOUT / "docs" / "vault.md").read_text()


@given(st.lists(st.integers(0, 9), min_size=11, max_size=17), st.sampled_from(["4", "51", "37"]))
def test_luhn_finds_any_one_wrong_digit(body, start):
    number = start + "".join(map(str, body))
    (check,) = [digit for digit in digits if passes_luhn(number + digit)]
    for place, digit in enumerate(number):
        wrong = number[:place] + str((int(digit) + 1) % 10) + number[place + 1 :]
        assert not passes_luhn(wrong + check)


@given(st.text(), st.sampled_from([text for kind, plain, text in LINES if plain and kind in KINDS]))
def test_a_secret_is_found_among_other_words(around, secret):
    assert found_in(f"{around}\n{secret}\n{around}")


@given(st.text("0123456789abcdef -:=.@/'\"pws", max_size=1200))
def test_no_text_takes_long(text):
    found_in(text)


def test_no_gap_in_a_text_takes_long():
    assert found_in(f"password for{' ' * 100_000}") == []
