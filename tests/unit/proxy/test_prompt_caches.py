"""Which share of a chat's prompts a provider's cache serves, by the usage that a provider with such a cache reports.

The provider of the tests keeps prefixes as the real ones do: OpenAI's without being asked, Anthropic's up to each mark.
"""

import json

import pytest

from memory.proxy.wires.anthropic_messages import read_messages
from memory.proxy.wires.chat_completions import read_chat
from memory.proxy.wires.responses import read_response
from memory.proxy.wires.wire import Memory
from samples.canned.provider import CannedProvider
from samples.canned.wire import Request

SYSTEM = "You are Mira, who keeps a harbour light. " * 40
STABLE = "You like the sea, and write a diary. " * 40
SAID = [f"{number}. {'The ferry comes late again today. ' * 8}" for number in range(24)]
TURNS = range(1, len(SAID), 2)
MARK = {"type": "ephemeral"}


def varying(turn):
    return f"You remember the {turn}th storm. " * 30


def talk(turn):
    return [{"role": ("user", "assistant")[place % 2], "content": SAID[place]} for place in range(turn)]


def chat(turn):
    return read_chat(json.dumps({"model": "m", "messages": [{"role": "system", "content": SYSTEM}, *talk(turn)]}))


def response(turn):
    return read_response(json.dumps({"model": "m", "instructions": SYSTEM, "input": talk(turn)}))


def unmarked(turn):
    return read_messages(json.dumps({"model": "m", "max_tokens": 9, "system": SYSTEM, "messages": talk(turn)}))


def marked(turn):
    """As agents mark: the system content, and the newest message."""
    *before, last = talk(turn)
    newest = {**last, "content": [{"type": "text", "text": last["content"], "cache_control": MARK}]}
    system = [{"type": "text", "text": SYSTEM, "cache_control": MARK}]
    return read_messages(json.dumps({"model": "m", "max_tokens": 9, "system": system, "messages": [*before, newest]}))


def served(endpoint, bodies):
    """The share of all prompts' tokens that was read from the cache."""
    provider = CannedProvider(answer=lambda _: "Yes.")
    cached = total = 0
    for body in bodies:
        request = Request(endpoint=endpoint, body=json.loads(body), key_sha256="key")
        usage = json.loads(provider.answered(request).content)["usage"]
        if endpoint == "messages":
            read = usage["cache_read_input_tokens"]
            total += usage["input_tokens"] + usage["cache_creation_input_tokens"] + read
        else:
            name = "prompt_tokens" if endpoint == "chat" else "input_tokens"
            read = usage[f"{name}_details"]["cached_tokens"]
            total += usage[name]
        cached += read
    return cached / total


@pytest.mark.parametrize(
    ("endpoint", "read"), [("chat", chat), ("responses", response), ("messages", unmarked), ("messages", marked)]
)
def test_a_cache_serves_nearly_as_much_with_memory_as_without(endpoint, read):
    def with_memory(memory_of):
        return served(endpoint, [read(turn).written("m", memory_of(turn)) for turn in TURNS])

    placed = with_memory(lambda turn: Memory(STABLE, varying(turn)))
    stable_alone = with_memory(lambda _: Memory(STABLE))
    in_one_place = with_memory(lambda turn: Memory(STABLE + varying(turn)))
    # Beside the new words of each turn, what varies is all that is read anew.
    assert placed > 0.7
    assert placed > stable_alone - 0.15
    assert in_one_place < 0.4
