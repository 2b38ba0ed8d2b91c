"""Characters that a terminal would obey, reorder or hide are written out; all else stays."""

import json
import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from schemas.text.visible_text import visible

# Format characters with a shape of their own: signs that stand around numbers, and joiners of hieroglyphs.
SHOWN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
HIEROGLYPHS = range(0x13430, 0x13440)


def test_every_control_bidirectional_invisible_and_half_character_is_replaced():
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        category = unicodedata.category(sign)
        if category in {"Cc", "Cf", "Cs", "Zl", "Zp"} and sign not in {"\n", "\t", *SHOWN} and code not in HIEROGLYPHS:
            assert visible(sign).startswith("\\u"), hex(code)
        elif category[0] in "LNPS" and sign not in "\u115f\u1160\u3164\uffa0":
            assert visible(sign) == sign, hex(code)


def test_signs_of_no_shape_that_unicode_calls_letters_or_marks_are_replaced_too():
    for sign in "\u034f\u115f\u1160\u17b4\u3164\ufe00\uffa0\U000e0100":
        assert visible(sign).startswith("\\u")


def test_what_languages_and_emoji_need_stays():
    for text in ("naïve", "日本語", "Привет", "שלום", "مرحبا", "e\u0301", "❤\ufe0f", "🎉", "a\tb\nc", "a\u00a0b"):
        assert visible(text) == text


@given(st.text())
def test_a_json_document_stays_valid_with_the_same_value(text):
    assert json.loads(visible(json.dumps(text, ensure_ascii=False))) == text
    assert visible(visible(text)) == visible(text)
