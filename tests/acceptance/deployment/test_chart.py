"""The chart: Helm finds no fault in it, and what it renders is valid and says what the compose file says."""

import json
import re
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from jsonschema import Draft202012Validator

from schemas.ledger.kinds import QUEUES
from schemas.settings import Settings
from schemas.version import VERSION
from tests.processes.deployed import IMAGE, SECRETS, SERVICES, chart, compose, pods
from tests.processes.helm import CHART, NAMED, lint, manifests, refusal

SCALED = {**NAMED, "scaling": {"prometheus": "http://prometheus:9090"}}
TRACED = {"settings": {"PATROL_THINKER": "auto", "PATROL_POOLED": "on", "PATROL_TRACES": "otlp"}}
EVERYTHING = {
    **SCALED,
    **TRACED,
    "image": {"tag": "1", "pullSecrets": [{"name": "registry"}]},
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "memory", "operator": "Exists"}],
}
OLDEST = re.search(r">=(\d+\.\d+)", yaml.safe_load((CHART / "Chart.yaml").read_text())["kubeVersion"])[1]
WARNING = 2


def of(kind, values=None):
    return {one["metadata"]["name"]: one for one in manifests(values) if one["kind"] == kind}


@pytest.mark.parametrize("values", [{}, NAMED, EVERYTHING], ids=["defaults", "named", "everything"])
def test_helm_finds_nothing_to_warn_of(values):
    assert [message for message in lint(CHART, values) if message["severity"] >= WARNING] == []


@pytest.mark.parametrize("version", [OLDEST, kubernetes_validate.latest_version()])
@pytest.mark.parametrize("values", [NAMED, EVERYTHING], ids=["named", "everything"])
def test_what_is_rendered_is_of_the_schemas(values, version):
    scaled = json.loads((Path(__file__).parent / "keda_scaled_object.json").read_text())
    kinds = set()
    for manifest in manifests(values):
        kinds.add(manifest["kind"])
        if manifest["kind"] == "ScaledObject":
            assert [error.message for error in Draft202012Validator(scaled).iter_errors(manifest)] == []
        else:
            kubernetes_validate.validate(manifest, version, strict=True)
    assert kinds == {"Deployment", "Job", "Service", "PodDisruptionBudget", "NetworkPolicy"} | (
        {"ScaledObject"} if "scaling" in values else set()
    )


def test_each_container_is_the_service_of_the_compose_file_with_one_deployment_for_each_queue():
    assert chart() == compose()
    assert {name.removeprefix("patrol-") for name in of("Deployment")} == {*QUEUES, "api", "stream", "beat", "flower"}


def test_limits_of_memory_are_those_of_the_compose_file():
    limits = {
        name: pod["spec"]["containers"][0]["resources"]["limits"]["memory"].removesuffix("i")
        for name, pod in pods(manifests()).items()
    }
    assert limits == {name: service["deploy"]["resources"]["limits"]["memory"] for name, service in SERVICES.items()}


