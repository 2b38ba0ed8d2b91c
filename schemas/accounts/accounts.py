"""Users, Beings and access tokens: their rows, and the bodies of requests that create or change them."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from schemas.accounts.slugs import Slug
from schemas.limits import OFF_THE_RECORD_CONVERSATIONS, PRODUCER_ID_CHARACTERS
from schemas.llm.calls import Provider
from schemas.rows import Row
from schemas.search import LanguageCode
from schemas.wire.answers import Answer, Cursor
from schemas.wire.fields import Conversation, Moment, Words
from schemas.wire.requests import Changes, Name, RequestModel

Scope = Literal["ingest", "read", "manage"]
KnownTo = Literal["all", "present"]
ScenesMode = Literal["auto", "on", "off"]
ExternalId = Annotated[Words, Field(max_length=PRODUCER_ID_CHARACTERS)]
TimeZone = Annotated[str, Field(min_length=1, max_length=64)]
KeyText = Annotated[str, Field(min_length=16, max_length=512, pattern=r"^[!-~]+$")]
Dollars = Annotated[Decimal, Field(strict=False, ge=0, le=1_000_000, decimal_places=6)]


class User(Row):
    """The person; owns Beings."""

    user_id: UUID
    external_id: str | None = Field(description="The id that your application gave; null: made on the command line.")
    name: str
    time_zone: str
    facts_known_to: KnownTo | None = Field(
        description="The Beings that know facts outside of confidences; null: the setting PATROL_FACTS_KNOWN_TO."
    )
    daily_cost: Decimal | None = Field(description="The daily budget in dollars; null: PATROL_USER_DAILY_COST.")
    daily_tokens: int | None = Field(description="The daily budget in tokens; null: PATROL_USER_DAILY_TOKENS.")
    created_at: datetime


class Being(Row):
    """One AI companion of one user; the unit of isolation. `ticked_at` is when its patrol counter was last raised."""

    being_id: UUID
    user_id: UUID
    slug: str
    name: str
    embedding_model: str | None
    language: str
    scenes: ScenesMode | None = Field(
        None, description="Whether scenes are drawn from its talk; null: as PATROL_SCENES says."
    )
    patrol_counter: int
    ticked_at: datetime | None
    daily_cost: Decimal | None
    daily_tokens: int | None
    created_at: datetime
    off_the_record: bool = Field(False, description="Whether, until further notice, no word of its talk is kept.")
    off_the_record_in: list[str] = Field(
        default=[], description="The conversations of which, until further notice, no word is kept."
    )

    def is_off_the_record(self, conversation: str | None = None) -> bool:
        """Whether a conversation is off the record; None stands for messages that name no conversation."""
        return self.off_the_record or conversation in self.off_the_record_in


class BeingPage(Answer):
    """The Beings that a token opens."""

    beings: list[Being]
    cursor: Cursor = None


class Token(Row):
    """A bearer token without its secret."""

    user_id: UUID
    token_id: UUID
    being_id: UUID | None
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class OperatorToken(Row):
    """An operator's token, without its secret."""

    token_id: UUID
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class NewUser(RequestModel):
    """A user to create: one person whom your application serves."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"external_id": "customer-4711", "name": "Ada", "time_zone": "Europe/Lisbon"}]}
    )

    external_id: ExternalId = Field(description="Your own id of the person. The same id again means the same user.")
    name: Name | None = Field(None, description="The person's display name; the external id if omitted.")
    time_zone: TimeZone = Field("UTC", description="IANA name of the zone in which the person's days begin.")
    facts_known_to: KnownTo | None = Field(
        None,
        description="`all`: all of the person's Beings know what one of them hears. `present`: facts stay with the"
        " Beings that heard them. Null: the setting PATROL_FACTS_KNOWN_TO.",
    )


class UserChanges(Changes):
    """Changes to a user. Omitted fields stay."""

    null_changes = frozenset(("facts_known_to", "daily_cost", "daily_tokens"))
    model_config = ConfigDict(json_schema_extra={"examples": [{"time_zone": "Europe/Berlin"}]})

    name: Name | None = Field(None, description="The new display name.")
    time_zone: TimeZone | None = Field(None, description="IANA name of the new time zone.")
    facts_known_to: KnownTo | None = Field(
        None, description="The Beings that know later facts; null: the setting PATROL_FACTS_KNOWN_TO."
    )
    daily_cost: Dollars | None = Field(
        None,
        description="The budget of all the user's model calls together for a day of the user, in dollars; null:"
        " PATROL_USER_DAILY_COST.",
    )
    daily_tokens: int | None = Field(
        None, ge=0, le=10**15, description="The most tokens of them in a day; null: PATROL_USER_DAILY_TOKENS."
    )


class NewToken(RequestModel):
    """An access token to create for a user."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"scopes": ["ingest", "read"]}]})

    scopes: list[Scope] = Field(min_length=1, max_length=3, description="The rights of the token.")
    being: str | None = Field(None, max_length=200, description="Id or slug of its only Being; null: all.")
    expires: Moment | None = Field(None, description="When it expires, with its offset from UTC; null: never.")


class IssuedToken(Answer):
    """A new access token."""

    secret: str = Field(description="Send it as `Authorization: Bearer …`. It can't be read again.")
    token: Token


class TokenPage(Answer):
    """All tokens of a user."""

    tokens: list[Token]
    cursor: Cursor


class UserPage(Answer):
    """One page of users."""

    users: list[User]
    cursor: Cursor


class NewBeing(RequestModel):
    """A Being to create."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"slug": "mira", "name": "Mira"}]})

    slug: Slug | None = Field(
        None,
        description="Its short name in URLs: lower-case letters, digits, `_` and `-`; default: made from its name.",
    )
    name: Name = Field(description="Its display name.")


class BeingChanges(Changes):
    """Changes to a Being. Omitted fields stay."""

    null_changes = frozenset(("scenes", "daily_cost", "daily_tokens"))
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Mira the Second"}, {"daily_cost": 0.5}]})

    name: Name | None = Field(None, description="Its new display name.")
    language: LanguageCode | None = Field(
        None,
        description="The language of its conversations, as an ISO 639-1 code, for the stems of words in the search;"
        " `auto`: detected from its messages.",
    )
    scenes: ScenesMode | None = Field(
        None,
        description="Whether the call that summarises a closed session also extracts scene notes from its messages;"
        " `auto`: unless a producer sent scene notes of the same time; null: the setting PATROL_SCENES.",
    )
    daily_cost: Dollars | None = Field(
        None, description="The budget of its model calls for a day of the user, in dollars; null: PATROL_DAILY_COST."
    )
    daily_tokens: int | None = Field(
        None, ge=0, le=10**15, description="The most tokens of its model calls in a day; null: PATROL_DAILY_TOKENS."
    )
    off_the_record: bool | None = Field(
        None, description="Whether it is off the record until further notice: none of its messages is stored."
    )
    off_the_record_in: dict[Conversation, bool] | None = Field(
        None,
        max_length=OFF_THE_RECORD_CONVERSATIONS,
        description="Likewise for single conversations, by their ids; other conversations are unchanged.",
    )


class NewKey(RequestModel):
    """A key for a model provider, to store."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"key": "sk-ant-…", "provider": "anthropic"}]})

    key: KeyText = Field(repr=False, json_schema_extra={"writeOnly": True}, description="The key itself.")
    provider: Provider | None = Field(None, description="Its provider; needed if the key's prefix does not show it.")
