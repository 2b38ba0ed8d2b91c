"""`patrol key`: users' keys for model providers."""

import sys
from typing import Annotated, Any

from pydantic import ValidationError
from typer import Option, confirm, prompt

from cli.console.declared import Group
from cli.console.failures import Failure
from cli.console.ledger import every_right, find_user, open_ledger
from cli.console.options import JsonOption, UserOption
from cli.console.output import count, day, listing, say, say_answer, words
from memory.accounts import webhooks
from memory.erased import known_erased
from memory.llm import keys as provider_keys
from operations.llm import keys as operations
from schemas.accounts.accounts import NewKey
from schemas.llm.calls import KeyPage, Provider
from schemas.text.validation_messages import validation_messages


def _keys(page: KeyPage) -> list[Any]:
    rows = []
    for key in page.keys:
        refused = f"{day(key.refused_at)}: {key.refusal}" if key.refused_at else ""
        rows.append((key.key_id, key.provider, key.last_four, key.created_at, key.last_used_at or "never", refused))
    none = "No key is stored. Store one: patrol key add --user NAME"
    return [listing(none, "key", "provider", "ends in", "added", "last used", "*refused", rows=rows)]


keys = Group(operations, "Users' keys for model providers.", views={KeyPage: _keys}).commands


@keys.command("add")
def add_key(
    owner: UserOption,
    provider: Annotated[
        Provider | None,
        Option(help="The key's provider.", show_default="by the key's prefix"),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Store a user's key, read from the terminal or from stdin. It is encrypted, and can't be shown again."""
    key = prompt("Key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    try:
        new = NewKey.model_validate({"key": key.strip(), "provider": provider})
    except ValidationError as error:
        raise Failure(f"This can't be a key. {'; '.join(validation_messages(error))}") from None
    with open_ledger() as on:
        user = find_user(on, owner)
        added = operations.store_key.perform(on, caller=every_right(user), new=new)
    stored = f"{words(user.name)}'s Beings think with the {added.provider} key that ends in {added.last_four}"
    say_answer(added, f"Stored: {stored}.", as_json=as_json)


@keys.command("rotate")
def rotate_keys() -> None:
    """Encrypt every key with the first secret of PATROL_SECRET_KEY; older secrets can be removed afterwards."""
    with open_ledger() as on:
        done = provider_keys.rotate(on.store, on.settings) + webhooks.rotate(on.store, on.settings)
        known_erased.rotate(on.store, on.settings)
    say(f"{count(done, 'key')} sealed with the newest secret.")


@keys.command("reset")
def reset_keys(
    *, yes: Annotated[bool, Option("--yes", "-y", help="Remove without asking for confirmation.")] = False
) -> None:
    """Remove all values that no secret in PATROL_SECRET_KEY decrypts, after the secret was lost for good.

    Users have to store these provider keys again. Items that users had erased are no longer recognised when sent again.
    """
    with open_ledger() as on:
        lost = provider_keys.undecryptable(on.store, on.settings)
        users = known_erased.undecryptable(on.store, on.settings)
        if not lost and not users:
            return say("Every stored key can be decrypted: there is nothing to reset.")
        if not yes:
            confirm(
                f"Remove {count(len(lost), 'provider key')}, and for {count(len(users), 'user')} the record of what was"
                " erased? If a producer sends an erased item again, it will be taken in.",
                abort=True,
                err=True,
            )
        for key in lost:
            provider_keys.remove(on.store, key.user_id, key.key_id)
        known_erased.remove(on.store, users)
    say(f"Removed: {count(len(lost), 'provider key')}, records of what {count(len(users), 'user')} erased.")
    return None
