"""Paragraphs that a frontend adds to the newest line are told by the bare line that it shows later."""

from memory.proxy.matching.added_paragraphs import added_paragraphs, is_within, without_added

NOTE = "Keep to the present tense.\n\nNever speak for Zoë."


def test_what_a_line_was_sent_with_and_is_shown_without_was_added():
    before, behind = added_paragraphs(
        [f"She is nine.\n\n{NOTE}", "Summary: they met.\n\nHello."], ["She is nine.", "Hello."]
    )

    assert without_added(f"She likes tuna.\n\n{NOTE}", before, behind) == "She likes tuna."
    assert without_added("Summary: they met.\n\nBye.", before, behind) == "Bye."
    assert without_added(f"Summary: they met.\n\nBye.\n\n{NOTE}", before, behind) == "Bye."


def test_what_was_never_shown_bare_is_the_users():
    letter = f"She is nine.\n\n{NOTE}"

    assert (
        without_added(f"She likes tuna.\n\n{NOTE}", *added_paragraphs([letter], [letter]))
        == f"She likes tuna.\n\n{NOTE}"
    )
    assert without_added(NOTE, *added_paragraphs([letter], ["She is nine."])) == NOTE


def test_a_line_is_within_one_with_more_paragraphs():
    assert is_within("She is nine.", f"{NOTE}\n\nShe is nine.")
    assert is_within("She is\nnine.", "She is nine.\n\nThe storm rises.")
    assert not is_within("She is", "She is nine.\n\nThe storm rises.")
