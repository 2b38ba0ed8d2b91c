"""`patrol context`, `patrol profile` and `patrol mind`: contexts, process profiles and working memory."""

from typing import Annotated, Any

from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from cli.console.declared import Group
from cli.console.ledger import every_right, find_being, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import remark, say, say_json, table, words
from cli.console.typed import read
from operations.context import profiles as of_profiles
from operations.context import working_memory as of_working_memory
from operations.context.contexts import assemble_context
from operations.declaration import Operation
from schemas.context.context import (
    Context,
    ContextFormat,
    ContextRequest,
    NewEntry,
    Profile,
    ProfilePage,
    RegionName,
    WorkingMemoryPage,
)
from schemas.limits import CONTEXT_TOKENS, REGION_ENTRIES
from schemas.text.storable import storable
from schemas.wire.fields import Conversation


def _profiles(page: ProfilePage) -> list[Any]:
    rows = (
        (one.process, " ".join(one.regions), "yes" if one.others else "no", one.updated_at or "default")
        for one in page.profiles
    )
    return [table("process", "*regions", "others", "set", rows=rows)]


def _profile(kept: Profile) -> str:
    return f"{kept.process} has the regions {' '.join(kept.regions)}{', and all others' if kept.others else ''}."


def _working_memory(page: WorkingMemoryPage) -> list[Any]:
    if not page.entries:
        remark("Working memory is empty.")
        return []
    rows = ((entry.region, entry.role, entry.content) for entry in page.entries)
    return [table("region", "role", "*entry", rows=rows)]


profile = Group(
    of_profiles,
    "Process profiles: the regions of a mental process.",
    views={ProfilePage: _profiles, Profile: _profile},
).commands
mind = Group(
    of_working_memory,
    "Working memory: the conversation and regions of your own.",
    views={WorkingMemoryPage: _working_memory},
).commands

RegionArgument = Annotated[str, Argument(metavar="REGION", help="A region of your own, such as userNotes.")]
ConversationOption = Annotated[
    str | None,
    Option(metavar="ID", help="The chat or tab, as its messages name it.", show_default="the one that has no id"),
]
EntriesArgument = Annotated[list[str], Argument(metavar="TEXT...", help="The entries, one each.")]


def context(
    message: Annotated[str | None, Argument(metavar="MESSAGE", help="The user's message. It is not stored.")] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    conversation: ConversationOption = None,
    process: Annotated[str, Option(help="The mental process.")] = "externalDialog",
    only: Annotated[list[str] | None, Option(metavar="REGION", help="The prompt's regions; repeatable.")] = None,
    without: Annotated[list[str] | None, Option(metavar="REGION", help="Leave a region out; repeatable.")] = None,
    order: Annotated[list[str] | None, Option(metavar="REGION", help="The order of regions; repeatable.")] = None,
    budget: Annotated[int, Option(min=100, help="The most estimated tokens.")] = CONTEXT_TOKENS,
    form: Annotated[ContextFormat, Option("--format", help="The form, with --json.")] = "text",
    explain: Annotated[
        bool, Option("--explain", help="Show each region's origin and tokens in place of the text.")
    ] = False,
    activate: Annotated[
        bool, Option("--activate/--no-activate", help="Whether recalled memories count as activated.")
    ] = True,
    *,
    as_json: JsonOption = False,
) -> None:
    """Assemble a context: a prompt from the Being's memory, ready to be sent to a model."""
    options: dict[str, Any] = {
        "process": process,
        "budget_tokens": budget,
        "format": form,
        "activate": activate,
        "explain": explain,
    }
    options |= {"only": only, "without": without or [], "order": order}
    body: ContextRequest = read(ContextRequest, {**options, "message": message, "conversation": conversation})
    with open_ledger() as on:
        target = find_being(on, being, owner)
        made = assemble_context.perform(on, being=target, body=body)
    if as_json or made.text is None:
        say_json(made.model_dump(mode="json", exclude_none=True))
    elif explain:
        say(_explained(made))
    else:
        say(*(Text(words(line)) for line in made.text.splitlines()))
        if made.dropped:
            remark(f"Left out by the token budget: {', '.join(made.dropped)}.")


@mind.command("put")
def put_in_mind(
    region: RegionArgument,
    entries: EntriesArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    conversation: ConversationOption = None,
    add: Annotated[bool, Option("--add", help="Append to the region's entries in place of replacing them.")] = False,
) -> None:
    """Write the entries of a region of your own in a conversation."""
    written = of_working_memory.add_to_region if add else of_working_memory.replace_region
    _write(written, region, entries, being, owner, conversation)


@mind.command("remove")
def remove_from_mind(
    region: RegionArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    conversation: ConversationOption = None,
) -> None:
    """Remove a region of your own from a conversation."""
    _write(of_working_memory.replace_region, region, [], being, owner, conversation)


def _write(
    operation: Operation[WorkingMemoryPage],
    region: str,
    entries: list[str],
    being: str | None,
    owner: str | None,
    conversation: str | None,
) -> None:
    region = read(RegionName, region)
    new: list[NewEntry] = [read(NewEntry, {"content": entry}) for entry in entries]
    with open_ledger() as on:
        target = find_being(on, being, owner)
        named: str | None = read(Conversation | None, storable(conversation))
        held = operation.perform(
            on, being=target, caller=every_right(target), region=region, entries=new, conversation=named
        )
    say(f"{region} holds {len(held.entries)} of at most {REGION_ENTRIES} entries.")


def _explained(made: Context) -> Table:
    rows = []
    for one in made.regions:
        included = "no: budget" if one.dropped else "yes"
        rows.append((one.region, one.origin, one.entries, one.tokens, "yes" if one.stable else "", included))
    return table("region", "*origin", ">entries", ">tokens", "stable", "included", rows=rows)
