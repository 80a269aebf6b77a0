"""Clients that are slow, silent or gone take nothing from others, without any proxy in front."""

import contextlib
import json
import os
import re
import selectors
import signal
import socket
import statistics
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.support import faults
from tests.support.load import BOARDS, Load
from tests.support.machine import crowding
from tests.support.processes import workers
from tests.support.server import Server

RECEIVE_S = 1.0
OPEN_FILES = 200
"""So few that there is room for a hundred connections."""
ATTACKERS = 60
"""Many times the threads of the server."""

HEAD = b"POST /move HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
BODY = b'{"board": "X.O/.X./..O", "to_move": "X"}'
SLOW_MS = 250
"""What an answer from memory may take on a crowded machine; a held thread costs a second and more."""


@pytest.fixture(scope="module")
def server():
    limits = {"KINAROW_RECEIVE_S": str(RECEIVE_S), "KINAROW_SEND_S": str(RECEIVE_S)}
    command = ("sh", "-c", f'ulimit -n {OPEN_FILES}; exec "$0" -m service.cli serve', sys.executable)
    with Server.started(command, KINAROW_WORKERS="1", KINAROW_THREADS="2", **limits) as running:
        # With so few threads two searches at once are one too many: what the load asks is known before.
        for board in BOARDS * 2:
            running.post("/move", board)
        yield running


def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=30)


def switches(server):
    """How often all threads of the worker but its main one have gone to sleep, together."""
    (worker,) = workers(server)
    others = [task for task in Path(f"/proc/{worker}/task").iterdir() if task.name != str(worker)]
    line = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)", re.MULTILINE)
    return sum(int(line.findall((task / "status").read_text())[0]) for task in others)


def read_all(sock):
    data = b""
    with contextlib.suppress(ConnectionError):
        while piece := sock.recv(65536):
            data += piece
    return data


