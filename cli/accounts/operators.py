"""`patrol operator`: tokens that belong to no user, for users, metrics and work."""

from datetime import timedelta

from typer import Typer

from cli.accounts.tokens import TokenId, ValidDays, life, say_secret
from cli.console.failures import Failure
from cli.console.ledger import open_ledger
from cli.console.options import JsonOption
from cli.console.output import listing, say, say_json, say_list
from memory.accounts import access

operators = Typer(help="Operators' tokens, for users, metrics and work.", no_args_is_help=True)


@operators.command("add")
def add_token(
    days: ValidDays = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Create a token for `/v1/users`, `/metrics` and `/v1/work`, and print its secret, which can't be shown again."""
    with open_ledger() as on:
        secret, token = access.issue_operator_token(on.store, lifetime=None if days is None else timedelta(days=days))
    if as_json:
        say_json({"secret": secret, "token": token})
    else:
        say_secret(secret)


@operators.command("list")
def list_tokens(*, as_json: JsonOption = False) -> None:
    """List operators' tokens, oldest first, without their secrets."""
    with open_ledger() as on:
        found = access.operator_tokens(on.store)
    none = "There is no operator's token yet. Make one: patrol operator add"
    shown = listing(none, "token", "made", "ends", "last used", rows=((one.token_id, *life(one)) for one in found))
    say_list("tokens", found, shown, as_json=as_json)


@operators.command("revoke")
def revoke_token(token: TokenId) -> None:
    """End a token's life at once."""
    with open_ledger() as on:
        if not access.revoke_operator_token(on.store, token):
            raise Failure(f"There is no operator's token {token}. See `patrol operator list`.")
    say("Revoked: it opens nothing any more.")
