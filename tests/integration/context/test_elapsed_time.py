"""A context says what day and time it is for the user, how long ago the last word was, and where talk paused."""

import random
import re
from datetime import timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.context.elapsed_time import in_words
from memory.intake.messages import accept_messages
from memory.intake.turns import take_turn
from providers.embedders import Embedders
from schemas.context.context import ContextRequest, Turn
from schemas.settings import Settings
from store.accounts import users
from store.talk import messages, session_summaries


@pytest.fixture
def say(store, being):
    """Take a turn; returns the context's text."""

    def turn(*said):
        asked = Turn(messages=[{"role": role, "content": content} for role, content in said])
        return take_turn(store, Embedders(Settings()), Settings(), being, asked, random.Random(1)).context.text

    return turn


def now_of(text):
    (line,) = re.findall(r"<now>\n(.*)\n</now>", text)
    return line


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(seconds=-5), "less than a minute"),
        (timedelta(seconds=61), "a minute"),
        (timedelta(minutes=119), "119 minutes"),
        (timedelta(hours=47), "47 hours"),
        (timedelta(days=2), "2 days"),
        (timedelta(days=59), "59 days"),
        (timedelta(days=61), "2 months"),
        (timedelta(days=800), "2 years"),
    ],
)
def test_lengths_of_time_in_words(length, words):
    assert in_words(length) == words


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "Pacific/Kiritimati"])
def test_the_time_is_that_of_the_users_zone(say, clock, store, user, zone):
    with store.transaction() as tx:
        users.change_user(tx, user.user_id, {"time_zone": zone})
    # The minute may pass meanwhile.
    around = [clock.now(), now_of(say(("user", "Hello."))), clock.now()]
    local = [moment.astimezone(ZoneInfo(zone)) for moment in around[::2]]
    assert around[1] in {f"It is {one:%A}, {one.day} {one:%B %Y}, {one:%H:%M} ({zone})." for one in local}


def test_the_time_stands_before_the_message_in_every_process(store, being):
    for process in ("externalDialog", "mentalQuery", "decision", "researchProcess", "casualChat"):
        asked = AssemblyRequest(ContextRequest(process=process, format="openai"), "Hello.")
        context = assemble(store, Embedders(Settings()), Settings(), being, asked, random.Random(1))
        last = context.messages[-1]
        assert last["role"] == "user"
        assert re.fullmatch(r"<now>\n.*\n</now>\n\n<message>\nHello\.\n</message>", last["content"])


def test_the_last_word_is_the_one_before_what_came_in_together(say, clock):
    assert "message before" not in say(("user", "Hello."))
    clock.advance(days=3, hours=1)
    back = say(("assistant", "Hello, you."), ("user", "I am back."))
    assert now_of(back).endswith("The message before this was 3 days ago.")
    clock.advance(minutes=7)
    assert now_of(say(("user", "Are you there?"))).endswith("The message before this was 7 minutes ago.")


def test_the_last_word_is_known_for_a_message_that_is_not_stored(store, being, clock):
    accept_messages(store, Settings(), being.being_id, [{"role": "user", "content": "Hello."}])
    clock.advance(hours=5)
    for message in (None, "I am back."):
        asked = AssemblyRequest(ContextRequest(), message)
        context = assemble(store, Embedders(Settings()), Settings(), being, asked, random.Random(1))
        assert now_of(context.text).endswith("The message before this was 5 hours ago.")


def test_a_conversation_shows_its_pauses_and_stays_the_same_to_the_byte(say, clock):
    stable = []
    for number, away in enumerate([{"minutes": 1}, {"minutes": 29}, {"minutes": 31}, {"days": 2}, {"minutes": 2}]):
        text = say(("user", f"Question {number}?"))
        stable.append(text.partition("<now>")[0])
        clock.advance(**away)
        say(("assistant", f"Answer {number}."))
    assert all(later.startswith(earlier) for earlier, later in pairwise(stable))
    *_, last = stable
    assert re.findall(r"<pause>\n(.*)\n</pause>|(Question \d)|(Answer \d)", last) == [
        ("", "Question 0", ""), ("", "", "Answer 0"),
        ("", "Question 1", ""), ("", "", "Answer 1"),
        ("", "Question 2", ""), ("31 minutes", "", ""), ("", "", "Answer 2"),
        ("", "Question 3", ""), ("2 days", "", ""), ("", "", "Answer 3"),
    ]  # fmt: skip


def test_the_last_session_says_when_it_was(store, being, say, clock):
    say(("user", "Hello."))
    ended = clock.now()
    with store.transaction() as tx:
        (session,) = messages.sessions(tx, being.being_id, before=None, limit=9)
        tx.execute(
            "insert into memory.session_summaries (being_id, session_id, version, content, turn_count)"
            ' values (%s, %s, 1, \'{"commitments": ["Bea: bring bread"]}\', 1)',
            [being.being_id, session.session_id],
        )
    clock.advance(days=1)
    text = say(("user", "Good morning."))
    assert "commitments: Bea: bring bread" in text
    shown = re.findall(r'<last-session until="(.*)">', text)
    assert shown in [[f"{moment:%Y-%m-%d %H:%M}"] for moment in (ended, ended - timedelta(minutes=1))]


def test_a_session_knows_the_pause_before_it(store, being, say, clock):
    for hours in (1, 0, 26):
        say(("user", "Hello."))
        clock.advance(hours=hours)
    say(("user", "Hello."))
    with store.transaction() as tx:
        found = messages.sessions(tx, being.being_id, before=None, limit=9)
        each = [session_summaries.session(tx, being.being_id, one.session_id).pause for one in found]
        (first,) = messages.sessions(tx, being.being_id, before=found[1].session_id, limit=1)
    assert [round(one.pause / 3600) for one in found[:2]] == [26, 1]
    assert [one.pause for one in found] == each
    assert (first.session_id, first.pause) == (found[2].session_id, None)
