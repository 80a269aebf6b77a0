"""The shipped proxy configuration, run by a real nginx in front of real instances."""

import contextlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kinarow.contract.problems import KINDS
from kinarow.version import VERSION
from loadtests import games, storm
from service.http import auth
from tests.support import proxy
from tests.support.commands import run
from tests.support.processes import workers
from tests.support.proxy import Proxy
from tests.support.redis_server import RedisServer
from tests.support.server import REPOSITORY, Answer, Server, free_port

if proxy.NGINX is None:
    pytest.skip("nginx is not installed", allow_module_level=True)

ANSWER_WITHIN_S = 20
BOARD = ["X.O", ".X.", "..O"]


@pytest.fixture(scope="module")
def instance() -> Iterator[Server]:
    with Server.started(KINAROW_WORKERS="1") as server:
        yield server


@pytest.fixture(scope="module")
def limited(instance: Server) -> Iterator[Proxy]:
    """The configuration as it is shipped."""
    with proxy.started([instance]) as running:
        yield running


def ask(port: int, method: str, path: str, body: Any = None, source: str = "127.0.0.1", **headers: str) -> Answer:
    """One request from one of this machine's loopback addresses."""
    connection = http.client.HTTPConnection("127.0.0.1", port, ANSWER_WITHIN_S, (source, 0))
    with contextlib.closing(connection):
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **headers} if data is not None else headers
        connection.request(method, path, data, {name.replace("_", "-"): sent[name] for name in sent})
        response = connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())


def raw(port: int, data: bytes) -> bytes:
    """What comes back for these bytes, up to the end of its first line and on to the end of the body."""
    with socket.create_connection(("127.0.0.1", port), ANSWER_WITHIN_S) as connection:
        connection.sendall(data)
        connection.settimeout(1)
        received = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while piece := connection.recv(65_536):
                received += piece
                if received.endswith(b"}\n"):
                    break
        return received


def problem(answer: Answer, status: int) -> Any:
    """The problem that an answer must be."""
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-request-id"]
    told = answer.json
    assert set(told) >= {"type", "title", "status", "detail", "instance"}
    assert told["status"] == status
    return told


def records(running: Proxy) -> list[dict[str, Any]]:
    """The log lines of requests."""
    return [json.loads(line) for line in running.log.splitlines() if line.startswith("{")]


# --- The configuration itself ---------------------------------------------------------------------------------


