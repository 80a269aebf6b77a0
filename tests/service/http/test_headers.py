"""Headers: every answer is protected, other sites' pages read answers only where they may, other hosts none."""

import pytest

from tests.service.conftest import client_with
from tests.service.http.test_problems import check_problem

BODY = {"board": "X.O/.X./..O", "to_move": "X"}
QUERY = "/move?board=X.O/.X./..O&to_move=X"
HERE, ELSEWHERE = "https://example.org", "https://elsewhere.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}


@pytest.fixture(scope="module")
def listed():
    return client_with(cors_origins=f"{HERE}, http://localhost:3000")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/move", 200), ("GET", QUERY, 200), ("GET", "/healthz", 200), ("GET", "/openapi.json", 200),
        ("GET", "/docs", 200), ("GET", "/problems", 200), ("GET", "/", 200), ("GET", "/nowhere", 404),
        ("PUT", "/move", 405), ("POST", "/analysis", 200), ("OPTIONS", "/move", 200),
    ],
)  # fmt: skip
def test_every_answer_is_protected(app, method, path, status):
    response = app.test_client().open(path, method=method, **({"json": BODY} if method == "POST" else {}))
    assert (response.status_code, response.headers.getlist("X-Content-Type-Options")) == (status, ["nosniff"])
    (policy,) = response.headers.getlist("Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert " 'unsafe-eval'" not in policy
    assert "script-src 'unsafe-inline'" not in policy
    if response.mimetype != "text/html":
        assert policy == "default-src 'none'; frame-ancestors 'none'"


def test_by_default_no_other_site_may_read_answers(app):
    client = app.test_client()
    for response in (
        client.post("/move", json=BODY, headers={"Origin": HERE}),
        client.get(QUERY, headers={"Origin": HERE}),
        client.options("/move", headers={"Origin": HERE, **PREFLIGHT}),
    ):
        assert not [name for name, _ in response.headers if name.lower().startswith("access-control")]
        assert "Origin" not in response.headers.get("Vary", "")


@pytest.mark.parametrize("origin", [HERE, "http://localhost:3000"])
def test_pages_of_a_listed_origin_may(listed, origin):
    for response in (
        listed.post("/move", json=BODY, headers={"Origin": origin}),
        listed.get(QUERY, headers={"Origin": origin}),
        listed.post("/move", data=b"{", content_type="application/json", headers={"Origin": origin}),
        listed.get("/nowhere", headers={"Origin": origin}),
    ):
        assert (response.headers["Access-Control-Allow-Origin"], response.headers["Vary"]) == (origin, "Origin")
        exposed = response.headers["Access-Control-Expose-Headers"]
        assert {"ETag", "Retry-After", "X-Request-ID"} <= set(exposed.split(", "))
        assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize(
    "origin", [ELSEWHERE, "null", "", f"{HERE}.evil.example", "http://example.org", f"{HERE}:8443", HERE.upper()]
)
def test_pages_of_any_other_origin_may_not(listed, origin):
    for response in (
        listed.post("/move", json=BODY, headers={"Origin": origin}),
        listed.options("/move", headers={"Origin": origin, **PREFLIGHT}),
        listed.get(QUERY),
    ):
        assert "Access-Control-Allow-Origin" not in response.headers
        assert response.headers["Vary"] == "Origin"


def test_a_browser_is_told_what_it_may_send(listed):
    response = listed.options("/move", headers={"Origin": HERE, **PREFLIGHT})
    assert (response.status_code, response.data) == (204, b"")
    assert response.headers["Access-Control-Allow-Origin"] == HERE
    assert {"GET", "POST"} <= set(response.headers["Access-Control-Allow-Methods"].split(", "))
    allowed = {name.lower() for name in response.headers["Access-Control-Allow-Headers"].split(", ")}
    assert {"content-type", "authorization", "if-none-match", "x-request-id", "accept"} <= allowed
    assert int(response.headers["Access-Control-Max-Age"]) > 0


def test_with_a_star_every_page_may_and_nothing_depends_on_the_origin():
    any_origin = client_with(cors_origins="*")
    for headers in ({"Origin": ELSEWHERE}, {}):
        response = any_origin.get(QUERY, headers=headers)
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "Vary" not in response.headers
    assert any_origin.options("/move", headers={"Origin": ELSEWHERE, **PREFLIGHT}).status_code == 204


@pytest.fixture(scope="module")
def trusting():
    return client_with(trusted_hosts="Play.example.org, .example.com,[::1]")


def test_trusted_hosts(trusting):
    own = ("play.example.org", "PLAY.EXAMPLE.ORG:8080", "[::1]", "[::1]:8000")
    for host in (*own, "example.com", "a.b.example.com:80"):
        assert trusting.get(QUERY, headers={"Host": host}).status_code == 200, host


@pytest.mark.parametrize(
    "host",
    [
        *("attacker.example", "example.org", "a.play.example.org", "play.example.org.attacker.example"),
        *("badexample.com", "localhost", "127.0.0.1", "[::2]", "play.example.org:80:80", "play.example.org.", ":8000"),
    ],
)
@pytest.mark.parametrize("path", [QUERY, "/", "/docs", "/nowhere"])
def test_other_hosts(trusting, host, path):
    refused = trusting.get(path, headers={"Host": host})
    check_problem(refused, 400)
    assert refused.json["type"] == "/problems#untrusted-host"
    assert "KINAROW_TRUSTED_HOSTS" in refused.json["detail"]


def test_probes_and_a_service_without_trusted_hosts_may_be_named_anything(trusting):
    for path in ("/healthz", "/readyz", "/metrics"):
        assert trusting.get(path, headers={"Host": "10.1.2.3:8000"}).status_code == 200
    for hosts in ("", "*", "example.org,*"):
        asked = client_with(trusted_hosts=hosts).get(QUERY, headers={"Host": "whoever.example"})
        assert asked.status_code == 200
