"""`patrol key`: users' keys for model providers."""

import sys
from typing import Annotated, get_args
from uuid import UUID

from pydantic import ValidationError
from typer import Argument, BadParameter, Option, Typer, confirm, prompt

from cli.console.failures import Failure
from cli.console.ledger import find_user, opened
from cli.console.options import JsonOption, UserOption
from cli.console.output import count, day, say, say_json, say_list, table, words
from memory.erased import recognition
from memory.llm import keys as provider_keys
from schemas.accounts.accounts import NewKey
from schemas.llm.calls import Provider
from schemas.text.validation_messages import validation_messages
from store.accounts import erased

keys = Typer(help="Users' keys for model providers.", no_args_is_help=True)


@keys.command("add")
def add_key(
    owner: UserOption,
    provider: Annotated[
        str | None,
        Option(metavar="anthropic|openai", help="The key's provider.", show_default="by the key's prefix"),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Store a user's key, read from the terminal or from stdin. It is encrypted, and can't be shown again."""
    if provider not in {None, *get_args(Provider)}:
        raise BadParameter(f"no such provider. There are {', '.join(get_args(Provider))}.", param_hint="--provider")
    key = prompt("Key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    try:
        new = NewKey.model_validate({"key": key.strip(), "provider": provider})
    except ValidationError as error:
        raise Failure(f"This can't be a key. {'; '.join(validation_messages(error))}") from None
    with opened() as on:
        with on.store.transaction() as tx:
            user = find_user(tx, owner)
        target = new.provider or on.thinkers.provider_of(new.key)
        added = provider_keys.add(on.store, on.settings, user.user_id, target, new.key)
    if as_json:
        say_json(added)
    else:
        say(f"Stored: {words(user.name)}'s Beings think with the {added.provider} key that ends in {added.last_four}.")


@keys.command("list")
def list_keys(owner: UserOption, *, as_json: JsonOption = False) -> None:
    """List a user's stored keys by their last four characters; the last one pays."""
    with opened() as on:
        with on.store.transaction() as tx:
            user = find_user(tx, owner)
        found = provider_keys.list_keys(on.store, user.user_id)
    if as_json:
        return say_list("keys", found)
    shown = table("key", "provider", "ends in", "added", "last used", "*refused")
    for key in found:
        shown.add_row(
            str(key.key_id),
            key.provider,
            key.last_four,
            day(key.created_at),
            day(key.last_used_at) or "never",
            f"{day(key.refused_at)}: {words(key.refusal)}" if key.refused_at else "",
        )
    say(shown if found else f"{words(user.name)} has stored no key. Store one: patrol key add --user NAME")
    return None


@keys.command("remove")
def remove_key(
    owner: UserOption, key: Annotated[UUID, Argument(metavar="ID", help="The key's id, as the list shows it.")]
) -> None:
    """Delete a user's key."""
    with opened() as on:
        with on.store.transaction() as tx:
            user = find_user(tx, owner)
        provider_keys.remove(on.store, user.user_id, key)
    say("Deleted.")


@keys.command("rotate")
def rotate_keys() -> None:
    """Encrypt every key with the first secret of PATROL_SECRET_KEY; older secrets can be removed afterwards."""
    with opened() as on:
        done = provider_keys.rotate(on.store, on.settings)
        with on.store.transaction() as tx:
            recognition.rotate(tx, on.settings)
    say(f"{count(done, 'key')} sealed with the newest secret.")


@keys.command("reset")
def reset_keys(
    *, yes: Annotated[bool, Option("--yes", "-y", help="Remove without asking for confirmation.")] = False
) -> None:
    """Remove what no secret in PATROL_SECRET_KEY decrypts, after the secret was lost for good.

    Users have to store these provider keys again. What users had erased is no longer recognised when it is sent again.
    """
    with opened() as on:
        lost = provider_keys.undecryptable(on.store, on.settings)
        with on.store.transaction() as tx:
            users = recognition.undecryptable(tx, on.settings)
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
        with on.store.transaction() as tx:
            for user_id in users:
                erased.forget(tx, user_id)
    say(f"Removed: {count(len(lost), 'provider key')}, records of what {count(len(users), 'user')} erased.")
    return None
