"""Structured logs: constant event names with ids and numbers, as text on a terminal and as JSON elsewhere."""

import logging
import sys
from typing import Any

import structlog

from schemas.settings import Settings, unknown_variables
from schemas.text.visible_text import visible


def configure_logs(settings: Settings) -> None:
    """Set up structlog, and format the records of the standard library's loggers in the same way."""
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
    renderers: list[Any] = (
        # Without colours, so that control characters of the whole line can be escaped; without the local variables of
        # a traceback, which hold users' content.
        [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback), _visible]
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
    logging.getLogger("celery.beat").addFilter(_is_no_tick)
    logging.captureWarnings(capture=True)
    # Below WARNING these loggers record every request, with content.
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
    for name, similar in unknown_variables().items():
        structlog.get_logger().warning("settings.unknown_variable", variable=name, similar=similar)


def _visible(_logger: object, _method: str, line: str) -> str:
    return visible(line)


def _is_no_tick(record: logging.LogRecord) -> bool:
    """Drop Celery's log line for each of beat's tasks: workers log the results themselves."""
    return "Sending due task" not in str(record.msg)
