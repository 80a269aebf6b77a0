"""Locust users who ask for the value of every move: ``locust -f loadtests/analyst.py --host URL``."""

import sys
from pathlib import Path

from locust import task

sys.path.append(str(Path(__file__).parents[1]))  # Locust doesn't put the repository on the path

from loadtests.asking import Person
from loadtests.games import Game, put, random_cell

HARD = (
    Game("connect-four", 6, 7, {"game": "connect-four", "time_limit_ms": 800}),
    Game("5x5", 5, 5, {"goal": 4, "time_limit_ms": 800}),
    Game("8x9 gravity", 8, 9, {"goal": 4, "gravity": True, "time_limit_ms": 800}),
    Game("15x15", 15, 15, {"game": "gomoku", "time_limit_ms": 800}),
)
OPENING_MOVES = 4


class Analyst(Person):
    """Asks about hard positions, with time to think about the answers."""

    @task
    def analyse(self) -> None:
        """Analyse a position after some random moves."""
        game = self.choice.choice(HARD)
        rows = ["." * game.columns] * game.rows
        for turn in range(OPENING_MOVES):
            rows = put(rows, *random_cell(rows, game, self.choice), "XO"[turn % 2])
        self.ask("/analysis", rows, "X", game)
