"""A hostile run: broken and abusive requests by the ten thousand, while one user asks as ever and must notice little.

    python -m tests.chaos.hostile                     50,000 requests through the shipped proxy (needs nginx)
    python -m tests.chaos.hostile --direct            the same at the service itself; the user is only reported
    python -m tests.chaos.hostile --requests 5000 --rate 500

It starts what it needs on loopback and stops it again. It fails (exit code 1) when an answer is 5xx but for
503 with Retry-After, when a request that deserves an answer gets none, when the user is refused or waits, at
the 99th percentile, twice as long as in quiet, or when the service holds more memory at the end than with
every search under way before. Small caches are set and the tables of searches filled before, so that what may
be held for good is held by then.
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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from tests.chaos.abuse import Abuse, abuses, expensive, post
from tests.chaos.usage import cpu_seconds, memory
from tests.chaos.wire import FAILED, PATIENCE_S, Line
from tests.support import proxy
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
SMALL_CACHES = {"KINAROW_CACHE_BYTES": "300000", "KINAROW_RESPONSE_CACHE_BYTES": "200000"}

USER_BOARDS = ("X.O/.X./..O", "X../.O./...", "XO./.X./..O", ".../.X./...", "XOX/.O./...")


@dataclass
class Report:
    """What a run found; times in milliseconds, memory in bytes, processor time in seconds."""

    through: str
    requests: int
    seconds: float = 0.0
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
    generator_cpu_s: float = 0.0
    service_cpu_s: float = 0.0
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
    parser.add_argument("--json", type=Path, help="write the report here too")
    given = parser.parse_args(arguments)
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server.started(KINAROW_LOG_LEVEL="warning", **SMALL_CACHES))
        port = server.port if given.direct else stack.enter_context(proxy.started([server])).port
        report = run(server, port, given)
    print(shown(report))
    if given.json:
        given.json.write_text(json.dumps(asdict(report), indent=2) + "\n", "utf-8")
    return 1 if report.failures else 0


def run(server: Server, port: int, given: argparse.Namespace) -> Report:
    """Quiet, a warm-up of the attack, the attack, quiet again; the user asks all the while."""
    report = Report("the service itself" if given.direct else "the shipped proxy", given.requests)
    report.memory_searching = prime(server, given.primes)
    user = User(port)
    user.start()
    try:
        warm_up = int(given.requests * WARM_UP_SHARE)
        quiet = [_during(given.quiet)]
        attacks, spent = [], 0.0
        seen: Counter[tuple[str, str]] = Counter()
        for count, seed in ((warm_up, given.seed), (given.requests - warm_up, given.seed + 1000)):
            before = cpu_seconds(server)
            began = time.monotonic()
            found, cpu = attack(port, count, given.rate, seed)
            attacks.append((began, time.monotonic()))
            time.sleep(REST_S)
            report.memory_after_warm_up = report.memory_after_warm_up or memory(server)
            seen.update(found)
            spent += cpu
            report.service_cpu_s += cpu_seconds(server) - before
        report.memory_at_end = memory(server)
        quiet.append(_during(given.quiet))
    finally:
        taken, refused = user.stop()
    report.seconds = sum(end - began for began, end in attacks)
    report.generator_cpu_s = spent
    report.user_requests, report.user_refused = len(taken), dict(refused)
    report.quiet_p50, report.quiet_p99 = _quantiles(taken, quiet)
    report.attacked_p50, report.attacked_p99 = _quantiles(taken, attacks)
    for (kind, answer), number in sorted(seen.items()):
        report.answers.setdefault(kind, {})[answer] = number
    report.failures = judge(report, judge_user=not given.direct)
    return report


def _during(seconds: float) -> tuple[float, float]:
    began = time.monotonic()
    time.sleep(seconds)
    return began, time.monotonic()


def _quantiles(taken: list[tuple[float, float]], windows: list[tuple[float, float]]) -> tuple[float, float]:
    """The median and 99th percentile, in ms, of what was due within these windows."""
    times = sorted(1000 * seconds for due, seconds in taken if any(began <= due <= end for began, end in windows))
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return cuts[49], cuts[98]


def judge(report: Report, *, judge_user: bool) -> list[str]:
    """What is not as it must be."""
    failures = []
    for kind, answers in report.answers.items():
        for answer, number in answers.items():
            if answer.startswith("5") and answer != "503":
                failures.append(f"{number} x {answer} to {kind!r}")
            if answer.startswith(FAILED):
                failures.append(f"{number} x {answer} to {kind!r}")
    total = sum(number for answers in report.answers.values() for number in answers.values())
    if total != report.requests:
        failures.append(f"{total} requests are accounted for, not {report.requests}")
    if report.user_refused:
        failures.append(f"the user was not answered: {_told(report.user_refused)}")
    if judge_user and report.attacked_p99 > MOST_TIMES_QUIET * report.quiet_p99:
        failures.append(f"the user's 99th percentile is {report.attacked_p99 / report.quiet_p99:.2f} of quiet")
    # Tables of searches are kept for the next one or freed as it comes, so between two moments of rest memory
    # may rise and fall by some hundred MiB; what was held while all searched at once is the most there may be.
    grown = report.memory_at_end - max(report.memory_searching, report.memory_after_warm_up)
    if grown > MOST_GROWTH_BYTES:
        failures.append(f"memory grew by {grown / 2**20:.1f} MiB")
    return failures


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


# --- The attack ---------------------------------------------------------------------------------------------------


def attack(port: int, count: int, rate: float, seed: int) -> tuple[Counter[tuple[str, str]], float]:
    """Send so many requests from a process of their own; what came of each kind, and its processor time."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_attack, args=(there, port, count, rate, seed))
    process.start()
    # A sender that is gone closes its end: then this raises EOFError rather than waiting for ever.
    there.close()
    try:
        found, cpu = here.recv()
    finally:
        process.join()
    return Counter(found), cpu


