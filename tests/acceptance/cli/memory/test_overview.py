"""One Being at a glance: what it holds, what it costs, and the lists behind the numbers."""

import json
import re

import pytest

from cli.patrol.run import outcome
from schemas.ledger.kinds import PATROL_STEPS
from schemas.patrol.runs import StepReport
from schemas.version import VERSION


def test_the_version_is_printed(command):
    assert command("--version").stdout == f"Memory Patrol {VERSION}\n"


def test_an_overview_counts_what_a_being_holds(account):
    account.remembers("The oven failed.", "They walked by the sea.")
    account("messages", "add", "-", given=json.dumps({"role": "user", "content": "I like tea."}).encode())
    found = account.json("overview")
    assert (found["nodes_active"], found["messages"], found["messages_unjudged"], found["sessions"]) == (2, 1, 1, 1)
    assert (found["patrols"], found["last_patrol"], found["facts"]) == (1, "done", 0)
    shown = account("overview").stdout
    assert "2 active, 0 dying, 0 dead" in shown
    assert "1 message in 1 session" in shown


def test_a_being_is_shown_with_its_budget(account):
    assert account.json("being", "show")["slug"] == account.being
    shown = account("being", "show").stdout
    assert str(account.being_id) in shown
    assert "5 dollars a day" in shown


def test_messages_and_notes_are_listed_page_by_page(account):
    said = [
        {"role": "user", "content": "The oven failed.", "created_at": "2026-03-02T10:00:00Z"},
        {"role": "user", "content": "It works again.", "created_at": "2026-03-02T12:00:00Z"},
        {"role": "assistant", "content": "Good.", "created_at": "2026-03-02T12:01:00Z"},
    ]
    account("messages", "add", "-", given="\n".join(map(json.dumps, said)).encode())
    first = account.json("messages", "list", "--limit", 1)
    rest = account.json("messages", "list", "--cursor", first["cursor"])
    assert [message["content"] for message in first["messages"] + rest["messages"]] == ["It works again.", "Good."]
    _, earlier = account.json("sessions", "list")["sessions"]
    assert "The oven failed." in account("messages", "list", "--session", earlier["session_id"][-8:]).stdout
    account("notes", "add", "-", given=b'{"type": "todo", "content": "Call the electrician."}')
    (note,) = account.json("notes", "list", "--state", "kept")["notes"]
    assert note["content"] == "Call the electrician."
    assert "Call the electrician." in account("notes", "list").stdout


def test_cost_fits_80_columns_with_its_purposes(account, ledger, patrol):
    purposes = ["consolidate", "extraction of facts", "rolling summary"]
    with ledger.transaction() as tx:
        for purpose in purposes:
            tx.execute(
                """
                insert into memory.model_calls (
                    user_id, being_id, purpose, provider, model, paid_with, outcome, input_tokens, output_tokens,
                    cache_read_tokens, cost, day, settled_at
                )
                select
                    user_id, being_id, %s, 'anthropic', 'claude-sonnet-5-5', 'platform', 'answered', 1234567, 89012,
                    345678, 12.3456, current_date, clock_timestamp()
                from memory.beings
                where being_id = %s
                """,
                [purpose, account.being_id],
            )
    patrol.environment["COLUMNS"] = "80"
    try:
        shown = account("cost").stdout
    finally:
        del patrol.environment["COLUMNS"]
    assert max(map(len, shown.splitlines())) <= 80
    for text in (*purposes, "claude-sonnet-5-5", "1234567", "345678", "89012", "12.3456", account.being):
        assert text in re.sub(r"\s+", " ", shown) or text in shown
    assert "…" not in shown
    assert "37.0368 dollars" in shown


@pytest.mark.parametrize("step", PATROL_STEPS)
def test_each_step_says_in_words_that_it_had_nothing_to_do(step):
    assert re.fullmatch(r"[a-z ]+", outcome(StepReport(step=step, outcome="done")))


def test_a_steps_counts_are_words():
    done = StepReport(step="embed", outcome="done", counts={"nodes": 2, "repaired": 0, "parse_failed": 1})
    assert outcome(done) == "2 notes became memories, 1 note could not be parsed"
    skipped = StepReport(step="consolidate", outcome="skipped", reason="no key")
    assert outcome(skipped) == "skipped: no key"
