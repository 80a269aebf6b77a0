"""Three kinds of people: a crowd that plays, analysts on hard boards, and strangers who send anything.

    make loadtest                                                             starts a server of its own
    python -m locust --locustfile loadtests/locustfile.py --host URL Player   against one that runs

Every answer is checked. The run fails on a wrong answer, on one later than ``LIMITS_MS`` allows, and if no request
was sent; a search that is refused for load (503 with Retry-After) is counted apart and is no failure.
"""

import os
import random
import time
from typing import Any
from urllib.parse import urlsplit

from locust import FastHttpUser, User, constant, constant_throughput, events, task
from locust.runners import WorkerRunner

from loadtests.abuse import abuses
from loadtests.games import (
    CONNECT_FOUR,
    FOUR_BY_FOUR,
    GOMOKU,
    MISERE,
    TIC_TAC_TOE,
    Game,
    WrongAnswer,
    check,
    play,
    put,
    random_cell,
)
from loadtests.wire import FAILED, SILENCE, Line

ANSWER_WITHIN_S = 30
SHED = "refused for load"

LIMITS_MS = {
    "/move ": int(os.environ.get("LOADTEST_MOVE_MS", "5000")),
    "/analysis ": int(os.environ.get("LOADTEST_ANALYSIS_MS", "15000")),
    "hostile ": int(os.environ.get("LOADTEST_HOSTILE_MS", "15000")),
}
"""By how a request's name begins: the 99th percentile that fails the run."""

MOST_SHED = float(os.environ.get("LOADTEST_MOST_SHED", "1.0"))
"""The share of requests refused for load that fails the run; 1 allows any."""


class Player(FastHttpUser):
    """Plays one game after another, mostly small ones."""

    wait_time = constant(0)
    network_timeout = ANSWER_WITHIN_S
    connection_timeout = 10

    def on_start(self) -> None:
        self.choice = random.Random()

    @task(8)
    def tic_tac_toe(self) -> None:
        self.play(TIC_TAC_TOE)

    @task(4)
    def four_by_four(self) -> None:
        self.play(FOUR_BY_FOUR)

    @task(4)
    def connect_four(self) -> None:
        self.play(CONNECT_FOUR)

    @task(2)
    def misere(self) -> None:
        self.play(MISERE)

    @task(1)
    def gomoku(self) -> None:
        self.play(GOMOKU)

    def play(self, game: Game) -> None:
        """One game; a wrong answer is a failed request and ends it."""
        play(game, lambda rows, side: ask(self, "/move", rows, side, game), self.choice)


HARD = (
    Game("connect-four", 6, 7, {"game": "connect-four", "time_limit_ms": 800}),
    Game("5x5", 5, 5, {"goal": 4, "time_limit_ms": 800}),
    Game("8x9 gravity", 8, 9, {"goal": 4, "gravity": True, "time_limit_ms": 800}),
    Game("15x15", 15, 15, {"game": "gomoku", "time_limit_ms": 800}),
)
OPENING_MOVES = 4


class Analyst(FastHttpUser):
    """Asks what every move of a hard position is worth, and thinks about the answer."""

    wait_time = constant(1)
    network_timeout = ANSWER_WITHIN_S
    connection_timeout = 10

    def on_start(self) -> None:
        self.choice = random.Random()

    @task
    def analyse(self) -> None:
        """A position some random moves into a game."""
        game = self.choice.choice(HARD)
        rows = ["." * game.columns] * game.rows
        for turn in range(OPENING_MOVES):
            rows = put(rows, *random_cell(rows, game, self.choice), "XO"[turn % 2])
        ask(self, "/analysis", rows, "X", game)


class Stranger(User):
    """Sends broken, oversized and expensive requests, each as the bytes it is."""

    wait_time = constant_throughput(20)

    def on_start(self) -> None:
        address = urlsplit(self.host or "")
        self.line = Line((address.hostname or "127.0.0.1", address.port or 80))
        self.abuses = abuses(random.randrange(2**32))

    def on_stop(self) -> None:
        self.line.close()

    @task
    def offend(self) -> None:
        """One request; whatever is no answer that it deserves is a failure."""
        abuse = next(self.abuses)
        began = time.perf_counter()
        came = self.line.send(abuse)
        wrong = came.startswith(FAILED) or (came.startswith("5") and came != "503")
        wrong = wrong or (came == SILENCE and not abuse.may_be_silent)
        events.request.fire(
            request_type="RAW",
            name=f"hostile {abuse.kind}",
            response_time=1000 * (time.perf_counter() - began),
            response_length=0,
            exception=WrongAnswer(came) if wrong else None,
            context={},
        )


def ask(user: FastHttpUser, path: str, rows: list[str], side: str, game: Game) -> Any:
    """One question, its answer checked; None where there was none."""
    body = {"board": rows, "to_move": side, **game.fields}
    with user.client.post(path, json=body, name=f"{path} {game.name}", catch_response=True) as response:
        if response.status_code == 503 and response.headers.get("Retry-After"):
            response.request_meta["name"] = f"{path} {SHED}"
            response.success()
            return None
        if response.status_code != 200:
            response.failure(f"{response.status_code}: {(response.text or '')[:300]}")
            return None
        answer = response.json()
        if answer.get("state") != "ongoing":
            return {"after": answer}  # the random move ended it
        try:
            check(answer, rows, side, game)
        except WrongAnswer as wrong:
            response.failure(str(wrong))
            return None
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
