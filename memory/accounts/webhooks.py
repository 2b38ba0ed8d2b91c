"""Use cases of a user's webhook; its secret is stored encrypted, as provider keys are."""

from uuid import UUID

from memory.llm.key_encryption import DecryptionFailed, KeyCipher, key_cipher, needed_cipher
from memory.text.errors import InvalidRequest
from providers.webhooks import address_fault, new_secret
from schemas.accounts.webhooks import NewWebhookSecret
from schemas.settings import Settings
from store.accounts import webhooks
from store.accounts.webhooks import SealedWebhook
from store.database import Store


def put(store: Store, settings: Settings, user_id: UUID, url: str) -> NewWebhookSecret:
    """Set a user's webhook, with a new secret, in place of an earlier one.

    Raises:
        InvalidRequest: The address is not allowed.
        Refused: There is no secret to encrypt the webhook's with.
    """
    if fault := address_fault(url, allow_private=settings.webhook_private):
        raise InvalidRequest(f"The webhook's `url` is not allowed: {fault}.")
    cipher, secret = _cipher(settings), new_secret()
    store.run(webhooks.put, user_id, url, cipher.encrypt(secret, _owner(user_id)))
    return NewWebhookSecret(url=url, secret=secret)


def opened(settings: Settings, webhook: SealedWebhook) -> str | None:
    """The secret of a webhook; None if no configured secret decrypts it."""
    cipher = key_cipher(settings)
    try:
        return cipher.decrypt(webhook.sealed, _owner(webhook.user_id)) if cipher else None
    except DecryptionFailed:
        return None


def rotate(store: Store, settings: Settings) -> int:
    """Encrypt every webhook's secret with the newest secret key; returns how many. Undecryptable ones stay."""
    done = 0
    with store.transaction() as tx:
        for webhook in webhooks.all_webhooks(tx):
            if secret := opened(settings, webhook):
                webhooks.reseal(tx, webhook.user_id, _cipher(settings).encrypt(secret, _owner(webhook.user_id)))
                done += 1
    return done


def _cipher(settings: Settings) -> KeyCipher:
    without = "A webhook can't be set, because the server has no secret to encrypt its secret with"
    return needed_cipher(settings, without)


def _owner(user_id: UUID) -> str:
    """The associated data of the encryption, so that a ciphertext moved to another row does not decrypt."""
    return f"{user_id}/webhook"
