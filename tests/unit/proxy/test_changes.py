"""A transcript's changes, rule by rule. Known messages are written as words, each after the one before it."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory.proxy.matching.alignment import align, known_conversation
from memory.proxy.matching.recognition import belongs_to
from memory.proxy.reading.turns import trailing_words, turn_of
from memory.proxy.taking.changes import changes_of
from memory.text.same_words import LONG
from store.talk.transcripts import PlacedMessage

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
ROLES = {"u": "user", "a": "assistant", "o": "other"}
# Long enough not to be said twice by chance.
SENTENCE = "u3" + LONG * "."


def turn(word):
    return turn_of(ROLES[word[0]], "Otto" if word[0] == "o" else None, word)


def turns(words):
    return [turn(word) for word in words.split()]


class Known:
    """A conversation from ways such as `u1 a1 u2`; a word with a `-` behind it is retracted.

    A word with a `*` behind it is said again: another message with the same text.
    """

    def __init__(self, *ways):
        self.by_name, messages = {}, {}
        for way in ways:
            parent = None
            for word in way.split():
                name = word.rstrip("-")
                if name not in self.by_name:
                    said, id_ = turn(name.rstrip("*")), UUID(int=len(messages) + 1)
                    self.by_name[name] = id_
                    at = NOON + timedelta(minutes=len(messages))
                    messages[id_] = PlacedMessage(id_, parent, said.digest, said.role, said.speaker, at, word == name)
                parent = self.by_name[name]
        self.conversation = known_conversation(list(messages.values()))
        self.names = {id_: name for name, id_ in self.by_name.items()}

    def changes(self, words, *, certain=False):
        """A transcript's changes, in words: new ones as `word<before`."""
        said = turns(words)
        found = changes_of(said, align(said, self.conversation), self.conversation, certain=certain)
        texts = [one.text for one in said]

        def name(place):
            return texts[place] if isinstance(place, int) else self.names.get(place)

        return {
            "new": [f"{texts[one.turn]}<{name(one.after)}" for one in found.new],
            "restored": [self.names[id_] for id_ in found.restore],
            "retracted": [self.names[id_] for id_ in [*found.retract, *found.retract_with_rest]],
            "moved": {self.names[id_]: name(place) for id_, place in found.moves.items()},
        }


def changed(known, words, **options):
    return {what: change for what, change in known.changes(words, **options).items() if change}


@pytest.mark.parametrize(
    ("ways", "transcript", "expected"),
    [
        (["u1 a1"], "u1 a1 u2", {"new": ["u2<a1"]}),
        (["u1 a1 u2"], "u1 a1 u2", {}),
        (["u1 a1 u2 a2"], "a2 u3", {"new": ["u3<a2"]}),
        (["u1 a1 u2 a2"], "u9 a9 a2 u3", {"new": ["u3<a2"]}),
        (["u1 a1 u2 a2 u3 a3"], "u1 a1 u3 a3 u4", {"new": ["u4<a3"]}),
        ([f"u1 a1 u2 a2 {SENTENCE} a3"], f"u1 a1 u9 {SENTENCE} a3 u4", {"new": ["u4<a3"]}),
        (["u1 a1 u2"], "u1 a1 u2 a2 u3", {"new": ["a2<u2", "u3<a2"]}),
        (["u1 a1 u2 u3"], "u1 a1 u2 a2 u3", {"new": ["a2<u2"], "moved": {"u3": "a2"}}),
        (["u1 a1 u2 u3"], "u1 a1 u9 u2 u3 u4", {"new": ["u4<u3"]}),
    ],
    ids=["grown", "again", "cut", "summarised", "hidden", "summary within", "missing", "missing before", "inserted"],
)
def test_nothing_is_retracted_that_is_only_absent(ways, transcript, expected):
    assert changed(Known(*ways), transcript) == expected


