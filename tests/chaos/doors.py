"""The front doors as producers use them: send a batch, and get a result for each item, or no answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol
from uuid import UUID

import httpx2
from redis import Redis
from redis.exceptions import RedisError

from memory.intake import retraction
from memory.intake.accepting import IntakeFull
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.patrol import demand as patrol_demand
from providers.embedders import Embedders
from providers.errors import ProviderError
from schemas.errors import Refused, Unavailable
from schemas.intake.notes import ItemFault, Receipt
from schemas.settings import Settings
from schemas.talk.retraction import MessageSelection
from store.accounts import beings
from store.database import Store
from store.intake import notes
from store.talk import messages
from workers.embedded.processes import wait_until
from workers.streams import rejected

TIMEOUT = 20.0
STREAM_TIMEOUT = 5.0
ItemKind = Literal["notes", "messages"]


class NoAnswer(Exception):
    """It is unknown whether the batch was accepted; the producer must send it again."""


@dataclass(frozen=True)
class Change:
    """A retraction or restoration of some messages; its id identifies it when it is sent again."""

    id_: str
    what: Literal["retract", "restore"]
    messages: Sequence[str]


class Door(Protocol):
    """One front door, which several producers may use at once."""

    name: str

    def hand_in(self, what: ItemKind, being_id: UUID, items: Sequence[Any]) -> Receipt:
        """Send a batch of notes or of messages.

        Raises:
            NoAnswer: The door was shut, or fell shut on the way.
        """

    def demand(self, being_id: UUID) -> None:
        """Demand a patrol.

        Raises:
            NoAnswer: The door was shut, or fell shut on the way.
        """

    def change(self, being_id: UUID, change: Change) -> None:
        """Retract or restore messages.

        Raises:
            NoAnswer: The door was shut, or fell shut on the way.
        """


class InProcess:
    """The use case, without a protocol."""

    name = "in process"

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._embedders = Embedders(settings)

    def hand_in(self, what: ItemKind, being_id: UUID, items: Sequence[Any]) -> Receipt:
        """Accept the batch; the store sends the messages."""
        try:
            if what == "notes":
                return accept_notes(self._store, self._settings, being_id, items)
            return accept_messages(self._store, self._settings, being_id, items)
        except (Unavailable, IntakeFull) as shut:
            raise NoAnswer from shut

    def demand(self, being_id: UUID) -> None:
        """Commit the demand; the store sends the message for it."""
        try:
            patrol_demand.demand(self._store, self._settings, being_id)
        except Unavailable as shut:
            raise NoAnswer from shut

    def change(self, being_id: UUID, change: Change) -> None:
        """Commit the change."""
        selection = MessageSelection(ids=list(change.messages))
        try:
            being = self._store.run(beings.get_being, being_id)
            if change.what == "retract":
                retraction.retract(
                    self._store, self._settings, self._embedders, [being], selection, request_id=change.id_
                )
            else:
                retraction.restore(self._store, self._settings, [being], selection, request_id=change.id_)
        except (Unavailable, Refused, ProviderError) as shut:
            raise NoAnswer from shut


class Http:
    """The HTTP API.

    Args:
        url: Its address.
        token: A bearer token for every Being.
    """

    name = "HTTP"

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token

    def hand_in(self, what: ItemKind, being_id: UUID, items: Sequence[Any]) -> Receipt:
        """POST the batch."""
        answer = self._post(being_id, what, list(items))
        if answer.status_code == httpx2.codes.ACCEPTED:
            return Receipt.model_validate(answer.json())
        if answer.status_code == httpx2.codes.UNPROCESSABLE_ENTITY and "rejected" in answer.json():
            rejected = [ItemFault.model_validate(trouble) for trouble in answer.json()["rejected"]]
            return Receipt(accepted=0, duplicates=0, conflicts=[], rejected=rejected, ids=[None] * len(items))
        raise NoAnswer(f"status {answer.status_code}")

    def demand(self, being_id: UUID) -> None:
        """POST the demand."""
        if self._post(being_id, "patrols", None).status_code != httpx2.codes.ACCEPTED:
            raise NoAnswer

    def change(self, being_id: UUID, change: Change) -> None:
        """POST the change, under a key."""
        body = {"ids": list(change.messages)}
        answer = self._post(being_id, f"messages/{change.what}", body, {"Idempotency-Key": change.id_})
        if answer.status_code != httpx2.codes.OK:
            raise NoAnswer(f"status {answer.status_code}")

    def _post(
        self, being_id: UUID, what: str, body: object, headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        try:
            return httpx2.post(
                f"{self._url}/v1/beings/{being_id}/{what}",
                json=body,
                headers={"Authorization": f"Bearer {self._token}", **(headers or {})},
                timeout=TIMEOUT,
            )
        except httpx2.TransportError as shut:
            raise NoAnswer from shut


class Stream:
    """The Redis streams. They give no answer, so the producer reads the database and `patrol:rejected`.

    Args:
        redis_url: The address of their server.
        store: The ledger, to look into.
    """

    name = "stream"

    def __init__(self, redis_url: str, store: Store) -> None:
        self._redis_url = redis_url
        self._store = store

    def hand_in(self, what: ItemKind, being_id: UUID, items: Sequence[Any]) -> Receipt:
        """XADD each, then wait until each is accepted or rejected; a flushed Redis loses entries."""
        stream = f"patrol:{what}"
        try:
            with Redis.from_url(self._redis_url, socket_timeout=TIMEOUT) as redis, redis.pipeline() as pipeline:
                for item in items:
                    addressed = {"being": str(being_id), **item} if isinstance(item, dict) else item
                    pipeline.xadd(stream, {"data": json.dumps(addressed)})
                places = [f"stream/{stream}/{place.decode()}" for place in pipeline.execute()]
                found: dict[int, str | UUID] = {}

                def over() -> bool:
                    found.update(self._found(redis, what, being_id, items, places))
                    return len(found) == len(items)

                if not wait_until(over, STREAM_TIMEOUT, pause=0.1):
                    raise NoAnswer
            known = self._known(what, being_id, items)
        except (RedisError, Unavailable) as shut:
            raise NoAnswer from shut
        troubles = [
            ItemFault(position=place, reason=said) for place, said in sorted(found.items()) if isinstance(said, str)
        ]
        conflicts = [trouble for trouble in troubles if "other content" in trouble.reason]
        refused = [trouble for trouble in troubles if trouble not in conflicts]
        ids = [known.get(item["id"]) if isinstance(item, dict) else None for item in items]
        return Receipt(accepted=0, duplicates=0, conflicts=conflicts, rejected=refused, ids=ids)

    def demand(self, being_id: UUID) -> None:  # noqa: ARG002  # the signature of all doors
        """Raise: the streams take no demands."""
        raise NoAnswer

    def change(self, being_id: UUID, change: Change) -> None:
        """XADD the change, then wait until it is recorded as applied."""
        body = {"being": str(being_id), "id": change.id_, change.what: {"ids": list(change.messages)}}

        def applied() -> bool:
            with self._store.transaction() as tx:
                row = tx.execute(
                    "select from memory.applied_retractions where being_id = %s and request_id = %s",
                    [being_id, change.id_],
                ).fetchone()
            return row is not None

        try:
            with Redis.from_url(self._redis_url, socket_timeout=TIMEOUT) as redis:
                redis.xadd("patrol:messages", {"data": json.dumps(body)})
            if not wait_until(applied, STREAM_TIMEOUT, pause=0.1):
                raise NoAnswer
        except (RedisError, Unavailable) as shut:
            raise NoAnswer from shut

    def _found(
        self, redis: Redis, what: ItemKind, being_id: UUID, items: Sequence[Any], places: Sequence[str]
    ) -> dict[int, str | UUID]:
        """Return the results that are known so far: a row's id, or the reason of a rejection."""
        # An entry is acknowledged with whatever was rejected of it, so this is asked first, in one moment: one that a
        # reader takes in between would pass for done with.
        stream = f"patrol:{what}"
        with redis.pipeline(transaction=True) as moment:
            moment.xpending_range(stream, "patrol", "-", "+", 10_000)
            moment.xinfo_groups(stream)
            pending, groups = moment.execute()
        open_ = {one["message_id"].decode() for one in pending}
        read_up_to = max((_numbers(group["last-delivered-id"].decode()) for group in groups), default=())
        reasons = {one.id: one.reason for one in rejected.listed(redis)}
        # A flush takes entries and reasons alike: while the entry is there, so is what was said of it.
        first = places[0].rpartition("/")[2]
        if not redis.xrange(stream, first, first):
            raise NoAnswer
        known = self._known(what, being_id, items)
        found: dict[int, str | UUID] = {}
        for position, (item, place) in enumerate(zip(items, places, strict=True)):
            entry = place.rpartition("/")[2]
            if place in reasons:
                found[position] = reasons[place]
            elif (
                isinstance(item, dict) and item["id"] in known and entry not in open_ and _numbers(entry) <= read_up_to
            ):
                found[position] = known[item["id"]]
        return found

    def _known(self, what: ItemKind, being_id: UUID, items: Sequence[Any]) -> dict[str, UUID]:
        keeps = notes if what == "notes" else messages
        with self._store.transaction() as tx:
            known = keeps.known(tx, being_id, [item["id"] for item in items if isinstance(item, dict)])
        return {name: next(iter(versions.values())) for name, versions in known.items()}


def _numbers(place: str) -> tuple[int, ...]:
    return tuple(map(int, place.split("-")))
