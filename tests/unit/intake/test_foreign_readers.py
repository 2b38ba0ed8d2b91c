"""Readers of other programs' exports read forms that differ from the usual one."""

import io
import json
import re
from datetime import UTC

import pytest

from memory.intake.importers import characterai, chatgpt, claude, honcho, mem0, sillytavern, transcripts
from memory.intake.importers.entries import (
    NOT_UTF8,
    Conversation,
    ExcludedEntry,
    ExportFile,
    ExportPersons,
    Knowledge,
    Statement,
    UnreadableEntry,
)
from memory.text.errors import InvalidRequest


def nobody():
    """An import in which no one was named."""
    return ExportPersons(None, None, UTC)


def told(reader, content, name="export.json"):
    """Read an export; returns who said what, and facts."""
    found = []
    for entry in reader.read(ExportFile(name, io.BytesIO(content.encode())), nobody()):
        if isinstance(entry, Conversation):
            found += [(message["role"], message["content"]) for message in entry.messages]
        elif isinstance(entry, Statement):
            found.append(("fact", entry.content))
    return found


def said(sender, text, **fields):
    return {"sender": sender, "text": text, "created_at": "2026-03-01T10:00:00Z", **fields}


def test_messages_with_one_id_stand_apart_and_an_equal_one_once():
    messages = [said("human", "Tea?", uuid="m"), said("assistant", "Tea.", uuid="m"), said("human", "Tea?", uuid="m")]
    export = json.dumps([{"uuid": "c", "chat_messages": messages}])
    assert told(claude, export) == [("user", "Tea?"), ("assistant", "Tea.")]
    lines = [{"src": {"name": name, "is_human": name == "Ann"}, "text": name, "uuid": "x"} for name in ("Ann", "Mira")]
    assert told(characterai, json.dumps({"histories": [{"msgs": lines}]})) == [("user", "Ann"), ("assistant", "Mira")]


def test_what_a_person_pasted_is_said_and_a_file_is_not():
    def attached(**texts):
        return [{"file_name": name, "file_type": "txt", "extracted_content": text} for name, text in texts.items()]

    messages = [
        said("human", "My diary:", uuid="a", attachments=attached(**{"paste.txt": "Rain.", "paste-2.txt": "Sun."})),
        said("human", "", uuid="b", content=[], attachments=[*attached(**{"": "Snow."}), "x"]),
        said("human", "", uuid="d", attachments=[{"extracted_content": "Hail."}]),
        said("human", "", uuid="e", attachments=attached(**{"Pasted text.txt": "Fog."})),
        said("human", "", uuid="c", attachments=attached(**{"report.txt": "Costs."})),
    ]
    export = json.dumps([{"uuid": "k", "chat_messages": messages}])
    assert told(claude, export) == [
        ("user", "My diary:\nRain.\nSun."),
        ("user", "Snow."),
        ("user", "Hail."),
        ("user", "Fog."),
    ]


def test_the_document_in_an_answer_is_read_without_its_tags():
    artifact = 'Here:\n<antArtifact identifier="x" title="Tea">Boil water.</antArtifact>'
    export = json.dumps([{"uuid": "c", "chat_messages": [said("assistant", artifact)]}])
    assert told(claude, export) == [("assistant", "Here:\nBoil water.")]


def test_a_document_that_claude_writes_with_a_tool_is_said_and_what_it_thinks_is_not():
    def written(kind, content):
        return {"type": "tool_use", "name": "artifacts", "input": {"type": kind, "content": content}}

    thought = {"type": "thinking", "thinking": "Tea?"}
    blocks = [thought, {"type": "text", "text": "Here:"}, written("text/markdown", "Rain."), written("code", "x = 1")]
    blocks.append({"type": "tool_use", "name": "send", "input": {"type": "text/plain", "content": "A letter."}})
    messages = [said("assistant", "", content=blocks, uuid="a"), said("assistant", "Tea?", content=[thought], uuid="b")]
    assert told(claude, json.dumps({"uuid": "c", "chat_messages": messages})) == [("assistant", "Here:\nRain.")]


@pytest.mark.parametrize("block", [{"type": "text", "text": ""}, {"type": "token_budget"}, {"text": "Tea?"}])
def test_words_of_claude_may_stand_beside_blocks_that_say_nothing(block):
    messages = [said("assistant", "Tea.", content=[block])]
    assert told(claude, json.dumps({"uuid": "c", "chat_messages": messages})) == [("assistant", "Tea.")]


