"""From a file of notes to a recall, and what people do to single memories."""

import json

import pytest

from tests.acceptance.cli.conftest import Command
from tests.acceptance.cli.terminals import on_a_terminal

OVEN = "The oven in the bakery failed during the morning bake."
CAT = "A black cat moved into the attic."


def line(action, **changes):
    return json.dumps({"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026"]}} | changes)


def test_good_lines_are_taken_and_bad_ones_are_told_by_number(account, tmp_path):
    file = tmp_path / "notes.jsonl"
    good = line(OVEN, id="mine")
    lines = ["\ufeff" + good, "", "{not json", line(CAT, type="song"), good, line(CAT, id="mine"), "[" * 5000]
    file.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    summary = account.json("notes", "add", file, code=1)
    assert (summary["accepted"], summary["duplicates"]) == (1, 1)
    assert [trouble["line"] for trouble in summary["rejected"]] == [3, 4, 7, 8]
    assert [trouble["line"] for trouble in summary["conflicts"]] == [6]
    assert len(summary["ids"]) == 7
    told = account("notes", "add", file, code=1)
    assert "line 3: not JSON" in told.stderr
    assert "line 8: not UTF-8: byte 1" in told.stderr
    assert told.stdout.startswith("0 accepted, 2 known already")


def test_more_lines_than_a_batch_holds_are_taken(account):
    many = "\n".join(line(f"Thing {number}.", type="todo", content=f"Thing {number}.") for number in range(1100))
    assert "1100 accepted" in account("notes", "add", "-", given=many.encode()).stdout


def test_a_file_of_notes_without_ids_can_be_sent_again(account):
    cat, oven = line(CAT).encode(), line(OVEN).encode()
    first = account.json("notes", "add", "-", given=cat + b"\n" + oven + b"\n" + cat)
    assert (first["accepted"], first["duplicates"]) == (3, 0)
    more = account.json("notes", "add", "-", given=b"\n".join([cat, b"", oven + b"\r", cat, oven]))
    assert (more["accepted"], more["duplicates"]) == (1, 3)
    assert more["ids"][:3] == first["ids"]


def test_a_file_of_messages_without_ids_is_taken_in_once(account):
    said = json.dumps({"role": "user", "speaker": "Ana", "content": "ok"}).encode()
    told = [account.json("messages", "add", "-", given=said) for _ in range(2)]
    assert [(each["accepted"], each["duplicates"]) for each in told] == [(1, 0), (0, 1)]


def test_a_door_that_closes_in_the_middle_of_a_file_tells_how_far_it_went(patrol, preloaded, account):
    lines = "\n".join(line(f"Thing {number}.") for number in range(1100)).encode()
    limits = {"PATROL_MOST_PENDING": "1", "PATROL_PENDING_NOTES": "5000", "PATROL_PENDING_WAIT": "PT1H"}
    narrow = Command(patrol.home, preloaded, **limits)
    told = narrow("notes", "add", "--being", account.being, "-", given=lines, code=1)
    assert told.stdout.startswith("1000 accepted")
    assert "before line 1001" in told.stderr
    rest = account.json("notes", "add", "-", given=lines)
    assert (rest["accepted"], rest["duplicates"], rest["stopped_at"]) == (100, 1000, None)


def test_a_file_that_is_not_there_is_wrong_usage(account):
    assert "nowhere.jsonl" in account("notes", "add", "nowhere.jsonl", code=2).stderr


def test_a_patrol_tells_its_nine_steps(account):
    account("notes", "add", "-", given=line(OVEN).encode())
    told = account("run").stdout.splitlines()
    assert [step.split()[0] for step in told][:2] == ["embed", "assign"]
    assert len(told) == 9
    assert "1 note became a memory" in told[0]


def test_a_patrol_can_be_demanded_without_waiting(account):
    assert account.json("run", "--no-wait")["run_id"]


def test_a_patrol_is_watched_live_on_a_terminal(patrol, preloaded, account):
    command = Command(patrol.home, preloaded, TERM="xterm", COLUMNS="90")
    watched = on_a_terminal(command, "run", "--being", account.being)
    assert watched.returncode == 0
    assert "✓" in watched.stdout
    assert "\x1b[" in watched.stdout


