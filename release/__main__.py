"""`make release`: writes what a release consists of into a folder.

It is made of what is committed; times in it are the commit's. The client for JavaScript needs npm.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from release.bill_of_materials import NAME, bill_of_materials
from schemas.settings import CHECKOUT
from schemas.version import VERSION

CLIENTS = ("clients/python", "clients/typescript", "openapi.json")


def main() -> None:
    """Write all files and their digests."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("--to", type=Path, default=CHECKOUT / "dist", metavar="FOLDER", help="where to; it is emptied")
    to: Path = parser.parse_args().to.absolute()
    if changed := _git("status", "--porcelain"):
        sys.exit(f"A release is made of what is committed. Commit first, or take away:\n{changed}")
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    release(to, int(_git("log", "-1", "--format=%ct")))
    sys.stdout.writelines(f"{path.name}\n" for path in sorted(to.iterdir()))


def release(to: Path, epoch: int) -> None:
    """Write the image's context, the chart, the clients, the bill of materials, and the digests of all.

    Args:
        to: An empty folder.
        epoch: When the commit was made, in seconds since 1970.
    """
    versioned = f"{NAME}-{VERSION}"
    _archive(CHECKOUT, f"--prefix={versioned}/", f"--output={to / versioned}-image.tar.gz", "HEAD", *image_context())
    _archive(CHECKOUT / "deploy" / "chart", f"--prefix={NAME}/", f"--output={to / versioned}.tgz", "HEAD")
    (to / f"{versioned}.cdx.json").write_text(bill_of_materials(epoch), "utf-8")
    with tempfile.TemporaryDirectory(prefix="release-") as directory:
        _clients(to, Path(directory), epoch)
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in to.iterdir()}
    (to / "SHA256SUMS").write_text("".join(f"{digests[name]}  {name}\n" for name in sorted(digests)), "utf-8")


def image_context() -> list[str]:
    """Return what `docker build` reads: the Dockerfile, and what .dockerignore lets in."""
    ignored = (CHECKOUT / ".dockerignore").read_text("utf-8").splitlines()
    return ["Dockerfile", ".dockerignore", *(line.removeprefix("!") for line in ignored if line.startswith("!"))]


def _clients(to: Path, folder: Path, epoch: int) -> None:
    """Build the clients in a copy, since a build generates files beside the sources."""
    _archive(CHECKOUT, f"--output={folder / 'clients.tar'}", "HEAD", *CLIENTS)
    with tarfile.open(folder / "clients.tar") as copied:
        copied.extractall(folder, filter="data")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "npm_config_loglevel": "error"}
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(to), "clients/python"]
    pack_for_npm = [_npm(), "pack", "--silent", "--pack-destination", str(to)]
    for command, where in ((build, folder), (pack_for_npm, folder / "clients" / "typescript")):
        subprocess.run(command, cwd=where, env=environment, stdout=subprocess.DEVNULL, umask=0o022, check=True)  # noqa: S603  # ours


def _npm() -> str:
    if found := shutil.which("npm"):
        return found
    sys.exit("The client for JavaScript is built by npm, which is not on the PATH.")


def _archive(folder: Path, *arguments: str) -> None:
    """Write an archive of what is committed in a folder; its bytes depend on the commit alone."""
    _git("-C", str(folder), "-c", "tar.umask=0022", "archive", *arguments)


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603  # ours


if __name__ == "__main__":
    main()