def test_chats_of_claude_about_designs_are_read():
    blocks = [{"type": "thinking", "text": "Tea?"}, {"type": "text", "text": "A pot."}, {"type": "tool_call"}]
    said = [("user", {"content": "Draw a pot."}), ("assistant", {"content": "", "contentBlocks": blocks})]
    messages = [{"uuid": role, "role": role, "content": content} for role, content in said]
    chat = {"uuid": "d", "project": {"uuid": "p"}, "messages": messages}
    assert told(claude, json.dumps(chat)) == [("user", "Draw a pot."), ("assistant", "A pot.")]


def test_who_says_a_message_of_claude_may_be_written_otherwise():
    messages = [said("Human", "Tea?"), {"role": "assistant", "text": "Tea."}, {"role": "system", "text": "Be brief."}]
    assert told(claude, json.dumps({"uuid": 7, "chat_messages": messages})) == [("user", "Tea?"), ("assistant", "Tea.")]


def test_a_document_and_a_mark_part_the_words_beside_them():
    export = json.dumps(
        [{"uuid": "c", "chat_messages": [said("assistant", "So:<antArtifact>Tea.</antArtifact>Good?")]}]
    )
    assert told(claude, export) == [("assistant", "So:\n\nTea.\n\nGood?")]
    answer = {"author": {"role": "assistant"}, "content": {"parts": ["Oslo \ue200cite\ue202turn0search1\ue201is it."]}}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": {"n": {"message": answer}}}])) == [
        ("assistant", "Oslo is it.")
    ]


def test_turns_of_one_time_have_the_characters_last_answer_first():
    def turn(number, name):
        candidate = {"candidate_id": f"k{number}", "raw_content": f"{name} {number}"}
        author = {"name": name, "is_human": "true" if name == "Ann" else False}
        time = "2025-03-01T10:00:00Z"
        return {"turn_key": {"turn_id": f"t{number}"}, "create_time": time, "author": author, "candidates": [candidate]}

    turns = [turn(0, "Mira"), turn(1, "Ann"), turn(2, "Mira")]
    read = [("assistant", "Mira 0"), ("user", "Ann 1"), ("assistant", "Mira 2")]
    assert told(characterai, json.dumps({"turns": turns[::-1]})) == read
    assert told(characterai, json.dumps({"turns": turns[1:]})) == read[1:]
    for number, one in enumerate(turns):
        # That of a candidate is the time of its last edit.
        one["create_time"] = f"2025-03-01T10:0{number}:00Z"
        one["candidates"][0]["create_time"] = "2025-03-02T10:00:00Z"
    for exported in (turns, turns[::-1]):
        assert told(characterai, json.dumps({"turns": exported})) == read
    others = {"messages": [{"isUser": True, "text": "Tea?"}, {"author": "Mira", "is_human": False, "content": "Tea."}]}
    assert told(characterai, json.dumps(others)) == [("user", "Tea?"), ("assistant", "Tea.")]


def test_chats_that_begin_alike_have_messages_of_their_own():
    def entries(reader, *exports):
        files = [ExportFile("c", io.BytesIO(json.dumps(one).encode())) for one in exports]
        return [entry for file in files for entry in reader.read(file, nobody())]

    pairs = [{"data_visible": [["", "Hello."], [name, f"Hi {name}."]]} for name in ("Ann", "Lou")]
    lines = [
        {"msgs": [{"src": {"name": name, "is_human": True}, "text": name} for name in ("Ann", other)]}
        for other in ("Lou", "Eva")
    ]
    for exports in (pairs, lines):
        first, second = ({one["id"] for one in chat.messages} for chat in entries(characterai, *exports))
        assert len(first & second) == 1 < len(first) == len(second), "what they begin with is the same"
    numbered = [{"uuid": chat, "chat_messages": [said("human", chat, uuid="1")]} for chat in ("k", "l")]
    assert [chat.messages[0]["id"] for chat in entries(claude, numbered)] == ["claude/k/1", "claude/l/1"]


def test_an_answer_without_a_speaker_is_the_companions():
    export = json.dumps([{"uuid": "c", "chat_messages": [said("assistant", "Tea.")]}]).encode()
    (chat,) = claude.read(ExportFile("c", io.BytesIO(export)), ExportPersons(None, "Mira", UTC))
    assert [message["role"] for message in chat.messages] == ["assistant"]


