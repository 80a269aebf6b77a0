"""The values of many positions of one game, in compiled loops if an exact solver takes the game."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kinarow.errors import SWITCH, InputError, check_type, quoted
from kinarow.game.geometry import RULES_HANDLED as SYMMETRIC
from kinarow.game.position import Position
from kinarow.game.position_arrays import (
    SWAP_SIDES,
    Boards,
    canonical_boards,
    has_line,
    lines_stand_alone,
    symmetries_of,
)
from kinarow.game.rules import BLOCKED, EMPTY, O, Rules, Side, X
from kinarow.kernels import shared_library
from kinarow.reading.boards import BOTH_SECOND
from kinarow.search.analysis import analyse
from kinarow.search.best_move import search
from kinarow.search.known import book
from kinarow.search_types import MOST_NODES, Limits, Stop
from kinarow.solvers import bulk as solvers
from kinarow.solvers.common.capacity import NO_VALUE

Moves = Literal["none", "best", "all"]  # Which moves a bulk call values: none, all that are best, or every one

_LEVELS: dict[Moves, int] = {"none": 0, "best": 1, "all": 2}
BATCH = 8192  # Positions solved together: of equal, mirrored or turned ones among them only one is solved
_ENDLESS = Limits(max_nodes=MOST_NODES)  # The limits of a search until its proof
_OUTCOMES = np.array(["loss", "draw", "win"])  # By the sign of a score, plus 1
_CELL_KINDS = len(SWAP_SIDES)


def bulk_values(
    boards: Any,
    rules: Rules | None = None,
    *,
    to_move: Any = None,
    composed: bool = False,
    limits: Limits | None = None,
    moves: Moves = "none",
    stop: Stop | None = None,
) -> NDArray[np.void]:
    """Return the values of many positions of one game.

    Each result depends only on its position and the limits. If an exact solver takes the board and no limits are given,
    a compiled loop proves the values. It releases the interpreter lock, so several threads may each value a part.
    Otherwise each position gets the answer of ``best_move``, with ``moves="all"`` that of ``analyse``; so do positions
    with gravity on boards with layers, joined edges or blocked cells, and with shared marks, that need many nodes.

    Args:
        boards: an array of whole numbers of the shape (positions, rows, columns) or (positions, cells), with
            layers (positions, layers, rows, columns), or a list that makes one; a cell is 0 empty, 1 X, 2 or -1 O,
            3 blocked. Or a list of ``Position`` of one game.
        rules: the game that all of them are positions of. Their blocked cells must be those of the rules. Left out with
            positions.
        to_move: an array with 1 (X), or 2 or -1 (O), for each position; by default the side with fewer marks, as in
            ``Position.from_cells``, or that of each ``Position``.
        composed: whether either side may have any number of marks; boards need ``to_move`` then. Not with Renju. A
            ``Position`` may be composed anyway.
        limits: the limits of the search of one position; by default none on boards that an exact solver takes,
            otherwise ``Limits()``.
        moves: which moves to value. ``none`` is quickest; ``best`` finds all best moves; ``all`` may take many times
            as long, because it also searches the positions after bad moves.
        stop: ends the search from another thread.

    Returns:
        A structured array with an element for each position, in order: ``score``, ``outcome``, ``distance`` (-1 where
        it is unknown), ``distance_is_bound`` and ``proven``, as ``Score`` describes them. With ``best`` and ``all``
        also ``best_moves``, a flag for each cell, and ``best_moves_complete``: false if other moves may be as good.
        With ``all`` also ``move_scores``, the score of the move on each cell (NaN if it is no legal move),
        ``move_is_bound`` and ``move_proven``. Finished positions have their final score and no moves.

    Raises:
        InputError: the array has another shape, positions are of several games, or no game reaches one of the boards;
            the pointer is ``/boards/i``.
        TypeError: rules are missing for boards that are no positions.
        SearchStopped: ``stop`` was set.

    >>> import kinarow
    >>> rules = kinarow.Rules(3, 3, 3)
    >>> values = kinarow.bulk_values([[[1, 0, 2], [0, 1, 0], [0, 0, 2]], [[0, 0, 0], [0, 1, 0], [0, 0, 0]]], rules,
    ...                             moves="best")
    >>> values["score"].tolist(), values["outcome"].tolist(), values["distance"].tolist()
    ([0.0, 0.0], ['draw', 'draw'], [5, 8])
    >>> values["best_moves"][1].nonzero()[0].tolist()
    [0, 2, 6, 8]
    >>> position = kinarow.Position.from_moves("4453", game="connect-four")
    >>> kinarow.bulk_values([position, position.play(24)])["outcome"].tolist()
    ['loss', 'win']
    """
    if isinstance(boards, list | tuple) and boards and all(isinstance(each, Position) for each in boards):
        rules = boards[0].rules if rules is None else rules
        if to_move is None:
            to_move = [position.to_move for position in boards]
            composed = composed or not boards[0].rules.renju  # positions may be composed
        boards = _of_positions(boards, rules)
    check_type("rules", rules, (Rules, "the game of the boards, a kinarow.Rules"))
    assert rules is not None
    check_type("composed", composed, SWITCH)
    for name, value, kind in (("limits", limits, Limits), ("stop", stop, Stop)):
        if value is not None:
            check_type(name, value, (kind, f"a kinarow.{kind.__name__}"))
    if moves not in list(_LEVELS):
        raise InputError("/moves", f"moves is one of {', '.join(_LEVELS)}, not {quoted(moves)}")
    cells = _as_boards(boards, rules)
    sides = None if to_move is None else _as_sides(to_move, len(cells))
    if composed and sides is None:
        raise InputError("/to_move", "composed boards need to_move: their marks do not show whose move it is")
    checked = check(cells, rules, sides, np.full(len(cells), composed))
    if not checked.valid.all():
        index = int(np.argmin(checked.valid))
        try:
            _from_cells(cells, rules, sides, index, composed)
        except InputError as wrong:
            raise InputError(f"/boards/{index}", wrong.problems[0][1]) from None
        raise InputError(f"/boards/{index}", "its blocked cells are not those of the rules")
    return values(checked, rules, limits, moves, stop)


def _of_positions(positions: Sequence[Position], rules: Rules) -> Boards:
    """Return the boards of positions of one game."""
    for index, position in enumerate(positions):
        if position.rules != rules:
            raise InputError(f"/boards/{index}", f"the position has {position.rules}, not {rules}")
    return np.array([np.frombuffer(position.cells, np.uint8) for position in positions])


def _from_cells(cells: Boards, rules: Rules, sides: Boards | None, index: int, composed: bool) -> Position:
    side = None if sides is None else sides[index]
    return Position.from_cells(rules, cells[index].tobytes(), side, composed=composed)


@dataclass(frozen=True, slots=True)
class Checked:
    """Boards of one game, seen from the side to move, and whether they are legal; one element or row a board."""

    relative: Boards  # (boards, cells): 0 empty, 1 of the side to move, 2 of its opponent, 3 blocked
    over: NDArray[np.bool_]  # whether the side that moved last has completed a line
    valid: NDArray[np.bool_]  # whether a game can reach the board
    sides: Boards  # the side to move, 1 X or 2 O
    empties: NDArray[np.int16]  # the number of empty cells

    def only(self, chosen: NDArray[np.bool_]) -> "Checked":
        """Return the boards for which ``chosen`` is true."""
        return Checked(*(getattr(self, name)[chosen] for name in Checked.__dataclass_fields__))


def check(cells: Boards, rules: Rules, sides: Boards | None, composed: NDArray[np.bool_]) -> Checked:
    """Judge boards as ``Position.from_cells`` does; without ``sides`` the side with fewer marks is to move."""
    parts = [
        _check(cells[part], rules, None if sides is None else sides[part], composed[part])
        for part in (slice(at, at + BATCH) for at in range(0, max(1, len(cells)), BATCH))
    ]
    return Checked(*(np.concatenate([getattr(part, name) for part in parts]) for name in Checked.__dataclass_fields__))


def values(
    checked: Checked, rules: Rules, limits: Limits | None, moves: Moves, stop: Stop | None = None
) -> NDArray[np.void]:
    """Return the values of checked boards, as ``bulk_values`` describes them; invalid boards stay ``unknown``."""
    cells = rules.cells
    answers = np.zeros(len(checked.relative), dtype(cells, moves))
    answers["outcome"], answers["distance"] = "unknown", -1
    if moves == "all":
        answers["move_scores"] = np.nan
    if moves != "none":
        answers["best_moves_complete"] = True
    if not rules.within(SYMMETRIC):
        for index in np.flatnonzero(checked.valid):
            side: Side = X if checked.sides[index] == X else O
            board = checked.relative[index] if side == X else SWAP_SIDES[checked.relative[index]]
            position = Position(rules, board.tobytes(), side)
            _search(answers[index : index + 1], position, limits or Limits(), moves, stop, complete=limits is None)
        return answers
    over = checked.valid & (checked.over | (checked.empties == 0))
    if over.any():
        final = np.where(checked.over, cells + 1 if rules.misere else -cells - 1, 0)
        _write_proven(answers, np.flatnonzero(over), final[over], np.zeros(over.sum(), int), cells)
    ongoing = checked.valid & ~over
    # Usually all are ongoing; then a slice avoids a copy.
    places = slice(None) if ongoing.all() else np.flatnonzero(ongoing)
    relative, empties = checked.relative[places], checked.empties[places]
    solved = np.empty(len(relative), answers.dtype)
    for at in range(0, len(relative), BATCH):
        part = slice(at, at + BATCH)
        solved[part] = _batch(relative[part], empties[part], rules, limits, moves, stop)
    answers[places] = solved
    return answers


def dtype(cells: int, moves: Moves) -> np.dtype[np.void]:
    """Return the element type of a bulk call's result on boards of ``cells`` cells."""
    fields: list[Any] = [
        ("score", np.float64),
        ("outcome", "U7"),
        ("distance", np.int16),
        ("distance_is_bound", np.bool_),
        ("proven", np.bool_),
    ]
    if moves != "none":
        fields += [("best_moves", np.bool_, (cells,)), ("best_moves_complete", np.bool_)]
    if moves == "all":
        fields.append(("move_scores", np.float64, (cells,)))
        fields += [(name, np.bool_, (cells,)) for name in ("move_is_bound", "move_proven")]
    return np.dtype(fields)


