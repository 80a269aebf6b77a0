"""Grades a game move by move, by the searches of the positions before and after each move."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import fmean

from kinarow import score
from kinarow.cores import current, in_order
from kinarow.game import tactics
from kinarow.game.position import Position, State
from kinarow.game.rules import O, Rules, Side, Size, X, other
from kinarow.play.grades import Grade, Graded, GradedBy, Missed, at_least, grade
from kinarow.reading import moves as reading
from kinarow.score import Outcome, Score
from kinarow.search.best_move import load_before_time, solvable
from kinarow.search_types import (
    NANOSECONDS_PER_MS,
    Limits,
    NoCore,
    Placed,
    SearchResult,
    Stop,
    StoppedBy,
    Valued,
    weakest_reason,
)

SUMMARY_DECIMALS = 3

REVIEW_NODES = 4_000_000
"""Nodes that the positions of a game on a large board share equally by default: some ten seconds of processor time. The
shares are equal, since grades would depend on the time if one position's share depended on the others."""

KEPT_SHARE = 0.5  # share of the time that is reserved, in equal parts, for the positions still to be searched

Searcher = Callable[[Position, Limits, Stop], SearchResult]
"""Searches a position at full strength until the flag is set."""


@dataclass(frozen=True, slots=True)
class ReviewedMove(Valued, Placed):
    """A move of the game, and its value.

    Attributes:
        move: the cell, counted row by row from 0.
        to_move: the side that made it, 1 for X and 2 for O.
        score: the value of the move, for that side.
        best_score: the best value known for that side before the move.
        best_moves: the moves known to have the best value, in tile order.
        grade: ``best``, ``inaccuracy``, ``mistake``, ``blunder`` or ``unclear``.
        graded_by: ``proof``, or ``estimate`` if a longer search may change the grade.
        stopped_by: the reason why the searches before and after it ended; after ``time`` the next review may differ.
        missed: ``win`` for a missed win in one, ``block`` if the opponent's win in one wasn't blocked.
    """

    move: int
    to_move: Side
    score: Score
    best_score: Score
    best_moves: tuple[int, ...]
    grade: Grade
    graded_by: GradedBy
    size: Size | None = field(default=None, repr=False, compare=False)
    stopped_by: StoppedBy = "proof"
    missed: Missed | None = None

    @property
    def best_outcome(self) -> Outcome:
        """The outcome of the best known move."""
        return self.best_score.outcome


@dataclass(frozen=True, slots=True)
class Summary:
    """The number of a side's moves, in all and with each grade.

    ``lost`` is the mean loss of expected result per move: the best move's minus the played move's. A proven win counts
    1, a draw 0, a loss -1.
    """

    moves: int
    best: int
    inaccuracies: int
    mistakes: int
    blunders: int
    unclear: int
    accuracy: float | None  # the share of moves graded best; None without moves
    lost: float | None  # None if no move has both values
    lost_over: int  # number of moves with both values


@dataclass(frozen=True, slots=True)
class Review:
    """The graded moves of a game, the final position, and the number of searches cut short by time."""

    moves: tuple[ReviewedMove, ...]
    position: Position
    cut_by_time: int = 0

    @property
    def summary(self) -> dict[Side, Summary]:
        """The summary of each side."""
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


def nodes_to_share(rules: Rules, max_nodes: int | None) -> int | None:
    """Return the nodes that all positions of a game share, or None if each has its own node limit.

    They share on large boards that can't be solved, if ``max_nodes`` isn't given.
    """
    return REVIEW_NODES if max_nodes is None and not solvable(rules) else None


Progress = Callable[[int, ReviewedMove], object]
"""Called with the index of each graded move in the game and the move; the last move comes first."""


