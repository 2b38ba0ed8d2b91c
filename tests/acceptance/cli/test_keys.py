"""`patrol key`, `patrol being budget` and `patrol cost`, at the terminal."""

KEY = "sk-ant-made-up-for-a-test-0123456789"


def test_a_key_is_read_from_stdin_listed_by_its_end_sealed_anew_and_forgotten(patrol, somebody):
    added = patrol.json("key", "add", "--user", somebody.user, given=f"{KEY}\n".encode())
    listed = patrol("key", "list", "--user", somebody.user).stdout

    assert (added["provider"], added["last_four"]) == ("anthropic", "6789")
    assert "6789" in listed
    assert KEY not in listed + str(added)
    assert "sealed" in patrol("key", "rotate").stdout
    patrol("key", "remove", "--user", somebody.user, added["key_id"])
    assert patrol.json("key", "list", "--user", somebody.user) == []


def test_what_can_not_be_a_key_is_refused_and_not_repeated(patrol, somebody):
    refused = patrol("key", "add", "--user", somebody.user, given=b"sk-ant-with a space 0123\n", code=1)

    assert "can't be a key" in refused.stderr
    assert "space 0123" not in refused.stderr + refused.stdout


def test_the_secret_that_seals_is_for_its_owner_alone(patrol, somebody):
    patrol("key", "add", "--user", somebody.user, given=f"{KEY}\n".encode())

    assert (patrol.home / "secret-key").stat().st_mode & 0o777 == 0o600


def test_a_being_gets_a_budget_and_loses_it(patrol, somebody):
    being = ["--being", somebody.being, "--user", somebody.user]

    assert patrol.json("being", "budget", *being, "--cost", "0.5")["daily_cost"] == "0.5"
    assert "1000 tokens" in patrol("being", "budget", *being, "--tokens", "1000").stdout
    assert patrol.json("being", "budget", *being)["daily_tokens"] is None


def test_cost_says_when_there_is_none(patrol, somebody):
    assert patrol.json("cost", "--user", somebody.user) == []
    assert "No model was called" in patrol("cost", "--user", somebody.user).stdout
