"""The value of every legal move: a search for the best move, then searches of the others with a second budget."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace

from kinarow import score
from kinarow.cores import helping
from kinarow.game.geometry import Permutation
from kinarow.game.position import Position
from kinarow.game.tactics import completing_cells
from kinarow.score import Score
from kinarow.search.best_move import Listener, deadline_ns, load_before_time, search
from kinarow.search.calibration import calibrated
from kinarow.search.move_values import MoveValuer, estimate_below
from kinarow.search_types import (
    MAX_LINE,
    Analysis,
    Limits,
    MoveValue,
    SearchClock,
    SearchInfo,
    SearchResult,
    Stop,
    StoppedBy,
    weakest_reason,
)
from kinarow.solvers import select

FIRST_SHARE = 0.6  # The part of the time limit that the search for the best move may use
HELPED_NODES = 5_000  # Nodes of the first search of a large board before a helper starts: some five milliseconds
FIRST_LOOK_NODES = 20_000  # Nodes of the short search before an exact solver's, for a listener: some milliseconds
LIVE_LEAST_NODES = 200
LIVE_MOST_NODES = 20_000  # Node budget of a short search that values one of the best moves between two iterations
FINALISTS = 4  # The most allowed moves in a round after the first; with so few the round is the last
STEP = 10.0**-score.ESTIMATE_DECIMALS  # The difference by which an estimate is kept below the value of the chosen move

Orbit = list[tuple[int, Permutation]]  # The moves symmetric to a move, each with a symmetry that maps that move to it


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
    """Return the value of every legal move, or of the allowed ones.

    First ``search`` finds the best move within the limits. Then the other moves are valued with a second node budget of
    the same size; of symmetric moves only one is searched. The time limit bounds both, and the first search may use
    ``FIRST_SHARE`` of it. No estimate is above the value of the chosen move, because the first search has compared that
    move with all others, and has looked deeper.

    ``first`` replaces the first search with a known result; ``known`` has known values of some moves, which hold for
    symmetric moves too. ``progress`` is called with each iteration of the first search and with the ``live_moves`` best
    moves so far. Short searches value these; they cost time, but change no answer unless time ends the search.
    """
    clock = SearchClock()
    first_limits = limits.part(time_limit_ms=limits.share_ms(FIRST_SHARE))
    with select.shared_table(position, limits) as shared:
        valuer = MoveValuer(position, limits, clock, stop, shared)
        if first is not None:
            result = first
        elif allowed is None:
            result = _first_search(valuer, first_limits, progress, live_moves)
        else:
            result = search_among(position, first_limits, allowed, stop=stop)
        if result.move is None:
            return Analysis(None, result.score, (), (), True, 0, 0, clock.ms, "proof", result.source)
        known = (MoveValue(result.move, result.score, result.line), *known)
        values, nodes, stopped_by = _values(position, known, allowed or position.legal_moves(), valuer)
    held = {move: _at_most_chosen(value, result.score, position.rules.cells) for move, value in values.items()}
    ranked = _ranked(held, _choose(held, result).move, result.score, position, limits)
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
        stopped_by=weakest_reason((result.stopped_by, stopped_by)),
        source=result.source,
        moves=tuple(ranked),
    )


def _first_search(valuer: MoveValuer, limits: Limits, progress: Listener | None, live_moves: int) -> SearchResult:
    """Search for the best move; a helper may work ahead, and the listener gets the values of ``live_moves`` moves."""
    position, stop, listener = valuer.position, valuer.stop, progress
    if progress is not None and live_moves > 0:
        live = _LiveMoves(position, limits, stop, progress, live_moves)
        limits, listener = _after_first_look(position, limits, stop, live)
    with ExitStack() as helpers:
        if select.has_quick_values(position, limits) and limits.threads == 1:
            listener = _with_helper(valuer, helpers, listener)
        return search(position, limits, stop=stop, progress=listener, context=valuer.shared)


def _with_helper(valuer: MoveValuer, helpers: ExitStack, listener: Listener | None) -> Listener:
    """Return a listener that starts the valuer's helper after ``HELPED_NODES`` nodes; it ends with ``helpers``."""

    def work(stop: Stop) -> None:
        position = valuer.position
        valuer.search_ahead(_representatives(position, _orbits(position, position.legal_moves())), stop)

    waiting = [work]

    def listen(info: SearchInfo) -> None:
        if waiting and info.nodes >= HELPED_NODES:
            helpers.enter_context(helping(waiting.pop(), most=1))
        if listener is not None:
            listener(info)

    return listen


