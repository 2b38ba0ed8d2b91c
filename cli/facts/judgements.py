"""`patrol judgements`: what was found in conversations, and what was dropped of models' answers."""

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, day, say, say_json, table, words
from memory.talk.judgements import counted


def judgements(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show what was found in a Being's conversations, and what was dropped of models' answers, by reason."""
    with opened() as on:
        found = counted(on.store, find_being(on, being, owner))
    if as_json:
        return say_json(found)
    judged = found.judged
    say(f"{count(judged.messages, 'message')} judged: {count(judged.facts, 'fact')} and {count(judged.todos, 'todo')}.")
    if not found.dropped:
        say("Nothing was dropped of models' answers.")
        return None
    shown = table("purpose", ">items dropped", "last", "*reason")
    for each in found.dropped:
        shown.add_row(words(each.purpose), str(each.items), day(each.last_at), words(each.reason))
    say(shown)
    return None
