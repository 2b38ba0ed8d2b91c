"""Users, Beings and tokens, made and listed at the terminal."""

import httpx2
import pytest

from tests.acceptance.cli.conftest import PATIENCE, Command


def test_a_user_is_added_and_listed(patrol):
    added = patrol.json("user", "add", "Ada Lovelace", "--time-zone", "Europe/London")
    assert added in patrol.json("user", "list")["users"]
    assert "Europe/London" in patrol("user", "list").stdout


def test_no_two_users_have_one_name(patrol):
    patrol("user", "add", "Grace")
    assert "already" in patrol("user", "add", "Grace", code=1).stderr


@pytest.mark.parametrize("options", [["x", "--time-zone", "Mars/Olympus"], ["  "]])
def test_a_user_that_can_not_be_is_refused_in_words(patrol, options):
    assert len(patrol("user", "add", *options, code=2 if options == ["  "] else 1).stderr) < 500


def test_a_being_is_added_and_listed_with_its_owner(patrol, account):
    patrol("being", "add", "--user", account.user, "second", "--name", "Second One")
    slugs = [being["slug"] for being in patrol.json("being", "list", "--user", account.user)["beings"]]
    assert slugs == [account.being, "second"]
    assert account.user[:10] in patrol("being", "list").stdout


def test_a_being_or_a_conversation_is_put_off_the_record_and_it_shows(patrol, account):
    being = ["--being", account.being, "--user", account.user]
    assert "off the record, no message is stored" in patrol("being", "record", "off", *being).stdout
    assert "off the record" in patrol("being", "list", "--user", account.user).stdout
    assert "off the record, no message is stored" in patrol("being", "show", *being).stdout
    patrol("being", "record", "off", "--conversation", "tab-1", *being)
    told = patrol.json("being", "record", "on", *being)
    assert (told["off_the_record"], told["off_the_record_in"]) == (False, ["tab-1"])
    assert "except the conversations tab-1" in patrol("being", "show", *being).stdout


def test_scenes_are_drawn_as_chosen_for_a_being_or_as_the_settings_say(patrol, account):
    for chosen in (["off"], []):
        shown = patrol.json("being", "scenes", *chosen, "--being", account.being, "--user", account.user)
        assert [shown["scenes"] or "as set"] == (chosen or ["as set"])


def test_a_being_needs_a_slug_and_a_user(patrol, account):
    assert "a-z, 0-9" in patrol("being", "add", "--user", account.user, "No Slug!", code=2).stderr
    assert "no user nobody" in patrol("being", "add", "--user", "nobody", "x", code=1).stderr


def test_the_secret_of_a_token_is_all_that_stdout_gets(patrol, account):
    secret = patrol("token", "add", "--user", account.user, "--scope", "read").stdout
    assert secret.startswith("patrol_")
    assert len(secret.split()) == 1
    assert secret.strip() not in patrol("token", "list", "--user", account.user).stdout


def test_a_token_opens_the_api_until_it_is_revoked(patrol, account):
    url = f"{(patrol.home / 'url').read_text()}/v1/beings/{account.being}/clusters"

    def status(secret):
        return httpx2.get(url, headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE).status_code

    made = patrol.json("token", "add", "--user", account.user, "-s", "read", "-b", account.being, "--days", 1)
    assert made["token"]["scopes"] == ["read"]
    assert status(made["secret"]) == 200
    patrol("token", "revoke", "--user", account.user, made["token"]["token_id"])
    assert status(made["secret"]) == 401
    (listed,) = patrol.json("token", "list", "--user", account.user)["tokens"]
    assert listed["revoked_at"]


def test_a_token_is_for_its_users_own_beings(patrol, account, new_account):
    theirs = new_account().being
    assert theirs in patrol("token", "add", "--user", account.user, "-s", "read", "-b", theirs, code=1).stderr


def test_a_token_of_another_user_is_not_revoked(patrol, account, new_account):
    token = patrol.json("token", "add", "--user", account.user, "-s", "read")["token"]["token_id"]
    assert "no token" in patrol("token", "revoke", "--user", new_account().user, token, code=1).stderr


def test_an_unknown_scope_is_wrong_usage(patrol, account):
    assert "manage" in patrol("token", "add", "--user", account.user, "--scope", "all", code=2).stderr


def test_one_too_many_is_refused_with_what_to_do(patrol, preloaded, account):
    strict = Command(patrol.home, preloaded, PATROL_MOST_BEINGS="1", PATROL_MOST_TOKENS="1")
    refused = strict("being", "add", "--user", account.user, "another", code=1)
    assert "may have 1 Beings: erase one first, or have PATROL_MOST_BEINGS raised" in refused.stderr
    token = ("token", "add", "--user", account.user, "--scope", "read")
    strict(*token, code=0 if not strict.json("token", "list", "--user", account.user)["tokens"] else 1)
    refused = strict(*token, code=1)
    assert "may have 1 valid tokens: revoke one first" in refused.stderr
    assert refused.stdout == ""
