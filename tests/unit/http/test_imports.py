"""What the API loads when it starts: each of its processes, and each test that runs one, pays for it."""

import subprocess
import sys

PROGRAM = "import sys, api.app\nprint(*sys.modules)"
# The package of MCP's tools, Celery's scheduler, the providers' packages.
LOADED_LATER = {"mcp", "celery.beat", "anthropic", "openai"}


def test_the_api_loads_no_package_that_few_requests_need():
    loaded = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout
    assert LOADED_LATER.isdisjoint(loaded.split())
