"""Values moves of a position one by one or in lists, beside the search for the best move."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from statistics import median

from kinarow import score
from kinarow.game.position import Position
from kinarow.score import Score
from kinarow.search.best_move import complete_pv, search
from kinarow.search.known import look_up
from kinarow.search.move_lists import MoveLists
from kinarow.search_types import (
    MAX_LINE,
    NANOSECONDS_PER_MS,
    Limits,
    MoveValue,
    SearchClock,
    SearchContext,
    SearchInfo,
    SearchStopped,
    Stop,
    StoppedBy,
    weakest_reason,
)
from kinarow.solvers import select

ESTIMATE_MS = 0.03
QUICK_VALUE_MS = 0.015
"""Milliseconds reserved for each unsearched move, to get its estimate or (on large boards) its quick value."""

QUICK_VALUES_SHARE = 0.5  # The part of the time after the first search that the quick values of all moves may use
LEAST_NODES = 50
LEAST_MS = 3
"""The smallest budget for the search of one move on a large board; less would hardly improve on its quick value."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan of a ``values`` call: which moves need a search, in which order, and with how much of the budget."""

    moves: list[int]  # in the order in which they are searched
    children: dict[int, Position]  # the position after each move
    estimate: Callable[[int], Score]  # the static value of the position after a move, for the side to move there
    seen: dict[int, MoveValue]  # the values of moves that need no search
    listed: frozenset[int] = frozenset()  # the moves that ``MoveLists`` searches, many in one kernel call
    quick: bool = False  # whether estimate is a quick value, computed for all moves before any search
    least_nodes: int = 0  # the fewest nodes that a search gets; so none may be left for the last moves
    least_ms: int = 1  # the fewest milliseconds that a search gets, at least 1
    kept_ms: float = ESTIMATE_MS  # milliseconds reserved for each move's estimate
    stopped_by: StoppedBy = "proof"  # ``time`` if time ran out while planning, else ``proof``


@dataclass(slots=True)
class _Outcome:
    """The results of a ``values`` call so far, and their cost."""

    searched: list[MoveValue] = field(default_factory=list)
    unsearched: list[MoveValue] = field(default_factory=list)
    nodes: int = 0
    reasons: list[StoppedBy] = field(default_factory=list)


