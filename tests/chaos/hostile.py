"""A hostile run: broken and abusive requests by the ten thousand, while one user asks as ever and must notice little.

    python -m tests.chaos.hostile                     50,000 requests through the shipped proxy (needs nginx)
    python -m tests.chaos.hostile --direct            the same at the service itself; the user is only reported
    python -m tests.chaos.hostile --requests 5000 --rate 500

It starts what it needs on loopback and stops it again, and prints a report as JSON: times in milliseconds, memory in
bytes. It fails (exit code 1) when an answer is 5xx but for 503 with Retry-After, when a request that deserves an answer
gets none, when the user is refused or waits, at the 99th percentile, twice as long as in quiet, or when the service
holds more memory at the end than after a fifth of the attack.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import multiprocessing
import random
import socket
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from tests.support import proxy
from tests.support.processes import memory
from tests.support.server import Server

ATTACKERS = 12
"""Connections at a time, each from an address of its own."""
USER_RATE = 20
"""Requests a second of the user; the shipped proxy allows an address 30."""
USER_LINES = 4
"""Connections that the user takes in turn, so that one late answer does not make the next ones late."""
REST_S = 3
"""After an attack, before memory is looked at."""
WARM_UP_SHARE = 0.2
MOST_TIMES_QUIET = 2.0
MOST_GROWTH_BYTES = 12 * 1024 * 1024
SMALL_CACHES = {"KINAROW_CACHE_BYTES": "500000"}
USER_BOARDS = ("X.O/.X./..O", "X../.O./...", "XO./.X./..O", ".../.X./...", "XOX/.O./...")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run once, print the report; 1 if anything failed."""
    parser = argparse.ArgumentParser(description="Broken and abusive requests beside a user who behaves.")
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--rate", type=float, default=600, help="hostile requests a second")
    parser.add_argument("--quiet", type=float, default=25, help="seconds of quiet before and after")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--direct", action="store_true", help="at the service itself, past any proxy")
    given = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server.started(KINAROW_LOG_LEVEL="warning", **SMALL_CACHES))
        port = server.port if given.direct else stack.enter_context(proxy.started([server])).port
        report = run(server, port, given)
    report["failures"] = [*judge(report, given.requests, judge_user=not given.direct)]
    print(json.dumps(report, indent=2))
    return 1 if report["failures"] else 0


def run(server: Server, port: int, given: argparse.Namespace) -> dict[str, Any]:
    """Quiet, a warm-up of the attack, the attack, quiet again; the user asks all the while."""
    seen, held = Counter[tuple[str, str]](), []
    windows: dict[bool, list[tuple[float, float]]] = {False: [], True: []}

    @contextlib.contextmanager
    def noted(attacked: bool) -> Iterator[None]:
        began = time.monotonic()
        yield
        windows[attacked].append((began, time.monotonic()))

    warm_up = int(given.requests * WARM_UP_SHARE)
    with child(_user, port) as user:
        assert user.recv() == "asking"
        with noted(False):
            time.sleep(given.quiet)
        for count, seed in ((warm_up, given.seed), (given.requests - warm_up, given.seed + 1000)):
            with noted(True), child(_attack, port, count, given.rate, seed) as attacker:
                seen.update(attacker.recv())
            time.sleep(REST_S)
            held.append(memory(server))
        with noted(False):
            time.sleep(given.quiet)
        user.send("stop")
        taken, refused = user.recv()
    answers: dict[str, dict[str, int]] = {}
    for (kind, answer), number in sorted(seen.items()):
        answers.setdefault(kind, {})[answer] = number
    quiet, attacked = (_quantiles(taken, windows[each]) for each in (False, True))
    return {
        "answers": answers, "user_requests": len(taken), "user_refused": refused,
        "quiet_p50": quiet[0], "quiet_p99": quiet[1], "attacked_p50": attacked[0], "attacked_p99": attacked[1],
        "memory_after_warm_up": held[0], "memory_at_end": held[1],
    }  # fmt: skip


def _quantiles(taken: list[tuple[float, float]], windows: list[tuple[float, float]]) -> tuple[float, float]:
    """The median and 99th percentile, in ms, of what was due within these windows."""
    times = sorted(1000 * seconds for due, seconds in taken if any(began <= due <= end for began, end in windows))
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[98]


def judge(report: dict[str, Any], requests: int, *, judge_user: bool) -> Iterator[str]:
    """What is not as it must be."""
    for kind, answers in report["answers"].items():
        for answer, number in answers.items():
            if answer.startswith(FAILED) or (answer.startswith("5") and answer != "503"):
                yield f"{number} x {answer} to {kind!r}"
    total = sum(number for answers in report["answers"].values() for number in answers.values())
    if total != requests:
        yield f"{total} requests are accounted for, not {requests}"
    if report["user_refused"]:
        yield f"the user was not answered: {report['user_refused']}"
    if judge_user and report["attacked_p99"] > MOST_TIMES_QUIET * report["quiet_p99"]:
        yield f"the user's 99th percentile is {report['attacked_p99'] / report['quiet_p99']:.2f} of quiet"
    grown = report["memory_at_end"] - report["memory_after_warm_up"]
    if grown > MOST_GROWTH_BYTES:
        yield f"memory grew by {grown / 2**20:.1f} MiB"


