"""Exports of other programs are read as they really are, or told: each kind, by what the command calls."""

import codecs
import json
from dataclasses import dataclass
from datetime import UTC
from uuid import uuid4

import pytest
from typer import Exit

from cli.accounts.foreign_export import import_foreign
from cli.console.failures import Failure
from providers.embedders import Embedders
from schemas.settings import Settings
from store.accounts import beings, users
from workers.runtime.resources import Resources

SETTINGS = Settings(embedder="minilm", secret_key="s" * 32)


@dataclass(frozen=True)
class Outcome:
    """An import's end, and the messages that a Being has then, oldest first."""

    code: int
    told: str
    said: list[str]
    spoken: list[tuple[str, str]]
    retracted: list[str]
    times: list[str]
    facts: list[str]


@pytest.fixture
def imported(store, tmp_path, capsys):
    """Import a file of its own for a new Being, as the command does."""

    def outcome(source, content, name="conversations.json", zone="UTC"):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        with store.transaction() as tx:
            user = users.add_user(tx, f"user {uuid4()}", zone)
            being = beings.add_being(tx, user.user_id, "mira", "Mira")
        on = Resources(SETTINGS, store, Embedders(SETTINGS), None)
        given = {"user": None, "companion": None, "aside": tmp_path / "aside", "aged": False, "as_json": False}
        code, reason = 0, ""
        try:
            import_foreign(on, being, file, source, **given)
        except (Exit, Failure) as fault:
            code, reason = 1, str(fault)
        told = "".join(capsys.readouterr()) + reason

        def rows(table):
            by = "order by created_at, message_id"
            return tx.execute(f"select * from memory.{table} where being_id = %s {by}", [being.being_id]).fetchall()  # noqa: S608

        with store.transaction() as tx:
            stand, back = rows("messages"), rows("retracted_messages")
            facts = tx.execute(
                "select content from memory.fact_statements where user_id = %s", [user.user_id]
            ).fetchall()
        return Outcome(
            code,
            told,
            [row["content"] for row in stand],
            [(row["role"], row["content"]) for row in stand],
            [row["content"] for row in back],
            [row["created_at"].astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] for row in stand],
            [row["content"] for row in facts],
        )

    return outcome


# --- Claude ---


def claude(*said, wrap=lambda one: [one], **told):
    """A Claude export of one conversation; each message is (id, sender, text, time, parent)."""
    messages = [
        {
            "uuid": id_,
            "sender": sender,
            "text": text,
            "content": [{"type": "text", "text": text, "citations": []}],
            "created_at": f"2026-04-01T08:{at}Z",
            "attachments": [],
            "files": [],
            **({"parent_message_uuid": parent} if parent else {}),
        }
        for id_, sender, text, at, parent in said
    ]
    return wrap({"uuid": "k", "name": "", "created_at": "2026-04-01T08:00:00Z", "chat_messages": messages, **told})


ROOT = "00000000-0000-4000-8000-000000000000"
LINE = [
    ("a", "human", "Which tea?", "00:00", ROOT),
    ("b", "assistant", "Rooibos.", "01:00", "a"),
    ("c", "human", "And then?", "02:00", "b"),
    ("d", "assistant", "Honey.", "03:00", "c"),
]
ALL = ["Which tea?", "Rooibos.", "And then?", "Honey."]


def changed(column, values):
    return [(*line[:column], value, *line[column + 1 :]) for line, value in zip(LINE, values, strict=True)]


@pytest.mark.parametrize(
    "said",
    [
        changed(3, ["00:00", "00:00", "05:00", "05:00"]),
        changed(3, ["00:00"] * 4),
        changed(3, ["03:00", "02:00", "01:00", "00:00"]),
        changed(4, [ROOT, "a", "gone", "c"]),
        changed(4, [None] * 4),
        changed(4, [ROOT] * 4),
        changed(4, ["d", "a", "b", "c"]),
    ],
    ids=["ties", "all equal", "falling", "a missing parent", "no parents", "one parent for all", "a circle"],
)
def test_equal_and_missing_times_and_links_take_nothing_back(imported, said):
    found = imported("claude", claude(*said))
    assert (found.code, found.said, found.retracted) == (0, ALL, [])


