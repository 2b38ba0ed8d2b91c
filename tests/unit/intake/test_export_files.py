"""The files of an export are found in folders and archives as programs and systems write them."""

import gzip
import io
import json
from datetime import UTC
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from memory.intake.importers import claude
from memory.intake.importers.entries import ExportPersons
from memory.intake.importers.reading.files import export_files, file_of_text
from memory.text.errors import InvalidRequest

NAMES = ExportPersons(None, None, UTC)
TEXT = json.dumps([{"uuid": "k", "chat_messages": [{"uuid": "m", "sender": "human", "text": "Tea?"}]}])
# Where an entry of an archive's list has its flags, its form of packing, and its date.
FLAGS, PACKED, DATE = 8, 10, 12


def archive(**files):
    """An archive of files with these contents."""
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as into:
        for name, content in files.items():
            into.writestr(ZipInfo(name), content)
    return written.getvalue()


def with_entry(content, place, value):
    """An archive with a number of two bytes in its list changed."""
    at = content.index(b"PK\1\2") + place
    return content[:at] + value.to_bytes(2, "little") + content[at + 2 :]


PLAIN = archive(**{"data/conversations.json": TEXT})


@pytest.fixture
def said(tmp_path):
    """The messages of a file's export."""

    def read(content, name="export.zip"):
        (tmp_path / name).write_bytes(content)
        files = export_files(tmp_path / name, claude.FILES)
        return [message["content"] for file in files for chat in claude.read(file, NAMES) for message in chat.messages]

    return read


@pytest.mark.parametrize(
    "content",
    [
        PLAIN.replace(b"data/conv", b"data\\conv"),
        archive(**{"conversations.json": TEXT, "__MACOSX/._conversations.json": b"\0\5\x16\7"}),
        archive(**{"report.txt": "", "Online Activity/Conversations-0001.zip": PLAIN}),
        with_entry(PLAIN, DATE + 2, 0),
    ],
    ids=["backslashes", "macOS", "an archive in it", "no date"],
)
def test_an_archive_is_read_as_other_systems_write_it(said, content):
    assert said(content) == ["Tea?"]


def test_the_archives_of_one_export_are_found_in_their_folder(tmp_path):
    # Claude's export comes as an archive for each kind of data; the one that breaks off was not wholly downloaded.
    for name, content in [
        ("conversations-000.zip", archive(**{"conversations.json": TEXT})),
        ("conversations-001.zip", archive(**{"conversations.json": TEXT})[:90]),
        ("memories-000.zip", archive(**{"memories/m.json": "{}"})),
        ("manifest-1.json", b"{}"),
    ]:
        (tmp_path / name).write_bytes(content)
    files = export_files(tmp_path, claude.FILES)
    assert [entry.messages[0]["content"] for entry in claude.read(next(files), NAMES)] == ["Tea?"]
    with pytest.raises(InvalidRequest, match="no JSON"):
        list(claude.read(next(files), NAMES))
    assert list(files) == []


@pytest.mark.parametrize(("place", "value"), [(FLAGS, 1), (PACKED, 9)], ids=["encrypted", "packed otherwise"])
def test_an_archive_that_can_not_be_read_is_an_error(said, place, value):
    with pytest.raises(InvalidRequest, match="encrypted, or packed"):
        said(with_entry(PLAIN, place, value))


def test_a_file_that_is_packed_otherwise_is_an_error(tmp_path):
    (tmp_path / "takeout.tgz").write_bytes(gzip.compress(TEXT.encode()))
    with pytest.raises(InvalidRequest, match="unpack it"):
        list(export_files(tmp_path / "takeout.tgz", claude.FILES))
    (tmp_path / "takeout.tgz").rename(tmp_path / "conversations-0.json")
    (tmp_path / "conversations-1.json").write_text(TEXT)
    assert len([*export_files(tmp_path, claude.FILES)]) == 2, "it hides no other of its folder"


def test_an_archive_that_breaks_off_is_an_error(said):
    with pytest.raises(InvalidRequest, match="breaks off"):
        said(PLAIN[:90])


def test_what_an_import_has_set_aside_is_no_file_of_an_export(tmp_path):
    for name in ("Mira.jsonl", "._Mira.jsonl", "Mira.jsonl.set-aside.jsonl"):
        (tmp_path / name).touch()
    assert [file.name for file in export_files(tmp_path, r".+\.jsonl")] == ["Mira.jsonl"]


def test_a_text_that_came_with_a_request_may_begin_with_a_mark():
    (chat,) = claude.read(file_of_text("conversations.json", f"\ufeff{TEXT}", None), NAMES)
    assert [message["content"] for message in chat.messages] == ["Tea?"]
