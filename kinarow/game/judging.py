"""Judges whether a game can reach a board, and which side is to move there."""

from collections.abc import Callable

from kinarow.errors import PositionError
from kinarow.game import notation
from kinarow.game.rules import BLOCKED, EMPTY, NAMES, OPPONENT, O, Rules, Side, X

Lines = list[tuple[int, ...]]


def beginner_of(xs: int, os: int, to_move: Side | None) -> Side | None:
    """Return the side that began: the side with more marks; with equal counts ``to_move``, which may be None."""
    return to_move if xs == os else X if xs > os else O


def judge(
    rules: Rules,
    cells: bytes,
    to_move: Side | None,
    pointer: str,
    composed: bool,
    lines_of: Callable[[Side, Side | None], Lines],
) -> tuple[Side, Lines]:
    """Return the side to move and the lines of the other side; raise a ``PositionError`` if no game reaches the board.

    ``to_move`` may be None; errors about it have the ``pointer``. A composed board may have any number of marks.
    ``lines_of(side, beginner)`` returns the lines that a side has completed; the beginner, None if unknown, matters in
    Renju alone.
    """
    if composed:
        check_composed(rules, to_move, pointer)
    xs, os = cells.count(X), cells.count(O)
    if rules.marks == "shared" and os:
        row, column = divmod(cells.index(O), rules.columns)
        place = notation.place_name(row, column)
        raise PositionError(f"/board/{row}/{column}", f'unknown mark "O" in {place}: both sides mark with X')
    if rules.marks == "own" and abs(xs - os) > 1 and not composed:
        raise PositionError("/board", f"{xs} X and {os} O: the counts may differ by one at most")
    if rules.gravity:
        _check_fallen(rules, cells)
    if rules.marks == "shared":
        lines = lines_of(X, None)
        if not _has_last_move(rules, cells, lines):
            raise PositionError("/board", "no single last mark completes all these lines: the game was over before")
        return to_move or (O if xs % 2 else X), lines
    began = beginner_of(xs, os, to_move) if rules.renju else None
    completed = {X: lines_of(X, began), O: lines_of(O, began)}
    if completed[X] and completed[O]:
        raise PositionError("/board", "both sides have completed a line")
    usual = X if xs < os or (xs == os and not completed[X]) else O
    turn = to_move or usual
    if rules.renju and began is None:
        completed[turn] = lines_of(turn, turn)
    if xs != os and turn != usual and not composed:
        raise PositionError(pointer, f"{xs} X and {os} O: it cannot be {NAMES[turn]}'s move")
    if completed[turn]:
        where = pointer if to_move and (xs == os or composed) else "/board"
        raise PositionError(where, f"{NAMES[turn]} is to move but has a line already: the game was over")
    lines, last = completed[OPPONENT[turn]], NAMES[OPPONENT[turn]]
    if not _has_last_move(rules, cells, lines):
        wrong = f"{last} has lines that no single last move completes: the game was over before"
        raise PositionError("/board", wrong)
    return turn, lines


def check_composed(rules: Rules, to_move: Side | None, pointer: str) -> None:
    """Raise a ``PositionError`` for a composed position in Renju, or one without a side to move."""
    if rules.renju:
        raise PositionError("/composed", "not with renju, where the numbers of marks say who began")
    if to_move is None:
        raise PositionError(pointer, f"a composed position needs {pointer[1:]}: its marks do not show whose move it is")


def _check_fallen(rules: Rules, cells: bytes) -> None:
    """Raise a ``PositionError`` for a mark above an empty cell, or a blocked cell above one that isn't blocked."""
    for cell, mark in enumerate(cells):
        under = cell - rules.rise
        below = cells[under] if 0 <= under < len(cells) else BLOCKED
        if mark == EMPTY or (below == BLOCKED if mark == BLOCKED else below != EMPTY):
            continue
        name = notation.name_cell(cell, rules)
        why = f"the mark at {name} has an empty cell under it"
        if mark == BLOCKED:
            why = f"with gravity the blocked cell at {name} must rest on the floor or on another"
        raise PositionError("/board/{}/{}".format(*divmod(cell, rules.columns)), why)


def _has_last_move(rules: Rules, cells: bytes, lines: Lines) -> bool:
    """Return True if one move can have completed all lines: a mark on all of them, under gravity atop its stack."""
    if not lines:
        return True
    common = set(lines[0]).intersection(*lines[1:])
    if not rules.gravity:
        return bool(common)
    above = [rules.above(cell) for cell in common]
    return any(over is None or cells[over] == EMPTY for over in above)
