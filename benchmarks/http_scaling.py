"""Measures requests per second and processor time of one worker and of two.

For each kind of request the same load goes alternately to a service with one worker and to one with two. Without spare
cores the load generator takes processor time from the second worker. So the table also has the processor time per
answer, and the rate, relative to one worker, that it allows if each worker has a core: the number of workers times the
cost with one worker, divided by the cost with all.

    python -m benchmarks.http_scaling [--rounds 5] [--seconds 3] [--json FILE]
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import selectors
import socket
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.figures import show_figures
from benchmarks.http_floor import is_whole_ok
from loadtests.games import CONNECT_FOUR, completed, put, random_cell
from tests.chaos.hostile import get, post
from tests.support import proxy
from tests.support.processes import cpu_seconds, memory
from tests.support.proxy import Proxy
from tests.support.server import Server

CONNECTIONS = 16
WARM_UP_S = 0.5
NO_ANSWER_S = 30
READ_BYTES = 65_536
OPENING_MOVES = 10
CONNECT_FOUR_GOAL = 4
QUESTIONS = 6_000
WORKERS = (1, 2)


@dataclass(frozen=True)
class Load:
    """A kind of request; ``distinct`` requests are all different, ``fields`` are the limits of their searches."""

    name: str
    distinct: bool
    fields: dict[str, object]


LOADS = (
    Load("answer known: 3 x 3", False, {}),
    Load("search of 1,000 nodes, Connect Four", True, {"max_nodes": 1_000}),
    Load("search of 20,000 nodes, Connect Four", True, {"max_nodes": 20_000}),
    Load("search of 500,000 nodes, Connect Four", True, {"max_nodes": 500_000}),
)


KEPT = Load("answer kept by the proxy", False, {})


@dataclass
class Figures:
    """Medians over the rounds of a load on a number of workers.

    Attributes:
        rate: answers per second.
        service_ms: processor time of the service per answer.
        generator_ms: processor time of the load generator per answer.
        p50_ms: median time of an answer.
        p99_ms: 99th percentile of the time of an answer.
    """

    rate: float
    service_ms: float
    generator_ms: float
    p50_ms: float
    p99_ms: float


def questions(load: Load, seed: int) -> Iterator[bytes]:
    """Yield requests forever."""
    choice = random.Random(seed)
    while True:
        if load.name == KEPT.name:
            yield get(b"/move?board=X.O/.X./...&to_move=O")
            continue
        if not load.distinct:
            yield post(json.dumps({"board": ["X.O", ".X.", "..."], "to_move": "O"}).encode())
            continue
        rows = ["." * CONNECT_FOUR.columns] * CONNECT_FOUR.rows
        for turn in range(OPENING_MOVES):
            rows = put(rows, *random_cell(rows, CONNECT_FOUR, choice), "XO"[turn % 2])
        if completed(rows, CONNECT_FOUR_GOAL):
            continue
        fields = {"board": rows, "game": "connect-four", "to_move": "X", **load.fields}
        yield post(json.dumps(fields).encode())


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Rates of one worker and of two, and the cost of an answer.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each load on each service in each round")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--write", action="store_true", help="write the figures of the documentation")
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        servers = {
            workers: stack.enter_context(
                # One search per worker at once, since workers are measured, not threads.
                Server.started(
                    KINAROW_WORKERS=str(workers),
                    KINAROW_SEARCHES=str(workers),
                    KINAROW_SEARCH_QUEUE=str(CONNECTIONS),
                    KINAROW_SEARCH_WAIT_MS="30000",
                )
            )
            for workers in WORKERS
        }
        found = {load.name: measure(load, servers, given.rounds, given.seconds) for load in LOADS}
        held = {workers: memory(server) for workers, server in servers.items()}
        kept = measure_kept(stack, servers[1], given.rounds, given.seconds)
    show_figures("http-scaling", HEAD, table(found), write=given.write)
    if kept is not None:
        print(
            f"GET /move kept by the proxy: {kept.rate:,.0f} a second, {kept.service_ms:.3f} ms of processor time of"
            f" the proxy and {kept.generator_ms:.3f} ms of the load generator for each"
        )
    for workers, size in held.items():
        print(f"memory of the service with {workers} worker{'s' * (workers > 1)}: {size / 2**20:.0f} MiB")
    print(f"cores: {os.cpu_count()}, shared with the load generator")
    if given.json:
        plain = {name: {str(count): asdict(own) for count, own in each.items()} for name, each in found.items()}
        given.json.write_text(json.dumps(plain, indent=2) + "\n", "utf-8")
    return 0


def measure(load: Load, servers: dict[int, Server], rounds: int, seconds: float) -> dict[int, Figures]:
    """Return the figures of each service; they alternate, and every other round in reverse order."""
    taken: dict[int, list[Figures]] = {workers: [] for workers in servers}
    order = list(servers)
    for number in range(rounds):
        for workers in order if number % 2 == 0 else reversed(order):
            taken[workers].append(_round(load, servers[workers], seconds, seed=number))
    print(f"{load.name}: done", file=sys.stderr, flush=True)
    return {
        workers: Figures(*(statistics.median(column) for column in zip(*map(_values, each), strict=True)))
        for workers, each in taken.items()
    }


def measure_kept(stack: contextlib.ExitStack, server: Server, rounds: int, seconds: float) -> Figures | None:
    """Return the figures of answers cached by the shipped proxy; None without nginx."""
    if proxy.NGINX is None:
        return None
    running = stack.enter_context(proxy.started([server], unlimited=True))
    taken = [_round(KEPT, running, seconds, seed=number) for number in range(rounds)]
    return Figures(*(statistics.median(column) for column in zip(*map(_values, taken), strict=True)))


def _values(figures: Figures) -> tuple[float, ...]:
    return (figures.rate, figures.service_ms, figures.generator_ms, figures.p50_ms, figures.p99_ms)


def _round(load: Load, server: Server | Proxy, seconds: float, seed: int) -> Figures:
    """Run a load on a service from another process; return the figures."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_generate, args=(there, load, server.port, seconds, seed))
    process.start()
    there.close()
    assert here.recv() == "warm"
    before = cpu_seconds(server)
    here.send("go")
    times, elapsed, generator = here.recv()
    spent = cpu_seconds(server) - before
    process.join()
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    count = len(times)
    return Figures(count / elapsed, 1000 * spent / count, 1000 * generator / count, 1000 * cuts[49], 1000 * cuts[98])