@dataclass
class MoveValuer:
    """Values moves of one position within limits; the time limit runs from the start of ``clock``."""

    position: Position
    limits: Limits
    clock: SearchClock
    stop: Stop | None = None
    shared: SearchContext | None = None

    def __post_init__(self) -> None:
        self._lists = MoveLists(self.position, self.stop or Stop())
        self._ahead: _Plan | None = None

    def search_ahead(self, moves: list[int], helper: Stop) -> None:
        """Search lists in a helper, ahead of ``values`` of all these moves but the best; it changes no result."""
        try:
            plan = self._ahead = self._ahead or self._plan(moves)
            share = max(self.limits.max_nodes // max(1, len(moves) - 1), plan.least_nodes)
            self._lists.search_ahead([move for move in plan.moves if move in plan.listed], share, helper)
        except SearchStopped:
            return

    def values(self, waiting: list[int]) -> tuple[list[MoveValue], int, StoppedBy]:
        """Return the values of these moves, the nodes searched and the weakest reason why a search ended."""
        if self._ahead is None:
            plan = self._plan(waiting)
        else:
            asked = set(waiting)
            plan = replace(self._ahead, moves=[move for move in self._ahead.moves if move in asked])
        outcome = _Outcome()
        self._search_lists(plan, outcome)
        self._search_each(plan, outcome)
        if plan.quick:
            self._discount_unsearched(plan, outcome)
        return outcome.searched + outcome.unsearched, outcome.nodes, weakest_reason((plan.stopped_by, *outcome.reasons))

    def _search_each(self, plan: _Plan, outcome: _Outcome) -> None:
        """Search one by one, with equal parts of the remaining budget, the moves that are in no list."""
        moves = [move for move in plan.moves if move not in plan.listed]
        for index, move in enumerate(moves):
            if self.stop is not None:
                self.stop.check()
            if move in plan.seen:
                outcome.unsearched.append(plan.seen[move])
                continue
            share = self._share(plan, self.limits.max_nodes - outcome.nodes, len(moves) - index)
            self._search(move, share, plan, outcome)

    def _search_lists(self, plan: _Plan, outcome: _Outcome) -> None:
        """Search the plan's ``listed`` moves, with their part of the nodes of all moves that need a search."""
        listed = [move for move in plan.moves if move in plan.listed]
        if not listed:
            return
        cells = self.position.rules.cells
        unseen = sum(move not in plan.seen for move in plan.moves)
        limits = self.limits.part(max_nodes=self.limits.max_nodes * len(listed) // unseen, time_limit_ms=None)
        left_ms = self._time_left(plan, len(plan.moves))
        if left_ms is not None:
            limits = limits.until(time.monotonic_ns() + left_ms * NANOSECONDS_PER_MS)
        share = max(self.limits.max_nodes // len(plan.moves), min(limits.max_nodes, plan.least_nodes))
        found = self._lists.search(listed, share, limits)
        outcome.nodes += sum(each.nodes for each in found.values())
        for move in listed:
            result = found.get(move)
            if result is None or result.score is None:
                outcome.unsearched.append(self._estimated(move, plan))
                outcome.reasons.append(result.stopped_by if result else "time" if limits.expired else "nodes")
            else:
                outcome.searched.append(MoveValue(move, score.parent_score(result.score, cells), result.line))
                outcome.reasons.append(result.stopped_by)

    def _plan(self, waiting: list[int]) -> _Plan:
        """Plan the searches of these moves; on a large board the most promising moves come first."""
        position, limits = self.position, self.limits
        children = {move: position.play(move) for move in waiting}
        if not select.has_quick_values(position, limits):
            estimates = cache(lambda: select.evaluations(position))
            return _Plan(waiting, children, lambda move: estimates()(move), self._seen(children))
        quick, stopped_by = self._quick_values(waiting)
        seen = self._seen(children)
        for move, value in quick.items():
            if value.proven and move not in seen:
                seen[move], in_time = self._with_ending(move, children[move], value)
                stopped_by = stopped_by if in_time else "time"
        listed = {
            move for move, child in children.items() if move not in seen and select.can_batch_moves(child, limits)
        }
        best_first = sorted(waiting, key=lambda move: quick[move].value)
        least = (LEAST_NODES, LEAST_MS, QUICK_VALUE_MS)
        return _Plan(best_first, children, quick.__getitem__, seen, frozenset(listed), True, *least, stopped_by)

    def _quick_values(self, waiting: list[int]) -> tuple[dict[int, Score], StoppedBy]:
        """Return the quick value after each move, for the side to move there, and ``time`` if time ran out.

        The most promising moves are valued first. The others then have the value of a null move, which is worse for
        the mover than nearly any move.
        """
        quick = select.QuickMoveValues(self.position)
        values = dict.fromkeys(waiting, quick.value_after())
        end = math.inf
        if self.limits.time_limit_ms is not None:
            end = self.clock.ms + (self.limits.time_limit_ms - self.clock.ms) * QUICK_VALUES_SHARE
        for move in sorted(waiting, key=quick.order_scores.__getitem__, reverse=True):
            if self.stop is not None:
                self.stop.check()
            if self.limits.expired or self.clock.ms >= end:
                return values, "time"
            values[move] = quick.value_after(move)
        return values, "proof"

    def _share(self, plan: _Plan, nodes_left: int, remaining: int) -> Limits:
        """Return the limits for the next of ``remaining`` moves: an equal part of what is left, which may be 0."""
        limits = self.limits
        nodes = max(nodes_left // remaining, min(nodes_left, plan.least_nodes))
        milliseconds = self._time_left(plan, remaining, shared=True)
        if milliseconds and nodes * select.node_ms(self.position.rules) <= milliseconds:
            # The node limit ends the search in time, so a pause of the machine need not cut it short.
            milliseconds = self._time_left(plan, remaining)
        depth = None if limits.max_depth is None else limits.max_depth - 1
        return limits.part(max_nodes=nodes, max_depth=depth, time_limit_ms=milliseconds)

    def _time_left(self, plan: _Plan, moves: int, *, shared: bool = False) -> int | None:
        """Return the milliseconds left for ``moves`` moves, if ``shared`` for one; 0 if too few, None for no limit."""
        if self.limits.time_limit_ms is None:
            return None
        left = self.limits.time_limit_ms - self.clock.ms - moves * plan.kept_ms
        return max(plan.least_ms, int(left / moves if shared else left)) if left >= plan.least_ms else 0

    def _search(self, move: int, limits: Limits, plan: _Plan, outcome: _Outcome) -> None:
        """Add the value of one move to ``outcome``: by a search, or its estimate if the limits allow no search."""
        reason = _spent(limits)
        if reason is not None:
            value = self._estimated(move, plan)
            # A search with more time would also have found a line.
            outcome.reasons.append("proof" if value.score.proven and reason != "time" else reason)
            outcome.unsearched.append(value)
            return
        infos: list[SearchInfo] = []
        progress = infos.append if plan.quick else None
        result = search(plan.children[move], limits, stop=self.stop, progress=progress, context=self.shared)
        if plan.quick and not infos and not result.score.proven:
            value = self._estimated(move, plan)  # the search ended before its first iteration
        else:
            line = (move, *result.line)[:MAX_LINE]
            value = MoveValue(move, score.parent_score(result.score, self.position.rules.cells), line)
        outcome.nodes += result.nodes
        outcome.reasons.append(result.stopped_by)
        (outcome.searched if result.nodes else outcome.unsearched).append(value)

    def _discount_unsearched(self, plan: _Plan, outcome: _Outcome) -> None:
        """Lower unsearched moves' quick values, which ignore the reply, by the median drop of the searched moves."""
        estimates = [each for each in outcome.searched if not each.score.proven]
        drops = [self._estimated(each.move, plan).score.value - each.score.value for each in estimates]
        drop = median(drops) if drops else 0.0
        if drop > 0:
            outcome.unsearched = [
                each if each.score.proven else replace(each, score=estimate_below(each.score.value, drop))
                for each in outcome.unsearched
            ]

    def _estimated(self, move: int, plan: _Plan) -> MoveValue:
        return MoveValue(move, score.parent_score(plan.estimate(move), self.position.rules.cells), (move,))

    def _with_ending(self, move: int, child: Position, value: Score) -> tuple[MoveValue, bool]:
        """Return the value of a move whose quick value is a proof, with its whole line, and False if time ran out."""
        limits = self.limits
        if limits.time_limit_ms is not None:
            left_ms = limits.time_limit_ms - self.clock.ms
            limits = limits.until(time.monotonic_ns() + int(left_ms * NANOSECONDS_PER_MS))
        line, in_time = complete_pv(child, (), value, limits, stop=self.stop)
        return MoveValue(move, score.parent_score(value, self.position.rules.cells), (move, *line)), in_time

    def _seen(self, children: dict[int, Position]) -> dict[int, MoveValue]:
        """Return the values of the moves that need no search: the move ends the game, or the book has its value."""
        cells, seen = self.position.rules.cells, {}
        for move, child in children.items():
            line: Iterator[int] = iter(())
            value = child.final_score()
            if value is None and self.limits.max_depth is None and (noted := look_up.value(child)):
                value, line = noted
            if value is not None:
                seen[move] = MoveValue(move, score.parent_score(value, cells), (move, *line))
        return seen


def _spent(limits: Limits) -> StoppedBy | None:
    """Return which limit is 0 and so allows no search, or None."""
    if limits.max_depth == 0:
        return "depth"
    if limits.max_nodes < 1:
        return "nodes"
    return "time" if limits.time_limit_ms == 0 else None


def estimate_below(value: float, drop: float) -> Score:
    """Return an estimate ``drop`` below a value, which is an estimate or 0; at least ``-MAX_ESTIMATE``."""
    lower = round(value - drop, score.ESTIMATE_DECIMALS)
    return Score(max(-score.MAX_ESTIMATE, lower) + 0.0, "unknown", None)
