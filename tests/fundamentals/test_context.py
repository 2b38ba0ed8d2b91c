"""A context is one prompt made of all that a Being knows: in a fixed order, within a budget, in a provider's format."""

import random

import pytest

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.intake.messages import accept_messages
from schemas.context.context import ContextRequest, NewEntry
from schemas.settings import Settings
from store.accounts import beings
from store.context import souls
from store.nodes import nodes
from tests.scenes import put_region


@pytest.fixture
def context_of(store, embedders, being):
    """Assemble the Being's context for one message."""

    def assembled(message="What did she bake?", **options):
        wanted = AssemblyRequest(ContextRequest(**options), message)
        return assemble(store, embedders, Settings(embedder="minilm"), being, wanted, random.Random(1))

    return assembled


@pytest.fixture(autouse=True)
def soul(store, being):
    """Tell who the Being is."""
    with store.transaction() as tx:
        souls.write(tx, being.being_id, {"personality": "Warm and a little impatient."})


def regions(context):
    return [region.region for region in context.regions]


def test_a_context_begins_with_who_the_being_is(context_of):
    context = context_of()
    assert regions(context)[0] == "core"
    assert "Warm and a little impatient." in context.text


def test_a_memory_is_recalled_by_what_the_user_says_now(life, embedders):
    life.happens("Mira baked saffron buns with her aunt.")
    life.patrol()
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
    wanted = AssemblyRequest(ContextRequest(), "What did she bake?")
    context = assemble(life.store, embedders, Settings(embedder="minilm"), being, wanted, random.Random(1))
    assert "rag-context" in regions(context)
    assert "saffron buns" in context.text


def test_what_changes_rarely_stands_first_so_that_a_provider_can_cache_it(context_of):
    first, second = context_of("Good morning."), context_of("What did she bake?")
    assert first.text != second.text
    assert first.text.split("Good morning.")[0][:200] == second.text[:200]


def test_the_same_question_gives_the_same_bytes(context_of):
    first, second, third = (context_of().text for _ in range(3))
    # They tell the time, and a minute may end between two of them.
    assert second in {first, third}


def test_working_memory_is_a_region_that_the_caller_writes(store, being, context_of):
    put_region(store, being, None, "userNotes", [NewEntry(content="Is an expert.")], add=False)
    context = context_of()
    assert regions(context)[-2:] == ["userNotes", "default"]
    assert "Is an expert." in context.text


def test_the_conversation_so_far_is_part_of_the_context(store, being, context_of):
    accept_messages(store, Settings(), being.being_id, [{"role": "user", "content": "Hello there."}])
    context = context_of()
    assert "conversation" in regions(context)
    assert "Hello there." in context.text


def test_a_context_comes_in_the_format_of_a_provider(context_of):
    context = context_of(format="anthropic")
    assert "Warm and a little impatient." in str(context.system)
    assert context.messages[-1]["role"] == "user"


def test_a_small_memory_is_shown_whole_and_only_what_the_message_recalls_stays_alive(life, embedders):
    life.happens("Mira baked saffron buns with her aunt.")
    life.happens("The bus to the coast was late.")
    life.patrol()
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
    wanted = AssemblyRequest(ContextRequest(), "What did she bake?")
    context = assemble(life.store, embedders, Settings(embedder="minilm"), being, wanted, random.Random(1))
    assert "saffron buns" in context.text
    assert "The bus to the coast" in context.text
    with life.store.transaction() as tx:
        recalled = [node.scene["action"] for node in nodes.page(tx, life.being_id, limit=9) if node.last_activated]
    assert recalled == ["Mira baked saffron buns with her aunt."]
