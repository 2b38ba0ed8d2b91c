"""Some 25 seconds of chaos; `make chaos` runs longer."""

import json
import subprocess
import sys

import pytest

from schemas.settings import CHECKOUT

SECONDS = 25
SEED = 1


@pytest.mark.long
@pytest.mark.timeout(900)  # becoming quiet may take long on a busy machine
def test_under_faults_nothing_is_lost_and_nothing_is_done_twice(tmp_path, request):
    figures = tmp_path / "figures.json"
    command = ["-m", "tests.chaos", "--minutes", str(SECONDS / 60), "--seed", str(SEED), "--json", figures]
    if sys.platform == "linux" and not request.config.getoption("--cold"):
        command.append("--fork")
    run = subprocess.run([sys.executable, *command], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr

    items = json.loads(figures.read_text())["items"]
    assert (items["lost"], items["doubled"]) == (0, 0)
    assert items["applied"] == items["accepted"] > 0
