"""The shipped proxy configuration, run by a real nginx in front of real instances."""

import contextlib
import http.client
import itertools
import json
import os
import re
import shutil
import signal
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from werkzeug.test import EnvironBuilder

from kinarow.contract.problems import KINDS
from service.http import security
from service.server import application
from service.settings import default_settings
from tests.support import proxy
from tests.support.app import bodies, client_with
from tests.support.commands import run
from tests.support.load import Load
from tests.support.processes import wait_for, workers
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
    received = b""
    with socket.create_connection(("127.0.0.1", port), ANSWER_WITHIN_S) as connection:
        connection.sendall(data)
        connection.settimeout(1)
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while not received.endswith(b"}\n") and (piece := connection.recv(65_536)):
                received += piece
    return received


def problem(answer: Answer, status: int) -> Any:
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-request-id"]
    told = answer.json
    assert told.keys() >= {"type", "title", "status", "detail", "instance"}
    assert told["status"] == status
    return told


def records(running: Proxy) -> list[dict[str, Any]]:
    return [json.loads(line) for line in running.log.splitlines() if line.startswith("{")]


def as_it_is(folder: Path) -> None:
    """Nothing is changed."""


PUBLIC_INSTANCE = (REPOSITORY / "docs" / "public-instance.md").read_text("utf-8")


def with_the_public_instance(folder: Path) -> None:
    """Its page names the instance as often as it takes for a lost request to be asked again."""
    lines = re.search(r"```nginx\n((?:server .*\n)+)```", PUBLIC_INSTANCE)[1]
    assert len(lines.splitlines()) == 4
    site = (folder / "site.conf").read_text("utf-8")
    (folder / "site.conf").write_text(re.sub(r"(?m)(^ *server .*\n)+", lines, site), "utf-8")


def with_tls(folder: Path) -> None:
    kind = ("-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=kinarow")
    run("openssl", "req", *kind, "-keyout", folder / "tls.key", "-out", folder / "tls.crt")
    (folder / "listen-tls.conf").rename(folder / "listen.conf")
    replace(folder / "listen.conf", ("listen 8443 ssl", "listen 8443 ssl"), ("/etc/kinarow-tls", str(folder)))


