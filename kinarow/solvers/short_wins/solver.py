"""Wins and losses within a few plies on boards of more than 64 cells, with exact distance, for goals up to four."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from kinarow import score
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.search_types import SearchInfo
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import SHORT_WINS_GOAL
from kinarow.solvers.common.table_pool import POOL, Table
from kinarow.solvers.short_wins import records
from kinarow.solvers.short_wins.layout import ENTRY_WORDS, MAX_THROUGH

kernels = Library("short_wins")

BOARDS_KEPT = 8
TABLE_BITS = 13
LAST_GENERATION = (1 << 40) - 1
ORDER = (1, 2, 3, 4, 5, 6, 7, 9, 11, 8, 10)
"""The distances tried in turn; long wins of the side to move come before long losses, and so often spare them."""

NODE_NS = 1_000  # The most that a node costs, in nanoseconds
LINE_VISIT_NS = 100  # And more for each line that bears a mark: forks are found by comparing pairs of them
LINE_NODES = 2000  # The principal variation may cost so many nodes beyond as many again as the proof took


def fits(rules: Rules) -> bool:
    """Whether the kernel can play by these rules: free placement, goal up to four, no other option."""
    return rules.within(frozenset()) and rules.plain and rules.goal <= SHORT_WINS_GOAL


@lru_cache(maxsize=BOARDS_KEPT)
def _empty_board(rules: Rules) -> Any:
    return records.new_board(rules)


def _load(position: Position) -> Any:
    board = _empty_board(position.rules).copy()
    pointer = Pointer(board)
    for cell, mark in enumerate(position.relative()):
        if mark:
            kernels.put(pointer, mark - 1, cell)
    records.set_symmetries(board, position.geometry.stabiliser(position.cells))
    return board


def prove(position: Position, budget: Budget, nodes: int) -> SearchInfo | None:
    """A proven win or loss within ``MAX_WIN_PLIES`` plies, or None if the nodes end before one is found."""
    marks = position.rules.cells - position.empties
    touched = min(len(position.geometry.lines), MAX_THROUGH * marks)
    budget.poll_by_cost(NODE_NS + LINE_VISIT_NS * touched)
    with budget.part(nodes=nodes) as part, _borrow_table() as table:
        proof = _ask(position, part, table)
    if proof is None:
        return None
    with budget.part(nodes=budget.nodes + LINE_NODES) as part:
        return _with_line(position, proof, part)


def _borrow_table() -> Table:
    return POOL.borrow("short wins", ENTRY_WORDS << TABLE_BITS, LAST_GENERATION)


def _ask(position: Position, budget: Budget, table: Any) -> SearchInfo | None:
    """The first win of the side to move (odd plies) or of its opponent (even plies) that is proven, or None."""
    board = _load(position)
    cells = position.rules.cells
    holding = position.geometry.first_of(position.legal_moves())
    for plies in ORDER:
        if plies > position.empties:
            continue
        attacker = 1 - plies % 2
        board["generation"] = 2 * table.generation + attacker
        yes = kernels.wins_within(board, budget.pointer, table.pointer, plies, attacker)
        if budget.is_spent():
            return None
        move = int(board[0]["root_move"])
        if yes and attacker == 0:
            return SearchInfo(move, score.win(cells, plies), (move,), plies)
        if yes:
            return SearchInfo(holding, score.loss(cells, plies), (holding,), plies)
        if attacker == 1 and move >= 0:
            holding = move
    return None


def _with_line(position: Position, proof: SearchInfo, budget: Budget) -> SearchInfo:
    """The result with the best line that follows, as far as the budget reaches."""
    line = [proof.move]
    left = proof.depth - 1
    while left > 0:
        position = position.play(line[-1])
        with _borrow_table() as table:
            move = _best(position, left, budget, table)
        if move is None:
            break
        line.append(move)
        left -= 1
    return replace(proof, line=tuple(line))


def _best(position: Position, plies: int, budget: Budget, table: Any) -> int | None:
    """A best move of a position that is known to end in so many plies; None if the budget ended first."""
    wins = plies % 2 == 1
    within = plies if wins else plies - 2
    if within == 0:
        return position.geometry.first_of(position.legal_moves())
    board = _load(position)
    board["generation"] = 2 * table.generation
    kernels.wins_within(board, budget.pointer, table.pointer, within, 0 if wins else 1)
    move = int(board[0]["root_move"])
    return move if not budget.is_spent() and move >= 0 else None
