"""The plain data of a search: its limits, its progress and its result."""

import time
from _thread import get_ident
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Literal, Protocol, Self

from kinarow.errors import WHOLE, InputError, check_type
from kinarow.game.geometry import Permutation
from kinarow.game.rules import Rules, Size
from kinarow.game.size import MAX_CELLS
from kinarow.score import Outcome, Score

StoppedBy = Literal["proof", "depth", "nodes", "time"]

Source = Literal["search", "book", "atlas", "rules"]
"""The source of a result: a search, an opening book, the atlas of solved games, or the rules if the game is over."""

_SEVERITY: dict[StoppedBy, int] = {"proof": 0, "depth": 1, "nodes": 2, "time": 3}
MAX_LINE = 64  # The most moves of a principal variation
NANOSECONDS_PER_MS = 1_000_000
MOST_NODES = 10**15  # The largest node budget: in effect no limit, and exact in every reader of JSON
DEFAULT_NODES = 2_000_000  # The node budget of Limits(): about a second of search
MAX_INTEGER = 2**53 - 1  # The largest integer that every reader of JSON holds exactly
_ANY = (1, MAX_INTEGER)
_RANGES = {"max_nodes": _ANY, "max_depth": (1, MAX_CELLS), "time_limit_ms": _ANY, "threads": (0, MAX_INTEGER)}
"""The least and the largest value of each limit, as in a request."""


class SearchClock:
    """A stopwatch that starts when it is made."""

    def __init__(self) -> None:
        self._began_ns = time.perf_counter_ns()

    @property
    def ms(self) -> float:
        """Milliseconds of wall-clock time since it was made."""
        return (time.perf_counter_ns() - self._began_ns) / NANOSECONDS_PER_MS


def weakest_reason(reasons: Iterable[StoppedBy]) -> StoppedBy:
    """Return the weakest reason why several searches ended: ``time`` before ``nodes``, ``depth`` and ``proof``."""
    return max(reasons, key=_SEVERITY.__getitem__, default="proof")


class SearchStopped(Exception):
    """The search was stopped from outside before it had an answer."""


class NoCore(Exception):
    """The search did not begin: no processor core became free for it in time, or, ``at_once``, too many wait."""

    at_once = False


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search.

    Attributes:
        max_nodes: maximum number of positions to visit, at least 1; every machine then gives the same answer, unless
            time ends the search first.
        max_depth: maximum plies to look ahead, 1 to 625, or None for no limit.
        time_limit_ms: maximum milliseconds, at least 1, or None for no limit.
        deadline_ns: a deadline by ``time.monotonic_ns()`` for several searches together, or None. Comparisons of
            limits ignore it, because an answer that it ends is never cached.
        threads: maximum threads of a proof with gravity or of a search of a large board, each with ``max_nodes``;
            0 for all free cores. A proof with gravity has the same value and move for any number of threads. Other
            answers vary from run to run, but what they prove is true.

    A value out of its range raises ``InputError``; a value that is no whole number raises ``TypeError``.
    """

    max_nodes: int = DEFAULT_NODES
    max_depth: int | None = None
    time_limit_ms: int | None = None
    deadline_ns: int | None = field(default=None, compare=False, repr=False)
    threads: int = 1

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if value is None and name in ("max_depth", "time_limit_ms"):
                continue
            if type(value) is not int:
                check_type(name, value, WHOLE)
                object.__setattr__(self, name, int(value))
            if not least <= value <= most:
                wanted = f"{least} or more" if most == MAX_INTEGER and value < least else f"{least} to {most}"
                raise InputError(f"/{name}", f"{name} is {wanted}, not {value}")

    def part(self, **changes: int | None) -> "Limits":
        """Return the limits of an inner search, with some fields changed; unlike in ``Limits()`` they may be 0."""
        limits, put = object.__new__(Limits), object.__setattr__
        for name in ("max_nodes", "max_depth", "time_limit_ms", "deadline_ns", "threads"):
            put(limits, name, changes[name] if name in changes else getattr(self, name))
        return limits

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline_ns is not None and time.monotonic_ns() >= self.deadline_ns

    def share_ms(self, share: float) -> int | None:
        """Return this fraction of the time limit, at least 1 millisecond; None without a time limit."""
        return None if self.time_limit_ms is None else max(1, int(self.time_limit_ms * share))

    def until(self, end_ns: int) -> "Limits":
        """Return the limits with a deadline at ``end_ns`` or earlier."""
        return self.part(deadline_ns=end_ns if self.deadline_ns is None else min(end_ns, self.deadline_ns))


class Stoppable(Protocol):
    """What ``Stop`` uses of a search's budget."""

    @property
    def nodes(self) -> int:
        """Positions visited so far."""

    def stop(self) -> None:
        """End the search."""