def test_files_and_addresses_of_a_container_are_where_it_looks_for_them():
    for name, pod in pods(manifests()).items():
        (container,) = pod["spec"]["containers"]
        settings = {**IMAGE, **{one["name"]: one["value"] for one in container["env"]}}
        mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        assert "secret" in volumes[mounts[settings["PATROL_SECRETS"]]]
        assert volumes[mounts[settings["PATROL_HOME"]]]["emptyDir"] == {}
        if "ports" in container:
            ports = {"api": "PATROL_API_PORT", "flower": "PATROL_FLOWER_PORT"}
            assert str(container["ports"][0]["containerPort"]) == settings[ports[name]]
            assert {
                container[probe]["httpGet"]["port"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")
            } == {"http"}
        elif name != "migrate":
            assert volumes[mounts[str(Path(settings["PATROL_ALIVE_FILE"]).parent)]]["emptyDir"] == {}


def test_secrets_are_references_alone():
    assert of("Secret", EVERYTHING) == {}
    for pod in pods(manifests(EVERYTHING)).values():
        (container,) = pod["spec"]["containers"]
        assert not SECRETS & {one["name"] for one in container["env"]}
        assert all("value" in one for one in container["env"])
        (secret,) = [volume["secret"] for volume in pod["spec"]["volumes"] if "secret" in volume]
        assert secret["secretName"] == "memory-patrol"
        assert [item["key"] for item in secret["items"]] == [item["path"] for item in secret["items"]]


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_among_the_settings_is_refused(name):
    assert name in refusal({"settings": {"PATROL_THINKER": "auto", name: "x"}})


def test_the_provider_has_to_be_named():
    assert "name the provider of language models" in refusal({})


def test_a_misspelt_value_is_refused():
    assert "replica" in refusal({**NAMED, "parts": {"patrol": {"replica": 3}}})


def test_the_migration_runs_before_each_roll_out():
    (job,) = of("Job").values()
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade,pre-rollback"
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    # Nothing that the hook needs comes with the release itself, which is installed after it.
    assert "serviceAccountName" not in job["spec"]["template"]["spec"]


def test_budgets_services_policies_and_scalers_are_about_pods_that_exist():
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(manifests(SCALED)).items()}
    deployments = of("Deployment", SCALED)
    for kind in ("PodDisruptionBudget", "Service", "NetworkPolicy"):
        for name, one in of(kind, SCALED).items():
            selector = one["spec"].get("podSelector") or one["spec"]["selector"]
            wanted = selector.get("matchLabels", selector)
            assert [f"patrol-{part}" for part in labels if wanted.items() <= labels[part].items()] == [name]
    assert of("PodDisruptionBudget", SCALED).keys() == deployments.keys()
    assert of("NetworkPolicy", SCALED).keys() == {*deployments, "patrol-migrate"}
    assert of("ScaledObject", SCALED).keys() == {f"patrol-{queue}" for queue in QUEUES}
    assert all(one["spec"]["scaleTargetRef"]["name"] == name for name, one in of("ScaledObject", SCALED).items())
    # KEDA sets the number of the others.
    assert {name for name, one in deployments.items() if "replicas" in one["spec"]} == {
        f"patrol-{name}" for name in ("api", "stream", "beat", "flower")
    }


def test_a_container_reaches_the_servers_whose_addresses_it_has_and_models_if_it_has_a_key():
    reached = {5432: "database_url", 6379: "redis_url", 443: "openai_api_key"}
    for name, policy in of("NetworkPolicy", TRACED).items():
        ports = {one["port"] for rule in policy["spec"]["egress"] for one in rule["ports"]}
        secrets = chart(TRACED)[name.removeprefix("patrol-")].secrets
        assert ports - {53, 4318} == {port for port, secret in reached.items() if secret in secrets}
        assert (4318 in ports) == ({"patrol_secret_key"} <= secrets)
        assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
        assert ("ingress" in policy["spec"]) == (name in of("Service"))


def test_a_model_is_not_looked_for_in_the_cluster_unless_it_is_said_to_be_there():
    (rule,) = [
        rule for rule in of("NetworkPolicy")["patrol-patrol"]["spec"]["egress"] if rule["ports"] == [{"port": 443}]
    ]
    assert "169.254.0.0/16" in rule["to"][0]["ipBlock"]["except"]


def test_a_container_is_unprivileged_and_stops_within_its_grace():
    for pod in pods(manifests()).values():
        spec, (container,) = pod["spec"], pod["spec"]["containers"]
        assert (spec["automountServiceAccountToken"], spec["enableServiceLinks"]) == (False, False)
        assert spec["securityContext"]["runAsNonRoot"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert spec["terminationGracePeriodSeconds"] >= Settings.model_fields["stop_grace"].default + 5
        assert {*container["resources"]["requests"]} == {"cpu", "memory"}


def test_the_chart_is_of_this_version():
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (about["version"], about["appVersion"]) == (VERSION, VERSION)
