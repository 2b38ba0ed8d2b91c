"""`patrol entities`: the entities that facts name, and merges of them."""

from typing import Annotated

from typer import Argument, Option, Typer

from cli.console.ledger import find_being, only, opened
from cli.console.options import BeingOption, JsonOption, LimitOption, OwnerOption
from cli.console.output import likeness, say, say_list, short, table, words
from memory.facts import entities as entity_merging
from schemas.accounts.accounts import Being
from schemas.facts.rows import EntityMerge
from schemas.limits import LONGEST_PAGE, PAGE_NODES
from workers.runtime.resources import Resources

entities = Typer(help="The entities that facts name.", no_args_is_help=True)

MERGES_SEARCHED = 1000
MergeArgument = Annotated[str, Argument(metavar="MERGE", help="The merge: its id, or the end of it.")]


@entities.command("list")
def list_entities(
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: LimitOption = PAGE_NODES,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the entities that facts name, those with the most facts first."""
    with opened() as on:
        found = entity_merging.entity_page(
            on.store, find_being(on.store, being, owner), cursor=None, limit=limit
        ).entities
    if as_json:
        return say_list("entities", found)
    shown = table(">facts", "*entity", "*name", "*also")
    for one in found:
        shown.add_row(str(one.facts), words(one.entity_ref), words(one.label), words(", ".join(one.aliases)))
    return say(shown)


@entities.command("merges")
def merges(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """List merges of entities: proposed, merged, declined and undone."""
    with opened() as on:
        found = entity_merging.proposals(
            on.store, find_being(on.store, being, owner), None, cursor=None, limit=LONGEST_PAGE
        ).proposals
    if as_json:
        return say_list("proposals", found)
    shown = table("merge", "state", ">similarity", "*entity", "*merged with it")
    for one in found:
        row = (short(one.merge_id), one.state, likeness(one.similarity), words(one.kept_ref), words(one.merged_ref))
        shown.add_row(*row)
    return say(shown)


@entities.command("merge")
def merge(merge: MergeArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Accept a merge of two entities. `patrol entities part` undoes it."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        done = entity_merging.accept(on.store, target, _find_merge(on, target, merge).merge_id)
    say(f"{words(done.merged_ref)} is {words(done.kept_ref)}.")


@entities.command("propose")
def propose(
    kept: Annotated[str, Argument(metavar="KEPT", help="The entity that stays, as person:john_doe.")],
    merged: Annotated[str, Argument(metavar="MERGED", help="The entity whose names shall stand for it.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    accept: Annotated[bool, Option("--accept", help="Merge them at once.")] = False,
) -> None:
    """Propose that two entities are one; `patrol entities merge` accepts it."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        done = entity_merging.propose(on.store, target, kept, merged, accept=accept)
    say(f"{words(done.merged_ref)} {'is' if accept else 'may be'} {words(done.kept_ref)}.")


@entities.command("part")
def part(merge: MergeArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Keep two entities apart: decline a proposed merge, or undo an accepted one."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        done = entity_merging.decline(on.store, target, _find_merge(on, target, merge).merge_id)
    say(f"{words(done.merged_ref)} is not {words(done.kept_ref)}.")


def _find_merge(on: Resources, being: Being, name: str) -> EntityMerge:
    known = entity_merging.proposals(on.store, being, None, cursor=None, limit=MERGES_SEARCHED).proposals
    ids = [one.merge_id for one in known if name and str(one.merge_id).endswith(name.lower())]
    wanted = only(name, ids, "merge", "patrol entities merges")
    return next(one for one in known if one.merge_id == wanted)
