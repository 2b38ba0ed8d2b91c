"""The answers of a canned thinker, made by simple rules.

A question is recognised by the title of its answer's schema. The answer to any other question is made of the sentences
of its material.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from samples.canned import asking_policy, diary_policy, facts_policy, patrol_policy, scene_policy, summary_policy
from samples.canned.material import Material
from samples.canned.wire import Json, Request, smallest

ANSWERS: Mapping[str, Callable[[Material], Json]] = {
    "Consolidation": patrol_policy.consolidation,
    "Split": patrol_policy.split,
    "Classification": patrol_policy.classification,
    "TopicName": patrol_policy.topic_name,
    "RepairedScene": patrol_policy.repaired_scene,
    "DiaryPages": diary_policy.diary_pages,
    "Judgement": facts_policy.judgement,
    "Reconciliation": facts_policy.reconciliation,
    "RollingSummary": summary_policy.rolling_summary,
    "ClosedSession": summary_policy.closed_session,
    "ShortSessions": summary_policy.session_summaries,
    "SessionWithScenes": scene_policy.session_with_scenes,
    "SessionsWithScenes": scene_policy.sessions_with_scenes,
    "SummarySpine": summary_policy.summary_spine,
    "AskPlan": asking_policy.plan,
    "DraftAnswer": asking_policy.draft,
}
SENTENCES = 3


def answer(request: Request) -> str | None:
    """Answer a question; None if there is no rule for it and its material has no sentences."""
    material, schema = Material(request.material), request.schema_wanted
    if function := ANSWERS.get(request.purpose):
        content = function(material)
    elif schema and (sentences := list(material.sentences())):
        content = _value_of(schema, schema.get("$defs", {}), iter(sentences * SENTENCES))
    else:
        return None
    return json.dumps(content, ensure_ascii=False)


def _value_of(schema: Json, definitions: Json, sentences: Iterator[str]) -> Any:
    """The smallest value that a schema allows, but with sentences for its texts."""
    if "$ref" in schema:
        return _value_of(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, sentences)
    if "anyOf" in schema:
        return _value_of(schema["anyOf"][0], definitions, sentences)
    match schema.get("type"):
        case "string" if "enum" not in schema and "const" not in schema:
            return next(sentences, "")
        case "array" if schema["items"].get("type") == "string":
            return [sentence for _, sentence in zip(range(SENTENCES), sentences, strict=False)]
        case "object":
            return {name: _value_of(field, definitions, sentences) for name, field in schema["properties"].items()}
        case _:
            return smallest(schema, definitions)
