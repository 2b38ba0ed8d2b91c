"""What an operation declares reaches every door."""

import importlib
import pkgutil

import pytest

import operations
from api.openapi_file import document
from cli.commands import COMMANDS
from operations.declaration import declared

MODULES = [
    module
    for each in pkgutil.iter_modules(operations.__path__)
    if [*declared(module := importlib.import_module(f"operations.{each.name}"))]
]
DECLARED = [operation for module in MODULES for operation in declared(module)]


@pytest.mark.parametrize("operation", DECLARED, ids=lambda operation: operation.name)
def test_an_operation_has_its_route(operation):
    route = document()["paths"][operation.path][operation.method.lower()]
    assert route["operationId"] == operation.name
    assert route["summary"] == operation.about.partition("\n")[0]
    assert f"Scope `{operation.scope}`." in route["description"]
    assert str(operation.status.value) in route["responses"]
    assert ("409" in route["responses"]) or not operation.conflicts


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_commands_are_those_that_the_operations_declare(module):
    group = COMMANDS[module.__name__.rpartition(".")[2]].load()
    names = [command.name for operation in declared(module) for command in operation.commands]
    assert len(names) == len(set(names))
    assert set(names) <= set(group.commands)
