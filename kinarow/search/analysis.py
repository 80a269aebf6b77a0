"""The value of every legal move: a search for the best move, then searches of the others with a second budget."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import median

from kinarow import score
from kinarow.game.geometry import Permutation
from kinarow.game.position import Position
from kinarow.game.tactics import completing_cells
from kinarow.score import Score
from kinarow.search.best_move import Listener, deadline_ns, load_before_time, search
from kinarow.search.calibration import calibrated
from kinarow.search.known import look_up
from kinarow.search.move_lists import search_moves
from kinarow.search_types import (
    MAX_LINE,
    NANOSECONDS_PER_MS,
    Analysis,
    Limits,
    MoveValue,
    SearchClock,
    SearchContext,
    SearchInfo,
    SearchResult,
    Stop,
    StoppedBy,
    worst,
)
from kinarow.solvers import select

FIRST_SHARE = 0.6  # The part of the time limit that the search for the best move may use
ESTIMATE_MS = 0.03
QUICK_VALUE_MS = 0.015
"""Time reserved for each waiting move: for its estimate without a search, and for looking up its quick value."""

QUICK_VALUES_SHARE = 0.5  # The part of the time after the first search that the quick values of all moves may use
LEAST_NODES = 50
LEAST_MS = 3
"""The smallest budget for the search of one move on a large board; less would hardly improve on its quick value."""

FIRST_LOOK_NODES = 20_000  # Nodes of a short search before that of an exact solver, for a listener: some milliseconds
LIVE_LEAST_NODES = 200
LIVE_MOST_NODES = 20_000  # Node budget of a short search that values one of the best moves between two iterations
FINALISTS = 4  # The number of allowed moves that share the last part of a budget; all of them share the parts before
STEP = 10.0**-score.ESTIMATE_DECIMALS  # The difference by which an estimate is kept below the value of the chosen move

Orbit = list[tuple[int, Permutation]]  # Equal moves, each with the permutation that maps the first one to it


def analyse(
    position: Position,
    limits: Limits,
    *,
    stop: Stop | None = None,
    progress: Listener | None = None,
    live_moves: int = 0,
    allowed: tuple[int, ...] | None = None,
    first: SearchResult | None = None,
    known: tuple[MoveValue, ...] = (),
) -> Analysis:
    """The value of every legal move, or of the allowed ones.

    First ``search`` finds the best move within the limits. Then the other moves are valued with a second node budget of
    the same size; of moves that are equal by symmetry, only one is searched. The time limit bounds both, and the first
    search may use ``FIRST_SHARE`` of it. No estimate is above the value of the chosen move, because the first search
    has compared that move with all others, and has looked deeper.

    Where the result of the first search is known, it is ``first``; ``known`` are the values of some moves, which those
    of symmetric ones follow. ``progress`` is called with each iteration of the first search and with the ``live_moves``
    best moves so far. Short searches value these; they cost time, but change no answer unless time ends the search.
    """
    clock = SearchClock()
    first_limits = replace(limits, time_limit_ms=limits.share_ms(FIRST_SHARE))
    with select.shared_table(position, limits) as shared:
        if first is not None:
            result = first
        elif allowed is None:
            result = _first_search(position, first_limits, stop, progress, live_moves, shared)
        else:
            result = search_among(position, first_limits, allowed, stop=stop)
        if result.move is None:
            return Analysis(None, result.score, (), (), True, 0, 0, clock.ms, "proof", result.source)
        valuer = _Valuer(position, limits, clock, stop, shared)
        known = (MoveValue(result.move, result.score, result.line), *known)
        values, nodes, stopped_by = _values(position, known, allowed or position.legal_moves(), valuer)
    held = {move: _at_most_chosen(value, result.score, position.rules.cells) for move, value in values.items()}
    ranked = in_order(held.values(), _choose(held, result).move)
    ranked = _calibrated(_as_known(ranked, result.score), position, limits)
    chosen = ranked[0]
    best, complete = _equals(ranked)
    return Analysis(
        move=chosen.move,
        score=chosen.score,
        line=chosen.line,
        best_moves=best,
        best_moves_complete=complete,
        depth=result.depth,
        nodes=result.nodes + nodes,
        elapsed_ms=clock.ms,
        stopped_by=worst((result.stopped_by, stopped_by)),
        source=result.source,
        moves=tuple(ranked),
    )


def _first_search(
    position: Position,
    limits: Limits,
    stop: Stop | None,
    progress: Listener | None,
    live_moves: int,
    shared: SearchContext | None,
) -> SearchResult:
    """The search for the best move; with ``live_moves`` the listener gets their values too, and soon a first result."""
    listener = progress
    if progress is not None and live_moves > 0:
        live = _LiveMoves(position, limits, stop, progress, live_moves)
        limits, listener = _after_first_look(position, limits, stop, live)
    return search(position, limits, stop=stop, progress=listener, context=shared)


def _after_first_look(
    position: Position, limits: Limits, stop: Stop | None, progress: Listener
) -> tuple[Limits, Listener]:
    """The limits and the listener of a search after a short one, where an exact solver tells nothing until its end.

    The listener is called with what the short search finds, unless that is a proof, and later only with more depth.
    """
    # A search to a given depth tells of each ply by itself.
    quiet = select.fits_exact(position.rules) and limits.max_depth is None
    if not quiet or limits.max_nodes <= FIRST_LOOK_NODES:
        return limits, progress
    load_before_time(position, limits)
    deadline = deadline_ns(limits)
    if deadline is not None:
        limits = replace(limits, time_limit_ms=None).until(deadline)
    look = search(position, replace(limits, max_nodes=FIRST_LOOK_NODES), stop=stop)
    if look.move is None or look.proven or limits.expired:
        return limits, progress
    progress(SearchInfo(look.move, look.score, look.line, look.depth, look.nodes))

    def deeper(info: SearchInfo) -> None:
        if info.score.proven or info.depth > look.depth:
            progress(info)

    return limits, deeper


def _values(
    position: Position, known: tuple[MoveValue, ...], allowed: tuple[int, ...], valuer: "_Valuer"
) -> tuple[dict[int, MoveValue], int, StoppedBy]:
    """The values of the allowed moves, the nodes of their searches, and the reason why these ended."""
    orbits = _orbits(position, allowed)
    values: dict[int, MoveValue] = {}
    for value in reversed(known):  # those of the first search count
        _fill_orbit(value, values, orbits)
    waiting = [
        move
        for move in position.geometry.move_order
        if move in orbits and move == orbits[move][0][0] and move not in values
    ]
    others, nodes, stopped_by = valuer.values(waiting)
    for value in others:
        _fill_orbit(value, values, orbits)
    return values, nodes, stopped_by


def search_among(
    position: Position, limits: Limits, allowed: tuple[int, ...], *, stop: Stop | None = None
) -> SearchResult:
    """The best of some moves, which are legal and in tile order, and how good it is.

    Half of the budget goes to a search of all moves. If it finds an allowed move, that is the answer. Otherwise the
    rest goes to searches of the positions after the allowed moves; the last part of it goes to the best few.
    """
    clock = SearchClock()
    first = search(position, _half(limits), stop=stop)
    if first.move in allowed:
        best = tuple(move for move in first.best_moves if move in allowed)
        complete = first.best_moves_complete or len(best) == len(allowed)
        return replace(first, best_moves=best, best_moves_complete=complete)
    return _search_children(position, limits, allowed, first, clock, stop)


def _search_children(
    position: Position,
    limits: Limits,
    allowed: tuple[int, ...],
    first: SearchResult,
    clock: SearchClock,
    stop: Stop | None,
) -> SearchResult:
    """The best of the allowed moves by searches of the positions after them, after a first search of all moves."""
    orbits = _orbits(position, allowed)
    order = position.geometry.move_order
    waiting = sorted({orbit[0][0] for orbit in orbits.values()}, key=order.index)
    values: dict[int, MoveValue] = {}
    nodes, reasons = first.nodes, [first.stopped_by]
    while waiting:
        last = len(waiting) <= FINALISTS
        left = replace(limits, max_nodes=limits.max_nodes - nodes)
        valuer = _Valuer(position, left if last else _half(left), clock, stop)
        children, spent, stopped_by = valuer.values(waiting)
        nodes += spent
        reasons.append(stopped_by)
        for value in children:
            held = _at_most_chosen(value, first.score, position.rules.cells)
            _fill_orbit(held, values, orbits)
        open_moves = [value for value in children if not value.score.proven]
        waiting = [] if last else [each.move for each in in_order(open_moves)[:FINALISTS]]
    best_value = max(value.score.value for value in values.values())
    move = position.geometry.first_of({v.move for v in values.values() if v.score.value == best_value})
    ranked = _calibrated(_as_known(in_order(values.values(), move), first.score), position, limits)
    chosen = ranked[0]
    best, complete = _equals(ranked)
    certain = all(value.score.exact for value in ranked) and "time" not in reasons
    reached = chosen.score.distance if chosen.score.exact and chosen.score.distance else 1
    return SearchResult(
        move=chosen.move,
        score=chosen.score,
        line=chosen.line,
        best_moves=best,
        best_moves_complete=complete,
        depth=reached if limits.max_depth is None else min(reached, limits.max_depth),
        nodes=nodes,
        elapsed_ms=clock.ms,
        stopped_by="proof" if certain else worst(reasons),
        source="search" if nodes else first.source,
    )


def in_order(values: Iterable[MoveValue], first: int | None = None) -> list[MoveValue]:
    """The values by score, the best first, equal ones by tile; the move ``first`` before all."""
    return sorted(values, key=lambda value: (value.move != first, -value.score.value, value.move))


def _half(limits: Limits) -> Limits:
    return replace(limits, max_nodes=max(1, limits.max_nodes // 2), time_limit_ms=limits.share_ms(1 / 2))


class _LiveMoves:
    """Adds the values of the best moves so far to each iteration, and passes it on to a listener.

    On large plain boards the first of them are quick values, so that they come at once; short searches, which take
    several times as long as the first iteration, follow with the next iterations.
    """

    def __init__(self, position: Position, limits: Limits, stop: Stop | None, listener: Listener, count: int) -> None:
        self._position = position
        self._limits = limits
        load_before_time(position, limits)
        self._deadline = deadline_ns(limits)
        self._stop = stop
        self._listener = listener
        self._count = count
        self._values: dict[int, MoveValue] = {}
        self._order: list[int] = []

    def __call__(self, info: SearchInfo) -> None:
        """Value some moves besides the best one, and call the listener."""
        best = MoveValue(info.move, info.score, info.line)
        moves = (best,) if info.score.proven else (best, *self._others(info, best))
        self._listener(replace(info, moves=moves))

    def _others(self, info: SearchInfo, best: MoveValue) -> list[MoveValue]:
        """The values of the most promising other moves, best first."""
        value_of: _MoveValuer = self._search_move
        if not self._order:
            self._order, value_of = self._begin()
        cells = self._position.rules.cells
        nodes = max(LIVE_LEAST_NODES, min(LIVE_MOST_NODES, info.nodes // (2 * self._count)))
        depth = self._limits.max_depth
        limits = Limits(nodes, None if depth is None else max(1, depth - 1), deadline_ns=self._deadline)
        for move in [move for move in self._order if move != info.move][: self._count - 1]:
            if limits.expired:
                break
            after, line = value_of(move, limits)
            value = MoveValue(move, score.before_move(after, cells), (move, *line)[:MAX_LINE])
            self._values[move] = _at_most_chosen(value, best.score, cells)
        self._order.sort(key=lambda move: -self._values[move].score.value if move in self._values else 0.0)
        valued = [self._values[move] for move in self._order if move in self._values and move != info.move]
        valued = _calibrated(valued, self._position, self._limits)
        return in_order(valued)[: self._count - 1]

    def _begin(self) -> tuple[list[int], "_MoveValuer"]:
        """The moves, the most promising first, and how the first of them are valued."""
        position = self._position
        final = set(completing_cells(position, position.to_move))
        others = [move for move in position.legal_moves() if move not in final]
        if not select.has_quick_values(position, self._limits):
            evaluation = select.evaluations(position)
            return sorted(others, key=lambda move: evaluation(move).value), self._search_move
        quick = select.QuickMoveValues(position)
        order = sorted(others, key=quick.move_order_score, reverse=True)
        return order, lambda move, _limits: (quick.value_after(move), ())

    def _search_move(self, move: int, limits: Limits) -> tuple[Score, tuple[int, ...]]:
        """The value of the position after a move and its principal variation, by a search."""
        result = search(self._position.play(move), limits, stop=self._stop)
        return result.score, result.line


_MoveValuer = Callable[[int, Limits], tuple[Score, tuple[int, ...]]]
"""Gives the value of the position after a move, for its side to move, and its principal variation."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the waiting moves are valued."""

    moves: list[int]  # in the order in which they get their part of the budget
    estimate: Callable[[int], Score]  # the value of the position after a move without a search
    quick: bool = False  # whether estimate is a quick value, known before any search; a proven one needs no search
    least_nodes: int = 0  # the fewest nodes for a move; the last moves may therefore get none
    least_ms: int = 1  # the fewest milliseconds for a move, 1 or more
    kept_ms: float = ESTIMATE_MS  # milliseconds reserved for each move
    stopped_by: StoppedBy = "proof"  # time if the clock has shaped the plan


