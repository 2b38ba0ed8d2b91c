"""How a Being uses its vault, as the part `memory` of the seed's profile in YAML."""

from typing import Any

import yaml
from pydantic import ValidationError

from memory.questions import BadQuestion
from memory.vault_scopes import chosen
from schemas.complaints import complaints
from schemas.rows import Being
from schemas.vault import Profile
from store import vault
from store.database import Store

PART = "memory"


def read_profile(text: str) -> Profile:
    """Read the part `memory` of a profile; what else stands there is somebody else's.

    Raises:
        BadQuestion: It is no YAML, has no such part, or the part is not as it must be.
    """
    try:
        found: Any = yaml.safe_load(text)
    except yaml.MarkedYAMLError as fault:
        place = f" at line {fault.problem_mark.line + 1}" if fault.problem_mark else ""
        raise BadQuestion(f"The profile is not YAML: {fault.problem}{place}.") from None
    except yaml.YAMLError:
        raise BadQuestion("The profile is not YAML: it holds a character that YAML does not allow.") from None
    part = found.get(PART) if isinstance(found, dict) else None
    if not isinstance(part, dict):
        raise BadQuestion(f"The profile has no part `{PART}` with `enabled`, `scopes` and so on.")
    try:
        return Profile.model_validate(part)
    except ValidationError as error:
        raise BadQuestion("; ".join(f"{PART}.{complaint}" for complaint in complaints(error))) from None


def write_profile(profile: Profile) -> str:
    """Write a profile as `read_profile` reads it."""
    return yaml.safe_dump({PART: profile.model_dump()}, sort_keys=False)


def profile_of(store: Store, being: Being) -> Profile:
    """How a Being uses its vault, with its scopes named."""
    with store.transaction() as tx:
        profile = vault.profile(tx, being)
    return profile.model_copy(update={"scopes": chosen(being, profile.scopes)})


def use_profile(store: Store, being: Being, profile: Profile) -> Profile:
    """Let a Being use its vault so from now on.

    Raises:
        BadQuestion: It does not see one of the scopes.
    """
    scopes = None if profile.scopes is None else chosen(being, profile.scopes)
    with store.transaction() as tx:
        vault.set_profile(tx, being, profile.model_copy(update={"scopes": scopes}))
    return profile_of(store, being)