class Crowd:
    """Clients that ask what is remembered as fast as one thread can, in a ``with`` block.

    Args:
        port: of the server.
        clients: how many have a question under way at any time.
        keep_alive: whether each goes on with its connection, or comes on a new one for each question.

    Attributes:
        answered: how many questions were.
        lost: how many were not, though their connection was accepted.
    """

    def __init__(self, port, clients, *, keep_alive):
        self.answered = self.lost = 0
        self._address, self._keep_alive = ("127.0.0.1", port), keep_alive
        self._request = remembered(b"" if keep_alive else b"Connection: close\r\n")
        self._selector = selectors.DefaultSelector()
        self._over = threading.Event()
        for _ in range(clients):
            self._come()
        self._thread = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join(30)
        for key in tuple(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def wait_until_refused(self):
        """Until nobody is left whose connection was accepted."""
        self._thread.join(30)

    def _come(self):
        with contextlib.suppress(ConnectionRefusedError):
            sock = socket.create_connection(self._address, timeout=30)
            sock.sendall(self._request)
            self._selector.register(sock, selectors.EVENT_READ, [b""])

    def _ask(self):
        while self._selector.get_map() and not self._over.is_set():
            for key, _ in self._selector.select(1):
                self._on_answer(key.fileobj, key.data)

    def _on_answer(self, sock, come):
        with contextlib.suppress(ConnectionError):
            if piece := sock.recv(65536):
                come[0] += piece
                if self._keep_alive:
                    self.answered += 1
                    sock.sendall(self._request)
                return
        self._selector.unregister(sock)
        sock.close()
        if come[0].startswith(b"HTTP/1.1 200 OK") and come[0].endswith(b"}\n"):
            self.answered += 1
        else:
            self.lost += 1
        self._come()


def remembered(headers=b""):
    """A whole request that the server has answered before."""
    return HEAD + headers + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


def teach(server):
    """Have the server remember its answer: a question is remembered from its second time on."""
    for _ in range(3):
        server.post("/move", BODY)


def split(answer):
    """Status and body of an answer as it came."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def besieged(server, name, attack, attackers=ATTACKERS, burst_s=0.0):
    """Run attackers for some seconds beside a load; enter what the load has lost.

    Args:
        server: who is attacked.
        name: of the fault.
        attack: what each attacker does.
        attackers: how many there are.
        burst_s: how long the attackers are busy honestly, before they begin to hold on to something.
    """
    over = threading.Event()
    threads = [threading.Thread(target=attack, args=(server, over), daemon=True) for _ in range(attackers)]
    with Load(server.port, clients=2) as load:
        load.wait_for(20)
        for thread in threads:
            thread.start()
        time.sleep(burst_s)
        before = len(load.seconds)
        time.sleep(RECEIVE_S + 1.5)
        load.stop()
    over.set()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    beside = load.seconds[before:]
    faults.report(name, load.sent, len(load.lost), None)
    assert load.lost == [], load.lost
    assert len(beside) > 50 / crowding()
    assert statistics.quantiles(beside, n=100)[98] * 1000 < SLOW_MS * crowding()
    assert server.get("/healthz").status == 200


def trickle(sock, data, over, gap_s=0.1):
    """Send a byte now and then until all is sent, the other side has had enough, or the test is over."""
    with contextlib.suppress(OSError):
        for place in range(len(data)):
            if over.wait(gap_s):
                return
            sock.send(data[place : place + 1])


def test_headers_a_byte_at_a_time_hold_up_nobody(server):
    def attack(server, over):
        with connect(server) as sock:
            trickle(sock, HEAD * 100, over)

    besieged(server, "60 clients send headers a byte at a time", attack)


def test_bodies_a_byte_at_a_time_hold_up_nobody(server):
    def attack(server, over):
        with connect(server) as sock:
            sock.sendall(HEAD + b"Content-Length: 60000\r\n\r\n")
            trickle(sock, b"x" * 60000, over)

    besieged(server, "60 clients send a body a byte at a time", attack)


@pytest.mark.slow
def test_chunks_a_byte_at_a_time_hold_up_nobody(server):
    def attack(server, over):
        with connect(server) as sock:
            sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
            trickle(sock, b"1\r\nx\r\n" * 10_000, over)

    besieged(server, "60 clients send chunks a byte at a time", attack)


@pytest.mark.slow
def test_connections_on_which_nothing_is_sent_hold_up_nobody(server):
    def attack(server, over):
        with connect(server):
            over.wait(30)

    besieged(server, "60 clients connect and say nothing", attack)


def test_clients_that_never_read_hold_up_nobody(server):
    def attack(server, over):
        with connect(server) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.settimeout(0.2)
            with contextlib.suppress(OSError):
                while not over.is_set():
                    sock.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n" * 100)
            over.wait(30)

    besieged(server, "12 clients ask for much and never read", attack, attackers=12, burst_s=2.0)


@pytest.mark.slow
def test_clients_that_do_not_close_hold_up_nobody(server):
    def attack(server, over):
        while not over.is_set():
            with connect(server) as sock:
                sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                over.wait(1.0)

    besieged(server, "60 clients get an answer and do not close", attack)


def test_where_there_are_too_many_connections_the_one_that_has_waited_longest_makes_room(server):
    """Twice as many as there is room for, on which nothing comes: everybody else is answered, again and again."""
    with contextlib.ExitStack() as stack:
        for _ in range(OPEN_FILES):
            stack.enter_context(connect(server))
        started = time.monotonic()
        for _ in range(20):
            assert server.get("/healthz").status == 200
        assert time.monotonic() - started < 5 * crowding()
        with connect(server) as sock:
            sock.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY))
            time.sleep(0.1)
            sock.sendall(BODY)
            assert split(read_all(sock))[0] == 200
    assert "Traceback" not in server.log


def test_a_request_that_comes_too_slowly_is_told_so(server):
    with connect(server) as sock:
        sock.sendall(HEAD)
        started = time.monotonic()
        status, body = split(read_all(sock))
        assert RECEIVE_S - 0.5 < time.monotonic() - started < RECEIVE_S + 10 * crowding()
    problem = json.loads(body)
    assert (status, problem["status"], problem["type"]) == (408, 408, "/problems#too-slow")


def test_a_connection_on_which_nothing_comes_is_closed_without_a_word(server):
    with connect(server) as sock:
        assert read_all(sock) == b""


def test_a_client_that_has_closed_its_half_after_a_quick_question_gets_its_answer(server):
    with connect(server) as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        sock.shutdown(socket.SHUT_WR)
        assert split(read_all(sock))[0] == 200


def test_half_a_request_and_a_closed_half_end_quietly(server):
    with connect(server) as sock:
        sock.sendall(HEAD + b"Content-Length: 100\r\n\r\nhalf")
        sock.shutdown(socket.SHUT_WR)
        assert read_all(sock) == b""
    assert server.get("/healthz").status == 200


def test_a_request_in_two_pieces_is_answered(server):
    with connect(server) as sock:
        sock.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY))
        time.sleep(0.2)
        sock.sendall(BODY)
        status, body = split(read_all(sock))
    assert status == 200
    assert json.loads(body)["move"]["tile"] == 6


def test_a_body_in_chunks_is_answered(server):
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (BODY[:7], BODY[7:])) + b"0\r\n\r\n"
    with connect(server) as sock:
        sock.sendall(HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        status, body = split(read_all(sock))
    assert status == 200
    assert json.loads(body)["move"]["tile"] == 6


def test_requests_sent_one_after_another_without_waiting_are_answered_in_order(server):
    with connect(server) as sock:
        one = b"GET /move?board=X.O/.X./..O&to_move=X HTTP/1.1\r\nHost: a\r\nX-Request-ID: %d\r\n%s\r\n"
        sock.sendall(b"".join(one % (i, b"" if i < 9 else b"Connection: close\r\n") for i in range(10)))
        answers = read_all(sock)
    ids = [
        line.split(b": ")[1] for line in answers.split(b"\r\n") if line.lower().startswith(b"x-request-id")
    ]
    assert ids == [b"%d" % i for i in range(10)]
    assert answers.count(b"HTTP/1.1 200 OK") == 10


def test_a_remembered_answer_needs_no_thread(server):
    """Whether it comes as a whole or the body after the head."""
    teach(server)
    time.sleep(0.1)
    before = switches(server)
    head, _, body = remembered(b"Connection: close\r\n").partition(b"\r\n\r\n")
    for number in range(200):
        with connect(server) as sock:
            sock.sendall(head + b"\r\n\r\n")
            if number % 10 == 0:
                time.sleep(0.005)
            sock.sendall(body)
            assert split(read_all(sock))[0] == 200
    after = switches(server)
    # The thread that writes the counts wakes once a second.
    assert after - before < 100
    # It does notice threads that answer, of which one may have no time to sleep where the machine is crowded.
    for _ in range(200):
        assert server.get("/healthz").status == 200
    assert switches(server) - after >= 100


def test_remembered_questions_without_waiting_for_answers_get_them_all(server):
    teach(server)
    with connect(server) as sock:
        sock.sendall(300 * remembered() + remembered(b"Connection: close\r\n"))
        assert read_all(sock).count(b"HTTP/1.1 200 OK") == 301


@pytest.mark.parametrize(
    "head",
    [
        HEAD,
        HEAD.replace(b"1.1", b"1.0"),
        HEAD.replace(b"application/json", b"text/plain"),
        HEAD + b"Content-Encoding: gzip\r\n",
        HEAD + b"Expect: 100-continue\r\n",
        HEAD + b"Expect: much\r\n",
        HEAD + b"Content-Length: 3\r\n",
        HEAD + b"Transfer-Encoding: identity\r\n",
        HEAD + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        HEAD + b"SCRIPT_NAME: /mo\r\n",
        HEAD + b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    ],
    ids=lambda head: head.split(b"\r\n")[-2].decode() if head != HEAD else "plain",
)
def test_the_main_loop_says_what_a_thread_says(server, head):
    """What is sent behind another request without waiting is answered by a thread."""
    teach(server)
    head += b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY)
    answers = []
    for before in (b"", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"):
        with connect(server) as sock:
            sock.sendall(before + head + BODY)
            come = read_all(sock)
        answers.append(come[come.index(b"HTTP/1.", 1) :] if before else come)
    own = re.compile(rb"(Date|X-Request-ID): [^\r]*")
    assert answers[0].startswith(b"HTTP/1.")
    assert own.sub(b"", answers[0]) == own.sub(b"", answers[1])


def test_newcomers_wait_no_longer_than_who_is_connected(server):
    """Counted in answers that busy clients get meanwhile: one for each of these was the fault, a second and more."""
    teach(server)
    known = newcomers = 40
    with Crowd(server.port, known, keep_alive=True) as busy, contextlib.ExitStack() as stack:
        time.sleep(0.5)
        before = busy.answered
        sockets = [stack.enter_context(connect(server)) for _ in range(newcomers)]
        for sock in sockets:
            sock.sendall(remembered(b"Connection: close\r\n"))
        for sock in sockets:
            assert split(read_all(sock))[0] == 200
        assert busy.answered - before < known * newcomers / 3


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (HEAD, b"x"),
        (b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    ],
    ids=["while it was sending a request", "while it sent the next request"],
)
def test_who_makes_room_just_as_it_sends_something_ends_nothing(server, first, then):
    """The worker sleeps until both have happened, so that it sees them at once."""
    (worker,) = workers(server)
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(connect(server)) for _ in range(OPEN_FILES // 2)]
        for sock in sockets:
            sock.sendall(first)
        time.sleep(0.3)
        os.kill(worker, signal.SIGSTOP)
        try:
            for _ in range(3):
                stack.enter_context(connect(server)).sendall(first)
            for sock in sockets:
                with contextlib.suppress(ConnectionError):
                    sock.sendall(then)
        finally:
            os.kill(worker, signal.SIGCONT)
        assert server.get("/healthz").status == 200
    assert workers(server) == [worker]


def test_a_worker_stops_though_newcomers_never_stop():
    with Server.started(
        KINAROW_WORKERS="1", KINAROW_LOG_LEVEL="warning", KINAROW_MAX_TIME_MS="1000"
    ) as server:
        teach(server)
        with Crowd(server.port, 300, keep_alive=False) as crowd:
            time.sleep(0.5)
            assert crowd.answered > 0
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(30) == 0
            crowd.wait_until_refused()
        assert crowd.lost == 0


def test_no_header_says_where_the_app_is_mounted(server):
    with connect(server) as sock:
        sock.sendall(
            b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\nSCRIPT_NAME: /x\r\nPATH_INFO: /y\r\n\r\n"
        )
        assert split(read_all(sock))[0] == 200


def test_who_expects_a_go_ahead_gets_one(server):
    with connect(server) as sock:
        sock.sendall(
            HEAD + b"Connection: close\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(BODY)
        )
        assert sock.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(BODY)
        assert split(read_all(sock))[0] == 200


def test_a_body_that_is_too_long_is_refused_without_being_read(server):
    with connect(server) as sock:
        started = time.monotonic()
        sock.sendall(HEAD + b"Content-Length: 100000000\r\n\r\n")
        status, body = split(read_all(sock))
    assert (status, json.loads(body)["status"]) == (413, 413)
    assert time.monotonic() - started < RECEIVE_S * crowding()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n", 400),
        (b"POST /move HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", 400),
        (b"POST /move HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nExpect: much\r\n\r\n", 417),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nA: " + b"b" * 70_000, 431),
        (b"POST /move HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        (b"POST /move HTTP/1.1\r\nTransfer-Encoding: none-known\r\n\r\n", 501),
        (b"POST /move HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n", 413),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_read_is_a_problem_like_any_other(server, sent, status):
    with connect(server) as sock:
        sock.sendall(sent)
        answer = read_all(sock)
    head, _, body = answer.partition(b"\r\n\r\n")
    problem = json.loads(body)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert (problem["status"], problem["instance"]) == (status, "/")
    assert problem["type"].startswith("/problems#")
    lines = head.lower().split(b"\r\n")
    assert b"content-type: application/problem+json" in lines
    assert b"connection: close" in lines
    (request_id,) = [line.split(b": ")[1].decode() for line in lines if line.startswith(b"x-request-id")]
    deadline = time.monotonic() + 10
    while request_id not in server.log and time.monotonic() < deadline:
        time.sleep(0.02)
    assert request_id in server.log


@pytest.mark.parametrize(
    ("sent", "returned"),
    [
        (b"X-Request-ID: mine-7\r\n", b"mine-7"),
        (b"X-Request-ID: a\r\nX-Request-ID: b\r\n", None),
        (b"X-Request-ID: " + b"a" * 5000 + b"\r\n", None),
        (b"X-Request-ID: \xff\xfe\r\n", None),
        (b'X-Request-ID: a","level":"error\r\n', None),
        (b"X-Request-ID: <script>\r\n", None),
    ],
    ids=["plain", "two", "long", "not ASCII", "JSON", "HTML"],
)
def test_no_request_id_does_harm_to_the_answer_or_the_log(server, sent, returned):
    with connect(server) as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + sent + b"\r\n")
        answer = read_all(sock)
    assert split(answer)[0] == 200
    (own,) = [line[14:] for line in answer.split(b"\r\n") if line.lower().startswith(b"x-request-id: ")]
    assert own == returned if returned else len(own) == 16
    assert all(json.loads(line) for line in server.log.splitlines() if line.startswith("{"))
