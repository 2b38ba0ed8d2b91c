"""`patrol pin | unpin | forget | revive | correct`: what people do to single memories."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from rich.text import Text
from typer import BadParameter, Option

from cli.console.ledger import find_being, find_node, opened
from cli.console.options import BeingOption, JsonOption, NodeArgument, OwnerOption
from cli.console.output import say, say_json, words
from memory.nodes import curation
from schemas.nodes.nodes import Node
from store.database import Store
from workers.runtime.resources import Resources

Tending = Callable[[Resources, UUID, UUID], Node]


def pin(
    node: NodeArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Keep a memory from fading."""
    _tend(_in_the_ledger(partial(curation.pin, pinned=True)), node, being, owner, done="Pinned", as_json=as_json)


def unpin(
    node: NodeArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Let a pinned memory fade again."""
    _tend(_in_the_ledger(partial(curation.pin, pinned=False)), node, being, owner, done="Unpinned", as_json=as_json)


def forget(
    node: NodeArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Put a memory out of mind. Nothing finds it any more; `patrol revive` takes it back."""
    _tend(_in_the_ledger(curation.forget), node, being, owner, done="Forgotten", as_json=as_json)


def revive(
    node: NodeArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Bring a dying, dead, absorbed or forgotten memory back."""
    _tend(_in_the_ledger(curation.revive), node, being, owner, done="Revived", as_json=as_json)


def correct(
    node: NodeArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    action: Annotated[str | None, Option(help="What happened.", show_default=False)] = None,
    actors: Annotated[
        list[str] | None, Option("--actor", help="Who was there; each in an option of its own.", show_default=False)
    ] = None,
    when: Annotated[
        list[str] | None, Option("--when", help="When; each date in an option of its own.", show_default=False)
    ] = None,
    setting: Annotated[str | None, Option(help="Where. Empty takes it away.", show_default=False)] = None,
    feeling: Annotated[str | None, Option(help="How it felt. Empty takes it away.", show_default=False)] = None,
    themes: Annotated[
        list[str] | None, Option("--theme", help="Tags; each in an option of its own.", show_default=False)
    ] = None,
    importance: Annotated[
        float | None, Option(min=0.0, max=1.0, help="What it weighs, from 0 to 1.", show_default=False)
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Replace parts of what a memory says; where the words change it is embedded anew."""
    said: dict[str, Any] = {
        "action": action,
        "actors": actors,
        "when": when,
        "setting": setting,
        "feeling": feeling,
        "themes": themes,
        "importance": importance,
    }
    changes = {name: None if value == "" else value for name, value in said.items() if value is not None}
    if not changes:
        raise BadParameter("say what to replace, such as --action or --importance.")

    def tending(on: Resources, being_id: UUID, node_id: UUID) -> Node:
        return curation.correct(on.store, on.embedders, being_id, node_id, changes)

    _tend(tending, node, being, owner, done="Corrected", as_json=as_json)


def _in_the_ledger(tending: Callable[[Store, UUID, UUID], Node]) -> Tending:
    """Give what needs the ledger alone nothing else of our resources."""
    return lambda on, being_id, node_id: tending(on.store, being_id, node_id)


def _tend(tending: Tending, node: str, being: str | None, owner: str | None, *, done: str, as_json: bool) -> None:
    with opened() as on:
        target = find_being(on.store, being, owner)
        changed = tending(on, target.being_id, find_node(on.store, target, node))
    if as_json:
        say_json(changed)
    else:
        say(Text.assemble((f"{done}: ", "bold"), words(changed.scene["action"])))
