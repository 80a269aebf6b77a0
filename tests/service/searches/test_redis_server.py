"""The shared tier with a real Redis server: it is used, and nothing that happens to it breaks or slows an answer."""

import contextlib
import socketserver
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import pytest
import redis

from kinarow.errors import SettingsError
from service.searches import redis_tier
from service.searches.redis_tier import CONNECTIONS, MAX_VALUE_BYTES, RedisTier
from service.settings import default_settings
from tests.support.processes import wait_for
from tests.support.redis_server import RedisServer
from tests.support.server import free_port

TIMEOUT_MS = 1000
FEW_MS = 2000  # what an answer may lose at most, once: a time limit and the turn of a crowded machine
SOON_S = 60


class Counted(RedisTier):
    """A tier with keys and values of any kind that counts what came of its look-ups."""

    def __init__(self, url, **options):
        self.counts = Counter()
        own = {"version": "1", "timeout_ms": TIMEOUT_MS, "expiry_s": 60}
        super().__init__(url, on_lookup=lambda result: self.counts.update([result]), **own | options)

    def name(self, key):
        return super().name(repr(key).encode())

    def get(self, key):
        return self.read(self.name(key))

    def put(self, key, value):
        self.write(self.name(key), value)


@pytest.fixture(scope="module")
def running():
    with RedisServer.started() as server:
        yield server


@pytest.fixture
def server(running):
    running.client.flushall()
    return running


@pytest.fixture
def own_server():
    with RedisServer.started() as server:
        yield server


@pytest.fixture
def make():
    """Makes caches, and closes them at the end."""
    with contextlib.ExitStack() as stack:

        def make(server=None, **options):
            url = f"redis://127.0.0.1:{free_port()}" if server is None else server.url
            made = stack.enter_context(contextlib.closing(Counted(url, **options)))
            if server is not None:
                eventually(lambda: not made.is_silent)
            return made

        yield make


@pytest.fixture
def cache(make, server):
    return make(server)


def eventually(condition):
    wait_for(condition, SOON_S)


def write(cache, key, value):
    cache.put(key, value)
    eventually(lambda: cache.get(key) == value or cache.put(key, value))
    cache.counts.clear()


def longest_ms(cache, questions=60):
    times = []
    for number in range(questions):
        started = time.perf_counter()
        cache.get(("key", number))
        times.append((time.perf_counter() - started) * 1000)
    return max(times)


def test_what_one_process_writes_another_finds_until_it_expires(cache, make, server):
    write(cache, ("a", 1), b"value")
    assert 0 < server.client.ttl(cache.name(("a", 1))) <= 60
    other = make(server)
    assert [other.get(("a", number)) for number in (1, 2)] == [b"value", None]
    assert (other.counts["hit"], other.counts["miss"]) == (1, 1)
    other.close()
    assert other.get(("a", 1)) is None, "it is closed"


def test_values_of_another_version_or_format_are_never_seen(cache, make, server, monkeypatch):
    write(cache, "a", b"value")
    assert make(server, version="2").get("a") is None
    monkeypatch.setattr(redis_tier, "FORMAT", redis_tier.FORMAT + 1)
    assert make(server).get("a") is None
    assert server.client.keys() == [cache.name("a").encode()]


def test_a_value_too_long_is_neither_written_nor_read(cache, server):
    cache.put("a", b"x" * (MAX_VALUE_BYTES + 1))
    write(cache, "b", b"x" * MAX_VALUE_BYTES)
    assert server.client.keys() == [cache.name("b").encode()]
    assert len(cache.get("b")) == MAX_VALUE_BYTES
    server.client.set(cache.name("a"), b"x" * 100_000_000)
    sent_before = server.client.info("stats")["total_net_output_bytes"]
    assert cache.get("a") is None
    assert server.client.info("stats")["total_net_output_bytes"] - sent_before < 2 * MAX_VALUE_BYTES


def test_a_key_of_a_wrong_type_is_a_miss_and_no_reason_to_stop_asking(cache, server):
    server.client.lpush(cache.name("a"), "x")
    assert [cache.get("a") for _ in range(3)] == [None] * 3
    assert cache.counts == {"error": 3}
    assert not cache.is_silent


def test_without_a_server_nothing_is_found_and_nothing_takes_long(make, log_lines, monkeypatch):
    """And the log says it once, however often a connection is tried."""
    monkeypatch.setattr(redis_tier, "RETRY_EVERY_S", 0.02)
    cache = make()
    assert longest_ms(cache) < FEW_MS
    cache.put("a", b"value")
    assert cache.is_silent
    assert set(cache.counts) == {"skipped"}
    eventually(log_lines)
    time.sleep(0.2)
    assert [line["reason"] for line in log_lines()] == ["ConnectionError"]


def test_a_server_that_is_killed_and_comes_back_costs_little_and_is_used_again(make, own_server):
    told = []
    cache = make(own_server, on_silence=told.append)
    assert told == [True, False]
    write(cache, "a", b"value")
    own_server.kill()
    assert longest_ms(cache) < FEW_MS
    eventually(lambda: cache.get("a") is None and cache.is_silent)
    assert told == [True, False, True]
    own_server.start()
    eventually(lambda: not cache.is_silent)
    write(cache, "a", b"new value")
    assert cache.get("a") == b"new value"


