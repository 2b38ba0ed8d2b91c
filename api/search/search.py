"""Searching everything that a Being was told."""

from fastapi import APIRouter

from api.http.auth import ReadBeing
from api.http.bodies import JsonRoute
from api.http.idempotency import calls_models
from api.http.resources import On
from memory.search import search
from schemas.search import EverythingRequest, Found

router = APIRouter(prefix="/v1/beings/{being}", tags=["Search"], route_class=JsonRoute)


@router.post("/search")
@calls_models
def search_everything(on: On, being: ReadBeing, question: EverythingRequest) -> Found:
    """Search all that a Being was told: messages, memories, facts, summaries, diary, knowledge; the vault where named.

    Scope `read`.

    It finds by words, in any language, within a second of what was accepted, and by meaning once that was embedded;
    `unindexed` counts what is not there yet. Names of speakers and times in the query count for what was said by them
    and then, and exclude nothing else; `since`, `until` and `speaker` do.
    """
    return search.search(on.store, on.embedders, being, question)
