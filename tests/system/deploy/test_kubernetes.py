"""The Kubernetes manifests: whole, valid by Kubernetes' own schemas, and in agreement with the service's settings."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from kinarow.errors import SettingsError
from kinarow.settings import PREFIX, read_api_keys
from kinarow.version import VERSION
from service.settings import Settings, default_settings
from tests.support import proxy
from tests.support.commands import package, run
from tests.support.server import REPOSITORY

kubernetes_validate = package("kubernetes_validate")

FOLDER = REPOSITORY / "deploy" / "kubernetes"
PUBLIC = REPOSITORY / "deploy" / "kubernetes-public"
VERSIONS = ("1.29", "1.33")  # of Kubernetes: the oldest the manifests are meant for, and a newer one


def built(folder: Path) -> list[dict[str, Any]]:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed")
    return list(yaml.safe_load_all(run("kubectl", "kustomize", folder)))


@pytest.fixture(scope="module")
def manifests() -> list[dict[str, Any]]:
    return built(FOLDER)


@pytest.fixture(scope="module")
def public() -> list[dict[str, Any]]:
    return built(PUBLIC)


def test_images_of_others_are_those_of_compose_and_ours_is_of_this_version(manifests):
    text = (REPOSITORY / "deploy" / "compose.yaml").read_text("utf-8")
    images = {each["image"] for template in pods(manifests).values() for each in template["spec"]["containers"]}
    others = images - {f"kinarow:{VERSION}"}
    assert len(others) == len(images) - 1 == 2
    for image in others:
        name, _, digest = image.partition("@")
        assert re.search(rf"image: {name}:\S+@{digest}$", text, re.MULTILINE), image


def find(manifests: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    """The one object of this kind with this name, to which kustomize may have added a digest."""
    pattern = re.compile(rf"{name}(-[0-9a-z]{{10}})?")
    (found,) = (each for each in manifests if each["kind"] == kind and pattern.fullmatch(each["metadata"]["name"]))
    return found


def pods(manifests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each["spec"]["template"] for each in manifests if each["kind"] == "Deployment"}


def seconds(probe: dict[str, Any]) -> int:
    return int(probe["periodSeconds"]) * int(probe.get("failureThreshold", 3))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_object_is_valid_by_the_schemas_of_kubernetes(manifests, public, version):
    assert len(manifests) > 10
    for each in (*manifests, *public):
        kubernetes_validate.validate(each, version, strict=True)


def test_the_ingress_leads_to_the_proxy(public):
    spec = find(public, "Ingress", "kinarow")["spec"]
    (rule,) = spec["rules"]
    backend = rule["http"]["paths"][0]["backend"]["service"]
    service = find(public, "Service", backend["name"])
    assert backend["port"]["name"] in [port["name"] for port in service["spec"]["ports"]]
    assert spec["tls"][0]["hosts"] == [rule["host"]]


def test_the_keys_of_the_public_example(public, tmp_path):
    """They are where the setting says; the service refuses them as they are, and reads them once they are filled in."""
    text = find(public, "Secret", "kinarow-keys")["stringData"]["keys"]
    spec = pods(public)["kinarow"]["spec"]
    (container,) = spec["containers"]
    given = {each["name"]: each["value"] for each in container["env"]}
    mounts = {mount["name"]: Path(mount["mountPath"]) for mount in container["volumeMounts"]}
    assert Path(given["KINAROW_API_KEYS_FILE"]) == mounts["keys"] / "keys"
    assert {"keys", "tmp", "shm"} == {volume["name"] for volume in spec["volumes"]}
    path = tmp_path / "keys"
    path.write_text(text)
    with pytest.raises(SettingsError):
        read_api_keys(path)
    path.write_text(text.replace("<key>", "an-asking-key-01234567", 1).replace("<key>", "for-prometheus-0123456"))
    assert read_api_keys(path) == (("an-asking-key-01234567",), ("for-prometheus-0123456",))


def test_every_file_of_the_folder_is_part_of_it():
    listed = (FOLDER / "kustomization.yaml").read_text("utf-8")
    for path in FOLDER.iterdir():
        assert path.name in listed or path.name in ("kustomization.yaml", "README.md"), path.name


def test_no_pod_has_privileges_or_a_writable_root(manifests):
    for name, template in pods(manifests).items():
        spec = template["spec"]
        security = spec["securityContext"]
        assert (security["runAsNonRoot"], security["seccompProfile"]["type"]) == (True, "RuntimeDefault"), name
        assert security["runAsUser"] > 0, name
        assert (spec["automountServiceAccountToken"], spec["enableServiceLinks"]) == (False, False), name
        for container in spec["containers"]:
            context = container["securityContext"]
            assert (context["readOnlyRootFilesystem"], context["allowPrivilegeEscalation"]) == (True, False), name
            assert context["capabilities"]["drop"] == ["ALL"], name
            assert set(container["resources"]["requests"]) == {"cpu", "memory"}, name
            assert "memory" in container["resources"]["limits"], name
            assert re.search(r":(?!latest$)", container["image"]), name


def test_selectors_find_their_pods(manifests):
    templates = pods(manifests)
    labels = {name: template["metadata"]["labels"] for name, template in templates.items()}

    def found(selector: dict[str, str]) -> list[str]:
        return [name for name, own in labels.items() if selector.items() <= own.items()]

    for each in manifests:
        name, spec = each["metadata"]["name"], each.get("spec", {})
        if each["kind"] == "Service":
            assert found(spec["selector"]) == [name]
            (port,) = spec["ports"]
            (container,) = templates[name]["spec"]["containers"]
            assert port["targetPort"] in [own["name"] for own in container["ports"]]
        elif each["kind"] in ("Deployment", "PodDisruptionBudget"):
            assert found(spec["selector"]["matchLabels"]) == [name]
        elif each["kind"] == "NetworkPolicy" and spec["podSelector"]:
            assert found(spec["podSelector"]["matchLabels"]) == [name]
        elif each["kind"] == "HorizontalPodAutoscaler":
            assert spec["scaleTargetRef"]["name"] in labels


def test_all_traffic_is_refused_but_what_a_policy_names(manifests):
    nothing = find(manifests, "NetworkPolicy", "nothing")["spec"]
    assert nothing == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    named = {each["metadata"]["name"] for each in manifests if each["kind"] == "NetworkPolicy"}
    assert set(pods(manifests)) <= named


def test_the_probes_ask_what_the_service_answers(manifests):
    (container,) = pods(manifests)["kinarow"]["spec"]["containers"]
    paths = {name: container[name]["httpGet"]["path"] for name in container if name.endswith("Probe")}
    assert paths == {"startupProbe": "/readyz", "readinessProbe": "/readyz", "livenessProbe": "/healthz"}
    assert seconds(container["startupProbe"]) >= 60
    assert seconds(container["livenessProbe"]) >= 20


def settings_of(manifests: list[dict[str, Any]]) -> dict[str, str]:
    data: dict[str, str] = find(manifests, "ConfigMap", "kinarow-settings")["data"]
    return data


def test_the_settings_exist_and_are_possible(manifests):
    given = settings_of(manifests)
    default_settings(
        **{name.removeprefix(PREFIX).lower(): value for name, value in given.items() if name != "KINAROW_REDIS_URL"}
    )
    (container,) = pods(manifests)["kinarow"]["spec"]["containers"]
    reference = container["envFrom"][0]["configMapRef"]["name"]
    assert reference == find(manifests, "ConfigMap", "kinarow-settings")["metadata"]["name"]
    # Each worker searches on a core of its own: what is asked for is what is used.
    assert given["KINAROW_WORKERS"] == container["resources"]["requests"]["cpu"]


def test_every_pod_has_the_same_time_to_end(manifests):
    """What preStop takes, then more than the service takes to stop; it sleeps until every node knows."""
    grace = default_settings().stop_s
    spec = pods(manifests)["kinarow"]["spec"]
    (container,) = spec["containers"]
    sleep, drain = container["lifecycle"]["preStop"]["exec"]["command"]
    assert sleep == "sleep"
    assert int(drain) >= seconds(container["readinessProbe"]) + 5
    assert spec["terminationGracePeriodSeconds"] == int(drain) + grace + 5
    proxied = pods(manifests)["kinarow-proxy"]["spec"]
    script = proxied["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][-1]
    before, after = map(int, re.findall(r"sleep (\d+)", script))
    assert after == grace
    assert proxied["terminationGracePeriodSeconds"] >= before + after


def test_the_proxy_runs_in_what_is_mounted(manifests):
    spec = pods(manifests)["kinarow-proxy"]["spec"]
    (container,) = spec["containers"]
    command = container["command"]
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert {command[command.index("-p") + 1], str(Path(command[command.index("-c") + 1]).parent)} == mounted


def test_nginx_accepts_the_configuration_of_the_proxy(manifests, tmp_path):
    if proxy.NGINX is None:
        pytest.skip("nginx is not installed")
    data = find(manifests, "ConfigMap", "kinarow-proxy")["data"]
    assert set(data) == {"nginx.conf", "site.conf", "listen.conf"}
    assert "server kinarow:8000" in data["site.conf"]
    for name, text in data.items():
        # No name can be looked up here, and no privileges are needed for the port.
        (tmp_path / name).write_text(text.replace("server kinarow:", "server 127.0.0.1:"), "utf-8")
    done = proxy.check(tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_proxy_of_kubernetes_has_the_same_rates(manifests):
    def zones(text: str) -> list[str]:
        return re.findall(r"^limit_\w+_zone .*;$", text, re.MULTILINE)

    own = zones(find(manifests, "ConfigMap", "kinarow-proxy")["data"]["site.conf"])
    assert own == zones((proxy.CONFIGURATION / "site.conf").read_text("utf-8"))
    assert len(own) == 5


FILE = REPOSITORY / "deploy" / "compose.yaml"
DIGITS = "0123456789"


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(FILE.read_text("utf-8"))["services"]
    return found


def test_compose_accepts_the_file():
    """It needs no Docker for that."""
    if shutil.which("docker-compose") is None:
        pytest.skip("docker-compose is not installed")
    run("docker-compose", "--file", FILE, "config", "--quiet")


def test_nothing_has_privileges_and_only_loopback_is_published(services):
    for name, service in services.items():
        assert service["image"] == "kinarow" or re.search(r":\S+@sha256:[0-9a-f]{64}$", service["image"]), name
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["mem_limit"], name
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), name


def test_the_service_has_no_way_out(services):
    inside = yaml.safe_load(FILE.read_text("utf-8"))["networks"]["inside"]
    assert inside == {"internal": True}
    for name in ("kinarow-1", "kinarow-2", "shared"):
        assert services[name]["networks"] == ["inside"]


def test_every_file_that_is_mounted_exists(services):
    mounts = [mount for service in services.values() for mount in service.get("volumes", [])]
    own = [mount.split(":")[0] for mount in mounts if mount.startswith("./")]
    assert own
    for path in own:
        assert (FILE.parent / path).exists(), path
    assert all(mount.endswith(":ro") for mount in mounts if mount.startswith("./"))


def test_the_settings_exist_and_everything_has_the_same_time_to_end(services):
    """More than the service takes to stop, for the instances and the proxy."""
    given = services["kinarow-1"]["environment"]
    assert given == services["kinarow-2"]["environment"]
    for name in given:
        assert name.removeprefix(PREFIX).lower() in Settings.model_fields, name
    grace = default_settings().stop_s
    for name in ("kinarow-1", "kinarow-2", "proxy"):
        assert services[name]["stop_grace_period"] == f"{grace + 5}s"


def test_the_documents_name_the_same_times():
    """Those of operating are the defaults; the unit of a public instance goes with the settings beside it."""
    operating, public = (
        (REPOSITORY / "docs" / name).read_text("utf-8") for name in ("operating.md", "public-instance.md")
    )
    longest = default_settings().stop_s
    assert f"otherwise at most {longest}:" in operating
    assert f"For up to {longest} seconds both" in operating
    assert f"more than {longest} seconds to stop" in operating
    own = default_settings(max_time_ms=re.search(r"^KINAROW_MAX_TIME_MS=(\d+)$", public, re.MULTILINE)[1]).stop_s
    assert f"takes up to {own} seconds" in public
    assert list(map(int, re.findall(r"^TimeoutStopSec=(\d+)$", public, re.MULTILINE))) == [own + 5, 60]


def test_the_names_in_other_files_are_services_of_this_one(services):
    deploy = FILE.parent
    for path in ("nginx/site.conf", "prometheus/prometheus.yml"):
        text = (deploy / path).read_text("utf-8")
        for name in ("kinarow-1", "kinarow-2"):
            assert f"{name}:8000" in text, path
    assert '["alertmanager:9093"]' in (deploy / "prometheus/prometheus.yml").read_text("utf-8")
    sources = yaml.safe_load((deploy / "grafana/provisioning/datasources/prometheus.yaml").read_text("utf-8"))
    assert sources["datasources"][0]["url"].removeprefix("http://").rstrip(DIGITS + ":") in services
