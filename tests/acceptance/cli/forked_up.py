"""`patrol up` whose processes are forked from the preloaded process, as it is itself.

The tests of other commands talk to it. Started from scratch, as the tests of `patrol up` start it, its processes spend
six seconds of processor time on imports.
"""

import os
from functools import partial

from cli.__main__ import main
from cli.operations import up
from tests.preloaded import Preloaded
from workers.embedded.supervisor import Supervisor

# Where the preloaded process listens.
ADDRESS = "TESTS_FORK_FROM"

if __name__ == "__main__":
    up.Supervisor = partial(Supervisor, launch=Preloaded(os.environ.pop(ADDRESS)).child)
    main()