def test_what_stands_on_a_canvas_is_said():
    def called(tool, **arguments):
        content = {"content_type": "code", "text": json.dumps(arguments)}
        return {"message": {"author": {"role": "assistant"}, "recipient": f"canmore.{tool}", "content": content}}

    nodes = {
        "a": called("create_textdoc", name="Poem", type="document", content="Rain falls."),
        "p": {"message": called("create_textdoc", type="document", content="Sun.")["message"]},
        "b": called("update_textdoc", updates=[{"pattern": ".*", "replacement": "Snow falls."}]),
        "c": called("update_textdoc", updates=[{"pattern": "Snow", "replacement": "Hail"}]),
        "d": called("create_textdoc", name="Code", type="code/python", content="print()"),
        "e": called("comment_textdoc", comments=[]),
    }
    # A call may stand in parts.
    written = nodes["p"]["message"]["content"].pop("text")
    nodes["p"]["message"]["content"]["parts"] = [written[:20], written[20:]]
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": nodes}])) == [
        ("assistant", "Rain falls."),
        ("assistant", "Sun."),
        ("assistant", "Snow falls."),
    ]


def test_a_name_says_nothing_of_a_users_id_in_a_database():
    ids = ["0b5e0000-0000-4000-8000-000000000001", "0b5e0000-0000-4000-8000-000000000002"]
    rows = [
        {"id": str(at), "content": text, "user_id": id_} for at, (text, id_) in enumerate(zip("xy", ids, strict=True))
    ]
    file = ExportFile("memories.json", io.BytesIO(json.dumps({"memories": rows}).encode()))
    first, other = mem0.read(file, ExportPersons("ada", None, UTC))
    assert (first.content, other.reason) == ("x", "it is of another user than the first one: name the user")


@pytest.mark.parametrize(
    ("reader", "of_user"),
    [
        (claude, lambda id_: {"account_uuid": id_, "conversations_memory": f"{id_} bakes."}),
        (claude, lambda id_: {"uuid": id_, "creator": {"uuid": id_}, "docs": [{"filename": "a", "content": "Rye."}]}),
        (claude, lambda id_: {"uuid": id_, "account": {"uuid": id_}, "chat_messages": [said("human", id_, uuid=id_)]}),
        (chatgpt, lambda id_: {"id": id_, "user_id": id_, "mapping": {}}),
        (mem0, lambda id_: {"memory": "Tea", "user_id": id_}),
    ],
)
def test_of_several_users_the_first_ones_entries_come_in_of_all_files(reader, of_user):
    names, found = nobody(), []
    for id_ in ("ann", "bob"):
        file = ExportFile("e.json", io.BytesIO(json.dumps([of_user(id_)]).encode()))
        found += reader.read(file, names)
    assert [one.reason for one in found if isinstance(one, UnreadableEntry)] == [
        "it is of another user than the first one: name the user"
    ]
    assert isinstance(found[-1], UnreadableEntry)


def test_what_claude_remembers_and_documents_of_projects_are_knowledge():
    exports = [
        [{"conversations_memory": "Ann bakes.", "project_memories": {"p": "The oven is old."}, "account_uuid": "a"}],
        {"memory_files": [{"path": "/garden.md", "content": "Ann keeps bees."}], "account_uuid": "a"},
        {
            "uuid": "p",
            "name": "Bakery",
            "prompt_template": "Be brief.",
            "docs": [{"filename": "a.txt", "content": "Rye."}],
        },
    ]
    files = [ExportFile("c", io.BytesIO(json.dumps(one).encode())) for one in exports]
    found = [entry for file in files for entry in claude.read(file, nobody())]
    assert [(one.title, one.content, one.in_snapshot) for one in found[:-1]] == [
        ("What Claude remembers", "Ann bakes.", True),
        ("What Claude remembers of a project", "The oven is old.", True),
        ("/garden.md", "Ann keeps bees.", True),
        ("Bakery / a.txt", "Rye.", False),
    ]
    assert found[-1] == ExcludedEntry("instructions of projects")


@pytest.mark.parametrize(
    "content",
    [
        *({"parts": "Tea?"}, {"parts": [{"text": "Tea?"}]}, {"text": "Tea?"}, "Tea?", [{"text": "Tea?"}]),
        {"content_type": "audio_transcription", "text": "Tea?"},
    ],
)
def test_words_of_chatgpt_may_stand_in_other_places(content):
    message = {"author": {"role": "user"}, "content": content}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": {"n": {"message": message}}}])) == [("user", "Tea?")]


