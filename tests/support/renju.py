"""Renju from the words of its rules, with sets of cells: slow, and nothing shared with the product.

A four is a set of four stones that one more stone makes a five; so a straight four, which two stones can complete, is
one set, and two fours in one line are two. A three is a set of three stones that one more stone makes a straight four.
"""

import json
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
FIVE = 5
CASES = json.loads(Path(__file__).with_name("renju_cases.json").read_text("utf-8"))["cases"]
"""Boards with their forbidden cells, for the library, the kernel and the page alike."""


class Board:
    """Black's and White's stones as sets of (row, column) on a board of so many rows and columns."""

    def __init__(self, rows, columns, black=(), white=()):
        self.size = rows, columns
        self.black, self.white = frozenset(black), frozenset(white)

    @classmethod
    def read(cls, text, black="X"):
        """A board written in rows with ``/`` between them."""
        rows = text.split("/")
        marks = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row) if mark != "."}
        own = {cell for cell, mark in marks.items() if mark == black}
        return cls(len(rows), len(rows[0]), own, set(marks) - own)

    @cached_property
    def empty(self):
        """The free cells, in order."""
        taken = self.black | self.white
        return {cell: None for cell in product(*map(range, self.size)) if cell not in taken}

    def with_black(self, cell):
        return Board(*self.size, self.black | {cell}, self.white)

    def with_white(self, cell):
        return Board(*self.size, self.black, self.white | {cell})


def unbroken(stones, cell, step):
    """The stones in an unbroken row with the stone on the cell."""
    found = {cell}
    for sign in (1, -1):
        row, column = cell
        while (row := row + sign * step[0], column := column + sign * step[1]) in stones:
            found.add((row, column))
    return frozenset(found)


def along(cell, step, most):
    """The cells of the line through a cell, as many steps away each way."""
    return [(cell[0] + i * step[0], cell[1] + i * step[1]) for i in range(-most, most + 1) if i]


def wins(stones, cell, exactly):
    """Whether the stone on the cell makes a five, or for White a longer row."""
    lengths = [len(unbroken(stones, cell, step)) for step in STEPS]
    return FIVE in lengths or (not exactly and max(lengths) > FIVE)


def fours(board, cell, step):
    """The fours in one direction that Black's stone on the cell is part of, each with the cells that complete it."""
    found = {}
    for point in along(cell, step, FIVE - 1):
        if point in board.empty:
            row = unbroken(board.black | {point}, point, step)
            if len(row) == FIVE and cell in row:
                found.setdefault(row - {point}, set()).add(point)
    return found


def makes_straight_four(board, cell, point, step):
    """The three stones that Black's stone on an empty point makes a straight four with, one being on the cell."""
    after = board.with_black(point)
    row = unbroken(after.black, point, step)
    if len(row) != FIVE - 1 or cell not in row:
        return None
    return row - {point} if len(fours(after, point, step).get(row, ())) == 2 else None


@lru_cache(maxsize=100_000)
def _forbidden(size, black, white, cell):
    after = Board(*size, black | {cell}, white)
    lengths = [len(unbroken(after.black, cell, step)) for step in STEPS]
    if FIVE in lengths:
        return None
    if max(lengths) > FIVE:
        return "overline"
    if sum(len(fours(after, cell, step)) for step in STEPS) > 1:
        return "double four"
    threes = set()
    for step in STEPS:
        for point in along(cell, step, FIVE - 2):
            if point not in after.empty:
                continue
            stones = makes_straight_four(after, cell, point, step)
            if stones is None or wins(after.black | {point}, point, exactly=True):
                continue
            if _forbidden(size, after.black, white, point) is None:
                threes.add(stones)
    return "double three" if len(threes) > 1 else None


def fault(board, cell):
    """Why Black may not play the empty cell, None where it may."""
    return _forbidden(board.size, board.black, board.white, cell)


def forbidden(board):
    """The empty cells that Black may not play."""
    return {cell for cell in board.empty if fault(board, cell)}


def legal(board, black_to_move):
    """The cells that the side to move may play."""
    return [cell for cell in board.empty if not black_to_move or fault(board, cell) is None]


def values(board, black_to_move):
    """The exact score of each legal move on the scale of the answers: a win in n plies is cells + 1 - n."""
    cells = board.size[0] * board.size[1]
    known = {}

    def after(child, cell, mover_is_black):
        """The score for the side that has just moved."""
        if wins(child.black if mover_is_black else child.white, cell, exactly=mover_is_black):
            return cells
        value = -best(child, not mover_is_black)
        return value - (value > 0) + (value < 0)

    def best(position, black):
        key = position.black, position.white
        if key not in known:
            known[key] = max(
                (after(child(position, cell, black), cell, black) for cell in legal(position, black)), default=0
            )
        return known[key]

    return {cell: after(child(board, cell, black_to_move), cell, black_to_move) for cell in legal(board, black_to_move)}


def child(board, cell, black):
    """The board after a move."""
    return board.with_black(cell) if black else board.with_white(cell)
