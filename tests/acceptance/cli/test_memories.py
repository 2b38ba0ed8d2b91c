"""From a file of notes to a recall, and what people do to single memories."""

import json
import os
import pty
import subprocess

import pytest

from tests.acceptance.cli.conftest import PATIENCE, PATROL, Command

OVEN = "The oven in the bakery failed during the morning bake."
CAT = "A black cat moved into the attic."


def line(action, **changes):
    return json.dumps({"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026"]}} | changes)


def test_good_lines_are_taken_and_bad_ones_are_told_by_number(somebody, tmp_path):
    file = tmp_path / "notes.jsonl"
    good = line(OVEN, id="mine")
    lines = ["\ufeff" + good, "", "{not json", line(CAT, type="song"), good, line(CAT, id="mine"), "[" * 5000]
    file.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    summary = somebody.json("notes", "add", file, code=1)
    assert (summary["accepted"], summary["duplicates"]) == (1, 1)
    assert [trouble["line"] for trouble in summary["rejected"]] == [3, 4, 7, 8]
    assert [trouble["line"] for trouble in summary["conflicts"]] == [6]
    assert len(summary["ids"]) == 7
    told = somebody("notes", "add", file, code=1)
    assert "line 3: not JSON" in told.stderr
    assert "line 8: not UTF-8: byte 1" in told.stderr
    assert told.stdout.startswith("0 accepted, 2 known already")


def test_more_lines_than_a_batch_holds_are_taken(somebody):
    many = "\n".join(line(f"Thing {number}.", type="todo", content=f"Thing {number}.") for number in range(1100))
    assert "1100 accepted" in somebody("notes", "add", "-", given=many.encode()).stdout


def test_a_file_of_notes_without_ids_can_be_sent_again(somebody):
    cat, oven = line(CAT).encode(), line(OVEN).encode()
    first = somebody.json("notes", "add", "-", given=cat + b"\n" + oven + b"\n" + cat)
    assert (first["accepted"], first["duplicates"]) == (3, 0)
    more = somebody.json("notes", "add", "-", given=b"\n".join([cat, b"", oven + b"\r", cat, oven]))
    assert (more["accepted"], more["duplicates"]) == (1, 3)
    assert more["ids"][:3] == first["ids"]


def test_a_file_of_messages_without_ids_is_taken_in_once(somebody):
    said = json.dumps({"role": "user", "speaker": "Ana", "content": "ok"}).encode()
    told = [somebody.json("messages", "add", "-", given=said) for _ in range(2)]
    assert [(each["accepted"], each["duplicates"]) for each in told] == [(1, 0), (0, 1)]


def test_a_door_that_closes_in_the_middle_of_a_file_tells_how_far_it_went(patrol, somebody):
    lines = "\n".join(line(f"Thing {number}.") for number in range(1100)).encode()
    narrow = Command(patrol.home, PATROL_MOST_PENDING="1", PATROL_PENDING_NOTES="5000", PATROL_PENDING_WAIT="PT1H")
    told = narrow("notes", "add", "--being", somebody.being, "-", given=lines, code=1)
    assert told.stdout.startswith("1000 accepted")
    assert "before line 1001" in told.stderr
    rest = somebody.json("notes", "add", "-", given=lines)
    assert (rest["accepted"], rest["duplicates"], rest["stopped_at"]) == (100, 1000, None)


def test_a_file_that_is_not_there_is_wrong_usage(somebody):
    assert "nowhere.jsonl" in somebody("notes", "add", "nowhere.jsonl", code=2).stderr


def test_a_patrol_tells_its_nine_steps(somebody):
    somebody("notes", "add", "-", given=line(OVEN).encode())
    told = somebody("run").stdout.splitlines()
    assert [step.split()[0] for step in told][:2] == ["embed", "assign"]
    assert len(told) == 9
    assert "1 note became a memory" in told[0]


def test_a_patrol_can_be_demanded_without_waiting(somebody):
    assert somebody.json("run", "--no-wait")["run_id"]


def test_a_patrol_is_watched_live_on_a_terminal(somebody):
    ours, theirs = pty.openpty()
    environment = {**somebody.patrol.environment, "TERM": "xterm", "COLUMNS": "90"}
    arguments = [PATROL, "run", "--being", somebody.being]
    with subprocess.Popen(arguments, stdout=theirs, env=environment, cwd=somebody.patrol.home) as run:
        os.close(theirs)
        seen = b""
        while True:
            try:
                seen += os.read(ours, 4096)
            except OSError:
                break
        assert run.wait(PATIENCE) == 0
    os.close(ours)
    assert "✓" in seen.decode()
    assert b"\x1b[" in seen


