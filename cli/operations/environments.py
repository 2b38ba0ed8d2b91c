"""The environment of each of the system's processes: an allow-list by role, with that role's secrets alone.

Settings that are not secret go to every process. A secret goes only to the roles that `SECRETS` names it for; a setting
that becomes a secret (`SecretStr`) is passed to no process until a role names it.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from providers.thinkers import platform_llm_disabled
from schemas.settings import CHECKOUT, Settings, variable
from workers.embedded.environment import plain_environment

Role = Literal["api", "worker", "stream", "beat", "flower", "canned"]

SECRETS: Mapping[Role, frozenset[str]] = MappingProxyType(
    {
        # It embeds queries and encrypts users' keys; it uses no language model.
        "api": frozenset({"DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "PATROL_SECRET_KEY"}),
        "worker": frozenset(
            {
                "DATABASE_URL",
                "PATROL_DIRECT_URL",
                "REDIS_URL",
                "OPENAI_API_KEY",
                "ANTHROPIC_API_KEY",
                "PATROL_SECRET_KEY",
            }
        ),
        # It recognises erased items by digests keyed with the secret, and uses no provider.
        "stream": frozenset({"DATABASE_URL", "REDIS_URL", "PATROL_SECRET_KEY"}),
        "beat": frozenset({"REDIS_URL"}),
        # Its password is passed by the name that Flower reads; see `cli.operations.services`.
        "flower": frozenset({"REDIS_URL"}),
        "canned": frozenset(),
    }
)
# Prefixes of variables that libpq, OpenTelemetry and the providers' SDKs read, for roles with the secret on the left.
BESIDE = {
    "DATABASE_URL": ("PG",),
    # The address of a collector of traces, and its headers.
    "PATROL_SECRET_KEY": ("OTEL_",),
    "OPENAI_API_KEY": ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "SSL_CERT_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"),
}
# Parallelism is by processes; threads of numeric libraries would compete with them for the processors.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def environment(role: Role) -> dict[str, str]:
    """Return the whole environment for a process of that role, taken from this process's environment."""
    path = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
    allowed = {*PLAIN_SETTINGS, *SECRETS[role], "NO_PROXY", "VIRTUAL_ENV"}
    beside = tuple(prefix for name in SECRETS[role] for prefix in BESIDE.get(name, ()))
    ours = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in allowed or name.upper().startswith(("PYTHON", "TOKENIZERS_", *beside))
    }
    if SECRETS[role]:
        # The process reads the files itself; in containers each service has a directory with its own secrets.
        ours |= {name: os.environ[name] for name in ("PATROL_SECRETS",) if name in os.environ}
    # Postgres shows it as the name of the process's connections.
    named = {"PGAPPNAME": f"patrol {role}"}
    return {**plain_environment(), **ours, **_thinker(role), **ONE_THREAD, **named, "PYTHONPATH": path}


def is_secret(field: FieldInfo) -> bool:
    """Return whether a setting is a secret."""
    return SecretStr in (field.annotation, *get_args(field.annotation))


PLAIN_SETTINGS = frozenset(
    variable(name, field) for name, field in Settings.model_fields.items() if not is_secret(field)
)


def _thinker(role: Role) -> dict[str, str]:
    """Pass the platform's provider to processes that accept messages but have no provider key to derive it from."""
    if role not in {"api", "stream"}:
        return {}
    settings = Settings()
    if settings.thinker != "auto" or platform_llm_disabled(settings):
        return {}
    return {"PATROL_THINKER": "anthropic" if settings.anthropic_api_key else "openai"}
