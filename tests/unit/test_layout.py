"""The product stands without its tests."""

import ast
import subprocess
import tomllib
from pathlib import PurePath

import pytest

from schemas.settings import CHECKOUT

PRODUCT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["root_packages"]
SOURCES = [
    CHECKOUT / "celeryconfig.py",
    *(path for name in PRODUCT for path in sorted((CHECKOUT / name).rglob("*.py"))),
]


def mentions_of_tests(source):
    """Imports of `tests`, and strings that name a module or a file below it."""
    if "tests" not in source:
        return
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (one.name for one in names if one.name.partition(".")[0] == "tests")
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] == "tests":
                yield module
            case ast.Constant(value=str(text)) if id(node) not in docstrings and (
                text == "tests" or text.startswith(("tests.", "tests/"))
            ):
                yield text


def test_no_file_of_the_product_imports_or_starts_a_test():
    found = {path: list(mentions_of_tests(path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert {str(path.relative_to(CHECKOUT)): names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("source", ["import tests.ports", "from tests.fakes import x", 'run(["-m", "tests.fakes.p"])'])
def test_the_check_finds_what_it_looks_for(source):
    assert list(mentions_of_tests(source))


MOST_ENTRIES = 20


def entries_of_folders():
    """The names in each folder below those of the product and the tests, as git knows them."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *PRODUCT, "sql", "tests"]
    entries = {}
    for name in subprocess.run(listed, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout.splitlines():
        for path in (PurePath(name), *PurePath(name).parents[:-2]):
            entries.setdefault(str(path.parent), set()).add(path.name)
    return entries


def test_no_folder_has_more_entries_than_a_reader_takes_in():
    entries = entries_of_folders()

    assert len(entries["store"]) > 10
    assert {"api", "unit"} & entries["tests"] == {"unit"}
    assert {name: len(inside) for name, inside in entries.items() if len(inside) > MOST_ENTRIES} == {}


def test_each_migration_stands_in_the_folder_of_its_number():
    folders = sorted((CHECKOUT / "sql" / "migrations").glob("*/"))
    numbers = [int(folder.name.removeprefix("from_")) for folder in folders]

    for folder, first, end in zip(folders, numbers, [*numbers[1:], 10_000], strict=True):
        assert all(first <= int(migration.name[:4]) < end for migration in folder.iterdir())
    assert [one.name for one in (CHECKOUT / "sql" / "migrations").iterdir() if not one.is_dir()] == ["landed.sha256"]
