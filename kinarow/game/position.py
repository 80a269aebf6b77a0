"""An immutable position: the side to move, the legal moves, how the game stands, and the canonical form."""

import operator
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from kinarow import score
from kinarow.errors import WHOLE, PositionError, check_type, quoted, shown
from kinarow.game import notation, renju
from kinarow.game.board_svg import picture
from kinarow.game.board_text import board_text
from kinarow.game.geometry import RULES_HANDLED as SYMMETRIC
from kinarow.game.geometry import Geometry, Permutation, geometry
from kinarow.game.judging import beginner_of, judge
from kinarow.game.notation import NamedMove
from kinarow.game.rules import BLOCKED, EMPTY, OPPONENT, SWAP_SIDES, O, RuleKeywords, Rules, Side, X, check_fields
from kinarow.score import Score

_MARKS = bytes([EMPTY, X, O, BLOCKED])
_EMPTY = bytes.maketrans(bytes([0, 1, 2, 3]), b"\x01\x00\x00\x00")
_BINARY = {side: bytes.maketrans(bytes([0, 1, 2, 3]), b"0100" if side == X else b"0010") for side in (X, O)}

State = Literal["ongoing", "won", "drawn"]


class Ending(NamedTuple):
    """The state of a game, the winner, and the cells of the completed lines in tile order."""

    state: State
    winner: Side | None
    winning_cells: tuple[int, ...]


ONGOING = Ending("ongoing", None, ())
DRAWN = Ending("drawn", None, ())


@dataclass(frozen=True, slots=True)
class Canonical:
    """The form of a position that all symmetric and colour-swapped positions share."""

    position: "Position"  # the canonical position, in which X is to move, unless the rules' symmetries are unknown
    to_original: Permutation  # place i holds the original board's cell for cell i of the canonical board


class BoardKeywords(RuleKeywords, total=False):
    """Keyword arguments of the fields of a board; ``None`` stands for a missing field."""

    to_move: str | int | None
    composed: bool | None