def _batch(
    relative: Boards, empties: NDArray[np.int16], rules: Rules, limits: Limits | None, moves: Moves, stop: Stop | None
) -> NDArray[np.void]:
    """Return the values of ongoing positions; of positions equal up to symmetry only one is solved."""
    canonical, chosen = canonical_boards(relative, rules)
    texts = canonical.view(f"S{rules.cells}")[:, 0]
    _, first, inverse = np.unique(texts, return_index=True, return_inverse=True)
    solved = _solve(canonical[first], empties[first], rules, limits, moves, stop)
    answers = solved[inverse]
    if moves != "none":
        maps = symmetries_of(rules)[chosen]
    for name in answers.dtype.names or ():
        if answers[name].ndim > 1:  # a value for each cell
            moved = np.empty_like(answers[name])
            np.put_along_axis(moved, maps, answers[name], axis=1)
            answers[name] = moved
    return answers


def load_kernels() -> None:
    """Open the libraries that bulk calls use; this builds them, so that child processes need not."""
    shared_library.open_libraries(("gravity", "free_placement", "line_masks"))


def _solve(
    boards: Boards, empties: NDArray[np.int16], rules: Rules, limits: Limits | None, moves: Moves, stop: Stop | None
) -> NDArray[np.void]:
    """Return the values of canonical positions: from the book, by a compiled loop, or by a search of each."""
    answers = np.zeros(len(boards), dtype(rules.cells, moves))
    waiting = np.arange(len(boards))
    exact = solvers.proves_all(rules)
    if limits is None and solvers.fits(rules):
        waiting = _write_from_book(answers, boards, empties, rules, moves)
        solved = solvers.values(rules, np.ascontiguousarray(boards[waiting]), _LEVELS[moves], stop)
        waiting = _write_solved(answers, empties, waiting, solved.values, solved.move_values, moves)
    each_limits = limits or (_ENDLESS if exact else Limits())
    for index in waiting:
        position = Position(rules, boards[index].tobytes(), X)
        _search(answers[index : index + 1], position, each_limits, moves, stop, complete=limits is None)
    return answers