def test_a_branch_on_which_nothing_is_said_leaves_the_answer_standing():
    def node(parent, role, at, *parts):
        content = {"content_type": "text", "parts": parts}
        return {"parent": parent, "message": {"author": {"role": role}, "create_time": at, "content": content}}

    nodes = {"q": node(None, "user", 1.75e9, "Tea?"), "a": node("q", "assistant", 1.75e9 + 1, "Rooibos.")}
    nodes |= {"t": node("q", "tool", 1.75e9 + 9, "found"), "e": node("t", "assistant", 1.75e9 + 10, "")}
    (chat,) = chatgpt.read(ExportFile("c", io.BytesIO(json.dumps({"mapping": nodes}).encode())), nobody())
    assert ([message["content"] for message in chat.messages], chat.off_branch) == (["Tea?", "Rooibos."], [])


def test_ids_may_be_numbers():
    def node(parent, role, text):
        return {"parent": parent, "message": {"author": {"role": role}, "content": {"parts": [text]}}}

    nodes = {"1": node(None, "user", "Tea?"), "2": node(1, "assistant", "Rooibos."), "3": node(1, "assistant", "Mint.")}
    asked = [said("human", "Tea?", uuid=1), said("assistant", "Rooibos.", uuid=2, parent_message_uuid=1)]
    asked.append(said("assistant", "Mint.", uuid=3, parent_message_uuid=1))
    exports = [(chatgpt, {"id": 7, "mapping": nodes, "current_node": 2})]
    exports.append((claude, {"uuid": 7, "chat_messages": asked, "current_leaf_message_uuid": 2}))
    for reader, exported in exports:
        (chat,) = reader.read(ExportFile("c", io.BytesIO(json.dumps(exported).encode())), nobody())
        assert [message["content"] for message in chat.chosen] == ["Tea?", "Rooibos."]


@pytest.mark.parametrize("mark", [True, 1, "true", "True"])
def test_what_is_not_to_be_remembered_is_left_out_however_it_is_marked(mark):
    message = {"author": {"role": "user"}, "content": {"parts": ["Tea?"]}}
    export = {"is_do_not_remember": mark, "mapping": {"n": {"message": message}}}
    assert told(chatgpt, json.dumps(export)) == []
    chat = [said("human", "Tea?")]
    assert told(claude, json.dumps({"uuid": "c", "is_temporary": mark, "chat_messages": chat})) == []
    header = {"user_name": "Ann", "chat_metadata": {"off_the_record": mark}}
    lines = [header, {"name": "Ann", "is_user": True, "mes": "Tea?"}]
    assert told(sillytavern, "\n".join(map(json.dumps, lines)), "a.jsonl") == []
    session = {"id": "s", "metadata": {"incognito": mark}}
    peers = [{"id": "m", "peer_id": "user", "content": "Tea?"}]
    assert told(honcho, json.dumps({"sessions": [{**session, "messages": peers}]})) == []


@pytest.mark.parametrize(
    "mark",
    [
        {"deletedAt": "2026-03-01T10:00:00Z"},
        {"metadata": {"hidden": True}},
        {"deleted_at": {"$date": "2026-03-01T10:00:00Z"}},
        {"isDeleted": {"by": "Ann", "undone": False}},
    ],
)
def test_a_message_that_is_deleted_or_hidden_is_left_out_of_whichever_program(mark):
    chat = [{**said("human", "Tea?"), **mark}, said("assistant", "Tea.")]
    assert told(claude, json.dumps({"uuid": "c", "chat_messages": chat})) == [("assistant", "Tea.")]
    assert told(transcripts, json.dumps({"id": "c", "messages": chat})) == [("assistant", "Tea.")]
    dump = [{"src": {"is_human": True}, "text": "Tea?", **mark}, {"src": {"is_human": False}, "text": "Tea."}]
    assert told(characterai, json.dumps({"histories": [{"msgs": dump}]})) == [("assistant", "Tea.")]
    peers = [{"id": "1", "peer_id": "user", "content": "Tea?", **mark}, {"id": "2", "peer_id": "m", "content": "Tea."}]
    assert told(honcho, json.dumps(peers)) == [("assistant", "Tea.")]


@pytest.mark.parametrize("field", [{"Meta": "web"}, {"hidden": {"by": None}}, {"deleted_at": {"$date": None}}])
def test_a_message_with_an_unset_mark_is_taken_in(field):
    assert told(transcripts, json.dumps({"id": "c", "messages": [{**said("human", "Tea?"), **field}]})) != []


