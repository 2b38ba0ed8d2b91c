"""The HTTP API, its limits, and Flower."""

import re
from datetime import timedelta
from ipaddress import ip_network

from pydantic import Field, PositiveFloat, PositiveInt, SecretStr, field_validator
from pydantic_core import PydanticCustomError

from schemas.settings.section import Duration, Section, parts_of


class HttpSettings(Section):
    """The HTTP API, its limits, and Flower."""

    api_host: str = Field("127.0.0.1", description="The address on which the HTTP API listens.")
    api_port: int = Field(8765, ge=0, le=65535, description="The port on which the HTTP API listens.")
    api_processes: PositiveInt | None = Field(
        None,
        description="How many processes serve the HTTP API. Not set: one for each processor, at most 4.",
    )
    user_requests: PositiveInt = Field(
        32, description="The most requests of one user that one API process handles at a time; more are answered 429."
    )
    user_connections: PositiveInt = Field(
        2, description="The most database connections that one user's requests hold at a time in one API process."
    )
    user_database_time: PositiveFloat = Field(
        1.0,
        description="How many seconds of database time one user's requests may use per second in one API process, with "
        "a burst of 20 s; further requests are answered 429.",
    )
    bulk_share: PositiveFloat = Field(
        0.5,
        le=1,
        description="The share of one process's time for batches of more than 100 items while other requests come in; "
        "all API processes have one such share together.",
    )
    bulk_wait: PositiveFloat = Field(
        2.0, description="A bulk request that would wait longer for its turn is answered 429, in seconds."
    )
    api_batch_bytes: PositiveInt = Field(
        16 << 20, description="The largest body with a batch of notes, messages or vault records, in bytes."
    )
    api_import_bytes: PositiveInt = Field(64 << 20, description="The largest body of a vault import, in bytes.")
    api_connections: PositiveInt = Field(
        512,
        description="The most connections of one API process. At the limit, an idle connection is closed for a new "
        "one; if none is idle, the new one is answered with 503.",
    )
    api_header_timeout: Duration = Field(
        timedelta(seconds=10), description="The timeout for receiving a request's line and headers."
    )
    api_body_timeout: Duration = Field(
        timedelta(seconds=20),
        description="The timeout for receiving a request's body; each PATROL_API_BODY_RATE bytes add a second.",
    )
    api_body_rate: PositiveInt = Field(
        16 << 10, description="The lowest rate at which a body may arrive, in bytes per second."
    )
    api_answer_timeout: Duration = Field(
        timedelta(seconds=30), description="A response is aborted if the client reads nothing of it for this time."
    )
    api_keep_alive: Duration = Field(
        timedelta(seconds=5), description="How long an idle connection stays open between two requests."
    )
    api_trusted_proxies: str = Field(
        "",
        description="Proxies whose `X-Forwarded-For` is trusted: addresses or networks such as `10.0.0.0/8`, separated "
        "by commas. Not set: the header is ignored.",
    )
    api_origins: str = Field(
        "",
        description="Web origins that may call the API (CORS), such as `https://example.com`, separated by commas.",
    )
    flower_host: str = Field("127.0.0.1", description="The address on which Flower listens.")
    flower_port: int = Field(5555, ge=0, le=65535, description="The port on which Flower listens.")
    flower_basic_auth: SecretStr | None = Field(
        None, description="Flower's user name and password, `NAME:PASSWORD`. Flower does not start without it."
    )

    @field_validator("flower_basic_auth")
    @classmethod
    def _name_and_password(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not re.fullmatch(r"[!-+\--9;-~]+:[!-+\--~]{8,}", value.get_secret_value()):
            raise PydanticCustomError(
                "basic_auth", "Must be NAME:PASSWORD, of ASCII characters without commas, the password of 8 or more"
            )
        return value

    @field_validator("api_trusted_proxies")
    @classmethod
    def _addresses(cls, value: str) -> str:
        for part in parts_of(value):
            try:
                ip_network(part)
            except ValueError:
                raise PydanticCustomError("network", "Must be addresses or networks, separated by commas") from None
        return value

    @field_validator("api_origins")
    @classmethod
    def _origins(cls, value: str) -> str:
        """Refuse values that no browser sends as an origin, and that would so allow no page."""
        for part in parts_of(value):
            if not re.fullmatch(r"\*|null|[a-z][a-z0-9+.-]*://[^/A-Z\s]+", part):
                raise PydanticCustomError(
                    "origin",
                    "Must be origins like https://example.com, in small letters and without a slash at the end",
                )
        return value
