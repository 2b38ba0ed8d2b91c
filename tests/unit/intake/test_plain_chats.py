"""Chats that are lines of text, times that all of them tell together, and encodings that are no Unicode."""

# ruff: noqa: RUF001  # letters of other languages

import io
from datetime import UTC

import pytest

from memory.intake.importers import transcripts
from memory.intake.importers.entries import Conversation, ExcludedEntry, ExportFile, ExportPersons, UnreadableEntry
from memory.intake.importers.plain.dates import moments
from memory.intake.importers.reading.encodings import encoding_of
from memory.intake.importers.reading.files import export_files

SAID = [("user", "My dog is Rex: big."), ("assistant", "How old\nis he?"), ("user", "3 - 4.")]
NAMES = ("Ann", "Mira", "Ann")
EVENING = "2024-04-25T18:30:00+00:00"


def read(text, name="chat.txt", user="Ann", companion=None):
    content = io.BufferedReader(io.BytesIO(text.encode()))
    entries = list(transcripts.read(ExportFile(name, content), ExportPersons(user, companion, UTC)))
    assert not any(isinstance(one, UnreadableEntry) or (isinstance(one, Conversation) and one.bad) for one in entries)
    return entries


def spoken(entries):
    chats = [one for one in entries if isinstance(one, Conversation)]
    return [(message["role"], message["content"]) for chat in chats for message in chat.messages]


def lines(form, begin="", end=""):
    return begin + "".join(form.format(name=name, text=text) for name, (_, text) in zip(NAMES, SAID, strict=True)) + end


RULE = "=" * 62
TIMED = {
    "WhatsApp": lines("25.04.24, 18:30 - {name}: {text}\n", "25.04.24, 18:29 - Nachrichten sind verschlüsselt.\n"),
    "WhatsApp, US": lines(
        "4/25/24, 6:30\u202fPM - {name}: {text}\n", end="4/25/24, 6:31\u202fPM - Ann: <Media omitted>\n"
    ),
    "WhatsApp, Spain": lines("25/4/24, 6:30 p.\xa0m. - {name}: {text}\n"),
    "WhatsApp, Korea": lines("2024. 4. 25. 오후 6:30 - {name}: {text}\n"),
    "WhatsApp, Egypt": lines("٢٥\u200f/٤\u200f/٢٠٢٤، ٦:٣٠ م - {name}: {text}\n"),
    "WhatsApp, Finland": lines("25.4.2024 klo 18.30 - {name}: {text}\n"),
    "WhatsApp, iOS": lines(
        "[25.04.24, 18:30:00] ~\u202f{name}: {text}\n",
        "\u200e[25.04.24, 18:29:00] Mira: \u200eNachrichten sind verschlüsselt.\n",
        "[25.04.24, 18:31:00] Ann: \u200eBild weggelassen\n",
    ),
    "WhatsApp, iOS, China": lines("[2024/4/25 下午6:30:00] {name}: {text}\n"),
    "WhatsApp, older": lines("4/25/24, 6:30:00 PM: {name}: {text}\n"),
    "Signal": lines("[2024-04-25 18:30:00] {name}: {text}\n"),
    "KakaoTalk": lines("2024년 4월 25일 오후 6:30, {name} : {text}\n", "Mira 님과 카카오톡 대화\n"),
    "KakaoTalk for PC": lines(
        "[{name}] [오후 6:30] {text}\n", "저장한 날짜 : 2024-04-26\n--- 2024년 4월 25일 목요일 ---\n"
    ),
    "LINE": lines("18:30\t{name}\t{text}\n", "[LINE] Mira\n\n2024/04/25(木)\n", "18:31\t\tMira unsent it.\n").replace(
        "How old\nis he?", '"How old\nis he?"'
    ),
    "Discord": lines(
        "[25-Apr-24 06:30 PM] {name}\n{text}\n\n", f"{RULE}\nChannel: x\n{RULE}\n\n", f"{RULE}\nExported 3\n"
    ),
    "Telegram": lines("{name}, [25.04.2024 18:30]\n{text}\n\n"),
    "iMessage": lines("Apr 25, 2024  6:30:00 PM (Read by you)\n{name}\n{text}\n\n"),
}
CUE = "00:00:01.000 --> 00:00:04.000\n"
UNTIMED = {
    "roles": lines("{name}: {text}\n\n").replace("Ann:", "User:").replace("Mira:", "**Assistant:**"),
    "headings": lines("## {name}\n\n{text}\n\n", "# A chat\n").replace("Ann", "You").replace("Mira", "🤖 Assistant"),
    "a copied page": lines("{name} said:\n{text}\n").replace("Ann", "You").replace("Mira", "Assistant"),
    "names": lines("{name}: {text}\n"),
    "WebVTT": lines(f"{CUE}<v {{name}}>{{text}}</v>\n\n", "WEBVTT\n\n"),
    "SRT": lines(f"1\n{CUE.replace('.', ',')}{{name}}: {{text}}\n\n"),
}


