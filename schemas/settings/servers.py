"""Postgres, Redis and logs."""

from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt, SecretStr, field_validator

from schemas.settings.section import CHECKOUT, Section

REDIS_SCHEMES = ("redis://", "rediss://", "unix://", "redis+socket://", "sentinel://")


class ServerSettings(Section):
    """Postgres, Redis and logs."""

    home: Path = Field(CHECKOUT / ".patrol", description="The directory for the embedded servers' data and for logs.")
    database_url: SecretStr | None = Field(
        None,
        validation_alias="DATABASE_URL",
        description="Postgres 18 or newer with the `vector` extension 0.8.4 or newer. Not set: the embedded server.",
    )
    pooled: bool = Field(
        False,
        description="Whether DATABASE_URL is that of a pooler in transaction mode, such as PgBouncer: nothing then "
        "relies on the state of a session, a startup option or a named prepared statement.",
    )
    direct_url: SecretStr | None = Field(
        None,
        description="The database itself, without a pooler, as the role that owns the tables: for migrations, indexes "
        "of very large Beings, and `patrol erase --scrub`. Row-level security binds the role of DATABASE_URL if it is "
        "another one. Not set: DATABASE_URL, unless PATROL_POOLED is on.",
    )
    redis_url: SecretStr | None = Field(
        None,
        validation_alias="REDIS_URL",
        description="Redis or Valkey, or Redis Sentinel as `sentinel://:password@host:26379,host:26379/0`, with the "
        "password of the servers. Not set: the embedded server.",
    )
    redis_master: str = Field("mymaster", description="The name by which Redis Sentinel knows the servers.")
    redis_port: int | None = Field(
        None,
        ge=1,
        le=65535,
        description="A port of 127.0.0.1 on which the embedded Redis listens, without a password, for producers that "
        "use streams or Celery. Not set: it listens on a Unix socket alone.",
    )
    database_connections: PositiveInt = Field(8, description="The most database connections of one process.")
    connection_patience: PositiveFloat = Field(
        30.0,
        description="How long a request or a unit of work waits for a database that is away or busy, in seconds; the "
        "answer is then 503, and work is tried again.",
    )
    statement_timeout: PositiveFloat = Field(
        5.0, description="The timeout of one SQL statement of an HTTP request, in seconds; the answer is then 503."
    )
    bulk_statement_timeout: PositiveFloat = Field(
        60.0,
        description="The same for bulk intake, exports and the erasure of a Being, in seconds. Workers and the stream "
        "reader have 300.",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="The lowest level to log.")
    log_format: Literal["auto", "json", "text"] = Field(
        "auto", description="The form of log lines; `auto`: text on a terminal, JSON elsewhere."
    )

    @field_validator("database_url", "direct_url")
    @classmethod
    def _of_postgres(cls, url: SecretStr | None) -> SecretStr | None:
        """Refuse another database's URL here: libpq's own message would quote it, with its password."""
        given = url.get_secret_value() if url else "="
        if not given.startswith(("postgresql://", "postgres://")) and ("://" in given or "=" not in given):
            raise ValueError("must be like postgresql://role:password@host:5432/database")
        return url

    @field_validator("redis_url")
    @classmethod
    def _of_redis(cls, url: SecretStr | None) -> SecretStr | None:
        if url and not url.get_secret_value().startswith(REDIS_SCHEMES):
            raise ValueError(
                "must be like redis://:password@host:6379/0, or begin with rediss://, unix:// or sentinel://"
            )
        return url
