"""Makes commands of declared operations, and shows their answers."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any, Literal
from uuid import UUID

from rich.text import Text
from typer import Argument, Option, Typer, confirm

from cli.console.ledger import every_right, find_being, find_user, open_ledger, single_id
from cli.console.options import BeingOption, JsonOption, OwnerOption, UserOption
from cli.console.output import say, say_answer, say_json
from cli.console.typed import read
from memory.accounts import lookup
from memory.accounts.access import Operator
from operations.declaration import Command, Operation, Parameter, Part, Subject, declared
from schemas.accounts.accounts import Being
from schemas.search import Thing
from workers.runtime.resources import Resources

REQUIRED = inspect.Parameter.empty
SCALARS: Mapping[str, type] = {"integer": int, "number": float, "boolean": bool}
NOTHING: Mapping[Any, Any] = {}
SHORT = {"limit": "-n", "category": "-c"}
# The options that name the user or the Being of an operation.
NAMED_BY: Mapping[Subject, Sequence[tuple[str, Any, Any]]] = {
    "being": [("being", BeingOption, None), ("owner", OwnerOption, None)],
    "caller": [("owner", UserOption, REQUIRED)],
}


@dataclass(frozen=True)
class Finder:
    """How a command finds the thing that the id in a path names.

    Args:
        metavar: The placeholder in the help, a word.
        help: The values that it may have.
        find: Returns the id.
    """

    metavar: str
    help: str
    find: Callable[[Resources, Being, str], UUID]


def by_ending(thing: Thing, listed: str) -> Finder:
    """Return a finder by the id or its end.

    Args:
        thing: The name of the kind of thing, a word.
        listed: The command that lists such things.
    """

    def find(on: Resources, being: Being, typed: str) -> UUID:
        return single_id(typed, lookup.things_named(on.store, being, thing, typed), thing, listed)

    return Finder(thing.upper(), f"The {thing}: its id, or the end of it.", find)


NODE = Finder(
    "NODE",
    "The memory: its id, the end of its id, or the producer's id of its note.",
    lambda on, being, typed: single_id(typed, lookup.nodes_named(on.store, being, typed), "memory", "patrol nodes"),
)


class Group:
    """A group of commands, made of the operations that a module declares.

    Args:
        help: The group's help.
        finders: How the ids in the operations' paths are found, by parameter.
        views: Show an answer to a person, by its type, or by the name of a command that shows it otherwise: a
            function whose result `rich` prints.
        views_of_beings: Likewise, where more of a Being is shown: the function takes the answer, the resources and the
            Being.
    """

    def __init__(
        self,
        module: ModuleType,
        help: str,  # noqa: A002  # as typer names it
        *,
        finders: Mapping[str, Finder] = NOTHING,
        views: Mapping[Any, Callable[[Any], Any]] = NOTHING,
        views_of_beings: Mapping[Any, Callable[[Any, Resources, Being], Any]] = NOTHING,
    ) -> None:
        self.commands = Typer(help=help, no_args_is_help=True)
        self._finders = finders
        self._views = views
        self._views_of_beings = views_of_beings
        self._functions = {
            command.name: self._made(operation, command)
            for operation in declared(module)
            for command in operation.commands
        }
        for name, function in self._functions.items():
            self.commands.command(name)(function)

    def __getitem__(self, name: str) -> Callable[..., None]:
        """Return the function of a command, for a command that belongs to no group."""
        return self._functions[name]

    def _made(self, operation: Operation[Any], command: Command) -> Callable[..., None]:
        def run(*, as_json: bool = False, yes: bool = False, **typed: Any) -> None:
            given = command.completed(typed)
            with open_ledger() as on:
                subjects = dict(_subjects(operation, on, typed))
                being: Any = subjects.get("being")
                arguments = {each.name: self._argument(each, given, on, being) for each in operation.parameters}
                if command.confirm and not yes:
                    confirm(command.confirm.format(being=being.slug, **arguments), abort=True, err=True)
                answer = operation.perform(on, **subjects, **arguments)
                view = self._views_of_beings.get(command.name) or self._views_of_beings.get(type(answer))
                if view and not as_json:
                    return say_answer(answer, *view(answer, on, being), as_json=False)
            return self._show(answer, command, as_json=as_json)

        run.__doc__ = command.help or operation.about
        run.__signature__ = inspect.Signature([*self._options(operation, command)])  # type: ignore[attr-defined]  # typer reads it
        return run

    def _argument(self, parameter: Parameter, given: Mapping[str, Any], on: Resources, being: Any) -> Any:
        """Return the argument of an operation that a user has typed, or the parts of it."""
        if parameter.name in self._finders:
            typed = given[parameter.name]
            return None if typed is None else self._finders[parameter.name].find(on, being, typed)
        if parameter.place == "body":
            parts = [part for part in parameter.parts if given.get(part.name) is not None]
            return read(parameter.type, {part.name: _emptied(given[part.name], part) for part in parts})
        value = given.get(parameter.name)
        return parameter.default if value is None else read(parameter.type, value)

    def _options(self, operation: Operation[Any], command: Command) -> Iterator[inspect.Parameter]:
        """Yield the parameters of the command: first the required ones."""
        arguments, options = [], []
        for parameter in operation.parameters:
            if parameter.place == "path":
                arguments.append(self._path_argument(parameter))
                continue
            for part in parameter.parts:
                if not command.is_given(part.name):
                    continue
                about = part.schema.get("description", "").replace("`", "")
                if part.is_required or part.name in command.arguments:
                    # A change of one field needs its value; in place of a list other options may name the things.
                    is_changed = parameter.place == "body" and part.form.get("type") != "array"
                    arguments.append(_argument(part, part.name, about, is_required=part.is_required or is_changed))
                else:
                    options.append(_option(part, command.defaults.get(part.name, part.schema.get("default")), about))
        yield from arguments
        yield from options
        yield from _switches(operation, command)

    def _path_argument(self, parameter: Parameter) -> inspect.Parameter:
        if finder := self._finders.get(parameter.name):
            return _argument(Part(parameter.name, {}, is_required=True), finder.metavar, finder.help)
        (part,) = parameter.parts
        thing = part.name.removesuffix("_id")
        about = parameter.description or f"The id of the {thing.replace('_', ' ')}, as the list shows it."
        return _argument(part, thing, about)

    def _show(self, answer: Any, command: Command, *, as_json: bool) -> None:
        """Print an answer: as JSON, or as its view shows it, with the cursor of a page in a remark."""
        view = self._views.get(command.name) or self._views.get(type(answer))
        if answer is None:
            say(f"{command.done}.")
        elif as_json or view is None:
            say_json(answer)
        else:
            shown = view(answer)
            parts = [shown] if isinstance(shown, str) else shown
            lines = [Text.assemble((f"{command.done}: ", "bold"), shown)] if command.done else parts
            say_answer(answer, *lines, as_json=False)


def _subjects(operation: Operation[Any], on: Resources, typed: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the subjects of an operation: a command has every right of the user that its options name."""
    for name, subject in operation.subjects.items():
        match subject:
            case "being":
                yield name, find_being(on, typed["being"], typed["owner"])
            case "caller":
                yield name, every_right(find_user(on, typed["owner"]))
            case "caller or operator":
                yield name, Operator()
            case "paying key":
                yield name, None
            case "finds muted":
                yield name, True