@pytest.mark.parametrize("text", TIMED.values(), ids=TIMED)
def test_lines_with_times_are_a_chat(text):
    entries = read(text)
    assert spoken(entries) == SAID
    (chat,) = (one for one in entries if isinstance(one, Conversation))
    assert chat.messages[0]["created_at"] == EVENING


@pytest.mark.parametrize("text", UNTIMED.values(), ids=UNTIMED)
def test_lines_without_times_are_a_chat_of_the_two_that_are_named(text):
    assert spoken(read(text, companion="Mira")) == SAID


def test_a_later_export_that_begins_later_has_the_same_ids():
    rows = TIMED["WhatsApp"].splitlines(keepends=True)
    whole, later = (
        next(one for one in read("".join(some)) if isinstance(one, Conversation)) for some in (rows, rows[2:])
    )
    assert [one["id"] for one in whole.messages][1:] == [one["id"] for one in later.messages]


@pytest.mark.parametrize(
    "text",
    [
        "Dear diary, I met Ann.\nIt was: nice.\nUser: once.\n",
        "You: my only sunshine\nMe: a shadow of the day\n",
        "One\nTwo\nThree\nFour\nFive\nSix: an example of a chat.\nUser: Hi.\nAssistant: Hello.\n",
        "25.04.24, 18:29 - Messages are encrypted.\n",
        "2024-03-01 10:00:00 - started\n2024-03-01 10:00:01 - stopped\n",
    ],
)
def test_a_text_that_is_no_chat_holds_nothing(text):
    assert not read(text)


@pytest.mark.parametrize(
    "line",
    [
        *(
            '25.04.24, 18:31 - Mira changed the subject to "Trip: Rome"',
            "25.04.24, 18:31 - Ann: This message was deleted",
        ),
        *("25.04.24, 18:31 - Mira: Du hast diese Nachricht gelöscht.", "25.04.24, 18:31 - Mira: A.jpg (file attached)"),
    ],
)
def test_events_and_deleted_messages_of_a_chat_are_left_out(line):
    entries = read(f"Chat\n{TIMED['WhatsApp']}{line}\n")
    (chat,) = (one for one in entries if isinstance(one, Conversation))
    left = sum(isinstance(one, ExcludedEntry) for one in entries) + sum(chat.left_out.values())
    assert (spoken(entries), left) == (SAID, 3), "with the line before the chat, and that of the encryption"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("25.04.24, 18:30 - {}: {}\n", "[smiles]"),
        ("25.04.24, 18:30 - {}: {}\n", "Meet me at\n25.04.2024 18:45\nat the station: left"),
        ("25.04.24, 18:30 - {}: {}\n", "a\tb\u00a0\u200fc"),
        ("2024년 4월 25일 오후 6:30, {} : {}\n", "Hi.\n25.04.2024 18:45"),
        ("{}: {}\n", "<grin>"),
    ],
)
def test_words_stand_as_they_are_written(form, words):
    said = form.format("Ann", words) + form.format("Mira", "Hi.")
    assert spoken(read(said, companion="Mira")) == [("user", words), ("assistant", "Hi.")]


def test_a_day_above_its_messages_and_who_leaves_are_no_words():
    time = "2024년 4월 25일 오후 6:30"
    said = f"{time}\n{time}, Ann : Hi.\n{time}, Mira님이 나갔습니다.\n{time}, Mira : Hi.\n"
    assert spoken(read(said)) == [("user", "Hi."), ("assistant", "Hi.")]


