"""Dashboard and alerts: a real Prometheus asks a real server, and every expression names series that are there."""

import contextlib
import json
import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.commands import run
from tests.support.redis_server import RedisServer
from tests.support.server import REPOSITORY, Server, free_port

DEPLOY = REPOSITORY / "deploy"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
DASHBOARD = DEPLOY / "grafana" / "dashboards" / "kinarow.json"
ALERT_TESTS = Path(__file__).parent / "alerts_test.yml"
OPERATING = REPOSITORY / "docs" / "operating.md"

WITHIN_S = 60
SERIES = re.compile(r"\bkinarow_[a-z_]+\b")

KEY = "an-asking-key-0123456789"
METRICS_KEY = "for-prometheus-0123456789"

PROMETHEUS, PROMTOOL, AMTOOL = (shutil.which(name) for name in ("prometheus", "promtool", "amtool"))
if PROMETHEUS is None or PROMTOOL is None or AMTOOL is None:
    pytest.skip("prometheus or alertmanager is not installed", allow_module_level=True)


def dashboard_expressions() -> dict[str, str]:
    """Every expression of the dashboard by panel and legend, its variables filled in as Grafana does."""
    found = {}
    for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"].replace("$__rate_interval", "10s")
            expression = expression.replace("$instance", ".*").replace("$route", ".*")
            assert "$" not in expression, expression
            found[f"{panel['title']}: {target['refId']}"] = expression
    return found


def alerts() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with keys, and with everything switched on that has series of its own."""
    keys = tmp_path_factory.mktemp("server") / "keys"
    keys.write_text(f"{KEY}\nmetrics {METRICS_KEY}\n")
    with (
        RedisServer.started() as redis,
        Server.started(KINAROW_WORKERS="2", KINAROW_REDIS_URL=redis.url, KINAROW_API_KEYS_FILE=str(keys)) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def prometheus(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Prometheus with the shipped configuration and a key that has asked the server some times; its address."""
    folder, port = tmp_path_factory.mktemp("prometheus"), free_port()
    text = (DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8")
    text, targets = re.subn(r"targets: \[.*kinarow-1.*\]", f'targets: ["127.0.0.1:{server.port}"]', text)
    text, keys = re.subn("# authorization:", "authorization:", text)
    assert (targets, keys) == (1, 1)
    (folder / "metrics.key").write_text(METRICS_KEY)
    (folder / "prometheus.yml").write_text(text.replace("10s", "1s"), "utf-8")
    shutil.copy(ALERTS, folder)
    assert PROMETHEUS is not None
    with (folder / "log").open("wb") as log:
        files = (f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}")
        command = (PROMETHEUS, *files, f"--web.listen-address=127.0.0.1:{port}")
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + WITHIN_S
        while count(address) < 4:
            assert process.poll() is None, (folder / "log").read_text("utf-8")
            assert time.monotonic() < end, (folder / "log").read_text("utf-8")
            talk(server)
            time.sleep(0.3)
        yield address
    finally:
        process.terminate()
        process.wait()


def talk(server: Server) -> None:
    """Some of everything that is counted."""
    key = {"Authorization": f"Bearer {KEY}"}
    server.post("/move", {"board": ["X.O", ".X.", "..O"], "to_move": "X"}, **key)
    server.post("/analysis", {"board": ["XO.", "...", "..."], "to_move": "X"}, **key)
    # Small boards are not looked up in the shared cache.
    server.post("/move", {"board": ["....."] * 5, "goal": 4, "max_nodes": 1000}, **key)
    server.post("/move", {"board": ["XO"]}, **key)
    server.get("/move?board=.../.X./...", **key)


def metrics(server: Server) -> str:
    answer = server.get("/metrics", Authorization=f"Bearer {METRICS_KEY}")
    assert answer.status == 200
    return answer.body.decode()


def query(address: str, expression: str) -> list[dict[str, Any]]:
    url = f"{address}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
    with urllib.request.urlopen(url, timeout=WITHIN_S) as response:
        answer = json.load(response)
    assert answer["status"] == "success", answer
    found: list[dict[str, Any]] = answer["data"]["result"]
    return found


def count(address: str) -> int:
    with contextlib.suppress(OSError):
        found = query(address, 'count_over_time(up{job="kinarow"}[5m])')
        return int(found[0]["value"][1]) if found else 0
    return 0


@pytest.mark.parametrize(("severity", "receiver"), [("critical", "pager"), ("warning", "team"), ("info", "nobody")])
def test_every_severity_has_a_receiver(severity, receiver):
    """The checkers of Prometheus and Alertmanager accept the files, and Alertmanager routes it so."""
    run(PROMTOOL, "check", "config", DEPLOY / "prometheus" / "prometheus.yml")
    file = DEPLOY / "prometheus" / "alertmanager.yml"
    run(AMTOOL, "check-config", file)
    told = run(AMTOOL, "config", "routes", "test", f"--config.file={file}", f"severity={severity}")
    assert told.strip() == receiver
    assert severity in {rule["labels"]["severity"] for rule in alerts()}


def test_each_alert_fires_when_it_should_and_not_before(tmp_path):
    for path in (ALERTS, ALERT_TESTS):
        shutil.copy(path, tmp_path)
    run(PROMTOOL, "test", "rules", tmp_path / ALERT_TESTS.name)
    tried = {
        case["alertname"]
        for test in yaml.safe_load(ALERT_TESTS.read_text("utf-8"))["tests"]
        for case in test["alert_rule_test"]
        if case["exp_alerts"]
    }
    assert tried == {rule["alert"] for rule in alerts()}


def test_dashboard_and_alerts_name_only_series_and_labels_that_exist(server, prometheus):
    """A matcher on a label that a series has not would match nothing, for ever."""
    text = metrics(server)
    labels: dict[str, set[str]] = {}
    for name, own in re.findall(r"^(kinarow_[a-z_]+)\{(.*)\} ", text, re.MULTILINE):
        labels.setdefault(name, {"instance", "job"}).update(re.findall(r'(\w+)="', own))
    expressions = " ".join((*dashboard_expressions().values(), *(rule["expr"] for rule in alerts())))
    named = set(SERIES.findall(expressions))
    assert named
    assert named - set(SERIES.findall(text)) == set()
    for name, matchers in re.findall(r"\b(kinarow_[a-z_]+)\{([^}]*)\}", expressions):
        asked = set(re.findall(r"(\w+)(?:=|!)", matchers))
        assert asked <= labels.get(name, {"instance", "job"}), (name, matchers)


def test_every_panel_of_the_dashboard_shows_something(prometheus):
    assert [where for where, expression in dashboard_expressions().items() if not query(prometheus, expression)] == []


def test_no_alert_fires_on_a_server_that_is_well(prometheus):
    with urllib.request.urlopen(f"{prometheus}/api/v1/rules", timeout=WITHIN_S) as response:
        groups = json.load(response)["data"]["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len(rules) == len(alerts())
    for rule in rules:
        assert rule["health"] == "ok", rule
        assert rule["state"] == "inactive", rule


def test_every_alert_links_to_its_part_of_the_guide(guide):
    """A heading of its own, which the guide that the service shows has as an anchor."""
    headings = re.findall(r"^#+ (\S+)$", OPERATING.read_text("utf-8"), re.MULTILINE)
    page = (guide / "operating.html").read_text("utf-8")
    for rule in alerts():
        name = rule["alert"]
        link = f"{{{{ $externalLabels.kinarow_guide }}}}/operating.html#{name.lower()}"
        assert rule["annotations"]["runbook_url"] == link
        assert name in headings
        assert f'id="{name.lower()}"' in page
