"""One Celery worker: `python -m workers.runtime.worker OPTIONS` takes those of `celery worker`."""

import sys

from celery.bin.worker import worker

from workers.runtime.app import app
from workers.runtime.celery_command import run

if __name__ == "__main__":
    run(worker, app, sys.argv[1:])