@contextlib.contextmanager
def child(target: Any, *arguments: Any) -> Iterator[Connection]:
    """A process of its own that runs a function; the pipe to it, whose other end is the function's first argument."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, *arguments), daemon=True)
    process.start()
    there.close()  # a process that is gone closes its end: ``recv`` then raises EOFError rather than waiting for ever
    try:
        yield here
    finally:
        here.close()
        process.join(PATIENCE_S)
        process.kill()


def _attack(report: Connection, port: int, count: int, rate: float, seed: int) -> None:
    """Attack from a process of its own, and report how often each kind of request got each result."""
    shares = [count // ATTACKERS + (number < count % ATTACKERS) for number in range(ATTACKERS)]

    def offend(number: int) -> list[tuple[str, str]]:
        """One address: its share of the requests, no faster than its share of the rate."""
        line, began, found = Line(("127.0.0.1", port), f"127.0.7.{number + 1}"), time.monotonic(), []
        for index, abuse in enumerate(itertools.islice(abuses(seed * ATTACKERS + number), shares[number])):
            time.sleep(max(0.0, began + index * ATTACKERS / rate - time.monotonic()))
            found.append((abuse.kind, line.send(abuse)))
        line.close()
        return found

    with ThreadPoolExecutor(ATTACKERS) as pool:
        report.send(Counter(itertools.chain.from_iterable(pool.map(offend, range(ATTACKERS)))))


def _user(report: Connection, port: int) -> None:
    """Someone who asks at a steady rate; an answer that is late delays no other's clock.

    Once told to stop it tells when each request was due with the seconds to its answer, and what came but 200.
    """
    requests = [Abuse("user", post(json.dumps({"board": board}).encode())) for board in USER_BOARDS]
    taken: list[tuple[float, float]] = []
    refused: Counter[str] = Counter()
    stop = threading.Event()
    lines = [Line(("127.0.0.1", port), "127.0.8.1") for _ in range(USER_LINES)]
    for line, request in itertools.product(lines, requests):
        line.send(request)
    began = time.monotonic()

    def ask(number: int, line: Line) -> None:
        due = began + number / USER_RATE
        for request in itertools.cycle(requests):
            if stop.wait(max(0.0, due - time.monotonic())):
                return
            came = line.send(request)
            if came != "200":
                refused[came] += 1
            taken.append((due, time.monotonic() - due))
            due += USER_LINES / USER_RATE

    with ThreadPoolExecutor(USER_LINES) as pool:
        for pair in enumerate(lines):
            pool.submit(ask, *pair)
        report.send("asking")
        report.recv()
        stop.set()
    report.send((taken, dict(refused)))


HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
MOVE = b"POST /move HTTP/1.1\r\n" + HOST + JSON
BODY_LIMIT = 65_536
"""KINAROW_MAX_BODY_BYTES unless it is set."""


def post(body: bytes, path: bytes = b"/move", headers: bytes = JSON) -> bytes:
    """A request with a body, well-formed as HTTP."""
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + headers + length + body


def get(path: bytes) -> bytes:
    """A request without one."""
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n"


def _no_json(choice: random.Random) -> list[bytes]:
    bodies = [
        b"",
        b"{",
        b"\xff\xfe{\x00}\x00",
        b'{"board": NaN}',
        b'{"board": ["..."], "board": ["..."]}',
        b'"\\ud800"',
    ]
    bodies += [b"[" * choice.randrange(17, 5000), b'{"goal": ' + b"9" * choice.randrange(21, 3000) + b"}"]
    return [*map(post, [*bodies, choice.randbytes(300)])]


def _no_question(choice: random.Random) -> list[bytes]:
    board = ["...", "...", "..."]
    asked: list[object] = [None, [], {"board": choice.choice([None, 3, {}, [], [[]], [""], "x" * 400])}]
    asked += [{"board": ["X" * choice.randrange(26, 400)] * choice.randrange(1, 60), "goal": 5}]
    asked += [{"board": each} for each in (["XO.", ".X"], ["XXX", "OOO", "..."], [["X", "<script>", "\u0000"]] * 3)]
    asked += [{"board": board, "goal": choice.choice([0, -1, 10**18, "3", True, 3.5, None])}]
    asked += [{"board": board, "max_nodes": choice.choice([0, -5, 10**19, "1"])}]
    asked += [{"board": board, "game": "chess"}, {"board": board, f"field{choice.randrange(10**9)}": 1}]
    return [post(json.dumps(each).encode()) for each in asked]


def _no_http(choice: random.Random) -> list[bytes]:
    return [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + choice.randbytes(100) + b"\r\n\r\n",
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/9.9\r\n" + HOST + b"\r\n",
        get(b"/" + b"a" * choice.randrange(9000, 20_000)),
        get(b"/")[:-2] + b"A: " + b"a" * 40_000 + b"\r\n\r\n",
        get(b"/")[:-2] + b"A: a\r\n" * 2000 + b"\r\n",
        MOVE + b"Content-Length: -1\r\n\r\n",
        MOVE + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
        MOVE + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        MOVE + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get(b"/smuggled"),
    ]


def _nothing_there(choice: random.Random) -> list[bytes]:
    paths = [
        b"/../../etc/passwd",
        b"/web/%2e%2e/%2e%2e/settings.py",
        b"/" + bytes(choice.choices(range(33, 127), k=30)),
    ]
    paths += [b"/move?board=" + b"." * choice.randrange(1, 3000), b"/move?" + b"goal=3&" * 400]
    others = [method + b" /move HTTP/1.1\r\n" + HOST + b"\r\n" for method in (b"DELETE", b"TRACE")]
    others += [post(b"x=1", headers=b"Content-Type: application/x-www-form-urlencoded\r\n")]
    return [*map(get, paths), *others, post(b"\x1f\x8b\x08", headers=JSON + b"Content-Encoding: gzip\r\n")]


def _too_large(choice: random.Random) -> list[bytes]:
    """More than a body may have, said in advance and sent all the same."""
    return [post(b'{"board": ["' + b"." * (BODY_LIMIT + choice.randrange(1, 30_000)) + b'"]}')]


def _harmless(choice: random.Random) -> list[bytes]:
    """One of very many questions."""
    rows = ["".join(choice.choice("...XO") for _ in range(3)) for _ in range(3)]
    return [post(json.dumps({"board": rows, "to_move": choice.choice("XO")}).encode())]


def _broken_off(choice: random.Random) -> list[bytes]:
    return [_harmless(choice)[0][: -choice.randrange(1, 60)]]


KINDS: dict[str, tuple[int, Callable[[random.Random], list[bytes]]]] = {
    "no JSON": (20, _no_json), "no question": (20, _no_question), "no HTTP, or too much": (15, _no_http),
    "nothing there": (13, _nothing_there), "too large": (8, _too_large), "broken off": (10, _broken_off),
    "never read": (8, _harmless), "harmless": (6, _harmless),
}  # fmt: skip
"""Each kind with how many in a hundred are of it."""
LEFT = ("broken off", "never read")
"""Kinds whose senders wait for no answer."""
MAY_BE_SILENT = ("no HTTP, or too much", "too large")
"""Kinds for which closing the connection, or a server's own page, is as good as a problem: nginx has no other for one
kind, a body in chunks that are none of a request that it refuses for another reason."""


class Abuse(NamedTuple):
    """One request: its kind, which is its name in reports, and the bytes to send."""

    kind: str
    data: bytes


def abuses(seed: int) -> Iterator[Abuse]:
    """Requests without end, the same for the same seed."""
    choice = random.Random(seed)
    while True:
        (kind,) = choice.choices([*KINDS], [weight for weight, _ in KINDS.values()])
        yield Abuse(kind, choice.choice(KINDS[kind][1](choice)))


PATIENCE_S = 15
"""Within this an answer must come."""
FAILED = "FAILED"
"""How what may not come of a request begins."""
SILENCE = "closed without an answer"


class Line:
    """A connection that is opened anew whenever the other side, or this one, has closed it; ``source`` is its address.

    ``send`` sends one request: the status of its answer, or what else came of it, ``FAILED…`` where none may.
    """

    def __init__(self, address: tuple[str, int], source: str) -> None:
        self._address, self._source = address, (source, 0)
        self._socket: socket.socket | None = None

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, abuse: Abuse) -> str:
        # On a connection that stood open silence may mean that it was closed just then: asked once more.
        for fresh in (self._socket is None, True):
            came = self._once(abuse)
            if came != SILENCE or fresh:
                break
        return f"{FAILED}: {SILENCE}" if came == SILENCE and abuse.kind not in MAY_BE_SILENT else came

    def _once(self, abuse: Abuse) -> str:
        try:
            if self._socket is None:
                self._socket = socket.create_connection(self._address, PATIENCE_S, self._source)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                # The other side may refuse, and close, before it has read all of it.
                self._socket.sendall(abuse.data)
            if abuse.kind in LEFT:
                self.close()
                return "left as meant"
            answer = http.client.HTTPResponse(self._socket)
            answer.begin()
            answer.read()
        except TimeoutError:
            self.close()
            return f"{FAILED}: no answer within {PATIENCE_S} s"
        except (ConnectionError, http.client.HTTPException):
            self.close()
            return SILENCE
        if answer.will_close:
            self.close()
        if answer.status == 503 and not answer.getheader("Retry-After"):
            return f"{FAILED}: 503 without Retry-After"
        is_problem = answer.getheader("Content-Type", "").startswith("application/problem+json")
        if answer.status >= 400 and not is_problem and abuse.kind not in MAY_BE_SILENT:
            return f"{FAILED}: {answer.status} that is no problem+json"
        return str(answer.status)


if __name__ == "__main__":
    sys.exit(main())
