"""``make bench-http``: compares a cached ``POST /move`` with a bare Flask route under the same gunicorn.

Each server has one worker, the same gunicorn settings and the same load from a process on another core. Servers
alternate within a round, so that other programs disturb all alike. The result is the median over the rounds of the
ratio to the bare route. On a busy machine the last column is more reliable: the bare route's processor time per answer
divided by this server's.

    python -m benchmarks.http_floor [--rounds 7] [--seconds 2] [--connections 8] [--json FILE]
"""

import argparse
import contextlib
import itertools
import json
import os
import selectors
import socket
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.bare_flask import SIZE_VARIABLE
from tests.support.processes import processor_s, workers
from tests.support.server import Server

BODY = json.dumps({"board": ["X.O", ".X.", "..."], "to_move": "O"}).encode()


def as_request(body: bytes) -> bytes:
    """Return the bytes of ``POST /move`` with this body."""
    head = "POST /move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
    return head.encode() + str(len(body)).encode() + b"\r\n\r\n" + body


def is_whole_ok(received: bytes | bytearray) -> bool:
    """Return True if these bytes are a whole answer; raise a ``RuntimeError`` if it is not 200."""
    head, found, body = received.partition(b"\r\n\r\n")
    if not found:
        return False
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"wrong answer: {bytes(head)!r}")
    length = bytes(head).lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
    return len(body) >= int(length)


REQUEST = as_request(BODY)
KINAROW = ("kinarow", "serve")
BARE = "bare Flask"
WARM_UP_S = 0.5
READ_BYTES = 65_536
NO_ANSWER_S = 10


@dataclass(frozen=True)
class Rate:
    """Answers per second, and the worker's processor time per answer in microseconds."""

    answers: float
    processor_us: float


@dataclass(frozen=True)
class Contestant:
    """A server to measure: its name, the module with its arguments, and its environment variables."""

    name: str
    command: tuple[str, ...]
    settings: dict[str, str]


CONTESTANTS = (
    Contestant(BARE, ("benchmarks.bare_flask",), {}),
    Contestant("cached /move, log off", KINAROW, {"KINAROW_LOG_LEVEL": "warning"}),
    Contestant("cached /move, log on", KINAROW, {"KINAROW_LOG_LEVEL": "info"}),
)


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description="Requests per second of a cached /move beside a bare Flask route.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2.0, help="of load on each server in each round")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    arguments = parser.parse_args()
    with servers() as running:
        rates = measure(running, arguments.rounds, arguments.seconds, arguments.connections)
    print(table(rates))
    if arguments.json:
        figures = {name: [asdict(rate) for rate in own] for name, own in rates.items()}
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return 0


@contextlib.contextmanager
def servers() -> Iterator[dict[str, Server]]:
    """Context manager: start all contestants on one core and move this process to another, if there is one."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    with contextlib.ExitStack() as stack:
        running = {}
        for contestant in reversed(CONTESTANTS):
            size = ""
            if running:
                size = str(len(next(iter(running.values())).post("/move", BODY).body))
            settings = {**contestant.settings, "KINAROW_WORKERS": "1", SIZE_VARIABLE: size or "600"}
            command = (sys.executable, "-m", *contestant.command)
            running[contestant.name] = stack.enter_context(Server.started(command, **settings))
        os.sched_setaffinity(0, {cores[-1]})
        try:
            yield {contestant.name: running[contestant.name] for contestant in CONTESTANTS}
        finally:
            os.sched_setaffinity(0, set(cores))


def measure(running: dict[str, Server], rounds: int, seconds: float, connections: int) -> dict[str, list[Rate]]:
    """Return the rate of each server in each round; the order rotates from round to round."""
    names = list(running)
    for name in names:
        load(running[name], WARM_UP_S, connections)
    rates: dict[str, list[Rate]] = {name: [] for name in names}
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            rates[name].append(load(running[name], seconds, connections))
        print(f"round {number + 1} of {rounds} done", file=sys.stderr, flush=True)
    return rates


def load(server: Server, seconds: float, connections: int, requests: Iterable[bytes] = (REQUEST,)) -> Rate:
    """Return the rate over kept-alive connections with one request at a time each.

    Raises:
        RuntimeError: an answer isn't 200, or none came.
    """
    selector = selectors.DefaultSelector()
    following = itertools.cycle(requests)
    with contextlib.ExitStack() as stack:
        for _ in range(connections):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), NO_ANSWER_S))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection, selectors.EVENT_READ, bytearray())
            connection.sendall(next(following))
        answered = 0
        worker = workers(server)[0]
        used = processor_s(worker)
        began = time.perf_counter()
        end = began + seconds
        while time.perf_counter() < end:
            ready = selector.select(NO_ANSWER_S)
            if not ready:
                raise RuntimeError("no answer")
            for key, _ in ready:
                connection, received = key.fileobj, key.data
                assert isinstance(connection, socket.socket)
                received += connection.recv(READ_BYTES)
                if is_whole_ok(received):
                    received.clear()
                    answered += 1
                    connection.sendall(next(following))
        return Rate(answered / (time.perf_counter() - began), (processor_s(worker) - used) / answered * 1_000_000)


def table(rates: dict[str, list[Rate]]) -> str:
    """Return the table of medians, and the ratios to the bare route with their extremes."""
    lines = [
        f"{'':44} {'requests/s':>10}  {'of bare Flask':>13}   {'least':>5}  {'most':>5}"
        f"  {'processor µs':>12}  {'of bare Flask':>13}"
    ]
    for name, own in rates.items():
        pairs = list(zip(own, rates[BARE], strict=True))
        ratios = [rate.answers / bare.answers for rate, bare in pairs]
        costs = [bare.processor_us / rate.processor_us for rate, bare in pairs]
        lines.append(
            f"{name:44} {statistics.median(rate.answers for rate in own):10.0f}  {statistics.median(ratios):13.2f}"
            f"   {min(ratios):5.2f}  {max(ratios):5.2f}"
            f"  {statistics.median(rate.processor_us for rate in own):12.0f}  {statistics.median(costs):13.2f}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
