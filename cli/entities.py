"""`patrol entities`: whom and what facts are about, and which names stand for one and the same."""

from typing import Annotated

from typer import Argument, Typer

from cli.ledger import find_being, only, opened
from cli.options import BeingOption, JsonOption, LimitOption, OwnerOption
from cli.output import likeness, say, say_json, short, table, words
from memory import entities as merging
from schemas.facts import EntityMerge
from schemas.limits import LONGEST_PAGE, PAGE_NODES
from schemas.rows import Being
from workers.resources import Resources

entities = Typer(help="Whom and what facts are about.", no_args_is_help=True)

MOST_LOOKED_THROUGH = 1000
MergeArgument = Annotated[str, Argument(metavar="MERGE", help="The proposal: its id, or the end of it.")]


@entities.command("list")
def list_entities(
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: LimitOption = PAGE_NODES,
    *,
    as_json: JsonOption = False,
) -> None:
    """List whom and what facts are about."""
    with opened() as on:
        found = merging.listed(on.store, find_being(on.store, being, owner), limit)
    if as_json:
        return say_json(found)
    shown = table(">facts", "*entity", "*name", "*also")
    for one in found:
        shown.add_row(str(one.facts), words(one.entity_ref), words(one.label), words(", ".join(one.aliases)))
    return say(shown)


@entities.command("merges")
def merges(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """List names that may stand for one and the same."""
    with opened() as on:
        found = merging.proposals(on.store, find_being(on.store, being, owner), None, LONGEST_PAGE)
    if as_json:
        return say_json(found)
    shown = table("merge", "state", ">alike", "*entity", "*may also be")
    for one in found:
        row = (short(one.merge_id), one.state, likeness(one.similarity), words(one.kept_ref), words(one.merged_ref))
        shown.add_row(*row)
    return say(shown)


@entities.command("merge")
def merge(merge: MergeArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Let two names stand for one and the same. `patrol entities part` takes it back."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        done = merging.accept(on.store, whose, _find_merge(on, whose, merge).merge_id)
    say(f"{words(done.merged_ref)} is {words(done.kept_ref)}.")


@entities.command("part")
def part(merge: MergeArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Keep two names apart: decline the proposal, or undo the merge."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        done = merging.decline(on.store, whose, _find_merge(on, whose, merge).merge_id)
    say(f"{words(done.merged_ref)} is not {words(done.kept_ref)}.")


def _find_merge(on: Resources, being: Being, name: str) -> EntityMerge:
    known = merging.proposals(on.store, being, None, MOST_LOOKED_THROUGH)
    ids = [one.merge_id for one in known if name and str(one.merge_id).endswith(name.lower())]
    wanted = only(name, ids, "proposal", "patrol entities merges")
    return next(one for one in known if one.merge_id == wanted)