def _write_from_book(
    answers: NDArray[np.void], boards: Boards, empties: NDArray[np.int16], rules: Rules, moves: Moves
) -> NDArray[np.intp]:
    """Write the values of positions that a shipped book has to ``answers``; return the indices of the others."""
    places = np.arange(len(boards))
    opening = book.shipped(rules)
    if opening is None:
        return places
    taken = empties > rules.cells - opening.plies
    if not taken.any():
        return places
    move_values = opening.move_values(boards[taken])
    unknown = _write_solved(answers, empties, places[taken], move_values.max(axis=1), move_values, moves)
    return np.concatenate([unknown, places[~taken]])


def _write_solved(
    answers: NDArray[np.void],
    empties: NDArray[np.int16],
    at: NDArray[np.intp],
    values: NDArray[np.int8],
    move_values: NDArray[np.int8],
    moves: Moves,
) -> NDArray[np.intp]:
    """Write values other than ``NO_VALUE`` and their move values to ``answers[at]``; return the other indices."""
    known = values != NO_VALUE
    unknown: NDArray[np.intp] = at[~known]
    if len(unknown):
        at, values, move_values = at[known], values[known], move_values[known]
    _write_proven(answers, at, values.astype(int), empties[at], move_values.shape[1])
    if moves != "none":
        valued = move_values != NO_VALUE
        answers["best_moves"][at] = valued & (move_values == values[:, None])
        answers["best_moves_complete"][at] = True
        if moves == "all":
            answers["move_scores"][at] = np.where(valued, move_values, np.nan)
            answers["move_proven"][at] = valued
    return unknown