def test_a_failed_patrol_ends_with_one_and_says_why(account):
    with account.ledger.transaction() as tx:
        tx.execute("alter function memory.merge_small_clusters rename to mislaid")
    try:
        assert "patrol.merge" in account("run", code=1).stderr
        assert account.json("run", code=1)["state"] == "failed"
    finally:
        with account.ledger.transaction() as tx:
            tx.execute("alter function memory.mislaid rename to merge_small_clusters")


def test_what_happened_is_recalled_by_meaning(account):
    account.remembers(OVEN, CAT)
    assert OVEN in account("recall", "What broke while they were baking?").stdout
    found = account.json("recall", "What broke while they were baking?", "--limit", 1, "--threshold", 0.1)
    assert [node["scene"]["action"] for node in found["nodes"]] == [OVEN]
    assert "alike" in account("recall", "a cat", "--nodes").stdout
    assert account("recall", "tax law", "--threshold", 0.9).stdout == ""


def test_looking_without_activating_leaves_no_trace(account):
    (note,) = account.remembers(OVEN)
    account("recall", "oven", "--no-activate")
    account("search", "oven", "--words", "--no-activate")
    assert account.json("why", note)["node"]["reactivation_count"] == 0
    account("recall", "oven")
    assert account.json("why", note)["node"]["reactivation_count"] == 1


def test_words_are_searched_for(account):
    account.remembers(OVEN, CAT)
    assert len(account.json("search", "oven cat", "--words")["nodes"]) == 2
    assert account.json("search", "oven cat", "--words", "--and")["nodes"] == []
    assert CAT[:10] in account("search", '"black cat"', "--words").stdout
    assert "No memory contains dragon." in account("search", "dragon", "--words").stderr
    assert "No memory contains oven and cat." in account("search", "oven cat", "--words", "--and").stderr
    assert "No memory contains dragon or elf." in account("search", "dragon elf", "--words").stderr


def test_topics_and_memories_are_shown(account):
    (note,) = account.remembers(OVEN)
    clusters = account.json("clusters")["clusters"]
    assert [cluster["name"] for cluster in clusters] == ["Business", "Private"]
    (home,) = [cluster for cluster in clusters if cluster["active_nodes"]]
    assert "1 active" in account("clusters").stdout
    page = account.json("topic", home["name"])
    assert [node["scene"]["action"] for node in page["nodes"]] == [OVEN]
    assert OVEN[:10] in account("topic", home["cluster_id"]).stdout
    (node,) = account.json("nodes", "--status", "active", "--cluster", home["cluster_id"][-8:])["nodes"]
    assert node["node_id"][-8:] in account("nodes").stdout
    assert account.json("why", node["node_id"][-8:]) == account.json("why", note)


def test_pages_go_on_where_the_one_before_ended(account):
    account.remembers(OVEN, CAT)
    first = account.json("nodes", "--limit", 1)
    second = account.json("nodes", "--limit", 1, "--cursor", first["cursor"])
    actions = [page["nodes"][0]["scene"]["action"] for page in (first, second)]
    assert sorted(actions) == sorted([OVEN, CAT])
    assert second["cursor"] is None


def test_what_fades_next_is_foretold(account):
    account.remembers(CAT, importance=0.06)
    account.remembers(OVEN, importance=0.9)
    (fading,) = account.json("fading", "--patrols", 10)["nodes"]
    assert fading["scene"]["action"] == CAT
    assert 0 < fading["patrols_left"] <= 10
    assert CAT[:10] in account("fading", "--patrols", 10).stdout


def test_a_memory_tells_its_story(account):
    (note,) = account.remembers(CAT, importance=0.04)
    account("search", "attic", "--words")
    told = account("why", note).stdout
    for part in (CAT, note, "became a memory, importance 0.04", "found its place in", "came back to life"):
        assert part in " ".join(told.split())


