"""`patrol messages confide` and `share`: set or lift the confidence of messages."""

from typing import Annotated

from typer import Argument

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, say_list
from cli.intake.intake import messages
from memory.talk import confidences

Ids = Annotated[
    list[str], Argument(metavar="ID...", help="The producer's ids of messages, or those of their receipts.")
]


@messages.command("confide")
def confide(ids: Ids, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Set messages in confidence: they stay, with all that rests on them, with the Being that they were said to."""
    _decide(ids, being, owner, in_confidence=True, as_json=as_json)


@messages.command("share")
def share(ids: Ids, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Lift the confidence of messages: all of the user's Beings may know what they tell of the user."""
    _decide(ids, being, owner, in_confidence=False, as_json=as_json)


def _decide(ids: list[str], being: str | None, owner: str | None, *, in_confidence: bool, as_json: bool) -> None:
    with opened() as on:
        target = find_being(on, being, owner)
        decided = confidences.decide_on_messages(on.store, target, ids, in_confidence=in_confidence)
    shown = f"{count(len(decided), 'message')} {'in confidence' if in_confidence else 'no longer in confidence'}."
    say_list("messages", decided, shown, as_json=as_json)
