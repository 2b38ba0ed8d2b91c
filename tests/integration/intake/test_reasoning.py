"""A message handed in is what was said: at every door the reasoning of a model is taken out of it."""

import pytest

from memory.intake.messages import accept_messages
from schemas.settings import Settings


@pytest.fixture
def stands(store, being):
    """The texts that stand."""

    def rows():
        with store.transaction() as tx:
            found = tx.execute("select content from memory.messages where being_id = %s", [being.being_id])
            return {row["content"] for row in found}

    return rows


def test_reasoning_is_taken_out_of_messages_but_not_of_the_users(store, being, stands):
    receipt = accept_messages(
        store,
        Settings(),
        being.being_id,
        [
            {"role": "user", "content": "<think>is a tag</think> that I wrote."},
            {"role": "assistant", "content": "<think>I will hide the key.</think>\n\nGood evening!"},
            {"role": "other", "speaker": "Cook", "content": "[THINK]Soup?[/THINK]Soup!"},
            {"role": "assistant", "content": "<think>Nothing else"},
            {"role": "assistant", "content": "Write <think> first."},
            {"role": "assistant", "content": 7},
        ],
    )
    assert stands() == {
        "<think>is a tag</think> that I wrote.",
        "Good evening!",
        "Soup!",
        "Write <think> first.",
    }
    assert [trouble.position for trouble in receipt.rejected] == [3, 5]
    assert "reasoning alone" in receipt.rejected[0].reason


def test_the_same_message_with_and_without_its_reasoning_is_one(store, being, stands):
    for content in ("<think>Hm.</think>Good evening!", "Good evening!", "[THINK]Hm.[/THINK]Good evening!"):
        receipt = accept_messages(
            store, Settings(), being.being_id, [{"id": "m-1", "role": "assistant", "content": content}]
        )
        assert not receipt.conflicts
    assert stands() == {"Good evening!"}
