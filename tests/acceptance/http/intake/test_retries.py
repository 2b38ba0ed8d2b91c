"""Sending the same again changes nothing, and sending something else under a known id is told."""

from concurrent.futures import ThreadPoolExecutor

from tests.acceptance.http.intake.scenes import scene


def notes_of(person):
    return person.ask("GET", "/notes").json()["notes"]


def test_the_same_id_twice_is_one_note(person):
    note = {**scene(), "id": "mine"}
    first, second = (person.ask("POST", "/notes", json=note).json() for _ in range(2))
    assert (first["accepted"], first["duplicates"]) == (1, 0)
    assert (second["accepted"], second["duplicates"]) == (0, 1)
    assert first["ids"] == second["ids"]
    assert len(notes_of(person)) == 1


def test_the_same_id_twice_in_one_batch_is_one_note(person):
    receipt = person.ask("POST", "/notes", json=[{**scene(), "id": "mine"}] * 2).json()
    assert (receipt["accepted"], receipt["duplicates"]) == (1, 1)
    assert len(notes_of(person)) == 1


def test_other_content_under_a_known_id_is_a_conflict_and_changes_nothing(person):
    first = person.ask("POST", "/notes", json={**scene(), "id": "mine"}).json()
    answer = person.ask("POST", "/notes", json={**scene("Another."), "id": "mine"})
    assert answer.status_code == 202
    receipt = answer.json()
    assert (receipt["accepted"], receipt["duplicates"], receipt["ids"]) == (0, 0, first["ids"])
    assert receipt["conflicts"][0]["position"] == 0
    (note,) = notes_of(person)
    assert note["content"]["action"] == scene()["content"]["action"]


def test_a_retry_with_the_same_idempotency_key_changes_nothing(person):
    batch = [scene("One."), {**scene("Two."), "id": "its own"}, scene("Three.")]
    first, second = (
        person.ask("POST", "/notes", json=batch, headers={"Idempotency-Key": "k1"}).json() for _ in range(2)
    )
    assert (first["accepted"], second["duplicates"]) == (3, 3)
    assert first["ids"] == second["ids"]
    assert [note["producer_id"] for note in notes_of(person)].count("its own") == 1
    third = person.ask("POST", "/notes", json=batch, headers={"Idempotency-Key": "k2"}).json()
    assert (third["accepted"], third["duplicates"]) == (2, 1)


def test_without_an_id_each_time_is_another_note(person):
    for _ in range(2):
        assert person.ask("POST", "/notes", json=scene()).json()["accepted"] == 1
    assert len(notes_of(person)) == 2


def test_retries_at_the_same_moment_are_one_note(person):
    batch = [{**scene(f"{number}."), "id": f"n{number}"} for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        receipts = list(
            pool.map(lambda turn: person.ask("POST", "/notes", json=batch[:: (-1) ** turn]).json(), range(8))
        )
    assert sum(receipt["accepted"] for receipt in receipts) == 20
    assert sum(receipt["duplicates"] for receipt in receipts) == 7 * 20
    assert len(notes_of(person)) == 20


def test_an_endless_key_is_refused(person, problem):
    answer = person.ask("POST", "/notes", json=scene(), headers={"Idempotency-Key": "k" * 201})
    assert "header.idempotency-key" in problem(answer, 422)["detail"]
