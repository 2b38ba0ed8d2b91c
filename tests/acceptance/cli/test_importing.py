"""Exports of other programs are imported at the terminal, also after a kill."""

import json
import signal
import subprocess

import pytest

from schemas.accounts.slugs import slug_of
from tests.acceptance.cli.conftest import PATROL
from workers.embedded.processes import wait_until

CONVERSATIONS, LINES = 40, 60


def said_in_group(name, text, minute, *, is_user=False, **more):
    """A line of a group's chat."""
    return {"name": name, "is_user": is_user, "mes": text, "send_date": f"2026-01-05T10:{minute:02}:00.000Z", **more}


def write(path, lines):
    """Write objects, one a line."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))


GROUP = {
    "id": "1",
    "name": "The mole",
    "members": ["mira.png", "s1.png", "leo.png"],
    "disabled_members": ["leo.png"],
    "chats": ["2026-1-5"],
}
# As SillyTavern writes them; `present` is the extension Presence's.
LINES_OF_GROUP = [
    {"chat_metadata": {"integrity": "5b0c"}, "user_name": "unused", "character_name": "unused"},
    said_in_group("Ada", "Is the lamp lit?", 0, is_user=True, present=["mira.png", "s1.png", "leo.png"]),
    said_in_group("Mira", "It is.", 1, original_avatar="mira.png", swipes=["It is.", "It is not."], swipe_id=0),
    said_in_group("Серафина", "I saw it.", 2, original_avatar="s1.png"),
    said_in_group("A stranger", "So did I.", 3, original_avatar="stranger.png"),
    said_in_group("Ada", "A word, Mira.", 4, is_user=True, present=["mira.png"]),
]


@pytest.fixture
def file(tmp_path):
    """A Claude export with 2,400 messages."""
    conversations = [
        {
            "uuid": f"k-{number}",
            "created_at": "2026-02-01T09:00:00Z",
            "chat_messages": [
                {
                    "uuid": f"m-{number}-{place}",
                    "sender": "human" if place % 2 else "assistant",
                    "text": "More marzipan.",
                    "created_at": f"2026-02-01T09:{place:02}:00Z",
                }
                for place in range(LINES)
            ],
        }
        for number in range(CONVERSATIONS)
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(conversations))
    return path


def test_an_import_that_is_killed_goes_on_with_the_same_command(patrol, account, ledger, file):
    arguments = ["import", "--from", "claude", file, "-b", account.being, "-u", account.user]

    def stored():
        with ledger.transaction() as tx:
            return tx.execute(
                "select count(*), count(distinct m.producer_id) as ids from memory.messages as m"
                " join memory.beings as b using (being_id) where b.slug = %s",
                [account.being],
            ).fetchone()

    running = subprocess.Popen(
        [PATROL, *map(str, arguments)], cwd=patrol.home, env=patrol.environment, stderr=subprocess.DEVNULL
    )
    assert wait_until(lambda: stored()["count"] >= 500 or running.poll() is not None, 120)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = stored()["count"]
    assert 500 <= before < CONVERSATIONS * LINES
    done = patrol.json(*arguments)
    assert (done["known"], done["messages"]) == (before, CONVERSATIONS * LINES - before)
    assert tuple(stored().values()) == (CONVERSATIONS * LINES,) * 2
    again = patrol(*arguments)
    assert f"0 messages, {CONVERSATIONS * LINES} known already" in again.stdout
    assert "entries: 0 messages, " in again.stderr


def test_entries_that_can_not_be_imported_are_told_and_set_aside(patrol, account, tmp_path):
    file = tmp_path / "memories.json"
    memories = json.dumps({"results": [{"id": "m-1", "memory": "Likes rosé."}, {"id": "m-2"}]}, ensure_ascii=False)
    file.write_bytes(memories.encode("cp1252"))
    arguments = ["import", "--from", "mem0", file, "-b", account.being, "-u", account.user]
    ran = patrol(*arguments, code=1)
    assert "memory 2: it has no `memory`" in ran.stderr
    assert "memories.json is no UTF-8: it is read as cp1252" in " ".join(ran.stderr.split())
    aside = tmp_path / "memories.json.set-aside.jsonl"
    assert aside.stat().st_mode & 0o077 == 0
    assert json.loads(aside.read_text())["entry"] == {"id": "m-2"}
    file.write_text("Dear diary")
    assert "no JSON document" in patrol(*arguments, code=1).stderr
    folder = patrol.home / "exports" / "within"
    folder.mkdir(parents=True)
    (folder / "diary.json").write_text("Dear diary")
    (folder / "memories.json").write_text('[{"id": "m-3", "memory": "Likes plums."}, {"id"')
    (folder / "settings.json").write_text('{"theme": "dark"}')
    ran = patrol(*("exports/within/.." if one == file else one for one in arguments), code=1)
    assert "1 fact" in ran.stdout, "of several files the others are read"
    assert "diary.json: The file is no JSON document." in ran.stderr
    assert "files that hold nothing of --from mem0 (1)" in ran.stderr + ran.stdout
    assert "memories.json, behind entry 2: the file is damaged" in ran.stderr, "each place names its file"
    assert f"{patrol.home / 'exports'}.set-aside.jsonl" in ran.stderr
    assert "--from" in patrol("import", file, "-b", account.being, "--aged", code=2).stderr
    assert "is a file" in patrol("import", "-", "-b", account.being, "--from", "mem0", code=2).stderr


def test_group_chats_become_rooms_with_their_members_as_beings(patrol, new_account, ledger, tmp_path):
    of = ["-u", new_account().user]
    write(tmp_path / "groups" / "1.json", [GROUP])
    write(tmp_path / "group chats" / "2026-1-5.jsonl", LINES_OF_GROUP)
    write(tmp_path / "group chats" / "of no group.jsonl", LINES_OF_GROUP)
    arguments = ["import", "--from", "sillytavern", tmp_path, "--rooms", *of, "--set-aside", tmp_path / "aside"]

    done = patrol.json(*arguments)
    assert (done["messages"], done["set_aside"], done["left_out"]) == (5, 0, {"alternatives that were not chosen": 1})
    (room,) = [one for one in patrol.json("rooms", "list", *of)["rooms"] if one["slug"] == "the-mole"]
    assert room["beings"] == ["mira", slug_of("Серафина"), "leo"]
    with ledger.transaction() as tx:
        rows = tx.execute(
            "select slug, role, speaker, content from memory.messages as m join memory.beings using (being_id)"
            " where m.conversation = %s order by m.created_at",
            [room["room_id"]],
        ).fetchall()
    heard = {
        being: [(row["role"], row["speaker"], row["content"]) for row in rows if row["slug"] == being]
        for being in room["beings"]
    }
    assert heard == {
        "mira": [
            ("user", "Ada", "Is the lamp lit?"),
            ("assistant", None, "It is."),
            ("other", "Серафина", "I saw it."),
            ("other", "A stranger", "So did I."),
            ("user", "Ada", "A word, Mira."),
        ],
        slug_of("Серафина"): [
            ("user", "Ada", "Is the lamp lit?"),
            ("other", "Mira", "It is."),
            ("assistant", None, "I saw it."),
            ("other", "A stranger", "So did I."),
        ],
        # It is muted, and was there once, as the extension Presence has noted.
        "leo": [("user", "Ada", "Is the lamp lit?")],
    }

    again = patrol.json(*arguments)
    assert (again["messages"], again["known"]) == (0, 5)


def test_groups_of_one_name_share_a_room(patrol, new_account, tmp_path):
    of = ["-u", new_account().user]
    write(tmp_path / "groups" / "1.json", [GROUP])
    chats = ["2026-1-6", "2026-1-7"]
    write(tmp_path / "groups" / "2.json", [GROUP | {"id": "2", "members": ["nora.png"], "chats": chats}])
    write(tmp_path / "group chats" / "2026-1-5.jsonl", LINES_OF_GROUP)
    spoken = said_in_group("Nora", "The tide turns.", 9, original_avatar="nora.png")
    write(tmp_path / "group chats" / "2026-1-6.jsonl", [LINES_OF_GROUP[0], spoken])

    # As a computer that lost its power leaves a file.
    (tmp_path / "group chats" / "2026-1-7.jsonl").write_bytes(bytes(99))
    done = patrol(
        "import", "--from", "sillytavern", tmp_path, "--rooms", *of, "--set-aside", tmp_path / "aside", code=1
    )
    assert ("6 messages" in done.stdout, "2026-1-7.jsonl" in done.stderr) == (True, True)
    (room,) = patrol.json("rooms", "list", *of)["rooms"]
    assert room["beings"] == ["mira", slug_of("Серафина"), "leo", "nora"]


def test_group_chats_need_no_being_and_a_folder_with_groups(patrol, account, tmp_path):
    for more in (["-b", account.being, "--rooms"], ["--rooms", "--aged"], []):
        refused = patrol("import", "--from", "sillytavern", tmp_path, *more, "-u", account.user, code=2)
        assert "--rooms" in refused.stderr
    refused = patrol("import", "--from", "sillytavern", tmp_path, "--rooms", "-u", account.user, code=1)
    assert "holds no" in refused.stderr
