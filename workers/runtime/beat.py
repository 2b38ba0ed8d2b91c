"""Celery beat: `python -m workers.runtime.beat OPTIONS` takes those of `celery beat`."""

import sys

from celery.bin.beat import beat

from workers.runtime.celery_client import app
from workers.runtime.celery_command import run

if __name__ == "__main__":
    run(beat, app, sys.argv[1:])
