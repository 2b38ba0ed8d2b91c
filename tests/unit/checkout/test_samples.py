"""The month that the demo plays keeps what its README promises."""

import datetime as dt
import itertools
import json
import math
import re
from collections import Counter

import pytest
from pydantic import TypeAdapter

from memory.nodes.scenes import Unparsable, parse_scene
from schemas.intake.inputs import MessageInput, NoteInput, SceneNote
from schemas.limits import BATCH_ITEMS, ITEM_BYTES, RECALL_NODES
from schemas.settings import CHECKOUT
from schemas.vault.vault_requests import NewRecord

SAMPLES = CHECKOUT / "samples"
IDLE_MINUTES = 30
DAYS = [dt.date(2026, 3, day).isoformat() for day in range(1, 31)]
CAST = ["Aldo", "Dagny", "Yuki", "Cord", "Ambrose", "Nomvula", "Ivor", "Mr Quennell", "Hester"]


def scene_of(note):
    try:
        return parse_scene(note.content if isinstance(note.content, str) else note.content.model_dump())
    except Unparsable:
        return None


def words_of(note):
    return note.content if isinstance(note.content, str) else note.content.action


@pytest.fixture(scope="module")
def notes():
    read = TypeAdapter(NoteInput).validate_json
    return [read(line) for line in (SAMPLES / "month.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def scenes(notes):
    told = ((note, scene_of(note)) for note in notes if isinstance(note, SceneNote))
    return [(note, scene) for note, scene in told if scene]


def test_every_note_would_be_accepted_at_the_door_and_all_in_one_batch(notes):
    lines = (SAMPLES / "month.jsonl").read_bytes().splitlines()
    assert 180 <= len(notes) <= BATCH_ITEMS
    assert max(map(len, lines)) <= ITEM_BYTES


def test_ids_count_up_without_a_gap(notes):
    assert [note.id for note in notes] == [f"month:{number:03d}" for number in range(1, len(notes) + 1)]


def test_each_of_the_thirty_days_has_three_to_ten_notes_in_date_order(notes):
    days = [note.metadata["day"] for note in notes]
    assert days == sorted(days)
    counts = Counter(days)
    assert list(counts) == DAYS
    assert min(counts.values()) >= 3
    assert max(counts.values()) <= 10


def test_a_scene_is_told_on_the_last_of_its_dates(scenes):
    for note, scene in scenes:
        assert scene.when == sorted(scene.when), note.id
        assert scene.when[-1] == note.metadata["day"], note.id


def test_weekdays_named_beside_a_date_are_right(notes):
    named = re.findall(r"(\w+day) (?:the )?(\d+)", " ".join(words_of(note) for note in notes))
    assert len(named) >= 5
    for weekday, day in named:
        assert dt.date(2026, 3, int(day)).strftime("%A") == weekday, (weekday, day)


def test_weekly_routines_fall_on_their_weekday(notes):
    for note in notes:
        today = dt.date.fromisoformat(note.metadata["day"]).strftime("%A")
        routine = re.search(r"(?:At|The) (\w+day) (?:bell practice|swim|lunch|crossword)", words_of(note))
        assert not routine or routine[1] == today, note.id


def test_all_four_types_of_note_occur(notes):
    counts = Counter(note.type for note in notes)
    assert counts["scene"] >= 180
    assert min(counts[kind] for kind in ("todo", "reminder", "knowledge")) >= 3


def test_three_scenes_are_strings_a_model_wrote_and_one_more_cannot_be_parsed(notes):
    strings = [note for note in notes if isinstance(note, SceneNote) and isinstance(note.content, str)]
    assert len(strings) == 4
    assert [scene_of(note) is None for note in strings].count(True) == 1


def test_importance_reaches_from_slight_to_unforgettable(scenes):
    slight = [note for note, scene in scenes if 0.05 <= scene.importance <= 0.13]
    early = [note for note in slight if note.metadata["day"] <= DAYS[19]]
    grave = [note for note, scene in scenes if 0.7 <= scene.importance <= 0.95]
    assert len(slight) >= 60
    assert len(early) >= 40
    assert len(grave) >= 15


def test_a_month_of_daily_patrols_lets_a_fair_share_fade_and_no_more(scenes):
    def weight_at_the_end(note, scene):
        patrols = len(DAYS) - DAYS.index(note.metadata["day"])
        return scene.importance * math.exp(-patrols / 30)

    faded = [note for note, scene in scenes if weight_at_the_end(note, scene) <= 0.05]
    assert 0.2 < len(faded) / len(scenes) < 0.4


def test_the_cast_recurs(scenes):
    appearances = Counter(actor for _, scene in scenes for actor in scene.actors)
    assert all(appearances[person] >= 3 for person in CAST), appearances
    assert appearances["Pip"] > len(scenes) / 2


def test_not_every_note_has_everything(scenes):
    for field in ("setting", "dialogue", "sensory", "emotion", "themes"):
        filled = sum(1 for _, scene in scenes if getattr(scene, field))
        assert 10 <= filled < len(scenes), field
    assert sum(len(scene.when) > 1 for _, scene in scenes) >= 2


def test_queries_expect_scenes_that_exist_and_no_more_than_a_recall_returns(scenes):
    known = {note.id for note, _ in scenes}
    queries = [json.loads(line) for line in (SAMPLES / "queries.jsonl").read_text("utf-8").splitlines()]
    assert 6 <= len(queries) <= 8
    for query in queries:
        assert query["query"].endswith("?")
        assert 1 <= len(query["expect"]) <= RECALL_NODES
        assert known.issuperset(query["expect"])


def test_the_vault_holds_what_is_the_users_and_what_is_the_beings_own():
    read = TypeAdapter(NewRecord).validate_json
    records = [read(line) for line in (SAMPLES / "vault.jsonl").read_text("utf-8").splitlines()]
    assert {record.scope for record in records} == {"shared", None}
    assert len({record.text for record in records}) == len(records)


def test_the_conversation_is_what_was_said_in_that_month():
    lines = (SAMPLES / "conversation.jsonl").read_text("utf-8").splitlines()
    said = [TypeAdapter(MessageInput).validate_json(line) for line in lines]
    moments = [message.created_at for message in said]
    pauses = [later - earlier for earlier, later in itertools.pairwise(moments)]

    assert moments == sorted(moments)
    assert {moment.date().isoformat() for moment in moments} <= set(DAYS)
    assert len({message.id for message in said}) == len(said) == 246
    assert sum(pause > dt.timedelta(minutes=IDLE_MINUTES) for pause in pauses) == 18
    assert {name for name in CAST if any(name in message.content for message in said)} == set(CAST)
    assert {message.speaker for message in said if message.role == "other"} == {"Yuki"}


def test_a_month_of_talk_alone_is_in_order_and_its_conversations_end_before_the_next_day():
    read = TypeAdapter(MessageInput).validate_json
    said = [read(line) for line in (SAMPLES / "talk.jsonl").read_text("utf-8").splitlines()]
    assert len(said) >= 500
    assert [one.id for one in said] == [f"noor:{number:03d}" for number in range(1, len(said) + 1)]
    times = [one.created_at for one in said]
    assert times == sorted(times)
    assert sorted({f"{at:%Y-%m-%d}" for at in times}) == DAYS
    # The demo closes each day's conversations at 03:00.
    assert all(at.hour >= 7 for at in times)
    assert {one.role for one in said} == {"user", "assistant"}
