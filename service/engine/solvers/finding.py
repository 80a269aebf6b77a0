"""What a solver says after each finished iteration."""

from dataclasses import dataclass

from service.engine.score import Score


@dataclass(frozen=True, slots=True)
class Finding:
    """The best move known so far.

    Attributes:
        move: a legal cell.
        score: the value of the move for the side to move.
        line: the principal variation, beginning with ``move``; it may stop early.
        depth: plies completed.
    """

    move: int
    score: Score
    line: tuple[int, ...]
    depth: int