def test_a_memory_is_pinned_forgotten_revived_and_corrected(account):
    (note,) = account.remembers(OVEN)
    assert account.json("pin", note)["pinned"]
    assert "unpin it first" in account("forget", note, code=1).stderr
    assert not account.json("unpin", note)["pinned"]
    assert "Forgotten" in account("forget", note).stdout
    assert account.json("search", "oven", "--words")["nodes"] == []
    assert account.json("revive", note)["status"] == "active"
    changed = account.json("correct", note, "--action", CAT, "--importance", 0.9, "--actor", "Jon", "--theme", "cats")
    assert (changed["scene"]["action"], changed["importance"], changed["themes"]) == (CAT, 0.9, ["cats"])
    assert account.json("recall", "an animal upstairs", "--threshold", 0.2)["nodes"]
    assert "No change is given" in account("correct", note, code=2).stderr


def test_an_empty_question_is_refused_in_a_sentence(account):
    assert "empty" in account("recall", " ", code=1).stderr
    assert "empty" in account("search", "", "--words", code=1).stderr


def test_no_command_crosses_from_one_user_to_another(patrol, account, new_account):
    (note,) = account.remembers(OVEN)
    stranger = new_account()
    for command in (["why"], ["pin"], ["forget"], ["revive"], ["correct", "--theme", "x"]):
        assert "no memory" in stranger(*command, note, code=1).stderr
    assert stranger.json("recall", "oven", "--threshold", -1)["nodes"] == []
    assert "no Being" in patrol("nodes", "--being", account.being, "--user", stranger.user, code=1).stderr


def test_a_slug_that_two_users_have_needs_the_user(patrol, account, new_account):
    patrol("being", "add", "--user", new_account().user, account.being)
    assert "--user" in account("clusters", code=1).stderr
    assert account.json("clusters", "--user", account.user)["clusters"]


def test_being_is_left_out_where_a_user_has_one(patrol, account, new_account):
    new_account()
    left_out = patrol("clusters", "--user", account.user)
    assert account.being in left_out.stderr
    assert "several Beings" in patrol("clusters", code=1).stderr


@pytest.mark.parametrize("name", ["deadbeef", "0199d6a8-5c00-7000-8000-000000000001"])
def test_a_memory_or_topic_that_is_not_there_is_told(account, name):
    assert "no memory" in account("why", name, code=1).stderr
    assert name in account("topic", name, code=1).stderr


def test_what_people_wrote_can_not_steer_the_terminal(account):
    account.remembers("\x1b[2J\x07 wiped [bold]the[/bold] screen")
    shown = account("nodes").stdout
    assert "\x1b" not in shown
    assert "[bold]the[/bold]" in " ".join(shown.split())


def test_topics_are_renamed_and_moved(account):
    account.remembers(*(f"Mira swam in the cold sea with her friends, time {number}." for number in range(12)))
    (topic,) = [one for one in account.json("clusters")["clusters"] if not one["is_parent"]]
    assert topic["named_by"] == "words"
    assert "Renamed: Sundays" in account("rename", topic["name"], "Sundays").stdout
    roots = {one["name"]: one["cluster_id"] for one in account.json("clusters")["clusters"] if one["is_parent"]}
    elsewhere = next(name for name, cluster_id in roots.items() if cluster_id != topic["parent_id"])
    moved = account.json("move", "Sundays", elsewhere.lower())
    assert (moved["name"], moved["parent_id"], moved["named_by"]) == ("Sundays", roots[elsewhere], "person")
    assert "is a root" in account("rename", elsewhere, "Mine", code=1).stderr


def test_notes_that_failed_are_listed_and_tried_again(account):
    account("notes", "add", "-", given=json.dumps({"type": "scene", "content": "Mira smiled."}).encode())
    account("run")
    (failed,) = account.json("notes", "failed")["notes"]
    assert failed["state"] == "parse_failed"
    assert failed["reason"].startswith("not JSON")
    assert failed["note_id"] in account("notes", "failed").stdout
    assert "1 note will be tried again" in account("notes", "retry", failed["note_id"]).stdout
    assert account.json("notes", "failed") == {"notes": [], "cursor": None}
    account("run")
    assert account.json("notes", "retry", "--all") == {"retried": 1}
    assert "--all" in account("notes", "retry", code=2).stderr
