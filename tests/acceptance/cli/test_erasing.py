"""After a user was erased and the files were scrubbed, no file of ours holds a word of theirs."""

import json
from uuid import uuid4

from redis import Redis

from workers.embedded.servers import running_servers


def files_with(home, word):
    """The files below a home in which a word stands, in any case."""
    return sorted(
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and not path.is_symlink() and word.lower().encode() in path.read_bytes().lower()
    )


def values_with(redis, word):
    """The keys of Redis in which a word stands, whatever their type."""
    return [key for key in redis.scan_iter() if word.encode() in key + (redis.dump(key) or b"")]


def readable_with(redis, word):
    """The keys of Redis from which a word can be read; removed entries of a stream leave their bytes until a scrub."""
    streams = set(redis.scan_iter(_type="stream"))
    return [key for key in values_with(redis, word) if key not in streams] + [
        stream for stream in streams if word in str(redis.xrange(stream))
    ]


def test_after_scrubbing_no_file_holds_a_word_of_an_erased_user(patrol, new_account, ledger, wait_until):
    word = f"marzipan{uuid4().hex[:8]}"
    gone, stays = new_account(), new_account()
    servers = running_servers(patrol.home)
    assert servers is not None
    for one, said in ((gone, word), (stays, "nougat")):
        one("messages", "add", "-", given=json.dumps({"role": "user", "content": f"I bought {said}."}).encode())
        one("facts", "seed", "-", given=json.dumps({"type": "PROFILE", "content": f"Loves {said}."}).encode())
        one("vault", "add", f"All know {said}.")
        one.remembers(f"Bread with {said} was baked.", f"Cake with {said} was sold.")
    with Redis.from_url(servers.redis_url) as redis:
        for stream in ("patrol:messages", "patrol:rejected"):
            data = {"being": str(gone.being_id), "role": "user", "content": f"More {word}."}
            redis.xadd(
                stream, {"what": "patrol:messages", "id": "1", "reason": "r", "length": 1, "data": json.dumps(data)}
            )
        with ledger.transaction() as tx:
            tx.execute("analyze memory.memory_nodes, memory.messages, memory.notes, memory.vault_records")
        assert patrol.json("erase", "user", gone.user, "--yes")["beings"] == 1
        wait_until(lambda: readable_with(redis, word) == [])
        assert files_with(patrol.home, word)
        said = patrol("erase", "--scrub")
        assert "rewritten" in said.stdout
        assert values_with(redis, word) == []
    assert files_with(patrol.home, word) == []
    assert "nougat" in stays("vault", "list").stdout
    assert stays("messages", "add", "-", given=json.dumps({"role": "user", "content": "And now?"}).encode())
    assert "Gone: 1 being" in patrol("erase", "--scrub", "user", stays.user, "--yes").stdout
    assert files_with(patrol.home, "nougat") == []
