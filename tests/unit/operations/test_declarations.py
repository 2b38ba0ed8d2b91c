"""What an operation declares reaches every door."""

import importlib
import pkgutil

import pytest

import operations
from api.openapi_file import document
from cli.commands import COMMANDS
from operations.declaration import declared

MODULES = {
    each.name: module
    for each in pkgutil.iter_modules(operations.__path__)
    if [*declared(module := importlib.import_module(f"operations.{each.name}"))]
}
DECLARED = [operation for module in MODULES.values() for operation in declared(module)]
# The groups whose name is not that of the module; None: its commands belong to no group.
GROUPS = {
    "keys": "key",
    "nodes": None,
    "souls": "soul",
    "user_model": "user-model",
    "vault_records": "vault",
}


@pytest.fixture(scope="module")
def openapi():
    """The document of all routes."""
    return document()


@pytest.mark.parametrize("operation", DECLARED, ids=lambda operation: operation.name)
def test_an_operation_has_its_route(openapi, operation):
    route = openapi["paths"][operation.path][operation.method.lower()]
    assert route["operationId"] == operation.name
    assert route["summary"] == operation.about.partition("\n")[0]
    assert operation.permission in route["description"]
    assert str(operation.status.value) in route["responses"]
    assert ("409" in route["responses"]) or not operation.conflicts
    assert ("200" in route["responses"]) or not operation.may_exist


@pytest.mark.parametrize("name", MODULES)
def test_commands_are_those_that_the_operations_declare(name):
    names = [command.name for operation in declared(MODULES[name]) for command in operation.commands]
    assert len(names) == len(set(names))
    if names:
        group = GROUPS.get(name, name)
        known = COMMANDS if group is None else COMMANDS[group].load().commands
        assert set(names) <= set(known)


def test_every_module_of_operations_declares_some():
    parts = {"declaration", "parameters"}
    assert {each.name for each in pkgutil.iter_modules(operations.__path__)} - parts == set(MODULES)
