"""Trusted hosts: who asks under another name is refused, so that no page can make its name lead to this service."""

import pytest

from kinarow.settings import SettingsError
from service.settings import default_settings
from tests.service.conftest import client_with
from tests.service.http.test_problems import check_problem

QUERY = "/move?board=X.O/.X./..O"


@pytest.fixture(scope="module")
def client():
    return client_with(trusted_hosts="Play.example.org, .example.com,[::1]")


@pytest.mark.parametrize(
    "host", ["play.example.org", "PLAY.EXAMPLE.ORG:8080", "example.com", "a.b.example.com:80", "[::1]", "[::1]:8000"]
)
def test_trusted_hosts(client, host):
    assert client.get(QUERY, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("attacker.example", "example.org", "a.play.example.org", "play.example.org.attacker.example"),
        *("badexample.com", "localhost", "127.0.0.1", "[::2]", "play.example.org:80:80", "play.example.org.", ":8000"),
    ],
)
@pytest.mark.parametrize("path", [QUERY, "/", "/docs", "/nowhere"])
def test_other_hosts(client, host, path):
    refused = client.get(path, headers={"Host": host})
    check_problem(refused, 400)
    assert refused.json["type"] == "/problems#untrusted-host"
    assert "KINAROW_TRUSTED_HOSTS" in refused.json["detail"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_may_name_any_host(client, path):
    assert client.get(path, headers={"Host": "10.1.2.3:8000"}).status_code == 200


@pytest.mark.parametrize("hosts", ["", "*", "example.org,*"])
def test_any_host(hosts):
    assert client_with(trusted_hosts=hosts).get(QUERY, headers={"Host": "whoever.example"}).status_code == 200


@pytest.mark.parametrize("hosts", ["example.org:80", "https://example.org", "a b", "ex\u00e4mple.org", "*.example.org"])
def test_impossible_hosts(hosts):
    with pytest.raises(SettingsError, match="KINAROW_TRUSTED_HOSTS"):
        default_settings(trusted_hosts=hosts)
