"""A stream reader dies between the commit and the acknowledgement; another goes on, and nothing is there twice."""

import json

import pytest

from api.streams.reader import GROUP
from cli.operations.stack import stream_command
from workers.streams import rejected


@pytest.mark.parametrize("where", ["after claim@stream", "before the ack@stream"])
def test_a_reader_dies_and_nothing_is_lost_or_doubled(life, redis_client, wait_until, where):
    notes = [{"being": str(life.being_id), "type": "todo", "content": f"Remember {number}."} for number in range(20)]
    for note in [*notes, {**notes[0], "wings": 2}]:
        redis_client.xadd("patrol:notes", {"data": json.dumps(note)})
    dying = life.started.start("stream", stream_command(), crash_at=[where])
    wait_until(lambda: not dying.alive)
    assert redis_client.xpending("patrol:notes", GROUP)["pending"] == 21

    life.started.start("stream", stream_command(), PATROL_STREAM_CLAIM="PT0.5S")
    wait_until(lambda: redis_client.xpending("patrol:notes", GROUP)["pending"] == 0)
    with life.store.transaction() as tx:
        kept = tx.execute("select content #>> '{}' as content from memory.notes order by 1").fetchall()
    assert sorted(row["content"] for row in kept) == sorted(note["content"] for note in notes)
    assert len(list(rejected.listed(redis_client))) == 1