def test_nginx_finds_nothing_to_say_about_the_configuration(tmp_path):
    proxy.configure(tmp_path, [1, 2], 1)
    done = proxy.check(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr.replace('the "user" directive', ""), done.stderr


def test_the_lines_of_the_public_instance_fit_the_configuration(tmp_path):
    """The instance stands there as often as it takes for a lost request to be asked again."""
    page = (REPOSITORY / "docs" / "public-instance.md").read_text("utf-8")
    lines = re.search(r"```nginx\n((?:server .*\n)+)```", page)[1]
    assert len(lines.splitlines()) == 2
    proxy.configure(tmp_path, [1], 1)
    site = (tmp_path / "site.conf").read_text("utf-8")
    (tmp_path / "site.conf").write_text(re.sub(r"(?m)(^ *server .*\n)+", lines, site), "utf-8")
    done = proxy.check(tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_configuration_with_tls(tmp_path):
    """Nginx accepts it with a certificate."""
    proxy.configure(tmp_path, [1, 2], 1)
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    kind = ("-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=kinarow")
    run("openssl", "req", *kind, "-keyout", key, "-out", certificate)
    (tmp_path / "listen-tls.conf").rename(tmp_path / "listen.conf")
    replace(tmp_path / "listen.conf", ("listen 8443 ssl", "listen 8443 ssl"), ("/etc/kinarow-tls", str(tmp_path)))
    done = proxy.check(tmp_path)
    assert done.returncode == 0, done.stderr


def test_every_problem_of_the_proxy_is_one_that_the_service_documents():
    text = (proxy.CONFIGURATION / "nginx.conf").read_text("utf-8")
    types, titles = (
        dict(re.findall(r'^ +(\d{3}) +"([^"]+)";$', _block(text, f"map $status $problem_{name}"), re.MULTILINE))
        for name in ("type", "title")
    )
    assert len(types) > 8
    listed = {kind.type: kind for kind in KINDS}
    for status, kind in types.items():
        assert titles[status] == listed[kind].title
        # A gateway's own failures say the same as a 503 of the service.
        assert listed[kind].status == (503 if status in ("502", "504") else int(status))


def _block(text: str, begins: str) -> str:
    """What stands between a line that begins so and its closing brace."""
    return text.partition(begins)[2].partition("}")[0]


def test_the_proxy_takes_no_larger_body_or_longer_line_than_the_service():
    from service.server import options as serving
    from service.settings import default_settings

    text = (proxy.CONFIGURATION / "nginx.conf").read_text("utf-8")
    assert "client_max_body_size 64k;" in text
    assert default_settings().max_body_bytes == 64 * 1024
    assert "large_client_header_buffers 4 4k;" in text
    assert 4096 - len("\r\n") <= serving.MAX_REQUEST_LINE


# --- Passing on -------------------------------------------------------------------------------------------------


def test_an_answer_comes_through_as_the_instance_gave_it(limited, instance):
    body = {"board": BOARD, "to_move": "X"}
    through = ask(limited.port, "POST", "/move", body, X_Request_ID="mine.1")
    direct = instance.post("/move", body)
    for answer in (through, direct):
        assert answer.status == 200
    ours, theirs = through.json, direct.json
    for answer in (ours, theirs):
        del answer["search"]
    assert ours == theirs
    assert through.headers["x-request-id"] == "mine.1"
    assert through.headers["cache-control"] == "no-store"


def test_problems_of_the_service_come_through_too(limited):
    told = problem(ask(limited.port, "POST", "/move", {"board": ["XO.", ".X"]}), 422)
    assert told["errors"][0]["pointer"] == "/board/1"


def test_a_request_id_that_is_not_plain_is_replaced_on_both_sides(limited):
    answer = ask(limited.port, "GET", "/healthz", X_Request_ID='a"b c')
    assert len(answer.headers["x-request-id"]) == 32


def test_the_proxy_hides_the_metrics(limited):
    problem(ask(limited.port, "GET", "/metrics"), 404)


def test_the_log_counts_milliseconds(limited):
    """Of an answer that takes some seconds, some hundredths, or next to nothing."""
    body = {"board": ["." * 15] * 15, "game": "gomoku", "max_nodes": 10**7}
    for number, limit_ms in enumerate((1, 30, 300, 1200)):
        ask(limited.port, "POST", "/move", {**body, "time_limit_ms": limit_ms}, X_Request_ID=f"ms.{number}")
    took = {each["request_id"]: each["ms"] for each in records(limited)}
    for number, limit_ms in enumerate((1, 30, 300, 1200)):
        assert limit_ms - 20 <= took[f"ms.{number}"] < 10 * limit_ms + 1000, took


# --- Keys --------------------------------------------------------------------------------------------------------

KEY = "proxy-key-0123456789"


@pytest.fixture(scope="module")
def asks_for_keys(instance: Server) -> Iterator[Proxy]:
    """The proxy with a key in site.conf, and an instance without keys."""

    def with_a_key(folder: Path) -> None:
        replace(folder / "site.conf", ("default 1;", "default 0;"), ('# "Bearer KEY" 1;', f'"Bearer {KEY}" 1;'))

    with proxy.started([instance], unlimited=True, change=with_a_key) as running:
        yield running


def replace(path: Path, *pairs: tuple[str, str]) -> None:
    """Replace texts of a file, each of which must be there."""
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def test_a_proxy_that_asks_for_keys_keeps_answers(asks_for_keys):
    port, path = asks_for_keys.port, "/move?board=XO./OX./..."
    answers = [ask(port, "GET", path, Authorization=f"Bearer {KEY}") for _ in range(2)]
    assert [answer.headers["x-cache-status"] for answer in answers] == ["MISS", "HIT"]
    told = problem(ask(port, "GET", path), 401)
    assert told["type"] == "/problems#unauthorized"


@pytest.mark.parametrize("path", ["/move", "/analysis", "/version", "/moves", "/board.svg", "/docsx", "/solve"])
def test_a_proxy_that_asks_for_keys_refuses_whoever_has_none(asks_for_keys, path):
    for headers in ({}, {"Authorization": "Bearer another-key-0123456789"}, {"Authorization": KEY}):
        answer = ask(asks_for_keys.port, "GET", path, **headers)
        problem(answer, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer ")


def test_a_proxy_that_asks_for_keys_leaves_open_what_the_service_does(asks_for_keys):
    for path in (*sorted(auth._OPEN), "/docs/", "/guide/index.html", "/web/page.js"):
        assert ask(asks_for_keys.port, "GET", path).status != 401, path
    assert ask(asks_for_keys.port, "OPTIONS", "/move").status != 401


# --- Answers kept -----------------------------------------------------------------------------------------------


def test_a_repeated_get_is_answered_by_the_proxy_with_an_id_of_its_own(limited):
    path = "/move?board=XO./.X./O.."
    first = ask(limited.port, "GET", path, X_Request_ID="first")
    second = ask(limited.port, "GET", path, X_Request_ID="second")
    assert (first.status, first.headers["x-cache-status"]) == (200, "MISS")
    assert (second.status, second.headers["x-cache-status"]) == (200, "HIT")
    assert second.headers["x-request-id"] == "second"
    assert second.body == first.body
    assert second.headers["cache-control"].startswith("public, max-age=")


def test_a_client_that_has_the_answer_gets_304_from_the_proxy(limited):
    path = "/move?board=XO./.X./..O"
    tag = ask(limited.port, "GET", path).headers["etag"]
    again = ask(limited.port, "GET", path, If_None_Match=tag)
    assert (again.status, again.body) == (304, b"")
    assert again.headers["x-cache-status"] == "HIT"


def test_a_varied_answer_and_a_failure_are_not_kept(limited):
    for path, status in (("/move?board=.../.X./...&level=3", 200), ("/move?board=XXX/.../...", 422)):
        for _ in range(2):
            answer = ask(limited.port, "GET", path)
            assert answer.status == status
            assert answer.headers["x-cache-status"] == "MISS"


def test_a_crowd_with_one_new_question_hardly_troubles_the_service(limited):
    path = "/move?board=.X./.O./..X&to_move=O"

    def one(number: int) -> None:
        ask(limited.port, "GET", path, X_Request_ID=f"crowd-{number}", source=f"127.0.2.{number}")

    crowd = [threading.Thread(target=one, args=(number,)) for number in range(1, 13)]
    for member in crowd:
        member.start()
    for member in crowd:
        member.join()
    ours = [each for each in records(limited) if each["request_id"].startswith("crowd-")]
    assert [each["status"] for each in ours] == [200] * 12
    assert sum(bool(each["instance"]) for each in ours) <= 4, ours


def test_a_stream_goes_out_as_it_comes(limited):
    body = {"board": ["." * 15] * 15, "game": "gomoku", "max_nodes": 300_000, "time_limit_ms": 5000}
    connection = http.client.HTTPConnection("127.0.0.1", limited.port, ANSWER_WITHIN_S)
    with contextlib.closing(connection):
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        connection.request("POST", "/analysis", json.dumps(body), headers)
        response = connection.getresponse()
        assert response.status == 200
        assert response.getheader("Content-Type").startswith("text/event-stream")
        came = {}
        for line in response:
            if line.startswith(b"event: "):
                came.setdefault(line.split()[1], time.monotonic())
    assert set(came) == {b"progress", b"result"}
    assert came[b"result"] - came[b"progress"] > 0.1


# --- The proxy's own errors ---------------------------------------------------------------------------------------

HOST = b"Host: localhost\r\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GARB\x00AGE\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /../../etc/passwd HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET / HTTP/9.9\r\n" + HOST + b"\r\n", 400),
        (b"POST /move HTTP/1.1\r\n" + HOST + b"Content-Length: x\r\n\r\n", 400),
        (b"POST /move HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST /move HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: odd\r\n\r\n", 400),
        (b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"POST /move HTTP/1.1\r\n" + HOST + b"Content-Length: 70000\r\n\r\n", 413),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + HOST + b"A: " + b"a" * 30_000 + b"\r\n\r\n", 431),
        (b"GET /metrics HTTP/1.1\r\n" + HOST + b"\r\n", 404),
    ],
)
def test_what_the_proxy_refuses_is_a_problem(limited, sent, status):
    head, _, body = raw(limited.port, sent).partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0].split()[1] == str(status).encode()
    headers = {line.partition(b": ")[0].lower(): line.partition(b": ")[2] for line in lines[1:]}
    assert headers[b"content-type"] == b"application/problem+json"
    assert headers[b"server"] == b"nginx"
    told = json.loads(body)
    assert told["status"] == status
    assert told["detail"]


