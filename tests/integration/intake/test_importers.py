"""Exports of other programs become messages, facts and notes, once, however often they are imported."""

import json
import shutil
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memory.intake import retraction
from memory.intake.importers import importing
from memory.intake.importers.entries import ExportPersons, UnreadableEntry
from memory.intake.importers.importing import FORMATS, Import
from memory.intake.importers.reading.files import export_files
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection

EXPORTS = Path(__file__).parents[2] / "exports"
SETTINGS = Settings(embedder="minilm", secret_key="s" * 32)


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def take(store, being):
    """Import a file or folder; returns what was done, and what was set aside."""

    def taken(source, path, *, user=None, companion=None, zone="UTC", aged=False, most=None):
        read, pattern = FORMATS[source]
        names = ExportPersons(user, companion, ZoneInfo(zone))
        aside = []

        def entries():
            for file in export_files(path, pattern):
                for number, entry in enumerate(read(file, names)):
                    if number == most:
                        raise Killed
                    yield entry

        work = Import(store, SETTINGS, Embedders(SETTINGS), being, aged, aside.append)
        for _ in work.take(entries()):
            pass
        return work.done, aside

    return taken


@pytest.fixture
def told(store, being):
    """The messages that stand, or were retracted, oldest first."""

    def rows(table="messages"):
        with store.transaction() as tx:
            return tx.execute(
                f"select * from memory.{table} where being_id = %s order by created_at, message_id",  # noqa: S608
                [being.being_id],
            ).fetchall()

    return rows


def words(rows):
    return [row["content"] for row in rows]


def test_chatgpt_takes_the_current_branch_and_retracts_the_others(take, told):
    done, aside = take("chatgpt", EXPORTS / "chatgpt")
    assert words(told()) == [
        "A branch whose end is gone.",
        "How warm should my bread proof?",
        "Some 24 to 26 degrees.",
        "Mine looks like this. My oven is a Rofco.",
        "A fine crumb!",
        "We go to Faro in May.",
        "Pack a hat.",
    ]
    assert [row["role"] for row in told()] == ["user", *["user", "assistant"] * 3]
    assert sorted(words(told("retracted_messages"))) == [
        "At 40 degrees.",
        "How warm should my bred be?",
        "Which bread do you mean?",
    ]
    assert {row["conversation"] for row in told()[1:]} == {"chatgpt/c-bakery", "chatgpt/c-holiday"}
    assert [row["created_at"].isoformat() for row in told()[1:5]] == [
        "2026-03-02T10:01:00+00:00",
        "2026-03-02T10:01:30+00:00",
        "2026-03-02T10:02:00+00:00",
        "2026-03-02T10:02:01+00:00",
    ]
    assert (done.messages, done.retracted, done.set_aside) == (10, 3, 1)
    assert {bad.place.split(",")[0] for bad in aside} == {"conversation 3"}
    assert done.left_out == {"messages of the system, of tools, hidden, or without words": 3}


def test_claude_takes_what_was_said_and_the_newest_branch(take, told):
    done, aside = take("claude", EXPORTS / "claude")
    assert words(told()) == [
        "I grow quinces.",
        "Lovely. Which sort?",
        "My dog is called Brisket.",
        "Brisket is a good name.",
        "He is nine.",
    ]
    assert words(told("retracted_messages")) == ["A cat called Brisket?"]
    assert (done.messages, done.set_aside, len(aside)) == (6, 2, 2)


NOTED = {"conversation": "sillytavern/Mira/first name", "branchOf": "main", "integrity": "one"}
SPOKEN = {"name": "Mira", "is_user": False, "mes": "Good evening!"}
SENT_AS = {"name": "Lou", "is_user": False, "mes": "Hello.", "original_avatar": "lou.png"}


@pytest.mark.parametrize(
    ("metadata", "lines", "conversation"),
    [
        # SillyTavern 1.19 names nobody in the header.
        ({}, [SPOKEN], "Mira/chat"),
        # Another one who is made to speak is not the chat's character; in a group each line tells whose it is.
        ({}, [SPOKEN, SENT_AS], "Mira/chat"),
        ({}, [SENT_AS], "group/chat"),
        # The extension knows a renamed chat by its first name, and a branch has its chat's notes.
        ({"main_chat": "main", "integrity": "one", "memory_patrol": NOTED}, [SPOKEN], "Mira/first name"),
        ({"main_chat": "first name", "integrity": "one", "memory_patrol": NOTED}, [SPOKEN], "Mira/chat"),
        ({"main_chat": "main", "integrity": "two", "memory_patrol": NOTED}, [SPOKEN], "Mira/chat"),
        ({"memory_patrol": {"conversation": 7}}, [SPOKEN], "Mira/chat"),
    ],
)
def test_a_sillytavern_chat_has_the_conversation_of_the_extension(take, told, tmp_path, metadata, lines, conversation):
    header = {"user_name": "unused", "character_name": "unused", "chat_metadata": metadata}
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in [header, *lines]))
    take("sillytavern", file)
    assert {row["conversation"] for row in told()} == {f"sillytavern/{conversation}"}


