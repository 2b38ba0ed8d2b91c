"""`patrol recall | topic`: memories found by meaning and by topic. Being found keeps them alive."""

import random
from typing import Annotated
from uuid import UUID

from rich.text import Text
from typer import Argument, Option

from cli.console.failures import Failure
from cli.console.ledger import find_being, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import ID_CHARACTERS, nodes_table, remark, say, say_answer, say_json, words
from memory.nodes.recall import RecallQuery
from memory.nodes.recall import recall as recall_by_meaning
from operations.nodes.nodes import list_clusters
from operations.nodes.recall import recall_topic
from schemas.accounts.accounts import Being
from schemas.limits import MOST_RECALLED, RECALL_NODES, RECALL_SIMILARITY
from schemas.nodes.recall import TopicRequest
from workers.runtime.resources import Resources

QueryArgument = Annotated[str, Argument(metavar="QUERY", help="The search text.")]
TOPIC = "The topic: its id, the end of its id, or its name."
ActivateOption = Annotated[
    bool, Option("--activate/--no-activate", help="Whether being found keeps the memories alive.")
]


def recall(
    query: QueryArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: Annotated[int, Option("--limit", "-n", min=1, max=MOST_RECALLED, help="How many at most.")] = RECALL_NODES,
    threshold: Annotated[
        float, Option(min=-1.0, max=1.0, help="How much alike at least, as cosine similarity.")
    ] = RECALL_SIMILARITY,
    nodes: Annotated[bool, Option("--nodes", help="Show the memories, in place of their fragments.")] = False,
    activate: ActivateOption = True,
    *,
    as_json: JsonOption = False,
) -> None:
    """Recall by meaning: fragments of the nearest memories, blurred as a prompt gets them."""
    question = RecallQuery(query, limit, threshold, activate)
    with open_ledger() as on:
        target = find_being(on, being, owner)
        found = recall_by_meaning(on.store, on.embedders, target, question, random.SystemRandom())
    if as_json:
        return say_json(found)
    if found.degraded:
        remark("The embedder is out of reach: these were found by words.")
    if not found.nodes:
        remark("Nothing comes to mind.")
    elif nodes:
        say(nodes_table(found.nodes, found.similarities))
    else:
        # The seed's stream unchanged, line by line, so that the terminal shows the text that a prompt gets.
        say(*(words(line) for line in found.fragments.splitlines()))
    return None


def topic(
    cluster: Annotated[str, Argument(metavar="CLUSTER", help=TOPIC)],
    being: BeingOption = None,
    owner: OwnerOption = None,
    cursor: Annotated[str | None, Option(help="The cursor that the previous page printed.", show_default=False)] = None,
    activate: ActivateOption = True,
    *,
    as_json: JsonOption = False,
) -> None:
    """Go through a topic, newest memories first, dead ones too, in pages of 50."""
    with open_ledger() as on:
        target = find_being(on, being, owner)
        question = TopicRequest(cluster_id=find_cluster(on, target, cluster), cursor=cursor, activate=activate)
        page = recall_topic.perform(on, being=target, question=question)
    say_answer(page, Text(words(page.cluster.name), style="bold"), nodes_table(page.nodes), as_json=as_json)


def find_cluster(on: Resources, being: Being, name: str) -> UUID:
    """The id of the topic that is meant.

    Raises:
        Failure: There is none, or there are several.
    """
    live = list_clusters.perform(on, being=being, muted=True).clusters
    found = [one.cluster_id for one in live if name.casefold() == one.name.casefold()]
    found = found or [
        one.cluster_id for one in live if len(name) >= ID_CHARACTERS and str(one.cluster_id).endswith(name)
    ]
    if len(found) > 1:
        raise Failure(f"Several topics of {being.slug} answer to {words(name)}: give more of the id.")
    if found:
        return found[0]
    try:
        # The topic may have been merged into another since its id was printed.
        return UUID(name)
    except ValueError:
        raise Failure(f"{being.slug} has no topic {words(name)}. See `patrol clusters`.") from None
