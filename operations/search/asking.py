"""Asking the memory a question in plain words."""

from memory.asking import answering
from operations.declaration import Command, PayingKey, Tool, operation
from schemas.accounts.accounts import Being
from schemas.context.asking import AskAnswer, AskRequest
from workers.runtime.resources import Resources


@operation(
    "POST /v1/beings/{being}/ask",
    scope="read",
    repeated="done again",
    commands=[
        Command(
            "ask",
            "Ask the memory a question, and see what each sentence rests on.",
            takes=("question", "about", "as_of", "budget_tokens"),
        )
    ],
    tool=Tool(
        "ask",
        "Ask a question about the past or about a person, and get an answer with the words that each sentence rests"
        " on.\n\n"
        "Use it for what takes several memories: a story over months, what changed, how often something was mentioned."
        " `known` is false if the memory does not know. It takes seconds; to find words or dates alone, use `search`.",
        takes=("question", "about", "as_of"),
    ),
)
def ask_memory(on: Resources, being: Being, question: AskRequest, request_key: PayingKey | None = None) -> AskAnswer:
    """Ask a question in plain words, and get sentences that each cite the words they rest on.

    A model plans the searches and then writes the answer; code finds each quotation in its source, and each name and
    number of a sentence in its quotations, and drops sentences that fail. Counts are made by code, and cited
    as `computed`. If nothing stands, `known` is false. Without a model the answer is the best passages. An answer is no
    evidence, and is not searched. Two model calls at most, which the budgets bound.
    """
    asking = answering.AskInputs(on.store, on.embedders, on.thinkers, on.settings, being, question, request_key)
    return answering.ask(asking)
