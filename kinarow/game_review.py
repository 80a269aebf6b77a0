"""A whole game graded move by move, each move by the searches of the positions before and after it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kinarow import score
from kinarow.game_record import Ply
from kinarow.grades import Grade, grade
from kinarow.position import Position
from kinarow.rules import Side
from kinarow.score import Score
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchResult, Stop


class Searcher(Protocol):
    """Searches a position, such as ``kinarow.best_move``; the cells of the result are those of the position."""

    def __call__(self, position: Position, limits: Limits, *, stop: Stop | None = None) -> SearchResult:
        """The result at full strength."""


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move that was played and what it was worth.

    Attributes:
        move: the cell.
        to_move: the side that made it.
        score: the value of the move, for its side.
        best: the best value known for that side before the move.
        best_moves: the moves known to have the best value, in tile order.
        grade: what the move lost.
    """

    move: int
    to_move: Side
    score: Score
    best: Score
    best_moves: tuple[int, ...]
    grade: Grade


def grade_game(
    plies: Sequence[Ply],
    last: Position,
    limits: Limits,
    *,
    search: Searcher,
    total_time_ms: int | None = None,
    stop: Stop | None = None,
    progress: Callable[[int, ReviewedMove], None] | None = None,
) -> tuple[ReviewedMove, ...]:
    """Grade every move of a game. Every position is searched once, the last one included.

    The search goes from the end of the game to its beginning, because the last positions are the easiest.

    Args:
        plies: the moves with the positions before them.
        last: the position after the last move.
        limits: for each position.
        search: makes the searches.
        total_time_ms: bounds the whole; each search may use an equal part of what those before it have left.
        stop: ends the searches.
        progress: is told of each graded move and its index, the last move first.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    end = None if total_time_ms is None else time.monotonic_ns() + total_time_ms * NANOSECONDS_PER_MS
    after = search(last, _share(limits, end, len(plies) + 1), stop=stop)
    graded: list[ReviewedMove] = []
    for index in range(len(plies) - 1, -1, -1):
        ply = plies[index]
        before = search(ply.position, _share(limits, end, index + 1), stop=stop)
        graded.append(_graded(ply, before, after))
        if progress is not None:
            progress(index, graded[-1])
        after = before
    return tuple(reversed(graded))


def _share(limits: Limits, end_ns: int | None, left: int) -> Limits:
    """The limits of the next of so many searches that share the time."""
    if end_ns is None:
        return limits
    now = time.monotonic_ns()
    return replace(limits, deadline_ns=now + (end_ns - now) // left)


def _graded(ply: Ply, before: SearchResult, after: SearchResult) -> ReviewedMove:
    """Value a move by the searches of the positions before and after it."""
    best, best_moves = before.score, before.best_moves
    played = score.before_move(after.score, ply.position.rules.cells)
    if ply.move in best_moves and not _says_more(played, best):
        # The search before valued this very move.
        played = best
    judged = grade(played, best)
    if played.value > best.value:
        # A draw that was found later does not prove that nothing is better.
        best = Score(played.value, "unknown", None) if _is_only_draw(played, best) else played
        best_moves = (ply.move,)
    elif played.exact and played == best and ply.move not in best_moves:
        best_moves = tuple(sorted((*best_moves, ply.move)))
    return ReviewedMove(ply.move, ply.position.to_move, played, best, best_moves, judged)


def _says_more(later: Score, earlier: Score) -> bool:
    """Whether the later of two values of one move is surer, or a quicker win."""
    if (later.exact, later.proven) != (earlier.exact, earlier.proven):
        return (later.exact, later.proven) > (earlier.exact, earlier.proven)
    return later.outcome == "win" and later.value > earlier.value


def _is_only_draw(played: Score, best: Score) -> bool:
    """Whether a move is proven to draw where the value of the best one is unknown."""
    return played.outcome == "draw" and not best.proven
