"""Rewrites the Redis streams, so that no bytes of removed entries remain.

Redis only marks a removed entry: its bytes stay in the stream, in memory and in every copy of the key, until all
entries of its block are removed. A Lua script rewrites each stream atomically, with the same entries, groups and
unacknowledged deliveries. Then Redis rewrites its append-only file, which holds every command.
"""

import time
from datetime import timedelta
from typing import Any

from redis.exceptions import ResponseError

from workers.streams import rejected

ASK_AGAIN_SECONDS = 0.1

# KEYS[1] is the stream. XCLAIM restores each pending entry with its consumer, idle time and delivery count.
REWRITE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local function fields(reply)
    local named = {}
    for i = 1, #reply, 2 do named[reply[i]] = reply[i + 1] end
    return named
end
local stream = fields(redis.call('XINFO', 'STREAM', KEYS[1]))
local entries = redis.call('XRANGE', KEYS[1], '-', '+')
local groups = {}
for _, reply in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
    local group = fields(reply)
    group.held = redis.call('XPENDING', KEYS[1], group.name, '-', '+', math.max(group.pending, 1))
    group.names = {}
    for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], group.name)) do
        table.insert(group.names, fields(consumer).name)
    end
    table.insert(groups, group)
end
redis.call('DEL', KEYS[1])
for _, entry in ipairs(entries) do redis.call('XADD', KEYS[1], entry[1], unpack(entry[2])) end
for _, group in ipairs(groups) do
    redis.call('XGROUP', 'CREATE', KEYS[1], group.name, group['last-delivered-id'], 'MKSTREAM')
    for _, name in ipairs(group.names) do redis.call('XGROUP', 'CREATECONSUMER', KEYS[1], group.name, name) end
    for _, held in ipairs(group.held) do
        redis.call('XCLAIM', KEYS[1], group.name, held[2], 0, held[1], 'IDLE', held[3], 'RETRYCOUNT', held[4], 'FORCE',
            'JUSTID')
    end
end
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('XSETID', KEYS[1], stream['last-generated-id']) end
return #entries
"""


def scrub(redis: Any, patience: timedelta = timedelta(seconds=60)) -> list[str]:
    """Rewrite the streams, then the server's append-only file.

    Args:
        redis: A client whose replies are bytes.
        patience: How long to wait for the rewrite of the file.

    Returns:
        One sentence for each failure.

    Raises:
        RedisError: Redis is out of reach; the call may be repeated.
    """
    for stream in (*rejected.STREAMS, rejected.STREAM):
        redis.eval(REWRITE, 1, stream)
    try:
        redis.bgrewriteaof()
    except ResponseError as fault:
        if "already in progress" not in str(fault) and "scheduled" not in str(fault):
            return ["Redis refuses BGREWRITEAOF: its operator must rewrite the append-only file."]
    until = time.monotonic() + patience.total_seconds()
    while time.monotonic() < until:
        state = redis.info("persistence")
        if not state["aof_rewrite_in_progress"] and not state.get("aof_rewrite_scheduled"):
            return []
        time.sleep(ASK_AGAIN_SECONDS)
    return ["Redis is still rewriting its append-only file."]
