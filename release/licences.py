"""The licence of each package that the image contains, as its own metadata says, and which licences may be shipped.

Run as a module, it prints requirements/licences.md.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from schemas.settings import CHECKOUT

REQUIREMENTS = CHECKOUT / "requirements"
# The image's, and those of the model that it embeds with.
LOCKS = ("runtime.txt", "model.txt")
# Of SPDX. LGPL and MPL, since the packages under them stand in the image as they were published, and can be replaced.
MAY_BE_SHIPPED = frozenset(
    {
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "LGPL-3.0-only",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Zlib",
    }
)
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
# As their licence files say: their metadata leaves open which of the BSD licences it is, or how two are related.
READ = {
    "amqp": "BSD-3-Clause",
    "billiard": "BSD-3-Clause",
    "click-plugins": "BSD-3-Clause",
    "flower": "BSD-3-Clause",
    "prompt-toolkit": "BSD-3-Clause",
    "protobuf": "BSD-3-Clause",
    "python-dateutil": "Apache-2.0 AND BSD-3-Clause",
    "vine": "BSD-3-Clause",
}
HEAD = """# Licences

The licences of the packages that the image contains, beside those of its base image. The system itself, its chart and
its clients are under Apache-2.0. The texts are in the image, in the folders `*.dist-info` of `/app/.venv`.

`make docs` makes this page from the lock files; a test compares the two, and fails for a licence that may not be
shipped.

| package | licence |
|---|---|
"""


class MayNotBeShippedError(Exception):
    """A package is under a licence that is not among those that may be shipped, or that is not known."""


@dataclass(frozen=True)
class Package:
    """A package that the image contains, with its licence as an SPDX expression."""

    name: str
    version: str
    licence: str


def packages() -> list[Package]:
    """Return the packages of the image.

    Raises:
        MayNotBeShippedError: One may not be shipped.
    """
    found = []
    for requirement in _locked():
        (version,) = requirement.specifier
        licence = licence_of(requirement.name)
        if not may_be_shipped(licence):
            raise MayNotBeShippedError(f"{requirement.name}: {licence or 'no licence is known'}")
        found.append(Package(canonicalize_name(requirement.name), version.version, licence))
    return sorted(found, key=lambda package: package.name)


def licence_of(name: str) -> str:
    """Return the licence of an installed package as an SPDX expression; empty if neither it nor `READ` says it."""
    about = metadata(name)
    stated: list[str] = about.get_all("License-Expression") or [READ.get(canonicalize_name(name), "")]
    if stated[0]:
        return stated[0]
    stated = about.get_all("License") or [""]
    if may_be_shipped(stated[0]):
        return stated[0]
    classifiers = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or () if line[:7] == "License"]
    return " AND ".join(sorted(CLASSIFIERS.get(one, one) for one in classifiers))


def may_be_shipped(expression: str) -> bool:
    """Return whether a licence may be shipped: of alternatives (`OR`) one has to, of others each."""
    if "(" in expression:
        return False
    return any(
        all(licence.strip() in MAY_BE_SHIPPED for licence in re.split(r"\bAND\b", alternative))
        for alternative in re.split(r"\bOR\b", expression)
    )


def page() -> str:
    """Return the text of requirements/licences.md."""
    return HEAD + "".join(f"| {one.name} | {one.licence} |\n" for one in packages())


def _locked() -> Iterator[Requirement]:
    """Yield what the image installs of the lock files, without what it takes out again."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    taken_out = {canonicalize_name(Requirement(line).name) for line in project["optional-dependencies"]["embedded"]}
    image = _image()
    for lock in LOCKS:
        for line in re.findall(r"^[^\s#][^\\\n]*", (REQUIREMENTS / lock).read_text("utf-8"), re.MULTILINE):
            requirement = Requirement(line.strip())
            applies = requirement.marker is None or requirement.marker.evaluate(image)
            if applies and canonicalize_name(requirement.name) not in taken_out:
                yield requirement


def _image() -> dict[str, str]:
    """Return the values of markers in the image."""
    (version,) = set(
        re.findall(r"^FROM python:([\d.]+)-slim", (CHECKOUT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    )
    return {
        "python_version": version.rpartition(".")[0],
        "python_full_version": version,
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
        "platform_machine": "x86_64",
        "platform_system": "Linux",
        "sys_platform": "linux",
        "os_name": "posix",
    }


if __name__ == "__main__":
    sys.stdout.write(page())
