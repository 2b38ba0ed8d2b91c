"""Words said in a room are embedded once for all that heard them from the same mouth."""

import pytest

from memory.accounts import rooms
from memory.intake.room_messages import accept_utterances
from memory.search import embedding
from schemas.settings import Settings
from schemas.talk.rooms import NewRoom
from store.accounts import beings
from store.talk.rooms import Place
from tests.models.indexed import embed, index


@pytest.fixture
def embedded_texts(monkeypatch):
    """The texts that are embedded from now on."""
    texts = []
    embed_each = embedding.embed_each

    def kept(embedder, some):
        texts.extend(some)
        return embed_each(embedder, some)

    monkeypatch.setattr(embedding, "embed_each", kept)
    return texts


def test_an_utterance_is_embedded_once(store, user, being, embedders, embedded_texts):
    with store.transaction() as tx:
        other = beings.add_being(tx, user.user_id, "finch", "Finch")
    room = rooms.make(store, user.user_id, NewRoom(name="Nest", beings=["wren", "finch"]))
    said = [
        {"role": "user", "content": "I grow quinces."},
        {"speaker_being": "finch", "content": "How many?"},
        {"role": "user", "content": "A secret for Finch.", "present": ["finch"]},
    ]
    accept_utterances(store, Settings(embedder="minilm"), Place(user.user_id, room.room_id), said)
    index(store, being.being_id, other.being_id)

    embed(store, embedders, being.being_id)
    assert sorted(embedded_texts) == ["Finch: How many?", "I grow quinces."]
    embedded_texts.clear()
    embed(store, embedders, other.being_id)
    assert sorted(embedded_texts) == ["A secret for Finch.", "How many?"]
    with store.transaction() as tx:
        rows = tx.execute(
            "select owner_id, count(*) as n from memory.search_vectors group by owner_id order by n"
        ).fetchall()
        waiting = tx.execute("select count(*) as n from memory.search_queue where stage = 'meaning'").fetchone()
    assert [row["n"] for row in rows] == [2, 3]
    assert waiting["n"] == 0
