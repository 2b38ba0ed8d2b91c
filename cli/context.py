"""`patrol context`, `patrol profile` and `patrol mind`: what a Being has in mind, and which process sees what of it."""

import random
from typing import Annotated, get_args

from rich.table import Table
from rich.text import Text
from typer import Argument, Option, Typer

from cli.ledger import find_being, opened
from cli.options import BeingOption, JsonOption, OwnerOption
from cli.output import day, remark, say, say_json, table, words
from cli.typed import read
from memory import mind as working
from memory import profiles as defaults
from memory.context import Wanted, assemble
from schemas.context import Context, ContextFormat, ContextQuestion, NewEntry, NewProfile, ProcessName, RegionName
from schemas.limits import CONTEXT_TOKENS, REGION_ENTRIES
from store import profiles

profile = Typer(help="Which regions a mental process sees.", no_args_is_help=True)
mind = Typer(help="What is in a Being's mind, region by region.", no_args_is_help=True)

ProcessArgument = Annotated[str, Argument(metavar="PROCESS", help="A mental process, such as externalDialog.")]
RegionArgument = Annotated[str, Argument(metavar="REGION", help="A region of your own, such as userNotes.")]
EntriesArgument = Annotated[list[str], Argument(metavar="TEXT...", help="What to have in mind; each an entry.")]


def context(
    message: Annotated[
        str | None, Argument(metavar="MESSAGE", help="What the user says now. It is not taken in.")
    ] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    process: Annotated[str, Option(help="The mental process that it is for.")] = "externalDialog",
    budget: Annotated[int, Option(min=100, help="The most tokens, estimated.")] = CONTEXT_TOKENS,
    form: Annotated[
        str, Option("--format", metavar="|".join(get_args(ContextFormat)), help="In which form, with --json.")
    ] = "text",
    explain: Annotated[bool, Option("--explain", help="Tell each region's origin and tokens, and no text.")] = False,
    activate: Annotated[bool, Option("--activate/--no-activate", help="Whether recall keeps memories alive.")] = True,
    *,
    as_json: JsonOption = False,
) -> None:
    """Assemble a context: what the Being has in mind, ready to be sent to a model."""
    how = {"process": process, "budget_tokens": budget, "format": form, "activate": activate, "explain": explain}
    question: ContextQuestion = read(ContextQuestion, {**how, "message": message})
    with opened() as on:
        whose = find_being(on.store, being, owner)
        wanted = Wanted(question, question.message)
        made = assemble(on.store, on.embedders, on.settings, whose, wanted, random.SystemRandom())
    if as_json or made.text is None:
        say_json(made.model_dump(mode="json", exclude_none=True))
    elif explain:
        say(_explained(made))
    else:
        say(*(Text(words(line)) for line in made.text.splitlines()))
        if made.dropped:
            remark(f"No room for: {', '.join(made.dropped)}.")


@profile.command("list")
def list_profiles(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """List every process that has a profile: the defaults, and what was set."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            found = defaults.listed(tx, whose.being_id)
    if as_json:
        return say_json(found)
    shown = table("process", "*regions", "others", "set")
    for one in found:
        shown.add_row(
            one.process, " ".join(one.regions), "at the end" if one.others else "no", day(one.updated_at) or "default"
        )
    say(shown)
    return None


@profile.command("set")
def set_profile(
    process: ProcessArgument,
    regions: Annotated[list[str], Argument(metavar="REGION...", help="What it sees, in this order.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    others: Annotated[bool, Option("--others", help="Put regions that are not named at the end.")] = False,
    instructions: Annotated[str, Option(help="What the process is told to do.")] = "",
    *,
    as_json: JsonOption = False,
) -> None:
    """Set which regions a mental process sees, in which order."""
    process = read(ProcessName, process)
    new: NewProfile = read(NewProfile, {"regions": regions, "others": others, "instructions": instructions})
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            kept = profiles.write(tx, whose.being_id, process, new)
    if as_json:
        say_json(kept)
    else:
        say(f"{kept.process} sees {' '.join(kept.regions)}{', then the others' if kept.others else ''}.")


@profile.command("reset")
def reset_profile(process: ProcessArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Let go of the profile that was set for a process."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            defaults.reset(tx, whose.being_id, process)
    say(f"Nothing is set for {words(process)} any more.")


@mind.command("list")
def list_mind(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show what is in the Being's mind."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        found = working.listed(on.store, whose.being_id)
    if as_json:
        return say_json(found)
    shown = table("region", "role", "*entry")
    for entry in found:
        shown.add_row(entry.region, entry.role, words(entry.content))
    if found:
        say(shown)
    else:
        remark("Nothing is in its mind.")
    return None


@mind.command("put")
def put_in_mind(
    region: RegionArgument,
    entries: EntriesArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    add: Annotated[bool, Option("--add", help="Keep what the region holds, and put these after it.")] = False,
) -> None:
    """Let a region of yours hold these entries."""
    _put(region, entries, being, owner, add=add)


@mind.command("clear")
def clear_mind(region: RegionArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Empty a region of yours."""
    _put(region, [], being, owner, add=False)


def _put(region: str, entries: list[str], being: str | None, owner: str | None, *, add: bool) -> None:
    region = read(RegionName, region)
    new: list[NewEntry] = [read(NewEntry, {"content": entry}) for entry in entries]
    with opened() as on:
        whose = find_being(on.store, being, owner)
        held = working.put(on.store, whose.being_id, region, new, add=add)
    say(f"{region} holds {len(held)} of at most {REGION_ENTRIES} entries.")


def _explained(made: Context) -> Table:
    shown = table("region", "*origin", ">entries", ">tokens", "stable", "in it")
    for one in made.regions:
        shown.add_row(
            one.region,
            one.origin,
            str(one.entries),
            str(one.tokens),
            "yes" if one.stable else "",
            "no room" if one.dropped else "yes",
        )
    return shown