def test_another_version_stands_beside_it_until_the_talk_goes_on():
    known = Known("u1 a1 u2 a2", "u1 a1 u2 aa2")

    assert changed(known, "u1 a1 u2") == {}
    assert changed(known, "u1 a1 u2 aa2") == {}
    assert changed(known, "u1 a1 u2 aa2 u3") == {"new": ["u3<aa2"], "retracted": ["a2"]}


def test_a_branch_is_left_once_the_talk_goes_on_in_another():
    known = Known("u1 a1 u2 a2 u3")

    assert changed(known, "u1 a1 uu2") == {"new": ["uu2<a1"]}
    assert changed(known, "u1 a1 uu2 aa2") == {"new": ["uu2<a1", "aa2<uu2"], "retracted": ["u2"]}


def test_one_match_is_no_evidence_unless_the_conversation_is_named():
    known = Known("u1 a1 u2")

    assert changed(known, "u1 aa1 u3") == {"new": ["aa1<u1", "u3<aa1"]}
    assert changed(known, "u1 aa1 u3", certain=True) == {"new": ["aa1<u1", "u3<aa1"], "retracted": ["a1"]}


def test_a_few_words_alone_do_not_tell_where_in_a_named_conversation_a_transcript_begins():
    known = Known("a0 u1 a1 u2 a2 u3 a3")

    # Said again, behind a beginning that was cut off.
    assert changed(known, "u2 aa2 u4", certain=True) == {"new": ["aa2<u2", "u4<aa2"]}
    assert changed(known, "a0 u7 a1 u4", certain=True) == {"new": ["u4<a1"]}
    # The beginning, a long message, and two messages tell.
    assert changed(known, "a0 u1 aa1 u4", certain=True)["retracted"] == ["a1"]
    assert changed(known, "a1 u2 aa2 u4", certain=True)["retracted"] == ["a2"]
    long = "u2" + 40 * "!"
    assert changed(Known(f"u1 a1 {long} a2 u3"), f"{long} aa2 u4", certain=True)["retracted"] == ["a2"]


def test_a_greeting_is_no_evidence():
    assert "retracted" not in changed(Known("a0 u1 a1 u2"), "a0 u1 aa1 u3")


def test_an_answer_to_the_first_message_goes_if_another_was_chosen_and_nobody_went_on_from_it():
    assert changed(Known("u1 a1", "u1 aa1"), "u1 aa1 u2")["retracted"] == ["a1"]
    assert "retracted" not in changed(Known("u1 a1 u2", "u1 aa1"), "u1 aa1 u3")


def test_a_retracted_message_is_restored():
    known = Known("u1 a1 u2- a2-", "u1 a1 uu2 aa2")

    assert changed(known, "u1 a1 u2 a2 u3") == {"new": ["u3<a2"], "restored": ["u2", "a2"], "retracted": ["uu2"]}


def test_an_edit_takes_the_place_of_the_message():
    known = Known("u1 a1 u2 a2 u3 a3")
    expected = {"new": ["uu2<a1", "u4<a3"], "retracted": ["u2"], "moved": {"a2": "uu2"}}

    assert changed(known, "u1 a1 uu2 a2 u3 a3 u4") == expected


def test_a_summary_right_behind_a_greeting_is_no_edit():
    known = Known("a0 u1 a1 u2 a2 u3")

    assert changed(known, "a0 u9 a9 u2 a2 u3 u4") == {"new": ["u4<u3"]}
    assert changed(known, "a0 u9 a1 u2 a2 u3 u4")["retracted"] == ["u1"]


def test_other_answers_to_a_message_go_with_it_when_it_is_edited():
    known = Known("u1 a1 u2 a2 u3", "u1 a1 u2 aa2")

    assert sorted(changed(known, "u1 a1 uu2 a2 u3 a3 u4")["retracted"]) == ["aa2", "u2"]


