"""Looks for wins by continuous fours, on boards of any shape and size, before and after a search that estimates."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow import score
from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import Rules, Side
from kinarow.game.tactics import completing_cells
from kinarow.kernels.library import Library
from kinarow.search_types import MAX_LINE, SearchInfo
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.table_pool import POOL
from kinarow.solvers.continuous_fours.layout import ENTRY_WORDS, SEARCH_DTYPE
from kinarow.solvers.line_counts import records
from kinarow.solvers.line_counts import solver as line_counts

kernels = Library("continuous_fours")

KNOWN = frozenset({"gravity", "exact_goal", "wrap", "directions", "layers"})
GAMES_KEPT = 32
SHARE = 4  # The search may use one in this many of the nodes of a budget
MOST_NODES = 200_000  # The most nodes of a search; few wins that people or searches play need more
TABLE_ENTRIES = 1 << 16
CHECK_SHARE = 2
"""An estimate reserves 1/CHECK_SHARE of its nodes to check whether its move loses to continuous fours; each check may
use 1/CHECK_SHARE of the nodes left."""
LINE_NS = 5  # The most nanoseconds that a node costs for each line of the board


@dataclass(frozen=True, slots=True)
class Win:
    """A proven win for the side to move in at most ``plies``, and its line: the marks of both up to the end."""

    plies: int
    line: tuple[int, ...]


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return rules.within(KNOWN)


@lru_cache(maxsize=GAMES_KEPT)
def _line_cells(rules: Rules) -> NDArray[np.int16]:
    """The cells of each line, in the order of the lines of ``game_of``."""
    lines = geometry(rules).counted_lines
    return np.array([line.cells for line in lines], np.int16).reshape(len(lines), rules.goal)


def find_win(position: Position, budget: Budget, share: int = SHARE) -> Win | None:
    """A win of the side to move by continuous fours, the shortest of its kind; None where none is found.

    It spends at most one in ``share`` of the remaining nodes. The rules of the position must fit.
    """
    if not geometry(position.rules).lines:
        return None
    game = records.game_of(position.rules)
    search = np.zeros(1, SEARCH_DTYPE).view(np.recarray)
    cells = _line_cells(position.rules)
    budget.poll_by_cost(LINE_NS * max(1, len(cells)))
    nodes = min(MOST_NODES, max(1, budget.nodes_left // share))
    with budget.part(nodes=nodes) as part, POOL.borrow("continuous fours", ENTRY_WORDS * TABLE_ENTRIES) as table:
        search["generation"] = table.generation

        def shortest(at: Position, most: int) -> int:
            with records.BorrowedState(game, at) as state:
                return int(kernels.shortest_win(game, state, search, part.pointer, cells, table.pointer, 0, most))

        plies = shortest(position, position.empties)
        return Win(plies, _line(position, plies, shortest, search)) if plies else None


def _line(position: Position, plies: int, shortest: Any, search: Any) -> tuple[int, ...]:
    """The marks of a win: those of the attacker as the search finds them, and the forced replies."""
    attacker: Side = position.to_move
    line: list[int] = []
    left = plies
    while True:
        move = int(search["root_move"][0])
        line.append(move)
        position = position.play(move)
        if position.ending().state != "ongoing":
            return tuple(line)
        # With two cells left to complete a line, the first in the fixed order is as good as any.
        reply = position.geometry.first_of(completing_cells(position, attacker))
        line.append(reply)
        position = position.play(reply)
        left -= 2
        if position.ending().state != "ongoing" or not shortest(position, max(left, 1)):
            return tuple(line)


def estimate(position: Position, budget: Budget) -> Iterator[SearchInfo]:
    """The iterations of the line-count solver, the last of which avoids moves that lose to continuous fours.

    Where every move loses to them the position is a proven loss.
    """
    last = None
    with budget.part(nodes=budget.nodes_left - budget.nodes_left // CHECK_SHARE) as part:
        for last in line_counts.iterate(position, part, None):
            yield last
    if last is not None and not last.score.proven and not budget.is_spent():
        better = _avoiding(position, last, budget)
        if better is not last:
            last = better
            yield better
    if last is None or not last.score.proven:
        part.keep_reason()


def _avoiding(position: Position, chosen: SearchInfo, budget: Budget) -> SearchInfo:
    """The chosen move, else the first after which the opponent has no win by continuous fours, else a proven loss."""
    value_after = line_counts.evaluations(position)
    ending = set(completing_cells(position, position.to_move))
    others = [move for move in position.legal_moves() if move not in ending and move != chosen.move]
    longest = 0
    line: tuple[int, ...] = ()
    for move in [chosen.move, *sorted(others, key=lambda move: value_after(move).value)]:
        after = position.play(move)
        if after.ending().state != "ongoing":
            return chosen
        win = find_win(after, budget, CHECK_SHARE)
        if budget.is_spent() or not budget.nodes_left:
            return chosen
        if win is None:
            if move == chosen.move:
                return chosen
            value = min(chosen.score.value, -value_after(move).value)
            return replace(chosen, move=move, line=(move,), score=replace(chosen.score, value=value))
        if win.plies > longest:
            longest, line = win.plies, (move, *win.line)
    loss = score.loss(position.rules.cells, longest + 1, is_bound=True)
    return replace(chosen, move=line[0], line=line[:MAX_LINE], score=loss)
