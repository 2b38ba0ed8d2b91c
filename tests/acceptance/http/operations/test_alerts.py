"""The alerts and the dashboard in `deploy/`, in a real Prometheus that scrapes a running system."""

import json
import re
import subprocess
from copy import deepcopy
from http import HTTPStatus
from uuid import uuid4

import httpx2
import pytest
import yaml
from celery import Celery

from api.http.request_metrics import RequestMetrics
from memory.accounts import access
from schemas.settings import CHECKOUT
from tests.acceptance.conftest import PATIENCE
from tests.ports import free_port
from tests.processes.helm import NAMED, manifests
from tests.processes.programs import program
from workers.embedded.processes import wait_until

DEPLOY = CHECKOUT / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8"))
DASHBOARD = json.loads((DEPLOY / "grafana" / "memory-patrol.json").read_text("utf-8"))
EXPRESSIONS = [rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]] + [
    target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())
]


@pytest.fixture(scope="module")
def prometheus(stack, ledger, tmp_path_factory):
    """A Prometheus that scrapes the system and an address at which nothing listens; its alerts wait for nothing."""
    folder = tmp_path_factory.mktemp("prometheus")
    secret, _ = access.issue_operator_token(ledger, lifetime=None)
    (folder / "patrol_operator_token").write_text(secret, "utf-8")
    at_once = deepcopy(ALERTS)
    for group in at_once["groups"]:
        group["interval"] = "1s"
        for rule in group["rules"]:
            rule.pop("for", None)
    (folder / "alerts.yml").write_text(yaml.safe_dump(at_once))
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))
    # A scrape may take as long, on a busy machine too.
    config["global"] = {"scrape_interval": "5s"}
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [
        stack.url.removeprefix("http://"),
        f"127.0.0.1:{free_port()}",
    ]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    address = f"127.0.0.1:{free_port()}"
    command = [program("prometheus"), f"--config.file={folder / 'prometheus.yml'}", f"--web.listen-address={address}"]
    with (
        subprocess.Popen(
            [*command, f"--storage.tsdb.path={folder / 'data'}"], cwd=folder, stderr=subprocess.DEVNULL
        ) as process,
        httpx2.Client(base_url=f"http://{address}/api/v1", timeout=PATIENCE) as client,
    ):
        try:
            assert wait_until(lambda: series(client, 'patrol_redis_up{job="patrol"}'), PATIENCE)
            yield client
        finally:
            process.terminate()


def series(client, expression):
    """The result of an expression, or nothing while Prometheus does not answer yet."""
    try:
        answer = client.get("/query", params={"query": expression})
    except httpx2.TransportError:
        return []
    if answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        return []
    assert answer.status_code == HTTPStatus.OK, (expression, answer.text)
    return answer.json()["data"]["result"]


def firing(client):
    """The names of the alerts that fire."""
    alerts = client.get("/alerts").json()["data"]["alerts"]
    return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}


def test_every_expression_is_evaluated_and_names_metrics_that_exist(prometheus, stack, ledger):
    secret, _ = access.issue_operator_token(ledger, lifetime=None)
    scraped = httpx2.get(f"{stack.url}/metrics", headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE).text
    # Of requests' metrics only those have been scraped that have counted one.
    lines = [*scraped.splitlines(), *RequestMetrics().as_text().decode().splitlines()]
    declared = {line.split()[2] for line in lines if line.startswith("# TYPE ")}
    for expression in EXPRESSIONS:
        series(prometheus, expression)
        for name in re.findall(r"\bpatrol_\w+", re.sub(r'"[^"]*"', "", expression)):
            assert {name, re.sub("_(bucket|count|sum)$", "", name), name.removesuffix("_total")} & declared, name


def test_an_alert_fires_when_what_it_is_about_happens(prometheus, stack, person, ledger):
    assert wait_until(lambda: "PatrolDown" in firing(prometheus), PATIENCE)
    key = f"buried {uuid4()}"
    with ledger.transaction() as tx:
        tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, state, error, finished_at)"
            " values (%s, 'patrol.due', %s, 'patrol', 'dead', 'KeyError', clock_timestamp())",
            [person.being.being_id, key],
        )
    with Celery("producer", broker=stack.broker_url, set_as_current=False) as producer:
        producer.send_task("ingest.notes", [str(uuid4()), [{"type": "todo", "content": "x"}]], queue="ingest")
    assert wait_until(lambda: firing(prometheus) >= {"PatrolDeadWork", "PatrolRejectedEntries"}, PATIENCE)
    assert "PatrolRedisDown" not in firing(prometheus)
    with ledger.transaction() as tx:
        tx.execute("delete from memory.work where key = %s", [key])


def test_a_queue_is_scaled_by_the_age_of_its_oldest_due_work(prometheus, person, ledger):
    """The chart's scalers ask this Prometheus; another queue, in which nothing is late, has a value too."""
    scaled = manifests({**NAMED, "scaling": {"prometheus": "http://prometheus:9090"}})
    triggers = {one["metadata"]["name"]: one["spec"]["triggers"][0] for one in scaled if one["kind"] == "ScaledObject"}

    def age(queue):
        found = series(prometheus, triggers[f"patrol-{queue}"]["metadata"]["query"])
        return float(found[0]["value"][1]) if found else None

    # Of a kind that no worker knows, so that it stays.
    with ledger.transaction() as tx:
        tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, next_at)"
            " values (%s, 'patrol.late', 'late', 'patrol-llm', clock_timestamp() - interval '1 hour')",
            [person.being.being_id],
        )
    try:
        assert wait_until(lambda: (age("patrol-llm") or 0) >= 3600, PATIENCE)
        assert wait_until(lambda: age("rolling") is not None, PATIENCE)
        assert age("rolling") < 3600
    finally:
        with ledger.transaction() as tx:
            tx.execute("delete from memory.work where kind = 'patrol.late'")
