"""A user's webhook."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from schemas.rows import Row
from schemas.wire.answers import Answer
from schemas.wire.requests import RequestModel

MOST_URL_CHARACTERS = 2_000

WebhookUrl = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=MOST_URL_CHARACTERS, pattern=r"^https?://[^\s\x00-\x20]+$")
]


class NewWebhook(RequestModel):
    """The address of a webhook."""

    url: WebhookUrl = Field(description="An `https://` address that takes POST requests.")


class Webhook(Row):
    """A user's webhook, without its secret."""

    url: str
    created_at: datetime
    delivered_at: datetime | None = Field(description="When it last answered a delivery with 2xx.")
    failed_at: datetime | None = Field(description="When a delivery last failed.")
    failure: str | None = Field(description="Why.")


class NewWebhookSecret(Answer):
    """A webhook that was just set, with its secret, which can't be read again."""

    url: str
    secret: str = Field(description="Signs the deliveries; `whsec_` and base64, as Standard Webhooks has it.")
