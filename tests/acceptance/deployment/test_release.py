"""A release: two runs over the same commit in two folders write the same bytes, and these are what they are called."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from release.licences import packages
from schemas.settings import CHECKOUT
from schemas.version import VERSION
from tests.documents.cloned import cloned
from tests.processes import helm
from tests.processes.helm import CHART, lint, manifests
from tests.processes.programs import program

NAMES = {
    f"memory-patrol-{VERSION}-image.tar.gz",
    f"memory-patrol-{VERSION}.tgz",
    f"memory-patrol-{VERSION}.cdx.json",
    f"memory_patrol_client-{VERSION}-py3-none-any.whl",
    f"memory_patrol_client-{VERSION}.tar.gz",
    f"memory-patrol-client-{VERSION}.tgz",
    "SHA256SUMS",
}
COMMITTED = 1_795_755_600
IDENTITY = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": f"{COMMITTED} +0000"}
REGISTRIES = re.compile(rb"pypi\.org|pythonhosted|npmjs|debian\.org")
GIT = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in IDENTITY.items()}


def git(folder, *arguments, umask=-1):
    command = ["git", *arguments]
    subprocess.run(command, cwd=folder, env={**os.environ, **GIT}, umask=umask, capture_output=True, check=True)


def committed(folder):
    """A clone of the checkout as it stands, committed at a given time."""
    cloned(folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All.")
    return folder


def released(folder, umask):
    """Run the release in a clone."""
    done = subprocess.run(
        [sys.executable, "-m", "release", "--to", folder / "dist"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "dist"


@pytest.mark.long
def test_the_same_commit_gives_the_same_files_and_each_is_what_it_is_called(tmp_path):
    """Two runs, in folders of other names and under another mask of permissions, write the same bytes."""
    program("npm")
    git(committed(tmp_path / "one"), "clone", "--quiet", ".", tmp_path / "another one", umask=0o077)
    one, other = released(tmp_path / "one", 0o022), released(tmp_path / "another one", 0o077)
    assert {path.name for path in one.iterdir()} == NAMES
    assert {path.name: path.read_bytes() for path in other.iterdir()} == {
        path.name: path.read_bytes() for path in one.iterdir()
    }
    digests(one)
    no_places(one)
    image_context(contents(one / f"memory-patrol-{VERSION}-image.tar.gz"))
    chart(one / f"memory-patrol-{VERSION}.tgz")
    clients(one)
    bill_of_materials((one / f"memory-patrol-{VERSION}.cdx.json").read_text())


def contents(path: Path) -> dict[str, bytes]:
    """The files of an archive by name; a text as it is."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    if path.suffix in {".tgz", ".gz"}:
        with tarfile.open(path) as archive:
            return {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}
    return {path.name: path.read_bytes()}


def digests(folder):
    """The digests are those of the files."""
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    assert dict(reversed(line.split("  ")) for line in lines) == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in NAMES - {"SHA256SUMS"}
    }


def no_places(folder):
    """No file names a registry or a place on this machine."""
    places = [str(CHECKOUT), str(folder.parent), str(Path(sys.prefix).resolve())]
    for path in folder.iterdir():
        for name, content in contents(path).items():
            assert not REGISTRIES.search(content), (path.name, name)
            assert [place for place in places if place.encode() in content] == [], (path.name, name)


def image_context(files):
    """The image's context is all that its Dockerfile copies."""
    names = {name.partition("/")[2] for name in files}
    dockerfile = files[f"memory-patrol-{VERSION}/Dockerfile"].decode()
    copied = [source for line in re.findall(r"(?m)^COPY (?!--)(.*) \S+$", dockerfile) for source in line.split()]
    assert copied
    assert [one for one in copied if not any(name == one or name.startswith(f"{one}/") for name in names)] == []
    assert not any(name.startswith(("tests/", "docs/", ".git/")) for name in names)


def chart(package):
    """The chart is what Helm reads in the checkout, and its files are of the time of the commit."""
    with tarfile.open(package) as archive:
        assert {(one.mtime, one.uid, one.gid) for one in archive} == {(COMMITTED, 0, 0)}
    assert yaml.safe_load(contents(package)["memory-patrol/Chart.yaml"])["version"] == VERSION
    if not helm.available():
        return
    assert manifests(chart=package) == manifests(chart=CHART)
    assert [message for message in lint(package, {}) if message["severity"] > 1] == []


def clients(folder):
    """The clients are of this version, and contain what was generated."""
    wheel = contents(folder / f"memory_patrol_client-{VERSION}-py3-none-any.whl")
    assert {"memory_patrol/types.py", "memory_patrol/_sync/client.py"} <= wheel.keys()
    packed = contents(folder / f"memory-patrol-client-{VERSION}.tgz")
    assert json.loads(packed["package/package.json"])["version"] == VERSION
    assert "package/dist/routes.d.ts" in packed


def bill_of_materials(text):
    """The bill of materials is CycloneDX's, and names every package with its licence."""
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    libraries = {one["name"]: one for one in bill["components"] if one["type"] == "library"}
    assert {name: (one["version"], one["licenses"][0]["expression"]) for name, one in libraries.items()} == {
        one.name: (one.version, one.licence) for one in packages()
    }
    (base,) = [one for one in bill["components"] if one["type"] == "container"]
    assert base["hashes"][0]["content"] in (CHECKOUT / "Dockerfile").read_text()


def test_a_release_is_made_of_what_is_committed(tmp_path):
    cloned(tmp_path, "release", "schemas", "openapi.json")
    git(tmp_path, "init", "--quiet")
    done = subprocess.run(
        [sys.executable, "-m", "release"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Commit first" in done.stderr
