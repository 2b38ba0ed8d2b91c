"""Makes nodes out of scene notes: parses, repairs, embeds and inserts them (patrol seed, ❶)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from memory.nodes.scenes import Unparsable, embedding_text, parse_scene, text_hash
from memory.retrieval.text_vectors import embed_whole
from providers.embedding import Embedder
from providers.errors import InputRefused
from schemas.intake.inputs import SceneInput
from schemas.intake.notes import Note
from store.accounts import beings
from store.database import Store
from store.intake import notes
from store.nodes import embeddings, nodes
from store.nodes.embeddings import Vector
from store.nodes.nodes import NodeWords
from store.transaction import Transaction, commit_soon

# Texts embedded before their vectors are stored, so that a later failure does not pay for them again.
KEPT_AT_ONCE = 500


@dataclass(frozen=True)
class ParsedScenes:
    """Parsed scenes by note id in the notes' order, and the parse errors of the others."""

    parsed: dict[UUID, SceneInput]
    unparsable: dict[UUID, str]
    sent_to_repair: list[UUID]
    repaired: int

    def mark(self, tx: Transaction, being_id: UUID) -> dict[str, Any]:
        """Mark unparsable notes, and those sent for repair; returns the counts."""
        notes.mark_failed(tx, being_id, "parse_failed", self.unparsable)
        notes.mark_asked(tx, being_id, self.sent_to_repair)
        return {"nodes": 0, "repaired": self.repaired, "parse_failed": len(self.unparsable), "embed_failed": 0}


@dataclass(frozen=True)
class NewNodes:
    """Scenes with their vectors, to be inserted in the transaction that finishes the step."""

    model: str
    scenes: ParsedScenes
    born: list[tuple[UUID, NodeWords]]
    refused: dict[UUID, str]

    def keep(self, tx: Transaction, being_id: UUID, run_id: UUID, tick: timedelta) -> dict[str, Any]:
        """Insert the nodes, mark the notes, and delete stored vectors that nodes have now; returns the counts.

        Nodes of notes that name a time from which they age are born with one patrol for each `tick` since.
        """
        beings.adopt_model(tx, being_id, self.model)
        # Notes may have been erased since they were parsed.
        there = notes.existing(tx, being_id, [note_id for note_id, _ in self.born])
        born = [(note_id, words) for note_id, words in self.born if note_id in there]
        nodes.insert(tx, being_id, run_id, self.model, born)
        remembered = [note_id for note_id, _ in born]
        if ages := [note_id for note_id in remembered if there[note_id]]:
            nodes.age_new(tx, being_id, ages, tick)
        with tx.pipeline():
            notes.mark_remembered(tx, being_id, run_id, remembered)
            counts = self.scenes.mark(tx, being_id)
            notes.mark_failed(tx, being_id, "embed_failed", self.refused)
            embeddings.remove(tx, being_id, self.model, [words.text_hash for _, words in self.born])
        return counts | {"nodes": len(born), "embed_failed": len(self.refused)}


Repair = Callable[[Sequence[tuple[Note, str]]], dict[UUID, SceneInput] | None]
"""Repairs unparsable notes, given with their parse errors; returns None if no model is available."""


def read_scenes(stamped: Sequence[Note], retained: Sequence[Note], repair: Repair) -> ParsedScenes:
    """Parse notes, and repair those that can't be parsed.

    Args:
        stamped: The notes of this run.
        retained: Unparsable notes of earlier runs that were not sent for repair yet.
        repair: Repairs notes with a model.
    """
    parsed: dict[UUID, SceneInput] = {}
    unparsable: dict[UUID, str] = {}
    for note in stamped:
        try:
            parsed[note.note_id] = parse_scene(note.content)
        except Unparsable as failure:
            unparsable[note.note_id] = str(failure)
    unread = [(note, unparsable[note.note_id]) for note in stamped if note.note_id in unparsable]
    unread += [(note, note.reason or "") for note in retained]
    mended = repair(unread) if unread else None
    parsed |= mended or {}
    return ParsedScenes(
        parsed=dict(sorted(parsed.items())),
        unparsable={note_id: fault for note_id, fault in unparsable.items() if note_id not in parsed},
        sent_to_repair=[] if mended is None else [note.note_id for note, _ in unread],
        repaired=len(mended or {}),
    )


def embed_scenes(store: Store, embedder: Embedder, being_id: UUID, scenes: ParsedScenes) -> NewNodes:
    """Embed each scene; a text with a stored vector is not embedded again.

    Raises:
        ProviderError: The embedder is unavailable; vectors so far are stored.
    """
    texts = {note_id: embedding_text(scene.scene(), scene.feeling) for note_id, scene in scenes.parsed.items()}
    vectors, refusals = vectors_of(store, embedder, being_id, list(texts.values()))
    born: list[tuple[UUID, NodeWords]] = []
    refused: dict[UUID, str] = {}
    for note_id, text in texts.items():
        hashed = text_hash(text)
        if hashed in vectors:
            born.append((note_id, words_of(scenes.parsed[note_id], hashed, vectors[hashed])))
        else:
            refused[note_id] = refusals[hashed]
    return NewNodes(embedder.model, scenes, born, refused)


def vectors_of(
    store: Store, embedder: Embedder, being_id: UUID, texts: Sequence[str]
) -> tuple[dict[bytes, Vector], dict[bytes, str]]:
    """Embed texts; returns vectors and refusals by text hash. New vectors are stored before they are returned."""
    wanted = {text_hash(text): text for text in texts}
    vectors = store.run(embeddings.known, being_id, embedder.model, list(wanted))
    refusals: dict[bytes, str] = {}
    missing = [hashed for hashed in wanted if hashed not in vectors]
    for start in range(0, len(missing), KEPT_AT_ONCE):
        some = missing[start : start + KEPT_AT_ONCE]
        answers = dict(zip(some, embed_whole(embedder, [wanted[hashed] for hashed in some]), strict=True))
        paid = {hashed: answer for hashed, answer in answers.items() if not isinstance(answer, InputRefused)}
        if paid:
            # The commit need not be durable: a vector lost in a crash is requested again.
            with store.transaction() as tx, tx.pipeline():
                commit_soon(tx)
                embeddings.keep(tx, being_id, embedder.model, paid)
        vectors |= paid
        refusals |= {hashed: str(answer) for hashed, answer in answers.items() if isinstance(answer, InputRefused)}
    return vectors, refusals


def words_of(scene: SceneInput, hashed: bytes, vector: Vector) -> NodeWords:
    """Combine a scene and its vector into a node's columns."""
    return NodeWords(
        scene=scene.scene(),
        feeling=scene.feeling,
        themes=scene.themes,
        emotion=scene.emotion.model_dump() if scene.emotion else None,
        importance=scene.importance,
        text_hash=hashed,
        vector=vector,
    )
