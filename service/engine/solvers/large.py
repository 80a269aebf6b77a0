"""The solver for boards that fit no word: candidate moves, threats, iterative deepening, forced wins proven."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np

from service.engine import score
from service.engine.kernels.control import poll_by_cost
from service.engine.kernels.large_board import FIVE_CELL, OPEN_FOUR_CELL, load, new_board, put, take
from service.engine.kernels.large_search import Iteration, estimate, think
from service.engine.kernels.large_table import PROVEN, PROVEN_FROM, SEARCH_DTYPE, new_search, table_words
from service.engine.kernels.large_tunables import TUNABLES_DTYPE, new_tunables
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.score import Score
from service.engine.solvers.finding import Finding
from service.engine.solvers.tables import POOL

BOARDS_KEPT = 16
MIN_SLOT_BITS = 6
MAX_SLOT_BITS = 20
LAST_GENERATION = (1 << 16) - 2

NODE_NS = 10_000
WIDE_NODE_NS = 32
"""What a node costs at most: with the shapes from a table, or for each goal³ where they are worked out."""

ESTIMATE_SCALE = 2000.0
"""The evaluation that becomes an estimate of one half: about an open three more than the other side has."""


def most_node_ns(goal: int) -> int:
    """What a node of a board with this goal costs at most, also where the shapes are worked out, in nanoseconds."""
    return max(NODE_NS, WIDE_NODE_NS * goal**3)


@lru_cache(maxsize=BOARDS_KEPT)
def _empty_board(rules: Rules) -> Any:
    """The kernel's record of the empty board, to be copied for a search."""
    return new_board(
        rules.rows, rules.columns, rules.goal, rules.gravity, rules.misere, rules.exact_goal, new_tunables()
    )


@cache
def _search_pattern() -> Any:
    """A search record with its tunables and what follows from them, which takes as long as a short search."""
    return new_search(new_tunables())


def _new_search() -> Any:
    """A search record of its own; all but the pattern's few fields is memory that nobody has touched yet."""
    search = np.zeros(1, SEARCH_DTYPE).view(np.recarray)
    for name in (*(TUNABLES_DTYPE.names or ()), "reduction"):
        search[name][0] = _search_pattern()[name][0]
    return search


def slot_bits(node_limit: int) -> int:
    """The size of the table as a power of two slots: one for each node of the budget, within limits."""
    return max(MIN_SLOT_BITS, min(MAX_SLOT_BITS, node_limit.bit_length()))


class Memory:
    """What the searches of one game remember from move to move; for one search at a time.

    A search that uses it is stronger, and its result depends on the searches before it.

    Args:
        rules: those of the game, on a board that fits no word.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.search = _new_search()
        self.table = np.zeros(table_words(1 << MAX_SLOT_BITS, rules.cells), np.uint64)


class Glance:
    """What a look at the board says of each move without a search, on the scale of the search.

    Args:
        position: an ongoing one.
    """

    def __init__(self, position: Position) -> None:
        rules = position.rules
        self._cells, self._empties = rules.cells, position.empties
        self._threatening = not (rules.misere or rules.gravity)
        self._board = _loaded(position)[0]
        self._search = _search_pattern()[0]
        self._promise: list[int] = self._promises().tolist()

    def promise(self, move: int) -> int:
        """How good a legal move looks where it stands: the more points for either side the better."""
        return self._promise[move]

    def after(self, move: int) -> Score:
        """The value of the position after a legal move, for its side to move; void where the move ends the game.

        Proven where the side to move there completes a line in one or three plies, or no line is left.
        """
        board = self._board
        if board["category"][move, 0] == FIVE_CELL:
            return self.passed()
        put(board, move, 0)
        found = self._soon_won() if self._threatening else None
        if found is None and not board["alive"].any():
            found = score.draw(self._empties - 1)
        if found is None:
            found = self.passed()
        take(board, move)
        return found

    def passed(self) -> Score:
        """The same if no mark had been made: what is left to say of a move that there is no time to look at."""
        return score.estimate(int(estimate(self._board, self._search, 1)), ESTIMATE_SCALE)

    def _soon_won(self) -> Score | None:
        """The win of the other side, to move, that stands on the board, if it can be seen without a search."""
        count = self._board["count"]
        if count[1, FIVE_CELL]:
            return score.win(self._cells, 1)
        if count[1, OPEN_FOUR_CELL] and not count[0, FIVE_CELL]:
            return score.win(self._cells, 3)
        return None

    def _promises(self) -> Any:
        board, order = self._board, self._search["category_order"]
        if board["misere"]:
            return -board["points"].sum(axis=1)
        category = board["category"]
        return board["points"].sum(axis=1) + order[0][category[:, 0]] + order[1][category[:, 1]]


def _loaded(position: Position) -> Any:
    """The kernel's record of a position, in the view of its side to move."""
    board = _empty_board(position.rules).copy()
    load(board, np.frombuffer(position.relative(), np.int8))
    return board


def findings(position: Position, control: Any, memory: Memory | None = None) -> Iterator[Finding]:
    """Search an ongoing position deeper and deeper until a proof or the end of the budget.

    Args:
        position: the position; its game must not be over.
        control: an array of one ``CONTROL_DTYPE`` record with the limits.
        memory: of the same rules; without it what was searched before shapes nothing.

    Yields:
        A finding after each iteration that learnt something.
    """
    rules = position.rules
    board = _loaded(position)
    poll_by_cost(control, most_node_ns(rules.goal) if board[0]["wide"] else NODE_NS)
    if memory is not None:
        yield from _found(position, board, memory.search, control, memory.table, True)
        return
    search = _new_search()
    slots = 1 << slot_bits(int(control["node_limit"][0]))
    words = table_words(slots, rules.cells)
    # Tables of as many words may have other slots, whose words would be read as facts with a stamp of their own.
    with POOL.borrow(f"large, {slots} slots", words, LAST_GENERATION) as table:
        search["generation"] = table.generation - 1  # the kernel begins by adding one
        yield from _found(position, board, search, control, table.words, False)


def _found(
    position: Position, board: Any, search: Any, control: Any, table: Any, keep: bool
) -> Iterator[Finding]:
    """The kernel's reports as findings."""
    cells = position.rules.cells
    for news in think(board, search, control.view(np.recarray), table, cells, keep=keep):
        line = _legal_start(position, news.line)
        yield Finding(news.best, _score(news, cells, position.empties), line, news.depth)


def _legal_start(position: Position, line: tuple[int, ...]) -> tuple[int, ...]:
    """The part of a line that can be played: what the kernel pieces together from its table may end in stale moves."""
    for played, cell in enumerate(line):
        if position.ending().state != "ongoing" or cell not in position.legal_moves():
            return line[:played]
        position = position.play(cell)
    return line


def _score(news: Iteration, cells: int, empties: int) -> Score:
    """The kernel's value as a score."""
    if news.value >= PROVEN_FROM:
        return score.win(cells, PROVEN - news.value, not news.exact)
    if news.value <= -PROVEN_FROM:
        return score.loss(cells, PROVEN + news.value, not news.exact)
    if news.resolved:
        return score.draw(empties)
    return score.estimate(news.value, ESTIMATE_SCALE)
