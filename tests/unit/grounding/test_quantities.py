"""Numbers and dates are compared by value, however they are written."""

import pytest

from memory.grounding.quantities import missing_quantities, quantities, read_text_quantities


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("on 2 March", "2026-03-02"),
        ("March 2nd, 2026", "2026-03-02"),
        ("2026-03-02", "2 March 2026"),
        ("2.3.2026", "2026-03-02"),
        ("03/02/2026", "2026-03-02"),
        ("am 2. März", "2026-03-02"),
        ("el 2 de marzo de 2026", "2026-03-02"),
        ("le 2 mars", "2026-03-02"),
        ("3月2日", "2026-03-02"),
        ("the second of March", "2 March"),
        ("on the 2nd", "2026-03-02"),
        ("a five-year-old", "she is 5"),
        ("ten kilometres", "ran a 10k"),
        ("2009", "back in '09"),
        ("March 2026", "2026-03-02"),
        ("from 2 to 5 March", "2 March, and 5 March"),
        ("forty people", "40 people"),
        ("40 people", "forty people"),
        ("forty-two", "42"),
        ("two hundred and five", "205"),
        ("2 million", "2,000,000"),
        ("1.8k", "1800"),
        ("1800", "1,800 pounds"),
        ("1.800 Euro", "1800 Euro"),
        ("3,5 kg", "3.5 kg"),
        ("zweiundvierzig", "42"),
        ("cuarenta y dos", "42"),
        ("quatre-vingt-dix", "90"),
        ("四十人", "40人"),
        ("15:00", "3 pm"),
        ("once upon a time, a new one, two of them", "nothing"),
    ],
)
def test_the_same_value_is_told(said, told):
    assert missing_quantities(quantities(said), read_text_quantities(told)) == []


@pytest.mark.parametrize(
    ("said", "told", "missing"),
    [
        ("fifty", "forty", ["number 1"]),
        ("35", "3.5", ["number 1"]),
        ("3.5", "35", ["number 1"]),
        ("3 March", "2026-03-02", ["date 1"]),
        ("2 April", "2026-03-02", ["date 1"]),
        ("2 March 2025", "2026-03-02", ["date 1"]),
        ("40 and 3,000", "2,050 and forty", ["number 2"]),
        ("three times", "the roof", ["number 1"]),
        ("a five-year-old", "she is 6", ["number 1"]),
        ("dreißig Leute", "20 Leute", ["number 1"]),
    ],
)
def test_another_value_is_named_by_its_place(said, told, missing):
    assert missing_quantities(quantities(said), read_text_quantities(told)) == missing


def test_a_word_may_count_what_is_told():
    assert missing_quantities(quantities("three times"), read_text_quantities("the roof"), counted=3) == []
