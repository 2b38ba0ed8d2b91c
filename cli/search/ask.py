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
        answer = ask_memory.perform(on, being=find_being(on, being, owner), question=request)
    if as_json:
        return say_json(answer)
    return _say(answer)


def _say(answer: Asked) -> None:
    for sentence in answer.answer:
        say(_with_cites(sentence, quoted=answer.method == "model"))
    if not answer.known:
        found = ", ".join(f"{count} {kind}" for kind, count in answer.looked_at.found.items()) or "nothing"
        remark(f"The memory does not know. It was searched for {len(answer.looked_at.queries)} things; found: {found}.")
    if answer.without_model:
        remark(f"These are passages, since no model answered: {answer.without_model}")
    if answer.dropped:
        dropped = ", ".join(f"{count} {reason}" for reason, count in answer.dropped.items())
        remark(f"Dropped of what the model wrote: {dropped}.")
    if answer.degraded:
        remark("The embedder is out of reach: this was found by words.")
    if answer.cost.calls:
        dollars = "unknown" if answer.cost.dollars is None else f"${answer.cost.dollars:f}"
        remark(f"{answer.cost.calls} calls, {answer.cost.input_tokens + answer.cost.output_tokens} tokens, {dollars}.")


def _with_cites(sentence: Sentence, *, quoted: bool) -> Text:
    # Lines of a passage are set in, as a text of a user's begins no line of the terminal's.
    lines = [
        Text(words(line) if not number else f"  {words(line)}")
        for number, line in enumerate(sentence.sentence.splitlines())
    ]
    lines += [Text(f"  {_cite(cite)}", style="dim") for cite in sentence.cites if quoted]
    return Text("\n").join(lines)


def _cite(cite: Cite) -> str:
    where = [moment(cite.at) if cite.at else "", words(cite.speaker), cite.kind]
    return f'{", ".join(filter(None, where))}: "{words(cite.quote)}"'