def test_a_sibling_under_a_known_parent_is_another_branch(imported):
    again = ("b2", "assistant", "Mint.", "01:30", "a")
    found = imported("claude", claude(LINE[0], LINE[1], again, ("e", "human", "Mint!", "04:00", "b2")))
    assert (found.said, found.retracted) == (["Which tea?", "Mint.", "Mint!"], ["Rooibos."])
    found = imported("claude", claude(*LINE, again, current_leaf_message_uuid="d"))
    assert (found.said, found.retracted) == (ALL, ["Mint."])
    edited = ("a2", "human", "Which coffee?", "06:00", ROOT)
    found = imported("claude", claude(*LINE, edited))
    assert (found.said, sorted(found.retracted)) == (["Which coffee?"], sorted(ALL))


@pytest.mark.parametrize(
    "content",
    [
        claude(*LINE, wrap=lambda one: one),
        claude(*LINE, wrap=lambda one: {"conversations": [one]}),
        claude(*LINE, wrap=lambda one: {"account": {"n": 1}, "data": {"chats": [one]}}),
        json.dumps(claude(*LINE, wrap=lambda one: one)).encode() + b"\n",
        codecs.BOM_UTF8 + json.dumps(claude(*LINE)).encode(),
        codecs.BOM_UTF16_LE + json.dumps(claude(*LINE)).encode("utf-16-le"),
        json.dumps(claude(*LINE), indent=1).encode("utf-16-be"),
        json.dumps(claude(*LINE)).encode("utf-16-le"),
    ],
    ids=["one object", "a wrapper", "wrappers", "JSON Lines", "BOM", "UTF-16 with BOM", "UTF-16 BE", "UTF-16 LE"],
)
def test_the_same_conversation_is_read_in_any_wrapper_and_encoding(imported, content):
    found = imported("claude", content)
    assert (found.code, found.said) == (0, ALL)


def test_newer_blocks_and_placeholders_are_read_or_left_out(imported):
    blocks = [
        {"type": "thinking", "thinking": "Hm.", "summaries": []},
        {"type": "text", "text": "Let me look.\n```\nThis block is not supported on your current device yet.\n```\n"},
        {"type": "tool_use", "name": "web_search", "input": {"query": "tea"}},
        {"type": "tool_result", "name": "web_search", "content": [{"type": "text", "text": "a page"}]},
        {"type": "token_budget"},
        {"type": "text", "text": '<antThinking>plan</antThinking>Rooibos, <cite index="1-2">from the Cape</cite>.'},
    ]
    export = claude(LINE[0], LINE[1])
    export[0]["chat_messages"][1]["content"] = blocks
    export[0]["chat_messages"][0]["content"] = [{"type": "voice_note", "text": "Which tea?", "title": "Note"}]
    export.append({**claude(LINE[0])[0], "uuid": "t", "is_temporary": True})
    found = imported("claude", export)
    assert found.said == ["Which tea?", "Let me look.\n\nRooibos, from the Cape."]
    assert "temporary conversations (1)" in found.told


# --- ChatGPT ---


def chatgpt(*said, **told):
    """A ChatGPT export of one conversation; each message is (id, role, parts, time, parent)."""
    mapping = {"root": {"id": "root", "parent": None, "children": ["a"], "message": None}}
    for id_, role, parts, at, parent in said:
        message = {
            "id": f"m-{id_}",
            "author": {"role": role, "name": None, "metadata": {}},
            "create_time": at,
            "content": {"content_type": "text", "parts": parts},
            "recipient": "all",
            "metadata": {},
        }
        mapping[id_] = {"id": id_, "message": message, **({"parent": parent} if parent else {})}
    leaf = said[-1][0] if all(parent for *_, parent in said) else None
    return [{"conversation_id": "c", "create_time": 1750000900.0, "mapping": mapping, "current_node": leaf, **told}]


def dialog(*times, linked=True):
    return [
        (id_, role, [text], at, parent if linked else None)
        for (id_, role, text, parent), at in zip(
            [
                ("a", "user", "Which tea?", "root"),
                ("b", "assistant", "Rooibos.", "a"),
                ("c", "user", "And then?", "b"),
                ("d", "assistant", "Honey.", "c"),
            ],
            times,
            strict=True,
        )
    ]


