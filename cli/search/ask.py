"""`patrol ask`: a question in plain words, answered with the words that each sentence rests on."""

from typing import Annotated

from rich.text import Text
from typer import Argument, Option

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import moment, remark, say, say_json, words
from cli.console.typed import read
from operations.search.asking import ask_memory
from schemas.context.asking import Asked, AskRequest, Cite, Sentence
from schemas.limits import ASK_TOKENS, LEAST_ASK_TOKENS, MOST_ASK_TOKENS


def ask(
    question: Annotated[str, Argument(metavar="QUESTION", help="A question in plain words, in any language.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    about: Annotated[
        str | None, Option(help="Whom or what it is about, where its words do not name it.", metavar="NAME")
    ] = None,
    as_of: Annotated[
        str | None, Option(help="Answer from what was known then: a moment such as 2026-03-02T00:00:00Z.")
    ] = None,
    budget_tokens: Annotated[
        int,
        Option(min=LEAST_ASK_TOKENS, max=MOST_ASK_TOKENS, help="The most estimated tokens of what is looked at."),
    ] = ASK_TOKENS,
    *,
    as_json: JsonOption = False,
) -> None:
    """Ask the memory a question, and see what each sentence rests on."""
    given = {"question": question, "about": about, "as_of": as_of, "budget_tokens": budget_tokens}
    request: AskRequest = read(AskRequest, given)
    with opened() as on:
        asked = ask_memory.perform(on, being=find_being(on, being, owner), question=request)
    if as_json:
        return say_json(asked)
    return _say(asked)


def _say(asked: Asked) -> None:
    for sentence in asked.answer:
        say(_with_cites(sentence, quoted=asked.method == "model"))
    if not asked.known:
        found = ", ".join(f"{count} {kind}" for kind, count in asked.looked_at.found.items()) or "nothing"
        remark(f"The memory does not know. It was searched for {len(asked.looked_at.queries)} things; found: {found}.")
    if asked.without_model:
        remark(f"These are passages, since no model answered: {asked.without_model}")
    if asked.dropped:
        dropped = ", ".join(f"{count} {reason}" for reason, count in asked.dropped.items())
        remark(f"Dropped of what the model wrote: {dropped}.")
    if asked.degraded:
        remark("The embedder is out of reach: this was found by words.")
    if asked.cost.calls:
        dollars = "unknown" if asked.cost.dollars is None else f"${asked.cost.dollars:f}"
        remark(f"{asked.cost.calls} calls, {asked.cost.input_tokens + asked.cost.output_tokens} tokens, {dollars}.")


def _with_cites(sentence: Sentence, *, quoted: bool) -> Text:
    lines = [Text(words(line)) for line in sentence.sentence.splitlines()]
    lines += [Text(f"  {_cite(cite)}", style="dim") for cite in sentence.cites if quoted]
    return Text("\n").join(lines)


def _cite(cite: Cite) -> str:
    where = [moment(cite.at) if cite.at else "", words(cite.speaker), cite.kind]
    return f'{", ".join(filter(None, where))}: "{words(cite.quote)}"'