def test_headers_that_the_service_does_not_read_do_not_reach_it(limited):
    many = b"".join(b"A%d: b\r\n" % number for number in range(500))
    answer = raw(limited.port, b"GET /healthz HTTP/1.1\r\n" + HOST + many + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_an_odd_path_cannot_break_the_json_of_a_problem(limited):
    answer = raw(limited.port, b'TRACE /a"b\\c?x="y" HTTP/1.1\r\n' + HOST + b"\r\n")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["instance"] == "/"


def test_with_no_instance_left_the_answer_is_a_problem_that_says_when_to_come_again():
    nobody = Server.__new__(Server)
    nobody.port = free_port()
    with proxy.started([nobody]) as running:
        answer = ask(running.port, "POST", "/move", {"board": BOARD})
        problem(answer, 502)
        assert int(answer.headers["retry-after"]) > 0


# --- Rates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "greedy"), [("/move?board=.../.../...", "127.0.3.1"), ("/solve?pos=1", "127.0.3.5")])
def test_an_address_that_asks_too_much_gets_429_and_another_does_not_notice(limited, path, greedy):
    answers = [ask(limited.port, "GET", path, source=greedy) for _ in range(150)]
    refused = [answer for answer in answers if answer.status != 200]
    assert answers[0].status == 200
    assert len(refused) >= 20
    told = problem(refused[0], 429)
    assert told["type"] == "/problems#too-many-requests"
    assert int(refused[0].headers["retry-after"]) > 0
    assert ask(limited.port, "GET", path, source="127.0.3.2").status == 200


def test_an_address_that_holds_too_many_connections_gets_429(limited):
    source = "127.0.3.3"
    head = b"POST /move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(32):
            held = stack.enter_context(
                socket.create_connection(("127.0.0.1", limited.port), ANSWER_WITHIN_S, (source, 0))
            )
            held.sendall(head)
        time.sleep(0.2)
        problem(ask(limited.port, "POST", "/move", {"board": BOARD}, source=source), 429)
        assert ask(limited.port, "POST", "/move", {"board": BOARD}, source="127.0.3.4").status == 200


# --- Slow clients -------------------------------------------------------------------------------------------------


def test_slow_clients_take_nothing_from_others():
    """Sixty that send byte by byte or never read, against an instance of two threads."""
    head = b"POST /move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
    stop = threading.Event()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server.started(KINAROW_WORKERS="1"))
        running = stack.enter_context(proxy.started([server], unlimited=True))
        held: list[tuple[socket.socket, bytes]] = []
        for number in range(60):
            connection = stack.enter_context(
                socket.create_connection(
                    ("127.0.0.1", running.port), ANSWER_WITHIN_S, (f"127.0.4.{number % 20 + 1}", 0)
                )
            )
            if number % 3 == 0:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nX-A: ")
            elif number % 3 == 1:
                connection.sendall(head)
            else:
                # Asks for more than the buffers between here and there hold, and reads none of it.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.sendall(b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
            held.append((connection, b" " if number % 3 < 2 else b""))

        def trickle() -> None:
            while not stop.wait(0.5):
                for connection, byte in held:
                    with contextlib.suppress(OSError):
                        connection.sendall(byte)

        slow = threading.Thread(target=trickle)
        slow.start()
        try:
            took = []
            end = time.monotonic() + 3
            while time.monotonic() < end:
                began = time.monotonic()
                assert ask(running.port, "POST", "/move", {"board": BOARD}).status == 200
                took.append(time.monotonic() - began)
                time.sleep(0.02)
        finally:
            stop.set()
            slow.join()
        assert len(took) > 20
        assert max(took) < 1, sorted(took)[-5:]