def _write_proven(
    answers: NDArray[np.void], at: NDArray[np.intp], scores: NDArray[Any], empties: NDArray[Any], cells: int
) -> None:
    """Write exact proven scores to ``answers[at]``; ``scores`` and ``empties`` have an element for each index."""
    answers["score"][at] = scores
    answers["outcome"][at] = _OUTCOMES[np.sign(scores) + 1]
    answers["distance"][at] = np.where(scores == 0, empties, cells + 1 - np.abs(scores))
    answers["proven"][at] = True


def _search(
    answers: NDArray[np.void], position: Position, limits: Limits, moves: Moves, stop: Stop | None, *, complete: bool
) -> None:
    """Search one position and write its result to ``answers[0]``; ``complete`` asks for all best moves."""
    canonical = position.canonical()
    form, back = canonical.position, canonical.to_original
    analyses = moves == "all" or (moves == "best" and limits is _ENDLESS)
    result = analyse(form, limits, stop=stop) if analyses else search(form, limits, stop=stop)
    unfinished = result.score.exact and not result.best_moves_complete
    if moves == "best" and complete and unfinished and not analyses:
        result = analyse(form, limits, stop=stop)
    score = result.score
    answers["score"], answers["outcome"] = score.value, score.outcome
    answers["distance"] = -1 if score.distance is None else score.distance
    answers["distance_is_bound"], answers["proven"] = score.is_bound, score.proven
    if moves == "none":
        return
    answers["best_moves"][0, [back[move] for move in result.best_moves]] = True
    answers["best_moves_complete"] = result.best_moves_complete
    if moves == "all":
        answers["move_scores"] = np.nan
        for each in result.moves:
            cell = back[each.move]
            answers["move_scores"][0, cell] = each.score.value
            answers["move_is_bound"][0, cell] = each.score.is_bound
            answers["move_proven"][0, cell] = each.score.proven


# ---------------------------------------------------------------- checks


