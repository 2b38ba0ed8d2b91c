"""Assembles the context that goes into a frontend's prompt."""

import random
from collections.abc import Callable

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.context.rag_context import EarlyVector
from memory.proxy.taking.exchange import TakenTranscript
from memory.proxy.wires.wire import Memory
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.context.context import AssemblyOptions
from schemas.settings import Settings
from store.database import Store

PROCESS = "chatFrontend"


def context_to_insert(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being: Being,
    taken: TakenTranscript,
    *,
    embedded: Callable[[], EarlyVector | None],
    report: Callable[[Memory], None],
) -> None:
    """Assemble the context for the reply to the last turn of a transcript.

    It holds the regions of the process `chatFrontend` within the limit of tokens. It repeats nothing of the
    transcript: no passage of its messages, and no memory or fact that rests on these alone, is in it.

    Args:
        store: The ledger.
        embedders: Embed the last turn.
        settings: The limit of tokens, and the weights of fact ranking.
        being: The Being that replies.
        taken: The decision about the transcript.
        embedded: Waits for the vectors of the presumable last turn.
        report: Called with the context as soon as it may be shown; with an empty one if there is no turn to reply to.
            Activations and other rows are written after that.

    Raises:
        NotFound: The Being has been erased.
        Unavailable: The database is unavailable.
    """
    last = taken.last
    if last is None:
        report(Memory())
        return
    off = taken.decision == "off the record"
    options = AssemblyOptions(process=PROCESS, budget_tokens=settings.proxy_context_tokens, off_the_record=off)
    request = AssemblyRequest(
        options,
        last.content,
        last.message_id,
        taken.conversation,
        role=last.role,
        speaker=last.speaker,
        reassembled=True,
        shown=taken.shown,
        inserted=True,
        embedded=embedded,
        recorded=lambda stable, varying: report(Memory(stable, varying)),
    )
    # An agent asks anew after each call of a tool: the same words get the same bytes, so that caches serve them.
    chance = random.Random(last.message_id.int if last.message_id else 0)  # noqa: S311  # an order, and no secret
    assemble(store, embedders, settings, being, request, chance)
