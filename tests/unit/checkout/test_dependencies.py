"""The lock files satisfy what pyproject.toml declares, and the product imports nothing that is not declared."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from schemas.settings import CHECKOUT
from schemas.version import VERSION

DECLARED = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
PROJECT = DECLARED["project"]
ROOTS = DECLARED["tool"]["importlinter"]["root_packages"]
LISTS = {
    "runtime": [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["embedded"]],
    "dev": DECLARED["dependency-groups"]["dev"],
    "model": DECLARED["dependency-groups"]["model"],
}
# Installed with what is declared on the right, whose documented interface they are part of.
PART_OF = {
    "anyio": "fastapi",
    "starlette": "fastapi",
    "pydantic-core": "pydantic",
    "psycopg-pool": "psycopg",
    "billiard": "celery",
}


def test_every_image_of_others_is_pinned_by_its_digest():
    named = re.findall(r"^FROM (\S+)", (CHECKOUT / "Dockerfile").read_text(), re.MULTILINE)
    named += re.findall(r"^\s*image: (\S+)", (CHECKOUT / "docker-compose.yml").read_text(), re.MULTILINE)
    assert len({*named} - {"memory-patrol"}) == 3
    assert [image for image in named if not re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", image)] == ["memory-patrol"]


def locked(name):
    lines = (CHECKOUT / "requirements" / f"{name}.txt").read_text()
    return {
        canonicalize_name(found[1]): found[2] for found in re.finditer(r"(?m)^([\w.-]+)(?:\[.*\])?==([\w.]+)", lines)
    }


@pytest.mark.parametrize("name", LISTS)
def test_each_lock_file_satisfies_its_declarations(name):
    versions = locked(name)
    for requirement in map(Requirement, LISTS[name]):
        assert versions[canonicalize_name(requirement.name)] in requirement.specifier


def test_tests_run_with_the_versions_of_the_product():
    product, tests = locked("runtime"), locked("dev")
    assert {name: product[name] for name in tests if name in product} == {
        name: version for name, version in tests.items() if name in product
    }


def test_what_the_product_imports_is_declared():
    declared = {canonicalize_name(Requirement(line).name) for line in LISTS["runtime"]}
    distributions = packages_distributions()
    sources = [CHECKOUT / "celeryconfig.py", *(path for name in ROOTS for path in (CHECKOUT / name).rglob("*.py"))]
    imported = {
        module.partition(".")[0]
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom) and node.module
            else []
        )
    } - {*sys.stdlib_module_names, *ROOTS, "celeryconfig"}
    names = {canonicalize_name(distributions[module][0]) for module in imported}
    assert {PART_OF.get(name, name) for name in names} - declared == set()


def test_the_version_is_that_of_the_project():
    assert PROJECT["version"] == VERSION
