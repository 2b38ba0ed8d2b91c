"""Users' keys for model providers: brought along by a request, or stored; sealed, and never shown again."""

from uuid import UUID

from memory.sealing import CannotOpen, Seals, seals_of
from schemas.settings import Settings
from schemas.thinking import Provider, ProviderKey, SealedKey
from store import keys
from store.database import Store
from store.errors import NotFound, Refused

RESEALED_AT_ONCE = 100


def bring(store: Store, settings: Settings, user_id: UUID, provider: Provider, key: str) -> UUID:
    """Keep a key that came with a request for a short while; returns its id, which work can carry.

    Raises:
        Refused: There is no secret to seal it with.
    """
    return _put(store, settings, user_id, provider, key, passing=True).key_id


def add(store: Store, settings: Settings, user_id: UUID, provider: Provider, key: str) -> ProviderKey:
    """Store a key of a user's; the one stored last pays. A provider's refusal of it is forgotten.

    Raises:
        Refused: There is no secret to seal it with.
    """
    return _put(store, settings, user_id, provider, key, passing=False)


def listed(store: Store, user_id: UUID) -> list[ProviderKey]:
    """The keys that a user has stored, oldest first, without the keys."""
    with store.transaction() as tx:
        return keys.stored(tx, user_id)


def remove(store: Store, user_id: UUID, key_id: UUID) -> None:
    """Forget a key of a user's.

    Raises:
        NotFound: The user has no such key.
    """
    with store.transaction() as tx:
        if not keys.remove(tx, user_id, key_id):
            raise NotFound(f"You have no key {key_id}.")


def rotate(store: Store, settings: Settings) -> int:
    """Seal every key anew with the newest secret, after which older ones may go; returns how many.

    Raises:
        Refused: There is no secret, or one is missing that a key was sealed with; the keys before that one are done.
    """
    seals = _seals(settings)
    done, last = 0, None
    while True:
        with store.transaction() as tx:
            page = keys.after(tx, last, RESEALED_AT_ONCE)
            for sealed in page:
                try:
                    key = opened(seals, sealed)
                except CannotOpen as fault:
                    raise Refused(f"Key {sealed.key_id}: {fault}") from None
                owner = _owner(sealed.user_id, sealed.provider)
                keys.reseal(tx, sealed, seals.close(key, owner), seals.fingerprints(key, owner)[0])
        done += len(page)
        if len(page) < RESEALED_AT_ONCE:
            return done
        last = page[-1].key_id


def opened(seals: Seals | None, sealed: SealedKey) -> str:
    """The key itself, for whoever asks a model with it.

    Raises:
        CannotOpen: There is no secret that opens it.
    """
    if seals is None:
        raise CannotOpen("A key is stored, and PATROL_SECRET_KEY, which it was sealed with, is not set.")
    return seals.open(sealed.sealed, _owner(sealed.user_id, sealed.provider))


def _put(
    store: Store, settings: Settings, user_id: UUID, provider: Provider, key: str, *, passing: bool
) -> ProviderKey:
    seals = _seals(settings)
    owner = _owner(user_id, provider)
    sealed, fingerprints = seals.close(key, owner), seals.fingerprints(key, owner)
    life = settings.request_key_life if passing else None
    with store.transaction() as tx:
        return keys.put(tx, user_id, provider, sealed, fingerprints, key[-4:], life)


def _seals(settings: Settings) -> Seals:
    seals = seals_of(settings)
    if seals is None:
        raise Refused(
            "No key can be taken, for there is no secret to seal it with: whoever runs this sets PATROL_SECRET_KEY to"
            " 32 random characters or more, for instance from `openssl rand -base64 32`."
        )
    return seals


def _owner(user_id: UUID, provider: Provider) -> str:
    """Whose a sealed key is, and whom it opens: bound into the seal, so that a row moved elsewhere does not open."""
    return f"{user_id}/{provider}"
