"""The demo's report on what is known about the user: facts, people and things, todos, and the vault."""

from rich.text import Text

from cli.console.output import count, say, table, words
from cli.demo.report import EXAMPLES, title
from schemas.accounts.accounts import Being
from schemas.vault.records import SHARED
from store import vault
from store.database import Store
from store.facts import entities, facts, todos

ENTITIES = 8
ALL = 1000


def what_is_known(store: Store, being: Being) -> None:
    """Show facts that the chat has told, whom and what they name, and open todos."""
    with store.transaction() as tx:
        page = facts.page(tx, being.user_id, being.being_id, limit=ALL)
        open_ones = todos.page(tx, being.being_id, kind="commitment", limit=ALL)
        named = entities.listed(tx, being.user_id, being.being_id, after=None, limit=ENTITIES)
    title("What the chat has told")
    say(f"{count(len(page), 'fact')}, each with the words that it rests on. The most important of them:")
    say(*(Text(f"  {words(fact.content)}") for fact in sorted(page, key=lambda fact: -fact.importance)[:EXAMPLES]))
    say("", "People and things, and how many facts name them:")
    say(table(">facts", "entity", "*name", rows=((one.facts, one.entity_ref, one.label) for one in named)))
    if open_ones:
        say("", f"{count(len(open_ones), 'todo')} of the user's. Some of them:")
        say(*(Text(f"  {words(todo.content)}") for todo in open_ones[:EXAMPLES]))


def what_is_kept(store: Store, being: Being) -> None:
    """Show the vault's records, which every prompt contains and which do not fade."""
    kept = store.run(vault.live, being, [SHARED, being.slug])
    title("What the vault keeps")
    for record in kept:
        say(Text.assemble((f"  {words(record.scope):<8}", "dim"), words(record.text)))
