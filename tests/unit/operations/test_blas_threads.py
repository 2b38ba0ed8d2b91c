"""One thread computes in each process, unless its operator says otherwise: more of them spin for the same cores."""

import os
import subprocess
import sys

import pytest

NAME = "OPENBLAS_NUM_THREADS"
# Prints the number that numpy's import finds.
IMPORTS = f"""
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("{NAME}"))
            sys.exit()

sys.meta_path.insert(0, Finder())
import {{module}}
import memory.search.ranking
"""


@pytest.mark.parametrize(
    ("module", "given", "found"),
    [("api.app", None, "1"), ("workers.runtime.celery.celery_command", None, "1"), ("cli", "4", "4")],
)
def test_numpy_is_imported_with_one_thread(module, given, found):
    environment = {name: value for name, value in os.environ.items() if name != NAME}
    environment |= {NAME: given} if given else {}

    ran = subprocess.run(
        [sys.executable, "-c", IMPORTS.format(module=module)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.stdout.strip() == found, ran.stderr