@dataclass(frozen=True)
class Position:
    """A board with the side to move.

    Attributes:
        rules: the game.
        cells: one byte for each cell, row by row: 0 empty, 1 X, 2 O, 3 blocked.
        to_move: 1 for X, 2 for O.

    Build one from outside data with ``from_text``, ``from_rows``, ``from_moves`` or ``from_cells``; the
    constructor trusts its caller.

    >>> position = Position.from_text("X.O/.X./..O", goal=3)
    >>> position.legal_moves()
    (1, 3, 5, 6, 7)
    >>> position.play(1).board
    ['XXO', '.X.', '..O']
    >>> print(position)
    3 X  .  O
    2 .  X  .
    1 .  .  O
      a  b  c
    """

    rules: Rules
    cells: bytes
    to_move: Side

    @cached_property
    def geometry(self) -> Geometry:
        """The geometry of the board."""
        return geometry(self.rules)

    @cached_property
    def masks(self) -> tuple[int, int, int]:
        """Masks of the marks of X, at index 1, and of O, at index 2, bit ``1 << cell``; shared marks are in both."""
        xs = int(self.cells.translate(_BINARY[X])[::-1], 2)
        return (0, xs, int(self.cells.translate(_BINARY[O])[::-1], 2) if self.rules.marks == "own" else xs)

    @cached_property
    def _ending(self) -> Ending:
        return self._ending_by(self._lines(OPPONENT[self.to_move], self.beginner if self.rules.renju else None))

    def __reduce__(self) -> tuple[type["Position"], tuple[object, ...]]:
        """Unpickle by one call."""
        return Position, (self.rules, self.cells, self.to_move)

    @classmethod
    def empty(cls, rules: Rules) -> "Position":
        """Return the empty board with X to move."""
        check_type("rules", rules, (Rules, "a kinarow.Rules"))
        return empty_board(rules, X)

    @classmethod
    def from_cells(
        cls,
        rules: Rules,
        cells: bytes,
        to_move: Side | None = None,
        side_pointer: str = "/to_move",
        *,
        composed: bool = False,
    ) -> "Position":
        """Return a position from its cells.

        Args:
            rules: the game; ``len(cells)`` must be its number of cells. Its blocked cells are those of ``cells``.
            cells: one byte for each cell, row by row: 0 empty, 1 X, 2 O, 3 blocked.
            to_move: the side to move. By default the side with fewer marks; if the counts are equal, X, unless X has
                completed a line.
            side_pointer: the pointer of an error about ``to_move``.
            composed: whether either side may have any number of marks, as in a puzzle. ``to_move`` is required then.

        Raises:
            PositionError: no game can reach the board, apart from its counts if it is composed; or it is composed and
                the side to move is missing, or the game is Renju, where the counts say who began.
        """
        check_type("rules", rules, (Rules, "a kinarow.Rules"))
        check_type("cells", cells, (bytes, "bytes, one for each cell"))
        if len(cells) != rules.cells or cells.translate(None, _MARKS):
            raise PositionError("/board", f"the cells are {rules.cells} bytes of 0 to {BLOCKED}")
        if to_move not in (None, X, O):
            raise PositionError(side_pointer, f"the side to move is 1 (X) or 2 (O), not {quoted(to_move)}")
        to_move = to_move and (X if to_move == X else O)  # of Python's own type
        rules = rules.with_blocked(cells)
        board = cls(rules, cells, to_move or X)
        turn, lines = judge(rules, cells, to_move, side_pointer, composed, board._lines)
        position = board if turn == board.to_move else cls(rules, cells, turn)
        position.__dict__["_ending"] = position._ending_by(lines)
        return position

    @property
    def board(self) -> list[str]:
        """One string of ``X``, ``O``, ``.`` and ``#`` for each row, from the top; layer by layer from the bottom."""
        return notation.write_rows(self.cells, self.rules.columns)

    @classmethod
    def from_rows(cls, board: object, /, **fields: Unpack[BoardKeywords]) -> "Position":
        """Return the position on a board: a list of rows, each a string or a list of cells, or a NumPy array.

        Args:
            board: from top to bottom; see ``kinarow.reading.boards`` for the marks. With layers the rows of all layers,
                the bottom one first, or a list of rows for each layer. In an array 0 is empty, 1 is X, 2 or -1 is O,
                and 3 is blocked.
            fields: the rule fields, such as ``goal=4, gravity=True`` or ``game="connect-four"``; ``rows`` and
                ``columns``, needed for a flat board and where a ``game`` has another size; ``layers``; ``to_move``
                (``X`` or ``O``, or 1 or 2) and ``composed``, both as in ``from_cells``.

        Raises:
            InputError: the board, the rules or the side to move are impossible.
        """
        from kinarow.reading import positions

        check_fields(fields, BoardKeywords.__optional_keys__)
        return positions.read_board({"board": positions.without_arrays(board), **fields})

    @classmethod
    def from_text(cls, text: str, **fields: Unpack[BoardKeywords]) -> "Position":
        """Like ``from_rows``, of a board as text: ``/`` or a line break between rows, as in ``X.O/.X./..O``."""
        return cls.from_rows(text, **fields)

    @classmethod
    def from_moves(cls, moves: object, *, first: str | int = "X", **fields: Unpack[RuleKeywords]) -> "Position":
        """Return the position after moves from the empty board.

        Args:
            moves: a text such as ``4453``, or a list; see ``kinarow.reading.moves``. A whole number in a list is a
                cell, counted row by row from 0.
            first: the side that begins, ``X`` or ``O``, or 1 or 2.
            fields: the rule fields; ``rows``, ``columns`` and ``layers``, by default those of ``game``, or one layer.

        Raises:
            InputError: the rules, the size or a move are impossible; for a move, the pointer is ``/moves/i``.
        """
        from kinarow.reading import positions

        given = {"first": first, **fields}
        check_fields(given, RuleKeywords.__optional_keys__ | {"first"})
        return positions.read_board(given, "first").after(moves)

    def after(self, moves: object, *, first_cell: int = notation.CELL) -> "Position":
        """Return the position after moves from here, a text or a list; see ``kinarow.reading.moves``.

        ``first_cell`` is the number of the first cell in a list, 0 or 1. What is no move on this board is a
        ``NotationError``, and an illegal move a ``PositionError``, each at ``/moves/i``.
        """
        from kinarow.reading import moves as reading

        return reading.after(self, moves, first_cell)

    def replay(self, moves: object, *, first_cell: int = notation.CELL) -> "Iterator[tuple[Position, int]]":
        """Yield, for each move from here, the position before it and the cell that it marks; raise as ``after``."""
        from kinarow.reading import moves as reading

        return ((before, cell) for before, cell, _ in reading.replay(self, moves, first_cell))

    def played(self, moves: Sequence[NamedMove]) -> "Iterator[tuple[int, Position]]":
        """Yield the cell that each move marks and the position after it; ``kinarow.reading`` returns such moves."""
        position = self
        for index, named in enumerate(moves):
            move = position.find_move(named, f"/moves/{index}")
            position = position._with_mark(move)
            yield move, position

    def find_move(self, named: NamedMove, pointer: str) -> int:
        """Return the cell that a move marks; raise ``PositionError`` if the move is illegal, or the game is over."""
        if self._ending is not ONGOING:
            raise PositionError(pointer, f"the game was over before this move: {self._how_it_ended()}")
        move, stack = named
        if move is None:
            marks = self.cells[stack :: self.rules.stacks]
            level = marks.find(EMPTY) if self.rules.rise > 0 else marks.rfind(EMPTY)
            if level < 0:
                raise PositionError(pointer, f"{notation.name_stack(stack, self.rules)} is full")
            return level * self.rules.stacks + stack
        why = self.barred(move)
        if why is not None:
            raise PositionError(pointer, why)
        return move

    def _how_it_ended(self) -> str:
        winner = self.ending().winner
        return "drawn" if winner is None else f"won by {notation.side_name(winner)}"

    def barred(self, cell: int) -> str | None:
        """Return why the side to move may not mark a cell, or None if it may. The game is ongoing."""
        below = self.rules.below(cell) if self.rules.gravity else None
        if self.cells[cell] == BLOCKED:
            why = "is blocked"
        elif self.cells[cell] != EMPTY:
            why = f"is taken by {'X' if self.cells[cell] == X else 'O'}"
        elif below is not None and self.cells[below] == EMPTY:
            why = "cannot be marked yet: the cell under it is empty"
        elif self._restricted and (foul := renju.foul_at(self.rules, self.cells, self.to_move, cell)) is not None:
            why = f"is forbidden to the side that began: {foul}"
        else:
            return None
        return f"{notation.name_cell(cell, self.rules)} {why}"

    def __getitem__(self, cell: int) -> int:
        """Return the mark on a cell, counted row by row from 0: 0 empty, 1 X, 2 O, 3 blocked."""
        if type(cell) is not int:
            check_type("a cell", cell, WHOLE)
        if not 0 <= cell < self.rules.cells:
            raise IndexError(f"the cells of the board are 0 to {self.rules.cells - 1}, not {cell}")
        return self.cells[cell]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return a new NumPy array of 0 (empty), 1 (X), 2 (O) and 3 (blocked): rows × columns, behind layers."""
        size = self.rules.sides
        shape = (size.layers, size.rows, size.columns) if size.layers > 1 else (size.rows, size.columns)
        if copy is False:
            raise ValueError("an array of a position is always a copy; leave out copy=False")
        return np.frombuffer(self.cells, np.uint8).reshape(shape).astype(dtype or np.uint8)

    def __str__(self) -> str:
        """Return the board with its coordinates."""
        return board_text(self.rules, "".join(self.board))

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows; completed lines are lit."""
        return picture(self.rules, self.cells, lit=self.ending().winning_cells)

    @property
    def empties(self) -> int:
        """The number of empty cells."""
        return self.cells.count(EMPTY)

    def ending(self) -> Ending:
        """Return the state of the game (ongoing, won or drawn), the winner and the winning cells."""
        return self._ending

    @property
    def is_over(self) -> bool:
        """True if the game is won or drawn."""
        return self._ending is not ONGOING

    @property
    def winner(self) -> Side | None:
        """The side that has won, 1 for X and 2 for O, or None."""
        return self._ending.winner

    def _ending_by(self, lines: list[tuple[int, ...]]) -> Ending:
        """Return the ending, given the lines that the side that moved last has completed."""
        rules = self.rules
        if lines:
            winner = self.to_move if rules.misere else OPPONENT[self.to_move]
            return Ending("won", winner, tuple(sorted(set().union(*lines))))
        if EMPTY not in self.cells or (
            rules.renju and self._restricted and not renju.may_move(rules, self.cells, self.to_move)
        ):
            return DRAWN
        return ONGOING

    @property
    def beginner(self) -> Side:
        """The side that began the game: the one with more marks; if the counts are equal, the side to move."""
        return beginner_of(self.cells.count(X), self.cells.count(O), self.to_move) or self.to_move

    @property
    def _restricted(self) -> bool:
        """True if Renju forbids cells to the side to move, because it began the game."""
        return self.rules.renju and self.to_move == self.beginner

    def forbidden(self) -> tuple[int, ...]:
        """Return the empty cells that Renju forbids to the side to move, in tile order."""
        if not self._restricted:
            return ()
        return tuple(sorted(renju.forbidden_cells(self.rules, self.cells, self.to_move)))

    def final_score(self) -> Score | None:
        """Return the score of a finished game for the side that would be to move; None if the game is ongoing."""
        ending = self._ending
        if ending is ONGOING:
            return None
        if ending.winner is None:
            return score.draw(0)
        cells = self.rules.cells
        return score.win(cells, 0) if ending.winner == self.to_move else score.loss(cells, 0)

    def legal_moves(self) -> tuple[int, ...]:
        """Return the cells that the side to move may mark, in tile order; only meaningful while the game is ongoing."""
        return self._moves

    @cached_property
    def _moves(self) -> tuple[int, ...]:
        """The cells that ``legal_moves`` returns."""
        rules, playable = self.rules, self.cells.translate(_EMPTY)
        if rules.gravity:
            playable = self._supported(playable)
        moves = tuple(compress(range(rules.cells), playable))
        if rules.renju and self._restricted:
            barred = renju.forbidden_cells(rules, self.cells, self.to_move)
            moves = tuple(cell for cell in moves if cell not in barred)
        return moves

    def _supported(self, empty: bytes) -> bytes:
        """Return a byte for each cell: 1 if it is empty with no empty cell under it; ``empty`` is 1 for empty cells."""
        # As one big integer, a byte for each cell, so that one shift compares all cells with the cells under them.
        number, step = int.from_bytes(empty, "little"), 8 * self.rules.rise
        floating = number << step if step > 0 else number >> -step
        return (number & ~floating).to_bytes(len(empty), "little")

    def play(self, cell: int) -> "Position":
        """Return the position after the side to move marks a cell, counted row by row from 0.

        A search result stands for its move; ``after`` takes moves as text.

        Raises:
            TypeError: the cell is no whole number.
            ValueError: the cell cannot be marked; the message says why.
        """
        if type(cell) is not int:
            cell = _whole_number(cell)
        rules = self.rules
        if not 0 <= cell < rules.cells:
            raise ValueError(f"cell {cell} cannot be marked: the cells of the board are 0 to {rules.cells - 1}")
        if self._ending is not ONGOING:
            raise ValueError(f"cell {cell} cannot be marked: the game is over, {self._how_it_ended()}")
        under = cell - rules.rise if rules.gravity else -1
        if self.cells[cell] != EMPTY or (0 <= under < rules.cells and self.cells[under] == EMPTY) or rules.renju:
            why = self.barred(cell)
            if why is not None:
                stack = cell % rules.stacks
                if rules.gravity and all(each in (X, O) for each in self.cells[stack :: rules.stacks]):
                    why = f"{notation.name_stack(stack, rules)} is full"
                raise ValueError(f"cell {cell} cannot be marked: {why}")
        return self._with_mark(cell)

    def _with_mark(self, cell: int) -> "Position":
        """Return the position after a legal move."""
        side, (_, xs, os), bit = self.to_move, self.masks, 1 << cell
        if self.rules.marks == "shared":
            mark, xs, os = X, xs | bit, os | bit
        else:
            mark, xs, os = side, xs | bit if side == X else xs, os | bit if side == O else os
        cells = b"%b%c%b" % (self.cells[:cell], mark, self.cells[cell + 1 :])
        after = Position(self.rules, cells, OPPONENT[side])
        after.__dict__.update(geometry=self.geometry, masks=(0, xs, os))
        return after

    def marks(self, side: Side) -> int:
        """Return the marks of a side, 1 or 2, as a mask, bit ``1 << cell``; shared marks are those of either side."""
        if side not in (X, O):
            raise ValueError(f"a side is 1 (X) or 2 (O), not {quoted(side)}")
        return self.masks[side]

    def _lines(self, side: Side, beginner: Side | None) -> list[tuple[int, ...]]:
        """Return the lines that a side has completed; ``beginner``, given in Renju alone, needs exactly five."""
        opposing = self.masks[OPPONENT[side]] if self.rules.caro else 0
        return self.geometry.completed(self.masks[side], opposing, side == beginner)

    def relative(self) -> bytes:
        """Return the cells for the side to move: 0 empty, 1 own, 2 the opponent's, 3 blocked; shared marks are 1."""
        return self.cells if self.to_move == X or self.rules.marks == "shared" else self.cells.translate(SWAP_SIDES)

    def canonical(self) -> Canonical:
        """Return the canonical form that all symmetric and colour-swapped positions share.

        Under rules whose symmetries are unknown a position is its own form.
        """
        if not self.rules.special_names <= SYMMETRIC:
            return Canonical(self, tuple(range(self.rules.cells)))
        cells, symmetry = self.geometry.canonical(self.relative())
        rules = self.rules.with_blocked(cells) if self.rules.blocked else self.rules
        form = Position(rules, cells, X)
        if rules is self.rules:
            form.__dict__["geometry"] = self.geometry
        if self._ending is ONGOING:
            form.__dict__["_ending"] = ONGOING
        return Canonical(form, symmetry)

    def canonical_among(self, allowed: tuple[int, ...]) -> tuple[Canonical, tuple[int, ...]]:
        """Return the canonical form, and its cells that stand for the allowed cells of this board, in ascending order.

        Symmetric positions with symmetric cells get the same result: if several symmetries give the canonical form, the
        one with the smallest cells is used.
        """
        canonical = self.canonical()
        form, back = canonical.position, canonical.to_original
        images = []
        for permutation in form.geometry.stabiliser(form.cells):
            to_original = tuple(back[cell] for cell in permutation)
            cells = tuple(cell for cell, original in enumerate(to_original) if original in allowed)
            images.append((cells, to_original))
        cells, to_original = min(images)
        return Canonical(form, to_original), cells


@lru_cache(maxsize=64)
def empty_board(rules: Rules, side: Side) -> Position:
    """Return the empty board; it is cached together with its own cached properties."""
    return Position(rules, rules.empty_board, side)


def _whole_number(cell: Any) -> int:
    """Return a cell as an ``int``: a whole number of any type, or the move of a result; else raise ``TypeError``."""
    cell = getattr(cell, "move", cell)  # of a result
    if not isinstance(cell, bool):  # in Python True is a whole number
        with suppress(TypeError):
            return operator.index(cell)
    raise TypeError(f"play() takes a cell, a whole number from 0, not {shown(cell)}; after() takes text")
