"""Games against the service, and the check of its answers."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

EMPTY = "."
SIDES = "XO"

FIELDS = (
    "move",
    "score",
    "outcome",
    "distance",
    "distance_is_bound",
    "proven",
    "to_move",
    "state",
    "winner",
    "winning_cells",
    "line",
    "best_moves",
    "best_moves_complete",
    "board",
    "after",
    "search",
)
SEARCH_FIELDS = ("depth", "nodes", "elapsed_ms", "stopped_by", "cached")


@dataclass(frozen=True)
class Game:
    """A game, with limits that keep its searches short."""

    name: str
    rows: int
    columns: int
    fields: dict[str, Any]

    @property
    def gravity(self) -> bool:
        """True if marks fall."""
        return bool(self.fields.get("gravity")) or self.fields.get("game") == "connect-four"


TIC_TAC_TOE = Game("3x3", 3, 3, {})
FOUR_BY_FOUR = Game("4x4", 4, 4, {"goal": 4, "max_nodes": 20_000})
CONNECT_FOUR = Game("connect-four", 6, 7, {"game": "connect-four", "max_nodes": 5_000})
MISERE = Game("misere 3x4", 3, 4, {"goal": 3, "misere": True, "max_nodes": 20_000})
GOMOKU = Game("15x15", 15, 15, {"game": "gomoku", "max_nodes": 500})


class WrongAnswer(Exception):
    """An answer breaks the contract."""


def check(answer: Any, rows: list[str], side: str, game: Game) -> None:
    """Check an answer to an ongoing position against the contract.

    Raises:
        WrongAnswer: the answer is wrong; the message says why.
    """

    def must(true: bool, complaint: str) -> None:
        if not true:
            raise WrongAnswer(f"{complaint}: {answer}"[:500])

    must(isinstance(answer, dict), "no object")
    missing = [name for name in FIELDS if name not in answer]
    must(not missing, f"without {missing}")
    must(all(name in answer["search"] for name in SEARCH_FIELDS), "search is not whole")
    must(answer["state"] == "ongoing" and answer["winner"] is None, "the game is not over")
    must(answer["to_move"] == side, f"{side} was to move")
    move = answer["move"]
    must(isinstance(move, dict), "no move")
    row, column = move["row"], move["column"]
    must(0 <= row < game.rows and 0 <= column < game.columns, "the move is off the board")
    must(move["tile"] == row * game.columns + column + 1, "the tile is another cell")
    must(rows[row][column] == EMPTY, "the cell is taken")
    must(not game.gravity or row == game.rows - 1 or rows[row + 1][column] != EMPTY, "the mark would fall")
    must(answer["board"] == put(rows, row, column, side), "the board after the move is another")
    must(answer["line"][0] == move, "the line begins with another move")
    must(answer["proven"] == (answer["outcome"] != "unknown"), "proven and outcome contradict each other")
    limit = game.rows * game.columns + 1
    score = answer["score"]
    fits = {"win": 0 < score <= limit, "loss": -limit <= score < 0, "draw": score == 0, "unknown": abs(score) < 1}
    must(fits[answer["outcome"]], "the score does not fit the outcome")


def put(rows: list[str], row: int, column: int, side: str) -> list[str]:
    """Return the board with one more mark."""
    changed = list(rows)
    changed[row] = rows[row][:column] + side + rows[row][column + 1 :]
    return changed


def random_cell(rows: list[str], game: Game, choice: random.Random) -> tuple[int, int]:
    """Return a random legal move."""
    cells = [
        (row, column)
        for row in range(game.rows)
        for column in range(game.columns)
        if rows[row][column] == EMPTY and (not game.gravity or row == game.rows - 1 or rows[row + 1][column] != EMPTY)
    ]
    return choice.choice(cells)


def completed(rows: list[str], goal: int) -> bool:
    """Return True if a side has ``goal`` marks in a row."""
    height, width = len(rows), len(rows[0])
    for row in range(height):
        for column in range(width):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + (goal - 1) * down, column + (goal - 1) * right
                if last_row >= height or not 0 <= last_column < width:
                    continue
                marks = {rows[row + step * down][column + step * right] for step in range(goal)}
                if marks in ({"X"}, {"O"}):
                    return True
    return False


def play(game: Game, ask: Callable[[list[str], str], Any], choice: random.Random) -> None:
    """Play a game of the service against a random player; ``ask`` returns None to give up."""
    rows = [EMPTY * game.columns] * game.rows
    turn = 0
    service_side = choice.randrange(2)
    if service_side == 1:
        rows, turn = put(rows, *random_cell(rows, game, choice), SIDES[0]), 1
    while True:
        answer = ask(rows, SIDES[turn])
        if answer is None or answer["after"]["state"] != "ongoing":
            return
        rows = answer["board"]
        rows = put(rows, *random_cell(rows, game, choice), SIDES[1 - turn])
        if not any(EMPTY in row for row in rows):
            return
