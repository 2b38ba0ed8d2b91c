"""A user's webhook, which receives notices of due items."""

from http import HTTPStatus

from memory.accounts import webhooks
from memory.accounts.access import Caller
from operations.declaration import Command, operation
from schemas.accounts.webhooks import NewWebhook, NewWebhookSecret, Webhook
from schemas.errors import NotFound, existing
from store.accounts import webhooks as stored_webhooks
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("PUT /v1/webhook", scope="manage", for_all_beings=True, conflicts=True, commands=[Command("set")])
def set_webhook(on: Resources, caller: Caller, new: NewWebhook) -> NewWebhookSecret:
    """Set the address that receives a notice of each todo, promise and reminder of your Beings when it comes due.

    The answer holds the secret that signs the deliveries, as Standard Webhooks has it, and that can't be read again.
    Setting the webhook again makes a new secret. A delivery holds the text of the due item. It is repeated, with the
    same `Webhook-Id`, until it is answered with 2xx. Addresses that are not public are refused, and redirects are not
    followed.
    """
    return webhooks.put(on.store, on.settings, caller.user_id, new.url)


@operation("GET /v1/webhook", scope="manage", for_all_beings=True, commands=[Command("show")])
def show_webhook(tx: Transaction, caller: Caller) -> Webhook:
    """Show your webhook, without its secret: when it took a delivery last, and why one failed last."""
    return existing(stored_webhooks.get(tx, caller.user_id), "You have no webhook.")


@operation(
    "DELETE /v1/webhook",
    scope="manage",
    for_all_beings=True,
    status=HTTPStatus.NO_CONTENT,
    commands=[Command("remove", done="Removed")],
)
def remove_webhook(tx: Transaction, caller: Caller) -> None:
    """Remove your webhook: notices that were not delivered are delivered no more."""
    if not stored_webhooks.remove(tx, caller.user_id):
        raise NotFound("You have no webhook.")
