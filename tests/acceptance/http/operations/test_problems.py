"""Whatever goes wrong, the answer has one form, says where, and is never a fault of the server's."""

import json

import pytest

from tests.acceptance.http.intake.scenes import scene

NOWHERE = "00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1", 404),
        ("GET", "/v1/beings/", 404),
        ("GET", "/v1/beings/mira/", 404),
        ("GET", "/v1/beings/mira/nothing?of=all", 404),
        ("GET", "/v1/beings/nobody", 404),
        ("GET", "/v1/beings/mira%00", 404),
        ("GET", "/v1/beings/%ff", 404),
        ("GET", "/v1/beings/%ed%a0%80", 404),
        ("GET", f"/v1/beings/{NOWHERE}%00", 404),
        ("GET", "/v1/beings/mira/nodes/7", 422),
        ("GET", "/v1/beings/mira/nodes/%00", 422),
        ("GET", f"/v1/beings/mira/nodes/{NOWHERE}", 404),
        ("PATCH", f"/v1/beings/mira/nodes/{NOWHERE}", 422),
        ("DELETE", f"/v1/beings/mira/nodes/{NOWHERE}", 404),
        ("GET", f"/v1/beings/mira/nodes/{NOWHERE}/history", 404),
        ("POST", f"/v1/beings/mira/nodes/{NOWHERE}/revive", 404),
        ("GET", f"/v1/beings/mira/patrols/{NOWHERE}", 404),
        ("GET", "/v1/beings/mira/patrols/x", 422),
        ("GET", "/v1/beings/mira/nodes?status=lost", 422),
        ("GET", "/v1/beings/mira/nodes?cluster=%00", 422),
        ("GET", "/v1/beings/mira/nodes?limit=0", 422),
        ("GET", "/v1/beings/mira/nodes?limit=201", 422),
        ("GET", "/v1/beings/mira/nodes?limit=99999999999999999999999", 422),
        ("GET", "/v1/beings/mira/nodes?cursor=%00", 422),
        ("GET", "/v1/beings/mira/nodes?cursor=Zm9v", 422),
        ("GET", "/v1/beings/mira/notes?cursor=%ff%00", 422),
        ("GET", "/v1/beings/mira/notes?state=%00", 422),
        ("GET", "/v1/beings/mira/facts?entity=%00", 422),
        ("GET", "/v1/beings/mira/fading?patrols=-1", 422),
        ("GET", "/v1/beings/mira/fading?patrols=many", 422),
    ],
)
def test_every_error_is_a_problem(person, problem, method, path, status):
    answer = person.client.request(method, path, json={} if method == "PATCH" else None)
    problem(answer, status)


@pytest.mark.parametrize(
    ("method", "path", "takes"),
    [
        ("PUT", "/v1/beings/mira", "GET, PATCH, DELETE"),
        ("DELETE", "/v1/beings", "GET, POST"),
        ("PATCH", "/v1/beings/mira/vault/topics/projects", "PUT"),
        ("POST", "/health/live", "GET"),
    ],
)
def test_a_method_that_an_address_does_not_take_is_answered_with_those_it_takes(person, problem, method, path, takes):
    answer = person.client.request(method, path)
    assert takes in problem(answer, 405)["detail"]
    assert answer.headers["allow"] == takes


@pytest.mark.parametrize("path", ["/recall", "/search_memory", "/recall_memory"])
@pytest.mark.parametrize(
    ("question", "place"),
    [
        (b"[]", "body"),
        (b"null", "body"),
        (b'{"query": 7, "cluster_id": 7}', "body."),
        (b'{"query": "x", "cluster_id": "x", "wings": 2}', "body.wings"),
        (b'{"query": "x", "activate": "no", "cluster_id": "x"}', "body.activate"),
    ],
)
def test_a_bad_question_says_what_is_wrong(person, problem, path, question, place):
    answer = person.ask("POST", path, content=question, headers={"Content-Type": "application/json"})
    assert place in problem(answer, 422)["detail"]


