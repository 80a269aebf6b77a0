"""Players on several boards: each plays whole games against the service and checks every answer.

    make loadtest                                                      starts a server of its own
    python -m locust --locustfile loadtests/locustfile.py --host URL   against one that runs

The run fails on any error and when nothing was asked at all.
"""

import random
from typing import Any

from locust import FastHttpUser, constant, events, task

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
)

ANSWER_WITHIN_S = 30


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

        def ask(rows: list[str], side: str) -> Any:
            body = {"board": rows, "to_move": side, **game.fields}
            with self.client.post(
                "/move", json=body, name=f"/move {game.name}", catch_response=True
            ) as response:
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

        play(game, ask, self.choice)


@events.quitting.add_listener
def judge(environment: Any, **_: Any) -> None:
    """The exit code: 1 on any failure, and when there was nothing to fail."""
    total = environment.stats.total
    if total.num_requests == 0:
        print("FAILED: nothing was asked")
        environment.process_exit_code = 1
    elif total.num_failures > 0:
        print(f"FAILED: {total.num_failures} of {total.num_requests} requests")
        environment.process_exit_code = 1
    else:
        print(
            f"passed: {total.num_requests} requests, {total.total_rps:.0f}/s,"
            f" median {total.median_response_time:.0f} ms,"
            f" 99 % under {total.get_response_time_percentile(0.99):.0f} ms"
        )
        environment.process_exit_code = 0
