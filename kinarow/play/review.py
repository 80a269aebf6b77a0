"""A whole game graded move by move, each move by the searches of the positions before and after it."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from statistics import fmean

from kinarow import score
from kinarow.cores import in_order
from kinarow.game.position import Position, State
from kinarow.game.rules import O, Side, Size, X
from kinarow.play.grades import Grade, GradedBy, grade
from kinarow.score import Outcome, Score
from kinarow.search.best_move import load_before_time
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, Placed, SearchResult, Stop, Valued

SUMMARY_DECIMALS = 3

Searcher = Callable[[Position, Limits, Stop], SearchResult]
"""Searches a position at full strength, until the flag is set; the result's cells are those of the position."""


@dataclass(frozen=True, slots=True)
class ReviewedMove(Valued, Placed):
    """A move of the game, and its value.

    Attributes:
        move: the cell, counted row by row from 0.
        to_move: the side that made it, 1 for X and 2 for O.
        score: the value of the move, for that side.
        best_score: the best value known for that side before the move.
        best_moves: the moves known to have the best value, in tile order.
        grade: what the move lost: ``best``, ``inaccuracy``, ``mistake``, ``blunder`` or ``unclear``.
        graded_by: ``proof``, or ``estimate`` where a longer search may change the grade.
    """

    move: int
    to_move: Side
    score: Score
    best_score: Score
    best_moves: tuple[int, ...]
    grade: Grade
    graded_by: GradedBy
    size: Size | None = field(default=None, repr=False, compare=False)

    @property
    def best_outcome(self) -> Outcome:
        """The outcome of the best move known."""
        return self.best_score.outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """How one side played: its moves, and those of them with each grade.

    ``lost`` is the mean drop of the expected result a move, from the best move to the one played; a proven win counts
    1, a draw 0, a loss -1.
    """

    moves: int
    best: int
    inaccuracies: int
    mistakes: int
    blunders: int
    unclear: int
    accuracy: float | None  # the share of moves graded best; None without moves
    lost: float | None  # None where no move has both values
    lost_over: int  # the moves that have both


@dataclass(frozen=True, slots=True)
class Review:
    """The graded moves of a game, and the position after the last one."""

    moves: tuple[ReviewedMove, ...]
    position: Position

    @property
    def summary(self) -> dict[Side, Summary]:
        """How each side played."""
        return {side: _summary([move for move in self.moves if move.to_move == side]) for side in (X, O)}

    @property
    def state(self) -> State:
        """``ongoing``, ``won`` or ``drawn``."""
        return self.position.ending().state

    @property
    def winner(self) -> Side | None:
        """The side that has won, 1 for X and 2 for O, or None."""
        return self.position.ending().winner

    @property
    def winning_cells(self) -> tuple[int, ...]:
        """The cells of all completed lines, in tile order."""
        return self.position.ending().winning_cells


def _summary(moves: list[ReviewedMove]) -> Summary:
    counts = Counter(move.grade for move in moves)
    drops = [
        move.best_score.expected - move.score.expected
        for move in moves
        if move.best_score.expected is not None and move.score.expected is not None
    ]
    return Summary(
        moves=len(moves),
        best=counts["best"],
        inaccuracies=counts["inaccuracy"],
        mistakes=counts["mistake"],
        blunders=counts["blunder"],
        unclear=counts["unclear"],
        accuracy=round(counts["best"] / len(moves), SUMMARY_DECIMALS) if moves else None,
        lost=round(fmean(drops), SUMMARY_DECIMALS) if drops else None,
        lost_over=len(drops),
    )


Progress = Callable[[int, ReviewedMove], object]
"""Called with the place of each graded move in the game, from 0, and the move; the last move comes first."""


def review(
    start: Position,
    moves: object,
    limits: Limits,
    *,
    search: Searcher,
    total_time_ms: int | None = None,
    stop: Stop | None = None,
    progress: Progress | None = None,
) -> Review:
    """``kinarow.review`` with any search; every position is searched once, the last one included.

    The search goes from the end of the game to its beginning, because the last positions are the easiest; free cores
    help. ``stop`` is checked before each search, since a known answer comes without one, and raises ``SearchStopped``.
    A move that is not possible is an ``InputError`` before any search; its pointer is ``/moves/i``.
    """
    plies = list(start.replay(moves))
    last = plies[-1][0].play(plies[-1][1]) if plies else start
    load_before_time(start, replace(limits, time_limit_ms=total_time_ms))
    end = None if total_time_ms is None else time.monotonic_ns() + total_time_ms * NANOSECONDS_PER_MS

    def search_at(index: int, search_stop: Stop) -> SearchResult:
        position = last if index == len(plies) else plies[index][0]
        with (stop or Stop()).watching(search_stop):
            search_stop.check()
            return search(position, _share(limits, end, index + 1), search_stop)

    last_first = in_order([partial(search_at, index) for index in range(len(plies), -1, -1)])
    graded: list[ReviewedMove] = []
    for index, (after, before) in zip(reversed(range(len(plies))), pairwise(last_first), strict=True):
        graded.append(_graded(*plies[index], before, after))
        if progress is not None:
            progress(index, graded[-1])
    return Review(tuple(reversed(graded)), last)


def _share(limits: Limits, end_ns: int | None, left: int) -> Limits:
    """The limits with an equal share of the remaining time for each of ``left`` positions."""
    if end_ns is None:
        return limits
    now = time.monotonic_ns()
    return replace(limits, deadline_ns=now + (end_ns - now) // left)


def _graded(position: Position, move: int, before: SearchResult, after: SearchResult) -> ReviewedMove:
    cells = position.rules.cells
    best, best_moves = before.score, before.best_moves
    played = score.before_move(after.score, cells)
    if move in best_moves and not _says_more(played, best):
        # The search before valued this very move.
        played = best
    if best.proven and not played.proven:
        played = _at_most(best, played, cells)
    if played.value > best.value:
        best, best_moves = _at_least(played, best), (move,)
    judged = grade(played, best)
    if judged == ("best", "proof") and move not in best_moves:
        best_moves = tuple(sorted((*best_moves, move)))
    return ReviewedMove(move, position.to_move, played, best, best_moves, judged.grade, judged.by)


def _says_more(later: Score, earlier: Score) -> bool:
    """Whether the later of two values of one move is surer, or a quicker win."""
    if (later.exact, later.proven) != (earlier.exact, earlier.proven):
        return (later.exact, later.proven) > (earlier.exact, earlier.proven)
    return later.outcome == "win" and later.value > earlier.value


def _at_most(best: Score, played: Score, cells: int) -> Score:
    """An unproven value of a move that is known to be no better than a proven one."""
    if best.outcome == "loss" and best.distance is not None:
        # Where the best move loses, any other does, and no later.
        return score.loss(cells, best.distance, is_bound=True)
    if best.outcome == "draw":
        calibrated = None if played.calibrated is None else min(played.calibrated, 0.0)
        return replace(played, value=min(played.value, 0.0), calibrated=calibrated)
    return played


def _at_least(played: Score, best: Score) -> Score:
    """The best value where the move played turned out to be better than what was known before it."""
    if played.outcome == "win" and not best.exact:
        # A quicker win may exist.
        return replace(played, is_bound=True)
    if played.outcome == "draw" and not best.proven:
        # A draw that was found later does not prove that nothing is better.
        calibrated = None if best.calibrated is None else max(best.calibrated, 0.0)
        return Score(played.value, "unknown", None, calibrated=calibrated)
    return played
