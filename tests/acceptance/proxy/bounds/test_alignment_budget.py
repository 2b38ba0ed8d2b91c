"""The answer says whether its transcript was aligned with the known conversation, or that this would take too long."""

from datetime import timedelta
from uuid import UUID

from memory.proxy.matching.recognition import NEWEST
from memory.proxy.reading.turns import turn_of
from store.database import Store
from store.talk import transcripts
from store.talk.transcripts import SAME_KIND, NewPlace
from tests.acceptance.proxy.test_memory import asked, said
from tests.databases import as_superuser

TURNS = 2000


def write(stack, person, conversation, lines):
    """Write lines, each said after the one before it, as if they had come in one by one; none in the future."""
    # Sessions, counters and queues are not told, for which the superuser suspends all triggers.
    with Store(as_superuser(stack.database_url)) as ledger, ledger.transaction() as tx:
        (last,) = tx.execute(
            "select * from memory.messages where being_id = %s order by message_id desc limit 1",
            [person.being.being_id],
        ).fetchall()
        ids = [UUID(int=last["message_id"].int + number) for number in range(1, len(lines) + 1)]
        tx.execute("set local session_replication_role = replica")
        tx.cursor().executemany(
            """
            insert into memory.messages (being_id, message_id, session_id, role, content, content_hash, created_at)
            values (%s, %s, %s, %s, %s, sha256(%s::text::bytea), %s)
            """,
            [
                (last["being_id"], id_, last["session_id"], role, text, str(id_), last["created_at"] + at)
                for at, (id_, (role, text)) in enumerate(zip(ids, lines, strict=True))
                for at in [timedelta(microseconds=at + 1)]
            ],
        )
        places = [
            NewPlace(id_, before, turn_of(role, None, text).digest)
            for id_, before, (role, text) in zip(ids, [last["message_id"], *ids], lines, strict=False)
        ]
        transcripts.add(tx, last["being_id"], conversation, places)


def test_a_transcript_beyond_the_budget_is_not_compared_and_the_header_says_so(sdk, stack, person):
    chat = sdk(x_memory_conversation="long")
    first = asked(chat, "Hello.")
    assert first.headers["x-memory-aligned"] == "yes"
    # As many messages as are read at the most: with the words of the transcript, answers to these, and the newest.
    again = [("user", "ok"), ("assistant", "An answer that goes on.")]
    others = [("user", f"Line {number}.") for number in range(NEWEST + TURNS)]
    write(stack, person, "long", again * SAME_KIND + others)

    # Each answer may be one of the known ones that was cut off, so that all are aligned twice.
    shown = ["ok", "An answer"] * (TURNS // 2)
    answer = asked(chat, *shown, "Good night.")

    assert answer.headers["x-memory-conversation"] == "long"
    assert answer.headers["x-memory-aligned"] == "no"
    assert answer.headers["x-memory-stored"] == "yes"
    assert ("user", "Good night.") in said(person)[-2:]
    assert ("assistant", "An answer") not in said(person)
    assert asked(chat, "Good morning.").headers["x-memory-aligned"] == "yes"
