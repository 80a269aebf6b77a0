"""An independent judge: plain minimax over lists, written from the rules alone and sharing no code with the engine.

It is slow and obviously right: every run through every cell is walked step by step, every move is tried,
and the only shortcut is a memory of positions already judged.
"""

from functools import cache

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def runs_through(board, row, column):
    """The lengths of the four runs of equal marks through a marked cell."""
    mark = board[row][column]
    lengths = []
    for down, right in STEPS:
        length = 1
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < len(board) and 0 <= c < len(board[0]) and board[r][c] == mark:
                length += 1
                r, c = r + sign * down, c + sign * right
        lengths.append(length)
    return lengths


def completes_line(board, row, column, goal, exact_goal):
    """Whether the mark at a cell is part of a line."""
    return any(n == goal if exact_goal else n >= goal for n in runs_through(board, row, column))


def line_cells(board, mark, goal, exact_goal):
    """All cells of one side that are part of a line."""
    cells = set()
    for row in range(len(board)):
        for column in range(len(board[0])):
            if board[row][column] == mark and completes_line(board, row, column, goal, exact_goal):
                cells.add((row, column))
    return cells


def legal_moves(board, gravity):
    """The cells that may be marked."""
    moves = []
    for row in range(len(board)):
        for column in range(len(board[0])):
            if board[row][column] != ".":
                continue
            if gravity and row + 1 < len(board) and board[row + 1][column] == ".":
                continue
            moves.append((row, column))
    return moves


def with_mark(board, move, mark):
    """The board (a tuple of strings) after one more mark."""
    row, column = move
    changed = board[row][:column] + mark + board[row][column + 1 :]
    return board[:row] + (changed,) + board[row + 1 :]


@cache
def judge(board, to_move, goal, gravity=False, misere=False, exact_goal=False):
    """The truth about an ongoing position: (1, 0 or -1 for the side to move, plies to the end, set of best moves).

    The winner hurries, the loser delays; a draw lasts until the board is full.
    """
    opponent = "O" if to_move == "X" else "X"
    found = {}
    for move in legal_moves(board, gravity):
        child = with_mark(board, move, to_move)
        if completes_line(child, *move, goal, exact_goal):
            found[move] = (-1 if misere else 1, 1)
        elif not any("." in row for row in child):
            found[move] = (0, 1)
        else:
            value, plies, _ = judge(child, opponent, goal, gravity, misere, exact_goal)
            found[move] = (-value, plies + 1)
    best = max(found.values(), key=preference)
    return (*best, frozenset(move for move, value in found.items() if value == best))


def preference(value_and_plies):
    """What orders outcomes for the side that moves: quick wins, then draws, then slow losses."""
    value, plies = value_and_plies
    return (value, -plies if value > 0 else plies)
