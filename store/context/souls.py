"""Souls of Beings and their states. The patrol writes `think_md`."""

from collections.abc import Mapping
from typing import Any, Literal
from uuid import UUID

from schemas.context.persona import Soul, SoulState
from store.context import impressions
from store.transaction import Transaction

STATE_PARTS: tuple[Literal["project", "mood", "topic"], ...] = ("project", "mood", "topic")


def get(tx: Transaction, being_id: UUID) -> Soul:
    """The Being's soul; an empty one if none is stored."""
    return tx.row(Soul, "select * from memory.souls where being_id = %s", [being_id]) or Soul()


def write(tx: Transaction, being_id: UUID, parts: Mapping[str, str]) -> None:
    """Set the given parts of the Being's soul; the others stay."""
    tx.execute("insert into memory.souls (being_id) values (%s) on conflict do nothing", [being_id])
    tx.execute(
        """
        update memory.souls
        set partner_type = coalesce(%(partner_type)s, partner_type),
            personality = coalesce(%(personality)s, personality),
            voice = coalesce(%(voice)s, voice),
            "values" = coalesce(%(values)s, "values"),
            backstory = coalesce(%(backstory)s, backstory),
            inner_world = coalesce(%(inner_world)s, inner_world),
            examples = coalesce(%(examples)s, examples),
            think_md = coalesce(%(think_md)s, think_md),
            updated_at = memory.now()
        where being_id = %(being)s
        """,
        {"being": being_id, **dict.fromkeys(Soul.model_fields), **parts},
    )


def write_think_md(tx: Transaction, being_id: UUID, notes: str) -> None:
    """Replace the Being's notes for its next session."""
    tx.execute(
        """
        insert into memory.souls (being_id, think_md, thought_at)
        values (%s, %s, memory.now())
        on conflict (being_id) do update set think_md = excluded.think_md, thought_at = excluded.thought_at
        """,
        [being_id, notes],
    )


def state(tx: Transaction, being_id: UUID) -> SoulState:
    """The state of the Being's soul: each part as a person or program set it; otherwise from talk; otherwise empty."""
    found = tx.row(SoulState, "select * from memory.soul_states where being_id = %s", [being_id])
    written: dict[str, Any] = {name: text for name in STATE_PARTS if found and (text := getattr(found, name))}
    if found and len(written) == len(STATE_PARTS):
        return found
    derived = impressions.state(tx, being_id)
    times = [each.updated_at for each in (found, derived) if each and each.updated_at]
    return derived.model_copy(update={**written, "updated_at": max(times, default=None)})


def set_state(tx: Transaction, being_id: UUID, parts: Mapping[str, str]) -> None:
    """Set the given parts of the soul's state; the others stay. An empty part is removed, as talk left it too."""
    impressions.remove(tx, [being_id], [name for name in STATE_PARTS if parts.get(name) == ""])
    tx.execute(
        """
        insert into memory.soul_states as known (being_id, project, mood, topic)
        values (%(being)s, coalesce(%(project)s, ''), coalesce(%(mood)s, ''), coalesce(%(topic)s, ''))
        on conflict (being_id) do update
            set project = coalesce(%(project)s, known.project),
                mood = coalesce(%(mood)s, known.mood),
                topic = coalesce(%(topic)s, known.topic),
                updated_at = memory.now()
        """,
        {"being": being_id, "project": None, "mood": None, "topic": None, **parts},
    )