def test_a_paused_server_costs_a_time_limit_once_and_then_nothing(make, own_server):
    cache = make(own_server, timeout_ms=50)
    write(cache, "a", b"value")
    own_server.pause()
    started = time.perf_counter()
    assert cache.get("a") is None
    assert 0.045 < time.perf_counter() - started < 0.05 + FEW_MS / 1000
    assert cache.is_silent
    assert longest_ms(cache) < FEW_MS
    assert cache.counts["error"] == 1, "nothing is asked meanwhile"
    own_server.resume()
    eventually(lambda: not cache.is_silent)
    eventually(lambda: cache.get("a") == b"value")


def test_one_slow_moment_costs_little_and_more_of_them_cost_up_to_a_second(make, own_server, monkeypatch):
    """Each silence is twice as long as the one before, until a call succeeds."""
    cache, pauses = make(own_server), []
    monkeypatch.setattr(cache._closed, "wait", lambda pause_s: pauses.append(pause_s))
    slow = redis.TimeoutError("too slow")
    for _ in range(8):
        with monkeypatch.context() as patch:
            patch.setattr(cache._redis, "execute_command", Mock(side_effect=slow))
            assert cache.get("a") is None
        eventually(lambda: not cache.is_silent)
    assert pauses == [0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1, 1]
    cache.put("a", b"value")
    with monkeypatch.context() as patch:
        patch.setattr(cache._redis, "execute_command", Mock(side_effect=slow))
        assert cache.get("a") is None
    eventually(lambda: not cache.is_silent)
    assert pauses[-1] == 0.02


def test_a_full_server_refuses_values_and_still_answers_what_it_has(cache, server):
    write(cache, "a", b"value")
    server.client.config_set("maxmemory-policy", "noeviction")
    server.client.config_set("maxmemory", 1)
    try:
        cache.put("b", b"value")
        assert cache.get("b") is None
        assert cache.get("a") == b"value"
        assert not cache.is_silent
    finally:
        server.client.config_set("maxmemory", 0)
    eventually(lambda: cache.put("d", b"value") or cache.get("d") == b"value")


def test_a_server_that_asks_for_a_password_is_as_good_as_none(make, own_server):
    own_server.client.config_set("requirepass", "secret")
    urls = (own_server.url.replace("//", "//:secret@"), own_server.url)
    right, wrong = (Counted(url, timeout_ms=50) for url in urls)
    with contextlib.closing(right), contextlib.closing(wrong):
        eventually(lambda: not right.is_silent)
        assert wrong.get("a") is None
        assert wrong.is_silent


def test_a_server_that_speaks_something_else_is_as_good_as_none():
    asked = threading.Event()

    class Babble(socketserver.BaseRequestHandler):
        def handle(self):
            asked.set()
            self.request.sendall(b"$9999999999\r\n" + b"\x00garbage" * 100)

    with socketserver.TCPServer(("127.0.0.1", 0), Babble) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        with contextlib.closing(Counted(f"redis://127.0.0.1:{listener.server_address[1]}", timeout_ms=5)) as cache:
            assert asked.wait(SOON_S)
            assert longest_ms(cache) < FEW_MS
            assert cache.is_silent
        listener.shutdown()


def test_many_threads_ask_and_no_more_connections_are_opened_than_allowed(make, server):
    cache = make(server, timeout_ms=500)
    write(cache, "a", b"value")
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: cache.get("a"), range(1600))) <= {b"value", None}
    assert cache.counts["hit"] + cache.counts["skipped"] == 1600
    assert cache.counts["hit"] > 0
    # And one of the test itself; the server may still count one that an earlier test has closed.
    eventually(lambda: server.client.info("clients")["connected_clients"] <= CONNECTIONS + 1)


SECRET = b"a secret of enough letters"


def test_a_signed_value_is_found_with_the_key_and_under_its_own_name(make, server):
    cache = make(server, secret=SECRET)
    write(cache, "a", b"value")
    server.client.set(cache.name("b"), server.client.get(cache.name("a")))
    other = make(server, secret=SECRET)
    assert (other.get("a"), other.get("b")) == (b"value", None)


@pytest.mark.parametrize("secret", [b"", b"another secret, as long"])
def test_a_value_without_our_signature_is_not_believed(make, server, secret):
    write(make(server, secret=secret), "a", b"value" * 20)
    ours = make(server, secret=SECRET)
    assert ours.get("a") is None
    assert ours.counts == {"error": 1}


@pytest.mark.parametrize("secret", [b"", SECRET], ids=["checksum", "signature"])
def test_a_value_that_was_changed_is_not_believed(make, server, secret):
    cache = make(server, secret=secret)
    write(cache, "a", b"value")
    signed = server.client.get(cache.name("a"))
    for place in range(len(signed)):
        changed = bytes([*signed[:place], signed[place] ^ 1, *signed[place + 1 :]])
        server.client.set(cache.name("a"), changed)
        assert cache.get("a") is None


def test_without_a_url_the_package_is_not_even_imported_and_with_one_it_is_asked_for(monkeypatch):
    code = "import sys, service.app; sys.exit('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(SettingsError, match=r"KINAROW_REDIS_URL: .*pip install 'kinarow\[redis\]'"):
        default_settings(redis_url="redis://127.0.0.1")
