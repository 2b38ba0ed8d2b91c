"""The clients say what the OpenAPI document says, because that part of them is generated from it."""

import copy
import json

import pytest

from clients import document, generate_python, generate_typescript
from clients.document import Operation

DOCUMENT = document.read()


GENERATORS = pytest.mark.parametrize("generator", [generate_python, generate_typescript])


@GENERATORS
def test_a_client_is_what_its_generator_makes_of_the_document(generator):
    for path, text in generator.files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not up to date, run: make docs"


@GENERATORS
def test_another_route_field_or_type_changes_the_generated_files(generator, monkeypatch):
    before = generator.files()
    for change in (another_route, another_field, another_type):
        changed = copy.deepcopy(DOCUMENT)
        change(changed)
        monkeypatch.setattr(generator, "read", lambda changed=changed: changed)
        assert generator.files() != before, change.__name__


def another_route(changed):
    changed["paths"]["/v1/other"] = {"get": {**changed["paths"]["/v1/beings"]["get"], "operationId": "list_others"}}


def another_field(changed):
    changed["components"]["schemas"]["Being"]["properties"]["other"] = {"type": "string"}


def another_type(changed):
    changed["components"]["schemas"]["Being"]["properties"]["name"] = {"type": "integer"}


def test_every_operation_is_a_method_with_all_that_it_takes():
    listed = list(document.operations(DOCUMENT))
    assert len(listed) == sum(len(methods) for methods in DOCUMENT["paths"].values())
    for operation in listed:
        assert isinstance(operation, Operation)
        assert operation.summary
    routes = (generate_python.PACKAGE / "_sync" / "routes.py").read_text(encoding="utf-8")
    assert routes.count("\n    def ") == len(listed) + 2  # and `send` and `stream`


def test_what_an_answer_always_has_is_required():
    schemas = DOCUMENT["components"]["schemas"]
    for name in ("Being", "Node", "RunReport", "NotePage", "Message"):
        assert set(schemas[name]["required"]) == set(schemas[name]["properties"]), name
    assert "text" not in schemas["Context"]["required"]
    assert "threshold" not in json.dumps(schemas["RecallRequest"].get("required", []))
