"""Proofs side by side with the solvers that people install from PyPI, in one run: ``make bench``.

Every figure is wall time of the same questions asked in turn, so that a noisy machine is noisy for both;
what counts is the ratio. BitBully (C++) values Connect Four positions; its book is off and its table is
emptied before each. easyAI (Python) proves the empty 4 × 4 board a draw by negamax with its table.
"""

import argparse
import importlib.metadata
import random
import statistics
import time
from collections.abc import Callable, Iterator

from easyAI import AI_Player, TranspositionTable, TwoPlayerGame
from easyAI.AI import Negamax

from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.search import Limits, search, warm_up

CONNECT_FOUR = Rules(6, 7, 4, gravity=True)
BUDGET = Limits(max_nodes=200_000_000)
SEED = 6_740
DECIMALS = 2


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
    """Seconds in which easyAI proves the empty 4 × 4 board a draw."""
    game = FourByFour()
    ai = Negamax(16, tt=TranspositionTable())
    started = time.perf_counter()
    ai(game)
    seconds = time.perf_counter() - started
    if ai.alpha != 0:
        raise RuntimeError(f"easyAI says {ai.alpha}, the board is a draw")
    return seconds


def kinarow_draw_s() -> float:
    """The same by kinarow."""
    started = time.perf_counter()
    result = search(Position.empty(Rules(4, 4, 4)), BUDGET)
    seconds = time.perf_counter() - started
    if result.score.outcome != "draw":
        raise RuntimeError(f"kinarow says {result.score}")
    return seconds


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
        if position.ending().state == "ongoing" and not any(map(position.completes, position.legal_moves())):
            made += 1
            yield columns, position


def connect_four(count: int, marks: int) -> tuple[float, float, float]:
    """Mean milliseconds of kinarow and of BitBully over the same positions, and the mean nodes of kinarow.

    Raises:
        RuntimeError: the two disagree about a value.
    """
    from bitbully import BitBully, Board

    peer = BitBully(opening_book=None)
    own_s = peer_s = nodes = 0.0
    for columns, position in random_positions(count, marks):
        board = Board(columns)
        peer.reset_transposition_table()
        peer_s, theirs = _timed(peer_s, lambda board=board: peer.mtdf(board))  # type: ignore[misc]
        own_s, ours = _timed(own_s, lambda position=position: search(position, BUDGET))  # type: ignore[misc]
        nodes += ours.nodes
        if _as_bitbully(ours.score.value, position) != theirs:
            raise RuntimeError(f"{columns}: kinarow {ours.score}, BitBully {theirs}")
    return 1000 * own_s / count, 1000 * peer_s / count, nodes / count


def _timed(total: float, work: Callable[[], object]) -> tuple[float, object]:
    started = time.perf_counter()
    answer = work()
    return total + time.perf_counter() - started, answer


def _as_bitbully(value: float, position: Position) -> int:
    """A proven score on BitBully's scale: one more than the stones the winner still has at the end."""
    if value == 0:
        return 0
    marks = CONNECT_FOUR.cells - position.empties
    plies = CONNECT_FOUR.cells + 1 - abs(int(value))
    left = (CONNECT_FOUR.cells - marks - plies) // 2 + 1
    return left if value > 0 else -left


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="proofs of the 4 x 4 board by each")
    parser.add_argument(
        "--count", type=int, default=200, help="Connect Four positions for each number of marks"
    )
    arguments = parser.parse_args()
    warm_up()
    kinarow_draw_s()
    versions = {name: importlib.metadata.version(name) for name in ("easyAI", "bitbully")}
    rounds = [(kinarow_draw_s(), easyai_draw_s()) for _ in range(arguments.rounds)]
    own, peer = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"empty 4 x 4, goal 4, proven a draw (median of {arguments.rounds})")
    print(
        f"  kinarow {1000 * own:.{DECIMALS}f} ms, easyAI {versions['easyAI']} {1000 * peer:.0f} ms:"
        f" {peer / own:.0f} times"
    )
    print(
        f"Connect Four, {arguments.count} random positions each, mean; BitBully {versions['bitbully']}, no book"
    )
    print("  marks  kinarow ms  nodes  BitBully ms  kinarow/BitBully")
    for marks in (28, 24, 20, 18, 16):
        own_ms, peer_ms, nodes = connect_four(arguments.count, marks)
        print(
            f"  {marks:5}  {own_ms:10.2f}  {nodes:5.0f}  {peer_ms:11.2f}  {own_ms / peer_ms:16.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
