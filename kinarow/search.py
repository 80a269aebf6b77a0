"""The best move of a position: a finished game, a win at once, the opening book, else the solver that suits it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from kinarow import score
from kinarow.jit.cache_dir import kernel_cache
from kinarow.opening_book import reader as book
from kinarow.position import Position
from kinarow.rules import Rules
from kinarow.score import Score
from kinarow.search_types import (
    NANOSECONDS_PER_MS,
    Limits,
    SearchContext,
    SearchInfo,
    SearchResult,
    SearchStopped,
    Stop,
    StoppedBy,
)
from kinarow.tactics import safe_moves, winning_moves

Listener = Callable[[SearchInfo], None]
"""Is told of each finished iteration."""


@cache
def solvers() -> Any:
    """The module ``kinarow.solvers.select``, imported at first use because that loads or compiles the kernels."""
    with kernel_cache():
        from kinarow.solvers import select
    return select


def search(
    position: Position,
    limits: Limits,
    *,
    stop: Stop | None = None,
    progress: Listener | None = None,
    context: SearchContext | None = None,
) -> SearchResult:
    """The best move of a position and how good it is.

    The result is a function of position and limits alone, unless ``stopped_by`` is ``time`` or the search was
    given a context. The move is legal at any budget.

    Args:
        position: any position, finished ones too.
        limits: what the search may spend.
        stop: ends the search from another thread.
        progress: is told of each finished iteration.
        context: made by ``new_context``, for the searches of one game on a large board.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    started = time.perf_counter()
    deadline = deadline_ns(limits)
    decided = _finished_game(position) or _immediate_win(position) or _from_book(position, limits)
    if decided is not None:
        return replace(decided, elapsed_ms=_elapsed_ms(started))
    select = solvers()
    budget = select.new_budget(limits, deadline, stop)
    info: SearchInfo | None = None
    for info in select.iterate(position, limits, budget, context):
        if progress is not None:
            progress(replace(info, nodes=select.nodes(budget)))
    ended_by = select.ended_by(budget)
    if ended_by == "stop":
        raise SearchStopped
    if info is None or (limits.max_depth != 1 and _is_avoidable_loss(position, info)):
        info = _fallback(position, depth=0 if info is None else info.depth)
    best = _images(position, info.move) if info.score.exact else (info.move,)
    rest = replace(limits, deadline_ns=deadline)
    line, in_time = whole_line(position, info.line, info.score, rest, stop=stop)
    return SearchResult(
        move=info.move,
        score=info.score,
        line=line,
        best_moves=best,
        best_moves_complete=len(best) == len(position.legal_moves()),
        depth=info.depth,
        nodes=select.nodes(budget),
        elapsed_ms=_elapsed_ms(started),
        stopped_by=_stopped_by(ended_by, info.score) if in_time else "time",
    )


