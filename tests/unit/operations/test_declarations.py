"""An operation's declaration reaches every door."""

import importlib
import pkgutil
from types import UnionType
from typing import get_args, get_origin

import pytest
from pydantic import BaseModel

import memory
import operations
import store
from api.openapi_file import document
from cli.commands import COMMANDS
from operations.declaration import declared

NAMES = [each.name for each in pkgutil.walk_packages(operations.__path__, "operations.") if not each.ispkg]
MODULES = {name: module for name in NAMES if [*declared(module := importlib.import_module(name))]}
DECLARED = [operation for module in MODULES.values() for operation in declared(module)]
ROUTED = [operation for operation in DECLARED if operation.route]
# The groups whose name is not that of the module; None: its commands belong to no group.
GROUPS = {
    "asking": None,
    "beings": None,
    "diary": None,
    "erasure": "erase",
    "judgements": None,
    "keys": "key",
    "nodes": None,
    "profiles": "profile",
    "souls": "soul",
    "spoken_requests": "requests",
    "mutes": None,
    "webhooks": "webhook",
    "user_model": "user-model",
    "records": "vault",
    "working_memory": "mind",
}


# A token that may only read finds nothing muted: these show no item, read what prompts may tell, or what is no memory.
SHOW_NOTHING_MUTED = {
    "counts and settings": "list_beings show_being show_overview list_contexts list_profiles list_work show_work"
    " show_cost show_cost_of_being list_patrols show_patrol show_judgements list_rooms show_room list_sessions"
    " show_stats show_profile",
    "what prompts are told": "assemble_context turn show_session_snapshot show_user_model list_due list_due_notices"
    " retrieve_facts recall_memories recall_topic search_memories ask_memory list_room_messages show_session"
    " list_rolling_summaries list_spines show_snapshot build_block",
    "what a person or a program wrote for prompts, or retracted": "list_persona show_soul show_working_memory"
    " get_knowledge search_knowledge list_knowledge_namespaces list_retracted_messages",
}


@pytest.fixture(scope="module")
def openapi():
    """The document of all routes."""
    return document()


@pytest.mark.parametrize("operation", ROUTED, ids=lambda operation: operation.name)
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
        module = name.rpartition(".")[2]
        group = GROUPS.get(module, module)
        known = COMMANDS if group is None else COMMANDS[group].load().commands
        assert set(names) <= set(known)


def test_commands_answer_models_whose_json_is_an_object():
    types = [one.answer for one in DECLARED if one.commands]
    either = [each for one in types for each in (get_args(one) if isinstance(one, UnionType) else [one])]
    answers = {get_origin(each) or each for each in either}
    assert [answer for answer in answers - {None} if not issubclass(answer, BaseModel)] == []


def test_every_module_of_operations_declares_some():
    assert set(NAMES) - {"operations.declaration", "operations.parameters"} == set(MODULES)


def test_a_module_stands_with_its_concept():
    concepts = {each.name for floor in (memory, store) for each in pkgutil.iter_modules(floor.__path__)}
    assert {name.split(".")[1] for name in MODULES} <= concepts


def test_a_token_that_may_only_read_is_shown_nothing_muted():
    readers = {one.name for one in ROUTED if "read" in one.scopes and "finds muted" not in one.subjects.values()}
    assert readers == {name for names in SHOW_NOTHING_MUTED.values() for name in names.split()}