def test_the_marks_of_a_text_that_chatgpt_wrote_are_no_words():
    written = 'Here:\n\n:::writing{variant="email" id="48213"}\nDear Ann,\n\nTea?\n:::\n\nGood?\u3010turn0search1\u3011'
    answer = {"author": {"role": "assistant"}, "content": {"parts": [written]}}
    assert told(chatgpt, json.dumps({"id": "c", "mapping": {"n": {"message": answer}}})) == [
        ("assistant", "Here:\n\nDear Ann,\n\nTea?\n\nGood?")
    ]


CHAT = [
    {"user_name": "Ann", "character_name": "Mira"},
    {"name": "Ann", "is_user": True, "mes": "Tea?", "extra": {}},
    {"name": "Mira", "is_user": False, "mes": "Tea.", "extra": {}},
]


@pytest.mark.parametrize(
    "content",
    [json.dumps(CHAT), json.dumps({"chat": CHAT}, indent=1), "\r".join(map(json.dumps, CHAT))],
    ids=["an array", "a wrapper", "carriage returns"],
)
def test_a_chat_of_sillytavern_is_read_from_other_json(content):
    assert told(sillytavern, content, "Mira.json") == [("user", "Tea?"), ("assistant", "Tea.")]


def test_a_chat_of_sillytavern_that_is_plain_text_is_told_with_the_form_to_bring_it_into():
    with pytest.raises(InvalidRequest, match="one object a line"):
        told(sillytavern, "Ann: Tea?\n\nMira: Tea.\n")


def test_a_chat_of_chub_has_its_texts_in_objects():
    lines = [
        {"user_name": "Ann", "character_name": "Mira", "chat_metadata": {}},
        {"name": "Ann", "is_user": True, "mes": {"message": "Tea?"}},
        {"name": "Mira", "is_user": False, "mes": {"message": "Yes."}, "swipes": [{"message": "No."}]},
    ]
    read = told(sillytavern, "\n".join(map(json.dumps, lines)))
    assert read == [("user", "Tea?"), ("assistant", "Yes."), ("assistant", "No.")]


def test_a_chat_that_is_exported_again_has_the_ids_of_its_messages_although_their_dates_are_the_exports():
    def exported(moment, *texts):
        lines = [{"user_name": "You", "character_name": "Mira", "create_date": moment}]
        lines += [
            {"name": name, "is_user": name == "You", "is_name": True, "send_date": moment + at, "mes": text}
            for at, (name, text) in enumerate(zip(("Mira", "You") * 3, texts, strict=False))
        ]
        content = "\n".join(map(json.dumps, lines)).encode()
        (chat,) = sillytavern.read(ExportFile("Mira_tavern_Chat.jsonl", io.BytesIO(content)), nobody())
        return [message["id"] for message in chat.messages]

    first = exported(1_770_000_000_000, "Hi!", "Tea?", "Yes.", "Yes.")
    assert len(set(first)) == 4
    assert exported(1_775_000_000_000, "Hi!", "Tea?", "Yes.", "Yes.", "Good.")[:4] == first
    another = exported(1_776_000_000_000, "Hi!", "Milk?", "Yes.")
    assert (another[0], {*another[1:]} & {*first}) == (first[0], set())


def test_what_chatgpt_sends_by_itself_is_not_the_users():
    message = {"author": {"role": "user"}, "content": {"parts": ["Go on"]}}
    sent = message | {"metadata": {"is_auto_proceed_message": True}}
    nodes = {"a": {"message": message}, "b": {"message": sent, "parent": "a"}}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": nodes}])) == [("user", "Go on")]


def test_bytes_that_are_no_utf8_cost_themselves_and_are_told():
    line = b'{"name": "Ann", "is_user": true, "mes": "Tea \xf0\x9f and milk"}'
    conversation = b'[{"uuid": "c", "chat_messages": [{"sender": "human", "text": "Tea \xf0\x9f and milk"}]}]'
    for reader, content in ((sillytavern, line), (claude, conversation)):
        entries = list(reader.read(ExportFile("c.jsonl", io.BytesIO(content)), nobody()))
        (read,) = [entry for entry in entries if isinstance(entry, Conversation)]
        assert [message["content"] for message in read.messages] == ["Tea \ufffd and milk"]
        assert [entry.reason for entry in entries if isinstance(entry, UnreadableEntry)] == [NOT_UTF8]


def test_line_breaks_in_strings_are_read_as_they_stand():
    line = b'{"name": "Ann", "is_user": true, "mes": "Tea\tand milk"}'
    conversation = b'{"uuid": "c", "chat_messages": [{"sender": "human", "text": "Tea\nand milk"}]}'
    assert told(sillytavern, line.decode()) == [("user", "Tea\tand milk")]
    assert told(claude, conversation.decode()) == [("user", "Tea\nand milk")]


