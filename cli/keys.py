"""`patrol key`: users' keys for model providers."""

import sys
from typing import Annotated, get_args
from uuid import UUID

from pydantic import ValidationError
from typer import Argument, BadParameter, Option, Typer, prompt

from cli.failures import Failure
from cli.ledger import find_user, opened
from cli.options import JsonOption, UserOption
from cli.output import count, day, say, say_json, table, words
from memory import keys as provider_keys
from schemas.complaints import complaints
from schemas.requests import NewKey
from schemas.thinking import Provider

keys = Typer(help="Users' keys for model providers.", no_args_is_help=True)


@keys.command("add")
def add_key(
    owner: UserOption,
    provider: Annotated[
        str | None,
        Option(metavar="anthropic|openai", help="Whose key it is.", show_default="as the key itself tells"),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Store a user's key: asked for, or read from stdin; it is encrypted, and never shown again."""
    if provider not in {None, *get_args(Provider)}:
        raise BadParameter(f"no such provider. There are {', '.join(get_args(Provider))}.", param_hint="--provider")
    key = prompt("Key", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    try:
        new = NewKey.model_validate({"key": key.strip(), "provider": provider})
    except ValidationError as error:
        raise Failure(f"This can't be a key. {'; '.join(complaints(error))}") from None
    with opened() as on:
        with on.store.transaction() as tx:
            user = find_user(tx, owner)
        whose = new.provider or on.thinkers.provider_of(new.key)
        added = provider_keys.add(on.store, on.settings, user.user_id, whose, new.key)
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
        found = provider_keys.listed(on.store, user.user_id)
    if as_json:
        return say_json(found)
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
    """Forget a user's key."""
    with opened() as on:
        with on.store.transaction() as tx:
            user = find_user(tx, owner)
        provider_keys.remove(on.store, user.user_id, key)
    say("It is forgotten.")


@keys.command("rotate")
def rotate_keys() -> None:
    """Seal every key anew with the first secret of PATROL_SECRET_KEY; afterwards the older ones may go."""
    with opened() as on:
        done = provider_keys.rotate(on.store, on.settings)
    say(f"{count(done, 'key')} sealed with the newest secret.")
