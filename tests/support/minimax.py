"""Plain minimax to a depth, every move tried and nothing pruned: what alpha-beta must agree with to the last digit.

Values are absolute: a win when the board holds m marks is ``WIN - m``, a loss its negative, a draw 0, and
anything smaller an estimate by the lines that one side alone may still complete.
"""

from functools import cache, lru_cache

from tests.support.oracle import STEPS, completes_line, legal_moves, with_mark

WIN = 10**15
DECISIVE = WIN - 1000


def plain_value(board, to_move, rules, depth):
    """The depth-limited value of an ongoing board, and whether it rests on no estimate."""
    values = plain_move_values(board, to_move, rules, depth).values()
    return max(value for value, _ in values), all(certain for _, certain in values)


def plain_move_values(board, to_move, rules, depth):
    """For each legal cell (row, column) the value of marking it, and whether that rests on no estimate."""
    return {
        move: _after(with_mark(board, move, to_move), move, to_move, rules, depth - 1)
        for move in legal_moves(board, rules.gravity)
    }


@lru_cache(maxsize=100_000)
def _after(board, move, mover, rules, depth):
    """The value for the mover of the board it has just moved to."""
    marks = sum(cell != "." for row in board for cell in row)
    if completes_line(board, *move, rules.goal, rules.exact_goal):
        return (marks - WIN if rules.misere else WIN - marks), True
    if marks == rules.cells or not any(open_lines(board, side, rules) for side in "XO"):
        return 0, True
    if depth == 0:
        return estimate(board, mover, rules), False
    value, certain = plain_value(board, "O" if mover == "X" else "X", rules, depth)
    return -value, certain


@cache
def lines_of(rows, columns, goal):
    """Every line as its cells and the cells that would make it longer; with goal 1 one in each direction."""
    found = []
    for row in range(rows):
        for column in range(columns):
            for down, right in STEPS:
                reach = [(row + i * down, column + i * right) for i in range(-1, goal + 1)]
                on = [0 <= r < rows and 0 <= c < columns for r, c in reach]
                if all(on[1:-1]):
                    flanks = [cell for cell, inside in ((reach[0], on[0]), (reach[-1], on[-1])) if inside]
                    found.append((reach[1:-1], flanks))
    return found


def open_lines(board, side, rules):
    """How many marks of the side each line holds that it may still complete."""
    return [
        sum(board[r][c] == side for r, c in cells)
        for cells, flanks in lines_of(rules.rows, rules.columns, rules.goal)
        if all(board[r][c] in (side, ".") for r, c in cells)
        and not (rules.exact_goal and any(board[r][c] == side for r, c in flanks))
    ]


def estimate(board, side, rules):
    """The heuristic for a side: its open lines count 1, 10, 100 ... by their marks, the other's against it."""
    other = "O" if side == "X" else "X"
    mine, yours = (sum(10 ** (n - 1) for n in open_lines(board, who, rules) if n) for who in (side, other))
    return (yours - mine) if rules.misere else (mine - yours)