@pytest.mark.parametrize(
    "said",
    [
        dialog(1750000000.1, 1750000000.0, 1750000009.0, 1750000008.5),
        dialog(None, 1750000000.0, None, 1750000001.0),
        dialog(1750000300.0, 1750000000.0, 1750000360.0, 1750000060.0),
        dialog(1750000000.0, 1750000000.0, 1750000000.0, 1750000000.0),
        dialog(None, None, None, None),
        dialog(0, 1750000000.0, 99999999999.0, 1750000001.0),
        dialog(1750000000.0, 1750000005.0, 1750000009.0, 1750000010.0, linked=False),
        dialog(1750000000.0, 1750000000.0, 1750000009.0, 1750000009.0, linked=False),
        dialog(1750000000.0, 1750000005.0, 1750000009.0, 1750000010.0, linked=False)[::-1],
        dialog(None, None, None, None, linked=False),
        dialog(None, 1750000005.0, None, 1750000010.0, linked=False),
    ],
    ids=[
        *("earlier", "untimed", "two clocks", "equal", "none", "1970 and 5138", "no links", "ties", "no order"),
        *("nothing", "untimed without links"),
    ],
)
def test_parents_decide_and_times_are_made_to_rise(imported, said):
    found = imported("chatgpt", chatgpt(*said))
    assert (found.code, found.said, found.retracted) == (0, ALL, [])
    assert found.times == sorted(set(found.times))


def test_links_may_be_told_by_the_children_and_a_type_may_be_missing(imported):
    export = chatgpt(*dialog(None, None, None, None))
    mapping = export[0]["mapping"]
    for parent, child in zip(["root", "a", "b", "c"], "abcd", strict=True):
        mapping[parent]["children"] = [child]
        mapping[child].pop("parent")
        del mapping[child]["message"]["content"]["content_type"]
    export[0] |= {"current_node": "gone"}
    found = imported("chatgpt", export[0])
    assert (found.code, found.said) == (0, ALL)


def test_marks_of_chatgpt_are_no_words_of_its_answers(imported):
    answer = (
        "Oslo \ue200cite\ue202turn0search3\ue202turn1news0\ue201 has "
        '\ue200entity\ue202["city","Bergen","Norway"]\ue201, see \ue200url\ue202the list\ue202turn0view1\ue201'
        "【8†source】【12:0†notes.pdf】 and 【the square】:contentReference[oaicite:0]{index=0}. "
        "Twice citeturn0search1turn0search2. \ue200navlist\ue202More\ue202turn0news1\ue201"
    )
    mine = "I wrote 【8†source】 myself."
    export = chatgpt(("a", "user", [mine], 1750000000.0, "root"), ("b", "assistant", [answer], 1750000001.0, "a"))
    found = imported("chatgpt", export)
    assert found.said[0] == mine
    assert found.said[1].strip() == "Oslo has Bergen, see the list and 【the square】. Twice."


def test_what_is_not_to_be_remembered_is_left_out_and_told(imported):
    found = imported("chatgpt", chatgpt(*dialog(1, 2, 3, 4), is_do_not_remember=True))
    assert (found.code, found.said) == (0, [])
    assert "0 messages" in found.told
    assert "not to be remembered (1)" in found.told


def test_characters_that_can_not_be_stored_cost_no_message(imported):
    said = dialog(1750000000.0, 1750000005.0, 1750000009.0, 1750000010.0)
    texts = ["hi \ud83d my dog is Rex", "Nice \ud83d\ude00", "a\0b my cat is Pip", "\udc00Pip!"]
    export = chatgpt(*[(*one[:2], [text], *one[3:]) for one, text in zip(said, texts, strict=True)])
    export[0]["conversation_id"] = "c\ud800\0"
    export[0]["mapping"]["b"]["message"]["id"] = "m\udfff"
    found = imported("chatgpt", export)
    mended = ["hi \ufffd my dog is Rex", "Nice \U0001f600", "a\ufffdb my cat is Pip", "\ufffdPip!"]
    assert (found.code, found.said) == (0, mended)
    with_name = sillytavern(("Zo\ud83d", "Hello.", {"send_date": "\ud83d"}), ("Ann", "Hi.", {}))
    assert imported("sillytavern", with_name, "Tea.jsonl").said == ["Hello.", "Hi."]


def test_reasoning_in_an_export_is_no_talk(imported):
    said = dialog(1750000000.0, 1750000005.0, 1750000009.0, 1750000010.0)
    texts = ["Which tea?", "<think>plan</think>Rooibos.", "And <think>then</think>?", "[THINK]only thought[/THINK]"]
    found = imported("chatgpt", chatgpt(*[(*one[:2], [text], *one[3:]) for one, text in zip(said, texts, strict=True)]))
    assert found.said == ["Which tea?", "Rooibos.", "And <think>then</think>?"]
    assert "a model's reasoning alone (1)" in found.told


# --- SillyTavern ---


def sillytavern(*lines, **header):
    """A chat; each line is (name, text, more fields), the user's by the name Ann."""
    told = [{"user_name": "unused", "character_name": "unused", "chat_metadata": {}, **header}]
    for number, (name, text, more) in enumerate(lines):
        line = {"name": name, "is_user": name == "Ann", "is_system": False, "mes": text, "extra": {}}
        told.append({**line, "send_date": f"2026-04-01T08:0{number}:00Z", **more})
    return "\n".join(json.dumps(line) for line in told).encode()


