"""A Being's vault configuration: the section `memory` of the vault seed's profile in YAML."""

from typing import Any

import yaml
from pydantic import ValidationError

from memory.text.errors import InvalidRequest
from memory.vault.scopes import chosen
from schemas.accounts.accounts import Being
from schemas.text.validation_messages import validation_messages
from schemas.vault.vault_requests import VaultConfig
from store import vault
from store.database import Store

SECTION = "memory"


def read_config(text: str) -> VaultConfig:
    """Read the section `memory` of a YAML profile; other sections are ignored.

    Raises:
        InvalidRequest: The text is not YAML, has no such section, or the section is invalid.
    """
    try:
        found: Any = yaml.safe_load(text)
    except yaml.MarkedYAMLError as fault:
        place = f" at line {fault.problem_mark.line + 1}" if fault.problem_mark else ""
        raise InvalidRequest(f"The profile is not YAML: {fault.problem}{place}.") from None
    except yaml.YAMLError:
        raise InvalidRequest("The profile is not YAML: it holds a character that YAML does not allow.") from None
    section = found.get(SECTION) if isinstance(found, dict) else None
    if not isinstance(section, dict):
        raise InvalidRequest(f"The profile has no section `{SECTION}` with `enabled`, `scopes` and so on.")
    try:
        return VaultConfig.model_validate(section)
    except ValidationError as error:
        raise InvalidRequest("; ".join(f"{SECTION}.{complaint}" for complaint in validation_messages(error))) from None


def write_config(config: VaultConfig) -> str:
    """Write a configuration as the YAML that `read_config` reads."""
    return yaml.safe_dump({SECTION: config.model_dump()}, sort_keys=False)


def config_of(store: Store, being: Being) -> VaultConfig:
    """A Being's configuration, in which the scopes are always named."""
    config = store.run(vault.config, being)
    return config.model_copy(update={"scopes": chosen(being, config.scopes)})


def set_config(store: Store, being: Being, config: VaultConfig) -> VaultConfig:
    """Replace a Being's configuration; returns it as `config_of` does.

    Raises:
        InvalidRequest: The Being may not use one of the scopes.
    """
    scopes = None if config.scopes is None else chosen(being, config.scopes)
    store.run(vault.set_config, being, config.model_copy(update={"scopes": scopes}))
    return config_of(store, being)
