"""A Being leaves as a file, and is brought along whole."""

import json
import random
from datetime import timedelta
from io import BytesIO

import pytest

from memory.accounts.being_export import export_lines
from memory.accounts.being_import import import_being
from memory.intake.messages import accept_messages
from memory.nodes.recall import RecallQuery, recall
from memory.nodes.reembedding import reembed
from memory.text.items import ItemBatchRefused
from operations.context.working_memory import show_working_memory
from providers.embedders import Embedders
from providers.errors import Transient
from schemas.context.context import NewEntry
from schemas.errors import Refused
from schemas.nodes.nodes import UNEMBEDDED
from schemas.settings import Settings
from store.accounts import beings
from store.accounts.portable_kinds import KINDS, STAYS_BEHIND
from store.ledger import work
from tests.databases import answer_of
from tests.full_being import fill
from tests.scenes import make_user, put_region


@pytest.fixture
def settings():
    return Settings(embedder="minilm")


@pytest.fixture
def embedders(settings):
    return Embedders(settings)


def exported(store, being, **options):
    return b"".join(export_lines(store, being, **options))


def test_every_table_goes_along_or_has_its_reason_to_stay(store):
    with store.transaction() as tx:
        tables = {
            row["relname"]
            for row in tx.execute(
                "select relname from pg_class where relkind in ('r', 'p') and not relispartition"
                " and relnamespace = 'memory'::regnamespace"
            )
        }
    gone = [kind.table for kind in KINDS]
    assert sorted([*gone, *STAYS_BEHIND]) == sorted(tables)


@pytest.fixture
def elsewhere(store):
    """An empty Being of another user's."""
    with store.transaction() as tx:
        return beings.add_being(tx, make_user(tx).user_id, "newcomer", "New")


@pytest.fixture
def full(store, being):
    """A Being with something of everything."""
    fill(store, being, "marzipan")
    return being


def lines_of(export):
    return [json.loads(line) for line in export.splitlines()]


def rest_of(export):
    """An export without what differs wherever it is made."""
    first, *lines = lines_of(export)
    return {name: first[name] for name in ("name", "patrol_counter", "ticked_at", "created_at")}, lines


def test_an_export_holds_something_of_every_kind_and_says_whose(store, full):
    first, *lines, last = lines_of(exported(store, full))
    assert (first["kind"], first["slug"], last) == ("being", full.slug, {"kind": "end", "lines": len(lines)})
    assert {line["kind"] for line in lines} == {kind.name for kind in KINDS if not kind.vectors}
    assert {(line["kind"], line["of"]) for line in lines if "of" in line} == {
        (kind, of)
        for kind in (
            "seed",
            "spine",
            "entity_label",
            "fact",
            "statement",
            "statement_conflict",
            "evidence",
            "vault_record",
            "spoken_request",
            "mute",
        )
        for of in ("being", "user")
    }
    assert not any("vector" in line for line in lines)
    with_vectors = lines_of(exported(store, full, vectors=True))[1:-1]
    assert {line["kind"] for line in with_vectors} == {kind.name for kind in KINDS}


def test_a_spine_of_an_export_that_knew_of_one_alone_is_the_users(store, settings, embedders, full, elsewhere):
    lines = lines_of(exported(store, full))
    (spine,) = [line for line in lines if line["kind"] == "spine" and line["of"] == "user"]
    former = {name: held for name, held in spine.items() if name != "of"} | {"conversation_id": "default"}
    file = BytesIO(
        b"".join(json.dumps(line).encode() + b"\n" for line in [lines[0], former, {"kind": "end", "lines": 1}])
    )

    assert import_being(store, settings, embedders, elsewhere, file).taken == {"spine": 1}
    assert spine in lines_of(exported(store, elsewhere))


def test_what_leaves_and_comes_in_is_the_same(store, settings, embedders, full, elsewhere):
    export = exported(store, full)
    arrived = import_being(store, settings, embedders, elsewhere, BytesIO(export))
    assert arrived.rejected == []
    assert sum(arrived.taken.values()) == len(lines_of(export)) - 2
    assert rest_of(exported(store, elsewhere)) == rest_of(export)


def test_with_vectors_nothing_has_to_be_embedded_again(store, settings, embedders, full, elsewhere):
    export = exported(store, full, vectors=True)
    import_being(store, settings, embedders, elsewhere, BytesIO(export))
    assert rest_of(exported(store, elsewhere, vectors=True)) == rest_of(export)


def test_nodes_come_in_from_an_export_that_had_vectors_in_their_lines(store, settings, embedders, full, elsewhere):
    first, *lines, last = lines_of(exported(store, full))
    of_old = [
        {**line, "embedding_model": "m", "vector": "[1,2,3]"} if line["kind"] == "node" else line for line in lines
    ]
    file = "\n".join(json.dumps(line) for line in [first, *of_old, last]).encode()
    arrived = import_being(store, settings, embedders, elsewhere, BytesIO(file))
    assert arrived.rejected == []
    assert rest_of(exported(store, elsewhere)) == rest_of(exported(store, full))


