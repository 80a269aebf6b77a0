"""The base of the Locust users: checked requests, the time to think, and the verdict at the end.

A run fails on a wrong answer, on a 99th percentile above ``LIMITS_MS``, and if no request was sent. A request refused
for load (503 with Retry-After) is counted separately and isn't a failure.
"""

import contextlib
import os
import random
from typing import Any

import gevent
from locust import FastHttpUser, events
from locust.contrib.fasthttp import FAILURE_EXCEPTIONS
from locust.runners import WorkerRunner

from loadtests.games import Game, WrongAnswer, check

ANSWER_WITHIN_S = 30
SHED = "refused for load"

LIMITS_MS = {
    "/move ": int(os.environ.get("LOADTEST_MOVE_MS", "5000")),
    "/analysis ": int(os.environ.get("LOADTEST_ANALYSIS_MS", "15000")),
}
"""By the beginning of a request's name: the greatest 99th percentile."""

MOST_SHED = float(os.environ.get("LOADTEST_MOST_SHED", "1.0"))
"""The greatest share of requests refused for load; 1 allows any."""


@events.init_command_line_parser.add_listener
def add_options(parser: Any) -> None:
    """Add ``--think-time`` to Locust's command line."""
    parser.add_argument(
        "--think-time", type=float, default=2.0, env_var="LOADTEST_THINK_S", help="mean seconds between two questions"
    )


@events.init.add_listener
def set_clock(**_: Any) -> None:
    """Update gevent's clock, which stood still while Locust was imported, or timers would end too early."""
    gevent.get_hub().loop.update_now()


class Person(FastHttpUser):
    """A user who thinks about each answer before the next request."""

    abstract = True
    network_timeout = ANSWER_WITHIN_S
    connection_timeout = 10

    def on_start(self) -> None:
        """Connect and wait a random time, so that no measured request includes connecting or a rush at the start."""
        self.choice = random.Random()
        with contextlib.suppress(*FAILURE_EXCEPTIONS):  # without a server the first request reports the failure
            self.client.client.urlopen(f"{self.host}/healthz").read()
        gevent.sleep(self.choice.uniform(0, self.think_s))

    @property
    def think_s(self) -> float:
        """The mean seconds between an answer and the next request."""
        return float(self.environment.parsed_options.think_time)

    def wait_time(self) -> float:
        """Return the seconds until the next request, uniformly from half to one and a half times the mean."""
        return self.choice.uniform(0.5, 1.5) * self.think_s

    def ask(self, path: str, rows: list[str], side: str, game: Game) -> Any:
        """Send a request and return its checked answer, or None if it failed.

        The request's name says whether the answer was cached. ``sleep(0)`` before the check lets other users take their
        answers first, so that checking doesn't count in their times.
        """
        body = {"board": rows, "to_move": side, **game.fields}
        name = f"{path} {game.name}"
        with self.client.post(path, json=body, name=name, catch_response=True) as response:
            gevent.sleep(0)
            if response.status_code == 503 and response.headers.get("Retry-After"):
                response.request_meta["name"] = f"{path} {SHED}"
                response.success()
                return None
            if response.status_code != 200:
                response.failure(f"{response.status_code}: {(response.text or '')[:300]}")
                return None
            answer = response.json()
            if answer.get("state") != "ongoing":
                response.request_meta["name"] = f"{name} over"
                return {"after": answer}  # the random move ended it
            try:
                check(answer, rows, side, game)
            except WrongAnswer as wrong:
                response.failure(str(wrong))
                return None
            response.request_meta["name"] = f"{name} {'known' if answer['search']['cached'] else 'new'}"
            return answer


def complaints(stats: Any) -> list[str]:
    """Return the reasons why a run fails."""
    total = stats.total
    if total.num_requests == 0:
        return ["nothing was asked"]
    found = []
    if total.num_failures > 0:
        found.append(f"{total.num_failures} of {total.num_requests} requests")
    for (name, _), entry in sorted(stats.entries.items()):
        for beginning, limit in LIMITS_MS.items():
            slow = entry.get_response_time_percentile(0.99)
            if name.startswith(beginning) and slow > limit:
                found.append(f"{name}: 99 % under {slow:.0f} ms, which must be under {limit} ms")
    shed = sum(entry.num_requests for (name, _), entry in stats.entries.items() if name.endswith(SHED))
    if shed > MOST_SHED * total.num_requests:
        found.append(f"{shed} of {total.num_requests} requests were refused for load")
    return found


@events.quitting.add_listener
def judge(environment: Any, **_: Any) -> None:
    """Print the verdict and set the exit code."""
    if isinstance(environment.runner, WorkerRunner):
        return  # the master has all the figures
    total = environment.stats.total
    found = complaints(environment.stats)
    for complaint in found:
        print(f"FAILED: {complaint}")
    if not found:
        print(
            f"passed: {total.num_requests} requests, {total.total_rps:.0f}/s,"
            f" median {total.median_response_time:.0f} ms,"
            f" 99 % under {total.get_response_time_percentile(0.99):.0f} ms"
        )
    environment.process_exit_code = 1 if found else 0