def test_hidden_lines_were_said_and_the_programs_own_were_not(imported):
    hidden = {"is_system": True}
    found = imported(
        "sillytavern",
        sillytavern(
            ("Ann", "Mum is allergic to nuts.", hidden),
            ("Zoë", "Noted.", hidden | {"extra": {"api": "x"}}),
            ("ミラ", "I too.", hidden),
            ("System", "Rain falls.", {"extra": {"type": "narrator"}}),
            ("The Storyteller", "Night falls.", {"extra": {"type": "narrator"}}),
            ("Ann", "a note", hidden | {"extra": {"type": "comment"}}),
            ("SillyTavern System", "Commands", hidden),
            ("Zoë", "", {"extra": {"tool_invocations": [{"name": "roll"}]}}),
            ("Zoë", "...", {}),
            ("Ann", "What shall we bake?", {}),
        ),
        "Tea.jsonl",
    )
    assert found.code == 0
    assert found.said == ["Mum is allergic to nuts.", "Noted.", "I too.", "What shall we bake?"]
    assert [role for role, _ in found.spoken] == ["user", "assistant", "assistant", "user"]
    assert "lines of the program, narration and notes (5)" in found.told


def test_lines_decide_where_dates_do_not(imported):
    dates = ["October 27, 2024 2:58am", "October 27, 2024 2:59am", "October 27, 2024 2:01am", "October 27, 2024 2:02am"]
    names = ["Ann", "Mira"] * 2
    lines = [(name, text, {"send_date": date}) for name, text, date in zip(names, ALL, dates, strict=True)]
    found = imported("sillytavern", sillytavern(*lines), "Tea.jsonl", zone="Europe/Berlin")
    assert found.said == ALL
    assert [time[11:19] for time in found.times] == ["00:58:00", "00:59:00", "01:01:00", "01:02:00"]

    for odd in ([None] * 4, ["", 0, "1714069810.123", "2024年4月25日 18:30"], ["soon"] * 4):
        lines = [(name, text, {"send_date": date}) for name, text, date in zip(names, ALL, odd, strict=True)]
        found = imported("sillytavern", sillytavern(*lines), "Tea.jsonl")
        assert (found.code, found.said) == (0, ALL)
        assert min(found.times) > "2024"


def test_thoughts_are_no_talk_of_a_character(imported):
    found = imported(
        "sillytavern",
        sillytavern(
            ("Ann", "hi", {}),
            ("Mira", "<think>I will hide the key.</think>Good evening!", {"extra": {"reasoning": "more"}}),
            ("Mira", "[THINK]plan: lie[/THINK]The key is gone.", {}),
            ("Mira", "<|channel>thought\nplan<channel|>Yes.", {"swipe_id": 1, "swipes": ["<think>no</think>No.", "x"]}),
        ),
        "Tea.jsonl",
    )
    assert found.said == ["hi", "Good evening!", "The key is gone.", "Yes."]
    assert found.retracted == ["No."]


# --- Character.AI ---


def test_the_dump_of_cai_tools_is_read_in_its_order(imported):
    def line(number, name, text, **more):
        human = name == "Ann"
        return {
            "annotatable": True,
            "created": "2023-04-01T08:00:00Z",
            "display_name": name,
            "id": 1000 - number,
            "is_alternative": False,
            "src": {"is_human": human, "name": name, "num_interactions": 1, "user": {"username": name}},
            "text": text,
            "tgt": {"is_human": not human, "name": "x"},
            **more,
        }

    said = [line(number, ["Ann", "Mira"][number % 2], text) for number, text in enumerate(ALL)]
    other = line(9, "Mira", "Mint.", is_alternative=True)
    dump = {"info": {"character": {"name": "Mira"}}, "histories": {"histories": [{"external_id": "h", "msgs": said}]}}
    dump["histories"]["histories"][0] |= {"created": "2023-04-01T08:00:00Z", "msgs": [*said[:2], other, *said[2:]]}
    found = imported("characterai", dump, "Mira_CaiDump.json")
    assert (found.code, found.said, found.retracted) == (0, ALL, ["Mint."])
    assert [role for role, _ in found.spoken] == ["user", "assistant"] * 2
    found = imported("characterai", dump["histories"]["histories"][0], "one.json")
    assert found.said == ALL


