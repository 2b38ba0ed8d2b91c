"""Memory that a Being was shown and that comes back in a message is recognised, and nothing else is."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.talk.context_provenance import Utterance, record_context, shown_parts
from memory.text.shingles import blank_spans, shingles
from memory.upkeep import periodic
from schemas.settings import Settings
from tests.scenes import make_being

LATER = datetime.max.replace(tzinfo=UTC)
DIARY = "The oven failed in the morning, and Jon laughed until the flour was all over the floor. I was glad he stayed."
TODO = "Call the oven repair."
JAPANESE = "朝のパンを焼いているときにオーブンが壊れて、ジョンは床が小麦粉だらけになるまで笑った。"


@pytest.fixture
def shown(store, being):
    with store.transaction() as tx:
        return record_context(tx, being.being_id, "externalDialog", [DIARY, TODO, JAPANESE])


@pytest.fixture
def left_of(store, being, shown):  # noqa: ARG001  # it recognises what was shown
    """The sender's own part of a message."""

    def left(text, *, context_id=None, being_id=being.being_id):
        with store.transaction() as tx:
            (spans,) = shown_parts(tx, being_id, [Utterance(text, context_id, LATER)])
        return " ".join(blank_spans(text, spans).split())

    return left


@pytest.mark.parametrize("echo", [DIARY, DIARY.upper(), DIARY.replace(" ", "\n   ", 2).replace(",", ";"), JAPANESE])
def test_a_piece_of_memory_in_a_message_is_not_its_senders(left_of, echo):
    left = left_of(f"You told me this, do you remember? {echo} And I have a sister called Ana.")

    assert left.startswith("You told me this, do you remember?")
    assert left.endswith("And I have a sister called Ana.")
    assert "flour" not in left.casefold()
    assert "小麦粉" not in left


def test_a_part_of_a_piece_is_recognised_too(left_of):
    echo = "Jon laughed until the flour was all over the floor."

    assert left_of(f"{echo} My flat is in Porto.") == ". My flat is in Porto."


def test_what_a_user_says_in_words_of_their_own_is_theirs(left_of):
    for text in ("The oven failed again.", "Jon laughed and laughed, and there was flour on the floor.", TODO):
        assert left_of(text) == text


def test_short_lines_are_ours_where_the_message_names_its_context(left_of, shown):
    assert left_of(f"{TODO}\nI did that.", context_id=shown) == ".\nI did that.".replace("\n", " ")
    assert left_of(f"{TODO}\nI did that.", context_id=uuid4()) == f"{TODO} I did that."


def test_short_lines_are_ours_beside_a_longer_piece(left_of):
    assert left_of(f"{DIARY}\n{TODO}\nI did that.").strip(" .") == "I did that"


def test_a_fence_of_ours_is_ours_with_everything_in_it(left_of):
    text = "<recalled_memory>\nshe hums / it rained\n</recalled_memory> I like rain."

    assert left_of(text) == "I like rain."
    assert left_of("I like <b>rain</b> and <core> things.") == "I like <b>rain</b> and <core> things."


def test_tags_that_people_use_too_are_ours_only_beside_what_a_context_showed(left_of, shown):
    text = "<summary>\nI live in Bern.\n</summary> I like rain."
    fenced = f"<core>\n{TODO}\n</core>"

    assert left_of(text) == " ".join(text.split())
    assert left_of(text, context_id=shown) == "I like rain."
    assert left_of(f"<core>\nThis is you. {TODO}\n</core> <b>{TODO}</b>").startswith("<core>")
    assert left_of(f"{fenced} I like rain.") == "I like rain."
    assert left_of(f"{text} <rag-context>\nTea.\n</rag-context>") == "I like rain."


def test_what_one_being_was_shown_is_nothing_to_another(left_of, store, user):
    with store.transaction() as tx:
        other = make_being(tx, user)

    assert left_of(DIARY, being_id=other.being_id) == DIARY


def test_a_piece_that_is_shown_again_is_kept_once(store, being, shown):
    with store.transaction() as tx:
        again = record_context(tx, being.being_id, "externalDialog", [TODO, DIARY])
        rows = tx.execute("select count(*) as pieces from memory.shown_texts").fetchone()

    assert again != shown
    assert rows["pieces"] == 3


@given(st.text(max_size=80), st.text(max_size=80))
def test_whatever_stands_around_it_a_piece_is_recognised(before, after):
    owner = uuid4()
    piece = {mark.hash for mark in shingles(owner, DIARY)}

    assert piece <= {mark.hash for mark in shingles(owner, f"{before} . {DIARY} . {after}")} or "/" in before + after


def test_receipts_are_kept_for_as_long_as_the_settings_say(store, clock, left_of):
    clock.advance(days=30)
    periodic.expire(store, Settings())
    assert left_of(DIARY) == "."

    clock.advance(days=2)
    periodic.expire(store, Settings())
    assert left_of(DIARY) == DIARY
