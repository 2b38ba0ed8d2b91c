"""Breakers: providers of language models that do not answer requests with one key.

While a breaker is open no work sends requests with that key. When its wait is over one request, the probe, may try
again: it closes the breaker, or the next wait is twice as long.
"""

from datetime import timedelta
from uuid import UUID

from schemas.llm.calls import AwayProvider, Provider, ProviderAway
from store.transaction import Transaction

# The breaker of the platform's key, which is in the settings and has no row.
PLATFORM = UUID(int=0)
FIRST_WAIT = timedelta(seconds=10)
LONGEST_WAIT = timedelta(minutes=5)


def away(tx: Transaction, provider: Provider, key_id: UUID | None) -> ProviderAway | None:
    """Return the open breaker of a provider and key; None if there is none, or its probe is due."""
    return tx.row(
        ProviderAway,
        """
        select provider, key_id, since, reason, probe_at - memory.now() as waits
        from memory.provider_breakers
        where provider = %s and key_id = %s and probe_at > memory.now()
        """,
        [provider, key_id or PLATFORM],
    )


def is_known(tx: Transaction, provider: Provider, key_id: UUID | None) -> bool:
    """Whether there is a breaker, also one whose probe is due or under way."""
    return tx.exists(
        "select from memory.provider_breakers where provider = %s and key_id = %s", [provider, key_id or PLATFORM]
    )


def take_probe(tx: Transaction, provider: Provider, key_id: UUID | None, lasting: timedelta) -> bool:
    """Take the probe of an open breaker, if it is due; returns whether there is one, and it is the caller's.

    Args:
        tx: The transaction; commit it before the request.
        provider: The provider.
        key_id: The user's key; None: the platform's.
        lasting: How long the request may take; after that another may try, as the process may have died.
    """
    return tx.changes(
        """
        update memory.provider_breakers
        set probe_at = memory.now() + %s
        where provider = %s and key_id = %s and probe_at <= memory.now()
        """,
        [lasting, provider, key_id or PLATFORM],
    )


def trip(
    tx: Transaction, provider: Provider, key_id: UUID | None, reason: str, *, wait: timedelta | None, probed: bool
) -> None:
    """Open a breaker after a failed request, or keep it open.

    Args:
        tx: The transaction.
        provider: The provider.
        key_id: The user's key; None: the platform's.
        reason: The fault, without a word of the prompt.
        wait: The wait that the provider's answer requests, if it does.
        probed: Whether the request was the probe; other requests were sent before the breaker opened.
    """
    tx.execute(
        """
        insert into memory.provider_breakers as b (provider, key_id, probe_at, wait, reason)
        values (
            %(provider)s, %(key)s, memory.now() + coalesce(%(wait)s, %(first)s::interval),
            least(2 * %(first)s::interval, %(longest)s), %(reason)s
        )
        on conflict (key_id, provider) do update
        set probe_at = case
                when %(probed)s or b.probe_at <= memory.now() then memory.now() + coalesce(%(wait)s, b.wait)
                else greatest(b.probe_at, memory.now() + coalesce(%(wait)s, interval '0'))
            end,
            wait = case
                when %(probed)s or b.probe_at <= memory.now() then least(2 * b.wait, %(longest)s)
                else b.wait
            end,
            reason = excluded.reason
        """,
        {
            "provider": provider,
            "key": key_id or PLATFORM,
            "reason": reason,
            "wait": wait,
            "first": FIRST_WAIT,
            "longest": LONGEST_WAIT,
            "probed": probed,
        },
    )


def close(tx: Transaction, provider: Provider, key_id: UUID | None) -> None:
    """Close a breaker: the provider answers."""
    tx.execute(
        "delete from memory.provider_breakers where provider = %s and key_id = %s", [provider, key_id or PLATFORM]
    )


def summary(tx: Transaction) -> list[AwayProvider]:
    """List the providers that are away, with the platform's key and with users' keys, the longest away first."""
    return tx.rows(
        AwayProvider,
        """
        select provider, case when platform then 'platform' else 'users' end as whose, count(*) as keys,
            min(since) as since, case when platform then min(reason) end as reason
        from (select *, key_id = %s as platform from memory.provider_breakers) as breakers
        group by provider, platform
        order by min(since)
        """,
        [PLATFORM],
    )
