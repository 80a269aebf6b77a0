"""Random Connect Four positions, and their values on BitBully's scale."""

import random
from collections.abc import Iterator

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.tactics import winning_moves

CONNECT_FOUR = Rules(6, 7, 4, gravity=True)
SEED = 6_740


def random_positions(count: int, marks: int) -> Iterator[tuple[list[int], Position]]:
    """Yield ``(columns, position)`` after ``marks`` random moves, ongoing and without an immediate win."""
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
    """Convert a proven score to BitBully's scale: the winner's stones left at the end plus one."""
    if value == 0:
        return 0
    marks = CONNECT_FOUR.cells - position.empties
    plies = CONNECT_FOUR.cells + 1 - abs(int(value))
    left = (CONNECT_FOUR.cells - marks - plies) // 2 + 1
    return left if value > 0 else -left