def _attack(report: Connection, port: int, count: int, rate: float, seed: int) -> None:
    """The process that attacks."""
    found: Counter[tuple[str, str]] = Counter()
    lock, stop = threading.Lock(), threading.Event()
    shares = [count // ATTACKERS + (number < count % ATTACKERS) for number in range(ATTACKERS)]
    slow = threading.Thread(target=_trickle, args=(port, stop))
    attackers = [
        threading.Thread(target=_attacker, args=(port, number, share, rate / ATTACKERS, seed, found, lock))
        for number, share in enumerate(shares)
    ]
    slow.start()
    for each in attackers:
        each.start()
    for each in attackers:
        each.join()
    stop.set()
    slow.join()
    report.send((dict(found), time.process_time()))
    report.close()


def _attacker(
    port: int, number: int, count: int, rate: float, seed: int, found: Counter[tuple[str, str]], lock: threading.Lock
) -> None:
    """One address: its share of the requests, no faster than its share of the rate."""
    line = Line(("127.0.0.1", port), f"127.0.7.{number + 1}")
    began = time.monotonic()
    for index, abuse in enumerate(itertools.islice(abuses(seed * ATTACKERS + number), count)):
        ahead = began + index / rate - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        came = line.send(abuse)
        with lock:
            found[abuse.kind, came] += 1
    line.close()


def _trickle(port: int, stop: threading.Event) -> None:
    """Connections that send a byte a second; one that is closed is opened anew."""
    lines: list[socket.socket | None] = [None] * SLOW
    starts = (b"GET / HTTP/1.1\r\nX-Slow: ", post(b" " * 500)[:-450])
    while not stop.is_set():
        for number, line in enumerate(lines):
            try:
                if line is None:
                    source = (f"127.0.9.{number + 1}", 0)
                    line = lines[number] = socket.create_connection(("127.0.0.1", port), 1, source)
                    line.sendall(starts[number % 2])
                else:
                    line.sendall(b" ")
            except OSError:
                if line is not None:
                    line.close()
                lines[number] = None
        stop.wait(1)
    for line in lines:
        if line is not None:
            line.close()


# --- The user -----------------------------------------------------------------------------------------------------


class User:
    """Someone who asks at a steady rate from another process; an answer that is late delays no other's clock."""

    def __init__(self, port: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_user, args=(there, port), daemon=True)
        self._there = there

    def start(self) -> None:
        """Begin to ask; returns once the first answer is there."""
        self._process.start()
        self._there.close()
        assert self._here.recv() == "asking"

    def stop(self) -> tuple[list[tuple[float, float]], Counter[str]]:
        """Stop: when each request was due with the seconds from then to its answer, and what came but 200."""
        self._here.send("stop")
        taken, refused = self._here.recv()
        self._process.join()
        return taken, refused


def _user(report: Connection, port: int) -> None:
    """The process of the user."""
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

    askers = [threading.Thread(target=ask, args=pair) for pair in enumerate(lines)]
    for each in askers:
        each.start()
    report.send("asking")
    report.recv()
    stop.set()
    for each in askers:
        each.join()
    report.send((taken, refused))


# --- The report ---------------------------------------------------------------------------------------------------


def _told(answers: dict[str, int]) -> str:
    return ", ".join(f"{answer}: {number}" for answer, number in answers.items())


def shown(report: Report) -> str:
    """The report as people read it."""
    lines = [
        f"{report.requests} hostile requests to {report.through} in {report.seconds:.0f} s,"
        f" {report.requests / max(report.seconds, 0.001):.0f} a second, and {SLOW} slow connections beside them",
        "",
    ]
    for kind, answers in report.answers.items():
        lines.append(f"  {kind:22} {_told(answers)}")
    ratio = report.attacked_p99 / max(report.quiet_p99, 0.001)
    lines += [
        "",
        f"user, {USER_RATE} requests a second: median {report.quiet_p50:.2f} ms in quiet, {report.attacked_p50:.2f} ms"
        f" under attack; 99 % under {report.quiet_p99:.2f} ms in quiet, {report.attacked_p99:.2f} ms under attack"
        f" ({ratio:.2f} times); {sum(report.user_refused.values())} of {report.user_requests} not answered",
        f"memory of the service: {report.memory_searching / 2**20:.1f} MiB with all searches under way before,"
        f" {report.memory_after_warm_up / 2**20:.1f} MiB after a fifth,"
        f" {report.memory_at_end / 2**20:.1f} MiB at the end",
        f"processor time: {report.generator_cpu_s:.1f} s of the load generator,"
        f" {report.service_cpu_s:.1f} s of the service",
        "",
        *(f"FAILED: {failure}" for failure in report.failures),
    ]
    if not report.failures:
        lines.append("passed")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