def review(
    start: Position,
    moves: object,
    limits: Limits,
    *,
    search: Searcher,
    shared_nodes: int | None = None,
    total_time_ms: int | None = None,
    stop: Stop | None = None,
    progress: Progress | None = None,
) -> Review:
    """Review a game as ``kinarow.review`` does, with any search; every position is searched once.

    Each position has the nodes of the limits, or an equal share of ``shared_nodes``; so two reviews of a game only
    differ in searches that time has cut short. Positions are searched from the last, the easiest, to the first; free
    cores help. Raises ``SearchStopped`` if ``stop`` is set; it is also checked before each position, since a cached
    answer doesn't check it. Raises ``InputError`` with the pointer ``/moves/i`` for an impossible move.
    """
    plies = []
    positions = [start]
    for position, move, following in reading.replay(start, moves):
        plies.append((position, move))
        positions.append(following)
        current().threads.yield_control()
    if shared_nodes is not None:
        limits = replace(limits, max_nodes=max(1, shared_nodes // len(positions)))
    load_before_time(start, replace(limits, time_limit_ms=total_time_ms))
    searches = _Searches(search, limits, total_time_ms, len(positions))

    def search_at(index: int, search_stop: Stop) -> SearchResult:
        with (stop or Stop()).also_stops(search_stop):
            search_stop.check()
            return searches.result(positions[index], index, search_stop)

    last_first = in_order([partial(search_at, index) for index in reversed(range(len(positions)))])
    after = next(last_first)
    cut = int(after.stopped_by == "time")
    graded: list[ReviewedMove] = []
    for index, before in zip(reversed(range(len(plies))), last_first, strict=True):
        graded.append(_graded(*plies[index], before, after))
        cut += before.stopped_by == "time"
        after = before
        current().threads.yield_control()
        if progress is not None:
            progress(index, graded[-1])
    return Review(tuple(reversed(graded)), positions[-1], cut)


_NOTHING = SearchResult(None, Score(0.0, "unknown", None), (), (), best_moves_complete=False, stopped_by="time")
"""The result of a position that couldn't be searched, without a core or without time."""


class _Searches:
    """Searches the ``count`` positions of a game, which share the time."""

    def __init__(self, search: Searcher, limits: Limits, total_time_ms: int | None, count: int) -> None:
        self._search, self._limits = search, limits
        self._end_ns, self._kept_ns = None, 0
        if total_time_ms is not None:
            total_ns = total_time_ms * NANOSECONDS_PER_MS
            self._end_ns, self._kept_ns = time.monotonic_ns() + total_ns, int(total_ns * KEPT_SHARE) // count
        self._any = False  # True once a search has ended

    def result(self, position: Position, left: int, stop: Stop) -> SearchResult:
        """Search a position, and keep time for ``left`` others; raise ``NoCore`` if the first search gets no core."""
        known = position.final_score()
        if known is not None:
            return SearchResult(None, known, (), (), best_moves_complete=True, source="rules")
        limits = self._limits
        if self._end_ns is not None:
            limits = limits.until(self._end_ns - left * self._kept_ns)
        if limits.expired:
            return _NOTHING
        try:
            result = self._search(position, limits, stop)
        except NoCore as refusal:
            if refusal.at_once and not self._any:
                raise
            return _NOTHING
        self._any = True
        return result


def _graded(position: Position, move: int, before: SearchResult, after: SearchResult) -> ReviewedMove:
    cells = position.rules.cells
    best, best_moves = before.score, before.best_moves
    played = score.parent_score(after.score, cells)
    if move in best_moves and not _says_more(played, best):
        # The search before valued this very move.
        played = best
    if best.proven and not played.proven:
        played = _at_most(best, played, cells)
    if after is _NOTHING and not played.proven:
        played = replace(played, value=min(played.value, best.value))
    if played.value > best.value:
        best, best_moves = _at_least(played, best), (move,)
    is_unclear = before is _NOTHING and played.outcome != "win"
    judged = Graded("unclear", "estimate") if is_unclear else grade(played, best)
    if not best_moves or (judged == ("best", "proof") and move not in best_moves):
        best_moves = tuple(sorted((*best_moves, move)))
    missed = None if best.outcome == "loss" else _missed(position, move)
    if missed:
        judged = at_least(judged, "inaccuracy" if missed == "win" and played.outcome == "win" else "mistake")
    stopped_by = weakest_reason((before.stopped_by, after.stopped_by))
    side = position.to_move
    return ReviewedMove(
        move, side, played, best, best_moves, judged.grade, judged.by, stopped_by=stopped_by, missed=missed
    )


def _missed(position: Position, move: int) -> Missed | None:
    """Return ``win`` if the move overlooks a win in one, ``block`` if it doesn't block one; None in misère."""
    if position.rules.misere:
        return None
    wins = tactics.winning_moves(position)
    if wins:
        return None if move in wins else "win"
    threats = tactics.completing_cells(position, other(position.to_move))
    if not threats or not tactics.safe_moves(position):
        return None
    return None if set(threats).isdisjoint(tactics.winning_moves(position.play(move))) else "block"


def _says_more(later: Score, earlier: Score) -> bool:
    """Return True if the later of two scores of a move is surer, or a quicker win."""
    if (later.exact, later.proven) != (earlier.exact, earlier.proven):
        return (later.exact, later.proven) > (earlier.exact, earlier.proven)
    return later.outcome == "win" and later.value > earlier.value


def _at_most(best: Score, played: Score, cells: int) -> Score:
    """Lower the unproven score of a move to the best move's proven score."""
    if best.outcome == "loss" and best.distance is not None:
        # If the best move loses, all others lose, and no later.
        return score.loss(cells, best.distance, is_bound=True)
    if best.outcome == "draw":
        calibrated = None if played.calibrated is None else min(played.calibrated, 0.0)
        return replace(played, value=min(played.value, 0.0), calibrated=calibrated)
    return played


def _at_least(played: Score, best: Score) -> Score:
    """Return the best score if the played move turned out to be better than the best move."""
    if played.outcome == "win" and not best.exact:
        # A quicker win may exist.
        return replace(played, is_bound=True)
    if played.outcome == "draw" and not best.proven:
        # A draw that was found later does not prove that nothing is better.
        calibrated = None if best.calibrated is None else max(best.calibrated, 0.0)
        return Score(played.value, "unknown", None, calibrated=calibrated)
    return played
