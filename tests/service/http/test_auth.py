"""API keys: off by default; with any, what costs needs one, whatever was remembered before."""

import os
import sys
import time

import pytest

from kinarow import keys
from kinarow.errors import SettingsError
from kinarow.search.known import proofs
from service.app import create_app
from service.settings import default_settings, load_settings
from tests.support.app import check_problem, client_with, operations
from tests.support.commands import run

KEYS = ("first-key-0123456789", "second.key_of~/+16==")
BODY = {"board": "X.O/.X./..O", "to_move": "X"}
QUERY = "/move?board=X.O/.X./..O&to_move=X"


@pytest.fixture(scope="module")
def guarded():
    return client_with(keys=KEYS)


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Authorization": ""}, {"Authorization": "Bearer"}, {"Authorization": "Bearer "},
        {"Authorization": KEYS[0]}, {"Authorization": f"Basic {KEYS[0]}"}, {"Authorization": f"Bearer {KEYS[0]}x"},
        {"Authorization": f"Bearer {KEYS[0][:-1]}"}, {"Authorization": f"Bearer {KEYS[0].upper()}"},
        {"Authorization": f"Bearer {','.join(KEYS)}"}, {"Authorization": "Bearer " + "x" * 7000},
        {"X-API-Key": KEYS[0]},
    ],
    ids=lambda headers: str(headers)[:40],
)  # fmt: skip
@pytest.mark.parametrize(
    ("method", "path"),
    [
        *((method, path) for method, path, described in operations() if "401" in described["responses"]),
        *(("GET", QUERY), ("HEAD", QUERY), ("GET", "/nowhere")),
    ],
)
def test_without_one_there_is_a_401_that_says_how(guarded, headers, method, path):
    response = guarded.open(path, method=method, headers=headers, **({"json": BODY} if method == "POST" else {}))
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"].startswith('Bearer realm="kinarow"')
    assert response.headers["Cache-Control"] == "no-store"
    if method != "HEAD":
        check_problem(response, 401)
        assert KEYS[0] not in response.text


def test_health_and_documentation_are_open_and_every_key_opens_the_rest(guarded):
    for path in (
        "/healthz",
        "/readyz",
        "/",
        "/docs",
        "/docs/docs.js",
        "/openapi.json",
        "/problems",
        "/llms.txt",
        f"/atlas/proofs/{next(iter(proofs.shipped()))}",
    ):
        assert guarded.get(path).status_code == 200, path
    for sent in (*KEYS, *(f" {key} " for key in KEYS)):
        assert guarded.post("/move", json=BODY, headers=bearer(sent)).status_code == 200
        assert guarded.post("/move", json=BODY, headers={"Authorization": f"bearer {sent}"}).status_code == 200


@pytest.mark.parametrize("path", ["/docs/../move", "/web/../move", "//move", "/move/", "/%6dove", "/docsmove"])
def test_no_spelling_of_a_path_gets_round_a_key(guarded, path):
    assert guarded.post("/", json=BODY, environ_overrides={"PATH_INFO": path}).status_code in (401, 404, 405)
    text = {"HTTP_AUTHORIZATION": "Bearer \udcff\xff\x00"}  # bytes that are no text are no key
    check_problem(guarded.get(QUERY, environ_overrides=text), 401)


def test_cached_responses_need_a_key(guarded, ask):
    """And no shared cache may keep an answer that needs one."""
    for _ in range(4):
        assert guarded.post("/move", json=BODY, headers=bearer(KEYS[0])).status_code == 200
        kept = guarded.get(QUERY, headers=bearer(KEYS[0])).headers
    assert kept["Cache-Control"].startswith("private, max-age=")
    assert ask.get(QUERY).headers["Cache-Control"].startswith("public, max-age=")
    assert (guarded.post("/move", json=BODY).status_code, guarded.get(QUERY).status_code) == (401, 401)
    assert guarded.get(QUERY, headers={"If-None-Match": kept["ETag"]}).status_code == 401
    assert guarded.get(QUERY, headers={"If-None-Match": kept["ETag"], **bearer(KEYS[1])}).status_code == 304


def test_a_browser_may_ask_whether_it_may_ask_without_a_key():
    client = client_with(keys=KEYS[:1], cors_origins="https://example.org")
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    response = client.options("/move", headers=asked)
    assert response.status_code == 204
    assert "Authorization" in response.headers["Access-Control-Allow-Headers"]
    refused = client.post("/move", json=BODY, headers={"Origin": "https://example.org"})
    assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (401, "https://example.org")


