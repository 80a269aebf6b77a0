"""What a request may cost: a cached answer, a worker's memory, and the time for which it holds all others up."""

import json
import statistics
import sys

import pytest

from benchmarks import http_floor
from tests.support.commands import ended
from tests.support.processes import memory
from tests.support.server import Server


@pytest.mark.release
@pytest.mark.timeout(1200)
def test_a_cached_answer_costs_little_beside_a_bare_route():
    """By processor time, which other programs on the machine disturb least."""
    with http_floor.servers() as running:
        rates = http_floor.measure(running, rounds=7, seconds=1.5, connections=4)
    print("\n" + http_floor.table(rates))
    bare = rates.pop(http_floor.BARE)
    shares = {
        name: statistics.median(b.processor_us / r.processor_us for b, r in zip(bare, own, strict=True))
        for name, own in rates.items()
    }
    assert shares["cached /move, log on"] >= 0.60
    assert shares["cached /move, log off"] >= 0.65


def test_a_worker_grows_by_what_its_cache_may_hold_however_many_analyses_differ():
    most = 1 << 20  # an analysis of 25 × 25 takes a quarter to a half of it
    with Server.started(KINAROW_WORKERS="1", KINAROW_LOG_LEVEL="warning", KINAROW_CACHE_BYTES=str(most)) as server:
        for cell in range(150):
            if cell == 30:
                before = memory(server)
            query = f"rows=25&columns=25&goal=5&max_nodes=1&moves={chr(97 + cell % 25)}{cell // 25 + 1}"
            assert len(server.get(f"/analysis?{query}").body) > 50_000
        assert memory(server) - before < 1.2 * most + 30_000_000


LONGEST_MS = 50  # twice as much as on an idle machine
PROBE = """
from gevent import monkey
monkey.patch_all()
import gc, json, sys, time
import gevent, greenlet
from service.app import create_app
from service.server import application
from service.settings import default_settings

application.load()
gc.collect()
gc.freeze()
client, slices, last = create_app(default_settings(log_level="error")).test_client(), [], [0.0]

def turn(*_):
    now = time.thread_time()
    slices.append(now - last[0])
    last[0] = now

def ask(method, path, fields, headers):
    answer = client.open(path, method=method, json=fields, headers=headers)
    return answer.status_code, len(answer.get_data())

greenlet.settrace(turn)
for method, path, fields, headers in [["GET", "/healthz", None, {}], *json.load(open(sys.argv[1]))]:
    slices.clear()
    last[0] = time.thread_time()
    request = gevent.spawn(ask, method, path, fields, headers)
    request.join()
    turn()
    print(json.dumps([method, path, *request.value, max(slices) * 1000]))
"""

FIELDS = {f"field{number:03}": 1 for number in range(20)}
EMPTY = {"board": "/".join(["." * 25] * 25), "goal": 5, "max_nodes": 1}
GAME = {"rows": 25, "columns": 25, "goal": 25, "moves": [cell * 7 % 625 + 1 for cell in range(600)], "max_nodes": 1}
PLACES = [(row * 15 + column, row * 15 + column + 16) for row in range(0, 13, 3) for column in range(0, 13, 3)]
PLACES.sort(key=lambda pair: 112 not in pair)  # the first stone is on the centre
RENJU = {"game": "renju", "moves": [113, 97, *(cell + 1 for pair in PLACES[1:] for cell in pair)], "max_nodes": 1}
REQUESTS = [
    ["POST", "/move", EMPTY | {"wrap": "both"}, {}],
    ["POST", "/move", EMPTY | {"wrap": "both", "board": EMPTY["board"].replace(".", "X", 1), "to_move": "O"}, {}],
    ["POST", "/move", RENJU, {}],
    *(["GET", f"/?lang={language}", None, {}] for language in ("en", "ja")),
    *(["GET", f"/atlas?lang={language}", None, {}] for language in ("en", "ja")),
    ["GET", "/atlas.json", None, {"Accept-Encoding": "gzip"}],
    ["GET", "/openapi.json", None, {"Accept-Encoding": "gzip"}],
    ["GET", "/web/first.js", None, {"Accept-Encoding": "gzip"}],
    ["POST", "/moves", {"requests": [FIELDS] * 100}, {}],
    *[["POST", "/moves", {"requests": [EMPTY] * 90}, {}]] * 2,
    *[["GET", "/analysis?rows=25&columns=25&goal=5&max_nodes=50", None, {"Accept-Encoding": "gzip"}]] * 2,
    *[["POST", "/review", GAME, {"Accept-Encoding": "gzip"}]] * 2,
    *(["POST", path, {f"x{number}": 1 for number in range(5000)}, {}] for path in ("/move", "/moves")),
]


def test_no_request_holds_the_event_loop(tmp_path):
    """Between two turns of its greenlets a worker computes for some milliseconds of processor time."""
    file = tmp_path / "requests.json"
    file.write_text(json.dumps(REQUESTS))
    done = ended(sys.executable, "-c", PROBE, file, seconds=300)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(REQUESTS) + 1, done.stderr
    for method, path, status, size, ms in told:
        print(f"{ms:6.1f} ms  {status} {size:7} bytes  {method} {path}")
    assert {status for *_, status, _, _ in told} == {200, 422}
    assert [each for each in told if each[-1] > LONGEST_MS] == []
