"""`patrol erase node | note | being | user`: gone for good."""

from typing import Annotated
from uuid import UUID

from pydantic import BaseModel
from typer import Argument, BadParameter, Option, Typer, confirm

from cli.ledger import find_being, find_node, find_user, opened, ring
from cli.options import BeingOption, JsonOption, NodeArgument, OwnerOption
from cli.output import count, say, say_json, words
from memory import erasure, node_erasure
from schemas.portability import BeingErased, NodeErased

erase = Typer(help="Erase for good what was remembered. Nothing brings it back.", no_args_is_help=True)

YesOption = Annotated[bool, Option("--yes", "-y", help="Erase without asking.")]


@erase.command("node")
def erase_node(
    node: NodeArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a memory, the note that it was made of, and all that it took in.

    Memories that had taken it in say again what their own notes say; diary pages that told of it go as a whole.
    """
    with opened() as on:
        whose = find_being(on.store, being, owner)
        node_id = find_node(on.store, whose, node)
        _ask(f"Erase memory {node_id} of {whose.slug}'s for good?", yes=yes)
        _say(node_erasure.erase_node(on.store, on.embedders, whose, node_id), as_json=as_json)


@erase.command("note")
def erase_note(
    note: Annotated[str, Argument(metavar="NOTE", help="The note's id.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a note, and the memory that was made of it."""
    try:
        note_id = UUID(note)
    except ValueError:
        raise BadParameter("a note goes by its whole id.") from None
    with opened() as on:
        whose = find_being(on.store, being, owner)
        _ask(f"Erase note {note_id} of {whose.slug}'s for good?", yes=yes)
        _say(node_erasure.erase_note(on.store, on.embedders, whose, note_id), as_json=as_json)


@erase.command("being")
def erase_being(
    being: Annotated[str, Argument(metavar="BEING", help="The Being's slug or id.")],
    owner: OwnerOption = None,
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a Being with all that it was told and remembers, whatever runs.

    Of its user's facts those go that rest on nothing else.
    """
    with opened() as on:
        whose = find_being(on.store, being, owner)
        _ask(f"Erase {whose.slug} and all that it remembers for good?", yes=yes)
        erased, rings = erasure.erase_being(on.store, whose)
        ring(rings)
    _say(erased, as_json=as_json)


@erase.command("user")
def erase_user(
    user: Annotated[str, Argument(metavar="USER", help="The user's name or id.")],
    *,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Erase a user with all Beings, facts, keys and tokens, whatever runs."""
    with opened() as on:
        with on.store.transaction() as tx:
            who = find_user(tx, user)
        _ask(f"Erase {words(who.name)} and all that their Beings remember for good?", yes=yes)
        _say(erasure.erase_user(on.store, who), as_json=as_json)


def _ask(question: str, *, yes: bool) -> None:
    if not yes:
        confirm(question, abort=True, err=True)


def _say(erased: BeingErased | NodeErased, *, as_json: bool) -> None:
    if as_json:
        say_json(erased)
    else:
        say(f"Gone: {_counts(erased)}.")


def _counts(erased: BaseModel) -> str:
    """What went, in words: `2 nodes, 1 diary entry`."""
    said = [
        f"{number} {name.replace('_', ' ')}" if name in {"reworded", "renamed", "parted"} else _count(number, name)
        for name, number in erased.model_dump().items()
        if number
    ]
    return ", ".join(said) or "nothing"


def _count(number: int, name: str) -> str:
    things = name.replace("_", " ")
    one = f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")
    return count(number, one) if number == 1 else f"{number} {things}"