@pytest.mark.parametrize("change", [as_it_is, with_the_public_instance, with_tls])
def test_nginx_finds_nothing_to_say_about_the_configuration(tmp_path, change):
    proxy.configure(tmp_path, [1, 2], 1)
    change(tmp_path)
    done = proxy.check(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr.replace('the "user" directive', ""), done.stderr


def test_the_proxy_of_the_public_instance_can_open_its_log_under_systemd(tmp_path):
    """The journal of systemd is a socket, which nginx cannot open as /dev/stdout: the unit names a file."""
    proxy.configure(tmp_path, [1], 1)
    with_the_public_instance(tmp_path)
    shutil.copy(proxy.CONFIGURATION / "nginx.conf", tmp_path)
    unit = re.search(r"```ini\n(\[Unit\]\nDescription=nginx[^`]+)```", PUBLIC_INSTANCE)[1]
    file = re.search(r"^StandardOutput=append:(/var/log/\S+)$", unit, re.MULTILINE)
    with contextlib.ExitStack() as stack:
        journal, _ = map(stack.enter_context, socket.socketpair())
        done = proxy.check(tmp_path, stack.enter_context((tmp_path / "log").open("ab")) if file else journal)
    assert done.returncode == 0, done.stderr
    assert f"\n{file[1]} {{\n" in PUBLIC_INSTANCE, "logrotate knows no such file"


def test_every_problem_of_the_proxy_is_one_that_the_service_documents():
    text = (proxy.CONFIGURATION / "nginx.conf").read_text("utf-8")
    blocks = (text.partition(f"map $status $problem_{name}")[2].partition("}")[0] for name in ("type", "title"))
    types, titles = (dict(re.findall(r'^ +(\d{3}) +"([^"]+)";$', block, re.MULTILINE)) for block in blocks)
    assert len(types) > 8
    listed = {kind.type: kind for kind in KINDS}
    for status, kind in types.items():
        assert titles[status] == listed[kind].title
        # A gateway's own failures say the same as a 503 of the service.
        assert listed[kind].status == (503 if status in ("502", "504") else int(status))


def test_the_proxy_takes_no_larger_body_or_longer_line_than_the_service():
    text = (proxy.CONFIGURATION / "nginx.conf").read_text("utf-8")
    assert "client_max_body_size 64k;" in text
    assert default_settings().max_body_bytes == 64 * 1024
    assert "large_client_header_buffers 4 4k;" in text
    assert 4096 - len("\r\n") <= application.MAX_REQUEST_LINE


def test_an_answer_comes_through_as_the_instance_gave_it(limited, instance):
    """Problems too, but the metrics do not; a request id that is not plain is replaced on both sides."""
    body = {"board": BOARD, "to_move": "X"}
    through, direct = ask(limited.port, "POST", "/move", body, X_Request_ID="mine.1"), instance.post("/move", body)
    assert (through.status, direct.status) == (200, 200)
    ours, theirs = through.json, direct.json
    del ours["search"], theirs["search"]
    assert ours == theirs
    assert (through.headers["x-request-id"], through.headers["cache-control"]) == ("mine.1", "no-store")
    told = problem(ask(limited.port, "POST", "/move", {"board": ["XO.", ".X"]}), 422)
    assert told["errors"][0]["pointer"] == "/board/1"
    answer = ask(limited.port, "GET", "/healthz", X_Request_ID='a"b c')
    assert len(answer.headers["x-request-id"]) == 32
    problem(ask(limited.port, "GET", "/metrics"), 404)


def test_the_log_counts_milliseconds(instance):
    """Those of nginx's own seconds, of an answer that takes some, some hundredths, or next to nothing."""
    body = {"board": ["." * 15] * 15, "game": "gomoku", "max_nodes": 10**7}
    both = ('"ms":$milliseconds', '"ms":$milliseconds,"s":$request_time')
    with proxy.started(
        [instance], unlimited=True, change=lambda folder: replace(folder / "nginx.conf", both)
    ) as running:
        for limit_ms in (1, 30, 300, 1200):
            ask(running.port, "POST", "/move", {**body, "time_limit_ms": limit_ms})
        wait_for(lambda: len(records(running)) == 4)
        assert [each["ms"] for each in records(running)] == [round(each["s"] * 1000) for each in records(running)]
        assert records(running)[-1]["ms"] > 1000


KEY = "proxy-key-0123456789"


@pytest.fixture(scope="module")
def asks_for_keys(instance: Server) -> Iterator[Proxy]:

    def with_a_key(folder: Path) -> None:
        replace(folder / "site.conf", ("default 1;", "default 0;"), ('# "Bearer KEY" 1;', f'"Bearer {KEY}" 1;'))

    with proxy.started([instance], unlimited=True, change=with_a_key) as running:
        yield running


def replace(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def test_a_proxy_that_asks_for_keys_keeps_answers(asks_for_keys):
    port, path = asks_for_keys.port, "/move?board=XO./OX./..."
    answers = [ask(port, "GET", path, Authorization=f"Bearer {KEY}") for _ in range(2)]
    assert [answer.headers["x-cache-status"] for answer in answers] == ["MISS", "HIT"]
    problem(ask(port, "GET", path), 401)


@pytest.mark.parametrize("path", ["/move", "/analysis", "/version", "/moves", "/board.svg", "/docsx", "/solve"])
def test_a_proxy_that_asks_for_keys_refuses_whoever_has_none(asks_for_keys, path):
    for sent in ({}, {"Authorization": "Bearer another-key-0123456789"}, {"Authorization": KEY}):
        answer = ask(asks_for_keys.port, "GET", path, **sent)
        assert problem(answer, 401)["type"] == "/problems#unauthorized"
        assert answer.headers["www-authenticate"].startswith("Bearer ")


def test_a_proxy_that_asks_for_keys_leaves_open_what_the_service_does(asks_for_keys):
    for path in (*sorted(security.WITHOUT_KEY), "/docs/", "/guide/index.html", "/web/page.js", "/atlas/proofs/x"):
        assert ask(asks_for_keys.port, "GET", path).status != 401, path
    assert ask(asks_for_keys.port, "OPTIONS", "/move").status != 401


def test_a_repeated_get_is_answered_by_the_proxy_with_an_id_of_its_own(limited):
    """A client that has the answer gets 304."""
    path = "/move?board=XO./.X./O.."
    first, second = (ask(limited.port, "GET", path, X_Request_ID=name) for name in ("first", "second"))
    assert (first.status, first.headers["x-cache-status"]) == (200, "MISS")
    assert (second.status, second.headers["x-cache-status"]) == (200, "HIT")
    assert (second.headers["x-request-id"], second.body) == ("second", first.body)
    assert second.headers["cache-control"].startswith("public, max-age=")
    again = ask(limited.port, "GET", path, If_None_Match=first.headers["etag"])
    assert (again.status, again.body, again.headers["x-cache-status"]) == (304, b"", "HIT")


CONDITIONS = {
    "If-None-Match": "*",
    "If-Match": '"no-such-tag"',
    "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT",
    "If-Unmodified-Since": "Thu, 01 Jan 1970 00:00:00 GMT",
    "If-Range": '"no-such-tag"',
    "Range": "bytes=0-1",
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_whoever_asks_first_the_proxy_keeps_the_whole_answer(limited, name):
    """The first may ask with a condition or for a part."""
    path = f"/move?board=X.../.O../..../....&goal=3&max_nodes={1000 + [*CONDITIONS].index(name)}"
    first = ask(limited.port, "GET", path, **{name.replace("-", "_"): CONDITIONS[name]})
    assert first.headers["x-cache-status"] == "MISS"
    assert first.status == {"If-None-Match": 304, "If-Match": 412, "If-Unmodified-Since": 412}.get(name, 200)
    then = ask(limited.port, "GET", path)
    # What nginx itself refuses it does not read to the end.
    assert (then.status, then.headers["x-cache-status"]) == (200, "MISS" if first.status == 412 else "HIT")
    assert then.json["move"]


def test_an_answer_is_compressed_once_and_says_so(limited):
    """By the service, which keeps what it has compressed."""
    for path in ("/docs/swagger-ui.css", "/analysis?rows=15&columns=15&goal=5&max_nodes=30"):
        plain, packed = (ask(limited.port, "GET", path, Accept_Encoding=coding) for coding in ("identity", "gzip"))
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert "Accept-Encoding" in plain.headers["vary"]
        assert "Accept-Encoding" in packed.headers["vary"]
        assert packed.headers["vary"].count("Accept-Encoding") == 1


def test_an_expired_answer_is_revalidated_by_its_tag():
    """The instance is asked whether its answer has changed, and does not search again."""
    with Server.started(KINAROW_WORKERS="1", KINAROW_MAX_AGE_S="1") as server, proxy.started([server]) as running:
        for _ in range(2):
            assert ask(running.port, "GET", "/move?board=X.O/.../..X&to_move=O").status == 200
            time.sleep(2.2)  # expiry is counted in whole seconds
        wait_for(lambda: '"status":304' in server.log)


def test_a_varied_answer_and_a_failure_are_not_kept(limited):
    for path, status in (("/move?board=.../.X./...&level=3", 200), ("/move?board=XXX/.../...", 422)):
        for _ in range(2):
            answer = ask(limited.port, "GET", path)
            assert (answer.status, answer.headers["x-cache-status"]) == (status, "MISS")


def test_a_crowd_with_one_new_question_hardly_troubles_the_service(limited):
    path = "/move?board=.X./.O./..X&to_move=O"

    def one(number: int) -> Answer:
        return ask(limited.port, "GET", path, X_Request_ID=f"crowd-{number}", source=f"127.0.2.{number}")

    with ThreadPoolExecutor(12) as pool:
        assert [answer.status for answer in pool.map(one, range(1, 13))] == [200] * 12
    ours = [each for each in records(limited) if each["request_id"].startswith("crowd-")]
    assert len(ours) == 12
    assert sum(bool(each["instance"]) for each in ours) <= 4, ours


def test_a_stream_goes_out_as_it_comes(limited):
    body = {"board": ["." * 15] * 15, "game": "gomoku", "max_nodes": 300_000, "time_limit_ms": 5000}
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    connection = http.client.HTTPConnection("127.0.0.1", limited.port, ANSWER_WITHIN_S)
    with contextlib.closing(connection):
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


HOST = b"Host: localhost\r\n"


class Recorded(dict[str, Any]):
    """The environment of a request, which notes the headers that are looked up in it."""

    seen: ClassVar[set[str]] = set()

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.seen.add(name)
        return super().get(name, default)


def headers_read() -> set[str]:
    """The headers that the service looks up in any request of the API and of the page."""
    app = client_with(keys=["a-key-of-24-characters-x"], cors_origins="https://a.example").application
    asked = [(path, {"json": body}) for path, (body, _) in bodies().items()]
    asked += [(path, {}) for path in ("/", "/atlas", "/docs", "/healthz", "/move?board=X../.../..O", "/solve?pos=4")]
    asked += [("/analysis?game=tic-tac-toe", {"headers": {"Accept": "text/event-stream", "Last-Event-ID": "1"}})]
    asked += [("/web/main.js", {}), ("/move", {"method": "OPTIONS"})]
    authorized = {"Authorization": "Bearer a-key-of-24-characters-x"}
    for path, options in asked:
        options = {"method": "POST" if "json" in options else "GET", **options}
        headers = {**authorized, **options.pop("headers", {})}
        with app.request_context(Recorded(EnvironBuilder(path, headers=headers, **options).get_environ())):
            app.full_dispatch_request().close()
    return {name.removeprefix("HTTP_").replace("_", "-").title() for name in Recorded.seen if name.startswith("HTTP_")}


def test_the_proxy_forwards_the_headers_that_the_service_reads_and_no_others():
    conf = (proxy.CONFIGURATION / "nginx.conf").read_text("utf-8")
    forwarded = {name.title() for name in re.findall(r"proxy_set_header (\S+) (?!\"\")", conf)}
    of_the_server = {"X-Forwarded-Proto", "Content-Type"}  # no look-up of HTTP_…
    with_the_extra_otel = {"Tracestate"}
    of_long_searches = {"X-Forwarded-For"}
    of_one_hop = {"Transfer-Encoding", "Connection", "Upgrade"}
    of_nginx = {"If-Match", "If-Modified-Since", "If-Range", "Range"}  # the service sends tags alone, and no ranges
    assert forwarded == headers_read() - of_one_hop - of_nginx | of_the_server | with_the_extra_otel | of_long_searches


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\n" + HOST + b"\r\n", 404),
        (b'TRACE /a"b\\c?x="y" HTTP/1.1\r\n' + HOST + b"\r\n", 405),
        (b"POST /move HTTP/1.1\r\n" + HOST + b"Content-Length: 70000\r\n\r\n", 413),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + HOST + b"A: " + b"a" * 30_000 + b"\r\n\r\n", 431),
    ],
)
def test_what_the_proxy_refuses_is_a_problem(limited, sent, status):
    """No odd path can break its JSON."""
    head, _, body = raw(limited.port, sent).partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    assert first.split()[1] == str(status).encode()
    headers = {line.partition(b": ")[0].lower(): line.partition(b": ")[2] for line in lines}
    assert (headers[b"content-type"], headers[b"server"]) == (b"application/problem+json", b"nginx")
    told = json.loads(body)
    assert told["status"] == status
    assert told["detail"]
    assert '"' not in told["instance"]


