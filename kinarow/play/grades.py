"""The grade of a move: its value compared with the best value known."""

from typing import Literal, NamedTuple

from kinarow.score import Outcome, Score

Grade = Literal["best", "inaccuracy", "mistake", "blunder", "unclear"]

GradedBy = Literal["proof", "estimate"]  # A longer search may change an estimate

_RANKS: dict[Outcome, int] = {"loss": 0, "draw": 1, "win": 2}

DROPS: tuple[tuple[float, Grade], ...] = ((0.6, "blunder"), (0.3, "mistake"), (0.1, "inaccuracy"))
"""The least drop of the expected result of each grade."""

_EXPECTED_DECIMALS = 3

_INFINITY = float("inf")


GRADES: tuple[Grade, ...] = ("unclear", "best", "inaccuracy", "mistake", "blunder")
"""From the mildest to the worst; ``unclear`` is milder than any."""

Missed = Literal["win", "block"]  # A move overlooked a win in one, or didn't block one


class Graded(NamedTuple):
    """A grade and its evidence."""

    grade: Grade
    by: GradedBy


def grade(played: Score, best: Score) -> Graded:
    """Grade a move by its score and the best move's score, both for the side that made it.

    - ``best``: the same outcome, and for a win or a loss the same distance;
    - ``inaccuracy``: the same outcome, but a slower win or a quicker loss;
    - ``mistake``: a win became a draw, or a draw a loss;
    - ``blunder``: a win became a loss;
    - ``unclear``: a score isn't proven, and a score has no expected result.

    If a score isn't proven, the drop of the expected result decides; a proven loss is then at least a mistake. If a
    distance is only a bound, the distances known so far decide.
    """
    if not played.proven or not best.proven:
        return Graded(_by_expected_result(played, best), "estimate")
    lost = _RANKS[best.outcome] - _RANKS[played.outcome]
    if lost > 0:
        return Graded("mistake" if lost == 1 else "blunder", "proof")
    return _by_distance(played, best)


def at_least(graded: Graded, least: Grade) -> Graded:
    """Return the grade, or ``least`` as an estimate if the grade is milder."""
    if GRADES.index(graded.grade) >= GRADES.index(least):
        return graded
    return Graded(least, "estimate")


def _by_expected_result(played: Score, best: Score) -> Grade:
    is_lost = played.outcome == "loss"
    if played.expected is None or best.expected is None:
        return "mistake" if is_lost else "unclear"
    drop = round(best.expected - played.expected, _EXPECTED_DECIMALS)
    grade: Grade = next((name for least, name in DROPS if drop >= least), "best")
    return "mistake" if is_lost and grade in ("best", "inaccuracy") else grade


def _by_distance(played: Score, best: Score) -> Graded:
    """Grade a move with the best move's outcome; their intervals of distances may prove the grade."""
    played_low, played_high = _range(played)
    best_low, best_high = _range(best)
    if played_high < best_low:
        return Graded("inaccuracy", "proof")
    if played_low >= best_high:
        return Graded("best", "proof")
    return Graded("inaccuracy" if played.value < best.value else "best", "estimate")


def _range(score: Score) -> tuple[float, float]:
    """Return the interval of the exact value of a proven score."""
    if score.exact:
        return score.value, score.value
    # The game may end sooner than a bound says, which is better for a win and worse for a loss.
    return (score.value, _INFINITY) if score.outcome == "win" else (-_INFINITY, score.value)