def _after_first_look(
    position: Position, limits: Limits, stop: Stop | None, progress: Listener
) -> tuple[Limits, Listener]:
    """Search briefly before an exact solver, which reports nothing until its end, so that the listener hears early.

    Return the limits and the listener for the exact solver; it passes on only a proof or a greater depth.
    """
    # A search with a depth limit reports each ply by itself.
    quiet = select.has_exact_solver(position.rules) and limits.max_depth is None
    if not quiet or limits.max_nodes <= FIRST_LOOK_NODES:
        return limits, progress
    load_before_time(position, limits)
    deadline = deadline_ns(limits)
    if deadline is not None:
        limits = limits.part(time_limit_ms=None).until(deadline)
    look = search(position, limits.part(max_nodes=FIRST_LOOK_NODES), stop=stop)
    if look.move is None or look.proven or limits.expired:
        return limits, progress
    progress(SearchInfo(look.move, look.score, look.line, look.depth, look.nodes))

    def deeper(info: SearchInfo) -> None:
        if info.score.proven or info.depth > look.depth:
            progress(info)

    return limits, deeper


def _values(
    position: Position, known: tuple[MoveValue, ...], allowed: tuple[int, ...], valuer: MoveValuer
) -> tuple[dict[int, MoveValue], int, StoppedBy]:
    """Return the value of every allowed move, the nodes searched and why the searches ended.

    Moves with a ``known`` value, and moves symmetric to them, are not searched.
    """
    orbits = _orbits(position, allowed)
    values: dict[int, MoveValue] = {}
    for value in reversed(known):  # if a move has two values, the first one counts
        _fill_orbit(value, values, orbits)
    waiting = [move for move in _representatives(position, orbits) if move not in values]
    others, nodes, stopped_by = valuer.values(waiting)
    for value in others:
        _fill_orbit(value, values, orbits)
    return values, nodes, stopped_by


def search_among(
    position: Position, limits: Limits, allowed: tuple[int, ...], *, stop: Stop | None = None
) -> SearchResult:
    """Return the best of the allowed moves, which are legal and in tile order.

    Half of the budget goes to a search of all moves. If that search chooses a move that is not allowed, ``_halve``
    spends the rest on the allowed moves.
    """
    clock = SearchClock()
    first = search(position, _half(limits), stop=stop)
    if first.move in allowed:
        best = tuple(move for move in first.best_moves if move in allowed)
        complete = first.best_moves_complete or len(best) == len(allowed)
        return replace(first, best_moves=best, best_moves_complete=complete)
    return _search_allowed(position, limits, allowed, first, clock, stop)


def _search_allowed(
    position: Position,
    limits: Limits,
    allowed: tuple[int, ...],
    first: SearchResult,
    clock: SearchClock,
    stop: Stop | None,
) -> SearchResult:
    """Return the best allowed move; ``first``, the search of all moves, has chosen a move that is not allowed."""
    values, spent, reasons = _halve(
        position, limits.part(max_nodes=limits.max_nodes - first.nodes), allowed, clock, stop
    )
    held = {move: _at_most_chosen(value, first.score, position.rules.cells) for move, value in values.items()}
    best_value = max(value.score.value for value in held.values())
    move = position.geometry.first_of({v.move for v in held.values() if v.score.value == best_value})
    ranked = _ranked(held, move, first.score, position, limits)
    chosen = ranked[0]
    best, complete = _equals(ranked)
    reasons = [first.stopped_by, *reasons]
    certain = chosen.score.exact and complete and "time" not in reasons
    reached = chosen.score.distance if chosen.score.exact and chosen.score.distance else 1
    nodes = first.nodes + spent
    return SearchResult(
        move=chosen.move,
        score=chosen.score,
        line=chosen.line,
        best_moves=best,
        best_moves_complete=complete,
        depth=reached if limits.max_depth is None else min(reached, limits.max_depth),
        nodes=nodes,
        elapsed_ms=clock.ms,
        stopped_by="proof" if certain else weakest_reason(reasons),
        source="search" if nodes else first.source,
    )


