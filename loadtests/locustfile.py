"""Locust users who play five kinds of games, with time to think between the moves.

    make loadtest                                    starts its own server
    locust -f loadtests/locustfile.py --host URL     uses a running server, from any folder

Every answer is checked. ``/move connect-four known`` are requests with a cached answer, ``/move connect-four new``
others. ``-f loadtests/locustfile.py,loadtests/analyst.py`` also runs the users of ``analyst.py``.
"""

import sys
from pathlib import Path

from locust import task

sys.path.append(str(Path(__file__).parents[1]))  # Locust doesn't put the repository on the path

from loadtests.asking import Person
from loadtests.games import CONNECT_FOUR, FOUR_BY_FOUR, GOMOKU, MISERE, TIC_TAC_TOE, Game, play


class Player(Person):
    """Plays one game after another, mostly small ones."""

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
        """Play one game; a wrong answer is a failed request and ends it."""

        def ask(rows: list[str], side: str) -> object:
            answer = self.ask("/move", rows, side, game)
            self.wait()
            return answer

        play(game, ask, self.choice)
