"""Makes tools of declared operations."""

import json
from collections.abc import Iterator, Mapping
from types import ModuleType, UnionType
from typing import Any, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from api.mcp.answers import VIEWS
from api.mcp.arguments import is_nothing, read_arguments
from memory.accounts import access, beings, user_accounts
from memory.accounts.access import Caller
from memory.text.errors import InvalidRequest
from operations.declaration import Operation, Parameter, Part, Tool, declared
from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.text.storable import storable, unstorable
from schemas.text.validation_messages import bounded
from workers.runtime.resources import Resources

BEING = "being"
NAMED_BEING = {"type": "string", "description": "The Being's id or slug. Needed only if there are several."}
ON_A_MOMENT = " A date, or a time; without an offset from UTC it is the user's."


class DeclaredTool:
    """A tool that performs an operation about a Being.

    Args:
        tool: Its preset.
    """

    def __init__(self, operation: Operation[Any], tool: Tool) -> None:
        self._operation = operation
        self._tool = tool
        self._parts = [part for each in operation.parameters for part in each.parts if tool.is_given(part.name)]
        self._switches = [
            Part(name, {"type": "boolean", "default": False, "description": flag.help}, is_required=False)
            for name, flag in tool.flags.items()
        ]
        self._own = {part.name for part in [*self._parts, *self._switches]}
        self._shown = _shown(operation.answer)

    @property
    def name(self) -> str:
        """Its name."""
        return self._tool.name

    @property
    def description(self) -> str:
        """Its description for the model."""
        return self._tool.help or self._operation.about

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        properties = {part.name: self._described(part) for part in [*self._parts, *self._switches]}
        required = [part.name for part in self._parts if part.is_required]
        return {"type": "object", "properties": properties | {BEING: NAMED_BEING}, "required": required}

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of its answer, which is an object."""
        schema = TypeAdapter(self._shown).json_schema(mode="serialization")
        if schema.get("type") == "object":
            return schema
        definitions = {name: schema.pop(name) for name in ("$defs",) if name in schema}
        return {"type": "object", "properties": {"result": schema}, "required": ["result"]} | definitions

    def unknown(self, given: Mapping[str, Any]) -> list[str]:
        """Return the names of arguments that have a value and are unknown to it."""
        known = {*self._own, BEING}
        return [name for name, value in self._unwrapped(given).items() if name not in known and not is_nothing(value)]

    def call(self, on: Resources, caller: Caller, given: Mapping[str, Any]) -> Any:
        """Perform the operation, and return the JSON value of the answer to the model.

        Args:
            caller: The caller.
            given: The arguments as the model wrote them.

        Raises:
            Forbidden: The caller lacks a scope.
            NotFound: There is no such Being, or it must be named.
            InvalidRequest: An argument can't be stored.
            ValidationError: An argument is invalid.
            Exception: As the operation raises it.
        """
        if faults := bounded(unstorable(given)):
            raise InvalidRequest("; ".join(faults))
        mended = self._unwrapped(storable(given))
        for scope in self._operation.scopes:
            caller.require(scope)
        being = _named(on, caller, mended.get(BEING))
        read = read_arguments(mended, [*self._parts, *self._switches], lambda: _zone(on, being))
        complete = self._tool.completed({**self._tool.defaults, **read})
        arguments = {each.name: _argument(each, complete) for each in self._operation.parameters}
        # No model is shown muted items.
        subjects = {name: False for name, subject in self._operation.subjects.items() if subject == "finds muted"}
        answer = self._operation.perform(on, being=being, **subjects, **arguments)
        view = VIEWS.get(type(answer))
        return TypeAdapter(self._shown).dump_python(view(answer) if view else answer, mode="json")

    def _unwrapped(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments, also those that a model puts into an object of its own, as `{"scene": {…}}`."""
        inner = [(name, value) for name, value in given.items() if isinstance(value, Mapping)]
        if self._own & given.keys() or len(inner) != 1:
            return given
        ((wrapper, wrapped),) = inner
        return {name: value for name, value in given.items() if name != wrapper} | {**wrapped}

    def _described(self, part: Part) -> dict[str, Any]:
        about = self._tool.hints.get(part.name, part.schema.get("description", ""))
        if part.form.get("format") == "date-time":
            about += ON_A_MOMENT
        default = self._tool.defaults.get(part.name, part.schema.get("default"))
        described = {**part.schema, "description": about} | ({} if default is None else {"default": default})
        return {name: value for name, value in described.items() if name not in {"title", "examples"}}


def tools(*modules: ModuleType) -> Iterator[DeclaredTool]:
    """Yield the tools of the operations that modules declare."""
    for module in modules:
        for operation in declared(module):
            if operation.tool:
                yield DeclaredTool(operation, operation.tool)


def _argument(parameter: Parameter, given: Mapping[str, Any]) -> Any:
    """Return the argument of an operation, checked as a request's is.

    Raises:
        ValidationError: It is invalid.
    """
    of_type: TypeAdapter[Any] = TypeAdapter(parameter.type)
    if parameter.place == "body":
        return of_type.validate_json(
            json.dumps({part.name: given[part.name] for part in parameter.parts if part.name in given})
        )
    return of_type.validate_json(json.dumps(given[parameter.name])) if parameter.name in given else parameter.default


def _named(on: Resources, caller: Caller, name: Any) -> Being:
    """Return the named Being, else the only one of the caller."""
    if not is_nothing(name):
        return access.find_being(on.store, caller, str(name))
    mine = beings.opened_by(on.store, caller)
    if len(mine) != 1:
        raise NotFound(f"Name a being, one of: {', '.join(one.slug for one in mine) or 'none yet'}.")
    return mine[0]


def _zone(on: Resources, being: Being) -> ZoneInfo:
    return ZoneInfo(user_accounts.show(on.store, being.user_id).time_zone)


def _shown(answer: Any) -> Any:
    """Return the type that a model is answered in place of an operation's answer."""
    first = get_args(answer)[0] if get_origin(answer) is UnionType else answer
    return get_type_hints(VIEWS[first])["return"] if first in VIEWS else first