def _check(cells: Boards, rules: Rules, sides: Boards | None, composed: NDArray[np.bool_]) -> Checked:
    """Judge boards without a line by array operations, if the rules allow, all others by ``Position.from_cells``."""
    # Transposed to (cells, boards), so that each operation runs over many boards.
    rows = np.ascontiguousarray(cells.T)
    empty, marks = rows == EMPTY, {side: rows == side for side in (X, O)}
    xs, os = map(_count, marks.values())
    given = np.where(xs > os, O, X).astype(np.uint8) if sides is None else sides.copy()
    valid, over = np.zeros((2, len(cells)), bool)
    if rules.layers == 1 and lines_stand_alone(rules) and not (rules.gravity and rules.blocked):
        blocked = np.frombuffer(rules.empty_board, np.uint8) == BLOCKED
        valid = (xs == os) | (xs - os == np.where(given == O, 1, -1)) | composed
        valid &= ~(has_line(marks[X].T, rules) | has_line(marks[O].T, rules))
        valid &= ((rows == BLOCKED) == blocked[:, None]).all(axis=0)
        if rules.gravity:
            valid &= (empty[: -rules.columns] | ~empty[rules.columns :]).all(axis=0)
    swapped = (marks[X] | marks[O]) & (given != X)
    relative = np.ascontiguousarray((rows ^ swapped * np.uint8(X ^ O)).T)
    for index in np.flatnonzero(~valid):
        try:
            position = _from_cells(cells, rules, sides, int(index), bool(composed[index]))
        except InputError:
            continue
        valid[index] = position.rules == rules
        relative[index] = np.frombuffer(position.relative(), np.uint8)
        over[index], given[index] = position.ending().state == "won", position.to_move
    return Checked(relative, over, valid, given, _count(empty))


def _count(flags: NDArray[np.bool_]) -> NDArray[np.int16]:
    counts: NDArray[np.int16] = np.add.reduce(flags, axis=0, dtype=np.int16)
    return counts


def _as_boards(boards: Any, rules: Rules) -> Boards:
    """Return the caller's boards as an array (boards, cells) of 0 to 3, or raise ``InputError``."""
    sides = (rules.rows, rules.columns) if rules.layers == 1 else (rules.layers, rules.rows, rules.columns)
    shapes = f"(positions, {', '.join(map(str, sides))}) or (positions, {rules.cells})"
    array = _as_numbers(boards)
    if array is None:
        raise InputError("/boards", f"boards are an array of whole numbers, none of them masked, of the shape {shapes}")
    if array.shape[1:] not in {sides, (rules.cells,)} and array.shape != (0,):
        raise InputError("/boards", f"boards have the shape {shapes}, not {array.shape}")
    turned = array == -1
    if turned.any():
        if (array == O).any():
            raise InputError("/boards", BOTH_SECOND)
        array = np.where(turned, O, array)
    whole = array.dtype.kind != "f" or (array == np.floor(array)).all()
    if not whole or (array.size and not 0 <= array.min() <= array.max() < _CELL_KINDS):
        raise InputError("/boards", "a cell is 0 empty, 1 X, 2 or -1 O, or 3 blocked")
    return np.ascontiguousarray(array.reshape(len(array), rules.cells), np.uint8)


def _as_sides(to_move: Any, count: int) -> Boards:
    """Return the caller's sides to move as ``count`` numbers, 1 X or 2 O, or raise ``InputError``."""
    array = _as_numbers(to_move)
    if array is None or array.shape != (count,) or not np.isin(array, (X, O, -1)).all():
        raise InputError("/to_move", f"to_move is an array of {count} sides, each 1 (X), or 2 or -1 (O)")
    return np.where(array == X, X, O).astype(np.uint8)


def _as_numbers(given: Any) -> NDArray[Any] | None:
    """Return an array of numbers; None for masked arrays, other types, and lists of different lengths."""
    try:
        array = np.asarray(given)
        if array.dtype == object and {*map(type, array.flat)} == {int}:
            array = array.astype(np.int64)
    except (ValueError, OverflowError):
        return None
    hidden = any(map(np.ma.is_masked, [given, *given] if isinstance(given, list | tuple) else [given]))
    return None if hidden or array.dtype.kind not in "iuf" else array