@pytest.mark.parametrize(
    ("path", "question", "place"),
    [
        ("/recall", {"query": " "}, "empty"),
        ("/recall", {"query": "x" * 8001}, "body.query"),
        ("/recall", {"query": "x", "limit": 0}, "body.limit"),
        ("/recall", {"query": "x", "limit": 51}, "body.limit"),
        ("/recall", {"query": "x", "limit": 2.5}, "body.limit"),
        ("/recall", {"query": "x", "threshold": 1.1}, "body.threshold"),
        ("/recall", {"query": "x", "threshold": float("nan")}, "threshold"),
        ("/recall", {"query": "x", "format": "poem"}, "body.format"),
        ("/search_memory", {"query": ""}, "empty"),
        ("/search_memory", {"query": "x", "mode": "xor"}, "body.mode"),
        ("/recall_memory", {}, "body.cluster_id"),
        ("/recall_memory", {"cluster_id": NOWHERE, "cursor": "x"}, "cursor"),
    ],
)
def test_each_question_has_its_bounds(person, problem, path, question, place):
    answer = person.ask(
        "POST", path, content=json.dumps(question).encode(), headers={"Content-Type": "application/json"}
    )
    assert place in problem(answer, 422)["detail"]


def test_an_unknown_topic_is_not_found(person, problem):
    problem(person.ask("POST", "/recall_memory", json={"cluster_id": NOWHERE}), 404)


@pytest.mark.parametrize("query", ["%", "_", "\\", '"', "'; drop table memory.notes", "a" * 8000, "🍞 " * 999, "\x01"])
def test_any_words_can_be_asked(person, query):
    assert person.ask("POST", "/search_memory", json={"query": query}).status_code == 200
    assert person.ask("POST", "/recall", json={"query": query}).status_code == 200


def test_an_answer_carries_the_id_that_was_sent(person):
    assert person.client.get("/v1/beings", headers={"X-Request-Id": "a-b_c.9"}).headers["X-Request-Id"] == "a-b_c.9"
    for strange in ("", "x" * 65, "a b", "a;b"):
        given = person.client.get("/v1/beings", headers={"X-Request-Id": strange}).headers["X-Request-Id"]
        assert len(given) == 32


def test_a_fault_of_ours_is_told_without_details_and_logged_without_words(person, ledger, stack, problem):
    with ledger.transaction() as tx:
        (run,) = tx.execute(
            "insert into memory.patrol_runs (being_id, demanded, state, as_of, steps)"
            ' values (%s, true, \'done\', now(), \'{"embed": {"secretly": "broken"}}\') returning run_id',
            [person.being.being_id],
        )
    answer = person.ask("GET", f"/patrols/{run['run_id']}", headers={"X-Request-Id": "the-broken-one"})
    told = problem(answer, 500)
    assert "secretly" not in answer.text
    assert "KeyError" not in answer.text
    assert "X-Request-Id" in told["detail"]
    log = (stack.logs / "api.log").read_text()
    (line,) = [json.loads(line) for line in log.splitlines() if "http.failed" in line and "the-broken-one" in line]
    assert line["fault"].startswith("KeyError in ")
    assert "Traceback" not in log


def test_the_log_has_a_line_for_each_request_and_no_words_of_users(person, stack, wait_until):
    def ask(method, path, **options):
        person.client.request(method, f"/v1/{path}", headers={"X-Request-Id": path.replace("/", "-")}, **options)

    ask("POST", "beings/mira/notes", json=[scene("About marmalade."), {"type": "scene", "content": {"marmalade": 1}}])
    ask("POST", "beings/mira/recall", json={"query": "marmalade"})
    ask("GET", "beings/mira/nodes", params={"cursor": "marmalade"})
    person.client.get("/v1/marmalade/marmalade", headers={"X-Request-Id": "the-last"})
    log = stack.logs / "api.log"
    wait_until(lambda: "the-last" in log.read_text())
    assert "marmalade" not in log.read_text()
    assert "patrol_" not in log.read_text()
    lines = [json.loads(line) for line in log.read_text().splitlines() if "http.answered" in line]
    told = {line["request_id"]: (line["method"], line["route"], line["status"]) for line in lines}
    assert told["beings-mira-notes"] == ("POST", "/v1/beings/{being}/notes", 202)
    assert told["beings-mira-nodes"] == ("GET", "/v1/beings/{being}/nodes", 422)
    assert told["the-last"] == ("GET", None, 404)
