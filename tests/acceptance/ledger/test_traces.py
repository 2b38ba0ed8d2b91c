"""A trace goes from the door through the ledger's rows to the transactions that finish the work, across processes."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from cli.operations.stack import api_command
from memory.accounts import access
from store.accounts import beings
from tests.acceptance.conftest import PATIENCE, answers
from tests.models.thinking import KEY
from tests.ports import free_port

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@contextmanager
def collector():
    """A collector of traces: yields its address, and the bodies that it gets."""
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", bodies
        finally:
            server.shutdown()
            thread.join()


def spans_in(bodies):
    """The spans that were exported, by their ids."""
    requests = [ExportTraceServiceRequest.FromString(body) for body in bodies]
    return {
        span.span_id.hex(): span
        for request in requests
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    }


@pytest.mark.long
def test_a_request_its_work_and_the_transactions_that_finish_it_are_one_trace(life, wait_until):
    with collector() as (address, bodies):
        port = free_port()
        life.started.settings |= {
            "PATROL_TRACES": "otlp",
            "OTEL_EXPORTER_OTLP_ENDPOINT": address,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": life.provider.url,
        }
        life.started.start("api", api_command("127.0.0.1", port, 1))
        life.worker()
        with life.store.transaction() as tx:
            user_id = beings.get_being(tx, life.being_id).user_id
        secret, _ = access.issue_token(life.store, user_id, being_id=None, scopes=["ingest"], lifetime=None)
        wait_until(lambda: answers(f"http://127.0.0.1:{port}", "/health/live"), PATIENCE)
        answer = httpx2.post(
            f"http://127.0.0.1:{port}/v1/beings/{life.being_id}/messages",
            json=[{"id": "m1", "role": "user", "content": "The marzipan is at my sister's."}],
            headers={"Authorization": f"Bearer {secret}", "traceparent": f"00-{TRACE}-{SPAN}-01"},
            timeout=PATIENCE,
        )
        assert answer.status_code == 202

        def traced():
            return {span.name: span for span in spans_in(bodies).values() if span.trace_id.hex() == TRACE}

        wait_until(lambda: {"shadow.judge", "model call", "finish"} <= traced().keys(), PATIENCE)
        found, by_id = traced(), spans_in(bodies)
    door, judged, called = found["POST /v1/beings/{being}/messages"], found["shadow.judge"], found["model call"]
    assert door.parent_span_id.hex() == SPAN
    assert judged.parent_span_id == door.span_id
    assert called.parent_span_id == judged.span_id
    finished = [span for span in by_id.values() if span.name == "finish" and span.parent_span_id == judged.span_id]
    assert len(finished) == 1
    assert called.end_time_unix_nano <= finished[0].start_time_unix_nano
    attributes = {each.key: each.value for each in judged.attributes}
    assert attributes["patrol.owner_id"].string_value == str(life.being_id)
    assert not any(b"marzipan" in body for body in bodies)
