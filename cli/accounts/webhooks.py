"""`patrol webhook`: the address that receives notices of due items."""

from typing import Any

from cli.console.declared import Group
from cli.console.output import table, words
from operations.accounts import webhooks as operations
from schemas.accounts.webhooks import NewWebhookSecret, Webhook


def _set(made: NewWebhookSecret) -> list[Any]:
    return [
        f"Set. Deliveries to {words(made.url)} are signed with this secret, which can't be shown again:",
        words(made.secret),
    ]


def _shown(webhook: Webhook) -> list[Any]:
    row = webhook.url, webhook.created_at, webhook.delivered_at or "never", webhook.failed_at, webhook.failure
    return [table("*address", "set", "took one last", "failed last", "*why", rows=[row])]


webhook = Group(
    operations,
    "The address that receives notices of due items.",
    views={NewWebhookSecret: _set, Webhook: _shown},
).commands
