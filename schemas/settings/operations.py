"""Provider batches, leases, retention, streams and upkeep."""

from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import Field, PositiveFloat, PositiveInt

from schemas.settings.section import Duration, Section


class OperationsSettings(Section):
    """Provider batches, leases, retention, streams and upkeep."""

    batch_thinking: bool = Field(
        False,
        description="Whether automatic patrols use the provider's batch API, which costs half and answers later.",
    )
    batch_wait: Duration = Field(timedelta(minutes=1), description="The interval at which a provider batch is polled.")
    batch_patience: Duration = Field(
        timedelta(hours=1),
        description="After this time a batch is cancelled, and requests that it has not answered are sent directly.",
    )
    lease: Duration = Field(timedelta(seconds=30), description="How long a claim holds unless it is renewed.")
    attempts: PositiveInt = Field(5, description="How often failing work is tried before it is dead.")
    alive_file: Path | None = Field(
        None,
        description="A file that a worker, beat or the stream reader touches every few seconds while it runs, for "
        "health checks. Not set: none.",
    )
    traces: Literal["off", "otlp"] = Field(
        "off",
        description="`otlp` sends traces, by OpenTelemetry's protocol over HTTP, to the collector that "
        "OTEL_EXPORTER_OTLP_ENDPOINT names.",
    )
    stop_grace: PositiveFloat = Field(10.0, description="How many seconds a stopping worker gives its tasks to finish.")
    keep_finished_work: Duration = Field(timedelta(days=7), description="How long the ledger keeps work that is done.")
    keep_receipts: Duration = Field(
        timedelta(days=30),
        description="How long text that a context showed is recognised in messages, and how long the vault recognises "
        "an Idempotency-Key.",
    )
    keep_request_answers: Duration = Field(
        timedelta(days=1),
        description="How long a request with an Idempotency-Key is answered alike when it is sent again.",
    )
    keep_responses: Duration = Field(
        timedelta(days=30), description="How long model responses are kept that no node's history refers to."
    )
    keep_calls: Duration = Field(timedelta(days=400), description="How long the records of model calls are kept.")
    keep_retracted: Duration | None = Field(
        None,
        description="How long retracted messages can be restored; then they are deleted. Not set: forever.",
    )
    keep_judgements: Duration = Field(
        timedelta(days=90), description="How long the counts of found and dropped items of each judgement are kept."
    )
    webhook_private: bool = Field(
        False,
        description="Whether webhooks may be at addresses that are not public, and at `http://` ones. A user who sets "
        "one then has this system send requests into your network.",
    )
    due_limit: Duration = Field(
        timedelta(minutes=1), description="`/health/work` fails when due work has waited this long for a worker."
    )
    stream_claim: Duration = Field(
        timedelta(seconds=30),
        description="Another reader claims an unacknowledged stream entry after this time.",
    )
    keep_stream_entries: Duration = Field(
        timedelta(days=1), description="How long acknowledged entries stay in the Redis streams."
    )
    keep_rejected: Duration = Field(
        timedelta(days=30), description="How long entries stay in the Redis stream `patrol:rejected`."
    )
    vector_index_from: PositiveInt = Field(
        50_000,
        description="A Being with this number of vectors of messages, or of memories, gets its own HNSW index, "
        "built in the background. Fewer are compared one by one.",
    )
    sweep_every: PositiveFloat = Field(
        2.0, description="How often, in seconds, the sweep sends messages for due work that has no message."
    )