def test_sillytavern_takes_swipes_back_and_a_branch_only_once(take, told):
    done, aside = take("sillytavern", EXPORTS / "sillytavern", zone="Europe/Lisbon")
    assert words(told()) == [
        "You wake in a glade.",
        "Where am I? My sister Ines was with me.",
        "In Eldoria.",
        "Ok.",
        "Ok.",
        "When was that?",
        "Take me to the lake instead.",
    ]
    assert words(told("retracted_messages")) == ["In the moon palace."]
    assert [row["conversation"].rpartition("/")[2] for row in told()] == [
        *["Seraphina - 2026-1-5"] * 6,
        "Branch #1 - 2026-1-5",
    ]
    assert (told()[0]["speaker"], told()[1]["speaker"]) == ("Seraphina", "Ada")
    assert [bad.place.rpartition(", ")[2] for bad in aside] == ["line 8"]
    assert done.known == 4


def swiped(chosen, *after):
    """A chat of SillyTavern with two answers to one line, of which one is chosen, and what follows."""
    answers = ["It is red.", "It is blue."]
    dates = [f"2026-03-01T10:0{minute}:00.000Z" for minute in (1, 2)]
    answer = {"swipes": answers, "swipe_id": chosen, "swipe_info": [{"send_date": date} for date in dates]}
    lines = [
        {"user_name": "unused", "character_name": "unused", "chat_metadata": {}},
        {"name": "Ada", "is_user": True, "mes": "Which door?", "send_date": "2026-03-01T10:00:00.000Z"},
        {"name": "Mira", "is_user": False, "mes": answers[chosen], "send_date": dates[chosen], **answer},
        *({"name": "Ada", "is_user": True, "mes": text, "send_date": "2026-03-01T10:05:00.000Z"} for text in after),
    ]
    return "\n".join(map(json.dumps, lines))


@pytest.mark.parametrize("together", [True, False])
def test_what_one_chat_has_chosen_is_not_retracted_by_a_branch_in_a_file_of_its_own(take, told, tmp_path, together):
    files = [tmp_path / "Mira - 1.jsonl", tmp_path / "Branch #1 - 2.jsonl"]
    files[0].write_text(swiped(0, "I open the red one."))
    files[1].write_text(swiped(1, "I open the blue one."))
    for _ in range(2):
        for path in [tmp_path] if together else files:
            take("sillytavern", path)
        assert {row["content"] for row in told()} == {
            *["Which door?", "It is red.", "I open the red one.", "It is blue.", "I open the blue one."]
        }
        assert told("retracted_messages") == []
    files[0].write_text(swiped(1))
    take("sillytavern", files[0])
    assert words(told("retracted_messages")) == ["It is red."], "an answer that its own chat has left is retracted"


@pytest.mark.parametrize(
    ("at_once", "apart"), [(1, False), (importing.BATCH_ITEMS, False), (importing.BATCH_ITEMS, True)]
)
@pytest.mark.parametrize("source_first", [True, False])
def test_a_conversation_that_was_branched_into_a_new_one_keeps_the_answer_that_it_went_on_from(
    take, told, tmp_path, source_first, at_once, apart, monkeypatch
):
    monkeypatch.setattr(importing, "BATCH_ITEMS", at_once)

    def node(id_, parent, role, minute):
        message = {"id": id_.ljust(16, "-"), "author": {"role": role}, "create_time": 1.772e9 + 60 * minute}
        return id_, {"parent": parent, "message": message | {"content": {"content_type": "text", "parts": [id_]}}}

    begin = [node("Which door?", None, "user", 0), node("Red.", "Which door?", "assistant", 1)]
    source = [*begin, node("Blue.", "Which door?", "assistant", 2), node("I go.", "Blue.", "user", 3)]
    branched = [*begin, node("I stay.", "Red.", "user", 4)]
    file = tmp_path / "conversations.json"
    exported = [
        {"id": "source", "current_node": "I go.", "mapping": dict(source)},
        {"id": "branched", "current_node": "I stay.", "mapping": dict(branched)},
    ]
    exported = exported if source_first else exported[::-1]
    for _ in range(2):
        # The memory page hands a long export in by several requests.
        for part in [[one] for one in exported] if apart else [exported]:
            file.write_text(json.dumps(part))
            take("chatgpt", file)
        assert words(told()) == ["Which door?", "Red.", "Blue.", "I go.", "I stay."]


