"""Benchmarks of `make bench`: the system's speed as a ratio to this machine's raw speed, within one run."""

import os

from cli.operations.environments import ONE_THREAD

# One thread for numpy in each process, as in workers. Must be set before numpy is imported.
os.environ.update(ONE_THREAD)
