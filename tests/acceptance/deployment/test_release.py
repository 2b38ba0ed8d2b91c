"""A release: two runs over the same commit in two folders write the same bytes, and these are what they are called."""

import gzip
import hashlib
import json
import os
import re
import socket
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
from tests.cloned import cloned
from tests.helm import CHART, lint, manifests
from tests.programs import program

NAMES = {
    f"memory-patrol-{VERSION}-image.tar.gz",
    f"memory-patrol-{VERSION}.tgz",
    f"memory-patrol-{VERSION}.cdx.json",
    f"memory_patrol_client-{VERSION}-py3-none-any.whl",
    f"memory_patrol_client-{VERSION}.tar.gz",
    f"memory-patrol-client-{VERSION}.tgz",
    "SHA256SUMS",
}
IDENTITY = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-11-27T05:00:00Z"}
REGISTRIES = re.compile(rb"pypi\.org|pythonhosted|npmjs|debian\.org")
GIT = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in IDENTITY.items()}


def git(folder, *arguments):
    command = ["git", *arguments]
    subprocess.run(command, cwd=folder, env={**os.environ, **GIT}, capture_output=True, check=True)


def released(folder, umask):
    """Run the release in a clone of the checkout as it stands, committed at a given time."""
    cloned(folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "All.")
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


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    """What two runs wrote, in folders of other names and lengths and under another mask of permissions."""
    program("npm")
    return [released(tmp_path_factory.mktemp("one"), 0o022), released(tmp_path_factory.mktemp("another-one"), 0o077)]


def contents(path: Path) -> dict[str, bytes]:
    """The files of an archive by name; a text as it is."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    if path.suffix in {".tgz", ".gz"}:
        with tarfile.open(path) as archive:
            return {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}
    return {path.name: path.read_bytes()}


@pytest.mark.long
def test_the_same_commit_gives_the_same_bytes(twice):
    one, other = twice
    assert {path.name for path in one.iterdir()} == NAMES
    assert {path.name: path.read_bytes() for path in other.iterdir()} == {
        path.name: path.read_bytes() for path in one.iterdir()
    }


def test_the_digests_are_those_of_the_files(twice):
    lines = (twice[0] / "SHA256SUMS").read_text().splitlines()
    assert dict(reversed(line.split("  ")) for line in lines) == {
        name: hashlib.sha256((twice[0] / name).read_bytes()).hexdigest() for name in NAMES - {"SHA256SUMS"}
    }


def test_no_file_names_a_registry_this_machine_or_a_place_on_it(twice):
    places = [str(CHECKOUT), str(twice[0].parent), str(Path(sys.prefix).resolve()), f"{socket.gethostname()}:"]
    for path in twice[0].iterdir():
        for name, content in contents(path).items():
            assert not REGISTRIES.search(content), (path.name, name)
            assert [place for place in places if place.encode() in content] == [], (path.name, name)


def test_the_images_context_is_all_that_its_dockerfile_copies(twice):
    files = contents(twice[0] / f"memory-patrol-{VERSION}-image.tar.gz")
    names = {name.partition("/")[2] for name in files}
    dockerfile = files[f"memory-patrol-{VERSION}/Dockerfile"].decode()
    copied = [source for line in re.findall(r"(?m)^COPY (?!--)(.*) \S+$", dockerfile) for source in line.split()]
    assert copied
    assert [one for one in copied if not any(name == one or name.startswith(f"{one}/") for name in names)] == []
    assert not any(name.startswith(("tests/", "docs/", ".git/")) for name in names)


def test_the_chart_is_what_helm_reads_in_the_checkout(twice):
    package = twice[0] / f"memory-patrol-{VERSION}.tgz"
    assert manifests(chart=package) == manifests(chart=CHART)
    assert [message for message in lint(package, {}) if message["severity"] > 1] == []
    assert yaml.safe_load(contents(package)["memory-patrol/Chart.yaml"])["version"] == VERSION


def test_the_clients_are_of_this_version_and_contain_what_was_generated(twice):
    wheel = contents(twice[0] / f"memory_patrol_client-{VERSION}-py3-none-any.whl")
    assert {"memory_patrol/types.py", "memory_patrol/_sync/client.py"} <= wheel.keys()
    packed = contents(twice[0] / f"memory-patrol-client-{VERSION}.tgz")
    assert json.loads(packed["package/package.json"])["version"] == VERSION
    assert "package/dist/routes.d.ts" in packed


def test_the_bill_of_materials_is_cyclonedx_and_names_every_package_with_its_licence(twice):
    text = (twice[0] / f"memory-patrol-{VERSION}.cdx.json").read_text()
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


def test_the_time_of_all_is_the_commits(twice):
    with gzip.open(twice[0] / f"memory-patrol-{VERSION}.tgz") as unpacked, tarfile.open(fileobj=unpacked) as archive:
        assert {(one.mtime, one.uid, one.gid) for one in archive} == {(1_795_755_600, 0, 0)}