@dataclass(slots=True)
class _Outcome:
    """The values of moves, by whether they were searched, what these searches cost and what ended them."""

    searched: list[MoveValue] = field(default_factory=list)
    unsearched: list[MoveValue] = field(default_factory=list)
    nodes: int = 0
    reasons: list[StoppedBy] = field(default_factory=list)


@dataclass(frozen=True)
class _Valuer:
    """Values the moves of one position that the first search did not choose."""

    position: Position
    limits: Limits
    clock: SearchClock
    stop: Stop | None
    shared: SearchContext | None = None

    def values(self, waiting: list[int]) -> tuple[list[MoveValue], int, StoppedBy]:
        """The values of these moves within the limits, the nodes of their searches and the reason why these ended."""
        plan = self._plan(waiting)
        outcome = self._by_lists(plan) if plan.quick else self._one_by_one(plan, plan.moves)
        unsearched = outcome.unsearched
        if plan.quick:
            unsearched = _discount_unsearched(unsearched, outcome.searched, plan, self.position.rules.cells)
        return outcome.searched + unsearched, outcome.nodes, worst((plan.stopped_by, *outcome.reasons))

    def _one_by_one(self, plan: _Plan, moves: list[int], spent_nodes: int = 0, seen: int = 0) -> "_Outcome":
        """The values of these moves within the remaining nodes; moves ``seen`` without a search have a share too."""
        outcome = _Outcome(nodes=spent_nodes)
        for index, move in enumerate(moves):
            if self.stop is not None:
                self.stop.check()
            share = self._share(plan, self.limits.max_nodes - outcome.nodes, len(moves) + seen - index)
            value, spent, stopped_by = self._value(move, share, plan)
            outcome.nodes += spent
            outcome.reasons.append(stopped_by)
            (outcome.searched if spent else outcome.unsearched).append(value)
        return outcome

    def _by_lists(self, plan: _Plan) -> "_Outcome":
        """The values of all moves. Moves whose value takes only a search are searched by kernel calls in lists."""
        position, cells = self.position, self.position.rules.cells
        children = {move: position.play(move) for move in plan.moves}
        seen = [value for move, child in children.items() if (value := self._seen(move, child, plan)) is not None]
        known = {value.move for value in seen}
        waiting = [move for move in plan.moves if move not in known]
        listed = [move for move in waiting if select.takes_lists(children[move], self.limits)]
        limits = self._limits_of_lists(plan, self.limits.max_nodes * len(listed) // max(1, len(waiting)))
        share = max(self.limits.max_nodes // len(plan.moves), min(limits.max_nodes, plan.least_nodes)) if listed else 0
        found = search_moves(position, listed, share, limits, self.stop or Stop())
        nodes = sum(each.nodes for each in found.values())
        others = [move for move in waiting if move not in listed]
        outcome = self._one_by_one(plan, others, nodes, len(seen))
        outcome.unsearched += seen
        for move in listed:
            result = found.get(move)
            if result is None or result.score is None:
                value = MoveValue(move, score.before_move(plan.estimate(move), cells), (move,))
                outcome.unsearched.append(value)
                outcome.reasons.append(result.stopped_by if result else "time" if limits.expired else "nodes")
            else:
                outcome.searched.append(MoveValue(move, score.before_move(result.score, cells), result.line))
                outcome.reasons.append(result.stopped_by)
        return outcome

    def _limits_of_lists(self, plan: _Plan, nodes: int) -> Limits:
        """Limits of ``nodes`` nodes, with a deadline in place of the time limit."""
        left_ms = self._time_left(1, plan.least_ms, len(plan.moves) * plan.kept_ms)
        limits = replace(self.limits, max_nodes=nodes, time_limit_ms=None)
        return limits if left_ms is None else limits.until(time.monotonic_ns() + left_ms * NANOSECONDS_PER_MS)

    def _plan(self, waiting: list[int]) -> _Plan:
        """The plan for these moves. On a large board the most promising come first, since the budget may end early."""
        position, limits = self.position, self.limits
        if not select.has_quick_values(position, limits):
            estimates = cache(lambda: select.evaluations(position))
            return _Plan(waiting, lambda move: estimates()(move))
        quick, stopped_by = self._quick_values(waiting)
        best_first = sorted(waiting, key=lambda move: quick[move].value)
        return _Plan(best_first, quick.__getitem__, True, LEAST_NODES, LEAST_MS, QUICK_VALUE_MS, stopped_by)

    def _quick_values(self, waiting: list[int]) -> tuple[dict[int, Score], StoppedBy]:
        """The quick value of the position after each move, and ``time`` if the time ran out.

        The most promising moves come first. If the time does not suffice for a move, it gets the value of a null
        move, which is below the value of nearly any move.
        """
        quick = select.QuickMoveValues(self.position)
        values = dict.fromkeys(waiting, quick.value_of_pass())
        end = math.inf
        if self.limits.time_limit_ms is not None:
            end = self.clock.ms + (self.limits.time_limit_ms - self.clock.ms) * QUICK_VALUES_SHARE
        for move in sorted(waiting, key=quick.move_order_score, reverse=True):
            if self.stop is not None:
                self.stop.check()
            if self.limits.expired or self.clock.ms >= end:
                return values, "time"
            values[move] = quick.value_after(move)
        return values, "proof"

    def _share(self, plan: _Plan, nodes_left: int, remaining: int) -> Limits:
        """The share of the budget for the next of ``remaining`` moves; it may be zero."""
        limits = self.limits
        nodes = max(nodes_left // remaining, min(nodes_left, plan.least_nodes))
        milliseconds = self._time_left(remaining, plan.least_ms, remaining * plan.kept_ms)
        if milliseconds and nodes * select.node_ms(self.position.rules) <= milliseconds:
            # The node limit ends it in time, so it may use all the time if the machine halts for a moment.
            milliseconds = self._time_left(1, plan.least_ms, remaining * plan.kept_ms)
        return Limits(
            max_nodes=nodes,
            max_depth=None if limits.max_depth is None else limits.max_depth - 1,
            time_limit_ms=milliseconds,
            deadline_ns=limits.deadline_ns,
            threads=limits.threads,
        )

    def _time_left(self, moves: int, least_ms: int, kept_ms: float) -> int | None:
        """An equal share of the time for each of ``moves`` moves, in whole milliseconds; 0 if too little is left."""
        if self.limits.time_limit_ms is None:
            return None
        left = self.limits.time_limit_ms - self.clock.ms - kept_ms
        return max(least_ms, int(left / moves)) if left >= least_ms else 0

    def _value(self, move: int, limits: Limits, plan: _Plan) -> tuple[MoveValue, int, StoppedBy]:
        child, cells = self.position.play(move), self.position.rules.cells
        seen = self._seen(move, child, plan)
        if seen is not None:
            return seen, 0, "proof"
        spent = _spent(limits)
        if spent is not None:
            value = plan.estimate(move)
            # A search with more time would also have found a line.
            stopped_by = "proof" if value.proven and spent != "time" else spent
            return MoveValue(move, score.before_move(value, cells), (move,)), 0, stopped_by
        infos: list[SearchInfo] = []
        result = search(
            child, limits, stop=self.stop, progress=infos.append if plan.quick else None, context=self.shared
        )
        value, line = result.score, (move, *result.line)[:MAX_LINE]
        if plan.quick and not infos and not value.proven:
            # The search ended before it had as much as a quick value.
            value, line = plan.estimate(move), (move,)
        return MoveValue(move, score.before_move(value, cells), line), result.nodes, result.stopped_by

    def _seen(self, move: int, child: Position, plan: _Plan) -> MoveValue | None:
        """The value of a move that needs no search: it ends the game, or a book or its quick value says how it ends."""
        cells = self.position.rules.cells
        final = child.final_score()
        if final is not None:
            return MoveValue(move, score.before_move(final, cells), (move,))
        noted = look_up.value(child) if self.limits.max_depth is None else None
        if noted is not None:
            value, line = noted
            return MoveValue(move, score.before_move(value, cells), (move, *line))
        if plan.quick and (value := plan.estimate(move)).proven:
            return MoveValue(move, score.before_move(value, cells), (move,))
        return None


def _spent(limits: Limits) -> StoppedBy | None:
    """The limit that allows no search at all, or None."""
    if limits.max_depth == 0:
        return "depth"
    if limits.max_nodes < 1:
        return "nodes"
    return "time" if limits.time_limit_ms == 0 else None


def _orbits(position: Position, moves: tuple[int, ...]) -> dict[int, Orbit]:
    """For each move, the moves equal to it by symmetry; the earliest in the fixed order comes first."""
    stabiliser = position.geometry.stabiliser(position.cells)
    if len(stabiliser) == 1:
        return {move: [(move, stabiliser[0])] for move in moves}
    order = {cell: place for place, cell in enumerate(position.geometry.move_order)}
    orbits = {}
    for move in moves:
        images = {permutation[move]: permutation for permutation in reversed(stabiliser) if permutation[move] in moves}
        orbits[move] = sorted(images.items(), key=lambda image: order[image[0]])
    return orbits


def _fill_orbit(value: MoveValue, values: dict[int, MoveValue], orbits: dict[int, Orbit]) -> None:
    """Enter the value of a move for it and for the moves that are equal to it by symmetry."""
    values[value.move] = value
    for image, permutation in orbits[value.move]:
        if image not in values:
            values[image] = MoveValue(image, value.score, tuple(permutation[cell] for cell in value.line))


def _discount_unsearched(
    unsearched: list[MoveValue], searched: list[MoveValue], plan: _Plan, cells: int
) -> list[MoveValue]:
    """Lower the quick values of unsearched moves by the median difference between quick and searched values.

    A quick value ignores the reply, so without this step unsearched moves would look better than searched ones.
    """
    drops = [
        score.before_move(plan.estimate(value.move), cells).value - value.score.value
        for value in searched
        if not value.score.proven
    ]
    drop = median(drops) if drops else 0.0
    if drop <= 0:
        return unsearched
    return [
        value if value.score.proven else replace(value, score=_lowered(value.score.value, drop)) for value in unsearched
    ]


def _calibrated(values: list[MoveValue], position: Position, limits: Limits) -> list[MoveValue]:
    """The values with expected results in the view of this position: a better estimate has no worse expected result."""
    return [
        value if value.score.proven else replace(value, score=calibrated(value.score, position, limits))
        for value in values
    ]


def _at_most_chosen(value: MoveValue, chosen: Score, cells: int) -> MoveValue:
    """The value of a move, made consistent with the search that chose a move.

    If that search proved a loss in n, every move loses in n or less, so a bound beyond n becomes n. If it found
    an estimate or a draw, the estimates of other moves, which were searched less, are kept below that value.
    """
    if chosen.outcome == "loss":
        if value.score.exact or value.score.value <= chosen.value:
            return value
        assert chosen.distance is not None
        return replace(value, score=score.loss(cells, chosen.distance, is_bound=True))
    if value.score.proven or chosen.outcome == "win":
        return value
    above = value.score.value > chosen.value or (chosen.proven and value.score.value == chosen.value)
    return replace(value, score=_lowered(chosen.value, STEP)) if above else value


def _lowered(value: float, drop: float) -> Score:
    """An estimate that is ``drop`` below a value; the value is an estimate or 0."""
    lower = round(value - drop, score.ESTIMATE_DECIMALS)
    return Score(max(-score.MAX_ESTIMATE, lower) + 0.0, "unknown", None)


def _choose(values: dict[int, MoveValue], result: SearchResult) -> MoveValue:
    """The move of the first search, unless another move was then proven to be better."""
    assert result.move is not None
    chosen = values[result.move]
    if result.score.exact:
        return chosen
    best = max(values.values(), key=lambda value: (value.score.value, -value.move))
    if best.score.proven and best.score.value > chosen.score.value:
        return best
    if chosen.score.outcome == "loss" and best.score.value > chosen.score.value:
        return best
    return chosen


def _as_known(ranked: list[MoveValue], searched: Score) -> list[MoveValue]:
    """The ranked moves, the first one with no more than is known of the position that it is the best move of.

    ``searched`` is the score by a search of all moves. If that does not bound the value of the position, and the
    values of some moves are not certain, one of these moves may be better than the first: a win is the quickest only
    by a bound, and a draw is not proven.
    """
    chosen = ranked[0]
    bounded = searched.exact and searched.value <= chosen.score.value
    if bounded or not chosen.score.exact or chosen.score.outcome == "loss" or _equals(ranked)[1]:
        return ranked
    is_win = chosen.score.outcome == "win"
    known = replace(chosen.score, is_bound=True) if is_win else Score(0.0, "unknown", None)
    return [replace(chosen, score=known), *ranked[1:]]


def _equals(ranked: list[MoveValue]) -> tuple[tuple[int, ...], bool]:
    """The moves known to be exactly as good as the first, in tile order, and whether the list is complete."""
    chosen = ranked[0]
    if not chosen.score.exact:
        return (chosen.move,), len(ranked) == 1
    best = sorted(value.move for value in ranked if value.score.exact and value.score.value == chosen.score.value)
    return tuple(best), all(value.score.exact or _surely_worse(value.score, chosen.score) for value in ranked)


def _surely_worse(value: Score, best: Score) -> bool:
    """Whether a move without an exact value is certainly worse than the best move; immediate wins are always exact."""
    if best.outcome == "win" and best.distance == 1:
        return True
    return value.outcome == "loss" and best.outcome != "loss"
