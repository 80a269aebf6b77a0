"""The same questions to programs that install from PyPI: BitBully (C++), OpenSpiel and easyAI (Python searches)."""

import random
import time
from collections.abc import Iterator

from easyAI import AI_Player, TranspositionTable, TwoPlayerGame
from easyAI.AI import Negamax

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.tactics import winning_moves

CONNECT_FOUR = Rules(6, 7, 4, gravity=True)
SEED = 6_740


class FourByFour(TwoPlayerGame):  # type: ignore[misc]
    """4 × 4 with four in a row, as easyAI's own tic-tac-toe example writes a game."""

    def __init__(self) -> None:
        self.players = [AI_Player(None), AI_Player(None)]
        self.board = [0] * 16
        self.current_player = 1

    def possible_moves(self) -> list[int]:
        """The empty cells."""
        return [cell for cell, mark in enumerate(self.board) if not mark]

    def make_move(self, move: int) -> None:
        """Mark a cell."""
        self.board[move] = self.current_player

    def unmake_move(self, move: int) -> None:
        """Undo ``make_move``."""
        self.board[move] = 0

    def lose(self) -> bool:
        """Whether the opponent has a line."""
        return any(all(self.board[cell] == self.opponent_index for cell in line) for line in LINES)

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return not self.possible_moves() or self.lose()

    def scoring(self) -> int:
        """A loss is -100."""
        return -100 if self.lose() else 0

    def ttentry(self) -> tuple[int, ...]:
        """The key of the table."""
        return (*self.board, self.current_player)


LINES = Position.empty(Rules(4, 4, 4)).geometry.lines


def easyai_draw_s() -> float:
    """Seconds of processor time in which easyAI proves the empty 4 × 4 board a draw, by negamax with its table.

    Raises:
        RuntimeError: it says that the board is no draw.
    """
    game = FourByFour()
    ai = Negamax(16, tt=TranspositionTable())
    started = time.process_time()
    ai(game)
    seconds = time.process_time() - started
    if ai.alpha != 0:
        raise RuntimeError(f"easyAI says {ai.alpha}, the board is a draw")
    return seconds


def open_spiel_draw() -> object:
    """The value of the empty 3 × 3 board by OpenSpiel's alpha-beta search.

    Raises:
        RuntimeError: it says that the board is no draw.
    """
    import pyspiel
    from open_spiel.python.algorithms import minimax

    value, _ = minimax.alpha_beta_search(pyspiel.load_game("tic_tac_toe"))
    if value != 0:
        raise RuntimeError(f"OpenSpiel says {value}, the board is a draw")
    return value


def random_positions(count: int, marks: int) -> Iterator[tuple[list[int], Position]]:
    """Connect Four positions after so many random moves, nobody able to win at once, with their columns."""
    rng = random.Random(SEED + marks)
    made = 0
    while made < count:
        position, columns = Position.empty(CONNECT_FOUR), []
        while position.ending().state == "ongoing" and len(columns) < marks:
            cell = rng.choice(position.legal_moves())
            columns.append(cell % CONNECT_FOUR.columns)
            position = position.play(cell)
        if position.ending().state == "ongoing" and not winning_moves(position):
            made += 1
            yield columns, position


def as_bitbully(value: float, position: Position) -> int:
    """A proven score on BitBully's scale: one more than the stones the winner still has at the end."""
    if value == 0:
        return 0
    marks = CONNECT_FOUR.cells - position.empties
    plies = CONNECT_FOUR.cells + 1 - abs(int(value))
    left = (CONNECT_FOUR.cells - marks - plies) // 2 + 1
    return left if value > 0 else -left
