"""The reference search: alpha-beta with a table, in plain Python on ``Position`` alone.

It supports every rule, because it leaves legality and endings to ``Position``. It answers if no fast solver supports
the rules; the tests compare every solver with it, and the trees of lessons take their values from it.

Values are for the side to move:

    a win that leaves e empty cells     e + 1
    a loss                              -(e + 1)
    a draw                              0
    an estimate                         between -1 and 1

So a value depends on the position alone, and a quick win is worth more than a slow one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kinarow import score
from kinarow.game.line_heuristic import estimate_scale, open_lines_value
from kinarow.game.position import Position
from kinarow.game.rules import Side
from kinarow.score import Score
from kinarow.search_types import MAX_LINE, SearchInfo
from kinarow.solvers.common.budget import Budget

NODE_COST = 100
"""A node takes as long as this number of nodes of a fast solver. So a search visits only a hundredth of its budget:
20,000 nodes of the default one."""

LEAST_NODES = 100  # A search visits at least so many nodes, if its budget allows

INFINITY = float("inf")


def final_value(position: Position) -> int | None:
    """Return the value of a finished game; None while it goes on."""
    ending = position.ending()
    if ending.state == "ongoing":
        return None
    if ending.winner is None:
        return 0
    value = position.empties + 1
    return value if ending.winner == position.to_move else -value


def evaluate(position: Position) -> Score:
    """Return the static evaluation: a draw if no side can complete a line any more, else the line heuristic."""
    value = open_lines_value(position)
    return score.draw(position.empties) if value is None else score.estimate(value, estimate_scale(position.rules.goal))


def iterate(position: Position, budget: Budget, max_depth: int | None = None) -> Iterator[SearchInfo]:
    """Yield the result of each finished iteration, until a proof, ``max_depth`` or the end of the budget."""
    nodes = min(budget.nodes_left, max(LEAST_NODES, budget.nodes_left // NODE_COST))
    with budget.part(nodes=nodes) as part:
        yield from _deepen(position, _Search(part), min(position.empties, max_depth or position.empties))
    part.propagate_reason()


def _deepen(position: Position, search: "_Search", deepest: int) -> Iterator[SearchInfo]:
    """Yield the result of each finished iteration up to ``deepest``, or up to a proof or the end of the budget."""
    for depth in range(1, deepest + 1):
        search.met_estimate = False
        try:
            value = search.value(position, depth, -INFINITY, INFINITY)
        except BudgetSpent:
            return
        found, line = _score(value, position, search.met_estimate), search.line(position, depth)
        yield SearchInfo(line[0], found, line, depth)
        if found.proven:
            return


def _score(value: float, position: Position, met_estimate: bool) -> Score:
    cells, empties = position.rules.cells, position.empties
    if abs(value) < 1:
        return Score(value + 0.0, "unknown", None) if met_estimate else score.draw(empties)  # 0.0 in place of -0.0
    plies = empties + 1 - int(abs(value))
    return score.win(cells, plies) if value > 0 else score.loss(cells, plies)


class BudgetSpent(Exception):
    """The budget ended inside an iteration."""


class _Entry(NamedTuple):
    """A position's transposition-table entry."""

    depth: int  # the plies searched below the position
    lower: float
    upper: float
    move: int


@dataclass
class _Search:
    """An alpha-beta search with its transposition table."""

    budget: Budget
    met_estimate: bool = False  # True if a leaf of this iteration was estimated
    table: dict[tuple[bytes, Side], _Entry] = field(default_factory=dict)

    def value(self, position: Position, depth: int, alpha: float, beta: float) -> float:
        """Return the value if it is between alpha and beta, else a bound on it beyond the same one (fail-soft)."""
        if not self.budget.visit():
            raise BudgetSpent
        final = final_value(position)
        if final is not None:
            return final
        if depth == 0:
            estimate = evaluate(position)
            self.met_estimate |= not estimate.proven
            return estimate.value
        key = position.cells, position.to_move
        entry = self.table.get(key)
        if entry and entry.depth == depth:
            if entry.lower >= beta or entry.lower == entry.upper:
                return entry.lower
            if entry.upper <= alpha:
                return entry.upper
        best, best_move = -INFINITY, -1
        first, legal = entry.move if entry else -1, set(position.legal_moves())
        moves = [move for move in position.geometry.move_order if move in legal]
        for move in sorted(moves, key=lambda move: move != first):
            value_of_move = -self.value(position.play(move), depth - 1, -beta, -max(alpha, best))
            if value_of_move > best:
                best, best_move = value_of_move, move
            if best >= beta:
                break
        lower = best if best > alpha else -INFINITY
        upper = best if best < beta else INFINITY
        self.table[key] = _Entry(depth, lower, upper, best_move)
        return best

    def line(self, position: Position, depth: int) -> tuple[int, ...]:
        """Return the principal variation, as far as the table has it."""
        line: list[int] = []
        while len(line) < min(depth, MAX_LINE):
            entry = self.table.get((position.cells, position.to_move))
            if entry is None or entry.depth != depth - len(line):
                break
            line.append(entry.move)
            position = position.play(entry.move)
        return tuple(line)
