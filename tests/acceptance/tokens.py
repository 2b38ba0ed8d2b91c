"""Things that a request may show that are no valid token of a user's, or not enough of one."""

from datetime import timedelta
from uuid import UUID

from memory.accounts import access
from memory.accounts.page_sessions import issue_link
from store.accounts import tokens
from tests.acceptance.conftest import ALL_SCOPES, Person

# None of it opens anything, at any door.
USELESS = ("no token", "a guessed token", "an expired token", "a revoked token", "the link of the page")
SCOPES_ALONE = ("ingest", "read", "manage")


def useless_secret(person: Person, shown: str, being_id: UUID | None) -> str | None:
    """The secret of something that opens nothing: one of `USELESS`, or an operator's token."""
    if shown == "no token":
        return None
    if shown == "a guessed token":
        return "patrol_guessed"
    if shown == "the link of the page":
        return issue_link(person.ledger, person.user.user_id, timedelta(hours=1))
    if shown == "an operator's token":
        return access.issue_operator_token(person.ledger, lifetime=None)[0]
    secret, token = access.issue_token(
        person.ledger, person.user.user_id, being_id=being_id, scopes=[*ALL_SCOPES], lifetime=timedelta(hours=1)
    )
    with person.ledger.transaction() as tx:
        if shown == "an expired token":
            tx.execute(
                "update memory.api_tokens set expires_at = clock_timestamp() where user_id = %s and token_id = %s",
                [person.user.user_id, token.token_id],
            )
        else:
            tokens.revoke_token(tx, person.user.user_id, token.token_id)
    return secret
