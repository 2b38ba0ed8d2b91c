"""The languages in which owners' documents are stemmed, and how many words spoke for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.types.json import Jsonb

from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class StemmingLanguage:
    """The language in which an owner's documents are stemmed.

    Attributes:
        owner_id: The owner.
        language: The language of those that are indexed; None before the first is.
        votes: The count of words found for each language.
        wanted: The language set for a Being, or `auto`; None for an owner that is no Being.
    """

    owner_id: UUID
    language: str | None
    votes: dict[str, int]
    wanted: str | None


def stemming(tx: Transaction, owner_ids: Sequence[UUID]) -> list[StemmingLanguage]:
    """In which language the documents of each owner are stemmed."""
    return tx.rows(
        StemmingLanguage,
        """
        select asked.owner_id, s.language, coalesce(s.votes, '{}') as votes, b.language as wanted
        from unnest(%s::uuid[]) as asked (owner_id)
        left join lateral (
            select language, votes from memory.search_owners where owner_id = asked.owner_id limit 1
        ) as s on true
        left join lateral (select language from memory.beings where being_id = asked.owner_id limit 1) as b on true
        """,
        [list(owner_ids)],
    )


def keep(tx: Transaction, elected: Mapping[UUID, tuple[str, dict[str, int]]]) -> None:
    """Set the languages in which owners' documents are stemmed from now on, and the votes for them."""
    if not elected:
        return
    tx.execute(
        """
        insert into memory.search_owners (owner_id, language, votes)
        select * from unnest(%s::uuid[], %s::text[], %s::jsonb[]) as elected (owner_id, language, votes)
        order by elected.owner_id
        on conflict (owner_id) do update set language = excluded.language, votes = excluded.votes
        """,
        [
            list(elected),
            [language for language, _ in elected.values()],
            [Jsonb(votes) for _, votes in elected.values()],
        ],
    )


def votes_of_model(
    tx: Transaction, model: str, *, being_id: UUID | None = None, unembedded: bool = False
) -> list[dict[str, int]]:
    """How many words spoke for each language, for each Being whose nodes or messages are embedded by a model.

    Args:
        tx: The transaction.
        model: The model.
        being_id: One Being; None: all.
        unembedded: Whether Beings without any vectors count as well.
    """
    return tx.column(
        """
        select s.votes
        from memory.search_owners as s
        join memory.beings as b on b.being_id = s.owner_id
        where s.votes <> '{}' and coalesce(b.embedding_model, s.embedding_model, %(none)s) = %(model)s
            and (%(being)s::uuid is null or s.owner_id = %(being)s)
        """,
        {"model": model, "none": model if unembedded else "", "being": being_id},
    )
