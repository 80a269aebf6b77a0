"""Boards of the solver for large boards, of every kind of rules, what marks shape to compare, and a search of one."""

from functools import cache

import numpy as np

from kinarow.game.rules import Rules
from kinarow.game.size import MAX_CELLS
from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.common.budget import NO_DEADLINE, Budget
from kinarow.solvers.large_boards.board.records import load, new_state
from kinarow.solvers.large_boards.network.kernel_sums import bring_sums_up_to_date
from kinarow.solvers.large_boards.search.deepening import iterative_deepening
from kinarow.solvers.large_boards.search.kernel_deepening import begin
from kinarow.solvers.large_boards.search.kernel_vct import vct_win
from kinarow.solvers.large_boards.search.records import new_game, new_table

STATE_RULES = [
    Rules(15, 15, 5), Rules(15, 15, 5, exact_goal=True), Rules(9, 11, 6), Rules(8, 9, 4, gravity=True),
    Rules(12, 10, 9, exact_goal=True), Rules(9, 9, 7, exact_goal=True), Rules(25, 25, 25), Rules(3, 5, 4, misere=True),
    Rules(6, 6, 1), Rules(6, 6, 2, exact_goal=True), Rules(15, 15, 5, caro=True),
    Rules(15, 15, 5, caro=True, exact_goal=True), Rules(8, 9, 7, caro=True), Rules(3, 4, 2, caro=True, exact_goal=True),
    Rules(15, 15, 5, renju=True), Rules(9, 11, 5, blocked=0x1F_0000_0100_4000_0001),
    Rules(8, 9, 7, caro=True, blocked=1 << 30), Rules(12, 10, 9, exact_goal=True, blocked=1 << 55),
]  # fmt: skip
"""Rules of every kind."""


game_of = cache(new_game)


class Board:
    """The records of a board, to read; unpacked they are what kernels take: ``put(*board, cell, side)``."""

    def __init__(self, game, state):
        """Of arrays of one record."""
        self.arrays = game, state
        self.game, self.state = game[0], state[0]
        self._taken = Pointer(game), Pointer(state)

    def __iter__(self):
        return iter(self._taken)


def empty_board(game):
    """A board without marks of a game, which is an array of one record."""
    state = new_state()
    load(game, state)
    return Board(game, state)


def new(rules, beginner=0, **changed):
    """An empty board, perhaps with changed tunables; in Renju the side that began is given, 0 or 1."""
    return empty_board(game_of(rules, beginner if rules.renju else -1, **changed))


def board_of(position, **changed):
    """The board of a position, side 0 being the side to move; X began."""
    board = new(position.rules, position.to_move - 1, **changed)
    load(*board, list(position.relative()))
    return board


def snapshot(board):
    """All that marks shape, of the cells that are empty."""
    game, record = board.game, board.state
    bring_sums_up_to_date(*board)
    empty = [cell for cell in range(game.cells) if record.mark[cell] == 0]
    whole = ("count", "mask", "near_mask", "open_mask", "stones", "key", "empty")
    state = {name: np.array(record[name]).tolist() for name in whole}
    state["lines"] = record.lines.tolist()
    marks = game.cells - record.empty
    state["point_sums"] = record.point_sums[marks].tolist()
    for name in ("sums", "pools") if game.has_network else ("sums",):
        state[name] = record[name].reshape(MAX_CELLS + 1, -1)[marks].tolist()
    for name in ("quads", "cell_pattern"):
        state[name] = record[name][empty].tolist()
    return state


class Engine:
    """A loaded board with a state, a table and a budget."""

    def __init__(self, board, node_limit=10**9, deadline_ns=NO_DEADLINE, slots=1 << 14):
        self.state = new_state()
        self.table = new_table(slots, int(board.game.cells))
        self.go_on(board, node_limit, deadline_ns)

    def think(self, max_depth=625, fixed_depth=False, keep=False):
        """All reports of a search."""
        records = map(Pointer, self.board.arrays)
        return list(iterative_deepening(*records, self.budget, Pointer(self.table), max_depth, fixed_depth, keep))

    def answer(self, max_depth=625, fixed_depth=False):
        """The last report."""
        return self.think(max_depth, fixed_depth)[-1]

    def go_on(self, board, node_limit=10**9, deadline_ns=NO_DEADLINE):
        """Another position of the same rules with the same state and table."""
        self.board = Board(board.arrays[0], self.state)
        load(*self.board, board.state.mark)
        self.budget = Budget(node_limit, deadline_ns)

    def plies_by_threats(self):
        """The plies of the first win by threats that four deepenings find, 0 if they find none."""
        begin(*self.board, self.table, 0, 0)
        records = (*self.board, self.budget.record, self.table)
        return next((plies for depth in range(1, 5) if (plies := vct_win(*records, depth, 20_000))), 0)
