"""`patrol token`: users' access tokens for the API."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, get_args
from uuid import UUID

from typer import Argument, BadParameter, Option, Typer

from cli.console.ledger import find_being, find_user, open_ledger
from cli.console.options import JsonOption, UserOption
from cli.console.output import listing, remark, say, say_json, say_list, words
from memory.accounts import lookup
from operations.accounts import users as operations
from schemas.accounts.accounts import NewToken, OperatorToken, Scope, Token

tokens = Typer(help="Access tokens of users for the API.", no_args_is_help=True)


ValidDays = Annotated[
    int | None, Option(min=1, max=36500, help="For how many days it is valid.", show_default="until it is revoked")
]
TokenId = Annotated[UUID, Argument(metavar="ID", help="The token's id, as the list shows it.")]


def say_secret(secret: str) -> None:
    """Print a new token's secret to stdout."""
    say(secret)
    remark("Keep it: it can't be shown again. Send it as `Authorization: Bearer …`.")


def life(token: Token | OperatorToken) -> tuple[Any, ...]:
    """Return when a token was made, when it ends, and when it was used last."""
    ends = "revoked" if token.revoked_at else token.expires_at or "never"
    return token.created_at, ends, token.last_used_at or "never"


@tokens.command("add")
def add_token(
    owner: UserOption,
    scopes: Annotated[
        list[str],
        Option(
            "--scope",
            "-s",
            metavar="ingest|read|manage",
            help="A right of the token: to send, to read, to change. May be repeated.",
        ),
    ],
    being: Annotated[
        str | None,
        Option("--being", "-b", metavar="SLUG|ID", help="Bind it to this Being.", show_default="all of the user's"),
    ] = None,
    days: ValidDays = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Create a token, and print its secret to stdout. The secret can't be shown again."""
    if unknown := sorted({*scopes} - {*get_args(Scope)}):
        raise BadParameter(f"no such scope: {', '.join(unknown)}. There are {', '.join(get_args(Scope))}.")
    allowed: list[Scope] = [scope for scope in get_args(Scope) if scope in scopes]
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    with open_ledger() as on:
        user = find_user(on, owner)
        bound = None if being is None else str(find_being(on, being, str(user.user_id)).being_id)
        new = NewToken(scopes=allowed, being=bound, expires=expires)
        issued = operations.create_token.perform(on, user_id=user.user_id, new=new)
    if as_json:
        say_json(issued)
    else:
        say_secret(issued.secret)


@tokens.command("list")
def list_tokens(owner: UserOption, *, as_json: JsonOption = False) -> None:
    """List a user's tokens, oldest first, without their secrets."""
    with open_ledger() as on:
        user = find_user(on, owner)
        found = operations.list_tokens.perform(on, user_id=user.user_id).tokens
        slugs = {being.being_id: being.slug for being in lookup.beings_named(on.store, None, user.user_id)}
    rows = (
        (one.token_id, slugs[one.being_id] if one.being_id else "all", " ".join(one.scopes), *life(one))
        for one in found
    )
    none = f"{words(user.name)} has no token yet. Make one: patrol token add --user NAME --scope read"
    shown = listing(none, "token", "being", "scopes", "made", "ends", "last used", rows=rows)
    say_list("tokens", found, shown, as_json=as_json)


@tokens.command("revoke")
def revoke_token(
    owner: UserOption,
    token: TokenId,
) -> None:
    """Revoke a token at once, and remove provider keys that came with its requests."""
    with open_ledger() as on:
        operations.revoke_token.perform(on, user_id=find_user(on, owner).user_id, token_id=token)
    say("Revoked.")
