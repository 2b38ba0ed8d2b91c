"""The vault over HTTP: what is taken, what a gate stops and how it says so, and the vault as a whole."""

import json
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

CARD = "4111 1111 1111 1111"
REGISTER = {"text": "Projects: the oven.", "tier": "register", "topic_id": "projects"}


def vault(person, method="GET", path="", **options):
    return person.ask(method, f"/vault{path}", **options)


def added(person, **said):
    answer = vault(person, "POST", json=said)
    assert answer.status_code == 200, answer.text
    (record,) = answer.json()["records"]
    return record


def test_the_life_of_a_record(person):
    record = added(person, text="The bakery opens at six.", category="bio", tags=["bakery"], source="chat")
    path = f"/{record['id']}"
    assert record["scope"] == person.being.slug
    assert vault(person, "PATCH", path, json={"text": "The bakery opens at seven."}).json()["version"] == 2
    assert [one["text"] for one in vault(person).json()["records"]] == ["The bakery opens at seven."]
    assert vault(person, "DELETE", path).json()["deleted_at"]
    assert [one["version"] for one in vault(person, path=path).json()["records"]] == [1, 2, 3]
    assert vault(person).json()["records"] == []


def test_a_topic_is_written_again_and_promoted(person):
    first = added(person, **REGISTER)
    second = vault(person, "PUT", "/topics/projects", json={"text": "Projects: the books."}).json()
    assert (second["id"], second["version"]) == (first["id"], 2)
    promoted = vault(person, "POST", f"/{first['id']}/promote", json={"canonical_text": "The books, always."})
    assert (promoted.json()["tier"], promoted.json()["source"]) == ("canon", "promotion")
    snapshot = vault(person, path="/snapshot").json()["text"]
    assert snapshot == "<vault-snapshot>\n## mira\n### Canon\n- The books, always.\n</vault-snapshot>"


def test_a_gate_says_which_it_is_why_and_what_to_do(person, problem):
    told = problem(vault(person, "POST", json={"text": f"My card is {CARD}."}), 422)
    assert (told["gate"], told["rule"]) == ("pii", "It holds a payment card number.")
    assert told["instead"]
    assert CARD not in json.dumps(told)
    first = added(person, text="Mira bakes bread.")
    told = problem(vault(person, "POST", json={"text": "Mira bakes bread!"}), 422)
    assert (told["gate"], told["existing"]) == ("duplicate", first["id"])
    told = problem(vault(person, "PATCH", f"/{first['id']}", json={"text": "x" * 1201}), 422)
    assert (told["gate"], "1201" in told["detail"]) == ("length", True)


def test_a_batch_takes_what_it_can(person, problem):
    batch = [{"text": "Mira bakes bread."}, {"text": "tick marker"}, {"text": 7}, REGISTER, REGISTER]
    receipt = vault(person, "POST", json=batch).json()
    assert (receipt["added"], receipt["updated"]) == (2, 1)
    assert [(each["position"], each["gate"]) for each in receipt["rejected"]] == [(1, "noise"), (2, None)]
    assert [record and record["version"] for record in receipt["records"]] == [1, None, None, 1, 2]
    told = problem(vault(person, "POST", json=[{"text": "heartbeat"}] * 2), 422)
    assert [each["gate"] for each in told["rejected"]] == ["noise", "noise"]
    problem(vault(person, "POST", json=[]), 422)
    problem(vault(person, "POST", json=[{}] * 1001), 413)


def test_a_repetition_under_one_key_changes_nothing(person, problem):
    def sent(text="Projects: the oven."):
        return vault(person, "POST", json=[{**REGISTER, "text": text}], headers={"Idempotency-Key": "k"})

    with ThreadPoolExecutor(4) as pool:
        receipts = [answer.json() for answer in pool.map(lambda _: sent(), range(4))]
    assert sum(receipt["added"] for receipt in receipts) == 1
    assert sum(receipt["repeated"] for receipt in receipts) == 3
    assert [one["version"] for one in vault(person).json()["records"]] == [1]
    assert "other content" in problem(sent("Projects: none."), 422)["detail"]


