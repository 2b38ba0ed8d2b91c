"""All regular expressions of the product, and how it uses them: in its modules' values, and inline in its code."""

import ast
import importlib.util
import re
from collections import ChainMap, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[3]
PACKAGES = (
    *("adapters", "api", "cli", "memory", "operations", "providers", "samples", "schemas", "store", "tasks", "workers"),
)
DEEP = 5
# Modules that run a program when they are imported; their code alone is read.
RUNNING = frozenset({"api.preloaded"} | {f"{package}.__main__" for package in PACKAGES})
# Functions of `re` whose first argument is a pattern, and the place of their flags.
FLAGS_AT = {
    "compile": 1,
    **dict.fromkeys(("search", "match", "fullmatch", "findall", "finditer"), 2),
    "split": 3,
    **dict.fromkeys(("sub", "subn"), 4),
}
WORDS = re.compile(r"\w+")
NAMES = (ast.Name, ast.Attribute)
AT_ONE_PLACE = frozenset(("match", "fullmatch"))


@dataclass(frozen=True)
class Found:
    """A regular expression of the product.

    Attributes:
        where: The module, and the name or line.
        pattern: The expression.
        uses: The methods by which texts are compared with it; none known: as if it were looked for everywhere.
    """

    where: str
    pattern: re.Pattern[Any]
    uses: frozenset[str] = frozenset()

    @property
    def is_searched(self) -> bool:
        """Whether it is looked for at every place of a text."""
        return not self.uses or not self.uses <= AT_ONE_PLACE


@dataclass(frozen=True)
class Built:
    """A place where an expression is compiled whose text is known at run time only."""

    where: str


def modules() -> Iterator[tuple[ModuleType | None, str, str]]:
    """Yield every module of the product, its code, and its name; an adapter is a file for another program."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            code = path.read_text(encoding="utf-8")
            if package == "adapters":
                spec = importlib.util.spec_from_file_location(path.stem, path)
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                yield module, code, name
            else:
                yield None if name in RUNNING else importlib.import_module(name), code, name


def all_patterns() -> tuple[list[Found], list[Built]]:
    """Return all expressions, each once, and the places where some are built that only their modules know."""
    everything = list(modules())
    named = {"re"} | {
        key for module, _, _ in everything if module for key, value in vars(module).items() if type(value) is re.Pattern
    }
    # To parse code that names no expression would take most of the time.
    trees = {name: ast.parse(code) for _, code, name in everything if not named.isdisjoint(WORDS.findall(code))}
    uses = _uses(trees)
    found: dict[tuple[str | bytes, int], Found] = {}
    built: list[Built] = []
    read: set[int] = set()
    for module, _, name in everything:
        names = vars(module) if module else {}
        for key, value in names.items():
            if type(value) is not re.Pattern:
                # What other modules have imported as well is read once.
                if id(value) in read:
                    continue
                read.add(id(value))
            for pattern in _patterns_in(value):
                one = Found(f"{name}:{key}", pattern, frozenset(uses[_scoped(key, name)] if pattern is value else ()))
                _add(found, one)
        calls = [*_calls(trees[name])] if name in trees else []
        assigned = _assigned(trees[name]) if calls else set()
        for call in calls:
            method = call.func.attr
            if module and method == "compile" and call in assigned:
                # It is among the module's names.
                continue
            pattern = _evaluated(call, names)
            if pattern is None:
                built.append(Built(f"{name}:{ast.unparse(call.args[0])}"))
            elif method != "compile":
                _add(found, Found(f"{name}:{call.lineno}", pattern, frozenset([method])))
            else:
                _add(found, Found(f"{name}:{call.lineno}", pattern))
    return sorted(found.values(), key=lambda one: one.where), built


def _add(found: dict[tuple[str | bytes, int], Found], one: Found) -> None:
    """Add a use of an expression, which may have been found at another place."""
    key = one.pattern.pattern, one.pattern.flags
    known = found.get(key)
    everywhere = known is not None and (known.is_searched or one.is_searched)
    uses = frozenset() if everywhere else one.uses | (known.uses if known else frozenset())
    found[key] = Found(known.where if known else one.where, one.pattern, uses)


def _uses(trees: Mapping[str, ast.Module]) -> Mapping[str, set[str]]:
    """By name, the methods that are called of it; one that is used in another way may be searched."""
    uses: dict[str, set[str]] = defaultdict(set)
    for module, tree in trees.items():
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, NAMES):
                uses[_scoped(_name(node.value), module)].add(node.attr)
                called.add(node.value)
            if isinstance(node, NAMES) and isinstance(node.ctx, ast.Load) and node not in called:
                uses[_scoped(_name(node), module)].add("elsewhere")
    return uses


def _scoped(name: str, module: str) -> str:
    """A private name is its module's; others are known by their name alone, wherever they are imported."""
    return f"{module}.{name}" if name.startswith("_") else name


def _name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:  # noqa: C901  # one for each type
    """Yield the expressions in a value, and in what it holds."""
    # The type, as a proxy of Celery's would load the application to tell what it stands for.
    kind = type(value)
    if kind is re.Pattern:
        yield value
    elif depth > DEEP:
        return
    elif issubclass(kind, Mapping):
        for one in [*value.keys(), *value.values()]:
            yield from _patterns_in(one, depth + 1)
    elif issubclass(kind, list | tuple | set | frozenset):
        for one in value:
            yield from _patterns_in(one, depth + 1)
    elif is_dataclass(kind):
        for one in fields(value):
            yield from _patterns_in(getattr(value, one.name, None), depth + 1)
    elif issubclass(kind, type) and value.__module__.split(".", maxsplit=1)[0] in PACKAGES:
        for one in vars(value).values():
            yield from _patterns_in(one, depth + 1)


def _assigned(tree: ast.Module) -> set[ast.AST]:
    """The things in the values of a module's names."""
    return {node for one in tree.body if isinstance(one, ast.Assign | ast.AnnAssign) for node in ast.walk(one)}


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in FLAGS_AT
        ):
            yield node


class _Word(str):
    """Stands for what is only known at run time, also for a part of it."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> "_Word":
        return self


def _evaluated(call: ast.Call, names: Mapping[str, Any]) -> re.Pattern[Any] | None:
    """The expression of a call; what is only known at run time is a word in it."""
    argument = call.args[0]
    if not isinstance(argument, ast.Constant | ast.JoinedStr) and not (
        isinstance(argument, ast.Name) and isinstance(names.get(argument.id), str | re.Pattern)
    ):
        return None
    words = ChainMap(dict(names), defaultdict(lambda: _Word("word")))
    pattern = eval(compile(ast.Expression(argument), "<pattern>", "eval"), {"__builtins__": {}}, words)  # noqa: S307
    by_place = call.args[FLAGS_AT[call.func.attr] :]
    flags = next((one.value for one in call.keywords if one.arg == "flags"), by_place[0] if by_place else None)
    value = eval(compile(ast.Expression(flags), "<flags>", "eval"), dict(names)) if flags else 0  # noqa: S307
    return pattern if isinstance(pattern, re.Pattern) else re.compile(pattern, value)
