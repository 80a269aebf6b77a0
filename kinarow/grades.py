"""The grade of a move: its value compared with the best value known."""

from typing import Literal

from kinarow.score import Outcome, Score

Grade = Literal["best", "inaccuracy", "mistake", "blunder", "unclear"]

_RANKS: dict[Outcome, int] = {"loss": 0, "draw": 1, "win": 2}


def grade(played: Score, best: Score) -> Grade:
    """The grade of a move, both values from the view of the side that made it.

    - ``best``: the same outcome, and for a win or a loss the same distance;
    - ``inaccuracy``: the same outcome, but a slower win or a quicker loss;
    - ``mistake``: a win became a draw, or a draw a loss;
    - ``blunder``: a win became a loss;
    - ``unclear``: a value is not proven, or the grade depends on a distance that is a bound.
    """
    if not played.proven or not best.proven:
        return "unclear"
    lost = _RANKS[best.outcome] - _RANKS[played.outcome]
    if lost < 0:
        # The best value comes from a smaller budget than the value of the move itself.
        return "unclear"
    if lost:
        return "mistake" if lost == 1 else "blunder"
    if played.outcome == "draw":
        return "best"
    if not played.exact or not best.exact:
        return "unclear"
    return "best" if played.value >= best.value else "inaccuracy"
