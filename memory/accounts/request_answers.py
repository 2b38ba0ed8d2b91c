"""Handles a request with an Idempotency-Key once: the same request again gets the stored answer.

The answer is stored encrypted under keys derived from the caller's access token and the Idempotency-Key. The database
has neither, so that it can't disclose the answer, which may hold a person's words or a new token's secret.
"""

import hmac
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from schemas.errors import Refused
from store.accounts import request_answers
from store.accounts.request_answers import StoredAnswer
from store.database import Store

NONCE_BYTES = 12


@dataclass(frozen=True)
class KeyedRequest:
    """A request with an Idempotency-Key.

    Args:
        user_id: The owner of the request's data.
        secret: The secret of the caller's access token.
        key: The Idempotency-Key.
        request: A digest of the method, the path and the body.
    """

    user_id: UUID
    secret: str
    key: str
    request: bytes

    @property
    def digest(self) -> bytes:
        """The digest under which the answer is stored."""
        return self._derived("digest")

    def encrypt(self, answer: bytes) -> bytes:
        """Encrypt an answer for this request's sender."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + AESGCM(self._derived("cipher")).encrypt(nonce, answer, self.request)

    def decrypt(self, stored: StoredAnswer) -> bytes:
        """Decrypt the stored answer.

        Raises:
            Refused: The key was used for another request.
        """
        if not hmac.compare_digest(stored.request, self.request):
            raise Refused("This Idempotency-Key was used for another request: send a new key with each new request.")
        nonce, encrypted = stored.answer[:NONCE_BYTES], stored.answer[NONCE_BYTES:]
        return AESGCM(self._derived("cipher")).decrypt(nonce, encrypted, self.request)

    def _derived(self, purpose: str) -> bytes:
        return hmac.digest(self.secret.encode(), f"{purpose} {self.key}".encode(), "sha256")


@dataclass(frozen=True)
class NewAnswer:
    """An answer; off the record, no copy of it may be stored."""

    answer: bytes
    off_the_record: bool = False


def answer_once(store: Store, request: KeyedRequest, handle: Callable[[], NewAnswer]) -> bytes:
    """Handle a request in one transaction with the storing of its answer, or return the stored answer.

    The writes of `handle` are committed together with the answer, or not at all. The same request at the same moment
    waits for the first.

    Raises:
        Refused: The key was used for another request.
    """
    with store.joined() as tx:
        request_answers.hold(tx, request.user_id, request.digest)
        if stored := request_answers.find(tx, request.user_id, request.digest):
            return request.decrypt(stored)
        answer = handle().answer
        _add(request, answer, store)
    return answer


def answer_again(store: Store, request: KeyedRequest, handle: Callable[[], NewAnswer]) -> bytes:
    """Return the stored answer, or handle a request and store the answer afterwards, if it is not off the record.

    For requests that may call a model, during which no connection is held, and that are harmless when repeated: if the
    process dies between handling and storing, the same request is handled again.

    Raises:
        Refused: The key was used for another request.
    """
    stored = store.run(request_answers.find, request.user_id, request.digest)
    if stored:
        return request.decrypt(stored)
    made = handle()
    if not made.off_the_record:
        _add(request, made.answer, store)
    return made.answer


@contextmanager
def without_stored_answers(store: Store, user_id: UUID) -> Iterator[None]:
    """Delete the stored answers about a user, which may show erased rows, in one transaction with the erasing block.

    The block must call no model: it holds a connection.
    """
    with store.joined() as tx:
        yield
        request_answers.remove(tx, user_id)


def _add(request: KeyedRequest, answer: bytes, store: Store) -> None:
    store.run(
        request_answers.add, request.user_id, request.digest, StoredAnswer(request.request, request.encrypt(answer))
    )
