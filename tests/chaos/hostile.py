"""A hostile run: broken and abusive requests by the ten thousand, while one user asks as ever and must notice little.

    python -m tests.chaos.hostile                     50,000 requests through the shipped proxy (needs nginx)
    python -m tests.chaos.hostile --direct            the same at the service itself; the user is only reported
    python -m tests.chaos.hostile --requests 5000 --rate 500

It starts what it needs on loopback and stops it again, and prints a report as JSON: times in milliseconds, memory in
bytes. It fails (exit code 1) when an answer is 5xx but for 503 with Retry-After, when a request that deserves an answer
gets none, when the user is refused or waits, at the 99th percentile, twice as long as in quiet, or when the service
holds more memory at the end than with every search under way before. Small caches are set and the tables of searches
filled before, so that what may be held for good is held by then.
"""

import argparse
import contextlib
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
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from tests.support import proxy
from tests.support.processes import memory
from tests.support.server import Server

ATTACKERS = 12
"""Connections at a time, each from an address of its own."""
SLOW = 24
"""More connections that send a byte a second all the while."""
USER_RATE = 20
"""Requests a second of the user; the shipped proxy allows an address 30."""
USER_LINES = 4
"""Connections that the user takes in turn, so that one late answer does not make the next ones late."""
PRIMED_BY = 8
PRIMED_FOR_S = 2
MOST_PRIMES = 8
PRIMED_GROWTH_BYTES = 4 * 1024 * 1024
REST_S = 3
"""After an attack, before memory is looked at."""
WARM_UP_SHARE = 0.2
MOST_TIMES_QUIET = 2.0
MOST_GROWTH_BYTES = 12 * 1024 * 1024
SMALL_CACHES = {"KINAROW_CACHE_BYTES": "500000"}
USER_BOARDS = ("X.O/.X./..O", "X../.O./...", "XO./.X./..O", ".../.X./...", "XOX/.O./...")


