"""An immutable position: whose move it is, what is legal, whether the game is over, and its canonical form."""

from dataclasses import dataclass
from itertools import compress
from typing import Literal, NamedTuple

from service.engine import score
from service.engine.errors import PositionError
from service.engine.geometry import Geometry, Permutation, geometry
from service.engine.rules import Rules
from service.engine.score import Score

Side = Literal[1, 2]
EMPTY = 0
X: Side = 1
O: Side = 2  # noqa: E741 - the mark's own name
NAMES = {X: "X", O: "O"}

_SWAP_SIDES = bytes.maketrans(b"\x01\x02", b"\x02\x01")
_EMPTY = bytes.maketrans(bytes([0, 1, 2]), b"\x01\x00\x00")
_BINARY = {side: bytes.maketrans(bytes([0, 1, 2]), b"010" if side == X else b"001") for side in (X, O)}


def other(side: Side) -> Side:
    """The opponent of a side."""
    return O if side == X else X


class Ending(NamedTuple):
    """What the rules say of a position: ongoing, won or drawn, by whom and by which cells (in tile order)."""

    state: Literal["ongoing", "won", "drawn"]
    winner: Side | None
    winning_cells: tuple[int, ...]


ONGOING = Ending("ongoing", None, ())
DRAWN = Ending("drawn", None, ())


@dataclass(frozen=True, slots=True)
class Canonical:
    """A position seen from the side to move and up to symmetry.

    Attributes:
        cells: one byte a cell: 0 empty, 1 the side to move, 2 its opponent.
        to_asked: at place ``i`` the cell of the asked board that cell ``i`` here stands for.
    """

    cells: bytes
    to_asked: Permutation


