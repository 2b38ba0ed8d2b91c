"""What `make bench` runs: the system against the limits of this machine, as ratios within one run."""

import os

from cli.stack import ONE_THREAD

# As in our workers, numpy gets one thread in each process. It looks here when it is first imported, after this.
os.environ.update(ONE_THREAD)