def _halve(
    position: Position, limits: Limits, allowed: tuple[int, ...], clock: SearchClock, stop: Stop | None
) -> tuple[dict[int, MoveValue], int, list[StoppedBy]]:
    """Value the allowed moves with half of the budget, then the best ``FINALISTS`` unproven ones with all the rest.

    If there are at most ``FINALISTS`` moves, they get the whole budget at once (sequential halving, Karnin et al. 2013,
    with few rounds). Return the values, the nodes and the reasons why the searches ended.
    """
    orbits = _orbits(position, allowed)
    waiting = _representatives(position, orbits)
    values: dict[int, MoveValue] = {}
    nodes, reasons = 0, list[StoppedBy]()
    while waiting:
        last = len(waiting) <= FINALISTS
        left = limits.part(max_nodes=limits.max_nodes - nodes)
        children, spent, stopped_by = MoveValuer(position, left if last else _half(left), clock, stop).values(waiting)
        nodes += spent
        reasons.append(stopped_by)
        for value in children:
            _fill_orbit(value, values, orbits)
        open_moves = [value for value in children if not value.score.proven]
        waiting = [] if last else [each.move for each in best_first(open_moves)[:FINALISTS]]
    return values, nodes, reasons


def best_first(values: Iterable[MoveValue], first: int | None = None) -> list[MoveValue]:
    """Sort values by score, the best first, and equal ones by tile; the move ``first`` comes before all."""
    return sorted(values, key=lambda value: (value.move != first, -value.score.value, value.move))


