"""`python -m tests.chaos --minutes 10 --seed 1`: injects faults for a while, then checks by counting."""

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from tests.chaos.driver import Chaos
from tests.processes.preloaded import preloaded_client
from workers.embedded.processes import Child


def main() -> int:
    """Run; returns the exit status."""
    parser = argparse.ArgumentParser(description="Harm a running system for a while, then prove that nothing was lost.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None, help="what decides what happens; drawn if not said")
    parser.add_argument("--json", type=Path, help="where to put the figures")
    parser.add_argument("--fork", action="store_true", help="fork processes from one that has imported their modules")
    parser.add_argument("--keep", action="store_true", help="leave the directory even if all is well")
    arguments = parser.parse_args()
    seed = random.SystemRandom().randrange(1_000_000) if arguments.seed is None else arguments.seed
    directory = Path(tempfile.mkdtemp(prefix="patrol-chaos-"))
    sys.stdout.write(f"Chaos for {arguments.minutes:g} minutes from seed {seed}, in {directory}\n")
    with _forking() if arguments.fork else nullcontext(Child) as launch:
        wrong = Chaos(directory, seed, launch).run(60 * arguments.minutes)
    if arguments.json and (directory / "figures.json").exists():
        shutil.copy(directory / "figures.json", arguments.json)
    if wrong:
        sys.stdout.write("\n".join(["", *wrong[:50], f"{len(wrong)} things are wrong."]))
        sys.stdout.write(f"\nSeed {seed}; the timeline, the logs and the database are in {directory}\n")
        return 1
    if not arguments.keep:
        shutil.rmtree(directory)
    sys.stdout.write(f"Nothing was lost, nothing was done twice (seed {seed}).\n")
    return 0


@contextmanager
def _forking() -> Iterator[Callable[..., Child]]:
    with preloaded_client() as preloaded:
        yield preloaded.child


if __name__ == "__main__":
    sys.exit(main())
