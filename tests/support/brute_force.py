"""The oracle's scores with up to 14 empty cells: every move is tried too, but compiled, with bounds and a memory."""

import numpy as np
from numba import njit

from tests.support import oracle

_MOST = 127  # more than any value


def scores(game, cells, side):
    """What ``oracle.scores`` gives; not for Renju."""
    count, empty = len(cells), [cell for cell, mark in enumerate(cells) if mark == 0]
    ways = np.full((2, len(oracle.directions(game)), count), -1, np.int64)
    for index, pair in enumerate(oracle.directions(game)):
        for way, following in zip(ways, pair, strict=True):
            way[index, [*following]] = [*following.values()]
    powers = np.zeros(count, np.int64)
    powers[empty] = 3 ** np.arange(len(empty))
    under = (-game.rows * game.columns if game.layers > 1 else game.columns) if game.gravity else 0
    rules = np.array([game.goal, game.exact_goal, game.caro, game.misere, game.marks == "shared", under], np.int64)
    memory = np.repeat(np.array([[-_MOST], [_MOST]], np.int8), 3 ** len(empty), axis=1)
    found = {}
    for move in oracle.moves(game, cells, side):
        after = oracle.put(game, cells, move, side)
        value, left = (-1 if game.misere else 1) * len(empty), len(empty) - 1
        if not oracle.lines_through(game, after, move):
            board, key = np.frombuffer(after, np.uint8).astype(np.int64), after[move] * powers[move]
            value = -_value(board, 3 - side, left, key, -_MOST, _MOST, ways, powers, rules, memory)
        found[move] = value + (count - len(empty)) * ((value > 0) - (value < 0))
    return found


@njit
def _completes(board, cell, ways, rules):
    """Whether the mark on a cell is part of a line."""
    mark, goal, exact, caro = board[cell], rules[0], rules[1], rules[2]
    for direction in range(ways.shape[1]):
        length, closed, is_ring = 1, True, False
        for way in range(2):
            at = ways[way, direction, cell]
            while not is_ring and at >= 0 and board[at] == mark:
                is_ring = at == cell
                length += not is_ring
                at = ways[way, direction, at]
            closed = closed and not is_ring and at >= 0 and board[at] == 3 - mark
        if (length > goal and not exact) or (length == goal and not (caro and closed)):
            return True
    return False


@njit
def _value(board, side, empties, key, low, high, ways, powers, rules, memory):
    """The value for the side to move, within bounds: a win that leaves n cells empty is n + 1, a loss its negative."""
    lower, upper = memory[:, key]
    if empties == 0:
        return 0
    if lower == upper or lower >= high or upper <= low:
        return lower if lower > low else upper
    misere, mark, under = rules[3], 1 if rules[4] else side, rules[5]
    best = -_MOST
    for cell in range(len(board)):
        if board[cell] or (under and 0 <= cell + under < len(board) and board[cell + under] == 0):
            continue
        board[cell], after, least = mark, key + mark * powers[cell], max(low, best)
        if _completes(board, cell, ways, rules):
            value = -empties if misere else empties
        else:
            value = -_value(board, 3 - side, empties - 1, after, -high, -least, ways, powers, rules, memory)
        board[cell] = 0
        best = max(best, value)
        if best >= high:
            break
    memory[0, key] = best if best > low else lower
    memory[1, key] = best if best < high else upper
    return best