@pytest.mark.parametrize("of_old", [False, True], ids=["of today", "from before entries had one"])
def test_each_chat_keeps_its_lines_and_its_regions(store, settings, embedders, being, elsewhere, of_old):
    for chat in (None, "tab-1", "tab-2"):
        said = {"role": "user", "content": f"Said in {chat}.", **({"conversation": chat} if chat else {})}
        accept_messages(store, settings, being.being_id, [said])
        note = [NewEntry(content=f"Written for {chat}.")]
        put_region(store, being, chat, "userNotes", note, add=False)
    lines = [
        {name: value for name, value in line.items() if not (of_old and name == "conversation")}
        if line["kind"] == "working_memory"
        else line
        for line in lines_of(exported(store, being))
    ]
    file = "\n".join(json.dumps(line) for line in lines).encode()
    assert import_being(store, settings, embedders, elsewhere, BytesIO(file)).rejected == []
    for chat in ("tab-1", "tab-2"):
        held = [entry.content for entry in answer_of(store, show_working_memory, elsewhere, conversation=chat).entries]
        assert held == [f"Said in {chat}.", *([] if of_old else [f"Written for {chat}."])]


def test_the_same_file_again_changes_nothing_and_another_is_refused(store, settings, embedders, full, elsewhere, sent):
    export = exported(store, full)
    first = import_being(store, settings, embedders, elsewhere, BytesIO(export))
    before = rest_of(exported(store, elsewhere))
    sent.clear()
    again = import_being(store, settings, embedders, elsewhere, BytesIO(export))
    assert (again.taken, again.known, sent) == (first.taken, True, [])
    with pytest.raises(Refused, match="not empty"):
        import_being(store, settings, embedders, elsewhere, BytesIO(exported(store, full)))
    assert rest_of(exported(store, elsewhere)) == before


def test_a_second_being_of_the_same_user_can_be_made_of_it(store, settings, embedders, full, user):
    with store.transaction() as tx:
        twin = beings.add_being(tx, user.user_id, "twin", "Twin")
    arrived = import_being(store, settings, embedders, twin, BytesIO(exported(store, full)))
    assert arrived.rejected == []
    theirs, copies = rest_of(exported(store, full))[1], rest_of(exported(store, twin))[1]
    contents = [[line["content"] for line in lines if line["kind"] == "statement"] for lines in (theirs, copies)]
    assert contents[0] == contents[1]


def test_bad_lines_are_told_by_number_and_stop_no_other(store, settings, embedders, full, elsewhere):
    first, *lines, _ = exported(store, full).splitlines()
    bad = [
        b"{cut",
        b'{"kind": "dream"}',
        b'{"kind": "diary", "being_id": "x"}',
        b'{"kind": "diary", "day": "2026-03-03"}',
        b'{"kind": "diary", "day": "no day", "text": "marzipan"}',
        b'{"kind": "soul_state", "project": "\\u0000", "mood": "", "topic": "", "updated_at": "2026-03-02"}',
    ]
    file = b"\n".join([first, *bad, *lines, json.dumps({"kind": "end", "lines": len(lines) + len(bad)}).encode()])
    arrived = import_being(store, settings, embedders, elsewhere, BytesIO(file))
    assert [trouble.line for trouble in arrived.rejected] == list(range(2, 2 + len(bad)))
    assert not any("marzipan" in trouble.reason for trouble in arrived.rejected)
    assert sum(arrived.taken.values()) == len(lines)


def test_a_file_that_was_cut_off_says_so(store, settings, embedders, full, elsewhere):
    *lines, _ = exported(store, full).splitlines(keepends=True)
    arrived = import_being(store, settings, embedders, elsewhere, BytesIO(b"".join(lines)))
    assert [trouble.reason for trouble in arrived.rejected] == [
        "the file ends here without an end line: it was cut off"
    ]


@pytest.mark.parametrize("file", [b"", b"{}", b"no json", b'{"kind": "being", "version": 2}'])
def test_what_is_no_export_is_refused_whole(store, settings, embedders, elsewhere, file):
    with pytest.raises(ItemBatchRefused):
        import_being(store, settings, embedders, elsewhere, BytesIO(file))


def test_what_came_without_vectors_is_embedded_before_a_patrol_goes_on(
    store, settings, embedders, full, elsewhere, sent
):
    sent.clear()
    import_being(store, settings, embedders, elsewhere, BytesIO(exported(store, full)))
    assert {message.kind for message in sent} >= {"upkeep.reembed", "upkeep.embed_facts"}
    with pytest.raises(Transient):
        embedders.serving(UNEMBEDDED)
    with store.transaction() as tx:
        claim = work.claim(
            tx, elsewhere.being_id, "upkeep.reembed", embedders.wanted.model, lease=timedelta(minutes=1), attempts=1
        )
    reembed(store, embedders, claim)
    with store.transaction() as tx:
        moved = beings.get_being(tx, elsewhere.being_id)
    assert moved.embedding_model == embedders.wanted.model
    assert recall(store, embedders, moved, RecallQuery("baked", limit=3, threshold=-1), random.Random(1)).nodes