class Stop:
    """A flag that another thread may set to end all searches that run under it, nested ones too.

    A ``Stop`` may itself run under another one.
    """

    def __init__(self) -> None:
        self._set = False
        self._running: list[Stoppable] = []
        self._finished_nodes: Counter[int] = Counter()  # by thread, so that no two threads write the same entry

    def set(self) -> None:
        """Stop all searches under this flag, now and later."""
        self._set = True
        for budget in tuple(self._running):
            budget.stop()

    stop = set

    def is_set(self) -> bool:
        """Return True if ``set`` was called."""
        return self._set

    @property
    def nodes(self) -> int:
        """The number of positions that the searches under this flag have visited so far."""
        running = sum(budget.nodes for budget in tuple(self._running))
        return running + sum(tuple(self._finished_nodes.values()))

    def check(self) -> None:
        """Raise ``SearchStopped`` if the flag is set."""
        if self._set:
            raise SearchStopped

    @contextmanager
    def also_stops(self, budget: Stoppable) -> Iterator[None]:
        """Context manager: stop the search with this budget as soon as the flag is set, or if it is set already."""
        self._running.append(budget)
        try:
            if self._set:
                budget.stop()
            yield
        finally:
            self._running.remove(budget)
            self._finished_nodes[get_ident()] += budget.nodes


@dataclass(frozen=True, slots=True)
class KnownBounds:
    """Bounds on an ongoing position's value, known before its search; proven scores for the side to move."""

    lower: int
    upper: int
    candidates: tuple[int, ...]  # the moves that may reach upper


Code = Literal[
    "completes_line",
    "blocks_line", "double_threat", "threatens_line", "avoids_line", "forces_line", "forced", "only_move",
    "proven_win", "proven_draw", "proven_loss", "quickest_win",
    "longest_defence",
]  # fmt: skip
"""The kinds of reasons; ``reasons_for`` of ``kinarow.play.reasons`` defines each."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One certain fact about a move, and its cells in tile order."""

    code: Code
    cells: tuple[int, ...]

    def mapped(self, permutation: Permutation) -> "Reason":
        """Map the reason to a board on which the cell ``permutation[i]`` stands for cell ``i``."""
        return Reason(self.code, tuple(sorted(map(permutation.__getitem__, self.cells)))) if self.cells else self


class SearchContext(Protocol):
    """Memory that searches of one game, or of a position and the positions after its moves, share. Not thread-safe."""

    @property
    def rules(self) -> Rules:
        """The rules of the game."""


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """The result of a finished iteration."""

    move: int  # the best move so far, a legal cell
    score: Score  # its value for the side to move
    line: tuple[int, ...]  # the principal variation, beginning with move; it may end before the game
    depth: int  # plies completed
    nodes: int = 0  # positions visited since the search began
    moves: "tuple[MoveValue, ...]" = ()  # the best moves so far, best first, if an analysis asks for them

    def mapped(self, permutation: Permutation) -> "SearchInfo":
        """Map the iteration to a board on which the cell ``permutation[i]`` stands for cell ``i``."""
        return replace(
            self,
            move=permutation[self.move],
            line=tuple(permutation[cell] for cell in self.line),
            moves=tuple(value.mapped(permutation) for value in self.moves),
        )


class Valued:
    """Mixin: the parts of ``score`` as properties of the result."""

    __slots__ = ()
    score: Score

    @property
    def outcome(self) -> Outcome:
        """``win``, ``draw``, ``loss`` or ``unknown``, under perfect play by both."""
        return self.score.outcome

    @property
    def distance(self) -> int | None:
        """Plies to the end of the game; None if the outcome is unknown."""
        return self.score.distance

    @property
    def distance_is_bound(self) -> bool:
        """Whether a proven win or loss may come sooner than ``distance`` says; it never comes later."""
        return self.score.is_bound

    @property
    def proven(self) -> bool:
        """Whether the outcome is certain."""
        return self.score.proven

    @property
    def expected(self) -> float | None:
        """The expected result: 1 a win, 0 a draw, -1 a loss; None if unknown (see ``Score.expected``)."""
        return self.score.expected