METRICS_KEY = "for-prometheus-0123456789"


@pytest.fixture
def keys_file(tmp_path):
    path = tmp_path / "keys"
    path.write_text(f"# who asks\n{KEYS[0]}\n\n  {KEYS[1]}\nmetrics {METRICS_KEY}\n")
    return path


def test_keys_from_a_file(keys_file):
    """Each of its keys opens what a key from the environment opens; the key for metrics opens nothing that costs."""
    client = client_with(api_keys_file=keys_file)
    for key, asked, status in (*((key, 200, 200) for key in KEYS), (METRICS_KEY, 401, 200), ("# who asks", 401, 401)):
        assert client.post("/move", json=BODY, headers=bearer(key)).status_code == asked
        assert client.get(QUERY, headers=bearer(key)).status_code == asked
        for path in ("/metrics", "/version"):
            assert client.get(path, headers=bearer(key)).status_code == status
            assert client.get(path).status_code == 401
    for path in ("/metrics/", "/nowhere"):
        assert client.get(path, headers=bearer(METRICS_KEY)).status_code == 401


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("short\n", "line 1 is not a key: every key must have 16 to 200"),
        (f"{KEYS[0]}\nname {KEYS[1]}\n", "line 2 is not a key"), (f"{KEYS[0]} {KEYS[1]}\n", "line 1 is not a key"),
        ("metrics\n", "line 1 is not a key"), (f"{KEYS[0]}\nmetrics {KEYS[0]}\n", "a key appears twice"),
        ("# nothing\n", "add a line with a key alone"),
        (f"metrics {METRICS_KEY}\n", "add a line with a key alone"),
        ("ключключключключключ\n", "line 1 is not a key"),
        pytest.param("".join(f"{n:030}\n" for n in range(34_000)), "has more than 1,048,576 bytes", id="too many"),
    ],
)  # fmt: skip
def test_impossible_files_of_keys(tmp_path, text, why):
    path = tmp_path / "keys"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=why) as refused:
        default_settings(api_keys_file=path)
    assert str(refused.value).startswith("KINAROW_API_KEYS_FILE: ")
    assert not any(key in str(refused.value) for key in (*KEYS, METRICS_KEY))


def test_the_time_of_a_look_up_does_not_grow_with_the_number_of_keys(tmp_path):
    path = tmp_path / "keys"
    path.write_text("".join(f"{number:030}\nmetrics m{number:029}\n" for number in range(14_000)))
    known = keys.Keys(default_settings(api_keys_file=path))
    began = time.process_time()
    for number in range(1_000):
        assert known.refusal(f"Bearer {number:030}") is None
        assert known.refusal(f"Bearer m{number:029}", metrics=True) is None
        assert known.refusal(f"Bearer m{number:029}") == "unknown"
    assert time.process_time() - began < 0.3


def test_an_app_waits_for_a_file_of_keys(keys_file, monkeypatch):
    """While the file cannot be used, what needs a key gets 503; the file is read again after a while."""
    good = keys_file.read_text()
    keys_file.write_text("short\n")
    settings = load_settings(read_keys=False, api_keys_file=keys_file)
    client = create_app(settings).test_client()
    for _ in range(2):
        refused = client.get("/version", headers=bearer(KEYS[0]))
        check_problem(refused, 503)
        assert refused.headers["Retry-After"] == str(keys.READ_AGAIN_S)
    assert client.get("/healthz").status_code == 200
    keys_file.write_text(good)
    assert client.get("/version", headers=bearer(KEYS[0])).status_code == 503, "it is not read for each request"
    monkeypatch.setattr(keys, "READ_AGAIN_S", 0)
    assert client.get("/version", headers=bearer(KEYS[0])).status_code == 200
    assert client.get("/version", headers=bearer("x" * 20)).status_code == 401


def test_under_another_server_a_bad_file_of_keys_stops_no_worker(keys_file):
    keys_file.write_text("short\n")
    code = "from service.wsgi import app; print(*map(app.test_client().get, ('/move', '/healthz')))"
    said = run(sys.executable, "-c", code, environment={**os.environ, "KINAROW_API_KEYS_FILE": str(keys_file)})
    assert [word for word in said.split() if word.startswith("[")] == ["[503", "[200"]


def test_a_file_of_keys_that_cannot_be_read(tmp_path):
    for path, why in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(SettingsError, match=why):
            default_settings(api_keys_file=path)