def test_the_other_files_of_cai_tools_and_the_service_are_read(imported):
    tavern = [{"user_name": "You", "character_name": "Mira", "create_date": 1714069810123}] + [
        {
            "name": ["You", "Mira"][n % 2],
            "is_user": n % 2 == 0,
            "is_name": True,
            "send_date": 1714069810123,
            "mes": text,
        }
        for n, text in enumerate(ALL)
    ]
    assert imported("characterai", "\n".join(map(json.dumps, tavern)).encode(), "a_tavern_Chat.jsonl").said == ALL
    pairs = [ALL[:2], ALL[2:]]
    assert imported("characterai", {"data": pairs, "data_visible": pairs}, "a_oobabooga_Chat.json").said == ALL
    flat = [
        {"id": n, "text": text, "src__name": ["Ann", "Mira"][n % 2], "src__is_human": n % 2 == 0}
        for n, text in enumerate(ALL)
    ]
    assert imported("characterai", {"messages": flat, "has_more": False}, "msgs.json").said == ALL
    turns = [
        {
            "turn_key": {"chat_id": "c", "turn_id": f"t-{9 - n}"},
            "create_time": "2025-04-01T08:00:00Z" if n < 2 else "2025-04-01T08:01:00Z",
            "author": {"name": ["Ann", "Mira"][n % 2], **({"is_human": True} if n % 2 == 0 else {})},
            "candidates": [{"candidate_id": f"k-{n}", "raw_content": text}],
            "primary_candidate_id": f"k-{n}",
        }
        for n, text in enumerate(ALL)
    ]
    assert imported("characterai", {"turns": turns[::-1]}, "turns.json").said == ALL


# --- mem0 and Honcho ---


def test_memories_that_were_deleted_are_no_facts(imported):
    memories = [
        {"id": "1", "content": "Likes tea", "state": "active"},
        {"id": "2", "content": "Password is x", "state": "deleted"},
        {"id": "3", "memory": "an archived one", "state": "archived"},
        {"id": "4", "memory": "a paused one", "state": "paused"},
        {"id": "5", "memory": "a gone one", "deleted_at": "2026-01-01T00:00:00Z"},
        {"id": "6", "memory": "an old one", "expiration_date": "2026-01-01"},
        {"id": "7", "memory": "Has a cat", "expiration_date": None, "deleted_at": None},
    ]
    found = imported("mem0", {"user": {"user_id": "ann"}, "memories": memories, "apps": []}, "memories.json")
    assert (found.code, sorted(found.facts)) == (0, ["Has a cat", "Likes tea"])
    assert "deleted, archived or paused (4)" in found.told
    assert "expired (1)" in found.told
    lines = "\n".join(json.dumps(memory) for memory in memories[:2]).encode()
    assert imported("mem0", lines, "memories.jsonl").facts == ["Likes tea"]


def test_honcho_in_either_order(imported):
    said = [
        {"id": f"h-{n}", "content": text, "peer_id": ["user", "mira"][n % 2], "session_id": "s", "created_at": at}
        for n, (text, at) in enumerate(zip(ALL, [f"2026-04-01T08:0{n // 2}:00Z" for n in range(4)], strict=True))
    ]
    assert imported("honcho", {"items": said[::-1], "total": 4}, "list.json").said == ALL
    untimed = [{**one, "created_at": None} for one in said]
    assert imported("honcho", {"messages": untimed}, "list.json").said == ALL


# --- nothing ---


@pytest.mark.parametrize("source", ["chatgpt", "claude", "characterai", "mem0", "honcho", "sillytavern"])
def test_a_file_in_which_nothing_is_recognised_is_an_error(imported, source):
    name = "chat.jsonl" if source == "sillytavern" else "conversations.json"
    for content in (b"", {"data": [{"chats": []}]}, {}, {"version": 1, "history": []}, b"<html></html>"):
        found = imported(source, content, name)
        assert (found.code, found.said, found.facts) == (1, [], [])
        assert found.told.strip()
        assert not found.told.startswith("0 messages\n") or "Could not be imported" in found.told


def test_the_export_of_another_program_is_an_error(imported):
    files = {
        "claude": claude(*LINE),
        "chatgpt": chatgpt(*dialog(1, 2, 3, 4)),
        "honcho": {"items": [{"id": "1", "text": "no peer"}]},
        "characterai": {"chats": [{"chat_id": "c", "title": "no turns"}]},
    }
    for program, content in files.items():
        for source in ("chatgpt", "claude", "characterai"):
            if source != program:
                assert imported(source, content).code == 1, (program, source)
