"""The clients say what the OpenAPI document says: that part of them is generated from it when they are built."""

import copy
import json
import shutil
import subprocess

import pytest

from generator import document, generate
from schemas.settings import CHECKOUT
from tests.documents.cloned import cloned
from tests.processes.programs import program

DOCUMENT = document.read()
GENERATED = (
    "clients/python/memory_patrol/types.py",
    "clients/python/memory_patrol/_async/routes.py",
    "clients/python/memory_patrol/_sync/client.py",
    "clients/typescript/src/types.ts",
    "clients/typescript/src/routes.ts",
)


def python(_, changed, monkeypatch):
    """The texts of the Python client's generated files."""
    monkeypatch.setattr(generate, "read", lambda: changed)
    return list(generate.files().values())


def typescript(folder, changed, _):
    """The texts of the TypeScript client's generated files."""
    client = folder / "clients" / "typescript"
    (client / "src").mkdir(parents=True, exist_ok=True)
    shutil.copy(CHECKOUT / "clients" / "typescript" / "generate.mjs", client)
    (folder / "openapi.json").write_text(json.dumps(changed), encoding="utf-8")
    subprocess.run([program("nodejs"), client / "generate.mjs"], check=True, capture_output=True)
    return [path.read_text(encoding="utf-8") for path in sorted(client.glob("src/*.ts"))]


@pytest.mark.parametrize("generated", [python, typescript])
def test_another_route_field_or_type_changes_the_generated_files(generated, tmp_path, monkeypatch):
    before = generated(tmp_path, DOCUMENT, monkeypatch)
    for change in (another_route, another_field, another_type):
        changed = copy.deepcopy(DOCUMENT)
        change(changed)
        assert generated(tmp_path, changed, monkeypatch) != before, change.__name__


def another_route(changed):
    changed["paths"]["/v1/other"] = {"get": {**changed["paths"]["/v1/beings"]["get"], "operationId": "list_others"}}


def another_field(changed):
    changed["components"]["schemas"]["Being"]["properties"]["other"] = {"type": "string"}


def another_type(changed):
    changed["components"]["schemas"]["Being"]["properties"]["name"] = {"type": "integer"}


def test_nothing_that_is_generated_is_committed(tmp_path):
    clone = cloned(tmp_path, "clients", "openapi.json")
    assert (clone / "openapi.json").exists()
    assert [name for name in GENERATED if (clone / name).exists()] == []


def test_every_operation_is_a_method_with_all_that_it_takes():
    listed = list(document.operations(DOCUMENT))
    assert len(listed) == sum(len(methods) for methods in DOCUMENT["paths"].values())
    assert all(operation.summary for operation in listed)
    routes = generate.files()[generate.PACKAGE / "_sync" / "routes.py"]
    assert routes.count("\n    def ") == len(listed) + 2  # and `send` and `stream`


def test_what_an_answer_always_has_is_required():
    schemas = DOCUMENT["components"]["schemas"]
    for name in ("Being", "Node", "RunReport", "NotePage", "Message"):
        assert set(schemas[name]["required"]) == set(schemas[name]["properties"]), name
    assert "text" not in schemas["Context"]["required"]
    assert "threshold" not in json.dumps(schemas["RecallRequest"].get("required", []))
