"""Structured logs: static event names with ids and numbers, as text on a terminal and JSON elsewhere."""

import logging
import re
import sys

import structlog

from schemas.settings import Settings

PLAIN_NAME = re.compile(r"[A-Za-z_.]{1,60}")


def configure_logs(settings: Settings) -> None:
    """Set up structlog, and let what libraries log through the standard library leave in the same form."""
    as_text = settings.log_format == "text" or (settings.log_format == "auto" and sys.stderr.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    renderers: list[structlog.typing.Processor] = (
        [structlog.dev.ConsoleRenderer()]
        if as_text
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level)
    logging.getLogger("celery.worker.consumer.consumer").addFilter(_without_body)
    # Below warnings these tell of every request, and of texts in them.
    for chatty in (
        "httpx",
        "httpx2",
        "httpcore",
        "openai",
        "anthropic",
        "mcp",
        "celery.app.trace",
        "celery.worker.strategy",
    ):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, root.level))


def _without_body(record: logging.LogRecord) -> bool:
    """Celery shows whole messages that it can't make anything of, and these may be a producer's: leave the body out."""
    if "body" in str(record.msg):
        fault = record.args[0] if isinstance(record.args, tuple) and record.args else None
        task = str(fault).strip("'") if isinstance(fault, KeyError) else ""
        record.msg = "A message that is no task of ours was discarded: %s."
        record.args = (task if PLAIN_NAME.fullmatch(task) else type(fault).__name__,)
        record.exc_info = record.exc_text = None
    return True
