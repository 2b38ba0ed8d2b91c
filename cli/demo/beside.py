"""The demo's second memory, beside the scenes: the same month of chat alone, handed in at once, as an import is."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

from rich.text import Text

from cli.console.output import count, say
from cli.demo import canned, month, thoughts
from cli.demo.report import title
from cli.nodes.overview import cluster_tree
from cli.patrol.run import watched
from memory.llm import keys
from memory.operations import upkeep
from memory.patrol.demand import demand
from schemas.accounts.accounts import Being
from store import clock
from store.nodes import clusters
from workers.runtime.resources import Resources


def chat_alone(on: Resources, last: date, meanwhile: Callable[[], None]) -> Being:
    """Hand in the chat of the days up to the last, run one patrol, and show what became of it; returns the Being.

    The user has a key of her own, for the canned model; the other user of the demo has none. The messages say that they
    are `aged`: memories have faded as if a patrol had run each day.

    Raises:
        Failure: A message is refused, or the workers have not processed the month in time.
    """
    being = month.make_lumen(on.store)
    keys.add(on.store, on.settings, being.user_id, "anthropic", canned.KEY)
    days = [day for day in month.read_talk() if day.date <= last]
    with on.store.transaction() as tx:
        clock.set_to(tx, datetime.combine(last, month.EVENING) + month.NIGHT + timedelta(minutes=1))
    for day in days:
        month.hand_in_talk(on, being, day, aged=True)
    upkeep.end_idle_sessions(on.store, on.settings)
    month.wait_for_summaries(on, being, meanwhile)
    run_id = demand(on.store, on.settings, being.being_id)
    for _ in watched(on.store, being.being_id, run_id, meanwhile, hints=False):
        pass
    with on.store.transaction() as tx:
        found = clusters.live(tx, being.being_id)
    title("What a chat with a model becomes")
    said = sum(len(day.messages) for day in days)
    say(
        Text(
            f"{count(said, 'message')} between Noor and Lumen were handed in just now, with their own dates, and "
            "nothing else. A canned model has drawn scenes from them, which aged as if a patrol had run each day:",
            style="dim",
        ),
        cluster_tree(being.name, found),
    )
    thoughts.what_it_rests_on(on.store, being)
    return being
