"""Declares an operation: a function with typed parameters, from which its route, commands and tool are made.

    @operation("GET /v1/beings/{being}/facts", scope="read", commands=[Command("list")])
    def list_facts(on: Resources, being: Being, *, status: FactStatus = "ACTIVE") -> FactPage:
        \"\"\"List the facts that a Being knows, newest first.\"\"\"

The first parameter is the process's resources, or a transaction: for an operation that reads or writes in one, and
calls no model. One of the type `Being` is the Being that the path names, one of the type `Caller` the caller, or
`Caller | Operator` where an operator may call as well, one of `PayingKey | None` the key that came with the request,
and one of `FindsMuted` whether muted items are found. Other positional parameters are ids of the path, and the body;
those by keyword alone are of the query, or of a header if they are marked with `InHeader`. The docstring is for
users: its first line is the summary of the route and of the command.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field
from http import HTTPStatus
from types import ModuleType
from typing import Annotated, Any, Generic, Literal, NewType, TypeVar, get_args, get_origin
from uuid import UUID

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from memory.accounts.access import Caller, Operator
from memory.accounts.request_answers import without_stored_answers
from schemas.accounts.accounts import Being, Scope
from schemas.ledger.acting import acting_for
from store.transaction import Transaction
from workers.runtime.resources import Resources

A = TypeVar("A")
Place = Literal["path", "body", "query", "header"]
Subject = Literal["resources", "being", "caller", "caller or operator", "paying key", "finds muted"]
Repeated = Literal["answered once", "done again", "harmless"]
BodySize = Literal["question", "document", "batch"]

PayingKey = NewType("PayingKey", UUID)
"""The id of the key for a model provider that came with a request."""

FindsMuted = NewType("FindsMuted", bool)
"""Whether a person looks, who finds what is muted: by a command, or with a token that has the scope `manage`."""

SUBJECTS: Mapping[Any, Subject] = {
    Resources: "resources",
    Transaction: "resources",
    Being: "being",
    Caller: "caller",
    Caller | Operator: "caller or operator",
    PayingKey | None: "paying key",
    FindsMuted: "finds muted",
}
OPERATOR: Literal["operator"] = "operator"


class InHeader:
    """Marks a parameter that a request has in a header of the parameter's name."""


@dataclass(frozen=True)
class Existing(Generic[A]):
    """The answer of an operation that creates something, if it was there already: its status is 200."""

    answer: A


@dataclass(frozen=True)
class Flag:
    """A switch of a command, which sets parameters of the operation.

    Args:
        help: The effect of the switch, for the command's help.
        sets: The values of the parameters if it is given.
    """

    help: str
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class Preset:
    """A command or tool that performs an operation with all of its parameters, or with a preset of some.

    Args:
        help: The text for its users; None: the operation's docstring.
        fixed: Parameters, or fields of the body, that it sets by itself.
        takes: The parameters and fields that its user may give; None: all that are not fixed.
        defaults: The values of parameters that its user leaves out.
        flags: Switches by name.
    """

    name: str
    help: str | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    takes: Sequence[str] | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, Flag] = field(default_factory=dict)

    def is_given(self, name: str) -> bool:
        """Return whether its user may give a parameter or a field of the body."""
        return name not in self.fixed and (self.takes is None or name in self.takes)

    def completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return its user's values with those that the preset sets, in place of its switches."""
        complete = {**given, **self.fixed}
        for name, flag in self.flags.items():
            complete |= flag.sets if complete.pop(name, False) else {}
        return complete


@dataclass(frozen=True)
class Command(Preset):
    """A command that performs an operation; its name is that within its group.

    Args:
        arguments: Those parameters that are given by place, though the operation does not require them.
        done: The text to print before the changed thing, or alone if the operation answers nothing.
        confirm: The question before it is done, with the Being and the ids by their names; empty: it is done at once.
    """

    arguments: Sequence[str] = ()
    done: str = ""
    confirm: str = ""


def sets(name: str, text: str, done: str, **fixed: object) -> Command:
    """Return a command that sets parameters by itself, and lets its user give nothing but the ids."""
    return Command(name, text, fixed=fixed, takes=(), done=done)


