"""Completes the OpenAPI document: introduction, tags, and the errors of every route."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from api.http.problems import MEDIA_TYPE, Problem

TITLE = "Memory Patrol"
DESCRIPTION = """
Long-term memory for AI companions. Send **notes** of events and **messages** of conversations; a **patrol** turns
them into memory in the background, which fades, revives and is sorted into topics; **recall** it by meaning, topic or
word.

- A **user** is one person. A **Being** is one companion of that person. Facts, seeds and the user model are the user's,
  and all of the user's Beings know them. If you serve many people, create one user for each, with `POST /v1/users`.

- Every route but `/health/*` needs a token: `Authorization: Bearer patrol_…`. A token belongs to one user, gives access
  to one Being or to all of the user's, and has scopes: `ingest`, `read`, `manage`. An operator's token creates users.
- `{being}` is the id or the slug of a Being.
- Every error is an RFC 9457 problem. A resource of another user is answered with 404, as if it did not exist.
- Every answer has an `X-Request-Id`: the one that you sent, or a new one.
"""
_TAGS = {
    "Users": "The people whom your application serves, and their access tokens.",
    "Beings": "AI companions of one user, each with its own memory.",
    "Notes": "Events, todos, reminders and knowledge. Accepted means committed.",
    "Messages": "Turns of conversations, each assigned to a session by its own time.",
    "Conversations": "Sessions, their messages and summaries, and the session state.",
    "Rooms": "Conversations of several of your Beings. Each gets the messages sent while it was present.",
    "Patrols": "Runs that turn notes into memory and age it.",
    "Recall": "Finds memories by meaning, topic or word. A memory that is found fades later.",
    "Search": "Finds messages, memories, facts and more, by words and by meaning.",
    "Knowledge": "JSON objects that programs keep under keys, found at once by their fields, words and meaning.",
    "Facts": "Statements about the user, and the entities that they mention.",
    "Todos": "Commitments, projects, open questions, conflicts and promises, and due items.",
    "Memories": "Single memories: origin, pinning, correction, forgetting.",
    "Vault": "Durable, gated, versioned statements that every prompt contains.",
    "Diary": "A Being's diary, by day of the user's calendar.",
    "Keys": "Your keys for model providers, which pay for your Beings' model calls.",
    "Webhook": "Your address that receives notices of due items.",
    "Cost": "Model calls and their cost.",
    "Persona": "A Being's soul, its lists of rules, preferences and more, and the user model.",
    "Context": "Prompts assembled from a Being's memory, ready to be sent to a model.",
    "Work": "The ledger of background work: inspect and replay work that failed.",
    "Health": "Liveness, readiness and progress of work, without a token; metrics, with an operator's.",
}
TAGS = [{"name": name, "description": description} for name, description in _TAGS.items()]

_NAMES = list(_TAGS)

_ERRORS = {
    "400": "The body is not JSON, or not UTF-8; the detail has the place.",
    "401": "There is no token, or it is unknown, expired or revoked.",
    "403": "The token lacks the scope, or is bound to one Being.",
    "404": "You have no such resource.",
    "408": "The body did not arrive in time; send it again.",
    "409": "The resource's state does not allow it; the detail has the remedy.",
    "410": "The item was erased permanently; nothing was changed.",
    "413": "The body, or the batch in it, is too large; nothing was stored.",
    "415": "The body is not `application/json`.",
    "422": "The request is invalid; `errors` or `rejected` name each place.",
    "429": "You exceed a rate limit, or too much work is waiting; try again after `Retry-After` seconds.",
    "503": "The database or a model is unavailable or timed out; try again after `Retry-After` seconds.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare errors of a route that its parameters and body do not imply."""
    return {status: _problem(str(status)) for status in statuses}


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, built on the first call."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        schema["paths"] = dict(sorted(schema["paths"].items(), key=_place))
        for operations in schema["paths"].values():
            for operation in operations.values():
                _complete(operation)
        schemas = schema["components"]["schemas"]
        del schemas["HTTPValidationError"], schemas["ValidationError"]
        schemas["Problem"] = Problem.model_json_schema()
        _require(app, schema)
        app.openapi_schema = schema
    return app.openapi_schema


def _place(path: tuple[str, dict[str, Any]]) -> int:
    """The position of a path's first tag: the application's own order is that of its requests."""
    _, operations = path
    (tag, *_), *_ = (operation["tags"] for operation in operations.values())
    return _NAMES.index(tag)


def _require(app: FastAPI, schema: dict[str, Any]) -> None:
    """Mark all properties of answers as required, but those that an answer omits.

    Some routes omit null properties, or properties that were not set; there, these are optional.
    """
    schemas = schema["components"]["schemas"]
    sent, answered, without_null, without_unset = set[str](), set[str](), set[str](), set[str]()
    for route in app.routes:
        if isinstance(route, APIRoute) and route.include_in_schema:
            for method in route.methods or ():
                operation = schema["paths"][route.path_format][method.lower()]
                sent |= _reached(schemas, operation.get("requestBody"))
                of_answer = _reached(schemas, operation["responses"])
                answered |= of_answer
                without_null |= of_answer if route.response_model_exclude_none else set()
                without_unset |= of_answer if route.response_model_exclude_unset else set()
    for name in answered - sent - {"Problem"}:
        required = set(schemas[name].get("required", ()))
        properties = schemas[name].get("properties", {})
        null = {each for each, form in properties.items() if {"type": "null"} in form.get("anyOf", ())}
        omitted = (null if name in without_null else set()) | (
            properties.keys() - required if name in without_unset else set()
        )
        schemas[name]["required"] = [each for each in properties if each not in omitted]


def _reached(schemas: dict[str, Any], part: Any) -> set[str]:
    """Return the names of the schemas that a part of the document refers to, directly or through others."""
    names: set[str] = set()
    waiting = [part]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
            name = value.get("$ref", "").rpartition("/")[2] if isinstance(value.get("$ref"), str) else ""
            if name and name not in names:
                names.add(name)
                waiting.append(schemas[name])
        elif isinstance(value, list):
            waiting.extend(value)
    return names


def _complete(operation: dict[str, Any]) -> None:
    """Split an operation's description into summary and text, and declare the errors that its input implies."""
    operation["summary"], _, operation["description"] = (
        part.strip() for part in operation["description"].partition("\n")
    )
    parameters = operation.get("parameters", [])
    statuses = [
        *(["400", "408", "413", "415"] if "requestBody" in operation else []),
        *(["401", "403", "429", "503"] if "security" in operation else []),
        *(["404"] if any(each["in"] == "path" for each in parameters) else []),
        *(["409"] if any(each["name"] == "idempotency-key" for each in parameters) else []),
        *(["422"] if "requestBody" in operation or any(each["name"] != "being" for each in parameters) else []),
    ]
    # The framework declares its own form of 422 for every route with input.
    responses = {status: answer for status, answer in operation["responses"].items() if status != "422"}
    responses |= {status: _problem(status) for status in statuses}
    operation["responses"] = dict(sorted(responses.items()))


def _problem(status: str) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": _ERRORS[status], "content": content}