@pytest.mark.parametrize("name", ["conversations.json", "conversations-012.json", "conversations (1).json"])
def test_a_file_of_an_export_may_be_numbered(name):
    assert all(re.fullmatch(reader.FILES, name) for reader in (chatgpt, claude))
    assert not re.fullmatch(chatgpt.FILES, f"shared_{name}")


def test_an_answer_that_has_not_come_is_counted():
    (chat,) = sillytavern.read(ExportFile("c.jsonl", io.BytesIO(b'{"name": "Mira", "mes": "..."}')), nobody())
    assert (chat.messages, chat.left_out) == ([], {"lines without words": 1})


@pytest.mark.parametrize(
    "marked",
    [
        {"channel": "analysis"},
        *(
            {"metadata": {mark: True}}
            for mark in ("is_thinking_preamble_message", "is_loading_message", "is_user_system_message")
        ),
    ],
)
def test_what_stands_in_place_of_an_answer_of_chatgpt_is_none(marked):
    answer = {"author": {"role": "assistant"}, "content": {"parts": ["Tea."]}}
    nodes = {"a": {"message": answer | marked}, "b": {"message": answer | {"channel": "final"}, "parent": "a"}}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": nodes}])) == [("assistant", "Tea.")]


def test_the_report_of_a_research_is_an_answer():
    report = {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Tea grows in Assam."]}}
    about = {
        "is_visually_hidden_from_conversation": True,
        "chatgpt_sdk": {"widget_state": json.dumps({"report_message": report})},
    }
    of_tool = {"author": {"role": "tool"}, "content": {"parts": ["{}"]}, "metadata": about}
    unread = of_tool | {"metadata": about | {"chatgpt_sdk": {"widget_state": "{"}}}
    nodes = {"a": {"message": of_tool}, "b": {"message": unread, "parent": "a"}}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": nodes}])) == [("assistant", "Tea grows in Assam.")]
    begun = {"chatgpt_sdk": {"widget_state": {"report_message": {"status": "in_progress"}}}}
    nodes = {"a": {"message": report | {"metadata": begun}}}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": nodes}])) == [("assistant", "Tea grows in Assam.")]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_words_beside_an_error_of_chatgpt_were_said(role):
    message = {"author": {"role": role}, "content": {"parts": ["Tea"]}, "metadata": {"is_error": True}}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": {"n": {"message": message}}}])) == [(role, "Tea")]


@pytest.mark.parametrize("parents", [{}, {2: "1"}, {2: "1", 3: "2"}, {1: "lost", 2: "1", 3: "2"}])
@pytest.mark.parametrize("times", [(0, 0, 0, 0), (0.5, 0.1, 9.2, 8.9)])
def test_nodes_that_lack_links_stand_so_that_answers_follow_questions(times, parents):
    nodes = {
        str(number): {
            "parent": parents.get(number),
            "message": {
                "author": {"role": "assistant" if number % 2 else "user"},
                "content": {"parts": [str(number)]},
                "create_time": 1.75e9 + at,
            },
        }
        for number, at in enumerate(times)
    }
    assert [text for _, text in told(chatgpt, json.dumps([{"id": "c", "mapping": nodes}]))] == ["0", "1", "2", "3"]


def test_nodes_without_links_that_stand_anyhow_are_put_in_order_by_their_times():
    said_at = [("user", "0", 0), ("assistant", "2", 120), ("user", "3", 180), ("assistant", "5", 300)]
    said_at += [("user", "1", 60), ("user", "4", 240)]
    nodes = {
        text: {
            "message": {"author": {"role": role}, "content": {"parts": [text]}, "create_time": 1.75e9 + at},
        }
        for role, text, at in said_at
    }
    assert [text for _, text in told(chatgpt, json.dumps([{"id": "c", "mapping": nodes}]))] == [*"012345"]


def test_nodes_without_links_may_begin_with_the_newest():
    said_at = [("assistant", 40), ("user", 30), ("assistant", 20), ("user", None)]
    nodes = {
        str(place): {
            "message": {
                "author": {"role": role},
                "create_time": at and 1.75e9 + at,
                "content": {"parts": [str(4 - place)]},
            }
        }
        for place, (role, at) in enumerate(said_at)
    }
    assert [text for _, text in told(chatgpt, json.dumps({"id": "c", "mapping": nodes}))] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("author", ["user", "User"])
def test_an_author_may_be_a_word(author):
    message = {"author": author, "content": {"parts": ["Tea?"]}}
    assert told(chatgpt, json.dumps([{"id": "c", "mapping": {"n": {"message": message}}}])) == [("user", "Tea?")]


def test_a_line_of_sillytavern_is_the_users_by_its_name_if_it_does_not_say():
    lines = [
        {"user_name": "Ann", "character_name": "Mira"},
        {"name": "Ann", "mes": "Tea?"},
        {"name": "Mira", "is_user": "false", "mes": "Tea."},
        {"is_user": True, "mes": "Milk?"},
    ]
    content = "\n".join(map(json.dumps, lines))
    expected = [("user", "Tea?"), ("assistant", "Tea."), ("user", "Milk?")]
    assert told(sillytavern, content, "Mira.jsonl") == expected
    bare = [{"name": name, "mes": name} for name in ("You", "Mira", "SillyTavern System")]
    assert told(sillytavern, "\n".join(map(json.dumps, bare))) == [("user", "You"), ("assistant", "Mira")]


@pytest.mark.parametrize(
    "export",
    [
        {"messages": [{"role": "user", "content": "Hi."}]},
        {"histories": [{"msgs": [{"src": {"is_human": True}, "text": "Hi."}]}]},
        [{"id": "m", "peer_id": "ann", "content": "Hi."}],
    ],
)
def test_messages_of_a_chat_are_no_memories_of_mem0(export):
    assert told(mem0, json.dumps(export)) == []


@pytest.mark.parametrize(
    "mark",
    [
        "\ue200cite\ue202turn0search1",
        "\ue200cite",
        "cite\ue202turn0search1\ue201",
        "turn0search1\ue201",
        "filecite turn0file0",
        "fileciteturn0file0L1-L3",
        "\ue200cite\ue202turn0file0\ue202L1-L3\ue201",
    ],
)
def test_halves_of_marks_of_chatgpt_are_no_words(mark):
    message = {"author": {"role": "assistant"}, "content": {"parts": [f"Tea is hot {mark}"]}}
    export = json.dumps([{"id": "c", "mapping": {"n": {"message": message}}}])
    assert told(chatgpt, export) == [("assistant", "Tea is hot")]


TEA = {"id": "1", "memory": "Likes tea"}
GONE = {"id": "2", "memory": "Likes rum"}


@pytest.mark.parametrize(
    "export",
    [
        {"data": [TEA, {**GONE, "state": "deleted"}]},
        {"id": "export", "data": {"memories": [{"content": "Likes tea"}]}},
        {"points": [{"id": "1", "payload": {"data": "Likes tea", "role": "user"}}]},
        [TEA, {**GONE, "metadata": {"state": "archived"}}],
        {"results": [TEA, {**GONE, "event": "DELETE"}, {**GONE, "is_active": False}]},
        [{**TEA, "is_deleted": "false", "archived": {"by": None}}, {**GONE, "metadata": {"deleted": True}}],
        [TEA, {**GONE, "status": "Deleted"}, {**GONE, "is_archived": True}, {**GONE, "deletedAt": "2026-01-01"}],
        {"id": "1", "metadata": {"text": "Likes rum"}, "memory": "Likes tea"},
        [{**TEA, "user_id": "ann"}, {**GONE, "user_id": "bob"}],
        [{**TEA, "userId": "ann", "agentId": "mira"}, {**GONE, "agentId": "mira"}],
        [{"namespace": ["ann"], "key": "1", "value": {"kind": "Memory", "content": {"content": "Likes tea"}}}],
        {"edges": [{"fact": "Likes tea"}, {"fact": "Likes rum", "invalid_at": "2026-01-01T00:00:00Z"}]},
    ],
)
def test_memories_of_mem0_are_read_from_pages_and_records_and_not_those_that_are_gone(export):
    assert told(mem0, json.dumps(export)) == [("fact", "Likes tea")]


# Memories of two users, whose owner stands around them in each way.
PAGES = (
    '{"user_id": "ann", "memories": [{"memory": "A"}]}\n{"user_id": "bob", "memories": [{"memory": "B"}]}',
    '{"results": [{"memory": "A", "user_id": null}], "user_id": 1}\n{"results": [{"memory": "B"}], "user_id": 2}',
    '{"pages": [{"user": "ann", "memories": [{"text": "A"}]}, {"memories": [{"text": "B"}], "user": "bob"}]}',
    '{"users": [{"id": "ann", "memories": [{"memory": "A"}]}, {"id": "bob", "memories": [{"memory": "B"}]}]}',
    '{"users": {"ann": {"memories": [{"memory": "A"}]}, "bob": {"memories": [{"memory": "B"}]}}}',
    '{"user": {"id": "ann"}, "memories": [{"memory": "A"}]}{"memories": [{"memory": "B"}], "user": {"id": "bob"}}',
    '[{"memory": "A", "metadata": {"user_id": "ann"}}, {"memory": "B", "metadata": {"user_id": "bob"}}]',
    '[{"memory": "A", "user_id": 1}, {"memory": "B", "user_id": 2}]',
)


def entries_of_mem0(content):
    found = mem0.read(ExportFile("m.json", io.BytesIO(content.encode())), nobody())
    return [
        one.content if isinstance(one, Statement) else one.reason for one in found if not isinstance(one, Knowledge)
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (r'{"memories": [{"memory": "A"}, {"memory": "\q \ \q"}, {"memory": "B"}]}', ["A", "not JSON", "B"]),
        ('{"memories": [{"memory": "A"}, {"memory": "B"}, {"mem', ["A", "B", "the file is damaged"]),
        ('{"memories": [{"memory": "A"}, null, "B", {"memory": "C"}]}', ["A", "it is no object", "C"]),
        ('{"user_id": "u", "memories": ["A", "B"]}', ["it is no object"]),
        ('[{"user_id": "u", "memories": ["A", {"memory": "B"}]}]', ["it is no object", "B"]),
        ('{"id": "2", "memory": "A", "memories": []}', ["A"]),
        ('{"sender": "human", "text": "A", "content": [{"type": "text", "text": "A"}]}', ["it is a message of a chat"]),
        ('{"user_id": "u", "data": [{"memory": "A", "metadata": {"owner": "Ben"}}, {"memory": "B"}]}', ["A", "B"]),
        (
            '[{"user_id": "ann", "memories": [{"memory": "A"}]}, {"user_id": "bob", "memories": [{"memory": "B"}]}]',
            ["A", "it is of another user"],
        ),
        ('[{"userId": "ann", "data": [{"memory": "A"}]}, {"agentId": "wren", "data": [{"memory": "B"}]}]', ["A"]),
        *((page, ["A", "it is of another user"]) for page in PAGES),
    ],
)
def test_what_is_wrong_with_a_memory_costs_no_other_one_and_a_page_says_whose_they_are(content, expected):
    found = entries_of_mem0(content)
    assert [one[: len(begin)] for one, begin in zip(found, expected, strict=True)] == expected


