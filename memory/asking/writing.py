"""The second call: sentences with the quotations that support each, from the sources found."""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo

from memory.asking.planning import head
from memory.asking.sources import Source
from memory.llm.prompting import prompt
from memory.text.prompt_escaping import tagged
from providers.thinking import Question
from schemas.accounts.accounts import Being
from schemas.context.asking import AskRequest, CiteKind, DraftAnswer

ANSWER = prompt("ask", DraftAnswer, size="large", most_tokens=3_000)
TAGS: Mapping[CiteKind, str] = {"node": "memory", "vault": "record"}
UNNAMED = "another speaker"


def question(
    being: Being, user: str, request: AskRequest, now: datetime, shown: Mapping[str, Source]
) -> Question[DraftAnswer]:
    """The question to the model, with the sources by their refs."""
    material = [head(being, user, request, now), *(_rendered(ref, one, now.tzinfo) for ref, one in shown.items())]
    return ANSWER.question("", "\n".join(material))


def with_refs(sources: Sequence[Source]) -> dict[str, Source]:
    """The sources by the refs under which an answer names them."""
    return {f"e{number}": one for number, one in enumerate(sources, 1)}


def _rendered(ref: str, source: Source, zone: tzinfo | None) -> str:
    attributes: dict[str, object] = {"ref": ref}
    if source.key.kind == "message":
        attributes["by"] = source.speaker or UNNAMED
    if source.at is not None:
        exact = source.key.kind == "message"
        name = "since" if source.key.kind == "fact" else "at"
        attributes[name] = f"{source.at.astimezone(zone):{'%Y-%m-%d %H:%M' if exact else '%Y-%m-%d'}}"
    if source.until is not None:
        attributes["until"] = f"{source.until.astimezone(zone):%Y-%m-%d}"
    return tagged(TAGS.get(source.key.kind, source.key.kind), source.shown, **attributes)