def test_a_name_may_be_a_word_for_a_side_and_a_message_pinned():
    said = (("30", "Ai (pinned)", "Hi."), ("31", "Mira: M.", "Hi."), ("32", "Mira", "Ho."))
    text = "".join(f"[25-Apr-24 06:{minute} PM] {name}\n{words}\n\n" for minute, name, words in said)
    assert spoken(read(text, user="Ai")) == [("user", "Hi."), ("assistant", "Hi."), ("assistant", "Ho.")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *((one, EVENING) for one in ("25/04/24, 6:30 p. m.", "2024-04-25, 6:30 p.m.", "Thu, 25-04-2024 18:30")),
        *(
            (one, EVENING)
            for one in ("25/4/2567 18:30", "25.04.2024 ÖS 6:30", "6:30 PM, 25/04/2024", "25 Apr 24 18:30")
        ),
        *((one, EVENING) for one in ("735762600", 735762600000000000)),
        ("03.04.24, 18:30", "2024-04-03T18:30:00+00:00"),
        *((one, None) for one in ("30/2/2024 1:00", "4/5/2024 18:30", "25/4/2024 25:00", 12.5, None, "soon", True)),
        *((one, None) for one in (41000, 10**400, "25/4/67 18:30")),
    ],
)
def test_a_time_alone_may_tell_its_form(written, meant):
    (read,) = moments([written], UTC)
    assert (read and read.isoformat()) == meant


def test_days_that_follow_each_other_tell_which_number_is_the_day():
    days = moments([f"{day}/5/2024 18:30" for day in (3, 4, 6)], UTC)
    assert [(one.month, one.day) for one in days] == [(5, 3), (5, 4), (5, 6)]
    assert moments([f"{day}/4/67 18:30" for day in (25, 26, 27)], UTC) == [None] * 3, "of another calendar"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Größe? Ça va, señor – “São”"),
        ("gb18030", "我的狗叫雷克斯。今天天气很好，我们去公园散步。"),
        ("cp932", "私の犬はレックスです。元気ですか？"),
        ("cp949", "내 강아지는 렉스입니다. 잘 지내요?"),
        ("cp1251", "Мою собаку зовут Рекс. Как дела?"),
        ("utf-16-le", "我的狗"),
    ],
)
def test_a_file_in_no_form_of_unicode_is_read_where_its_letters_tell(tmp_path, encoding, text):
    path = tmp_path / "chat.csv"
    path.write_bytes(f'Role,Content\r\nuser,"{text}"\r\n'.encode(encoding))
    (entries,) = (list(transcripts.read(one, ExportPersons(None, None, UTC))) for one in export_files(path, ".+"))
    assert spoken(entries) == [("user", text)]


@pytest.mark.parametrize(
    "raw",
    [
        b"role,content\nuser,hell\0a\0a\0\n",
        "role,content\nuser,שלום מה שלומך היום\n".encode("cp1255"),
        "role,content\nuser,КАК ДЕЛА МОЯ ДОРОГАЯ\n".encode("koi8-r"),
        "role,content\nuser,как дела, моя дорогая собака\n".encode("koi8-r"),
        ("à§ç" + "a" * (1 << 20)).encode() + b"\xff",
    ],
)
def test_bytes_are_not_read_in_an_encoding_that_others_resemble(raw):
    assert encoding_of(io.BytesIO(raw)) is None


@pytest.mark.parametrize(
    "raw", [b"Role,Content\nuser,Gr\xc3\xbc\xc3\x9fe \xff\n", "Role,Content\nuser,žluťoučký\n".encode("cp1250")]
)
def test_bytes_of_which_no_encoding_tells_are_set_aside(tmp_path, raw):
    path = tmp_path / "chat.csv"
    path.write_bytes(raw)
    (entries,) = (list(transcripts.read(one, ExportPersons(None, None, UTC))) for one in export_files(path, ".+"))
    assert [type(one) for one in entries] == [UnreadableEntry, Conversation]
