"""What the load tests of Locust share: a checked question, the time to think, and the judgement at the end.

The run fails on a wrong answer, on one later than ``LIMITS_MS`` allows, and if no request was sent; a search that is
refused for load (503 with Retry-After) is counted apart and is no failure.
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
"""By how a request's name begins: the 99th percentile that fails the run."""

MOST_SHED = float(os.environ.get("LOADTEST_MOST_SHED", "1.0"))
"""The share of requests refused for load that fails the run; 1 allows any."""


@events.init_command_line_parser.add_listener
def add_options(parser: Any) -> None:
    """The option of Locust's command line that these files add."""
    parser.add_argument(
        "--think-time", type=float, default=2.0, env_var="LOADTEST_THINK_S", help="mean seconds between two questions"
    )


@events.init.add_listener
def set_clock(**_: Any) -> None:
    """Begin the time of the run now: gevent's clock stood while Locust was imported, so timers would end too early."""
    gevent.get_hub().loop.update_now()


class Person(FastHttpUser):
    """Somebody who thinks about each answer before the next question."""

    abstract = True
    network_timeout = ANSWER_WITHIN_S
    connection_timeout = 10

    def on_start(self) -> None:
        """Connect, then wait a part of a pause: no measured request pays for connecting or for a crowd at the start."""
        self.choice = random.Random()
        with contextlib.suppress(*FAILURE_EXCEPTIONS):  # without a server the first question fails, and says so
            self.client.client.urlopen(f"{self.host}/healthz").read()
        gevent.sleep(self.choice.uniform(0, self.think_s))

    @property
    def think_s(self) -> float:
        """The mean seconds between an answer and the next question."""
        return float(self.environment.parsed_options.think_time)

    def wait_time(self) -> float:
        """Seconds until the next question, evenly spread around the mean."""
        return self.choice.uniform(0.5, 1.5) * self.think_s

    def ask(self, path: str, rows: list[str], side: str, game: Game) -> Any:
        """One question, its answer checked; None where there was none.

        The name of the request says whether the service knew the answer or searched. Its time ends when the answer is
        there: those of other people that are there too are taken before this one is checked.
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
    """What of a run's figures is not as it must be."""
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
    """The exit code: 1 where there is anything to complain of."""
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