@pytest.mark.parametrize(
    ("file", "said", "alternatives"),
    [
        ("histories", ["Hello, I am Wren.", "I play the cello.", "The cello! Since when?"], ["The piano is hard."]),
        ("turns", ["My cello is out of tune.", "Then tune it."], ["Buy a drum."]),
    ],
)
def test_both_dumps_of_characterai_lose_their_alternatives(take, told, file, said, alternatives):
    done, aside = take("characterai", EXPORTS / "characterai" / f"{file}.json")
    assert words(told()) == said
    assert words(told("retracted_messages")) == alternatives
    assert (done.retracted, len(aside)) == (1, 2 if file == "histories" else 1)


def test_mem0_becomes_facts_with_their_times_and_notes(take, store, being):
    done, aside = take("mem0", EXPORTS / "mem0")
    with store.transaction() as tx:
        facts = tx.execute(
            "select content, said_at from memory.fact_statements where user_id = %s order by content", [being.user_id]
        ).fetchall()
        notes = tx.execute(
            "select title, origin from memory.notes where being_id = %s order by title", [being.being_id]
        ).fetchall()
    assert [fact["content"] for fact in facts] == ["Allergic to walnuts", "Works at a bakery in Porto"]
    assert facts[0]["said_at"].isoformat() == "2025-11-02T17:00:00.123456+00:00"
    assert [tuple(note.values()) for note in notes] == [("Of the agent", "import"), ("Of the user", "import")]
    assert (done.facts, done.notes, len(aside)) == (2, 2, 1)
    again, _ = take("mem0", EXPORTS / "mem0")
    assert (again.facts, again.notes, again.known) == (0, 0, 4)


def test_honcho_takes_messages_by_their_peers_and_conclusions_about_the_user(take, told):
    done, aside = take("honcho", EXPORTS / "honcho", user="ada", companion="wren")
    assert [(row["role"], row["content"]) for row in told()] == [
        ("user", "I moved to Braga."),
        ("assistant", "How do you like it?"),
        ("other", "I helped carry boxes."),
    ]
    assert (done.facts, len(aside)) == (1, 2)


@pytest.mark.parametrize("source", FORMATS)
def test_the_same_file_again_changes_nothing(take, told, source):
    first, _ = take(source, EXPORTS / source, user="ada" if source in {"honcho", "mem0"} else None)
    stood, retracted = told(), told("retracted_messages")
    again, aside = take(source, EXPORTS / source, user="ada" if source in {"honcho", "mem0"} else None)
    assert (told(), told("retracted_messages")) == (stood, retracted)
    assert (again.messages, again.facts, again.notes) == (0, 0, 0)
    assert again.set_aside == first.set_aside == len(aside)


def test_what_a_person_restored_stays_restored(take, told, store, being):
    take("claude", EXPORTS / "claude")
    retraction.restore(store, SETTINGS, [being], MessageSelection(ids=["claude/k-dog/d2"]))
    take("claude", EXPORTS / "claude")
    assert told("retracted_messages") == []


def test_a_newer_export_adds_what_is_new_and_retracts_the_branch_that_was_left(take, told, tmp_path):
    newer = json.loads((EXPORTS / "chatgpt" / "conversations.json").read_text("utf-8"))[:1]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(newer))
    take("chatgpt", file)
    nodes = newer[0]["mapping"]
    nodes["n1"]["children"].append("n7")
    nodes["n7"] = {"id": "n7", "parent": "n1", "children": [], "message": nodes["n2"]["message"] | {"id": "n7"}}
    nodes["n7"]["message"] = nodes["n7"]["message"] | {"content": {"content_type": "text", "parts": ["Warm."]}}
    newer[0]["current_node"] = "n7"
    file.write_text(json.dumps(newer))
    done, _ = take("chatgpt", file)
    assert words(told()) == ["How warm should my bread proof?", "Warm."]
    assert (done.messages, len(told("retracted_messages"))) == (1, 6)


