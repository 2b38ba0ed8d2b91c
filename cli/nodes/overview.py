"""`patrol clusters | nodes | fading`: what there is, without keeping any of it alive by looking."""

from typing import Annotated

from rich.text import Text
from rich.tree import Tree
from typer import Option

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, CursorOption, JsonOption, LimitOption, OwnerOption
from cli.console.output import STATUS_STYLES, nodes_table, say, say_list, say_page, short, words
from cli.nodes.finding import find_cluster
from memory.nodes.browsing import fading_page, node_page
from schemas.limits import FADING_PATROLS, PAGE_NODES
from schemas.nodes.nodes import Cluster, NodeStatus
from store.nodes import clusters as topics


def clusters(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show the topics as a tree, largest first, with what they hold."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            found = topics.live(tx, target.being_id)
    if as_json:
        say_list("clusters", found)
    else:
        say(cluster_tree(target.name, found))


def nodes(
    being: BeingOption = None,
    owner: OwnerOption = None,
    status: Annotated[NodeStatus | None, Option(help="Only these.", show_default=False)] = None,
    cluster: Annotated[
        str | None, Option(help="Only of this topic: its id, the end of its id, or its name.", show_default=False)
    ] = None,
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List memories, newest first, dead and forgotten ones too."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        cluster_id = None if cluster is None else find_cluster(on.store, target, cluster)
        page = node_page(on.store, target.being_id, cluster_id=cluster_id, status=status, cursor=cursor, limit=limit)
    say_page(page, nodes_table(page.nodes) if page.nodes else "There are none.", as_json=as_json)


def fading(
    being: BeingOption = None,
    owner: OwnerOption = None,
    patrols: Annotated[int, Option(min=0, max=100_000, help="Within how many more patrols.")] = FADING_PATROLS,
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List what will be dying soon, soonest first. To be recalled or pinned keeps it."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        page = fading_page(on.store, target.being_id, patrols=patrols, cursor=cursor, limit=limit)
    nothing = f"Nothing will be dying within {patrols} patrols."
    say_page(page, nodes_table(page.nodes) if page.nodes else nothing, as_json=as_json)


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
