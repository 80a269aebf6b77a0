"""Search: drives the solvers deeper until a proof or the end of the budget, and values every move."""

import hashlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, Literal

from service.engine import book, score
from service.engine.kernels import control as controls
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.score import Score
from service.engine.solvers import large, line_table, proofs, word
from service.engine.solvers.finding import Finding
from service.engine.threats import safe_moves
from service.version import VERSION

StoppedBy = Literal["proof", "depth", "nodes", "time"]

_NANOSECONDS_PER_MS = 1_000_000
_STOPPED_BY: dict[int, StoppedBy] = {controls.OUT_OF_NODES: "nodes", controls.OUT_OF_TIME: "time"}
_SEVERITY: dict[StoppedBy, int] = {"proof": 0, "depth": 1, "nodes": 2, "time": 3}


Memory = large.Memory


class SearchStopped(Exception):
    """The search was told to stop before it had an answer to give."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may spend.

    Attributes:
        max_nodes: at least 1; exact and the same on every machine.
        max_depth: 1 to 625 plies, or None: the answer of a search to that depth, looking no further.
        time_limit_ms: wall clock, at least 1, or None for no limit.
        deadline_ns: a time on the scale of ``time.monotonic_ns()`` at which to end besides, for searches that
            share their time, or None. It shapes no answer that is kept, since what it cuts short is stopped
            by time; so limits that differ in it alone are equal.
    """

    max_nodes: int
    max_depth: int | None = None
    time_limit_ms: int | None = None
    deadline_ns: int | None = field(default=None, compare=False, repr=False)

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline_ns is not None and time.monotonic_ns() >= self.deadline_ns

    def until(self, end_ns: int) -> "Limits":
        """The same with a deadline no later than this one."""
        return replace(
            self, deadline_ns=end_ns if self.deadline_ns is None else min(end_ns, self.deadline_ns)
        )


class Stop:
    """A flag that another thread may set to end a running search."""

    def __init__(self) -> None:
        self._set = False
        self._control: Any = None

    def set(self) -> None:
        """End the search, running or yet to come."""
        self._set = True
        control = self._control
        if control is not None:
            control["stop"] = 1

    def is_set(self) -> bool:
        """Whether ``set`` was called."""
        return self._set

    def nodes(self) -> int:
        """How many positions the search that looks at it last has visited so far."""
        return 0 if self._control is None else int(self._control["nodes"][0])

    def attach(self, control: Any) -> None:
        """Hand the flag on to a kernel's control from now on."""
        self._control = control
        if self._set:
            control["stop"] = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known after a finished iteration: plies, nodes so far, and the best move's score and line."""

    depth: int
    nodes: int
    score: Score
    line: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer of a search.

    Attributes:
        move: a legal cell; None when the game is over.
        score: of the move, for the side to move.
        line: the principal variation beginning with ``move``.
        best_moves: moves known to be exactly as good, in tile order.
        best_moves_complete: whether no other move is as good.
        depth: plies completed.
        nodes: positions visited, at most the budget.
        elapsed_ms: wall clock.
        stopped_by: what ended the search.
    """

    move: int | None
    score: Score
    line: tuple[int, ...]
    best_moves: tuple[int, ...]
    best_moves_complete: bool
    depth: int
    nodes: int
    elapsed_ms: float
    stopped_by: StoppedBy


@dataclass(frozen=True, slots=True)
class MoveValue:
    """The value of one legal move for the side to move, with the line that begins with it."""

    move: int
    score: Score
    line: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """A search result with the value of every legal move: the chosen one first, then by score and tile."""

    result: SearchResult
    moves: tuple[MoveValue, ...]


def search(
    position: Position,
    limits: Limits,
    *,
    stop: Stop | None = None,
    progress: Callable[[Progress], None] | None = None,
    memory: large.Memory | None = None,
) -> SearchResult:
    """The best move of a position and how good it is.

    The result is a function of position and limits alone unless ``stopped_by`` is ``time`` or there is a
    ``memory``, which the searches of one game on a large board may share. The move is legal at any budget.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    started = time.perf_counter()
    deadline = _deadline(limits)
    decided = _finished(position) or _won_at_once(position) or _from_book(position, limits)
    if decided:
        return replace(decided, elapsed_ms=(time.perf_counter() - started) * 1000)
    control = controls.new_control(limits.max_nodes, deadline)
    if stop is not None:
        stop.attach(control)
    found: Finding | None = None
    if limits.expired:
        # Not even the tables of a solver are set up.
        control["reason"] = controls.OUT_OF_TIME
        findings: Iterator[Finding] = iter(())
    else:
        findings = _findings(position, control, limits, memory)
    for found in findings:
        if progress is not None:
            progress(Progress(found.depth, int(control["nodes"][0]), found.score, found.line))
    reason = int(control["reason"][0])
    if reason == controls.STOPPED:
        raise SearchStopped
    if control["late"][0]:
        reason = controls.OUT_OF_TIME
    if found is None or (limits.max_depth != 1 and _blunders(position, found)):
        found = replace(_unsearched(position), depth=0 if found is None else found.depth)
    best = _images(position, found.move) if found.score.exact else (found.move,)
    legal = position.legal_moves()
    return SearchResult(
        move=found.move,
        score=found.score,
        line=found.line,
        best_moves=best,
        best_moves_complete=len(best) == len(legal),
        depth=found.depth,
        nodes=int(control["nodes"][0]),
        elapsed_ms=(time.perf_counter() - started) * 1000,
        stopped_by=_stopped_by(reason, found.score),
    )


