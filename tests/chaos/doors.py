"""Ways into the system, as producers see them: hand something in, and be told what became of each item, or nothing."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol
from uuid import UUID

import httpx2

from memory import intake, patrol_demand
from memory.intake import DoorFull
from schemas.receipts import Receipt, Trouble
from schemas.settings import Settings
from store.database import Store
from store.errors import Unavailable
from workers.app import app
from workers.doorbell import ring

TIMEOUT = 20.0
What = Literal["notes", "messages"]


class NoAnswer(Exception):
    """Nobody knows whether it was taken: send it again."""


class Door(Protocol):
    """One way in. Several producers may use it at once."""

    name: str

    def hand_in(self, what: What, being_id: UUID, items: Sequence[Any]) -> Receipt:
        """Hand a batch of notes or of messages in.

        Raises:
            NoAnswer: The door was shut, or fell shut on the way.
        """

    def demand(self, being_id: UUID) -> None:
        """Demand a patrol.

        Raises:
            NoAnswer: The door was shut, or fell shut on the way.
        """


class InProcess:
    """The use case itself, as every other door calls it."""

    name = "in process"

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings

    def hand_in(self, what: What, being_id: UUID, items: Sequence[Any]) -> Receipt:
        """Commit what can be taken, then ring."""
        try:
            if what == "notes":
                accepted = intake.accept_notes(self._store, self._settings, being_id, items)
            else:
                accepted = intake.accept_messages(self._store, being_id, items)
        except (Unavailable, DoorFull) as shut:
            raise NoAnswer from shut
        ring(app, accepted.rings)
        return accepted.receipt

    def demand(self, being_id: UUID) -> None:
        """Commit the wish, then ring."""
        try:
            _, rings = patrol_demand.demand(self._store, self._settings, being_id)
        except Unavailable as shut:
            raise NoAnswer from shut
        ring(app, rings)


class Http:
    """The HTTP API, in processes of its own.

    Args:
        url: Where it is.
        token: A bearer token for every Being.
    """

    name = "HTTP"

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token

    def hand_in(self, what: What, being_id: UUID, items: Sequence[Any]) -> Receipt:
        """POST the batch."""
        answer = self._post(being_id, what, list(items))
        if answer.status_code == httpx2.codes.ACCEPTED:
            return Receipt.model_validate(answer.json())
        if answer.status_code == httpx2.codes.UNPROCESSABLE_ENTITY and "rejected" in answer.json():
            rejected = [Trouble.model_validate(trouble) for trouble in answer.json()["rejected"]]
            return Receipt(accepted=0, duplicates=0, conflicts=[], rejected=rejected, ids=[None] * len(items))
        raise NoAnswer(f"status {answer.status_code}")

    def demand(self, being_id: UUID) -> None:
        """POST the wish."""
        if self._post(being_id, "patrols", None).status_code != httpx2.codes.ACCEPTED:
            raise NoAnswer

    def _post(self, being_id: UUID, what: str, body: object) -> httpx2.Response:
        try:
            return httpx2.post(
                f"{self._url}/v1/beings/{being_id}/{what}",
                json=body,
                headers={"Authorization": f"Bearer {self._token}"},
                timeout=TIMEOUT,
            )
        except httpx2.TransportError as shut:
            raise NoAnswer from shut
