"""`patrol messages retract` and `restore`: take messages back, or let them stand again."""

from typing import Annotated

from pydantic import ValidationError
from typer import Argument, Option

from cli.console.failures import Failure
from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, remark, say, say_json
from cli.intake.intake import messages
from memory.intake import retraction
from schemas.talk.retraction import MessageSelection, Rebuilds
from schemas.text.validation_messages import validation_messages

Ids = Annotated[
    list[str] | None, Argument(metavar="ID...", help="The producer's ids of messages, or those of their receipts.")
]
ConversationOption = Annotated[
    str | None, Option(metavar="ID", help="A conversation, instead of ids.", show_default=False)
]
AfterOption = Annotated[
    str | None,
    Option(metavar="ID", help="Only messages of the conversation behind this one.", show_default="all"),
]


@messages.command("retract")
def retract(
    ids: Ids = None,
    conversation: ConversationOption = None,
    after: AfterOption = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Take messages back: they count as never said, until they are restored.

    What was derived from them is derived again without them, in the background. A message that has not arrived is
    retracted when it does.
    """
    selection = _selection(ids, conversation, after)
    with opened() as on:
        target = find_being(on, being, owner)
        done = retraction.retract(on.store, on.settings, on.embedders, target.being_id, selection)
    if as_json:
        return say_json(done)
    say(f"{count(done.retracted, 'message')} retracted. {_told(done.rebuilds)}")
    _remark("retracted before, or erased", done.unchanged)
    return _remark("not here yet, retracted when they arrive", done.awaited)


@messages.command("restore")
def restore(
    ids: Ids = None,
    conversation: ConversationOption = None,
    after: AfterOption = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Let retracted messages stand again; they are processed as new ones are. What was erased does not come back."""
    selection = _selection(ids, conversation, after)
    with opened() as on:
        target = find_being(on, being, owner)
        try:
            done = retraction.restore(on.store, on.settings, target.being_id, selection)
        except retraction.ErasedForGood as fault:
            raise Failure(str(fault)) from None
    if as_json:
        return say_json(done)
    say(f"{count(done.restored, 'message')} restored. {_told(done.rebuilds)}")
    _remark("stood already", done.unchanged)
    _remark("will stand when they arrive", done.no_longer_awaited)
    _remark("unknown", len(done.unknown))
    return _remark("not restored, since another version stands", len(done.conflicts))


def _selection(ids: list[str] | None, conversation: str | None, after: str | None) -> MessageSelection:
    try:
        return MessageSelection(ids=ids or None, conversation=conversation, after=after)
    except ValidationError as error:
        raise Failure("; ".join(validation_messages(error))) from None


def _told(rebuilds: Rebuilds) -> str:
    parts = [
        count(rebuilds.messages, "message") + " to judge" if rebuilds.messages else "",
        count(rebuilds.scenes, "scene") if rebuilds.scenes else "",
        count(rebuilds.summaries, "session") + " to summarise" if rebuilds.summaries else "",
        "the rolling summary" if rebuilds.rolling_summary else "",
        "the spine" if rebuilds.spine else "",
    ]
    return f"To derive again: {', '.join(filter(None, parts)) or 'nothing'}."


def _remark(what: str, number: int) -> None:
    if number:
        remark(f"{number} {what}")
