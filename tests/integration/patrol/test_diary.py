"""The diary and the notes for next time, with a model that writes what the test wants."""

from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from memory.intake.notes import accept_notes
from memory.nodes import curation
from memory.patrol import demand
from memory.patrol.diary import DiaryDraft, check, day_of
from operations.patrol.diary import read_diary
from providers.embedders import Embedders
from providers.errors import BadAnswer
from providers.thinkers import Thinkers
from schemas.ledger.kinds import PATROL_STEPS
from schemas.patrol.model_answers import DiaryPages
from store import clock as domain_clock
from store.accounts import beings, users
from store.context import persona, souls
from store.patrol import runs
from tests.fakes.provider import running_provider
from tests.models.thinking import Answers, Life, thinking_settings
from tests.models.walking import walk_run


@pytest.fixture
def life(store):
    answers = Answers()
    with running_provider(answer=answers) as provider:
        with store.transaction() as tx:
            domain_clock.set_to(tx, datetime(2026, 3, 1, 20, tzinfo=UTC))
            user = users.add_user(tx, "keiko", "Asia/Tokyo")
            being = beings.add_being(tx, user.user_id, "mizzen", "Mizzen")
        yield Life(store, provider, answers, being.being_id, thinking_settings(provider, topic_birth=False))


def pages(*lines, notes=("Ask.", "Listen.", "Stay.")):
    return {"diary": list(lines), "next_time": list(notes)}


def diary_page(life, **options):
    with life.store.transaction() as tx:
        return read_diary.call(tx, beings.get_being(tx, life.being_id), muted=True, **options)


def entries(life):
    page = diary_page(life, limit=9)
    return {str(entry.day): entry.text for entry in page.entries}


def walk(life, run_id, steps=PATROL_STEPS):
    thinkers = Thinkers(life.settings)
    return walk_run(
        life.store, Embedders(life.settings), life.settings, life.being_id, run_id, steps, thinkers=thinkers
    )


def walk_undemanded(life):
    with life.store.transaction() as tx:
        run_id = runs.want(tx, life.being_id, demanded=False, notes=100)
    return walk(life, run_id)


def test_a_day_of_the_users_calendar_gets_its_entry(life):
    life.tell("The roof leaks.")
    life.answers.said["DiaryPages"] = pages(
        "It rained.", "- Inside, too.", "I heard\nit all.", notes=["- Ask.", "Stay.", "Be."]
    )
    run = life.patrol()

    assert run.steps["diary"] | {"outcome": "done", "lines": 3, "notes": 3} == run.steps["diary"]
    # Eight in the evening of the first in London is five in the morning of the second in Tokyo.
    assert entries(life) == {"2026-03-02": "It rained.\nInside, too.\nI heard it all."}
    assert diary_page(life, limit=9).think_md == "- Ask.\n- Stay.\n- Be."


def test_the_diary_is_read_page_by_page(life, clock):
    for _ in range(3):
        life.tell("The roof leaks.")
        life.patrol()
        clock.advance(days=1)
    first = diary_page(life, limit=2)
    rest = diary_page(life, cursor=first.cursor, limit=2)

    days = [str(entry.day) for page in (first, rest) for entry in page.entries]
    assert (days, rest.cursor) == (sorted(entries(life), reverse=True), None)
    assert len(days) == 3


def test_no_page_of_today_is_written_about_what_was_years_ago(life):
    def import_scene(action: str, day: str) -> None:
        content = {"action": action, "actors": ["Pip"], "when": [day]}
        note = {"type": "scene", "content": content, "aged": True}
        assert not accept_notes(life.store, life.settings, life.being_id, [note]).rejected

    import_scene("Pip moved to Bern.", "2019-05-03")
    run = life.patrol()
    assert run.steps["diary"]["outcome"] == "skipped"
    life.answers.said["DiaryPages"] = pages("The roof leaks.", "It rained.", "Good.")
    life.tell("The roof leaks.")
    import_scene("Pip moved to Rome.", "2018-05-03")
    life.patrol()
    (asked,) = life.asked("DiaryPages")
    assert "The roof leaks." in asked.material
    assert "Pip moved" not in asked.material


def test_an_entry_takes_up_what_was_written_that_day(life, clock):
    life.tell("The roof leaks.")
    life.patrol()
    clock.advance(hours=5)
    life.tell("Ivor came.")
    life.answers.said["DiaryPages"] = pages("The roof.", "Then Ivor.", "Good.")
    life.patrol()

    first, second = life.asked("DiaryPages")
    assert "The roof leaks." in first.material
    assert "<earlier>\nOne.\nTwo.\nThree.\n</earlier>" in second.material
    assert "<noted>\n- Ask." in second.material
    assert "Ivor came." in second.material
    assert "The roof leaks." not in second.material
    assert entries(life) == {"2026-03-02": "The roof.\nThen Ivor.\nGood."}

    clock.advance(days=1)
    life.tell("It dried.")
    life.patrol()
    assert list(entries(life)) == ["2026-03-03", "2026-03-02"]


