"""Pages of users, for the operator."""

from memory.text.pages import cut_page, parse_id_cursor
from schemas.accounts.accounts import UserPage
from store.accounts import users
from store.database import Store


def user_page(store: Store, *, external_id: str | None, cursor: str | None, limit: int) -> UserPage:
    """List users, oldest first; with `external_id` only the user who has it.

    Raises:
        InvalidRequest: The cursor is invalid.
    """
    after = parse_id_cursor(cursor)
    with store.transaction() as tx:
        found = users.user_page(tx, external_id=external_id, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda user: str(user.user_id))
    return UserPage(users=shown, cursor=end)