def whole_line(
    position: Position, line: tuple[int, ...], value: Score, limits: Limits, *, stop: Stop | None = None
) -> tuple[tuple[int, ...], bool]:
    """A principal variation, played on to the end of the game where that is near and certain.

    Args:
        position: where the line begins.
        line: at least its first move.
        value: its value; an exact win or loss within ``WHOLE_LINE`` plies is played on.
        limits: those of the search, of which the depth cutoff and the deadline count; the nodes are not counted
            among those of the search, but bounded by ``LINE_NODES`` for each move.
        stop: ends the search.

    Returns:
        The line, and whether the clock has left it time.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    left = (value.distance or 0) - len(line)
    if not value.exact or value.outcome == "draw" or left <= 0 or left + len(line) > WHOLE_LINE:
        return line, True
    last = position
    for move in line:
        last = last.play(move)
    depth = None if limits.max_depth is None else left
    found = search(last, Limits(LINE_NODES, depth, deadline_ns=limits.deadline_ns), stop=stop)
    if not found.score.exact or found.distance != left:
        return line, found.stopped_by != "time"
    return (*line, *found.line), True


WHOLE_LINE = 9
"""An exact win or loss within so many plies has a line that goes to the end of the game."""

LINE_NODES = 100_000
"""The most nodes of a search that plays a line on by one move at least."""


def solvable(rules: Rules) -> bool:
    """Whether boards of these rules go to an exact solver, which a budget can bring to a proof."""
    return bool(solvers().solvable(rules))


def fits_exact(rules: Rules) -> bool:
    """Whether an exact solver takes boards of these rules."""
    return bool(solvers().fits_exact(rules))


def new_context(rules: Rules) -> SearchContext:
    """An empty memory for the searches of one game on a large board: these are stronger, and no longer repeatable."""
    context: SearchContext = solvers().new_context(rules)
    return context


def evaluate(position: Position) -> Score:
    """The value of an ongoing position without a search: a draw where no line is open, else the line heuristic."""
    value: Score = solvers().evaluate(position)
    return value


def warm_up(report: Callable[[str], None] | None = None) -> None:
    """Load every kernel, or compile what has not been compiled yet.

    Args:
        report: gets the name of each solver before it is loaded.

    >>> warm_up()
    """
    for name, example in _examples():
        if report is not None:
            report(name)
        search(example, Limits(max_nodes=1000))


def deadline_ns(limits: Limits) -> int | None:
    """The end of the time that begins now, on the scale of ``time.monotonic_ns()``; None where there is none."""
    if limits.time_limit_ms is None:
        return limits.deadline_ns
    return limits.until(time.monotonic_ns() + limits.time_limit_ms * NANOSECONDS_PER_MS).deadline_ns


def _elapsed_ms(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _examples() -> Iterator[tuple[str, Position]]:
    """A position for each solver, with the solver's name."""
    yield "depth limited", Position.empty(Rules(5, 5, 3, misere=True))
    yield "large boards", Position.empty(Rules(9, 9, 5))
    yield "free placement", Position.empty(Rules(3, 4, 4))
    yield "gravity", Position.empty(Rules(3, 4, 4, gravity=True))
    yield "opening book", Position.empty(Rules(6, 7, 4, gravity=True))


def _finished_game(position: Position) -> SearchResult | None:
    """The result where the game is over."""
    value = position.final_score()
    if value is None:
        return None
    return SearchResult(None, value, (), (), True, 0, 0, 0.0, "proof", "rules")


def _immediate_win(position: Position) -> SearchResult | None:
    """The result where the side to move can win at once; its set of best moves is whole."""
    winning = winning_moves(position)
    if not winning:
        return None
    move = position.geometry.first_of(winning)
    return SearchResult(move, score.win(position.rules.cells, 1), (move,), winning, True, 1, 1, 0.0, "proof")


def _from_book(position: Position, limits: Limits) -> SearchResult | None:
    """The result where a shipped book knows every move; a depth cutoff asks for none."""
    opening = book.shipped(position.rules)
    known = opening.moves(position) if opening is not None and limits.max_depth is None else None
    if opening is None or not known:
        return None
    best = max(value.value for value in known.values())
    equals = tuple(sorted(move for move, value in known.items() if value.value == best))
    line = tuple(opening.line(position))
    value = known[line[0]]
    return SearchResult(line[0], value, line, equals, True, value.distance or 0, 0, 0.0, "proof", "book")


def _images(position: Position, move: int) -> tuple[int, ...]:
    """The moves that the position's own symmetries map this one on: all equally good, in tile order."""
    return tuple(sorted({permutation[move] for permutation in position.geometry.stabiliser(position.cells)}))


def _stopped_by(ended_by: str | None, value: Score) -> StoppedBy:
    """What ended a search: the end of the nodes changes nothing after an exact proof, the end of the time may."""
    if ended_by == "time":
        return "time"
    if value.exact:
        return "proof"
    if ended_by == "nodes":
        return "nodes"
    return "proof" if value.proven else "depth"


def _is_avoidable_loss(position: Position, info: SearchInfo) -> bool:
    """Whether a move that was chosen without a look at the replies loses at once though another does not."""
    if info.score.proven or (info.depth > 1 and len(info.line) > 1):
        return False
    safe = safe_moves(position)
    return bool(safe) and info.move not in safe


def _fallback(position: Position, depth: int) -> SearchInfo:
    """The answer where the budget ended before a move was valued: a legal move, safe if possible, and an estimate."""
    move = position.geometry.first_of(safe_moves(position) or position.legal_moves())
    return SearchInfo(move, evaluate(position), (move,), depth)
