"""Long answers and all texts of the page come compressed to clients that accept gzip, and caches are told."""

import gc
import gzip
import json
import tracemalloc

import pytest

from service.http import responses
from service.http.responses import MIN_BYTES
from service.http.services import CachedResponse, ResponseCache
from tests.support.app import client_with

LONG = {"board": ["." * 15] * 15, "goal": 5, "max_nodes": 30}
LONG_QUERY = "/analysis?rows=15&columns=15&goal=5&max_nodes=30"
SHORT = "/move?board=X.O/.X./..O"
PICTURE = "/board.svg?rows=25&columns=25&goal=5"
GZIP = {"Accept-Encoding": "br, gzip;q=0.5"}


@pytest.fixture(scope="module")
def client():
    return client_with()


@pytest.mark.parametrize("asked", [("POST", "/analysis"), ("GET", LONG_QUERY), ("GET", PICTURE)])
def test_a_long_answer_is_compressed(client, asked):
    """As weak tags say, the compressed answer is the same answer."""
    method, path = asked
    body = {"json": LONG} if method == "POST" else {}
    plain, packed = (client.open(path, method=method, headers=headers, **body) for headers in ({}, GZIP))
    assert len(plain.data) > MIN_BYTES
    assert len(packed.data) < len(plain.data) / 3
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    for response in (plain, packed):
        assert "accept-encoding" in {part.lower() for part in response.vary}
        assert response.headers.get("ETag") == plain.headers.get("ETag")
    if path == PICTURE:
        assert gzip.decompress(packed.data) == plain.data
    else:
        assert json.loads(gzip.decompress(packed.data))["moves"] == plain.json["moves"]


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "identity"])
def test_no_client_gets_what_it_does_not_accept(client, accepted):
    response = client.get(LONG_QUERY, headers={"Accept-Encoding": accepted})
    assert "Content-Encoding" not in response.headers
    assert response.json["moves"]


def test_short_answers_and_streams_are_sent_as_they_are(client):
    short = client.get(SHORT, headers=GZIP)
    assert len(short.data) < MIN_BYTES
    assert "Vary" not in short.headers
    events = client.post("/analysis", json=LONG, headers={**GZIP, "Accept": "text/event-stream"})
    assert events.data.startswith(b"id: 1\n")
    for response in (short, events):
        assert response.status_code == 200
        assert "Content-Encoding" not in response.headers


@pytest.mark.parametrize("query", [SHORT, LONG_QUERY])
def test_an_answer_that_the_client_has_says_what_it_depends_on(client, query):
    tag = client.get(query, headers=GZIP).headers["ETag"]
    for headers in ({}, GZIP):
        again = client.get(query, headers={**headers, "If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b"")
        assert "Accept-Encoding" in again.headers["Vary"]


@pytest.mark.parametrize(
    "path",
    ["/", "/docs", "/web/page.css", "/web/first.js", "/web/later.js", "/docs/swagger-ui-bundle.js", "/openapi.yaml"]
    + ["/docs/docs.css", "/docs/swagger-ui.css", "/openapi.json", "/atlas", "/atlas.json", "/atlas.csv"],
)
def test_texts_of_the_page_are_compressed_once(client, path, monkeypatch):
    plain = client.get(path)
    packed = client.get(path, headers=GZIP)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["ETag"].startswith("W/") or packed.headers["ETag"] != plain.headers["ETag"]
    assert packed.mimetype == plain.mimetype
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < 0.6 * len(plain.data)
    assert "Content-Encoding" not in plain.headers
    for response in (plain, packed):
        assert "Accept-Encoding" in response.headers["Vary"]
    for headers, response in (({}, plain), (GZIP, packed)):
        again = client.get(path, headers={**headers, "If-None-Match": response.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
    for module, name in ((gzip, "compress"), (responses, "blake2b")):
        monkeypatch.setattr(module, name, None)  # nothing is compressed or hashed again
    assert [client.get(path, headers=headers).status_code for headers in ({}, GZIP)] == [200, 200]


def response(size=10):
    return CachedResponse(b"x" * size, None, 1, "proof")


def key(number, method="POST"):
    return method, b"%d" % number


def test_an_entry_takes_the_memory_that_it_counts():
    """By the count of Python's own allocator."""
    most = 1 << 20
    cache = ResponseCache(most)
    gc.collect()  # which also gives back what freed tuples left behind: nothing would trace it
    tracemalloc.start()
    for number in range(10_000):
        own = b"%06d" % number
        cache.put(("GET", own), CachedResponse(own[:], f'W/"{number:24}"', 10**6 + number, "proof"))
    gc.collect()
    traced, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.75 * most < traced < 1.1 * most, traced / len(cache)


def test_too_large_a_response_is_not_kept_and_removes_no_other():
    cache, none = ResponseCache(2_000), ResponseCache(0)
    for each in (cache, none):
        each.put(key(1), response())
        each.put(key(2), response(5_000))
        assert each.get(key(2)) is None
    assert cache.get(key(1))
    assert len(none) == 0


def test_a_body_that_looks_like_a_query_is_a_body(make_asker):
    ask = make_asker()
    query = "board=X.O/.X./..O&goal=3"
    for _ in range(3):
        assert ask.get(f"/move?{query}").status_code == 200
    assert ask.post("/move", data=f"?{query}".encode()).status_code == 400
    assert ask.post("/move", data=query.encode()).status_code == 400
