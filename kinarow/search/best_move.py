"""The best move of a position, from the rules, an immediate win, the opening book, or the solver that suits it."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.tactics import safe_moves, winning_moves
from kinarow.kernels import shared_library
from kinarow.score import Score
from kinarow.search.calibration import calibrated
from kinarow.search.known import look_up
from kinarow.search_types import (
    NANOSECONDS_PER_MS,
    KnownBounds,
    Limits,
    SearchClock,
    SearchContext,
    SearchInfo,
    SearchResult,
    SearchStopped,
    Stop,
    StoppedBy,
)
from kinarow.solvers import select

# Re-exported for the service, which imports no solver.
from kinarow.solvers.select import SOLVERS as SOLVERS
from kinarow.solvers.select import evaluate as evaluate
from kinarow.solvers.select import free_idle_tables as free_idle_tables
from kinarow.solvers.select import has_exact_solver as has_exact_solver
from kinarow.solvers.select import new_context as new_context
from kinarow.solvers.select import slow_to_prove as slow_to_prove
from kinarow.solvers.select import solvable as solvable
from kinarow.solvers.select import tables_within as tables_within

Listener = Callable[[SearchInfo], None]  # Gets each finished iteration

WHOLE_LINE = 9  # The line of an exact win or loss within this many plies goes to the end of the game
LINE_NODES = 100_000  # The most nodes of each search that continues a line


def search(
    position: Position,
    limits: Limits,
    *,
    stop: Stop | None = None,
    progress: Listener | None = None,
    context: SearchContext | None = None,
) -> SearchResult:
    """Return the best move of a position and its value; a finished position has a value but no move.

    The result depends on position and limits alone, unless ``stopped_by`` is ``time`` or there is a ``context``: the
    memory of earlier searches, from ``new_context`` or ``shared_table``. The move is legal at any budget. ``progress``
    gets each finished iteration. Raises ``SearchStopped`` if ``stop`` was set.
    """
    clock = SearchClock()
    known = _without_search(position, limits)
    if isinstance(known, SearchResult):
        return replace(known, elapsed_ms=clock.ms)
    load_before_time(position, limits)
    clock, deadline = SearchClock(), deadline_ns(limits)
    budget = select.new_budget(limits, deadline)
    info: SearchInfo | None = None
    with nullcontext() if stop is None else stop.also_stops(budget):
        for raw in select.run_plan(position, limits, budget, context, known):
            info = _calibrated(raw, position, limits)
            if progress is not None:
                progress(replace(info, nodes=budget.nodes))
    if budget.ended_by == "stop":
        raise SearchStopped
    if info is None or (limits.max_depth != 1 and _is_avoidable_loss(position, info)):
        info = _calibrated(_fallback(position, depth=0 if info is None else info.depth), position, limits)
    line, in_time = complete_pv(position, info.line, info.score, limits.part(deadline_ns=deadline), stop=stop)
    reason = stopped_by(budget.ended_by, info.score) if in_time else "time"
    best = position.geometry.equal_cells(position.cells, info.move) if info.score.exact else (info.move,)
    return SearchResult(
        move=info.move,
        score=info.score,
        line=line,
        best_moves=best,
        best_moves_complete=len(best) == len(position.legal_moves()),
        depth=info.depth,
        nodes=budget.nodes,
        elapsed_ms=clock.ms,
        stopped_by=reason,
    )


def _without_search(position: Position, limits: Limits) -> SearchResult | KnownBounds | None:
    """Return the result by the rules, by a move that wins at once or from a book; else the book's bounds, or None."""
    over = position.final_score()
    if over is not None:
        return SearchResult(None, over, (), (), best_moves_complete=True, source="rules")
    if winning := winning_moves(position):
        move = position.geometry.first_of(winning)
        value = score.win(position.rules.cells, 1)
        return SearchResult(move, value, (move,), winning, best_moves_complete=True, depth=1, nodes=1)
    return look_up.look_up(position) if limits.max_depth is None else None


def _calibrated(info: SearchInfo, position: Position, limits: Limits) -> SearchInfo:
    """Return the iteration with the expected result of its estimate."""
    value = calibrated(info.score, position, limits)
    return info if value is info.score else replace(info, score=value)


def complete_pv(
    position: Position, line: tuple[int, ...], value: Score, limits: Limits, *, stop: Stop | None = None
) -> tuple[tuple[int, ...], bool]:
    """Continue the principal variation of a near win or loss to the end; return it, and False if time ran out.

    Only an exact win or loss within ``WHOLE_LINE`` plies is continued. A search of at most ``LINE_NODES`` nodes, which
    no result counts, finds the next moves.
    """
    left = (value.distance or 0) - len(line)
    if not value.exact or value.outcome == "draw" or left <= 0 or left + len(line) > WHOLE_LINE:
        return line, True
    last = position
    for move in line:
        last = last.play(move)
    depth = None if limits.max_depth is None else left
    ending = search(last, Limits(LINE_NODES, depth, deadline_ns=limits.deadline_ns), stop=stop)
    if ending.score.exact and ending.distance == left:
        line = (*line, *ending.line)
    return line, ending.stopped_by != "time"


def warm_up() -> None:
    """Load all compiled code and search some empty boards, so that later answers come sooner.

    >>> warm_up()
    """
    shared_library.open_libraries(SOLVERS)
    for example in _EXAMPLES:
        search(Position.empty(example), Limits(max_nodes=1000))


def load(position: Position, limits: Limits | None = None) -> None:
    """Open all kernel libraries that searches from this position may use; open ones cost nothing."""
    shared_library.open_libraries(("game", *select.needed(position, limits or Limits())))


def load_before_time(position: Position, limits: Limits) -> None:
    """Open the kernel libraries if the search has a time limit, which opening must not count against."""
    if limits.time_limit_ms is not None:
        load(position, limits)


def deadline_ns(limits: Limits) -> int | None:
    """Return the deadline of a search that begins now, by ``time.monotonic_ns()``; None without any."""
    if limits.time_limit_ms is None:
        return limits.deadline_ns
    end = time.monotonic_ns() + limits.time_limit_ms * NANOSECONDS_PER_MS
    return end if limits.deadline_ns is None else min(end, limits.deadline_ns)


_EXAMPLES = (
    Rules(5, 5, 3, misere=True),
    Rules(9, 9, 5),
    Rules(3, 4, 4),
    Rules(3, 4, 4, gravity=True),
    Rules(6, 7, 4, gravity=True),
)
"""A game for each of the most used solvers, and one that has an opening book."""


def stopped_by(ended_by: str | None, value: Score) -> StoppedBy:
    """Return why a search ended; an exact value is a ``proof`` even if the nodes ran out, but not if time did."""
    if ended_by == "time":
        return "time"
    if value.exact:
        return "proof"
    if ended_by == "nodes":
        return "nodes"
    return "proof" if value.proven else "depth"


def _is_avoidable_loss(position: Position, info: SearchInfo) -> bool:
    """Return True if the move loses at once, another does not, and no reply was searched."""
    if info.score.proven or (info.depth > 1 and len(info.line) > 1):
        return False
    safe = safe_moves(position)
    return bool(safe) and info.move not in safe


def _fallback(position: Position, depth: int) -> SearchInfo:
    """Return a legal move, safe if possible, and an estimate, for a search that ended before it valued a move."""
    move = position.geometry.first_of(safe_moves(position) or position.legal_moves())
    return SearchInfo(move, evaluate(position), (move,), depth)
