"""Makes commands of declared operations, and shows their answers."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Any, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, TypeAdapter
from rich.text import Text
from typer import Argument, Option, Typer

from cli.console.ledger import find_being, only, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import remark, say, say_json
from cli.console.typed import read
from operations.declaration import Command, Operation, Parameter, declared
from schemas.accounts.accounts import Being
from store.database import Store

A = TypeVar("A", bound=BaseModel)
Find = Callable[[Store, Being, str], list[UUID]]

REQUIRED = inspect.Parameter.empty
SCALARS: Mapping[str, type] = {"integer": int, "number": float, "boolean": bool}
SHORT = {"limit": "-n"}


@dataclass(frozen=True)
class Finder:
    """How a command finds what the id in a path names.

    Args:
        thing: What it names, in a word.
        find: Returns the ids that end with what the user typed.
        listed: The command that lists such things.
    """

    thing: str
    find: Find
    listed: str


class Group:
    """A group of commands, made of the operations that a module declares.

    Args:
        module: The module.
        help: The group's help.
        finders: How the ids in the operations' paths are found, by parameter.
        views: What shows an answer to a person, by its type: a function that returns what `rich` prints.
    """

    def __init__(
        self,
        module: ModuleType,
        help: str,  # noqa: A002  # as typer names it
        *,
        finders: Mapping[str, Finder],
        views: Mapping[Any, Callable[[Any], Any]],
    ) -> None:
        self.commands = Typer(help=help, no_args_is_help=True)
        self._finders = finders
        self._views = views
        for operation in declared(module):
            for command in operation.commands:
                self.commands.command(command.name)(self._made(operation, command))

    def _made(self, operation: Operation[Any], command: Command) -> Callable[..., None]:
        def run(being: str | None, owner: str | None, *, as_json: bool = False, **typed: Any) -> None:
            given = {**typed, **command.fixed}
            for name, flag in command.flags.items():
                given |= flag.sets if given.pop(name) else {}
            with opened() as on:
                target = find_being(on.store, being, owner)
                arguments = {each.name: self._argument(each, given, on.store, target) for each in operation.parameters}
                answer = operation.perform(on, target, **arguments)
            self._show(answer, command.done, as_json=as_json)

        run.__doc__ = command.help or operation.about
        run.__signature__ = inspect.Signature([*self._options(operation, command)])  # type: ignore[attr-defined]  # typer reads it
        return run

    def _argument(self, parameter: Parameter, given: Mapping[str, Any], store: Store, being: Being) -> Any:
        """Return the argument of an operation that a user has typed, or the parts of it."""
        if parameter.place == "path":
            finder, typed = self._finders[parameter.name], given[parameter.name]
            return only(typed, finder.find(store, being, typed), finder.thing, finder.listed)
        if parameter.place == "body":
            fields = parameter.type.model_fields
            return read(parameter.type, {name: given[name] for name in fields if given.get(name) is not None})
        value = given.get(parameter.name)
        return parameter.default if value is None else read(parameter.type, value)

    def _options(self, operation: Operation[Any], command: Command) -> Iterator[inspect.Parameter]:
        """Yield what a user of the command may type: first what is required."""
        arguments, options = [], []
        for parameter in operation.parameters:
            if parameter.place == "path":
                finder = self._finders[parameter.name]
                about = f"The {finder.thing}: its id, or the end of it."
                arguments.append(_argument(parameter.name, {}, finder.thing, about))
                continue
            for name, schema, required in _parts(parameter):
                if name in command.fixed or not (command.takes is None or name in command.takes):
                    continue
                about = schema.get("description", parameter.description).replace("`", "")
                if required:
                    arguments.append(_argument(name, schema, name, about))
                else:
                    options.append(_option(name, schema, about))
        yield from arguments
        yield from options
        for name, flag in command.flags.items():
            yield _typed(name, bool, Option(f"--{name}", help=flag.help), default=False)
        yield inspect.Parameter("being", inspect.Parameter.KEYWORD_ONLY, annotation=BeingOption, default=None)
        yield inspect.Parameter("owner", inspect.Parameter.KEYWORD_ONLY, annotation=OwnerOption, default=None)
        if operation.answer is not None:
            yield inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, annotation=JsonOption, default=False)

    def _show(self, answer: Any, done: str, *, as_json: bool) -> None:
        """Print an answer: as JSON, or as its view shows it, with the cursor of a page in a remark."""
        if answer is None:
            say(f"{done}.")
        elif as_json:
            say_json(answer)
        else:
            shown = self._views[type(answer)](answer)
            if done:
                say(Text.assemble((f"{done}: ", "bold"), shown))
            else:
                say(*shown)
            if cursor := getattr(answer, "cursor", None):
                remark(f"There is more: --cursor {cursor}")


def _parts(parameter: Parameter) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield what is typed for a parameter: each field of a body, or the parameter; with its JSON schema."""
    schema = TypeAdapter(parameter.type).json_schema()
    if parameter.place == "body":
        for name, form in schema["properties"].items():
            yield name, form, name in schema.get("required", ())
    else:
        default = {} if parameter.default in {REQUIRED, None} else {"default": parameter.default}
        yield parameter.name, schema | default, parameter.default is REQUIRED


def _argument(name: str, schema: Mapping[str, Any], metavar: str, about: str) -> inspect.Parameter:
    return _typed(name, _kind(schema), Argument(metavar=metavar.upper(), help=about))


def _option(name: str, schema: Mapping[str, Any], about: str) -> inspect.Parameter:
    flags = [f"--{name.replace('_', '-')}", *filter(None, [SHORT.get(name)])]
    form = _present(schema)
    numeric = form.get("type") in {"integer", "number"}
    bounds: dict[str, Any] = {"min": form.get("minimum"), "max": form.get("maximum")} if numeric else {}
    default = schema.get("default")
    option = Option(*flags, help=about, show_default=default is not None, **bounds)
    return _typed(name, _kind(schema) | None, option, default=default)


def _present(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a value that is not null."""
    return next((each for each in schema.get("anyOf", ()) if each.get("type") != "null"), schema)


def _kind(schema: Mapping[str, Any]) -> Any:
    """Return the type as which a command line reads a value; the operation's own type is checked afterwards."""
    form = _present(schema)
    if "enum" in form:
        return Literal[tuple(form["enum"])]
    if form.get("type") == "array":
        return list[str]
    return SCALARS.get(form.get("type", ""), str)


def _typed(name: str, kind: Any, info: Any, default: Any = REQUIRED) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, info], default=default)