def test_headers_that_the_service_does_not_read_do_not_reach_it(limited):
    many = b"".join(b"A%d: b\r\n" % number for number in range(500))
    answer = raw(limited.port, b"GET /healthz HTTP/1.1\r\n" + HOST + many + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_with_no_instance_left_the_answer_is_a_problem_that_says_when_to_come_again():
    with proxy.started([SimpleNamespace(port=free_port())]) as running:
        answer = ask(running.port, "POST", "/move", {"board": BOARD})
        problem(answer, 502)
        assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(("path", "greedy"), [("/move?board=.../.../...", "127.0.3.1"), ("/solve?pos=1", "127.0.3.5")])
def test_an_address_that_asks_too_much_gets_429_and_another_does_not_notice(limited, path, greedy):
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: ask(limited.port, "GET", path, source=greedy), range(150)))
    refused = [answer for answer in answers if answer.status != 200]
    assert answers[0].status == 200
    assert len(refused) >= 20
    told = problem(refused[0], 429)
    assert told["type"] == "/problems#too-many-requests"
    assert int(refused[0].headers["retry-after"]) > 0
    assert ask(limited.port, "GET", path, source="127.0.3.2").status == 200


def test_an_address_that_holds_too_many_connections_gets_429(limited):
    head = b"POST /move HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: 100\r\n"
    with contextlib.ExitStack() as stack:
        for _ in range(32):
            held = socket.create_connection(("127.0.0.1", limited.port), ANSWER_WITHIN_S, ("127.0.3.3", 0))
            stack.enter_context(held).sendall(head + b"Expect: 100-continue\r\n\r\n")
            assert held.recv(100).startswith(b"HTTP/1.1 100 "), "nginx has counted it"
        asked = partial(ask, limited.port, "POST", "/move", {"board": BOARD})
        problem(asked(source="127.0.3.3"), 429)
        assert asked(source="127.0.3.4").status == 200


