"""Headers for browsers: every answer is protected, and pages of other sites read answers only where they may."""

import pytest

from kinarow.settings import SettingsError
from service.settings import default_settings
from tests.service.conftest import client_with

BODY = {"board": "X.O/.X./..O", "to_move": "X"}
QUERY = "/move?board=X.O/.X./..O&to_move=X"
HERE, ELSEWHERE = "https://example.org", "https://elsewhere.example"
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}


@pytest.fixture(scope="module")
def listed():
    return client_with(cors_origins=f"{HERE}, http://localhost:3000")


@pytest.fixture(scope="module")
def any_origin():
    return client_with(cors_origins="*")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/move", 200),
        ("GET", QUERY, 200),
        ("GET", "/healthz", 200),
        ("GET", "/openapi.json", 200),
        ("GET", "/docs", 200),
        ("GET", "/problems", 200),
        ("GET", "/", 200),
        ("GET", "/nowhere", 404),
        ("PUT", "/move", 405),
        ("POST", "/analysis", 200),
        ("OPTIONS", "/move", 200),
    ],
)
def test_every_answer_is_protected(app, method, path, status):
    response = app.test_client().open(path, method=method, **({"json": BODY} if method == "POST" else {}))
    assert response.status_code == status
    assert response.headers.getlist("X-Content-Type-Options") == ["nosniff"]
    (policy,) = response.headers.getlist("Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
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
        assert response.headers["Access-Control-Allow-Origin"] == origin
        assert response.headers["Vary"] == "Origin"
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
    ):
        assert "Access-Control-Allow-Origin" not in response.headers
        assert response.headers["Vary"] == "Origin"


def test_answers_that_caches_keep_say_that_they_depend_on_the_origin(listed):
    assert listed.get(QUERY).headers["Vary"] == "Origin"


def test_a_browser_is_told_what_it_may_send(listed):
    response = listed.options("/move", headers={"Origin": HERE, **PREFLIGHT})
    assert (response.status_code, response.data) == (204, b"")
    assert response.headers["Access-Control-Allow-Origin"] == HERE
    assert {"GET", "POST"} <= set(response.headers["Access-Control-Allow-Methods"].split(", "))
    allowed = {name.lower() for name in response.headers["Access-Control-Allow-Headers"].split(", ")}
    assert {"content-type", "authorization", "if-none-match", "x-request-id", "accept"} <= allowed
    assert int(response.headers["Access-Control-Max-Age"]) > 0


def test_with_a_star_every_page_may_and_nothing_depends_on_the_origin(any_origin):
    for headers in ({"Origin": ELSEWHERE}, {}):
        response = any_origin.get(QUERY, headers=headers)
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "Vary" not in response.headers
    assert any_origin.options("/move", headers={"Origin": ELSEWHERE, **PREFLIGHT}).status_code == 204


@pytest.mark.parametrize("origins", ["example.org", "https://example.org/", "https://a b", "https://example.org/path"])
def test_an_impossible_origin_is_refused_in_one_line(origins):
    with pytest.raises(SettingsError, match="KINAROW_CORS_ORIGINS: must be origins"):
        default_settings(cors_origins=origins)
