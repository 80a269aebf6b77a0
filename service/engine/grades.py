"""The grade of a move that was played: its value beside the best that was known."""

from typing import Literal

from service.engine.score import Outcome, Score

Grade = Literal["best", "inaccuracy", "mistake", "blunder", "unclear"]

_RANKS: dict[Outcome, int] = {"loss": 0, "draw": 1, "win": 2}


def grade(played: Score, best: Score) -> Grade:
    """How good a move was, both values in the view of the side that made it.

    - ``best``: the same outcome, and where it is a win or a loss the same distance;
    - ``inaccuracy``: the same outcome, but a slower win or a quicker loss;
    - ``mistake``: a win let slip to a draw, or a draw to a loss;
    - ``blunder``: a win thrown away to a loss;
    - ``unclear``: a value is not proven, or distances are to be compared of which one is a bound.
    """
    if not played.proven or not best.proven:
        return "unclear"
    lost = _RANKS[best.outcome] - _RANKS[played.outcome]
    if lost < 0:
        # The best was found within a smaller budget than the move's own value.
        return "unclear"
    if lost:
        return "mistake" if lost == 1 else "blunder"
    if played.outcome == "draw":
        return "best"
    if not played.exact or not best.exact:
        return "unclear"
    return "best" if played.value >= best.value else "inaccuracy"
