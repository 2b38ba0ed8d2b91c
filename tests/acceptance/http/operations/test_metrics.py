"""Prometheus is told how the system does, if it shows an operator's token; of what was said, nothing."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest

from memory.accounts import access
from store.accounts import operators
from tests.acceptance.http.intake.scenes import scene


def numbers(client):
    """Every sample, by its name and labels."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    # A label may hold signs that end a line elsewhere.
    lines = [line for line in answer.text.split("\n") if line and not line.startswith("#")]
    return {name: float(number) for name, number in (line.rsplit(" ", 1) for line in lines)}


def test_it_is_told_what_was_taken_done_and_answered(person, operator, ledger):
    person.ask("POST", "/notes", json=scene("The crimson letter was burnt."))
    person.patrol()
    person.ask("POST", "/recall", json={"query": "the letter"})
    with ledger.transaction() as tx:
        tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, state, error, finished_at)"
            " values (%s, 'patrol.due', 'buried', 'patrol', 'dead', 'KeyError', clock_timestamp())",
            [person.being.being_id],
        )
    told = numbers(operator)
    assert told['patrol_work{queue="patrol",state="dead"}'] >= 1
    assert told['patrol_work_seconds{kind="patrol.embed",quantile="0.95"}'] > 0
    assert told['patrol_work_finished{kind="patrol.diary"}'] >= 1
    assert told['patrol_pulse_age_seconds{name="sweep"}'] < 60
    assert told["patrol_redis_up"] == 1
    assert told['patrol_budgets_near{budget="user"}'] >= 0
    assert told['patrol_budget_used_ratio{budget="being"}'] >= 0
    assert any(name.startswith('patrol_rows_written_total{table="notes"}') for name in told)
    assert told['patrol_messages_unjudged{waits_for_key="no"}'] >= 0
    for path, status in (("notes", 202), ("recall", 200)):
        route = f'method="POST",route="/v1/beings/{{being}}/{path}",status="{status}"'
        assert told[f"patrol_http_seconds_count{{{route}}}"] >= 1
    assert "crimson" not in operator.get("/metrics").text
    assert str(person.being.being_id) not in operator.get("/metrics").text


def test_settled_calls_are_counted_for_ever_though_their_rows_are_cleared(person, operator, ledger):
    purpose = f"purpose {uuid4()}"
    with ledger.transaction() as tx:
        tx.execute(
            """
            insert into memory.model_calls (user_id, purpose, provider, model, paid_with, day)
            select %s, %s, 'openai', 'm', 'user', '2026-03-02' from generate_series(1, 2)
            """,
            [person.user.user_id, purpose],
        )
        tx.execute(
            """
            update memory.model_calls set outcome = 'answered', cost = 0.25, settled_at = clock_timestamp()
            where purpose = %s
            """,
            [purpose],
        )
        tx.execute("delete from memory.model_calls where purpose = %s", [purpose])
    told = numbers(operator)
    labels = f'{{model="m",outcome="answered",paid_with="user",purpose="{purpose}"}}'
    assert told[f"patrol_model_calls_settled_total{labels}"] == 2
    assert told[f"patrol_model_cost_settled_total{labels}"] == 0.5


def test_paths_that_are_no_routes_make_no_series(person, operator):
    for number in range(3):
        person.client.get(f"/v1/nothing/{number}")
    assert not [name for name in numbers(operator) if re.search("nothing", name)]


def test_methods_of_other_protocols_make_no_series_of_their_own(person, operator):
    others = ("PROPFIND", "MKCOL", "PURGE")
    for method in others:
        assert person.client.request(method, "/health/live").status_code == 405
    told = [name for name in numbers(operator) if "/health/live" in name]
    assert not [name for name in told if any(method in name for method in others)]
    assert [name for name in told if 'method="other"' in name]


def test_made_up_methods_are_refused_and_make_no_series(person, operator):
    for number in range(3):
        assert person.client.request(f"INVENTED{number}", "/health/live").status_code == 400
    assert not [name for name in numbers(operator) if "INVENTED" in name]


def test_a_users_token_does_not_open_it(person, problem):
    assert "operator" in problem(person.client.get("/metrics"), 403)["detail"]


@pytest.mark.parametrize("path", ["/v1/beings", "/v1/beings/mira", "/v1/beings/mira/nodes", "/v1/cost"])
def test_an_operators_token_opens_no_memory(operator, problem, path):
    problem(operator.get(path), 403)


def test_an_operators_token_opens_everybodys_work(person, operator, ledger):
    with ledger.transaction() as tx:
        (row,) = tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, state, error, finished_at)"
            " values (%s, 'patrol.due', 'dropped', 'patrol', 'dead', 'KeyError', clock_timestamp()) returning work_id",
            [person.being.being_id],
        )
    assert operator.get(f"/v1/work/{row['work_id']}").json()["error"] == "KeyError"
    assert operator.delete(f"/v1/work/{row['work_id']}").status_code == 204


def test_an_operators_token_ends_as_others_do(person, ledger, problem):
    expired, _ = access.issue_operator_token(ledger, lifetime=timedelta(seconds=-1))
    problem(person.with_secret(expired).get("/metrics"), 401)
    revoked, token = access.issue_operator_token(ledger, lifetime=None)
    client = person.with_secret(revoked)
    assert client.get("/metrics").status_code == 200
    with ledger.transaction() as tx:
        assert operators.revoke(tx, token.token_id)
        (kept,) = [one for one in operators.tokens(tx) if one.token_id == token.token_id]
        assert kept.last_used_at
    problem(client.get("/metrics"), 401)