def analyse(
    position: Position,
    limits: Limits,
    *,
    stop: Stop | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Analysis:
    """The value of every legal move.

    First ``search`` answers within the limits; then the other moves are valued within one further equal
    node budget, moves that a symmetry of the position maps on each other once. The time limit bounds the
    whole: the first search may use up to ``FIRST_SHARE`` of it. No unproven value is above that of the
    chosen move: the search that chose it has looked at the others too, and deeper.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    started = time.perf_counter()
    first_limits = limits
    if limits.time_limit_ms is not None:
        first_limits = replace(limits, time_limit_ms=max(1, int(limits.time_limit_ms * FIRST_SHARE)))
    result = search(position, first_limits, stop=stop, progress=progress)
    if result.move is None:
        return Analysis(result, ())
    values: dict[int, MoveValue] = {}
    orbits = _orbits(position)
    _spread(MoveValue(result.move, result.score, result.line), values, orbits)
    waiting = [move for move in position.geometry.move_order if move in orbits and move == orbits[move][0][0]]
    plan = _plan(position, [move for move in waiting if move not in values], limits, started, stop)
    others, nodes, worst = _values_of(position, plan, limits, started, stop)
    for value in others:
        _spread(value, values, orbits)
    values = {move: _no_better(value, result.score, position.rules.cells) for move, value in values.items()}
    chosen = _choose(values, result)
    ranked = sorted(
        values.values(), key=lambda value: (value.move != chosen.move, -value.score.value, value.move)
    )
    best, complete = _equals(ranked)
    return Analysis(
        replace(
            result,
            move=chosen.move,
            score=chosen.score,
            line=chosen.line,
            best_moves=best,
            best_moves_complete=complete,
            nodes=result.nodes + nodes,
            elapsed_ms=(time.perf_counter() - started) * 1000,
            stopped_by=max(result.stopped_by, worst, key=_SEVERITY.__getitem__),
        ),
        tuple(ranked),
    )


FIRST_SHARE = 0.6
"""The part of an analysis's time limit that the search for the best move may use."""


GUESS_MS = 0.03
GLANCED_MS = 0.015
"""What is left of the time for each move that waits: about what it takes to value it without a search, and where
that was done before."""

GLANCE_SHARE = 0.5
"""The part of the time left after the first search that a glance at each move may use."""

LEAST_NODES = 50
LEAST_MS = 3
"""The least that the search of one move gets on a large board: with less it sees hardly more than a glance."""

STEP = 10.0**-score.ESTIMATE_DECIMALS
"""How far an estimate that is held down stays below the value of the chosen move."""


def solvable(rules: Rules) -> bool:
    """Whether boards of these rules go to an exact solver, which a budget can bring to a proof."""
    return word.fits(rules) or proofs.likely(rules)


def warm_up(report: Callable[[str], None] | None = None) -> None:
    """Compile every kernel, or load it from the cache; ``report`` gets a line before each."""
    for name, example in _examples():
        if report is not None:
            report(name)
        search(example, Limits(max_nodes=1000))


@cache
def engine_version() -> str:
    """A text that changes whenever an answer may: the version and a digest of the engine's sources."""
    digest = hashlib.sha256()
    root = Path(__file__).parent
    sources = [path for path in root.rglob("*") if path.suffix in (".py", book.SUFFIX)]
    for source in sorted(sources):
        digest.update(source.relative_to(root).as_posix().encode())
        digest.update(source.read_bytes())
    return f"{VERSION}+{digest.hexdigest()[:12]}"


def _examples() -> Iterator[tuple[str, Position]]:
    """A position for each solver, with the solver's name."""
    yield "line tables", Position.empty(Rules(5, 5, 3, misere=True))
    yield "large boards", Position.empty(Rules(9, 9, 5))
    yield "free placement", Position.empty(Rules(3, 4, 4))
    yield "gravity", Position.empty(Rules(3, 4, 4, gravity=True))
    yield "opening book", Position.empty(Rules(6, 7, 4, gravity=True))


def _findings(
    position: Position, control: Any, limits: Limits, memory: large.Memory | None = None
) -> Iterator[Finding]:
    """The findings of the solver that suits the position best."""
    if limits.max_depth is not None and limits.max_depth < position.empties:
        return line_table.findings(position, control, limits.max_depth)
    if word.fits(position.rules):
        return word.findings(position, control)
    certain = proofs.finding(position, control)
    return iter((certain,)) if certain is not None else large.findings(position, control, memory)


def _deadline(limits: Limits) -> int:
    """The end of the time budget on the scale of ``time.monotonic_ns()``."""
    end = int(controls.NO_DEADLINE) if limits.deadline_ns is None else limits.deadline_ns
    if limits.time_limit_ms is None:
        return end
    return min(end, time.monotonic_ns() + limits.time_limit_ms * _NANOSECONDS_PER_MS)


def _finished(position: Position) -> SearchResult | None:
    """The result where the game is over."""
    value = position.final_score()
    if value is None:
        return None
    return SearchResult(None, value, (), (), True, 0, 0, 0.0, "proof")


def _won_at_once(position: Position) -> SearchResult | None:
    """The result where the side to move can complete a line and wants to; the set of such moves is whole."""
    if position.rules.misere:
        return None
    near = _beside_own(position)
    winning = tuple(move for move in position.legal_moves() if near >> move & 1 and position.completes(move))
    if not winning:
        return None
    move = next(cell for cell in position.geometry.move_order if cell in winning)
    return SearchResult(move, score.win(position.rules.cells, 1), (move,), winning, True, 1, 1, 0.0, "proof")


def _beside_own(position: Position) -> int:
    """A mask with all empty cells that may complete a line: beside a mark of the side to move, unless one is a line."""
    if position.rules.goal == 1:
        return -1
    own = position.marks(position.to_move)
    near = 0
    columns = position.rules.columns
    for step in (1, columns - 1, columns, columns + 1):
        # What wraps round an edge is one cell more to look at.
        near |= own << step | own >> step
    return near


def _from_book(position: Position, limits: Limits) -> SearchResult | None:
    """The result where a book that comes with the package knows every move; a depth cutoff asks for none."""
    opening = book.shipped(position.rules)
    known = opening.moves(position) if opening is not None and limits.max_depth is None else None
    if opening is None or not known:
        return None
    best = max(value.value for value in known.values())
    equals = tuple(sorted(move for move, value in known.items() if value.value == best))
    line = tuple(opening.line(position))
    value = known[line[0]]
    return SearchResult(line[0], value, line, equals, True, value.distance or 0, 0, 0.0, "proof")


def _images(position: Position, move: int) -> tuple[int, ...]:
    """The moves that the position's own symmetries map this one on: all equally good, in tile order."""
    return tuple(sorted({permutation[move] for permutation in position.geometry.stabiliser(position.cells)}))


def _stopped_by(reason: int, found: Score) -> StoppedBy:
    """What ended a search: after an exact proof the end of the nodes changes nothing, but that of the time may."""
    if found.exact and reason != controls.OUT_OF_TIME:
        return "proof"
    return _STOPPED_BY.get(reason) or ("proof" if found.proven else "depth")


def _blunders(position: Position, found: Finding) -> bool:
    """Whether a move that was chosen without a look at its answers loses at once, though another does not."""
    if found.score.proven or (found.depth > 1 and len(found.line) > 1):
        return False
    safe = safe_moves(position)
    return bool(safe) and found.move not in safe


def _unsearched(position: Position) -> Finding:
    """What to say when the budget ended before the first move was valued: legal, no blunder, and a guess."""
    sound = safe_moves(position) or position.legal_moves()
    move = next(cell for cell in position.geometry.move_order if cell in sound)
    return Finding(move, line_table.evaluate(position), (move,), 0)


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the moves are valued that wait for it.

    Attributes:
        moves: in the order in which they get their part of the budget.
        guess: the value of the position after a move, for where the limits allow no search.
        glanced: whether ``guess`` costs nothing, so that what it proves needs no search.
        least_nodes: what a move gets at least, so that the last moves may get nothing.
        least_ms: the same of the time, at least 1.
        guess_ms: what is left of the time for each move.
        stopped_by: ``time`` where the clock has shaped the plan.
    """

    moves: list[int]
    guess: Callable[[int], Score]
    glanced: bool = False
    least_nodes: int = 0
    least_ms: int = 1
    guess_ms: float = GUESS_MS
    stopped_by: StoppedBy = "proof"


def _plan(position: Position, waiting: list[int], limits: Limits, started: float, stop: Stop | None) -> _Plan:
    """The plan for these moves: on a large board those first that look best, which the budget may not go beyond."""
    shallow = limits.max_depth is not None and limits.max_depth < position.empties
    if shallow or word.fits(position.rules):
        guess = cache(lambda: line_table.evaluations(position))
        return _Plan(waiting, lambda move: guess()(move))
    seen, stopped_by = _glances(position, waiting, limits, started, stop)
    best_first = sorted(waiting, key=lambda move: seen[move].value)
    return _Plan(best_first, seen.__getitem__, True, LEAST_NODES, LEAST_MS, GLANCED_MS, stopped_by)


def _glances(
    position: Position, waiting: list[int], limits: Limits, started: float, stop: Stop | None
) -> tuple[dict[int, Score], StoppedBy]:
    """The value of the position after each move at a glance, the most promising first; and whether the clock ended it.

    Those for which there is no time have the value of a pass, which is less than nearly any move is worth.
    """
    glance = large.Glance(position)
    seen = dict.fromkeys(waiting, glance.passed())
    now = time.perf_counter()
    end = math.inf
    if limits.time_limit_ms is not None:
        end = now + (limits.time_limit_ms / 1000 - (now - started)) * GLANCE_SHARE
    for move in sorted(waiting, key=glance.promise, reverse=True):
        if stop is not None and stop.is_set():
            raise SearchStopped
        if limits.expired or time.perf_counter() >= end:
            return seen, "time"
        seen[move] = glance.after(move)
    return seen, "proof"


def _values_of(
    position: Position, plan: _Plan, limits: Limits, started: float, stop: Stop | None
) -> tuple[list[MoveValue], int, StoppedBy]:
    """The values of the moves of a plan within the limits' nodes, the nodes they took and what ended the searches.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    near = _beside_own(position)
    node_ms = large.most_node_ns(position.rules.goal) / _NANOSECONDS_PER_MS
    nodes_left = limits.max_nodes
    worst = plan.stopped_by
    searched: list[MoveValue] = []
    glanced: list[MoveValue] = []
    for index, move in enumerate(plan.moves):
        remaining = len(plan.moves) - index
        share_nodes = max(nodes_left // remaining, min(nodes_left, plan.least_nodes))
        share_ms = _time_left(limits, started, remaining, plan.least_ms, plan.guess_ms)
        if share_ms and share_nodes * node_ms <= share_ms:
            # The nodes end it in time, unless the machine stands still for a moment: that may cost other moves theirs.
            share_ms = _time_left(limits, started, 1, plan.least_ms, remaining * plan.guess_ms)
        share = Limits(
            max_nodes=share_nodes,
            max_depth=None if limits.max_depth is None else limits.max_depth - 1,
            time_limit_ms=share_ms,
            deadline_ns=limits.deadline_ns,
        )
        if stop is not None and stop.is_set():
            raise SearchStopped
        value, spent, stopped_by = _value_of(position, move, share, stop, near, plan)
        nodes_left -= spent
        worst = max(worst, stopped_by, key=_SEVERITY.__getitem__)
        (searched if spent else glanced).append(value)
    if plan.glanced:
        glanced = _sobered(glanced, searched, plan, position.rules.cells)
    return searched + glanced, limits.max_nodes - nodes_left, worst


def _value_of(
    position: Position, move: int, limits: Limits, stop: Stop | None, near: int, plan: _Plan
) -> tuple[MoveValue, int, StoppedBy]:
    """The value of one move, the nodes it took and what ended its search.

    Args:
        near: of ``_beside_own``.
    """
    cells = position.rules.cells
    child = position.play(move)
    # Only beside its own marks can it have completed a line.
    may_end = near >> move & 1 or position.empties == 1
    finished = _finished(child) if may_end else None
    if finished is not None:
        return MoveValue(move, score.before_move(finished.score, cells), (move,)), 0, "proof"
    opening = book.shipped(position.rules)
    noted = opening.value(child) if opening is not None and limits.max_depth is None else None
    if opening is not None and noted is not None:
        line = (move, *opening.line(child))
        return MoveValue(move, score.before_move(noted, cells), line), 0, "proof"
    spent = _spent(limits)
    seen = plan.glanced and plan.guess(move).proven
    if spent is not None or seen:
        value = plan.guess(move)
        # With more time a search would have found a line to it, but for what was seen at a glance.
        proven = seen or (value.proven and spent != "time")
        stopped_by = "proof" if proven or spent is None else spent
        return MoveValue(move, score.before_move(value, cells), (move,)), 0, stopped_by
    news: list[Progress] = []
    result = search(child, limits, stop=stop, progress=news.append)
    found, line = result.score, (move, *result.line)[: line_table.MAX_LINE]
    if plan.glanced and not news and not found.proven:
        # It ended before it came even to a glance.
        found, line = plan.guess(move), (move,)
    return MoveValue(move, score.before_move(found, cells), line), result.nodes, result.stopped_by


def _spent(limits: Limits) -> StoppedBy | None:
    """Which limit allows no search at all, if one does."""
    if limits.max_depth == 0:
        return "depth"
    if limits.max_nodes < 1:
        return "nodes"
    return "time" if limits.time_limit_ms == 0 else None


def _time_left(
    limits: Limits, started: float, moves: int, least: int = 1, guess_ms: float = GUESS_MS
) -> int | None:
    """A move's part of the time that is left, in whole milliseconds, ``least`` or more; 0 when it is gone."""
    if limits.time_limit_ms is None:
        return None
    left = limits.time_limit_ms - (time.perf_counter() - started) * 1000 - moves * guess_ms
    return max(least, int(left / moves)) if left >= least else 0


def _orbits(position: Position) -> dict[int, list[tuple[int, tuple[int, ...]]]]:
    """For each legal move the equal moves ``(move, where each cell goes)`` that symmetries of the position give.

    The first of the list is the one to value: the earliest in the fixed order.
    """
    legal = position.legal_moves()
    order = {cell: place for place, cell in enumerate(position.geometry.move_order)}
    stabiliser = position.geometry.stabiliser(position.cells)
    orbits = {}
    for move in legal:
        images = {permutation[move]: permutation for permutation in reversed(stabiliser)}
        orbits[move] = sorted(images.items(), key=lambda image: order[image[0]])
    return orbits


def _spread(
    value: MoveValue, values: dict[int, MoveValue], orbits: dict[int, list[tuple[int, tuple[int, ...]]]]
) -> None:
    """Enter the value of a move, and the same for the moves that are equal to it by symmetry."""
    values[value.move] = value
    for image, permutation in orbits[value.move]:
        if image not in values:
            values[image] = MoveValue(image, value.score, tuple(permutation[cell] for cell in value.line))


def _sobered(glanced: list[MoveValue], searched: list[MoveValue], plan: _Plan, cells: int) -> list[MoveValue]:
    """The values at a glance, lowered by as much as the search has lowered the others: by the median of that.

    A glance sees nothing of what the other side will do, so without this it would praise what was not searched.
    """
    drops = [
        score.before_move(plan.guess(value.move), cells).value - value.score.value
        for value in searched
        if not value.score.proven
    ]
    drop = median(drops) if drops else 0.0
    if drop <= 0:
        return glanced
    return [
        value if value.score.proven else MoveValue(value.move, _lowered(value.score.value, drop), value.line)
        for value in glanced
    ]


def _no_better(value: MoveValue, chosen: Score, cells: int) -> MoveValue:
    """The value of a move, held to what the search that chose a move has shown of all.

    Where that search proved a loss every move loses, and no later. What it found best is an estimate or a draw: no
    estimate of a move that was looked at less is above that.
    """
    if value.score.proven or chosen.outcome == "win":
        return value
    if chosen.outcome == "loss":
        assert chosen.distance is not None
        return replace(value, score=score.loss(cells, chosen.distance, is_bound=True))
    above = value.score.value > chosen.value or (chosen.proven and value.score.value == chosen.value)
    return replace(value, score=_lowered(chosen.value, STEP)) if above else value


def _lowered(value: float, drop: float) -> Score:
    """The estimate so much below a value that is one itself or 0."""
    lower = round(value - drop, score.ESTIMATE_DECIMALS)
    return Score(max(-score.MAX_ESTIMATE, lower) + 0.0, "unknown", None)


def _choose(values: dict[int, MoveValue], result: SearchResult) -> MoveValue:
    """The searched move, unless the valuing of the others has proven one to be better."""
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


def _equals(ranked: list[MoveValue]) -> tuple[tuple[int, ...], bool]:
    """The moves known to be exactly as good as the first, in tile order, and whether these are all."""
    chosen = ranked[0]
    if not chosen.score.exact:
        return (chosen.move,), len(ranked) == 1
    best = sorted(
        value.move for value in ranked if value.score.exact and value.score.value == chosen.score.value
    )
    return tuple(best), all(value.score.exact or _surely_worse(value.score, chosen.score) for value in ranked)


def _surely_worse(value: Score, best: Score) -> bool:
    """Whether a move whose distance is not known exactly is certainly worse than the best; a win at once is exact."""
    if best.outcome == "win" and best.distance == 1:
        return True
    return value.outcome == "loss" and best.outcome != "loss"
