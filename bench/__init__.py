"""What `make bench` runs: the system against the limits of this machine, as ratios within one run."""

import os

from cli.stack import ONE_THREAD

# As in our workers: one thread of numpy's for each process. It reads this when it is first imported, which is after this.
os.environ.update(ONE_THREAD)
