"""A recorded game, move by move."""

from typing import NamedTuple

from kinarow.game.position import Position


class Ply(NamedTuple):
    """One move of a game: the position before it, and the cell that was marked."""

    position: Position
    move: int


def replay(start: Position, moves: object) -> tuple[list[Ply], Position]:
    """Replay a game.

    Returns:
        The moves with the positions before them, and the position after the last.

    Raises:
        NotationError: an entry is not a move on this board; the pointer is ``/moves/i``.
        PositionError: a move is not possible where it stands, or comes after the end of the game.
    """
    plies = [Ply(position, move) for position, move in start.replay(moves)]
    last = plies[-1].position.play(plies[-1].move) if plies else start
    return plies, last
