"""A Being as a file at the terminal, and erased."""


def test_a_being_is_exported_imported_and_erased(patrol, account, new_account, tmp_path):
    (note,) = account.remembers("Marzipan was baked.")
    file = tmp_path / "being.jsonl"
    patrol("export", account.being, file, "--vectors")
    assert file.stat().st_mode & 0o077 == 0
    other = new_account()
    done = patrol.json("import", file, "--being", "newcomer", "--user", other.user)
    assert (done["rejected"], done["taken"]["node"]) == ([], 1)
    assert "nothing was changed" in patrol("import", file, "-b", "newcomer", "-u", other.user).stdout
    assert "Marzipan" in patrol("nodes", "-b", "newcomer", "-u", other.user).stdout
    assert patrol("export", "newcomer", "-u", other.user).stdout.count('"kind": "node"') == 1
    assert "memory" in patrol("erase", "node", note, "-b", account.being, given=b"n\n", code=1).stderr
    assert patrol("erase", "node", note, "-b", account.being, given=b"y\n").stdout.strip() == "Gone: 1 node, 1 note."
    assert patrol.json("erase", "being", "newcomer", "-u", other.user, "--yes")["nodes"] == 1
    assert patrol.json("erase", "user", other.user, "--yes")["beings"] == 1
    assert "There is no user" in patrol("erase", "user", other.user, "--yes", code=1).stderr
