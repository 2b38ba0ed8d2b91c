"""The vault at the terminal."""

import json


def vault(patrol, account, *arguments, **options):
    return patrol.json("vault", *arguments, "--being", account.being, "--user", account.user, **options)


def test_a_record_lives_and_dies(patrol, account):
    on = ("--being", account.being, "--user", account.user)
    record = vault(patrol, account, "add", "Mira opens the bakery at six.", "--tag", "bakery", "--category", "bio")
    assert (record["scope"], record["source"], record["tags"]) == (account.being, "operator", ["bakery"])
    assert vault(patrol, account, "update", record["id"], "--text", "Mira opens at seven.")["version"] == 2
    assert "opens at seven" in patrol("vault", "list", *on).stdout
    (found,) = vault(patrol, account, "search", "when does it open, at seven?")["hits"]
    assert found["record"]["id"] == record["id"]
    register = vault(patrol, account, "topic", "mood", "Calm.")
    assert vault(patrol, account, "topic", "mood", "Wild.")["version"] == 2
    assert vault(patrol, account, "promote", register["id"])["tier"] == "canon"
    assert "- Wild." in patrol("vault", "snapshot", *on).stdout
    assert vault(patrol, account, "stats")["raw_lines"] == 5
    assert vault(patrol, account, "candidates")["candidates"] == []
    assert vault(patrol, account, "proposals")["proposals"] == []
    assert vault(patrol, account, "delete", record["id"], register["id"])["missing"] == []
    assert vault(patrol, account, "compact")["removed"] == 5


def test_a_gate_says_why_in_a_sentence(patrol, account):
    on = ("--being", account.being, "--user", account.user)
    told = patrol("vault", "add", "My card is 4111 1111 1111 1111.", *on, code=1).stderr
    assert "Gate 5, pii: It holds a payment card number." in " ".join(told.split())
    assert "4111" not in told
    assert "No change is given" in patrol("vault", "update", "0f3a9c51d27e", *on, code=2).stderr


def test_lines_come_in_and_go_out(patrol, account, new_account, tmp_path):
    lines = [{"id": f"{number:012x}", "text": f"Line {number}.", "scope": "shared"} for number in range(3)]
    file = tmp_path / "vault.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"id": "cut')
    done = vault(patrol, account, "import", file, code=1)
    assert (done["imported"], [trouble["line"] for trouble in done["rejected"]]) == (3, [4])
    exported = patrol("vault", "export", "--being", account.being, "--user", account.user).stdout
    other = new_account()
    assert vault(patrol, other, "import", "-", given=exported.encode())["imported"] == 3
    assert patrol("vault", "export", "--being", other.being, "--user", other.user).stdout == exported


def test_a_profile_is_shown_and_changed(patrol, account):
    yaml = b"memory:\n  enabled: false\n  scopes: [shared]\n"
    assert vault(patrol, account, "profile", "-", given=yaml)["enabled"] is False
    shown = patrol("vault", "profile", "--being", account.being, "--user", account.user).stdout
    assert shown.startswith("memory:\n  enabled: false\n  scopes:\n  - shared\n")