def test_headers_that_never_end_are_cut_off_and_so_is_a_body_that_stalls(instance):
    def quick(folder: Path) -> None:
        limits = ("client_header_timeout", "client_body_timeout")
        replace(folder / "nginx.conf", *((f"{name} 10s;", f"{name} 1s;") for name in limits))

    with proxy.started([instance], change=quick) as running:
        began = time.monotonic()
        for sent in (
            b"GET /healthz HTTP/1.1\r\nX-A: ",
            b"POST /move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1",
        ):
            with socket.create_connection(("127.0.0.1", running.port), ANSWER_WITHIN_S) as connection:
                connection.sendall(sent)
                try:
                    answer = connection.recv(65_536)
                except ConnectionResetError:
                    answer = b""
                assert answer == b"" or answer.startswith(b"HTTP/1.1 408 ")
        assert time.monotonic() - began < 8


# --- Losing an instance --------------------------------------------------------------------------------------------


class Unsteady:
    """A server that answers every request with 200, or drops it while it is ``broken``."""

    def __init__(self) -> None:
        self.broken = False
        self.dropped = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection:
                    connection.recv(65_536)
                    if self.broken:
                        self.dropped += 1
                    else:
                        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")

    def close(self) -> None:
        # Closing alone would leave the other thread waiting.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def test_failures_of_both_instances_one_after_the_other_cost_no_request():
    """What was lost a moment ago says nothing of now: an instance whose worker died has another one."""
    with contextlib.ExitStack() as stack:
        instances = [Unsteady(), Unsteady()]
        for instance in instances:
            stack.callback(instance.close)
        running = stack.enter_context(proxy.started(instances, unlimited=True))
        for instance in instances:
            instance.broken = True
            for _ in range(12):
                assert ask(running.port, "POST", "/move", {"board": BOARD}).status == 200
            instance.broken = False
        assert min(instance.dropped for instance in instances) >= 5