@dataclass(frozen=True, slots=True)
class Position:
    """A board with the side to move.

    Attributes:
        rules: the game.
        cells: one byte a cell, row by row: 0 empty, 1 X, 2 O.
        to_move: 1 for X, 2 for O.

    Build one from outside data with ``checked``; the constructor trusts its caller.
    """

    rules: Rules
    cells: bytes
    to_move: Side

    @classmethod
    def empty(cls, rules: Rules) -> "Position":
        """The empty board with X to move."""
        return cls(rules, bytes(rules.cells), X)

    @classmethod
    def checked(cls, rules: Rules, cells: bytes, to_move: Side | None = None) -> "Position":
        """A position that a game may stand at.

        Args:
            rules: the game; ``len(cells)`` must be its number of cells.
            cells: one byte a cell, row by row: 0 empty, 1 X, 2 O.
            to_move: the side to move, or None for the usual one: the side with fewer marks; with equal
                counts the opponent of a side that has completed a line, else X.

        Raises:
            PositionError: the counts, the side to move, gravity or completed lines forbid it.
        """
        xs, os = cells.count(X), cells.count(O)
        if abs(xs - os) > 1:
            raise PositionError("/board", f"{xs} X and {os} O: the counts may differ by one at most")
        if rules.gravity:
            _check_fallen(rules, cells)
        lines = {side: geometry(rules).completed(_mask(cells, side), rules.exact_goal) for side in (X, O)}
        if lines[X] and lines[O]:
            raise PositionError("/board", "both sides have completed a line")
        turn = to_move or _usual_turn(xs, os, bool(lines[X]))
        if xs != os and turn != (X if xs < os else O):
            raise PositionError("/to_move", f"{xs} X and {os} O: it cannot be {NAMES[turn]}'s move")
        if lines[turn]:
            where = "/to_move" if to_move and xs == os else "/board"
            raise PositionError(
                where, f"{NAMES[turn]} has completed a line and would be to move: the game was over"
            )
        if lines[other(turn)] and not _has_last_move(rules, cells, lines[other(turn)]):
            raise PositionError(
                "/board",
                f"{NAMES[other(turn)]} has lines that no single last move completes: the game was over before",
            )
        return cls(rules, cells, turn)

    @property
    def geometry(self) -> Geometry:
        """The geometry of the board."""
        return geometry(self.rules)

    @property
    def empties(self) -> int:
        """How many cells are empty."""
        return self.cells.count(EMPTY)

    def ending(self) -> Ending:
        """Whether the game is over, who won by the rules in force and by which cells."""
        mover = other(self.to_move)
        lines = self.geometry.completed(_mask(self.cells, mover), self.rules.exact_goal)
        if lines:
            winner = self.to_move if self.rules.misere else mover
            return Ending("won", winner, tuple(sorted(set().union(*lines))))
        return ONGOING if EMPTY in self.cells else DRAWN

    def final_score(self) -> Score | None:
        """The score of a finished game for the side that would be to move; None while it goes on."""
        ending = self.ending()
        if ending.state == "ongoing":
            return None
        if ending.winner is None:
            return score.draw(0)
        cells = self.rules.cells
        return score.win(cells, 0) if ending.winner == self.to_move else score.loss(cells, 0)

    def legal_moves(self) -> tuple[int, ...]:
        """The cells that may be marked, in tile order; meaningful while the game is ongoing."""
        if not self.rules.gravity:
            return tuple(compress(range(self.rules.cells), self.cells.translate(_EMPTY)))
        columns = self.rules.columns
        lowest: dict[int, int] = {}
        for cell, mark in enumerate(self.cells):
            if mark == EMPTY:
                lowest[cell % columns] = cell
        return tuple(sorted(lowest.values()))

    def play(self, cell: int) -> "Position":
        """The position after the side to move marks a cell.

        Raises:
            ValueError: the cell cannot be marked.
        """
        below = cell + self.rules.columns
        floats = self.rules.gravity and below < self.rules.cells and self.cells[below] == EMPTY
        if not 0 <= cell < self.rules.cells or self.cells[cell] != EMPTY or floats:
            raise ValueError(f"cell {cell} cannot be marked")
        cells = bytearray(self.cells)
        cells[cell] = self.to_move
        return Position(self.rules, bytes(cells), other(self.to_move))

    def completes(self, cell: int) -> bool:
        """Whether the side to move completes a line by marking this empty cell."""
        mask = _mask(self.cells, self.to_move) | 1 << cell
        return bool(self.geometry.completed(mask, self.rules.exact_goal))

    def marks(self, side: Side) -> int:
        """The marks of a side as a mask, bit ``1 << cell``."""
        return _mask(self.cells, side)

    def relative(self) -> bytes:
        """The cells seen from the side to move: 0 empty, 1 its own, 2 its opponent's."""
        return self.cells if self.to_move == X else self.cells.translate(_SWAP_SIDES)

    def canonical(self) -> Canonical:
        """The canonical form that all symmetric and colour-swapped positions share."""
        board = self.geometry
        cells, index = board.canonical(self.relative())
        return Canonical(cells, board.symmetries[index])


def _mask(cells: bytes, side: Side) -> int:
    """The marks of a side as a mask, bit ``1 << cell``."""
    return int(cells.translate(_BINARY[side])[::-1], 2)


def _usual_turn(xs: int, os: int, x_has_line: bool) -> Side:
    if xs != os:
        return X if xs < os else O
    return O if x_has_line else X


def _check_fallen(rules: Rules, cells: bytes) -> None:
    """Refuse a mark with an empty cell under it."""
    columns = rules.columns
    for cell in range(rules.cells - columns):
        if cells[cell] != EMPTY and cells[cell + columns] == EMPTY:
            row, column = divmod(cell, columns)
            raise PositionError(
                f"/board/{row}", f"the mark at row {row}, column {column} has an empty cell under it"
            )


def _has_last_move(rules: Rules, cells: bytes, lines: list[tuple[int, ...]]) -> bool:
    """Whether one mark, under gravity the topmost of its column, is part of all these lines."""
    common = set(lines[0]).intersection(*lines[1:])
    if rules.gravity:
        return any(cell < rules.columns or cells[cell - rules.columns] == EMPTY for cell in common)
    return bool(common)