def test_a_full_scope_says_so_to_each_item_of_a_batch(person, problem):
    def words(first, count):
        return [{"text": sha256(str(number).encode()).hexdigest()} for number in range(first, first + count)]

    assert vault(person, "POST", json=words(0, 100)).json()["added"] == 100
    said = [*words(0, 1), REGISTER, {"text": "tick marker"}, *words(100, 997)]
    refused = problem(vault(person, "POST", json=said), 422)
    assert [each["gate"] for each in refused["rejected"]] == ["duplicate", "capacity", "noise", *["capacity"] * 17]
    assert refused["more"] == 980


def test_several_are_deleted_at_once(person):
    ids = [added(person, text=text)["id"] for text in ("Mira bakes bread.", "Jon plays chess.")]
    deleted = vault(person, "POST", "/delete", json={"ids": [*ids, "ffffffffffff"]}).json()
    assert deleted == {"deleted": ids, "missing": ["ffffffffffff"]}


def test_looking_closer(person):
    added(person, text="The oven of the bakery is old.", scope="shared")
    added(person, text="Jon plays chess on Sundays.")
    added(person, **REGISTER)
    found = vault(person, "POST", "/search", json={"query": "the oven"}).json()["hits"]
    assert [hit["record"]["text"] for hit in found] == ["Projects: the oven.", "The oven of the bakery is old."]
    assert found[0]["score"] > found[1]["score"]
    stats = vault(person, path="/stats").json()
    assert (stats["active"], stats["max"], stats["utilization"], stats["bloat_ratio"]) == (3, 200, 1.5, 1.0)
    assert stats["by_scope"] == {"mira": 2, "shared": 1}
    assert [one["tier"] for one in vault(person, params={"scope": "mira"}).json()["records"]] == ["canon", "register"]
    assert vault(person, path="/proposals").json()["proposals"] == []
    assert "oven" in vault(person, "POST", "/block", json={"query": "oven"}).json()["text"]


def test_a_profile_is_kept(person, problem):
    assert vault(person, path="/profile").json()["scopes"] == ["shared", "mira"]
    assert vault(person, "PUT", "/profile", json={"scopes": ["shared"], "max_items": 5}).json()["max_items"] == 5
    assert vault(person, path="/profile").json()["scopes"] == ["shared"]
    problem(vault(person, "PUT", "/profile", json={"scopes": ["jon"]}), 422)


def test_lines_go_out_and_come_in(person, newcomer):
    added(person, **REGISTER)
    added(person, **REGISTER)
    exported = vault(person, path="/export")
    assert exported.headers["content-type"].startswith("application/x-ndjson")
    other = newcomer()
    done = vault(other, "POST", "/import", content=exported.content + b'{"id": "cut')
    assert (done.json()["imported"], [each["line"] for each in done.json()["rejected"]]) == (2, [3])
    assert vault(other, path="/export").content == exported.content
    # As a shell of Windows writes what a program prints.
    again = exported.content.decode().replace("\n", "\r\n").encode("utf-16")
    assert vault(other, "POST", "/import", content=again).json()["known"] == 2
    assert vault(other, "POST", "/compact").json() == {"removed": 1}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "?scope=jon", None),
        ("POST", "/search", {"query": "..."}),
        ("PUT", "/topics/%20", {"text": "Calm."}),
        ("PATCH", "/ffffffffffff", {}),
        ("GET", "/not-an-id", None),
    ],
)
def test_what_can_not_be_is_told(person, problem, method, path, body):
    problem(vault(person, method, path, json=body), 422)


def test_what_is_not_there_is_not_found(person, problem):
    problem(vault(person, "PATCH", "/ffffffffffff", json={"text": "Calm."}), 404)
    problem(vault(person, "DELETE", "/ffffffffffff"), 404)


def test_no_being_is_called_shared(person, problem):
    problem(person.client.post("/v1/beings", json={"slug": "shared", "name": "Shared"}), 422)


def test_reading_is_not_writing(person, problem):
    reader = person.with_token(["read", "ingest"])
    path = f"/v1/beings/{person.being.slug}/vault"
    assert reader.get(path).status_code == 200
    for method, where in (("POST", ""), ("POST", "/compact"), ("POST", "/import"), ("PUT", "/profile")):
        problem(reader.request(method, path + where, json={}), 403)
