"""Headers: every answer is protected, other sites' pages read answers only where they may, other hosts none."""

import pytest

from service.app import create_app
from service.http import security
from service.settings import default_settings
from tests.support.app import CHEAP, check_problem, client_with

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


@pytest.mark.parametrize(
    ("peer", "forwarded", "asks"),
    [
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.1.2.3", "198.51.100.9, 203.0.113.7", "203.0.113.7"),
        ("::1", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("", "203.0.113.7", "203.0.113.7"),
        ("::ffff:192.168.0.2", "203.0.113.7", "203.0.113.7"),
        ("::ffff:8.8.8.8", "203.0.113.7", "8.8.8.8"),
        ("8.8.8.8", "203.0.113.7", "8.8.8.8"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("2a00:1:2:3:4::5", None, "2a00:1:2:3::/64"),
    ],
)
def test_only_a_near_proxy_says_who_asks(app, peer, forwarded, asks):
    environ = {"REMOTE_ADDR": peer} | ({} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded})
    with app.test_request_context(environ_overrides=environ):
        assert security.client() == asks


@pytest.mark.parametrize("path", ["/", "/web/first.js", "/web/page.css", "/web/icon.svg"])
def test_the_page_and_its_files_may_compute_and_tell_no_referrer(app, path):
    """Also as scripts of workers, which have policies of their own."""
    headers = app.test_client().get(path).headers
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "script-src 'self' 'wasm-unsafe-eval' " in headers["Content-Security-Policy"]
    assert "connect-src 'self'; " in headers["Content-Security-Policy"]


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
        assert response.headers["Access-Control-Allow-Origin"] == origin
        assert set(response.vary.as_set()) - {"accept"} == {"origin"}  # a missing page is one for people too
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
    own = ("play.example.org", "PLAY.EXAMPLE.ORG:8080", "play.example.org.:80", "[::1]", "[::1]:8000")
    for host in (*own, "example.com", "a.b.example.com:80"):
        assert trusting.get(QUERY, headers={"Host": host}).status_code == 200, host


@pytest.mark.parametrize(
    "host",
    [
        *("attacker.example", "example.org", "a.play.example.org", "play.example.org.attacker.example"),
        *("badexample.com", "localhost", "127.0.0.1", "[::2]", "host.docker.internal", "play.example.org.."),
    ],
)
@pytest.mark.parametrize("path", [QUERY, "/", "/docs", "/nowhere"])
def test_other_hosts(trusting, host, path):
    refused = trusting.get(path, headers={"Host": f"{host}:8000"})
    check_problem(refused, 400)
    assert refused.json["type"] == "/problems#untrusted-host"
    name = host.removesuffix(".")
    assert f"'{name}'" in refused.json["detail"]
    assert name.endswith(".") or f"add {name} to KINAROW_TRUSTED_HOSTS" in refused.json["detail"]
    assert "play.example.org, " not in refused.json["detail"], "it does not list the hosts that are trusted"


ON_LOOPBACK = [
    *("localhost", "LOCALHOST:8000", "localhost.:8000", "kinarow.localhost", "a.b.localhost.", "127.0.0.1:8000"),
    *("127.0.0.2", "10.0.2.2:8000", "192.168.1.20", "[::1]:8000", "[2001:db8::1]", "[::ffff:10.0.2.2]"),
    *("host.docker.internal:8000", "host.containers.internal"),
]
ELSEWHERE_ON_LOOPBACK = [
    *("attacker.example", "localhost.attacker.example", "badlocalhost", "127.0.0.1.attacker.example", "localhost.."),
    *("10.2", "167772674", "0x0a000202", "010.0.2.2", "10.0.2.2.3", "10.0.2.256", "a.host.docker.internal"),
    *("host.docker.internal.attacker.example", "::1", "[::1", "[fe80::1%eth0]", "[10.0.2.2]", "[]", "", ":8000"),
]


@pytest.fixture(scope="module")
def on_loopback():
    return create_app(default_settings(**CHEAP).listening_on_loopback()).test_client()


@pytest.mark.parametrize(
    ("host", "status"), [*((host, 200) for host in ON_LOOPBACK), *((host, 400) for host in ELSEWHERE_ON_LOOPBACK)]
)
def test_a_service_on_loopback_trusts_addresses_and_names_that_lead_to_this_machine(on_loopback, host, status):
    asked = on_loopback.get(QUERY, headers={"Host": host}, environ_overrides={"SERVER_NAME": "attacker.example"})
    assert asked.status_code == status


@pytest.mark.parametrize("host", ["play.example.org", "my-machine", "xn--bcher-kva.example"])
def test_the_value_that_a_refusal_names_lets_the_request_in(on_loopback, host):
    """It keeps this machine's own names; once hosts are set, no other address is trusted."""
    detail = on_loopback.get(QUERY, headers={"Host": f"{host}:8000"}).json["detail"]
    value = detail.removesuffix(".").partition("KINAROW_TRUSTED_HOSTS=")[2]
    settings = default_settings(**CHEAP, trusted_hosts=value).listening_on_loopback()
    client = create_app(settings).test_client()
    for name, status in {host: 200, "127.0.0.1:8000": 200, "localhost": 200, "10.0.2.2": 400}.items():
        assert client.get(QUERY, headers={"Host": name}).status_code == status, name


def test_probes_and_what_any_page_may_read_may_be_named_anything(trusting, on_loopback):
    for path in ("/healthz", "/readyz", "/metrics", "/solve?pos=4453&rows=4&columns=5"):
        for client in (trusting, on_loopback):
            assert client.get(path, headers={"Host": "connect4.gamesolver.org"}).status_code == 200, path
    for hosts in ("", "*", "example.org,*"):
        asked = client_with(trusted_hosts=hosts).get(QUERY, headers={"Host": "whoever.example"})
        assert asked.status_code == 200
