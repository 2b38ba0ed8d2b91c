"""The vault at the terminal."""

import json


def vault(patrol, somebody, *arguments, **options):
    return patrol.json("vault", *arguments, "--being", somebody.being, "--user", somebody.user, **options)


def test_a_record_lives_and_dies(patrol, somebody):
    on = ("--being", somebody.being, "--user", somebody.user)
    record = vault(patrol, somebody, "add", "Mira opens the bakery at six.", "--tag", "bakery", "--category", "bio")
    assert (record["scope"], record["source"], record["tags"]) == (somebody.being, "operator", ["bakery"])
    assert vault(patrol, somebody, "update", record["id"], "--text", "Mira opens at seven.")["version"] == 2
    assert "opens at seven" in patrol("vault", "list", *on).stdout
    (found,) = vault(patrol, somebody, "search", "when does it open, at seven?")["hits"]
    assert found["record"]["id"] == record["id"]
    register = vault(patrol, somebody, "topic", "mood", "Calm.")
    assert vault(patrol, somebody, "topic", "mood", "Wild.")["version"] == 2
    assert vault(patrol, somebody, "promote", register["id"])["tier"] == "canon"
    assert "- Wild." in patrol("vault", "snapshot", *on).stdout
    assert vault(patrol, somebody, "stats")["raw_lines"] == 5
    assert vault(patrol, somebody, "candidates")["candidates"] == []
    assert vault(patrol, somebody, "proposals")["proposals"] == []
    assert vault(patrol, somebody, "delete", record["id"], register["id"])["missing"] == []
    assert vault(patrol, somebody, "compact")["removed"] == 5


def test_a_gate_says_why_in_a_sentence(patrol, somebody):
    on = ("--being", somebody.being, "--user", somebody.user)
    told = patrol("vault", "add", "My card is 4111 1111 1111 1111.", *on, code=1).stderr
    assert "Gate 5, pii: It holds a payment card number." in " ".join(told.split())
    assert "4111" not in told
    assert "No change is given" in patrol("vault", "update", "0f3a9c51d27e", *on, code=2).stderr


def test_lines_come_in_and_go_out(patrol, somebody, another, tmp_path):
    lines = [{"id": f"{number:012x}", "text": f"Line {number}.", "scope": "shared"} for number in range(3)]
    file = tmp_path / "vault.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"id": "cut')
    done = vault(patrol, somebody, "import", file, code=1)
    assert (done["imported"], [trouble["line"] for trouble in done["rejected"]]) == (3, [4])
    exported = patrol("vault", "export", "--being", somebody.being, "--user", somebody.user).stdout
    other = another()
    assert vault(patrol, other, "import", "-", given=exported.encode())["imported"] == 3
    assert patrol("vault", "export", "--being", other.being, "--user", other.user).stdout == exported


def test_a_profile_is_shown_and_changed(patrol, somebody):
    yaml = b"memory:\n  enabled: false\n  scopes: [shared]\n"
    assert vault(patrol, somebody, "profile", "-", given=yaml)["enabled"] is False
    shown = patrol("vault", "profile", "--being", somebody.being, "--user", somebody.user).stdout
    assert shown.startswith("memory:\n  enabled: false\n  scopes:\n  - shared\n")