@dataclass(frozen=True)
class Tool(Preset):
    """A tool by which a model performs an operation that destroys nothing.

    Args:
        hints: Descriptions of parameters for a model, in place of the declared ones.
    """

    hints: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A value that is given for a parameter: the parameter itself, or a field of a body.

    Args:
        name: Its name on every door.
        schema: Its JSON schema.
        is_required: Whether it must be given.
    """

    name: str
    schema: Mapping[str, Any]
    is_required: bool

    @property
    def form(self) -> Mapping[str, Any]:
        """The schema of a value that is not null."""
        return next((each for each in self.schema.get("anyOf", ()) if each.get("type") != "null"), self.schema)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operation that its caller gives.

    Args:
        name: Its name on every door.
        place: Its place in a request.
        type: Its type, with the constraints that pydantic checks.
        description: Its meaning; empty if the name suffices.
        default: Its default; `inspect.Parameter.empty` if it is required.
    """

    name: str
    place: Place
    type: Any
    description: str
    default: Any

    @property
    def parts(self) -> list[Part]:
        """The values that are given for it: each field of a body, or the parameter itself."""
        schema = TypeAdapter(self.type).json_schema()
        if self.place == "body":
            required = schema.get("required", ())
            fields = schema["properties"].items()
            return [Part(name, _resolved(form, schema), name in required) for name, form in fields]
        default = {} if self.default in {inspect.Parameter.empty, None} else {"default": self.default}
        described = {"description": self.description} if self.description else {}
        return [Part(self.name, described | schema | default, self.default is inspect.Parameter.empty)]


@dataclass(frozen=True)
class Declaration:
    """The declaration of an operation. It decorates the function that does it, as `operation`.

    Args:
        route: The method and the path of its route; None: no route performs it.
        scope: The scope that the caller's token must have; `operator` for an operator's token.
        for_all_beings: Whether the token must be for all of its user's Beings.
        status: The status of its answer.
        omits: The fields that its answer leaves out: those that are null, or that were not set.
        commands: The commands that perform it.
        tool: The tool by which a model performs it.
        body: The limit of its body.
        conflicts: Whether the state of the changed rows may refuse it.
        gone: Whether its subject may have been erased for good.
        repeated: The effect of a second call under the same Idempotency-Key. `answered once`: it commits together with
            its answer, which is returned again. `done again`: it may call a model, for which no transaction is held, so
            that a crash before its answer is stored leads to a second call. `harmless`: by its nature.
        removes_answers: Whether stored answers to earlier requests may show the erased items: they are removed with it.
        waits_for: Whether an answer holds the change that its caller waits for: a door that can wait repeats it until
            then, or until the parameter `wait`, in seconds, is over. None: it is not waited for.
    """

    route: str | None
    _: KW_ONLY
    scope: Scope | Sequence[Scope] | Literal["operator"]
    for_all_beings: bool = False
    status: HTTPStatus = HTTPStatus.OK
    omits: Literal["null", "unset"] | None = None
    commands: Sequence[Command] = ()
    tool: Tool | None = None
    body: BodySize = "question"
    conflicts: bool = False
    gone: bool = False
    repeated: Repeated = "answered once"
    removes_answers: bool = False
    waits_for: Callable[[Any], bool] | None = None

    def __call__(self, call: Callable[..., A | Existing[A]]) -> "Operation[A]":
        """Declare a function as the operation."""
        return Operation(**vars(self), call=call)


operation = Declaration