def test_a_failed_patrol_ends_with_one_and_says_why(somebody):
    with somebody.ledger.transaction() as tx:
        tx.execute("alter function memory.merge_small_clusters rename to mislaid")
    try:
        assert "patrol.merge" in somebody("run", code=1).stderr
        assert somebody.json("run", code=1)["state"] == "failed"
    finally:
        with somebody.ledger.transaction() as tx:
            tx.execute("alter function memory.mislaid rename to merge_small_clusters")


def test_what_happened_is_recalled_by_meaning(somebody):
    somebody.remembers(OVEN, CAT)
    assert OVEN in somebody("recall", "What broke while they were baking?").stdout
    found = somebody.json("recall", "What broke while they were baking?", "--limit", 1, "--threshold", 0.1)
    assert [node["scene"]["action"] for node in found["nodes"]] == [OVEN]
    assert "alike" in somebody("recall", "a cat", "--nodes").stdout
    assert somebody("recall", "tax law", "--threshold", 0.9).stdout == ""


def test_looking_without_activating_leaves_no_trace(somebody):
    (note,) = somebody.remembers(OVEN)
    somebody("recall", "oven", "--no-activate")
    somebody("search", "oven", "--words", "--no-activate")
    assert somebody.json("why", note)["node"]["reactivation_count"] == 0
    somebody("recall", "oven")
    assert somebody.json("why", note)["node"]["reactivation_count"] == 1


def test_words_are_searched_for(somebody):
    somebody.remembers(OVEN, CAT)
    assert len(somebody.json("search", "oven cat", "--words")["nodes"]) == 2
    assert somebody.json("search", "oven cat", "--words", "--and")["nodes"] == []
    assert CAT[:10] in somebody("search", '"black cat"', "--words").stdout
    assert "No memory contains dragon." in somebody("search", "dragon", "--words").stderr
    assert "No memory contains oven and cat." in somebody("search", "oven cat", "--words", "--and").stderr
    assert "No memory contains dragon or elf." in somebody("search", "dragon elf", "--words").stderr


def test_topics_and_memories_are_shown(somebody):
    (note,) = somebody.remembers(OVEN)
    clusters = somebody.json("clusters")["clusters"]
    assert [cluster["name"] for cluster in clusters] == ["Business", "Private"]
    (home,) = [cluster for cluster in clusters if cluster["active_nodes"]]
    assert "1 active" in somebody("clusters").stdout
    page = somebody.json("topic", home["name"])
    assert [node["scene"]["action"] for node in page["nodes"]] == [OVEN]
    assert OVEN[:10] in somebody("topic", home["cluster_id"]).stdout
    (node,) = somebody.json("nodes", "--status", "active", "--cluster", home["cluster_id"][-8:])["nodes"]
    assert node["node_id"][-8:] in somebody("nodes").stdout
    assert somebody.json("why", node["node_id"][-8:]) == somebody.json("why", note)


def test_pages_go_on_where_the_one_before_ended(somebody):
    somebody.remembers(OVEN, CAT)
    first = somebody.json("nodes", "--limit", 1)
    second = somebody.json("nodes", "--limit", 1, "--cursor", first["cursor"])
    actions = [page["nodes"][0]["scene"]["action"] for page in (first, second)]
    assert sorted(actions) == sorted([OVEN, CAT])
    assert second["cursor"] is None


def test_what_fades_next_is_foretold(somebody):
    somebody.remembers(CAT, importance=0.06)
    somebody.remembers(OVEN, importance=0.9)
    (fading,) = somebody.json("fading", "--patrols", 10)["nodes"]
    assert fading["scene"]["action"] == CAT
    assert 0 < fading["patrols_left"] <= 10
    assert CAT[:10] in somebody("fading", "--patrols", 10).stdout


def test_a_memory_tells_its_story(somebody):
    (note,) = somebody.remembers(CAT, importance=0.04)
    somebody("search", "attic", "--words")
    told = somebody("why", note).stdout
    for part in (CAT, note, "became a memory, importance 0.04", "found its place in", "came back to life"):
        assert part in " ".join(told.split())


