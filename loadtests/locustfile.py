"""A crowd that plays: whole games of five kinds, with time to think between the moves.

    make loadtest                                    starts a server of its own
    locust -f loadtests/locustfile.py --host URL     against one that runs, from any folder

Every answer is checked. ``/move connect-four known`` are the requests whose answer the service had already,
``/move connect-four new`` those that it searched. ``analyst.py`` has other users:
``-f loadtests/locustfile.py,loadtests/analyst.py`` runs both.
"""

import sys
from pathlib import Path

from locust import task

sys.path.append(str(Path(__file__).parents[1]))  # Locust finds this file from any folder, but not those beside it

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
        """One game; a wrong answer is a failed request and ends it."""

        def ask(rows: list[str], side: str) -> object:
            answer = self.ask("/move", rows, side, game)
            self.wait()
            return answer

        play(game, ask, self.choice)
