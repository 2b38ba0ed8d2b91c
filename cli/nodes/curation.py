"""`patrol nodes | fading | pin | unpin | forget | revive | correct | rename | move`: memories, topics, and changes."""

from typing import Any

from cli.console.declared import Finder, Group
from cli.console.ledger import find_node
from cli.console.output import nodes_table, words
from cli.nodes.finding import TOPIC, find_cluster
from operations.nodes import nodes as operations
from schemas.nodes.nodes import Cluster, Node, NodePage


def _page(page: NodePage) -> list[Any]:
    return [nodes_table(page.nodes) if page.nodes else "There are none."]


def _node(node: Node) -> str:
    return words(node.scene["action"])


def _topic(topic: Cluster) -> str:
    return words(topic.name)


_commands = Group(
    operations,
    "Memories and topics.",
    finders={
        "node_id": Finder(
            "NODE", "The memory: its id, the end of its id, or the producer's id of its note.", find_node
        ),
        "cluster_id": Finder("TOPIC", TOPIC, find_cluster),
        "cluster": Finder("TOPIC", TOPIC, find_cluster),
    },
    views={NodePage: _page, Node: _node, Cluster: _topic},
)

nodes = _commands["nodes"]
fading = _commands["fading"]
pin = _commands["pin"]
unpin = _commands["unpin"]
forget = _commands["forget"]
revive = _commands["revive"]
correct = _commands["correct"]
rename = _commands["rename"]
move = _commands["move"]
