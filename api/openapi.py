"""What the OpenAPI document says beyond what the routes themselves declare: what it is all about, and every error."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from api.problems import MEDIA_TYPE, Problem

TITLE = "Memory Patrol"
DESCRIPTION = """
Long-term memory for AI companions. Hand in **notes** of what happened; a **patrol** turns them into memory in the
background, lets it fade, revives and sorts it; **recall** it by meaning, topic or word.

- Every route but `/health/*` needs a token: `Authorization: Bearer patrol_…`. A token is one user's, opens one Being or
  all of the user's, and has scopes: `ingest`, `read`, `manage`.
- `{being}` is the id or the slug of a Being.
- Every error is an RFC 9457 problem. What belongs to somebody else does not exist: 404.
- Each answer carries an `X-Request-Id`, yours if you sent one.
"""
TAGS = [
    {"name": "Beings", "description": "AI companions, each with a memory of its own."},
    {"name": "Notes", "description": "What happened, handed in: accepted means committed."},
    {"name": "Messages", "description": "What was said, handed in, each in the session that its own time puts it in."},
    {"name": "Conversations", "description": "What was said, what it came to, and how a user and a Being stand."},
    {"name": "Patrols", "description": "Runs that turn notes into memory and let time pass."},
    {"name": "Recall", "description": "Finding memories by meaning, topic or word. Being found keeps them alive."},
    {"name": "Facts", "description": "What is known of the user, and whom and what it is about."},
    {"name": "Todos", "description": "What the user means to do, does, has left open, or is at odds with."},
    {"name": "Memories", "description": "Single memories: where they came from, pinning, correcting, forgetting."},
    {"name": "Vault", "description": "What a Being must know: gated, versioned statements, in every prompt."},
    {"name": "Diary", "description": "What a Being wrote of its days, by the user's calendar."},
    {"name": "Keys", "description": "Your own keys for model providers, with which your Beings think."},
    {"name": "Cost", "description": "What models were asked for, and what it cost."},
    {"name": "Persona", "description": "Who a Being is: its soul, its lists of rules, preferences and more; its user."},
    {"name": "Context", "description": "Prompts made of what a Being has in mind, ready to be sent to a model."},
    {"name": "Work", "description": "The ledger of what must get done: what could not be, looked at and replayed."},
    {
        "name": "Health",
        "description": "Whether the system lives and gets on with its work. No token, but for its numbers.",
    },
]

_ERRORS = {
    "400": "The body is not JSON, or not UTF-8; the detail says where.",
    "401": "There is no token, or it is not alive.",
    "403": "The token lacks the scope, or is for one Being only.",
    "404": "You have no such thing.",
    "409": "The state of the thing forbids it; the detail says what to do.",
    "413": "The body, or the batch in it, is too large; nothing was taken.",
    "415": "The body is not `application/json`.",
    "422": "The request is not as it must be; `errors` or `rejected` name each place.",
    "429": "So many notes wait already that no more are taken for now; try again after `Retry-After` seconds.",
    "503": "The database or a model is out of reach; try again after `Retry-After` seconds.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare errors that a route has beside those that follow from what it takes."""
    return {status: _problem(str(status)) for status in statuses}


def document(app: FastAPI) -> dict[str, Any]:
    """Make the OpenAPI document, once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            summary=app.summary,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
        )
        for operations in schema["paths"].values():
            for operation in operations.values():
                _complete(operation)
        schemas = schema["components"]["schemas"]
        del schemas["HTTPValidationError"], schemas["ValidationError"]
        schemas["Problem"] = Problem.model_json_schema()
        app.openapi_schema = schema
    return app.openapi_schema


def _complete(operation: dict[str, Any]) -> None:
    """Tell an operation's summary and description apart, and declare the errors that follow from what it takes."""
    operation["summary"], _, operation["description"] = (
        part.strip() for part in operation["description"].partition("\n")
    )
    parameters = operation.get("parameters", [])
    statuses = [
        *(["400", "413", "415"] if "requestBody" in operation else []),
        *(["401", "403", "503"] if "security" in operation else []),
        *(["404"] if any(each["in"] == "path" for each in parameters) else []),
        *(["422"] if "requestBody" in operation or any(each["name"] != "being" for each in parameters) else []),
    ]
    # The framework declares its own 422, in its own form, wherever anything is taken.
    responses = {status: answer for status, answer in operation["responses"].items() if status != "422"}
    responses |= {status: _problem(status) for status in statuses}
    operation["responses"] = dict(sorted(responses.items()))


def _problem(status: str) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": _ERRORS[status], "content": content}
