"""From notes to nodes: parse, embed what is new, keep (the patrol's first step)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.scene import Unparsable, embedding_text, parse_scene, text_hash
from providers.embedding import Embedder, embed_each
from providers.errors import InputRefused
from schemas.rows import Note
from schemas.wire import SceneInput
from store import embeddings, nodes, notes, users
from store.database import Store
from store.embeddings import Vector
from store.nodes import NodeWords
from store.transaction import Transaction, commit_soon

# So many texts are embedded before their vectors are kept: what fails later does not pay for them again.
KEPT_AT_ONCE = 500


@dataclass(frozen=True)
class Scenes:
    """What notes tell, by note id in the order of the notes; and of those that could not be read, why."""

    told: dict[UUID, SceneInput]
    unparsable: dict[UUID, str]
    asked: list[UUID]
    repaired: int

    def mark(self, tx: Transaction, being_id: UUID) -> dict[str, Any]:
        """Mark what could not be read, and what a model was asked about; returns the counts."""
        notes.mark_failed(tx, being_id, "parse_failed", self.unparsable)
        notes.mark_asked(tx, being_id, self.asked)
        return {"nodes": 0, "repaired": self.repaired, "parse_failed": len(self.unparsable), "embed_failed": 0}


@dataclass(frozen=True)
class Remembered:
    """What became of notes, ready to be kept in the transaction that finishes the step."""

    model: str
    scenes: Scenes
    born: list[tuple[UUID, NodeWords]]
    refused: dict[UUID, str]

    def keep(self, tx: Transaction, being_id: UUID, run_id: UUID) -> dict[str, Any]:
        """Make the nodes, mark the notes, and let go of vectors that nodes have now; returns the counts."""
        users.adopt_model(tx, being_id, self.model)
        # Notes may have been erased since they were read.
        there = notes.there(tx, being_id, [note_id for note_id, _ in self.born])
        born = [(note_id, words) for note_id, words in self.born if note_id in there]
        nodes.insert(tx, being_id, run_id, self.model, born)
        with tx.pipeline():
            notes.mark_remembered(tx, being_id, run_id, [note_id for note_id, _ in born])
            counts = self.scenes.mark(tx, being_id)
            notes.mark_failed(tx, being_id, "embed_failed", self.refused)
            embeddings.drop(tx, being_id, self.model, [words.text_hash for _, words in self.born])
        return counts | {"nodes": len(born), "embed_failed": len(self.refused)}


Repair = Callable[[Sequence[tuple[Note, str]]], dict[UUID, SceneInput] | None]
"""Puts right what it can of notes that could not be read, each with why; None where nobody could be asked."""


def read_scenes(stamped: Sequence[Note], retained: Sequence[Note], repair: Repair) -> Scenes:
    """Parse notes, and have put right what can't be parsed.

    Args:
        stamped: The notes of this run.
        retained: Notes that could not be read by a run before, when nobody could be asked what was meant.
        repair: Asks that.
    """
    told: dict[UUID, SceneInput] = {}
    unparsable: dict[UUID, str] = {}
    for note in stamped:
        try:
            told[note.note_id] = parse_scene(note.content)
        except Unparsable as failure:
            unparsable[note.note_id] = str(failure)
    unread = [(note, unparsable[note.note_id]) for note in stamped if note.note_id in unparsable]
    unread += [(note, note.reason or "") for note in retained]
    mended = repair(unread) if unread else None
    told |= mended or {}
    return Scenes(
        told=dict(sorted(told.items())),
        unparsable={note_id: fault for note_id, fault in unparsable.items() if note_id not in told},
        asked=[] if mended is None else [note.note_id for note, _ in unread],
        repaired=len(mended or {}),
    )


def remember(store: Store, embedder: Embedder, being_id: UUID, scenes: Scenes) -> Remembered:
    """Find a vector for each scene; texts whose vectors are known are not embedded again.

    Raises:
        ProviderError: The embedder is out of reach; vectors that came before are kept.
    """
    texts = {note_id: embedding_text(scene.scene(), scene.feeling) for note_id, scene in scenes.told.items()}
    vectors, refusals = vectors_of(store, embedder, being_id, list(texts.values()))
    born: list[tuple[UUID, NodeWords]] = []
    refused: dict[UUID, str] = {}
    for note_id, text in texts.items():
        hashed = text_hash(text)
        if hashed in vectors:
            born.append((note_id, words_of(scenes.told[note_id], hashed, vectors[hashed])))
        else:
            refused[note_id] = refusals[hashed]
    return Remembered(embedder.model, scenes, born, refused)


def vectors_of(
    store: Store, embedder: Embedder, being_id: UUID, texts: Sequence[str]
) -> tuple[dict[bytes, Vector], dict[bytes, str]]:
    """Vectors by text hash, and by text hash why a text was refused. What is paid for is kept before it is used."""
    wanted = {text_hash(text): text for text in texts}
    with store.transaction() as tx:
        vectors = embeddings.known(tx, being_id, embedder.model, list(wanted))
    refusals: dict[bytes, str] = {}
    missing = [hashed for hashed in wanted if hashed not in vectors]
    for start in range(0, len(missing), KEPT_AT_ONCE):
        some = missing[start : start + KEPT_AT_ONCE]
        answers = dict(zip(some, embed_each(embedder, [wanted[hashed] for hashed in some]), strict=True))
        paid = {hashed: answer for hashed, answer in answers.items() if not isinstance(answer, InputRefused)}
        if paid:
            # They are durable with the node that gets them; lost before, they are asked for again.
            with store.transaction() as tx, tx.pipeline():
                commit_soon(tx)
                embeddings.keep(tx, being_id, embedder.model, paid)
        vectors |= paid
        refusals |= {hashed: str(answer) for hashed, answer in answers.items() if isinstance(answer, InputRefused)}
    return vectors, refusals


def words_of(scene: SceneInput, hashed: bytes, vector: Vector) -> NodeWords:
    """A scene as a node keeps it."""
    return NodeWords(
        scene=scene.scene(),
        feeling=scene.feeling,
        themes=scene.themes,
        emotion=scene.emotion.model_dump() if scene.emotion else None,
        importance=scene.importance,
        text_hash=hashed,
        vector=vector,
    )
