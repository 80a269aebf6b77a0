"""Scores: proven wins and losses by distance, draws, and estimates, all on one scale.

On a board of ``cells`` cells a proven win in n plies is the integer ``cells + 1 - n``, a proven loss its negative, and
a proven draw 0; an estimate is a real number strictly between -1 and 1. So any proven win > any estimate > any proven
loss, and a quicker win or a later loss has the higher score.
"""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["win", "draw", "loss", "unknown"]

MAX_ESTIMATE = 0.9999
ESTIMATE_DECIMALS = 4

_RESULTS: dict[Outcome, float] = {"win": 1.0, "draw": 0.0, "loss": -1.0}


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a position or a move for one side.

    Attributes:
        value: ``cells + 1 - n`` for a proven win in n plies, the negative for a loss, 0 for a draw; an estimate is
            between -1 and 1.
        outcome: the result with best play by both sides, or ``unknown`` if the value is an estimate.
        distance: plies to the end of the game; None if unknown.
        is_bound: whether a proven win or loss may come sooner than ``distance`` says; it never comes later.
        calibrated: the expected result of an estimate, from -1 to 1; None if the estimate is not calibrated.

    Scores for one side on boards of one size compare by their value: ``max(scores)`` is the best.

    >>> max(Score(0, "draw", 5), Score(-0.25, "unknown", None), Score(-8, "loss", 2)).outcome
    'draw'
    """

    value: float
    outcome: Outcome
    distance: int | None
    is_bound: bool = False
    calibrated: float | None = None

    def __lt__(self, other: "Score") -> bool:
        """Return True if this score is worse; both are for one side, on boards of equally many cells."""
        return self.value < other.value if isinstance(other, Score) else NotImplemented

    def __le__(self, other: "Score") -> bool:
        """Return True if this score is worse or equal."""
        return self.value <= other.value if isinstance(other, Score) else NotImplemented

    def __reduce__(self) -> tuple[type["Score"], tuple[object, ...]]:
        """Unpickle by one call, which takes a third of the time of setting each slot."""
        return Score, (self.value, self.outcome, self.distance, self.is_bound, self.calibrated)

    @property
    def proven(self) -> bool:
        """Whether the outcome is certain."""
        return self.outcome != "unknown"

    @property
    def exact(self) -> bool:
        """Whether outcome and distance are both certain."""
        return self.outcome != "unknown" and not self.is_bound

    @property
    def expected(self) -> float | None:
        """The expected result: 1 a win, 0 a draw, -1 a loss, between them if calibrated; None if unknown."""
        return _RESULTS.get(self.outcome, self.calibrated)

    @property
    def shown(self) -> float:
        """The number to show: the value, but for a calibrated estimate its expected result."""
        return self.value if self.proven or self.calibrated is None else self.calibrated


def win(cells: int, plies: int, is_bound: bool = False) -> Score:
    """Return a proven win in this many plies; 0 plies if the game is over."""
    return Score(cells + 1 - plies, "win", plies, is_bound)


def loss(cells: int, plies: int, is_bound: bool = False) -> Score:
    """Return a proven loss in this many plies; 0 plies if the game is over."""
    return Score(plies - cells - 1, "loss", plies, is_bound)


def draw(empties: int) -> Score:
    """Return a proven draw, in which the game goes on until all ``empties`` empty cells are filled."""
    return Score(0, "draw", empties)


def estimate(raw: float, scale: float) -> Score:
    """Return an unproven score: the heuristic value ``raw`` mapped to -0.9999 to 0.9999 by an increasing function.

    Positive raw values favour the side to move; the raw value ``scale``, above 0, becomes 0.5.
    """
    value = round(raw / (abs(raw) + scale), ESTIMATE_DECIMALS)
    # Adding 0.0 turns -0.0 into 0.0.
    return Score(max(-MAX_ESTIMATE, min(MAX_ESTIMATE, value)) + 0.0, "unknown", None)


def proven(value: int, cells: int, empties: int, is_bound: bool = False) -> Score:
    """Return the proven score with this integer value, for a position with that many empty cells."""
    if value > 0:
        return win(cells, cells + 1 - value, is_bound)
    if value < 0:
        return loss(cells, cells + 1 + value, is_bound)
    return draw(empties)


def parent_score(child: Score, cells: int) -> Score:
    """Return the score of a move for the side that makes it.

    ``child`` is the score of the position after the move, for the side to move there; the distance grows by one ply.
    """
    if child.distance is None:
        calibrated = None if child.calibrated is None else 0.0 - child.calibrated
        return Score(0.0 - child.value, "unknown", None, calibrated=calibrated)
    if child.outcome == "loss":
        return win(cells, child.distance + 1, child.is_bound)
    if child.outcome == "win":
        return loss(cells, child.distance + 1, child.is_bound)
    return draw(child.distance + 1)
