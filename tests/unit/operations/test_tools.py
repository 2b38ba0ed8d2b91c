"""Tools are what operations declare, and read arguments as models write them."""

from zoneinfo import ZoneInfo

import pytest

from api.mcp.arguments import read_arguments
from api.mcp.declared_tools import tools
from api.mcp.mcp_server import OFFERED
from operations.declaration import Part
from tests.unit.operations.test_declarations import DECLARED

TOOLS = {tool.name: tool for tool in tools(*OFFERED)}
OPERATIONS = [operation for operation in DECLARED if operation.tool]
MADRID = ZoneInfo("Europe/Madrid")
SCHEMAS = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "switch": {"type": "boolean"},
    "many": {"type": "array", "items": {"type": "string"}},
    "kinds": {"type": "array", "items": {"type": "string", "enum": ["message", "fact"]}},
    "mode": {"type": "string", "enum": ["words", "hybrid"]},
    "six": {"type": "object", "properties": {"trust": {"type": "number"}}},
    "since": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]},
    "until": {"type": "string", "format": "date-time"},
}


def test_every_declared_tool_is_offered():
    assert TOOLS.keys() == {operation.tool.name for operation in OPERATIONS}


def test_models_have_few_tools():
    assert 0 < len(TOOLS) <= 10


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.tool.name)
def test_no_tool_destroys(operation):
    assert operation.method in {"", "GET", "POST"}
    assert set(operation.scopes) <= {"read", "ingest"}
    assert not operation.removes_answers


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.tool.name)
def test_a_tool_names_parameters_of_its_operation(operation):
    tool = operation.tool
    known = {part.name for parameter in operation.parameters for part in parameter.parts}
    set_by_flags = {name for flag in tool.flags.values() for name in flag.sets}
    assert {*tool.hints, *tool.fixed, *tool.defaults, *(tool.takes or ()), *set_by_flags} <= known
    assert TOOLS[tool.name].description
    assert all(part["description"] for part in TOOLS[tool.name].input_schema["properties"].values())


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("text", "null", None),
        ("text", " ", None),
        ("text", "5", "5"),
        ("text", "[old]", "[old]"),
        ("number", "0.7", 0.7),
        ("number", "", None),
        ("number", "much", "much"),
        ("whole", "5", 5),
        ("whole", 5.0, 5),
        ("whole", "5.5", 5.5),
        ("switch", "True", True),
        ("switch", "no", False),
        ("switch", "undefined", None),
        ("many", "Mira", ["Mira"]),
        ("many", "5", ["5"]),
        ("many", '["Mira", "Jon"]', ["Mira", "Jon"]),
        ("many", [2026, "May"], ["2026", "May"]),
        ("many", "none", None),
        ("text", 7, "7"),
        ("kinds", ["MESSAGE", "Facts"], ["message", "fact"]),
        ("kinds", "message, fact", ["message", "fact"]),
        ("kinds", ["songs"], ["songs"]),
        ("mode", "HYBRID.", "hybrid"),
        ("six", {"trust": "0.5"}, {"trust": 0.5}),
        ("six", '{"trust": "0.5"}', {"trust": 0.5}),
        ("since", "2026-03-02", "2026-03-02T00:00:00+01:00"),
        ("until", "2026-03-28", "2026-03-29T00:00:00+01:00"),
        ("until", "9999-12-31", "9999-12-31"),
        ("since", "2026-03-02T22:30:00", "2026-03-02T22:30:00+01:00"),
        ("since", "2026-03-02T22:30:00Z", "2026-03-02T22:30:00Z"),
        ("since", "last week", "last week"),
    ],
)
def test_arguments_are_read_as_models_write_them(name, written, meant):
    parts = [Part(each, schema, is_required=False) for each, schema in SCHEMAS.items()]
    read = read_arguments({name: written, "unknown": 1}, parts, lambda: MADRID)
    assert read == ({} if meant is None else {name: meant})


def test_what_is_required_and_empty_is_told_of():
    parts = [Part("text", SCHEMAS["text"], is_required=True), Part("many", SCHEMAS["many"], is_required=True)]
    assert read_arguments({"text": "", "many": "null"}, parts, lambda: MADRID) == {"text": "", "many": []}
