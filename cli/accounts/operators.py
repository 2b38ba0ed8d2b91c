"""`patrol operator`: tokens that belong to no user, for users, metrics and work."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

from typer import Argument, Option, Typer

from cli.console.failures import Failure
from cli.console.ledger import opened
from cli.console.options import JsonOption
from cli.console.output import remark, say, say_json, say_list, table
from memory.accounts import access

operators = Typer(help="Operators' tokens, for users, metrics and work.", no_args_is_help=True)


@operators.command("add")
def add_token(
    days: Annotated[
        int | None, Option(min=1, max=36500, help="For how many days it is valid.", show_default="until it is revoked")
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Create a token for `/v1/users`, `/metrics` and `/v1/work`, and print its secret, which can't be shown again."""
    with opened() as on:
        secret, token = access.issue_operator_token(on.store, lifetime=None if days is None else timedelta(days=days))
    if as_json:
        say_json({"secret": secret, "token": token})
    else:
        say(secret)
        remark("Keep it: it is shown this once. Send it as `Authorization: Bearer …`.")


@operators.command("list")
def list_tokens(*, as_json: JsonOption = False) -> None:
    """List operators' tokens, oldest first, without their secrets."""
    with opened() as on:
        found = access.operator_tokens(on.store)
    rows = []
    for one in found:
        ends = "revoked" if one.revoked_at else one.expires_at or "never"
        rows.append((one.token_id, one.created_at, ends, one.last_used_at or "never"))
    shown = table("token", "made", "ends", "last used", rows=rows)
    listing = shown if found else "There is no operator's token yet. Make one: patrol operator add"
    say_list("tokens", found, listing, as_json=as_json)


@operators.command("revoke")
def revoke_token(token: Annotated[UUID, Argument(metavar="ID", help="The token's id, as the list shows it.")]) -> None:
    """End a token's life at once."""
    with opened() as on:
        if not access.revoke_operator_token(on.store, token):
            raise Failure(f"There is no operator's token {token}. See `patrol operator list`.")
    say("Revoked: it opens nothing any more.")
