"""A storm: a fault a second in two instances behind the shipped proxy, while six clients ask as ever.

    python -m tests.chaos.storm                    ten minutes and at most 120,000 requests (needs nginx)
    python -m tests.chaos.storm --seconds 60       the same for a minute

Each second a worker is killed, a worker is stopped for 0.3 s, or an instance reloads. Clients never ask twice. Each
answer must be the one that was given before the storm. It fails (exit code 1) if an answer is wrong, if the proxy
answers an error (an instance lives all the time), or if more than one answer in a hundred kills is cut short.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from loadtests.games import CONNECT_FOUR, completed, put, random_cell
from tests.support import proxy
from tests.support.load import Load
from tests.support.processes import workers
from tests.support.server import Server

CLIENTS = 6
INSTANCES = 2
WORKERS = 2
SECONDS = 600
REQUESTS_A_SECOND = 200
FAULT_EVERY_S = 1.0
STOPPED_S = 0.3
FAULTS = {"worker killed": 6, "instance reloaded": 1.5, "worker stopped for 0.3 s": 2.5}
"""Each kind of fault with its weight."""
POSITIONS = 300
OPENING_MOVES = 8
KILLS_FOR_A_CUT = 100
CUT = "cut short"


class Report(NamedTuple):
    """What a storm found."""

    seconds: float  # how long it blew
    faults: Counter[str]  # how often each kind came
    failed: Counter[str]  # how often a request failed, by what came of it
    times: list[float]  # the seconds of the right answers


def main(arguments: Sequence[str] | None = None) -> int:
    """Run once and print the report; 1 if anything failed."""
    parser = argparse.ArgumentParser(description="A fault a second in two instances behind the shipped proxy.")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--requests", type=int, help=f"at most; by default {REQUESTS_A_SECOND} a second")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    report = run(given.seconds, given.requests or int(REQUESTS_A_SECOND * given.seconds), given.seed)
    print(table(report))
    failures = judge(report)
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


def run(seconds: float, requests: int, seed: int) -> Report:
    """Start two instances and the proxy, let the storm blow, and stop them."""
    with contextlib.ExitStack() as stack:
        instances = [
            stack.enter_context(Server.started(KINAROW_WORKERS=str(WORKERS), KINAROW_LOG_LEVEL="warning"))
            for _ in range(INSTANCES)
        ]
        running = stack.enter_context(proxy.started(instances, unlimited=True))
        expected = {question: (answer_of(instances[0], question),) for question in questions(seed)}
        right = partial(is_right, expected)
        gap_s = CLIENTS * seconds / requests
        faults, began = Counter[str](), time.monotonic()
        with Load(running.port, CLIENTS, list(expected), gap_s=gap_s, is_right=right) as load:
            blow(instances, faults, began + seconds, random.Random(seed))
    return Report(time.monotonic() - began, faults, Counter(map(come_of, load.lost)), load.seconds)


def questions(seed: int) -> Iterator[bytes]:
    """Bodies of requests: openings of Connect Four with a budget of nodes, so that each has one right answer."""
    choice = random.Random(seed)
    for _ in range(POSITIONS):
        rows = ["." * CONNECT_FOUR.columns] * CONNECT_FOUR.rows
        for turn in range(OPENING_MOVES):
            rows = put(rows, *random_cell(rows, CONNECT_FOUR, choice), "XO"[turn % 2])
        if not completed(rows, 4):
            yield json.dumps({"board": rows, "to_move": "X", **CONNECT_FOUR.fields}).encode()


def answer_of(instance: Server, question: bytes) -> object:
    """The answer of an instance that nothing disturbs."""
    answer = instance.post("/move", question)
    assert answer.status == 200, answer
    return essence(answer.json)


def essence(answer: dict[str, object]) -> object:
    """An answer without what its search cost."""
    return {name: value for name, value in answer.items() if name != "search"}


def is_right(expected: Mapping[bytes, Sequence[object]], question: bytes, answer: bytes) -> bool:
    """Return True if it is one of the right answers to the question."""
    with contextlib.suppress(ValueError):
        return essence(json.loads(answer)) in expected[question]
    return False


def come_of(lost: str) -> str:
    """Return what came in place of an answer."""
    return CUT if lost.startswith("IncompleteRead") else lost.partition("(")[0]


def blow(instances: Sequence[Server], faults: Counter[str], end: float, choice: random.Random) -> None:
    """Cause a fault every second until then."""
    due = time.monotonic()
    while (due := due + FAULT_EVERY_S) < end:
        time.sleep(max(0.0, due - time.monotonic()))
        (fault,) = choice.choices(list(FAULTS), list(FAULTS.values()))
        if cause(fault, choice.choice(instances), choice):
            faults[fault] += 1


def cause(fault: str, instance: Server, choice: random.Random) -> bool:
    """Cause a fault; whether it happened: a worker that is starting or ending may be gone already."""
    if fault == "instance reloaded":
        instance.process.send_signal(signal.SIGHUP)
        return True
    worker = choice.choice(workers(instance) or [0])
    if not worker:
        return False
    try:
        if fault == "worker killed":
            os.kill(worker, signal.SIGKILL)
        else:
            os.kill(worker, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            os.kill(worker, signal.SIGCONT)
    except ProcessLookupError:
        return False
    return True


def judge(report: Report) -> list[str]:
    """What is not as it must be."""
    failures = [f"{number} × {what}" for what, number in report.failed.items() if what != CUT]
    most_cut = max(1, report.faults["worker killed"] // KILLS_FOR_A_CUT)
    if report.failed[CUT] > most_cut:
        failures.append(f"{report.failed[CUT]} answers were cut short, more than {most_cut}")
    if not report.times:
        failures.append("nothing was answered")
    return failures


def table(report: Report) -> str:
    """The report as Markdown."""
    times = sorted(report.times) or [0.0, 0.0]
    errors = sum(number for what, number in report.failed.items() if what != CUT)
    rows = [
        ("duration", f"{report.seconds:.0f} s"),
        *((fault, f"{report.faults[fault]:,}") for fault in FAULTS),
        ("requests answered correctly", f"{len(report.times):,}"),
        ("answered with an error such as 502, incorrectly, or not answered", f"{errors:,}"),
        ("answers cut short", f"{report.failed[CUT]:,}"),
        ("time of an answer, median", f"{1000 * statistics.median(times):.1f} ms"),
        ("time of an answer, 99th percentile", f"{1000 * times[int(0.99 * len(times))]:.1f} ms"),
    ]
    return "\n".join(["| in the storm | |", "| --- | ---: |", *(f"| {name} | {value} |" for name, value in rows)])


if __name__ == "__main__":
    sys.exit(main())
