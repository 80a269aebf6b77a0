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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from tests.chaos.abuse import FAILED, PATIENCE_S, Abuse, Line, abuses, expensive, post
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


if __name__ == "__main__":
    sys.exit(main())