def test_a_memory_is_pinned_forgotten_revived_and_corrected(somebody):
    (note,) = somebody.remembers(OVEN)
    assert somebody.json("pin", note)["pinned"]
    assert "unpin it first" in somebody("forget", note, code=1).stderr
    assert not somebody.json("unpin", note)["pinned"]
    assert "Forgotten" in somebody("forget", note).stdout
    assert somebody.json("search", "oven", "--words")["nodes"] == []
    assert somebody.json("revive", note)["status"] == "active"
    changed = somebody.json("correct", note, "--action", CAT, "--importance", 0.9, "--actor", "Jon", "--theme", "cats")
    assert (changed["scene"]["action"], changed["importance"], changed["themes"]) == (CAT, 0.9, ["cats"])
    assert somebody.json("recall", "an animal upstairs", "--threshold", 0.2)["nodes"]
    assert "what to replace" in somebody("correct", note, code=2).stderr


def test_an_empty_question_is_refused_in_a_sentence(somebody):
    assert "empty" in somebody("recall", " ", code=1).stderr
    assert "empty" in somebody("search", "", "--words", code=1).stderr


def test_no_command_crosses_from_one_user_to_another(patrol, somebody, another):
    (note,) = somebody.remembers(OVEN)
    stranger = another()
    for command in (["why"], ["pin"], ["forget"], ["revive"], ["correct", "--theme", "x"]):
        assert "no memory" in stranger(*command, note, code=1).stderr
    assert stranger.json("recall", "oven", "--threshold", -1)["nodes"] == []
    assert "no Being" in patrol("nodes", "--being", somebody.being, "--user", stranger.user, code=1).stderr


def test_a_slug_that_two_users_have_needs_the_user(patrol, somebody, another):
    patrol("being", "add", "--user", another().user, somebody.being)
    assert "--user" in somebody("clusters", code=1).stderr
    assert somebody.json("clusters", "--user", somebody.user)["clusters"]


def test_being_is_left_out_where_a_user_has_one(patrol, somebody, another):
    another()
    left_out = patrol("clusters", "--user", somebody.user)
    assert somebody.being in left_out.stderr
    assert "several Beings" in patrol("clusters", code=1).stderr


@pytest.mark.parametrize("name", ["deadbeef", "0199d6a8-5c00-7000-8000-000000000001"])
def test_a_memory_or_topic_that_is_not_there_is_told(somebody, name):
    assert "no memory" in somebody("why", name, code=1).stderr
    assert name in somebody("topic", name, code=1).stderr


def test_what_people_wrote_can_not_steer_the_terminal(somebody):
    somebody.remembers("\x1b[2J\x07 wiped [bold]the[/bold] screen")
    shown = somebody("nodes").stdout
    assert "\x1b" not in shown
    assert "[bold]the[/bold]" in " ".join(shown.split())


def test_topics_are_renamed_and_moved(somebody):
    somebody.remembers(*(f"Mira swam in the cold sea with her friends, time {number}." for number in range(12)))
    (topic,) = [one for one in somebody.json("clusters")["clusters"] if not one["is_parent"]]
    assert topic["named_by"] == "words"
    assert "Renamed: Sundays" in somebody("rename", topic["name"], "Sundays").stdout
    roots = {one["name"]: one["cluster_id"] for one in somebody.json("clusters")["clusters"] if one["is_parent"]}
    elsewhere = next(name for name, cluster_id in roots.items() if cluster_id != topic["parent_id"])
    moved = somebody.json("move", "Sundays", elsewhere.lower())
    assert (moved["name"], moved["parent_id"], moved["named_by"]) == ("Sundays", roots[elsewhere], "person")
    assert "is a root" in somebody("rename", elsewhere, "Mine", code=1).stderr


def test_notes_that_failed_are_listed_and_tried_again(somebody):
    somebody("notes", "add", "-", given=json.dumps({"type": "scene", "content": "Mira smiled."}).encode())
    somebody("run")
    (failed,) = somebody.json("notes", "failed")["notes"]
    assert failed["state"] == "parse_failed"
    assert failed["reason"].startswith("not JSON")
    assert failed["note_id"] in somebody("notes", "failed").stdout
    assert "1 note will be tried again" in somebody("notes", "retry", failed["note_id"]).stdout
    assert somebody.json("notes", "failed") == {"notes": [], "cursor": None}
    somebody("run")
    assert somebody.json("notes", "retry", "--all") == {"retried": 1}
    assert "--all" in somebody("notes", "retry", code=2).stderr