def kill_instance(server):
    # Its own group: the master and its worker, and nothing else.
    os.killpg(server.process.pid, signal.SIGKILL)


def kill_worker(server):
    os.kill(workers(server)[0], signal.SIGKILL)


def stop_instance(server):
    server.process.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("lose", [kill_instance, kill_worker, stop_instance])
def test_an_instance_lost_under_load_costs_no_request(lose):
    """Eight players, POST only; one of two instances with one Redis gets SIGKILL while it computes for them.

    The proxy cannot ask again for an answer of which it has passed on the head. A worker writes head and body one after
    the other, so one that is killed just between the two costs that answer.
    """
    stop = threading.Event()
    failures: list[str] = []
    answered = [0] * 8

    def player(number: int, port: int) -> None:
        choice = random.Random(number)
        game = games.Game("c4", 6, 7, {"game": "connect-four", "max_nodes": 60_000})
        source = f"127.0.5.{number + 1}"

        def one(rows: list[str], side: str) -> Any:
            if stop.is_set():
                return None
            body = {"board": rows, "to_move": side, **game.fields}
            try:
                answer = ask(port, "POST", "/move", body, source=source)
            except (OSError, http.client.HTTPException) as error:
                failures.append(repr(error))
                return None
            if answer.status != 200:
                failures.append(f"{answer.status}: {answer.body[:300]!r}")
                return None
            answered[number] += 1
            told = answer.json
            return told if told["state"] == "ongoing" else {"after": told}

        while not stop.is_set():
            games.play(game, one, choice)

    with contextlib.ExitStack() as stack:
        url = stack.enter_context(RedisServer.started()).url
        # One instance must have room for all players: what is refused for load would not be lost.
        room = {"KINAROW_SEARCH_QUEUE": "12", "KINAROW_SEARCH_WAIT_MS": "20000"}
        servers = [
            stack.enter_context(Server.started(KINAROW_WORKERS="1", KINAROW_REDIS_URL=url, **room)) for _ in range(2)
        ]
        running = stack.enter_context(proxy.started(servers, unlimited=True))
        players = [threading.Thread(target=player, args=(number, running.port)) for number in range(8)]
        for each in players:
            each.start()
        try:
            time.sleep(1.5)
            before = sum(answered)
            lose(servers[1])
            time.sleep(1.5)
        finally:
            stop.set()
            for each in players:
                each.join()
        after = sum(answered) - before
        log = records(running)
    cut = [failure for failure in failures if failure.startswith("IncompleteRead(0 bytes read")]
    assert failures == cut
    assert len(cut) <= 1
    assert min(before, after) > 20, (before, after)
    retried = [each for each in log if ", " in each["instance"] and each["status"] == 200]
    assert retried or lose is not kill_instance, "nothing was in flight when it was killed: nothing was shown"
    assert len({each["instance"] for each in log if ", " not in each["instance"]}) == 2