@dataclass
class Report:
    """What a run found: the answers to each kind of request, the user's times, and the memory of the service."""

    answers: dict[str, dict[str, int]] = field(default_factory=dict)
    quiet_p50: float = 0.0
    quiet_p99: float = 0.0
    attacked_p50: float = 0.0
    attacked_p99: float = 0.0
    user_requests: int = 0
    user_refused: dict[str, int] = field(default_factory=dict)
    memory_searching: int = 0
    memory_after_warm_up: int = 0
    memory_at_end: int = 0
    failures: list[str] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run once, print the report; 1 if anything failed."""
    parser = argparse.ArgumentParser(description="Broken and abusive requests beside a user who behaves.")
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--rate", type=float, default=600, help="hostile requests a second")
    parser.add_argument("--quiet", type=float, default=25, help="seconds of quiet before and after")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--primes", type=int, default=MOST_PRIMES, help="most rounds that fill tables before")
    parser.add_argument("--direct", action="store_true", help="at the service itself, past any proxy")
    given = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server.started(KINAROW_LOG_LEVEL="warning", **SMALL_CACHES))
        port = server.port if given.direct else stack.enter_context(proxy.started([server])).port
        report = run(server, port, given)
    print(json.dumps(asdict(report), indent=2))
    return 1 if report.failures else 0


def run(server: Server, port: int, given: argparse.Namespace) -> Report:
    """Quiet, a warm-up of the attack, the attack, quiet again; the user asks all the while."""
    report, seen = Report(memory_searching=prime(server, given.primes)), Counter[tuple[str, str]]()
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
            with noted(True):
                seen.update(attack(port, count, given.rate, seed))
            time.sleep(REST_S)
            report.memory_after_warm_up = report.memory_after_warm_up or memory(server)
        report.memory_at_end = memory(server)
        with noted(False):
            time.sleep(given.quiet)
        user.send("stop")
        taken, report.user_refused = user.recv()
    report.user_requests = len(taken)
    report.quiet_p50, report.quiet_p99 = _quantiles(taken, windows[False])
    report.attacked_p50, report.attacked_p99 = _quantiles(taken, windows[True])
    for (kind, answer), number in sorted(seen.items()):
        report.answers.setdefault(kind, {})[answer] = number
    report.failures = [*judge(report, given.requests, judge_user=not given.direct)]
    return report


def _quantiles(taken: list[tuple[float, float]], windows: list[tuple[float, float]]) -> tuple[float, float]:
    """The median and 99th percentile, in ms, of what was due within these windows."""
    times = sorted(1000 * seconds for due, seconds in taken if any(began <= due <= end for began, end in windows))
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[98]


def judge(report: Report, requests: int, *, judge_user: bool) -> Iterator[str]:
    """What is not as it must be."""
    for kind, answers in report.answers.items():
        for answer, number in answers.items():
            if answer.startswith(FAILED) or (answer.startswith("5") and answer != "503"):
                yield f"{number} x {answer} to {kind!r}"
    total = sum(number for answers in report.answers.values() for number in answers.values())
    if total != requests:
        yield f"{total} requests are accounted for, not {requests}"
    if report.user_refused:
        yield f"the user was not answered: {report.user_refused}"
    if judge_user and report.attacked_p99 > MOST_TIMES_QUIET * report.quiet_p99:
        yield f"the user's 99th percentile is {report.attacked_p99 / report.quiet_p99:.2f} of quiet"
    # Tables of searches are kept for the next one or freed as it comes, so between two moments of rest memory
    # may rise and fall by some hundred MiB; what was held while all searched at once is the most there may be.
    grown = report.memory_at_end - max(report.memory_searching, report.memory_after_warm_up)
    if grown > MOST_GROWTH_BYTES:
        yield f"memory grew by {grown / 2**20:.1f} MiB"


def prime(server: Server, most: int) -> int:
    """Let the service search all that is expensive until it holds no more each time; the most that it held."""
    held, steady = memory(server), 0
    highest = held
    for _ in range(most):
        for data in expensive(random.Random(0)):
            highest = max(highest, _ask_and_leave(server, data))
        before, held = held, memory(server)
        steady = steady + 1 if held - before < PRIMED_GROWTH_BYTES else 0
        if steady == 2:
            break
    return highest


def _ask_and_leave(server: Server, data: bytes) -> int:
    """Several at once who go away after a while; what the service held just before."""
    with contextlib.ExitStack() as stack:
        for _ in range(PRIMED_BY):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE_S))
            connection.sendall(data)
        time.sleep(PRIMED_FOR_S)
        return memory(server)


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


def attack(port: int, count: int, rate: float, seed: int) -> Counter[tuple[str, str]]:
    """Send ``count`` requests from another process; how often each result came for each kind."""
    with child(_attack, port, count, rate, seed) as attacker:
        return Counter(attacker.recv())


def _attack(report: Connection, port: int, count: int, rate: float, seed: int) -> None:
    """The process that attacks."""
    stop = threading.Event()
    slow = threading.Thread(target=_trickle, args=(port, stop))
    slow.start()
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
        found = Counter(itertools.chain.from_iterable(pool.map(offend, range(ATTACKERS))))
    stop.set()
    slow.join()
    report.send(found)


def _trickle(port: int, stop: threading.Event) -> None:
    """Connections that send a byte a second; one that is closed is opened anew."""
    lines: dict[int, socket.socket] = {}
    starts = (b"GET / HTTP/1.1\r\nX-Slow: ", post(b" " * 500)[:-450])
    while not stop.wait(1):
        for number in range(SLOW):
            try:
                if number in lines:
                    lines[number].sendall(b" ")
                else:
                    lines[number] = socket.create_connection(("127.0.0.1", port), 1, (f"127.0.9.{number + 1}", 0))
                    lines[number].sendall(starts[number % 2])
            except OSError:
                if number in lines:
                    lines.pop(number).close()
    for line in lines.values():
        line.close()


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
BODY_LIMIT = 65_536
"""KINAROW_MAX_BODY_BYTES unless it is set."""


@dataclass(frozen=True)
class Abuse:
    """One request.

    Attributes:
        kind: its name in reports.
        data: the bytes to send.
        read: whether the sender waits for an answer; else it breaks the connection off.
        may_be_silent: whether closing the connection without an answer is as good as an answer.
    """

    kind: str
    data: bytes
    read: bool = True
    may_be_silent: bool = False


def post(body: bytes, path: bytes = b"/move", headers: bytes = JSON) -> bytes:
    """A request with a body, well-formed as HTTP."""
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + headers + length + body


def get(path: bytes) -> bytes:
    """A request without one."""
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n"


def _bodies(choice: random.Random) -> Iterator[bytes]:
    """Bodies that are no JSON, or none that is taken."""
    yield b""
    yield b"{"
    yield b"\xff\xfe{\x00}\x00"
    yield b'{"board": NaN}'
    yield b'{"board": ["..."], "board": ["..."]}'
    yield b"[" * choice.randrange(17, 5000)
    yield b'{"goal": ' + b"9" * choice.randrange(21, 3000) + b"}"
    yield b'{"goal": 1e' + b"9" * 30 + b"}"
    yield b'"\\ud800"'
    yield bytes(choice.randrange(256) for _ in range(choice.randrange(1, 300)))


def _questions(choice: random.Random) -> Iterator[object]:
    """JSON that asks nothing that can be answered."""
    yield None
    yield []
    yield {"board": choice.choice([None, 3, {}, [], [[]], [""], "x" * 400])}
    yield {"board": ["X" * choice.randrange(26, 400)] * choice.randrange(1, 60), "goal": 5}
    yield {"board": ["XO.", ".X"], "goal": 3}
    yield {"board": ["XXX", "OOO", "..."]}
    yield {"board": ["...", "...", "..."], "goal": choice.choice([0, -1, 10**18, "3", True, 3.5, None])}
    yield {"board": ["...", "...", "..."], "max_nodes": choice.choice([0, -5, 10**19, "1"])}
    yield {"board": ["...", "...", "..."], "game": "chess"}
    yield {"board": ["...", "...", "..."], f"field{choice.randrange(10**9)}": 1}
    yield {"board": [["X", "<script>", "\u0000"], [".", ".", "."], [".", ".", "."]]}


def _broken(choice: random.Random) -> Iterator[bytes]:
    """Bytes that are no HTTP, or HTTP over its limits."""
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + choice.randbytes(100) + b"\r\n\r\n"
    yield b"GARBAGE\r\n\r\n"
    yield b"GET / HTTP/9.9\r\n" + HOST + b"\r\n"
    yield b"GET /" + b"a" * choice.randrange(9000, 20_000) + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    yield b"GET / HTTP/1.1\r\n" + HOST + b"A: " + b"a" * 40_000 + b"\r\n\r\n"
    yield b"GET / HTTP/1.1\r\n" + HOST + b"A: a\r\n" * 2000 + b"\r\n"
    yield b"POST /move HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: -1\r\n\r\n"
    yield b"POST /move HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"
    yield b"POST /move HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
    yield (
        b"POST /move HTTP/1.1\r\n"
        + HOST
        + JSON
        + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"
    )


def _elsewhere(choice: random.Random) -> Iterator[bytes]:
    """Paths and methods that are not there."""
    yield get(b"/../../etc/passwd")
    yield get(b"/web/%2e%2e/%2e%2e/settings.py")
    yield get(b"/" + bytes(choice.choices(range(33, 127), k=30)))
    yield get(b"/move?board=" + b"." * choice.randrange(1, 3000))
    yield get(b"/move?" + b"goal=3&" * 400)
    yield b"DELETE /move HTTP/1.1\r\n" + HOST + b"\r\n"
    yield b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n"
    yield post(b"x=1", headers=b"Content-Type: application/x-www-form-urlencoded\r\n")
    yield post(b"\x1f\x8b\x08", headers=JSON + b"Content-Encoding: gzip\r\n")


def expensive(choice: random.Random) -> Iterator[bytes]:
    """Valid questions that take as long as a question may."""
    stones = [choice.choices(".XO", weights=(8, 0, 0), k=25) for _ in range(25)]
    for mark in "XOXOXO":
        stones[choice.randrange(25)][choice.randrange(25)] = mark
    marks = sum(row.count("X") for row in stones), sum(row.count("O") for row in stones)
    side = "X" if marks[0] <= marks[1] else "O"
    large = {"board": ["".join(row) for row in stones], "goal": 5, "to_move": side, "max_nodes": 100_000_000}
    yield post(json.dumps(large).encode())
    yield post(json.dumps(large).encode(), b"/analysis")
    column = choice.randrange(8)
    bottom = "." * column + "X" + "." * (7 - column)
    wide = {"board": ["........"] * 6 + [bottom], "goal": 4, "gravity": True, "max_nodes": 100_000_000}
    yield post(json.dumps(wide).encode())


def _valid(choice: random.Random) -> bytes:
    """A harmless question, one of very many."""
    rows = ["".join(choice.choice("...XO") for _ in range(3)) for _ in range(3)]
    return post(json.dumps({"board": rows, "to_move": choice.choice("XO")}).encode())


def _oversized(choice: random.Random) -> bytes:
    """More than a body may have, said in advance and sent all the same."""
    return post(b'{"board": ["' + b"." * (BODY_LIMIT + choice.randrange(1, 30_000)) + b'"]}')


Maker = Callable[[random.Random], Abuse]


def _one_of(kind: str, make: Callable[[random.Random], Iterator[bytes]], may_be_silent: bool = False) -> Maker:
    return lambda choice: Abuse(kind, choice.choice(list(make(choice))), may_be_silent=may_be_silent)


KINDS: tuple[tuple[float, Maker], ...] = (
    (20, lambda choice: Abuse("no JSON", post(choice.choice(list(_bodies(choice)))))),
    (20, lambda choice: Abuse("no question", post(json.dumps(choice.choice(list(_questions(choice)))).encode()))),
    (15, _one_of("no HTTP, or too much", _broken, may_be_silent=True)),
    (12, _one_of("nothing there", _elsewhere)),
    (8, lambda choice: Abuse("too large", _oversized(choice), may_be_silent=True)),
    (10, lambda choice: Abuse("broken off", _valid(choice)[: -choice.randrange(1, 60)], read=False)),
    (8, lambda choice: Abuse("never read", _valid(choice), read=False)),
    (6, lambda choice: Abuse("harmless", _valid(choice))),
    (1, _one_of("expensive", expensive)),
)
"""Each kind with how many in a hundred are of it."""


def abuses(seed: int) -> Iterator[Abuse]:
    """Requests without end, the same for the same seed."""
    choice = random.Random(seed)
    makers = [maker for _, maker in KINDS]
    weights = [weight for weight, _ in KINDS]
    while True:
        yield choice.choices(makers, weights)[0](choice)


PATIENCE_S = 15
"""Within this an answer must come."""
EXPENSIVE_PATIENCE_S = 1
"""Whoever asks for the most expensive goes away after this."""
FAILED = "FAILED"
"""How what may not come of a request begins."""
SILENCE = "closed without an answer"
GAVE_UP = "did not wait for the answer"
BROKEN_OFF = "broken off as meant"


class Line:
    """A connection that is opened anew whenever the other side, or this one, has closed it.

    Args:
        address: host and port of the other side.
        source: the address that it comes from; any by default.
    """

    def __init__(self, address: tuple[str, int], source: str = "") -> None:
        self._address = address
        self._source = (source, 0) if source else None
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """Close it if it is open."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, abuse: Abuse) -> str:
        """Send one request: the status of its answer, or what else came of it, ``FAILED…`` where none may."""
        # On a connection that stood open silence may mean that it was closed just then: asked once more.
        for fresh in (self._socket is None, True):
            came = self._once(abuse)
            if came != SILENCE or fresh:
                break
        if came == SILENCE and not abuse.may_be_silent:
            return f"{FAILED}: {SILENCE}"
        return came

    def _once(self, abuse: Abuse) -> str:
        try:
            if self._socket is None:
                self._socket = socket.create_connection(self._address, PATIENCE_S, self._source)
            self._socket.settimeout(EXPENSIVE_PATIENCE_S if abuse.kind == "expensive" else PATIENCE_S)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                # The other side may refuse, and close, before it has read all of it.
                self._socket.sendall(abuse.data)
            if not abuse.read:
                self.close()
                return BROKEN_OFF
            answer = read_answer(self._socket)
        except TimeoutError:
            self.close()
            return GAVE_UP if abuse.kind == "expensive" else f"{FAILED}: no answer within {PATIENCE_S} s"
        except (ConnectionResetError, ConnectionAbortedError, BrokenPipeError):
            self.close()
            return SILENCE
        if answer is None:
            self.close()
            return SILENCE
        if answer.closes:
            self.close()
        if answer.status == 503 and not answer.retry_after:
            return f"{FAILED}: 503 without Retry-After"
        # Where silence would do, so does a server's own page: nginx has no other for one kind, a body in
        # chunks that are none of a request that it refuses for another reason.
        if answer.status >= 400 and not answer.is_problem and not abuse.may_be_silent:
            return f"{FAILED}: {answer.status} that is no problem+json"
        return str(answer.status)


