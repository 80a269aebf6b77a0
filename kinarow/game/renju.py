"""The cells that Renju forbids to the side that began, by the definitions of the Renju International Federation.

*The International Rules of Renju* (RIF, 1996 and 1998) call the side that began Black. For it their terms (section 3)
mean:

    five            exactly five stones in an unbroken row: Black wins        overline   six or more: forbidden
    four            four stones of a row, to which one more makes a five
    straight four   an unbroken four that becomes a five in two ways
    three           three stones of a row, to which one more makes a straight four, and no five at the same time

Two fours that meet in the new stone (double-four) are forbidden, and so are two threes (double-three), unless the stone
also makes a five (9.2). By 9.3 a double-three is allowed where only one of the threes can become a straight four
without that stone being forbidden in its turn, by an overline, by a double-four, or by a double-three to which 9.3 is
applied again. So whether a three counts is decided by a recursion, which ends because every step adds a stone.

The search has the same rule compiled: ``is_forbidden`` in ``solvers/large_boards/board/kernel_renju.py``. Tests
compare both.
"""

from functools import cache, lru_cache
from typing import Literal, NamedTuple

from kinarow.game.rules import EMPTY, GOAL_OF_RENJU, O, Rules, Side, X

Foul = Literal["overline", "double four", "double three"]

REACH = GOAL_OF_RENJU  # Cells each way that matter: those of a five, and one more that may make an overline
FORBIDDEN_KEPT = 256  # Positions whose forbidden cells are cached: a search asks for them repeatedly

_SEEN_BY = {black: bytes(0 if mark == EMPTY else 1 if mark == black else 2 for mark in range(256)) for black in (X, O)}
"""For either side as Black, a table for bytes.translate from cells to those of ``_Board``."""


class _Row(NamedTuple):
    """What a stone makes in one direction."""

    stones: int  # the stones of the unbroken row with it
    fours: int  # the fours that it is part of; a straight four counts as one
    straightening: tuple[int, ...]  # steps from the stone to each cell where another stone makes a straight four


@cache
def _read_row(row: bytes) -> _Row:
    """Return what the middle stone of a row makes: 1 is Black's stone, 0 empty, 2 a stop (at most 3**10 rows)."""
    middle = len(row) // 2
    stones = _run(row, middle)
    if stones >= GOAL_OF_RENJU:
        return _Row(stones, 0, ())
    fives = [place for place in _empty(row) if _run(_with_stone(row, place), middle) == GOAL_OF_RENJU]
    straight = stones == GOAL_OF_RENJU - 1 and len(fives) == 2
    if fives:
        return _Row(stones, 1 if straight else len(fives), ())
    fours = tuple(place - middle for place in _empty(row) if _is_straight_four(_with_stone(row, place)))
    return _Row(stones, 0, fours)


def _is_straight_four(row: bytes) -> bool:
    """Return True if the middle stone is in an unbroken four that becomes a five in two ways."""
    middle = len(row) // 2
    if _run(row, middle) != GOAL_OF_RENJU - 1:
        return False
    return sum(_run(_with_stone(row, place), middle) == GOAL_OF_RENJU for place in _empty(row)) == 2


def _run(row: bytes, middle: int) -> int:
    """Return the number of stones in the unbroken row that the middle stone belongs to."""
    return len(row[:middle]) - len(row[:middle].rstrip(b"\x01")) + len(row[middle:]) - len(row[middle:].lstrip(b"\x01"))


def _empty(row: bytes) -> list[int]:
    return [place for place, mark in enumerate(row) if mark == EMPTY]


def _with_stone(row: bytes, place: int) -> bytes:
    return row[:place] + b"\x01" + row[place + 1 :]


class _Board:
    """A board from Black's view: 1 Black, 0 empty, 2 White and the margin, as wide as a row reaches."""

    def __init__(self, rules: Rules, cells: bytes, black: Side) -> None:
        seen = cells.translate(_SEEN_BY[black])
        rows = [seen[at : at + rules.columns] for at in range(0, len(seen), rules.columns)]
        self._width = rules.columns + REACH  # the margin of a row ends the next one too
        self._cells = bytearray(b"\x02" * (REACH * self._width + REACH))
        self._cells += b"".join(row + b"\x02" * REACH for row in rows) + self._cells
        self._steps = (1, self._width, self._width + 1, self._width - 1)

    def foul(self, cell: int) -> Foul | None:
        """Return why Black may not play the empty cell, or None."""
        row, column = divmod(cell, self._width - REACH)
        judged = self._judged((row + REACH) * self._width + REACH + column)
        return None if judged == "five" else judged

    def _judged(self, place: int) -> Foul | Literal["five"] | None:
        """Try a stone of Black on an empty place of ``_cells``: return ``five``, its foul, or None."""
        cells = self._cells
        cells[place] = 1
        rows = [_read_row(bytes(cells[place - REACH * step : place + REACH * step + 1 : step])) for step in self._steps]
        makes_five = any(row.stones == GOAL_OF_RENJU for row in rows)
        result: Foul | Literal["five"] | None = "five" if makes_five else self._foul_of_stone(place, rows)
        cells[place] = EMPTY
        return result

    def _foul_of_stone(self, place: int, rows: list[_Row]) -> Foul | None:
        """Return the foul of a stone that makes no five; ``rows`` has what it makes along each of ``_steps``."""
        if any(row.stones > GOAL_OF_RENJU for row in rows):
            return "overline"
        if sum(row.fours for row in rows) >= 2:
            return "double four"
        if sum(bool(row.straightening) for row in rows) < 2:
            return None
        # A three counts if Black may make a straight four of it, and makes no five at the same time.
        threes = sum(
            any(self._judged(place + steps * step) is None for steps in row.straightening)
            for step, row in zip(self._steps, rows, strict=True)
        )
        return "double three" if threes >= 2 else None


def foul_at(rules: Rules, cells: bytes, black: Side, cell: int) -> Foul | None:
    """Return why the side that began, ``black``, may not mark an empty cell, or None."""
    return _Board(rules, cells, black).foul(cell)


@lru_cache(maxsize=FORBIDDEN_KEPT)
def forbidden_cells(rules: Rules, cells: bytes, black: Side) -> frozenset[int]:
    """Return the empty cells that are forbidden to the side that began, whichever side is to move."""
    board = _Board(rules, cells, black)
    return frozenset(cell for cell, mark in enumerate(cells) if mark == EMPTY and board.foul(cell) is not None)


def may_move(rules: Rules, cells: bytes, black: Side) -> bool:
    """Return True if the side that began has a cell that it may mark."""
    board = _Board(rules, cells, black)
    return any(mark == EMPTY and board.foul(cell) is None for cell, mark in enumerate(cells))