def test_a_newer_export_restores_the_branch_that_the_person_went_back_to(take, told, tmp_path, store, being):
    def conversation(leaf, *more):
        tree = [("a", None), ("b", "a"), ("b2", "b"), ("c", "a"), ("c2", "c"), *more]
        said = [
            {
                "uuid": id_,
                "parent_message_uuid": parent,
                "sender": "human",
                "text": id_,
                "created_at": f"2026-02-0{day}",
            }
            for day, (id_, parent) in enumerate(tree, 1)
        ]
        return {"uuid": "k", "current_leaf_message_uuid": leaf, "chat_messages": said}

    def imported(*told_of):
        file = tmp_path / "conversations.json"
        file.write_text(json.dumps([conversation(*told_of)]))
        take("claude", file)
        return words(told())

    assert imported("b2") == ["a", "b", "b2"]
    assert imported("c2") == ["a", "c", "c2"]
    assert imported("c3", ("c3", "c2")) == ["a", "c", "c2", "c3"]
    assert imported("b2") == ["a", "c", "c2", "c3"], "an older export changes nothing"
    retraction.restore(store, SETTINGS, [being], MessageSelection(ids=["claude/k/b"]))
    assert imported("c3", ("c3", "c2")) == ["a", "b", "c", "c2", "c3"], "what a person restored stays"


def test_of_two_exports_in_a_folder_the_later_one_says_which_branch_stands(take, told, tmp_path):
    def exported(name, leaf, *tree):
        said = [{"uuid": id_, "parent_message_uuid": parent, "sender": "human", "text": id_} for id_, parent in tree]
        chat = {"uuid": "k", "current_leaf_message_uuid": leaf, "chat_messages": said, "created_at": "2026-02-01"}
        (tmp_path / name).mkdir()
        (tmp_path / name / "conversations.json").write_text(json.dumps([chat]))

    tree = [("a", None), ("b", "a"), ("c", "a")]
    exported("2026-02", "b", *tree)
    exported("2026-03", "d", *tree, ("d", "c"))
    for _ in range(2):
        take("claude", tmp_path)
        assert (words(told()), words(told("retracted_messages"))) == (["a", "c", "d"], ["b"])


def test_an_interrupted_import_goes_on_and_nothing_is_doubled(take, told, tmp_path):
    conversations = [
        {
            "uuid": f"k-{number}",
            "created_at": "2026-02-01T09:00:00Z",
            "chat_messages": [
                {
                    "uuid": f"m-{number}-{place}",
                    "sender": "human",
                    "text": f"Line {place} of {number}.",
                    "created_at": f"2026-02-01T09:{place:02}:00Z",
                }
                for place in range(40)
            ],
        }
        for number in range(60)
    ]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(conversations))
    with pytest.raises(Killed):
        take("claude", file, most=45)
    assert len(told()) == 1000
    done, _ = take("claude", file)
    assert (done.known, done.messages, len(told())) == (1000, 1400, 2400)
    assert len({row["producer_id"] for row in told()}) == 2400


def test_an_archive_is_read_as_it_was_downloaded(take, told, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "export"), "zip", EXPORTS, "claude")
    take("claude", Path(archive))
    assert len(told()) == 5
    with pytest.raises(InvalidRequest, match="no file of this export"):
        take("sillytavern", Path(archive))


def test_another_text_under_the_id_of_a_message_is_set_aside(take, told, tmp_path):
    said = [{"uuid": "one id for both chats", "sender": "human", "text": text} for text in ("Tea?", "Milk?")]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([{"uuid": one["text"], "chat_messages": [one]} for one in said]))
    done, (bad,) = take("claude", file)
    assert (done.messages, done.known, words(told()), bad.entry["content"]) == (1, 0, ["Tea?"], "Milk?")


def test_what_intake_refuses_is_set_aside(take, tmp_path):
    file = tmp_path / "memories.json"
    file.write_text(json.dumps([{"id": "m-1", "memory": "word " * 20_000}, {"id": "m-2", "memory": "word " * 200}]))
    done, (bad,) = take("mem0", file)
    assert isinstance(bad, UnreadableEntry)
    assert ("is the most" in bad.reason, bad.entry["id"]) == (True, "mem0/m-1")
    assert (done.notes, done.set_aside) == (1, 1)


def test_aged_input_is_marked_and_a_long_message_keeps_its_head(take, told, tmp_path):
    file = tmp_path / "conversations.json"
    said = [{"uuid": f"m-{n}", "sender": "human", "text": text} for n, text in enumerate(("Hello.", "x" * 70_000))]
    file.write_text(json.dumps([{"uuid": "k", "created_at": "2026-02-01T09:00:00Z", "chat_messages": said}]))
    done, aside = take("claude", file, aged=True)
    assert [(row["content"][:6], row["aged"]) for row in told()] == [("Hello.", True), ("xxxxxx", True)]
    assert (done.messages, done.shortened, aside) == (2, 1, [])