def test_the_model_is_shown_the_whole_persona(life):
    soul = {part: f"The {part}." for part in ("personality", "backstory", "inner_world", "examples")}
    with life.store.transaction() as tx:
        souls.write(tx, life.being_id, soul)
        for name, enabled in (("Ana", True), ("Jon", False)):
            entry = {"name": name, "content": f"About {name}.", "enabled": enabled, "position": 0}
            persona.add(tx, life.being_id, "relationships", entry)
    life.tell("The roof leaks.")
    life.patrol()

    (asked,) = life.asked("DiaryPages")
    for text in (*soul.values(), '<relationship name="Ana">\nAbout Ana.\n</relationship>'):
        assert text in asked.prompt
    assert "Jon" not in asked.prompt


def test_a_run_without_a_key_logs_that_once(life):
    life.tell("The roof leaks.")
    run_id = demand.demand(life.store, life.settings, life.being_id)
    settings = life.settings.model_copy(update={"thinker": "none"})
    with capture_logs() as logged:
        walk_run(life.store, Embedders(settings), settings, life.being_id, run_id, thinkers=Thinkers(settings))

    (event,) = [event for event in logged if event["event"].startswith("patrol.")]
    assert (event["event"], event["reason"], event["run_id"]) == ("patrol.without_model", "no key", str(run_id))


def test_without_new_memories_nothing_is_written(life):
    run = life.patrol()

    assert run.steps["diary"] | {"outcome": "skipped", "reason": "no new memories"} == run.steps["diary"]
    assert not life.asked("DiaryPages")


def test_where_all_that_was_new_is_forgotten_before_evening_nothing_is_written(life):
    life.tell("The roof leaks.")
    run_id = demand.demand(life.store, life.settings, life.being_id)
    walk(life, run_id, PATROL_STEPS[:-1])
    curation.change_state(life.store, life.being_id, life.node("The roof").node_id, "forget")
    run = walk(life, run_id)

    assert (run.state, run.steps["diary"]["reason"]) == ("done", "no new memories")
    assert not life.asked("DiaryPages")


def test_a_patrol_without_demand_writes_every_four_hours_and_then_all_of_it(life, clock):
    life.tell("The roof leaks.")
    assert walk_undemanded(life).steps["diary"]["outcome"] == "done"
    clock.advance(hours=3)
    life.tell("Ivor came.")
    assert walk_undemanded(life).steps["diary"]["outcome"] == "not due"
    clock.advance(hours=2)
    life.tell("Ivor went.")
    assert walk_undemanded(life).steps["diary"]["outcome"] == "done"

    assert "Ivor came." in life.asked("DiaryPages")[1].material
    assert "Ivor went." in life.asked("DiaryPages")[1].material


def test_of_pages_that_no_try_gets_right_the_lines_that_may_stand_are_kept(life):
    life.tell("The roof leaks.")
    life.answers.said["DiaryPages"] = pages("One line.")
    run = life.patrol()

    assert (run.state, run.steps["diary"]["outcome"]) == ("done", "done")
    assert [*entries(life).values()] == ["One line."]


def test_a_run_without_a_key_still_ends_and_begins_the_next(life):
    life.tell("The roof leaks.")
    first = demand.demand(life.store, life.settings, life.being_id)
    settings = life.settings.model_copy(update={"thinker": "none"})
    run = walk_run(life.store, Embedders(settings), settings, life.being_id, first, thinkers=Thinkers(settings))

    assert (run.state, run.steps["diary"]["reason"]) == ("done", "no key")


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (pages("One.", "Two."), "diary has 2 lines"),
        (pages("1", "2", " "), "empty"),
        (pages("1", "2", "3", notes=["1", "2"]), "next_time has 2 lines"),
        (pages("1", "2", "3" * 501), "longer than 500"),
    ],
)
def test_pages_of_another_measure_are_refused(said, complaint):
    with pytest.raises(BadAnswer, match=complaint):
        check(DiaryPages.model_validate(said))


def test_pages_that_went_on_from_what_was_erased_meanwhile_are_asked_for_again(life):
    life.tell("The roof leaks.")
    life.patrol()
    life.tell("Ivor came.")

    def while_it_is_erased(material):
        assert "One." in material
        assert life.erase("The roof").diary_entries == 1
        life.answers.said["DiaryPages"] = pages("Ivor.", "Two.", "Three.")
        return pages("One, and then Ivor.", "Two.", "Three.")

    life.answers.said["DiaryPages"] = while_it_is_erased
    run = life.patrol()

    assert (run.state, run.steps["diary"]["outcome"]) == ("done", "done")
    assert entries(life) == {"2026-03-02": "Ivor.\nTwo.\nThree."}
    assert "One." not in life.asked("DiaryPages")[-1].material


def test_pages_that_went_on_from_what_was_erased_after_the_answer_are_not_kept(life):
    life.tell("The roof leaks.")
    run = life.patrol()
    with life.store.transaction() as tx:
        day = day_of(tx, life.being_id, run.run_id)
    draft = DiaryDraft(day, DiaryPages.model_validate(pages("One, and then Ivor.", "Two.", "Three.")))
    assert "One." in day.earlier.text
    life.erase("The roof")
    with life.store.transaction() as tx:
        assert draft.apply(tx, run.run_id)["outcome"] == "skipped"

    assert entries(life) == {}
    assert diary_page(life, limit=9).think_md == ""
