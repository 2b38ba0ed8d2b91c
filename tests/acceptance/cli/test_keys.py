"""`patrol key`, `patrol being budget` and `patrol cost`, at the terminal."""

import json
from copy import copy

from tests.acceptance.cli.conftest import examined

KEY = "sk-ant-made-up-for-a-test-0123456789"


def test_a_key_is_read_from_stdin_listed_by_its_end_sealed_anew_and_forgotten(patrol, account):
    added = patrol.json("key", "add", "--user", account.user, given=f"{KEY}\n".encode())
    listed = patrol("key", "list", "--user", account.user).stdout

    assert (added["provider"], added["last_four"]) == ("anthropic", "6789")
    assert "6789" in listed
    assert KEY not in listed + str(added)
    assert "sealed" in patrol("key", "rotate").stdout
    patrol("key", "remove", "--user", account.user, added["key_id"])
    assert patrol.json("key", "list", "--user", account.user)["keys"] == []


def test_what_can_not_be_a_key_is_refused_and_not_repeated(patrol, account):
    refused = patrol("key", "add", "--user", account.user, given=b"sk-ant-with a space 0123\n", code=1)

    assert "can't be a key" in refused.stderr
    assert "space 0123" not in refused.stderr + refused.stdout


def test_the_secret_that_seals_is_for_its_owner_alone(patrol, account):
    patrol("key", "add", "--user", account.user, given=f"{KEY}\n".encode())

    assert (patrol.home / "secret-key").stat().st_mode & 0o777 == 0o600


def test_what_a_lost_secret_had_sealed_is_removed_so_that_all_works_again(patrol, account):
    before, after = copy(patrol), copy(patrol)
    before.environment = {**patrol.environment, "PATROL_SECRET_KEY": "a" * 32}
    # What other tests have sealed is not lost.
    known = (patrol.home / "secret-key").read_text().strip()
    after.environment = {**patrol.environment, "PATROL_SECRET_KEY": f"{'b' * 32},{known}"}
    message = json.dumps({"role": "user", "content": "I bought marzipan.", "id": "1"}).encode()
    of_being = ["--being", account.being, "--user", account.user]
    before("key", "add", "--user", account.user, given=f"{KEY}\n".encode())
    (message_id,) = before.json("messages", "add", *of_being, "-", given=message)["ids"]
    before("messages", "erase", *of_being, message_id)

    assert "`patrol key reset`" in after("messages", "add", *of_being, "-", given=message, code=1).stderr
    assert "1 provider key, records of what 1 user erased" in after("key", "reset", "--yes").stdout
    assert after.json("key", "list", "--user", account.user)["keys"] == []
    assert after.json("messages", "add", *of_being, "-", given=message)["accepted"] == 1
    assert "nothing to reset" in after("key", "reset").stdout


def test_a_being_gets_a_budget_and_loses_it(patrol, account):
    being = ["--being", account.being, "--user", account.user]

    assert patrol.json("being", "budget", *being, "--cost", "0.5")["daily_cost"] == "0.5"
    assert "5 dollars and 1000 tokens" in patrol("being", "budget", *being, "--cost", "5", "--tokens", "1000").stdout
    assert patrol.json("being", "budget", *being)["daily_tokens"] is None


def test_a_user_gets_a_budget_of_which_cost_tells_what_is_spent(patrol, account, ledger):
    assert patrol.json("user", "budget", account.user, "--cost", "0.5", "--tokens", "1000")["daily_cost"] == "0.5"
    with ledger.transaction() as tx:
        tx.execute(
            """
            insert into memory.spending (user_id, day, shard, tokens, cost)
            select user_id, (memory.now() at time zone time_zone)::date, 0, 900, 0.1
            from memory.users where name = %s
            """,
            [account.user],
        )
    (told,) = (each for each in patrol.json("cost", "--user", account.user)["budgets"] if each["budget"] == "user")
    assert (told["state"], told["spent_tokens"], told["limit_tokens"], told["spent_cost"]) == ("near", 900, 1000, "0.1")
    shown = patrol("cost", "--user", account.user)
    assert f"user {account.user}: 80 % of the day's budget or more is spent" in shown.stderr
    assert "900" in shown.stdout
    assert "daily_tokens" in patrol("user", "budget", account.user, "--tokens", 10**19, code=2).stderr
    assert patrol.json("user", "budget", account.user)["daily_tokens"] is None


def test_cost_says_when_there_is_none(patrol, account):
    assert patrol.json("cost", "--user", account.user)["spending"] == []
    assert "No model was called" in patrol("cost", "--user", account.user).stdout


def test_cost_and_doctor_say_that_a_budget_is_reached(patrol, account, ledger):
    with ledger.transaction() as tx:
        tx.execute(
            "insert into memory.budgets_reached (user_id, being_id, day, lacking)"
            " select user_id, being_id, (memory.now() at time zone time_zone)::date, 'cost'"
            " from memory.users join memory.beings as b using (user_id) where users.name = %s and b.slug = %s",
            [account.user, account.being],
        )
    told = patrol("cost", "--user", account.user).stderr
    assert f"The Being {account.being} has reached its budget in money of today" in told
    assert "patrol being budget" in told
    finding = examined(patrol, "--no-canary")["daily budgets"]
    assert finding["good"]
    assert "reached today" in finding["words"]