@dataclass(frozen=True)
class Operation(Declaration, Generic[A]):
    """A declared operation: its declaration, and the function `call` that does it."""

    call: Callable[..., A | Existing[A]] = field(kw_only=True)

    @property
    def method(self) -> str:
        """The method of its route; empty if it has none."""
        return (self.route or "").partition(" ")[0]

    @property
    def path(self) -> str:
        """The path of its route; empty if it has none."""
        return (self.route or "").partition(" ")[2]

    @property
    def name(self) -> str:
        """Its name, that of its function."""
        return self.call.__name__

    @property
    def about(self) -> str:
        """Its description for users: a summary in one line, and perhaps more."""
        return inspect.getdoc(self.call) or ""

    @property
    def permission(self) -> str:
        """The permission that its caller needs, in a sentence."""
        if self.scope == OPERATOR:
            return "An operator's token."
        scopes = " and ".join(f"`{each}`" for each in self.scopes)
        limits = ", of a token for all your Beings" if self.for_all_beings else ""
        return f"Scope{'s' if len(self.scopes) > 1 else ''} {scopes}{limits}."

    @property
    def scopes(self) -> Sequence[Scope]:
        """The scopes that a user's token must have."""
        if isinstance(self.scope, str):
            return [each for each in get_args(Scope) if each == self.scope]
        return self.scope

    @property
    def answer(self) -> Any:
        """The type of its answer; None for none."""
        returned = inspect.signature(self.call).return_annotation
        return get_args(returned)[0] if self.may_exist else returned

    @property
    def may_exist(self) -> bool:
        """Whether the created thing may exist already."""
        returned = inspect.signature(self.call).return_annotation
        return any(get_origin(each) is Existing for each in get_args(returned))

    @property
    def subjects(self) -> dict[str, Subject]:
        """The parameters that the door gives by itself beside the resources, each with its subject."""
        declared = inspect.signature(self.call).parameters.values()
        subjects = {each.name: SUBJECTS[each.annotation] for each in declared if each.annotation in SUBJECTS}
        return {name: subject for name, subject in subjects.items() if subject != "resources"}

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters that its caller gives, in the order of their declaration."""
        declared = inspect.signature(self.call).parameters.values()
        return [self._parameter(each) for each in declared if each.annotation not in SUBJECTS]

    def perform(self, on: Resources, **arguments: Any) -> A:
        """Perform it, and remove the stored answers that may show the erased items, in one transaction.

        Args:
            arguments: Its other subjects, and its parameters.

        Raises:
            Forbidden: The token is bound to one Being, and must not be.
            Exception: As the operation raises it.
        """
        return answered(self.attempt(on, **arguments))

    def attempt(self, on: Resources, **arguments: Any) -> A | Existing[A]:
        """Perform it likewise, and wrap the answer in `Existing` if the thing existed already."""
        if self.for_all_beings:
            arguments["caller"].require_all_beings()
        owner: Being | Caller | Operator | None = arguments.get("being") or arguments.get("caller")
        if not isinstance(owner, Being | Caller):
            return self._run(on, **arguments)
        with (
            acting_for(owner.user_id, owner.being_id),
            without_stored_answers(on.store, owner.user_id) if self.removes_answers else nullcontext(),
        ):
            return self._run(on, **arguments)

    def _run(self, on: Resources, **arguments: Any) -> A | Existing[A]:
        first = next(iter(inspect.signature(self.call).parameters.values()))
        if first.annotation is Resources:
            return self.call(on, **arguments)
        with on.store.transaction() as tx:
            return self.call(tx, **arguments)

    def _parameter(self, declared: inspect.Parameter) -> Parameter:
        kind = declared.annotation
        marks: Sequence[Any] = get_args(kind)[1:] if get_origin(kind) is Annotated else ()
        description = next((each.description for each in marks if isinstance(each, FieldInfo)), None) or ""
        return Parameter(declared.name, self._place(declared, marks), kind, description, declared.default)

    def _place(self, declared: inspect.Parameter, marks: Sequence[Any]) -> Place:
        if f"{{{declared.name}}}" in self.path:
            return "path"
        if InHeader in marks:
            return "header"
        return "query" if declared.kind is inspect.Parameter.KEYWORD_ONLY else "body"


def _resolved(form: Any, schema: Mapping[str, Any]) -> Any:
    """Return a part of a JSON schema with the definitions that it refers to in place of the references."""
    if isinstance(form, list):
        return [_resolved(each, schema) for each in form]
    if not isinstance(form, dict):
        return form
    if target := form.get("$ref"):
        rest = {name: value for name, value in form.items() if name != "$ref"}
        return _resolved(schema["$defs"][target.rpartition("/")[2]], schema) | rest
    return {name: _resolved(value, schema) for name, value in form.items()}


def answered(answer: A | Existing[A]) -> A:
    """Return an operation's answer, whether its subject was created or existed."""
    return answer.answer if isinstance(answer, Existing) else answer


def declared(module: ModuleType) -> Iterator[Operation[Any]]:
    """Yield the operations that a module declares, in their order."""
    return (each for each in vars(module).values() if isinstance(each, Operation))
