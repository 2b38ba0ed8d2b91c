"""Declares an operation: a function with typed parameters, from which its route and its commands are made.

    @operation("GET /v1/beings/{being}/facts", scope="read", commands=[Command("list")])
    def list_facts(on: Resources, being: Being, *, status: FactStatus = "ACTIVE") -> FactPage:
        \"\"\"List the facts that a Being knows, newest first.\"\"\"

The first parameter is the process's resources, the second the Being that the path names. Positional parameters after
them are ids of the path, and then the body; parameters by keyword alone are those of the query. The docstring is what
users read: its first line is the summary of the route and of the command.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from types import ModuleType
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args, get_origin

from pydantic.fields import FieldInfo

from memory.accounts.request_answers import forget_answers
from schemas.accounts.accounts import Being, Scope
from workers.runtime.resources import Resources

A = TypeVar("A")
Place = Literal["path", "body", "query"]
BodySize = Literal["question", "document", "batch"]


@dataclass(frozen=True)
class Flag:
    """A switch of a command, which sets parameters of the operation.

    Args:
        help: What the switch does, for the command's help.
        sets: The values of the parameters if it is given.
    """

    help: str
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class Command:
    """A command that performs an operation, with all of its parameters or with a preset of some.

    Args:
        name: The command's name within its group.
        help: Its help; None: the operation's docstring.
        fixed: Parameters, or fields of the body, that the command sets by itself.
        takes: The parameters and fields that its user may give; None: all that are not fixed.
        flags: Switches by name.
        done: What to print before what was changed, or alone if the operation answers nothing.
    """

    name: str
    help: str | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    takes: Sequence[str] | None = None
    flags: Mapping[str, Flag] = field(default_factory=dict)
    done: str = ""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation, beside its resources and its Being.

    Args:
        name: Its name on every door.
        place: Where a request has it.
        type: Its type, with the constraints that pydantic checks.
        description: What it means; empty if its name says so.
        default: Its default; `inspect.Parameter.empty` if it is required.
    """

    name: str
    place: Place
    type: Any
    description: str
    default: Any


@dataclass(frozen=True)
class Operation(Generic[A]):
    """A declared operation.

    Args:
        call: The function that does it.
        method: The method of its route.
        path: The path of its route.
        scope: What the caller's token must permit.
        status: The status of its answer.
        commands: The commands that perform it.
        body: The limit of its body.
        conflicts: Whether the state of what it changes may refuse it.
        calls_models: Whether it may call a model, for which no transaction is held. Repeated under an Idempotency-Key
            after a crash, it is done again, and must be harmless.
        forgets: Whether stored answers to earlier requests may show what it erases, so that they are deleted with it.
    """

    call: Callable[..., A]
    method: str
    path: str
    scope: Scope
    status: HTTPStatus
    commands: Sequence[Command]
    body: BodySize
    conflicts: bool
    calls_models: bool
    forgets: bool

    @property
    def name(self) -> str:
        """Its name, that of its function."""
        return self.call.__name__

    @property
    def about(self) -> str:
        """Its description for users: a summary in one line, and perhaps more."""
        return inspect.getdoc(self.call) or ""

    @property
    def answer(self) -> Any:
        """The type of its answer; None for none."""
        return inspect.signature(self.call).return_annotation

    @property
    def parameters(self) -> list[Parameter]:
        """Its parameters in the order of their declaration."""
        return [self._parameter(each) for each in inspect.signature(self.call).parameters.values()][2:]

    def perform(self, on: Resources, being: Being, **arguments: Any) -> A:
        """Do it, and delete the stored answers that may show what it erased, in one transaction.

        Raises:
            Exception: What the operation raises.
        """
        if not self.forgets:
            return self.call(on, being, **arguments)
        with forget_answers(on.store, being.user_id):
            return self.call(on, being, **arguments)

    def _parameter(self, declared: inspect.Parameter) -> Parameter:
        kind, description = declared.annotation, ""
        if get_origin(kind) is Annotated:
            description = next(
                (str(each.description or "") for each in get_args(kind) if isinstance(each, FieldInfo)), ""
            )
        if f"{{{declared.name}}}" in self.path:
            place: Place = "path"
        else:
            place = "query" if declared.kind is inspect.Parameter.KEYWORD_ONLY else "body"
        return Parameter(declared.name, place, kind, description, declared.default)


def operation(  # noqa: D417  # its other arguments are those of Operation
    route: str,
    *,
    scope: Scope,
    status: HTTPStatus = HTTPStatus.OK,
    commands: Sequence[Command] = (),
    body: BodySize = "question",
    conflicts: bool = False,
    calls_models: bool = False,
    forgets: bool = False,
) -> Callable[[Callable[..., A]], Operation[A]]:
    """Declare the decorated function as an operation; the arguments are those of `Operation`.

    Args:
        route: The method and the path.
    """
    method, _, path = route.partition(" ")

    def declare(call: Callable[..., A]) -> Operation[A]:
        return Operation(call, method, path, scope, status, commands, body, conflicts, calls_models, forgets)

    return declare


def declared(module: ModuleType) -> Iterator[Operation[Any]]:
    """Yield the operations that a module declares, in their order."""
    return (each for each in vars(module).values() if isinstance(each, Operation))
