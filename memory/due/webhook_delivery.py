"""Notices of due items, and their delivery to the user's webhook: work, retried until the webhook accepts it.

The notice's id is the delivery's in every attempt, also after a kill between the webhook's answer and the commit, so
that a receiver can tell a delivery that it has. One that was recorded as received is sent no more.
"""

from datetime import timedelta
from uuid import UUID

import structlog

from memory.accounts import webhooks as accounts
from providers import webhooks
from providers.errors import Misconfigured
from schemas.facts.due import DueDelivery
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store import clock
from store.accounts import beings
from store.accounts import webhooks as stored
from store.database import Store
from store.facts import due
from store.ledger import work

log = structlog.get_logger()
# For how long a delivery is repeated, and how many seconds a webhook may take to answer one.
PATIENCE = timedelta(days=3)
TIMEOUT_SECONDS = 10.0
NOTICED_AT_ONCE = 500
# An imported item that fell due long ago makes no notice; one that fell due while no worker ran is noticed late.
NOTICED_WITHIN = timedelta(days=7)


def deliver(store: Store, settings: Settings, claim: Claim) -> None:
    """Deliver a notice, unless its item is closed by now or the user has no webhook.

    Raises:
        Undelivered: The webhook did not take it: it backs off.
        Misconfigured: No secret decrypts the webhook's.
        LeaseLost: Another worker has the delivery.
    """
    being_id, notice_id = claim.owner_id, UUID(claim.key)
    with store.transaction() as tx:
        user_id = beings.get_being(tx, being_id).user_id
        notice = due.undelivered(tx, being_id, notice_id)
        webhook = stored.sealed(tx, user_id)
        now = clock.now(tx)
    given_up = notice is not None and now - notice.noticed_at > PATIENCE
    if notice is None or webhook is None or given_up:
        with store.finishing(claim):
            log.info("webhook.not_delivered", being_id=str(being_id), given_up=given_up)
        return
    secret = accounts.opened(settings, webhook)
    if secret is None:
        raise Misconfigured("No secret in PATROL_SECRET_KEY decrypts the secret of the webhook: set the webhook again.")
    body = DueDelivery(type="due", being_id=being_id, notice=notice).model_dump_json().encode()
    try:
        webhooks.deliver(
            webhook.url,
            secret,
            str(notice_id),
            body,
            seconds=TIMEOUT_SECONDS,
            allow_private=settings.webhook_private,
        )
    except webhooks.Undelivered as fault:
        store.run(stored.mark_failed, user_id, str(fault))
        raise
    with store.finishing(claim) as tx:
        due.mark_delivered(tx, being_id, notice_id)
        stored.mark_delivered(tx, user_id)


def notice(store: Store) -> None:
    """Make notices of items that have fallen due, and request their delivery to the users that have a webhook."""
    while True:
        with store.transaction() as tx:
            made = due.notice(tx, within=NOTICED_WITHIN, limit=NOTICED_AT_ONCE)
            for one in made:
                if one.has_webhook:
                    work.ask(tx, one.being_id, kinds.DELIVER_DUE, str(one.notice_id))
        if len(made) < NOTICED_AT_ONCE:
            return