class Placed:
    """Mixin: the place of a result's move on its board; all None without a move, all but ``tile`` without a size."""

    __slots__ = ()
    move: int | None
    size: Size | None

    @property
    def tile(self) -> int | None:
        """The number of the cell, row by row from 1."""
        return None if self.move is None else self.move + 1

    @property
    def column(self) -> int | None:
        """The column, from 0 at the left."""
        return self._part(lambda cell, size: cell % size.columns)

    @property
    def row(self) -> int | None:
        """The row, from 0 at the top."""
        return self._part(lambda cell, size: cell // size.columns % size.rows)

    @property
    def layer(self) -> int | None:
        """The layer, from 0 at the bottom."""
        return self._part(lambda cell, size: cell // size.columns // size.rows)

    def _part(self, part: Callable[[int, Size], int]) -> int | None:
        return None if self.move is None or self.size is None else part(self.move, self.size)


@dataclass(frozen=True, slots=True)
class SearchResult(Valued, Placed):
    """The answer of a search.

    Attributes:
        move: a legal cell, counted row by row from 0; None if the game is over.
        score: its value for the side to move.
        line: the principal variation beginning with ``move``, at most ``MAX_LINE`` moves.
        best_moves: moves known to be exactly as good, in tile order.
        best_moves_complete: whether ``best_moves`` has every such move.
        depth: plies completed.
        nodes: positions visited, at most the budget.
        elapsed_ms: milliseconds of wall-clock time.
        stopped_by: the reason why the search ended.
        source: the source of the value.
        size: the size of the board, in results of the library; ``row``, ``column`` and ``layer`` need it.
        moves: the value of every legal move, in an ``Analysis``.
        reasons: the reasons for the move, in answers of the service; the library gives none.
    """

    move: int | None
    score: Score
    line: tuple[int, ...]
    best_moves: tuple[int, ...]
    best_moves_complete: bool
    depth: int = 0
    nodes: int = 0
    elapsed_ms: float = 0.0
    stopped_by: StoppedBy = "proof"
    source: Source = "search"
    size: Size | None = field(default=None, repr=False, compare=False)
    moves: "tuple[MoveValue, ...]" = ()
    reasons: tuple[Reason, ...] = field(default=(), repr=False)

    def mapped(self, permutation: Permutation, size: Size | None = None) -> Self:
        """Map the result to a board, of this size, on which the cell ``permutation[i]`` stands for cell ``i``."""
        return type(self)(
            None if self.move is None else permutation[self.move],
            self.score,
            tuple(map(permutation.__getitem__, self.line)),
            tuple(sorted(map(permutation.__getitem__, self.best_moves))),
            self.best_moves_complete,
            self.depth,
            self.nodes,
            self.elapsed_ms,
            self.stopped_by,
            self.source,
            size,
            self.moves and tuple(map(MoveValue.mapped, self.moves, repeat(permutation), repeat(size))),
            self.reasons and tuple(map(Reason.mapped, self.reasons, repeat(permutation))),
        )


class Analysis(SearchResult):
    """A search result with the value of every legal move in ``moves``: the chosen one first, then by score and tile.

    ``nodes`` and ``elapsed_ms`` are those of all searches, ``depth`` is that of the first one.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class MoveValue(Valued, Placed):
    """The value of one legal move for the side to move, with the principal variation that begins with it."""

    move: int
    score: Score
    line: tuple[int, ...]
    size: Size | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type["MoveValue"], tuple[object, ...]]:
        """Unpickle by one call, as ``Score`` does, for speed: an analysis has hundreds of values."""
        return MoveValue, (self.move, self.score, self.line, self.size)

    def mapped(self, permutation: Permutation, size: Size | None = None) -> "MoveValue":
        """Map the value to a board, of this size, on which the cell ``permutation[i]`` stands for cell ``i``."""
        line = tuple(map(permutation.__getitem__, self.line))
        return MoveValue(permutation[self.move], self.score, line, size)
