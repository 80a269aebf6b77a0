"""The compose file: valid by the schema of Compose, hardened, and in agreement with the files it mounts."""

import re
import shutil
from typing import Any

import pytest
import yaml

from kinarow.settings import PREFIX
from service.settings import Settings, default_settings
from tests.support.commands import run
from tests.support.server import REPOSITORY

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
    assert f"more than these {longest} seconds" in operating
    own = default_settings(max_time_ms=re.search(r"^KINAROW_MAX_TIME_MS=(\d+)$", public, re.MULTILINE)[1]).stop_s
    assert f"the stop takes up to {own} seconds" in public
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
