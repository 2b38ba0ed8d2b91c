"""The commands on topics and memories: `patrol clusters`, `nodes`, `fading`, `why`, and those that change one."""

from typing import Any

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from cli.console.declared import NODE, Finder, Group
from cli.console.output import nodes_table, words
from cli.nodes.finding import TOPIC, find_cluster
from cli.nodes.history import story_view
from cli.nodes.topics import cluster_tree
from memory.nodes.curation import topic_names
from operations.nodes import nodes as operations
from schemas.accounts.accounts import Being
from schemas.nodes.nodes import Cluster, ClusterPage, Node, NodePage, NodeStory
from workers.runtime.resources import Resources


def _page(page: NodePage) -> list[Any]:
    return [nodes_table(page.nodes) if page.nodes else "There are none."]


def _topics(page: ClusterPage, _: Resources, being: Being) -> list[Tree]:
    return [cluster_tree(being.name, page.clusters)]


def _story(story: NodeStory, on: Resources, being: Being) -> list[Text | Table]:
    return story_view(story, topic_names(on.store, being.being_id))


_commands = Group(
    operations,
    "Memories and topics.",
    finders={
        "node_id": NODE,
        "cluster_id": Finder("TOPIC", TOPIC, find_cluster),
        "cluster": Finder("TOPIC", TOPIC, find_cluster),
    },
    views={NodePage: _page, Node: lambda node: words(node.scene["action"]), Cluster: lambda topic: words(topic.name)},
    views_of_beings={ClusterPage: _topics, NodeStory: _story},
)

clusters = _commands["clusters"]
nodes = _commands["nodes"]
fading = _commands["fading"]
why = _commands["why"]
pin = _commands["pin"]
unpin = _commands["unpin"]
forget = _commands["forget"]
revive = _commands["revive"]
correct = _commands["correct"]
rename = _commands["rename"]
move = _commands["move"]