def _half(limits: Limits) -> Limits:
    """Return the limits with half of the nodes and half of the time, but not 0 nodes unless all are spent."""
    nodes = max(min(1, limits.max_nodes), limits.max_nodes // 2)
    return limits.part(max_nodes=nodes, time_limit_ms=limits.share_ms(1 / 2))


class _LiveMoves:
    """A listener that adds the values of the best moves so far: quick values at first, then by short searches."""

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
        """Value the next best moves again; return up to ``count - 1`` values besides the best move's, best first."""
        value_of: _MoveValuer = self._search_move
        if not self._order:
            self._order, value_of = self._first_order()
        cells = self._position.rules.cells
        nodes = max(LIVE_LEAST_NODES, min(LIVE_MOST_NODES, info.nodes // (2 * self._count)))
        depth = self._limits.max_depth
        limits = Limits(nodes, None if depth is None else max(1, depth - 1), deadline_ns=self._deadline)
        for move in [move for move in self._order if move != info.move][: self._count - 1]:
            if limits.expired:
                break
            after, line = value_of(move, limits)
            value = MoveValue(move, score.parent_score(after, cells), (move, *line)[:MAX_LINE])
            self._values[move] = _at_most_chosen(value, best.score, cells)
        self._order.sort(key=lambda move: -self._values[move].score.value if move in self._values else 0.0)
        valued = [self._values[move] for move in self._order if move in self._values and move != info.move]
        valued = _calibrated(valued, self._position, self._limits)
        return best_first(valued)[: self._count - 1]

    def _first_order(self) -> tuple[list[int], "_MoveValuer"]:
        """Return the moves that complete no line, the most promising first, and the function that values them first."""
        position = self._position
        final = set(completing_cells(position, position.to_move))
        others = [move for move in position.legal_moves() if move not in final]
        if select.has_quick_values(position, self._limits):
            quick = select.QuickMoveValues(position)
            order = sorted(others, key=quick.order_scores.__getitem__, reverse=True)
            return order, lambda move, _limits: (quick.value_after(move), ())
        evaluation = select.evaluations(position)  # of the positions after moves, for the other side
        return sorted(others, key=lambda move: evaluation(move).value), self._search_move

    def _search_move(self, move: int, limits: Limits) -> tuple[Score, tuple[int, ...]]:
        result = search(self._position.play(move), limits, stop=self._stop)
        return result.score, result.line


_MoveValuer = Callable[[int, Limits], tuple[Score, tuple[int, ...]]]
"""Returns the value of the position after a move, for the side to move there, and its principal variation."""


def _orbits(position: Position, moves: tuple[int, ...]) -> dict[int, Orbit]:
    """Return for each move the symmetric ones among ``moves``, itself too, in the fixed order of moves."""
    stabiliser = position.geometry.stabiliser(position.cells)
    if len(stabiliser) == 1:
        return {move: [(move, stabiliser[0])] for move in moves}
    order = {cell: place for place, cell in enumerate(position.geometry.move_order)}
    orbits = {}
    for move in moves:
        images = {permutation[move]: permutation for permutation in reversed(stabiliser) if permutation[move] in moves}
        orbits[move] = sorted(images.items(), key=lambda image: order[image[0]])
    return orbits


def _representatives(position: Position, orbits: dict[int, Orbit]) -> list[int]:
    """Return the first move of each orbit, in the fixed order of moves."""
    return [move for move in position.geometry.move_order if move in orbits and move == orbits[move][0][0]]


def _fill_orbit(value: MoveValue, values: dict[int, MoveValue], orbits: dict[int, Orbit]) -> None:
    """Add the value of a move to ``values``, and copy it to symmetric moves that have none."""
    values[value.move] = value
    for image, permutation in orbits[value.move]:
        if image not in values:
            values[image] = MoveValue(image, value.score, tuple(permutation[cell] for cell in value.line))


def _calibrated(values: list[MoveValue], position: Position, limits: Limits) -> list[MoveValue]:
    """Return the values with expected results for estimates; a better estimate has no worse expected result."""
    return [
        value if value.score.proven else replace(value, score=calibrated(value.score, position, limits))
        for value in values
    ]


def _at_most_chosen(value: MoveValue, chosen: Score, cells: int) -> MoveValue:
    """Return a move's value, limited by the score of the chosen move.

    If the chosen move loses in n plies, every move does in n or fewer. If it has an estimate or draws, the estimates of
    other moves, which were searched less, are kept below its score.
    """
    if chosen.outcome == "loss":
        if value.score.exact or value.score.value <= chosen.value:
            return value
        assert chosen.distance is not None
        return replace(value, score=score.loss(cells, chosen.distance, is_bound=True))
    if value.score.proven or chosen.outcome == "win":
        return value
    above = value.score.value > chosen.value or (chosen.proven and value.score.value == chosen.value)
    return replace(value, score=estimate_below(chosen.value, STEP)) if above else value


def _choose(values: dict[int, MoveValue], result: SearchResult) -> MoveValue:
    """Return the move of the first search, unless another move was then proven to be better."""
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


def _ranked(
    values: dict[int, MoveValue], first: int, searched: Score, position: Position, limits: Limits
) -> list[MoveValue]:
    """Sort the values, ``first`` at the head, its score lowered to what is proven, and add expected results."""
    ranked = best_first(values.values(), first)
    return _calibrated([replace(ranked[0], score=_proven_by(searched, ranked)), *ranked[1:]], position, limits)


def _proven_by(searched: Score, ranked: list[MoveValue]) -> Score:
    """Return the first move's score, lowered to what the searches have proven.

    ``searched`` is the score of a search of all moves. Unless it bounds the position's value, a move without an exact
    value may be better than the first move: then the distance of its win is only a bound, and its draw is not proven.
    """
    chosen = ranked[0].score
    is_bounded = searched.exact and searched.value <= chosen.value
    if is_bounded or not chosen.exact or chosen.outcome == "loss" or _equals(ranked)[1]:
        return chosen
    return replace(chosen, is_bound=True) if chosen.outcome == "win" else Score(0.0, "unknown", None)


def _equals(ranked: list[MoveValue]) -> tuple[tuple[int, ...], bool]:
    """Return the moves proven as good as the first, in tile order, and True if no other move can be as good."""
    chosen = ranked[0]
    if not chosen.score.exact:
        return (chosen.move,), len(ranked) == 1
    best = sorted(value.move for value in ranked if value.score.exact and value.score.value == chosen.score.value)
    return tuple(best), all(value.score.exact or _surely_worse(value.score, chosen.score) for value in ranked)


def _surely_worse(value: Score, best: Score) -> bool:
    """Return True if a move without an exact value is certainly worse; immediate wins are always exact."""
    if best.outcome == "win" and best.distance == 1:
        return True
    return value.outcome == "loss" and best.outcome != "loss"
