"""Exports spans by OpenTelemetry's protocol (OTLP over HTTP); OTEL_EXPORTER_OTLP_* name the collector."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from store.ledger.tracing import Attributes, Span, Tracing

PARENT = "traceparent"


class KeptSpan(Span):
    """A span that is exported when it ends."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def rename(self, name: str, attributes: Attributes) -> None:
        """Give it a name, and further attributes, that are known by now."""
        self._span.update_name(name)
        self._span.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        """Mark it as failed, by the kind of fault alone."""
        self._span.set_attribute("error.type", kind)
        self._span.set_status(Status(StatusCode.ERROR))


class KeptTracing(Tracing):
    """Keeps traces.

    Args:
        processor: Takes the spans that have ended.
    """

    def __init__(self, processor: SpanProcessor) -> None:
        # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are read as well, and take precedence.
        self._provider = TracerProvider(resource=Resource.create({"service.name": "memory-patrol"}))
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("memory-patrol")
        self._propagator = TraceContextTextMapPropagator()

    def present(self) -> str:
        """The `traceparent` of the present span."""
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier)
        return carrier.get(PARENT, "")

    @contextmanager
    def span(self, name: str, attributes: Attributes, *, parent: str | None = None) -> Iterator[Span]:
        """Run the block within a span. A fault's text may hold words of a user's, so that its type alone is kept."""
        before = self._propagator.extract({PARENT: parent}) if parent else None
        kind = SpanKind.INTERNAL if parent is None else SpanKind.SERVER
        with self._tracer.start_as_current_span(
            name, before, kind, attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            kept = KeptSpan(span)
            try:
                yield kept
            except BaseException as fault:
                kept.fail(type(fault).__name__)
                raise

    def close(self) -> None:
        """Export the ended spans, and stop."""
        self._provider.shutdown()


@contextmanager
def exported_tracing() -> Iterator[Tracing]:
    """Export spans to the collector that the environment names, in the background."""
    with closing(KeptTracing(BatchSpanProcessor(OTLPSpanExporter()))) as tracing:
        yield tracing