class Unsteady(socketserver.TCPServer):
    """A server that answers every request with 200, or drops it while it is ``broken``."""

    def __init__(self) -> None:
        self.broken = False
        self.dropped = 0
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self.port = int(self.server_address[1])
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def finish_request(self, request: Any, client_address: Any) -> None:
        request.recv(65_536)
        if self.broken:
            self.dropped += 1
        else:
            request.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")


def test_failures_of_both_instances_one_after_the_other_cost_no_request():
    """What was lost a moment ago says nothing of now: an instance whose worker died has another one."""
    with Unsteady() as one, Unsteady() as other, proxy.started([one, other], unlimited=True) as running:
        for instance in (one, other):
            instance.broken = True
            for _ in range(12):
                assert ask(running.port, "POST", "/move", {"board": BOARD}).status == 200
            instance.broken = False
        one.shutdown()
        other.shutdown()
        assert min(one.dropped, other.dropped) >= 5


def kill_instance(server):
    os.killpg(server.process.pid, signal.SIGKILL)  # its own group: the master and its worker, and nothing else


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
    # One instance must have room for all players: what is refused for load would not be lost.
    settings = {"KINAROW_WORKERS": "1", "KINAROW_SEARCH_QUEUE": "12", "KINAROW_SEARCH_WAIT_MS": "20000"}
    boards = [f"{a}{b}{c}{d}" for a, b, c, d in itertools.product("1234567", repeat=4)]
    asked = [json.dumps({"game": "connect-four", "moves": moves, "max_nodes": 60_000}).encode() for moves in boards]
    with contextlib.ExitStack() as stack:
        settings["KINAROW_REDIS_URL"] = stack.enter_context(RedisServer.started()).url
        servers = [stack.enter_context(Server.started(**settings)) for _ in range(2)]
        running = stack.enter_context(proxy.started(servers, unlimited=True))
        with Load(running.port, clients=8, bodies=asked) as load:
            load.wait_for(40)
            lose(servers[1])
            load.wait_for(40)
        log = records(running)
    assert len(load.lost) <= 1, load.lost
    assert all(lost.startswith("IncompleteRead(0 bytes read") for lost in load.lost), load.lost
    retried = [each for each in log if ", " in each["instance"] and each["status"] == 200]
    assert retried or lose is not kill_instance, "nothing was in flight when it was killed: nothing was shown"
    assert len({each["instance"] for each in log if ", " not in each["instance"]}) == 2