def test_speakers_are_not_taken_for_one_another():
    assert "retracted" not in changed(Known("u1 a1 u2 a2 u3"), "u1 a1 u2 o2 u3 u4")
    assert "retracted" not in changed(Known("u1 a1 u2 a2"), "u1 a1 u2 o2 u4")


def test_the_same_words_are_matched_in_their_order():
    assert changed(Known("u1 a1"), "u1 a1 u1") == {"new": ["u1<a1"]}


def test_a_few_words_behind_an_exchange_that_is_not_known_were_said_again():
    known = Known("u1 a1 u2 a2 u3")

    again = changed(known, "u1 a1 u2 a2 uu3 a3 u4 a4 u3")
    assert again == {"new": ["uu3<a2", "a3<uu3", "u4<a3", "a4<u4", "u3<a4"], "retracted": ["u3"]}
    cut = changed(known, "a2 uu3 a3 u3 a4 u4")
    assert cut == {"new": ["uu3<a2", "a3<uu3", "u3<a3", "a4<u3", "u4<a4"]}


def test_a_few_words_behind_a_third_speaker_whom_nobody_knows_were_said_again():
    known = Known("u1 a1 u2 a2 u3 a3")

    assert changed(known, "u1 a1 u2 a2 o1 u3")["new"] == ["o1<a2", "u3<o1"]
    assert changed(known, "u1 a1 u2 a2 u9 u3") == {}


def test_many_words_behind_an_exchange_that_is_not_known_are_the_known_ones():
    long = "u3" + 40 * "!"

    assert changed(Known(f"u1 a1 u2 a2 {long}"), f"u1 a1 u2 a2 u8 a8 {long}") == {}
    assert changed(Known("u1 a1 u2 a2 u3"), "u1 a1 u2 a2 u8 u9 u3") == {}


def test_of_the_same_words_those_count_that_follow_each_other():
    branch = changed(Known("u1 a1 u2 a1*"), "u1 a1 u3 a3")
    assert branch == {"new": ["u3<a1", "a3<u3"], "retracted": ["u2"]}
    assert changed(Known("u1 a1 u2 a1*"), "u2 a1 u3") == {"new": ["u3<a1*"]}
    assert changed(Known("u1 a1 u2 a1*"), "a1 u3") == {"new": ["u3<a1*"]}


def test_without_a_match_in_a_named_conversation_the_newest_words_are_new():
    assert changed(Known("u1 a1"), "u7 a7 u8", certain=True) == {"new": ["u8<a1"]}
    assert trailing_words(turns("u1 a1")) == 2


@pytest.mark.parametrize(
    ("ways", "transcript", "rests", "meant"),
    [
        (["u1 a1 u2"], "u1", False, False),
        (["u1 a1"], "u1", False, True),
        (["u1 a1"], "u1", True, False),
        (["u1 a1 u2 a2"], "u2", False, False),
        (["u1 a1"], "u1 aa1 u2", False, True),
        (["u1 a1"], "u1 aa1 u2", True, False),
        (["u1"], "u1 aa1 u2", True, True),
        (["u1 a1 u2 a2"], "u1 a1 u2 a2 u3", True, True),
        (["u1 a1 u2"], "u1 a1 uu2", False, True),
        (["u1 a1 u2"], "u1 a1 uu2", True, False),
        (["u1 a1"], "u1 a1 u2", True, True),
        (["a0 u1 a1 u2"], "a0 u9", False, False),
        (["u1 a1 u2 a2"], "a2 u3", False, True),
        (["u1 a1 u2 a2"], "a8 u8 a9 a2 u3", False, True),
        (["u1 a1 u2 a2"], "u8 a8 u9 a9 a2 u3", False, False),
    ],
)
def test_which_conversation_is_meant(ways, transcript, rests, meant):
    known = Known(*ways).conversation
    said = turns(transcript)
    now = max(message.created_at for message in known.messages.values()) + timedelta(minutes=31 if rests else 1)

    assert belongs_to(said, align(said, known), known, now) is meant