def test_messages_of_honcho_are_of_the_session_and_the_peer_that_stand_around_them():
    sessions = [
        {"id": f"s{number}", "messages": [{"id": f"m{number}", "peer_id": "user", "content": "Hi"}]}
        for number in (1, 2)
    ]
    told_of = '{"conclusions": [{"content": "Likes tea"}], "observed_id": "user"}'
    content = "\n".join([told_of, *map(json.dumps, sessions)])
    fact, *chats = honcho.read(ExportFile("h.jsonl", io.BytesIO(content.encode())), nobody())
    assert [chat.conversation for chat in chats] == ["honcho/s1", "honcho/s2"]
    assert fact.content == "Likes tea"


def test_a_session_of_honcho_in_which_no_one_is_the_user_is_set_aside():
    rows = [{"id": peer, "peer_id": peer, "session_id": "s", "content": "Tea?"} for peer in ("ann", "wren")]
    file = ExportFile("h.json", io.BytesIO(json.dumps({"items": rows}).encode()))
    assert [one.reason for one in honcho.read(file, nobody())] == [honcho.NO_USER]


def test_messages_of_honcho_without_peers_are_the_users_or_not():
    rows = [
        {"id": "1", "session_id": "s", "user_id": "u1", "is_user": True, "content": "Tea?"},
        {"id": "2", "session_id": "s", "user_id": "u1", "is_user": False, "content": "Tea."},
        {"id": "3", "session_id": "t", "user_id": "u2", "is_user": True, "content": "Rum?"},
    ]
    assert told(honcho, json.dumps({"items": rows})) == [("user", "Tea?"), ("assistant", "Tea.")]


def test_what_an_agent_did_and_a_long_text_without_an_id_are_knowledge():
    rows = [{"id": "1", "memory": "It booked.", "memory_type": "procedural_memory"}, {"memory": "x " * 300}]
    file = ExportFile("m.json", io.BytesIO(json.dumps(rows).encode()))
    assert [one.title for one in mem0.read(file, nobody())] == ["Of the agent", "Of the user"]
