"""`patrol up` and `patrol demo` whose processes are forked from the preloaded process, as they are themselves.

The tests of other commands talk to the former, and interrupt the latter. Started from scratch, as the tests of both
start them, the processes spend six seconds of processor time on imports.
"""

import os
from functools import partial

from cli.__main__ import main
from cli.demo import command
from cli.operations import up
from tests.processes.preloaded import Preloaded
from workers.embedded.supervisor import Supervisor

# Where the preloaded process listens.
ADDRESS = "TESTS_FORK_FROM"

if __name__ == "__main__":
    up.Supervisor = command.Supervisor = partial(Supervisor, launch=Preloaded(os.environ.pop(ADDRESS)).child)
    main()