@dataclass(frozen=True)
class Read:
    """What matters of an answer."""

    status: int
    closes: bool
    retry_after: bool
    is_problem: bool


def read_answer(connection: socket.socket) -> Read | None:
    """One whole answer, or None where the connection ended without one."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65_536)
        if not piece:
            return None
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    lower = head.lower()
    length = int(_header(lower, b"content-length") or 0)
    while len(body) < length:
        piece = connection.recv(65_536)
        if not piece:
            return None
        body += piece
    return Read(
        int(head.split(b" ", 2)[1]),
        b"connection: close" in lower,
        bool(_header(lower, b"retry-after")),
        _header(lower, b"content-type").startswith(b"application/problem+json"),
    )


def is_whole_ok(received: bytes | bytearray) -> bool:
    """Whether these bytes are a whole answer, for those who ask without waiting.

    Raises:
        RuntimeError: it is not 200.
    """
    head, found, body = received.partition(b"\r\n\r\n")
    if not found:
        return False
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"wrong answer: {bytes(head)!r}")
    return len(body) >= int(_header(bytes(head).lower(), b"content-length"))


def _header(head: bytes, name: bytes) -> bytes:
    """A header's value in a head in lower case, or nothing."""
    return head.partition(b"\r\n" + name + b":")[2].partition(b"\r\n")[0].strip()


if __name__ == "__main__":
    sys.exit(main())