# --- Two versions --------------------------------------------------------------------------------------------------

ROWS = [["." * 15] * 7 + ["." * place + "XO.X" + "." * (11 - place)] + ["." * 15] * 7 for place in range(12)]
OPENINGS = [json.dumps({"board": rows, "game": "gomoku", "to_move": "O", "max_nodes": 3000}).encode() for rows in ROWS]
"""Questions whose answers are estimates, and shared through Redis."""


@pytest.fixture
def next_version(tmp_path: Path) -> Path:
    """This tree as the version after it, which rounds its estimates to two decimals."""
    for package in ("kinarow", "service"):
        shutil.copytree(REPOSITORY / package, tmp_path / package, ignore=shutil.ignore_patterns("guide", "__pycache__"))
    replace(tmp_path / "kinarow" / "version.py", (f'VERSION = "{VERSION}"', 'VERSION = "1.999.0"'))
    replace(tmp_path / "kinarow" / "score.py", ("ESTIMATE_DECIMALS = 4", "ESTIMATE_DECIMALS = 2"))
    return tmp_path


@pytest.mark.release
@pytest.mark.timeout(600)
def test_an_upgrade_and_the_way_back_one_instance_after_the_other_lose_nothing(next_version):
    """Two instances with one Redis behind the proxy, while six clients ask; no version believes the other's answers."""
    trees = {VERSION: REPOSITORY, "1.999.0": next_version}
    own: dict[str, dict[bytes, object]] = {}
    for version, tree in trees.items():
        with Server.started(KINAROW_WORKERS="1", cwd=tree) as alone:
            own[version] = {question: storm.answer_of(alone, question) for question in OPENINGS}
    either = {question: [own[version][question] for version in trees] for question in OPENINGS}
    assert sum(old != new for old, new in either.values()) > len(either) / 2

    report, over = storm.Report(), threading.Event()
    with contextlib.ExitStack() as stack:
        redis = stack.enter_context(RedisServer.started())

        def start(tree: Path, port: int | None = None) -> Server:
            given = {"KINAROW_WORKERS": "2", "KINAROW_REDIS_URL": redis.url}
            return stack.enter_context(Server.started(cwd=tree, port=port, **given))

        running = [start(REPOSITORY) for _ in range(2)]
        between = stack.enter_context(proxy.started(running, unlimited=True))
        clients = [storm.Client(between.port, either, report, over, seed) for seed in range(6)]
        threads = [threading.Thread(target=client.ask, args=(10**6, 0.05)) for client in clients]
        for thread in threads:
            thread.start()
        try:
            for version in ("1.999.0", VERSION):
                for place in range(2):
                    assert running[place].stop() == 0
                    running[place] = start(trees[version], running[place].port)
                    assert running[place].get("/version").json["version"] == version
                    for each in running:
                        answers = {question: storm.answer_of(each, question) for question in OPENINGS}
                        assert answers == own[each.get("/version").json["version"]]
        finally:
            over.set()
            for thread in threads:
                thread.join()
        keys = redis.client.keys()
        metrics = running[1].get("/metrics").body.decode()
    assert report.failed == {}
    assert len(report.times) > 500
    assert {key.split(b":")[2].partition(b"+")[0].decode() for key in keys} == {*trees}
    assert float(re.search(r'kinarow_shared_cache_requests_total{result="hit"} (\S+)', metrics)[1]) > 0
    print(f"\n{len(report.times)} answers by {2 * len(trees)} starts of two versions, {len(keys)} keys in Redis")
