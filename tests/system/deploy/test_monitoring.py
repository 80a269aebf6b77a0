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
    """The alert rules."""
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
    targets = re.search(r"targets: \[.*\]", text)
    assert targets
    assert "kinarow-1" in targets[0]
    text = text.replace(targets[0], f'targets: ["127.0.0.1:{server.port}"]')
    assert "# authorization:" in text
    text = text.replace("# authorization:", "authorization:")
    (folder / "metrics.key").write_text(METRICS_KEY)
    (folder / "prometheus.yml").write_text(text.replace("10s", "1s"), "utf-8")
    shutil.copy(ALERTS, folder)
    assert PROMETHEUS is not None
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                PROMETHEUS,
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
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
    """The series that the server shows to whoever has the key for them."""
    answer = server.get("/metrics", Authorization=f"Bearer {METRICS_KEY}")
    assert answer.status == 200
    return answer.body.decode()


def query(address: str, expression: str) -> list[dict[str, Any]]:
    """What Prometheus makes of an expression now."""
    url = f"{address}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
    with urllib.request.urlopen(url, timeout=WITHIN_S) as response:
        answer = json.load(response)
    assert answer["status"] == "success", answer
    found: list[dict[str, Any]] = answer["data"]["result"]
    return found


def count(address: str) -> int:
    """How often the server has been asked."""
    with contextlib.suppress(OSError):
        found = query(address, 'count_over_time(up{job="kinarow"}[5m])')
        return int(found[0]["value"][1]) if found else 0
    return 0


def test_prometheus_and_alertmanager_find_nothing_wrong_with_their_configurations():
    """Their own checkers say so."""
    folder = DEPLOY / "prometheus"
    for command in (
        (PROMTOOL, "check", "config", str(folder / "prometheus.yml")),
        (AMTOOL, "check-config", str(folder / "alertmanager.yml")),
    ):
        run(*command)


@pytest.mark.parametrize(("severity", "receiver"), [("critical", "pager"), ("warning", "team"), ("info", "nobody")])
def test_every_severity_has_a_receiver(severity, receiver):
    """As Alertmanager routes it."""
    file = f"--config.file={DEPLOY / 'prometheus' / 'alertmanager.yml'}"
    assert run(AMTOOL, "config", "routes", "test", file, f"severity={severity}").strip() == receiver
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


def test_dashboard_and_alerts_name_only_series_that_exist(server, prometheus):
    exposed = set(SERIES.findall(metrics(server)))
    named = {
        name
        for expression in (*dashboard_expressions().values(), *(rule["expr"] for rule in alerts()))
        for name in SERIES.findall(expression)
    }
    assert named
    assert named <= exposed, named - exposed


def test_labels_in_expressions_are_labels_of_their_series(server):
    """A matcher on a label that a series has not would match nothing, for ever."""
    text = metrics(server)
    labels: dict[str, set[str]] = {}
    for line in text.splitlines():
        if match := re.match(r"(kinarow_[a-z_]+)\{(.*)\} ", line):
            labels.setdefault(match[1], set()).update(re.findall(r'(\w+)="', match[2]))
    target = {"instance", "job"}
    for expression in (*dashboard_expressions().values(), *(rule["expr"] for rule in alerts())):
        for name, matchers in re.findall(r"\b(kinarow_[a-z_]+)\{([^}]*)\}", expression):
            asked = set(re.findall(r"(\w+)(?:=|!)", matchers)) - target
            assert asked <= labels.get(name, set()), (expression, labels.get(name))


def test_every_panel_of_the_dashboard_shows_something(prometheus):
    empty = {
        where: expression for where, expression in dashboard_expressions().items() if not query(prometheus, expression)
    }
    assert empty == {}


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
