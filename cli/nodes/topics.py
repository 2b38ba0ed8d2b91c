"""`patrol rename | move`: what people do to topics."""

from typing import Annotated, get_args

from typer import Argument, BadParameter

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import say, say_json, words
from cli.console.typed import read
from cli.nodes.finding import find_cluster
from memory.nodes import topic_names
from schemas.nodes.nodes import Cluster, Root, TopicChanges

TopicArgument = Annotated[str, Argument(metavar="TOPIC", help="The topic: its id, the end of its id, or its name.")]


def rename(
    topic: TopicArgument,
    name: Annotated[str, Argument(metavar="NAME", help="The new name.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Rename a topic; patrols keep the name."""
    changed = _change(topic, being, owner, {"name": name})
    if as_json:
        say_json(changed)
    else:
        say(f"Renamed: {words(changed.name)}")


def move(
    topic: TopicArgument,
    root: Annotated[str, Argument(metavar="Business|Private", help="The root.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Move a topic with its memories to the other root."""
    if root.capitalize() not in get_args(Root):
        raise BadParameter(f"no such root. There are {' and '.join(get_args(Root))}.", param_hint="Business|Private")
    changed = _change(topic, being, owner, {"root": root.capitalize()})
    if as_json:
        say_json(changed)
    else:
        say(f"Moved to {root.capitalize()}: {words(changed.name)}")


def _change(topic: str, being: str | None, owner: str | None, changed: dict[str, str]) -> Cluster:
    changes: TopicChanges = read(TopicChanges, changed)
    with opened() as on:
        target = find_being(on.store, being, owner)
        cluster_id = find_cluster(on.store, target, topic)
        return topic_names.change(on.store, target.being_id, cluster_id, name=changes.name, root=changes.root)
