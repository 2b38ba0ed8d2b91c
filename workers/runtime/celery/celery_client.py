"""The Celery app of processes that run no task, such as beat: without the tasks and their imports."""

from typing import Any

from celery import Celery, signals

from schemas.settings import Settings
from workers.runtime.logs import configure_logs

app = Celery("memory-patrol", changes={"imports": ()}, set_as_current=False)
app.config_from_object("celeryconfig")


@signals.setup_logging.connect  # type: ignore[untyped-decorator]  # published without types
def _log(**_: Any) -> None:
    configure_logs(Settings())
