"""The modules that a process imports when it starts: each of the API's as few as it needs, and one thread computes.

More threads would spin for the same cores, unless an operator says otherwise.
"""

import os
import subprocess
import sys

import pytest

NAME = "OPENBLAS_NUM_THREADS"
# Prints the number of threads that numpy's import finds, and the modules that are loaded.
IMPORTS = f"""
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("{NAME}"))

sys.meta_path.insert(0, Finder())
import {{module}}
print(*sys.modules)
"""
# The package of MCP's tools, Celery's scheduler, the providers' packages: few requests need them.
LOADED_LATER = {"mcp", "celery.beat", "anthropic", "openai"}


def imported(module: str, threads: str | None) -> tuple[set[str], str]:
    """The imports of a process with this number of threads: the modules, and what numpy finds."""
    environment = {name: value for name, value in os.environ.items() if name != NAME}
    environment |= {NAME: threads} if threads else {}
    program = IMPORTS.format(module=module)
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    found, modules = ran.stdout.splitlines()
    return set(modules.split()), found


def test_the_api_loads_no_package_that_few_requests_need_and_computes_in_one_thread():
    modules, threads = imported("api.app", None)
    assert "fastapi" in modules
    assert LOADED_LATER.isdisjoint(modules)
    assert threads == "1"


@pytest.mark.parametrize(
    ("module", "given", "found"),
    [
        ("workers.runtime.celery.celery_command, memory.search.ranking", None, "1"),
        ("cli, memory.search.ranking", "4", "4"),
    ],
)
def test_numpy_is_imported_with_one_thread_unless_the_operator_says_otherwise(module, given, found):
    assert imported(module, given)[1] == found