def _generate(report: Connection, load: Load, port: int, seconds: float, seed: int) -> None:
    """Generate the load in its own process: prepared requests over ``CONNECTIONS``, one at a time on each."""
    made = questions(load, seed)
    asked = [next(made) for _ in range(QUESTIONS if load.distinct else 1)]
    with contextlib.ExitStack() as stack:
        lines = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), NO_ANSWER_S)) for _ in range(CONNECTIONS)
        ]
        for line in lines:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        drive(lines, asked[-1000:], WARM_UP_S)
        report.send("warm")
        report.recv()
        before, began = time.process_time(), time.perf_counter()
        times = drive(lines, asked, seconds)
        elapsed = time.perf_counter() - began
        report.send((times, elapsed, time.process_time() - before))


def drive(lines: list[socket.socket], asked: list[bytes], seconds: float) -> list[float]:
    """Send requests on all connections; return the seconds of each answer.

    Raises:
        RuntimeError: an answer isn't 200, or none came.
    """
    times: list[float] = []
    sent = 0
    with selectors.DefaultSelector() as selector:
        for line in lines:
            line.sendall(asked[sent % len(asked)])
            selector.register(line, selectors.EVENT_READ, (bytearray(), [time.perf_counter()]))
            sent += 1
        end = time.perf_counter() + seconds
        waiting = len(lines)
        while waiting:
            ready = selector.select(NO_ANSWER_S)
            if not ready:
                raise RuntimeError("no answer")
            for key, _ in ready:
                line, (received, began) = key.fileobj, key.data
                assert isinstance(line, socket.socket)
                piece = line.recv(READ_BYTES)
                if not piece:
                    raise RuntimeError("the connection was closed")
                received += piece
                if not is_whole_ok(received):
                    continue
                now = time.perf_counter()
                times.append(now - began[0])
                received.clear()
                if now < end:
                    began[0] = now
                    line.sendall(asked[sent % len(asked)])
                    sent += 1
                else:
                    selector.unregister(line)
                    waiting -= 1
    return times


HEAD = (
    *("request", "workers", "answers a second", "relative to one worker", "ms of processor time an answer"),
    *("expected with free cores", "load generator ms", "median ms", "99th percentile ms"),
)


def table(found: dict[str, dict[int, Figures]]) -> list[tuple[str, ...]]:
    """Return the rows of docs/figures/http-scaling.csv."""
    rows = []
    for name, each in found.items():
        one = each[min(each)]
        for workers, own in each.items():
            costs = (own.rate / one.rate, own.service_ms, workers * one.service_ms / own.service_ms, own.generator_ms)
            shown = (*(f"{cost:.2f}" for cost in costs), f"{own.p50_ms:.1f}", f"{own.p99_ms:.1f}")
            rows.append((name, str(workers), f"{own.rate:.0f}", *shown))
    return rows


if __name__ == "__main__":
    sys.exit(main())
