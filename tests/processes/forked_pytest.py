"""A test process in a fork: `python -m tests.processes.forked_pytest -u -c PROGRAM` runs what `-c` would run."""

import sys

if __name__ == "__main__":
    exec(sys.argv[-1])  # noqa: S102  # as the interpreter does