def _switches(operation: Operation[Any], command: Command) -> Iterator[inspect.Parameter]:
    """Yield the switches of a command, and the options that name the operation's user or Being."""
    for name, flag in command.flags.items():
        yield _typed(name, bool, Option(f"--{name.replace('_', '-')}", help=flag.help), default=False)
    for subject in operation.subjects.values():
        for name, annotation, default in NAMED_BY.get(subject, ()):
            yield _keyword(name, annotation, default)
    if command.confirm:
        yield _typed("yes", bool, Option("--yes", "-y", help="Do it without asking for confirmation."), False)
    if operation.answer is not None:
        yield _keyword("as_json", JsonOption, default=False)


def _emptied(value: Any, part: Part) -> Any:
    """Return null for an empty text where no empty text may be: it removes the value."""
    return None if value == "" and part.form.get("minLength") else value


def _argument(part: Part, metavar: str, about: str, *, is_required: bool = True) -> inspect.Parameter:
    kind: Any = _kind(part)
    if kind == list[str]:
        metavar = f"{metavar.removesuffix('s')}..."
    info = Argument(metavar=metavar.upper(), help=about, show_default=False, case_sensitive=False)
    return _typed(part.name, kind, info) if is_required else _typed(part.name, kind | None, info, default=None)


def _option(part: Part, default: Any, about: str) -> inspect.Parameter:
    form = part.form
    # A list is given by an option that is repeated, and an id by the name of the thing.
    called = part.name.removesuffix("s") if form.get("type") == "array" else part.name.removesuffix("_id")
    flags = [f"--{called.replace('_', '-')}", *filter(None, [SHORT.get(part.name)])]
    numeric = form.get("type") in {"integer", "number"}
    bounds: dict[str, Any] = {"min": form.get("minimum"), "max": form.get("maximum")} if numeric else {}
    default = default or None
    option = Option(*flags, help=about, show_default=default is not None, case_sensitive=False, **bounds)
    return _typed(part.name, _kind(part) | None, option, default=default)


def _kind(part: Part) -> Any:
    """Return the type as which a command line reads a value; the operation's own type is checked afterwards."""
    form = part.form
    if "enum" in form:
        return Literal[tuple(form["enum"])]
    if form.get("type") == "array":
        return list[str]
    return SCALARS.get(form.get("type", ""), str)


def _typed(name: str, kind: Any, info: Any, default: Any = REQUIRED) -> inspect.Parameter:
    return _keyword(name, Annotated[kind, info], default)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
