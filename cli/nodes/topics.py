"""The topics as a tree."""

from rich.text import Text
from rich.tree import Tree

from cli.console.output import STATUS_STYLES, short, words
from schemas.nodes.nodes import Cluster


def cluster_tree(name: str, found: list[Cluster]) -> Tree:
    """Roots, and the topics below them."""
    tree = Tree(Text(words(name), style="bold"), guide_style="dim")
    branches = {
        root.cluster_id: tree.add(Text.assemble((root.name, "bold cyan"), "  ", _holds(root, "of its own")))
        for root in found
        if root.is_parent
    }
    for one in found:
        if not one.is_parent:
            line = Text.assemble((short(one.cluster_id), "dim"), "  ", _holds(one), "  ", words(one.name))
            line.no_wrap, line.overflow = True, "ellipsis"
            branches.setdefault(one.parent_id, tree).add(line)
    return tree


def _holds(cluster: Cluster, what: str = "") -> Text:
    counts = {
        "active": cluster.active_nodes,
        "dying": cluster.dying_nodes,
        "dead": cluster.nodes - cluster.active_nodes - cluster.dying_nodes,
    }
    parts = [Text(f"{count} {name}", style=STATUS_STYLES[name]) for name, count in counts.items() if count]
    shown = Text(" · ", style="dim").join(parts) if parts else Text("nothing", style="dim")
    return shown.append(f" {what}" if what else "", style="dim")
