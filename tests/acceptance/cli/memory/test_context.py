"""A Being's persona and what it has in mind, at the terminal."""


def test_a_context_is_made_of_what_was_laid_down(patrol, account):
    being = ("--being", account.being, "--user", account.user)
    patrol("soul", "set", *being, "--personality", "Warm.", "--mood", "rested")
    patrol("persona", "add", "partner_rules", "bedtime", "Good night by eleven.", *being)
    patrol("user-model", "set", "--user", account.user, "Plans ahead.")
    patrol("mind", "put", "userNotes", "Is an expert.", *being)
    patrol("profile", "set", "decision", "core", "instructions", "userNotes", "default", *being)

    whole = patrol("context", "What now?", *being).stdout
    for text in ("Warm.", "rested", "Good night by eleven.", "Plans ahead.", "Is an expert.", "What now?"):
        assert text in whole
    slim = patrol.json("context", "Tea?", *being, "--process", "decision", "--format", "openai")
    assert [region["region"] for region in slim["regions"]] == ["core", "instructions", "userNotes", "default"]
    assert "user-model" in patrol("context", "--explain", *being).stdout

    patrol("persona", "change", "partner_rules", "bedtime", "--disable", *being)
    patrol("user-model", "remove", "--user", account.user)
    patrol("mind", "remove", "userNotes", *being)
    patrol("profile", "remove", "decision", *being)
    assert "Good night" not in patrol("context", *being).stdout
    patrol("persona", "remove", "partner_rules", "bedtime", *being)
    assert patrol.json("persona", "list", "partner_rules", *being)["entries"] == []
    assert patrol.json("mind", "list", *being)["entries"] == []
    assert patrol.json("soul", "show", *being)["state"]["mood"] == "rested"


def test_a_chat_is_named_by_its_conversation(patrol, account):
    being = ("--being", account.being, "--user", account.user)
    boat = ("--conversation", "tab-1")
    patrol("mind", "put", "userNotes", "Is at home.", *being)
    patrol("mind", "put", "userNotes", "Is on a boat.", *being, *boat)
    patrol("mind", "put", "userNotes", "Is seasick.", *being, *boat, "--add")

    def held(*of):
        entries = patrol.json("mind", "list", *being, *of)["entries"]
        return [(entry["conversation"], entry["content"]) for entry in entries]

    assert held() == [(None, "Is at home.")]
    assert held(*boat) == [("tab-1", "Is on a boat."), ("tab-1", "Is seasick.")]
    shown = patrol("context", "What now?", *being, *boat).stdout
    assert "Is on a boat." in shown
    assert "Is at home." not in shown
    patrol("mind", "remove", "userNotes", *being)
    assert held() == []
    assert len(held(*boat)) == 2
    assert "200" in patrol("mind", "put", "userNotes", "x", *being, "--conversation", "x" * 201, code=2).stderr


def test_what_can_not_be_is_refused_in_words(patrol, account):
    being = ("--being", account.being, "--user", account.user)
    assert "daydream" in patrol("context", "--process", "daydream", *being, code=1).stderr
    assert "filled from memory" in patrol("mind", "put", "core", "Someone else.", *being, code=1).stderr
    assert "No change is given" in patrol("soul", "set", *being, code=2).stderr
