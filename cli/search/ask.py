"""`patrol ask`: a question in plain words, answered with the words that each sentence rests on."""

from rich.text import Text

from cli.console.declared import Group
from cli.console.output import moment, remark, words
from operations.search import asking as operations
from schemas.context.asking import AskAnswer, Cite, Sentence


def _answer(answer: AskAnswer) -> list[Text]:
    if not answer.known:
        found = ", ".join(f"{count} {kind}" for kind, count in answer.looked_at.found.items()) or "nothing"
        remark(f"The memory does not know. It was searched for {len(answer.looked_at.queries)} things; found: {found}.")
    if answer.without_model:
        remark(f"These are passages, since no model answered: {answer.without_model}")
    if answer.dropped:
        dropped = ", ".join(f"{count} {reason}" for reason, count in answer.dropped.items())
        remark(f"Dropped sentences of the model: {dropped}.")
    if answer.degraded:
        remark("The embedder is out of reach: this was found by words.")
    if answer.cost.calls:
        dollars = "unknown" if answer.cost.dollars is None else f"${answer.cost.dollars:f}"
        remark(f"{answer.cost.calls} calls, {answer.cost.input_tokens + answer.cost.output_tokens} tokens, {dollars}.")
    return [_with_cites(sentence, quoted=answer.method == "model") for sentence in answer.answer]


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


ask = Group(operations, "Questions to the memory.", views={AskAnswer: _answer})["ask"]
