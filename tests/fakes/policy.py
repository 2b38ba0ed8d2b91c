"""What the fake provider says where nobody scripted it: sensible answers by simple rules, and no thought.

A question is known by the title of the schema that its answer is to have. Of any other question about fenced text, the
answer is made of that text's own sentences.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.fakes import facts_policy, patrol_policy, summary_policy
from tests.fakes.material import Material
from tests.fakes.wire import Json, Request, smallest

ANSWERS: Mapping[str, Callable[[Material], Json]] = {
    "Consolidation": patrol_policy.consolidation,
    "Split": patrol_policy.split,
    "Classification": patrol_policy.classification,
    "RepairedScene": patrol_policy.repaired_scene,
    "DiaryPages": patrol_policy.diary_pages,
    "Judgement": facts_policy.judgement,
    "Reconciliation": facts_policy.reconciliation,
    "RollingSummary": summary_policy.rolling_summary,
    "SessionSummary": summary_policy.session_summary,
    "SummarySpine": summary_policy.summary_spine,
}
SENTENCES = 3


def answer(request: Request) -> str | None:
    """Say what a thinker says; None to a question that is about nothing."""
    material, schema = Material(request.material), request.schema_wanted
    if function := ANSWERS.get(request.purpose):
        said = function(material)
    elif schema and (sentences := list(material.sentences())):
        said = _told(schema, schema.get("$defs", {}), iter(sentences * SENTENCES))
    else:
        return None
    return json.dumps(said, ensure_ascii=False)


def _told(schema: Json, definitions: Json, sentences: Iterator[str]) -> Any:
    """The least that a schema allows, but with sentences where it wants text."""
    if "$ref" in schema:
        return _told(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, sentences)
    if "anyOf" in schema:
        return _told(schema["anyOf"][0], definitions, sentences)
    match schema.get("type"):
        case "string" if "enum" not in schema and "const" not in schema:
            return next(sentences, "")
        case "array" if schema["items"].get("type") == "string":
            return [sentence for _, sentence in zip(range(SENTENCES), sentences, strict=False)]
        case "object":
            return {name: _told(field, definitions, sentences) for name, field in schema["properties"].items()}
        case _:
            return smallest(schema, definitions)
