"""`patrol search`: a Being's stored texts of all kinds, by words and meaning; `--words` for memories to the letter."""

from typing import Annotated, get_args

from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from cli.console.ledger import find_being, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import moment, nodes_table, remark, say, say_json, table, words
from cli.console.typed import read
from operations.nodes.recall import search_memories
from operations.search.search import search_everything
from schemas.limits import MOST_NEIGHBOURS, MOST_RECALLED, SEARCH_NODES, SEARCH_RESULTS
from schemas.nodes.recall import FoundNodes, SearchRequest
from schemas.search import USUAL_KINDS, EverythingRequest, Kind, NamedEntity, SearchResult, SearchResults

MOMENT = "A moment with its offset from UTC, such as 2026-03-02T00:00:00Z."


def search(
    query: Annotated[
        str, Argument(metavar="QUERY", help='A question or words; with --words, "quotes" keep a phrase together.')
    ],
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: Annotated[int | None, Option("--limit", "-n", min=1, max=MOST_RECALLED, help="How many at most.")] = None,
    kind: Annotated[
        list[str] | None, Option("--kind", metavar="|".join(get_args(Kind)), help="A kind to search; repeatable.")
    ] = None,
    since: Annotated[str | None, Option(help=f"Only items of this moment or later. {MOMENT}")] = None,
    until: Annotated[str | None, Option(help="Only items from before that moment.")] = None,
    as_of: Annotated[str | None, Option(help="Search the memory of that moment.")] = None,
    speaker: Annotated[str | None, Option(help="Only messages of this speaker.")] = None,
    neighbours: Annotated[
        int, Option(min=0, max=MOST_NEIGHBOURS, help="How many messages to show before and after each.")
    ] = 0,
    one_per: Annotated[str | None, Option(metavar="session", help="At most one result of each conversation.")] = None,
    explain: Annotated[bool, Option("--explain", help="Show each signal's share of the score.")] = False,
    activate: Annotated[
        bool | None,
        Option(
            "--activate/--no-activate",
            help="Whether being found keeps memories alive: by itself only with --words.",
            show_default=False,
        ),
    ] = None,
    to_the_letter: Annotated[
        bool, Option("--words", help="Only memories in which the words stand to the letter, among the dead as well.")
    ] = False,
    every: Annotated[bool, Option("--and/--or", help="With --words: whether every term must occur, or any.")] = False,
    *,
    as_json: JsonOption = False,
) -> None:
    """Search messages, memories, facts, summaries, diary and knowledge, by words and by meaning."""
    if to_the_letter:
        terms = {"query": query, "mode": "and" if every else "or", "limit": limit or SEARCH_NODES}
        request: SearchRequest = read(SearchRequest, {**terms, "activate": activate is not False})
        with open_ledger() as on:
            searched = search_memories.perform(on, being=find_being(on, being, owner), question=request)
        return _say_searched(searched, every=every, as_json=as_json)
    given = {
        "query": query,
        "limit": limit or SEARCH_RESULTS,
        "kinds": kind or list(USUAL_KINDS),
        "since": since,
        "until": until,
        "as_of": as_of,
        "speaker": speaker,
        "neighbours": neighbours,
        "one_per": one_per,
        "explain": explain,
        "activate": bool(activate),
    }
    question: EverythingRequest = read(EverythingRequest, given)
    with open_ledger() as on:
        found = search_everything.perform(on, being=find_being(on, being, owner), muted=True, question=question)
    return _say_found(found, as_json=as_json)


def _say_searched(found: FoundNodes, *, every: bool, as_json: bool) -> None:
    if as_json:
        say_json(found)
    elif found.nodes:
        say(nodes_table(found.nodes))
    else:
        remark(f"No memory contains {(' and ' if every else ' or ').join(words(term) for term in found.terms)}.")


def _say_found(found: SearchResults, *, as_json: bool) -> None:
    if as_json:
        return say_json(found)
    for one in found.entities:
        say(_card(one))
    if found.results:
        say(_table(found.results))
    else:
        remark("Nothing was found.")
    if found.degraded:
        remark("The embedder is out of reach: these were found by words.")
    if found.unindexed:
        remark(f"{found.unindexed} more are accepted and not searchable yet by every signal.")
    return None


def _card(one: NamedEntity) -> Text:
    lines = [words(f"{one.label}: {'; '.join(one.facts)}" if one.facts else one.label)]
    named = {"first named": one.first, "last named": one.last if one.last != one.first else None}
    lines += [
        f"  {when} {moment(message.at)}, {words(message.speaker)}: {words(message.text)}"
        for when, message in named.items()
        if message
    ]
    return Text("\n".join(lines))


def _table(results: list[SearchResult]) -> Table:
    made = table(">score", "what", "when", "who", "*said")
    for one in results:
        lines = [
            *(Text(f"{words(near.speaker)}: {words(near.text)}", style="dim") for near in one.before),
            Text(words(one.text)),
            *(Text(f"{words(near.speaker)}: {words(near.text)}", style="dim") for near in one.after),
        ]
        if one.signals:
            shares = (f"{name} {signal.share:+.2f}" for name, signal in one.signals.items() if signal.share)
            lines.append(Text(", ".join(shares), style="dim"))
        made.add_row(f"{one.score:.2f}", one.kind, moment(one.at), words(one.speaker), Text("\n").join(lines))
    return made
