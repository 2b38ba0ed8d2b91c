"""One thing too many is refused with a 4xx that says how many there may be, and what to do."""

from concurrent.futures import ThreadPoolExecutor

from schemas.settings import Settings
from store.accounts import beings

NOTE = {"type": "todo", "content": "Buy flour."}


def test_a_being_too_many_is_refused_and_of_two_at_once_one(person, problem):
    most = Settings().most_beings
    with person.ledger.transaction() as tx:
        for number in range(most - 2):
            beings.add_being(tx, person.user.user_id, f"being-{number}", "Being")

    def make(slug):
        return person.client.post("/v1/beings", json={"slug": slug, "name": "One more"})

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(make, ["last", "beyond"]), key=lambda answer: answer.status_code)
    assert answers[0].status_code == 201
    told = problem(answers[1], 409)["detail"]
    assert f"may have {most} Beings: erase one first" in told
    assert len(person.client.get("/v1/beings").json()["beings"]) == most
    assert person.client.delete("/v1/beings/being-0").status_code == 200
    assert make("again").status_code == 201


def test_notes_to_keep_beyond_the_limit_are_refused_by_position(person, problem):
    most = Settings().most_kept_notes
    with person.ledger.transaction() as tx:
        tx.execute(
            "insert into memory.notes (being_id, note_id, type, content, content_hash, state)"
            " select %s, uuidv7(), 'todo', '\"Buy flour.\"', '', 'kept' from generate_series(1, %s)",
            [person.being.being_id, most - 1],
        )
    receipt = person.ask("POST", "/notes", json=[NOTE, NOTE]).json()
    assert receipt["accepted"] == 1
    (refused,) = receipt["rejected"]
    assert refused["position"] == 1
    assert f"may keep {most} todos" in refused["reason"]
    told = problem(person.ask("POST", "/notes", json=NOTE), 422)
    assert "remove some first" in str(told)
    assert person.ask("DELETE", f"/notes/{receipt['ids'][0]}").status_code == 204
    assert person.ask("POST", "/notes", json=NOTE).status_code == 202
