"""The choice of the key that pays for model calls, and of the model that it opens.

The user's stored key pays; where none is stored, the key of the request; else the platform's. A stored key that can't
be used is not replaced by another: no other key is charged in its place.
"""

from dataclasses import dataclass
from uuid import UUID

from memory.llm.key_encryption import DecryptionFailed, key_cipher
from memory.llm.keys import decrypt
from providers.errors import Misconfigured, ProviderError, Transient
from providers.thinkers import Thinkers
from providers.thinking import Thinker
from schemas.llm.calls import EncryptedKey, PaidWith
from schemas.settings import Settings
from store.database import Store
from store.llm import breakers, keys
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class LlmUnavailable:
    """No model is available to this work.

    Attributes:
        reason: Why, for the work's owner; may name the last characters of a key.
        logged: Why, for logs: without any part of a key.
        away: Whether one is expected back: the provider does not answer, or rejects the key.
    """

    reason: str
    logged: str = "no key"
    away: bool = False


@dataclass(frozen=True, slots=True)
class Payer:
    """A model with the key that pays for it.

    Attributes:
        thinker: The provider's models with the key.
        key: The user's key; None: the platform's.
    """

    thinker: Thinker
    key: EncryptedKey | None

    @property
    def paid_with(self) -> PaidWith:
        """The kind of payer that the key belongs to."""
        if self.key is None:
            return "platform"
        return "user" if self.key.expires_at is None else "request"

    @property
    def key_id(self) -> UUID | None:
        """The id of the user's key; None: the platform's."""
        return self.key.key_id if self.key else None

    def away(self, tx: Transaction) -> LlmUnavailable | None:
        """Return the fault if the provider does not answer requests with this key; None: no fault is known."""
        away = breakers.away(tx, self.thinker.provider, self.key_id)
        return LlmUnavailable(away.sentence(), "the provider is away", away=True) if away else None


def blamed(store: Store, key: EncryptedKey | None, error: Misconfigured) -> ProviderError:
    """Attribute an error to the platform's settings, or to the user's key, which is then stored as rejected."""
    if key is None or not error.about_key:
        return error
    store.run(keys.refuse, key.user_id, key.key_id, str(error))
    return Transient(f"The user's key can't be used: {error}", retry_after=0)


def find_payer(
    tx: Transaction, thinkers: Thinkers, settings: Settings, owner_id: UUID, request_key: UUID | None
) -> Payer | LlmUnavailable:
    """Choose the payer of an owner's calls; `request_key` is the id of the key that came with all of their inputs.

    Raises:
        NotFound: The owner does not exist any more.
    """
    key = keys.paying(tx, owner_id, request_key)
    if key is not None and keys.refused(tx, key):
        reason = f"The provider refuses the key that ends in {key.last_four}: {key.refusal}"
        return LlmUnavailable(reason, "the key is refused", away=True)
    try:
        if key is None:
            thinker = thinkers.platform()
        else:
            thinker = thinkers.with_key(key.provider, decrypt(key_cipher(settings), key))
    except (DecryptionFailed, Misconfigured) as fault:
        return LlmUnavailable(str(fault), "the key or the settings can't be used")
    return Payer(thinker, key) if thinker else LlmUnavailable("no key")
