# mypy: ignore-errors
"""Draws proven by pairing strategies, on boards of any size.

A pairing is a set of disjoint pairs of empty cells, with a pair on each line that one side, the *maker*, can still
complete. A side that answers a mark on one cell of a pair on the other cell never lets the opponent have both, and
never has both itself. So the maker completes no line: in the normal game against its will, in misère by choice.
``docs/bounds.md`` says why this holds whoever is to move. Without gravity, with or without an exact goal.
"""

import numba
import numpy as np
from numba import boolean, int64, void

from kinarow.kernels.declare import entry, part
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.common.kernel_budget import BUDGET, poll
from kinarow.solvers.maker_breaker.kernel_rules import EMPTY, LINES, MARKS, is_open
from kinarow.solvers.maker_breaker.layout import PAIRS_DTYPE, TILING_GOAL, TILING_SIDE

PAIRS = numba.from_dtype(PAIRS_DTYPE)

TILING = (r"//\/|--/", r"--//|\\/", "/\\/--\\\\\\", r"|\\\--\/", r"|/\|\--|", r"/|||--\|", "/||--||\\", r"/\/--||/")
"""A tiling of the plane by pairs (after Hales and Jewett, Regularity and positional games, 1963).

Each cell is paired with a neighbour of the same sign, in the direction that the sign draws. In each of the four
directions every eight cells in a row begin exactly one pair, so nine cells in a row always hold a whole pair.
"""
_DIRECTIONS = np.array(["-|\\/".index(sign) for row in TILING for sign in row], np.int64)

MOVES_TRIED = 6  # marks of the side to move after which a pairing is sought
_OWN = 1
_OPPONENT = 2


@entry(boolean(LINES, MARKS))
def is_hopeless(lines, marks):
    """Return True if a count shows that there are too few empty cells for a pair on each of the mover's lines."""
    empties = 0
    for cell in range(lines.cells):
        empties += marks[cell] == EMPTY
    served = lines.goal - 1  # the most lines that contain both cells of one pair
    # In each direction a mark closes at most ``goal`` lines of the other side, and two of its own with an exact goal.
    closed = (lines.cells - empties + 1) // 2 * 4 * (lines.goal + 2)
    if 2 * (lines.lines - closed) > served * empties:
        return True
    pairs = 0
    count = 0
    for index in range(lines.lines):
        if index > 0 and lines.direction[index] != lines.direction[index - 1]:
            pairs += (count + served - 1) // served
            count = 0
        count += is_open(lines, marks, index, _OWN)
    return 2 * (pairs + (count + served - 1) // served) > empties


@part(boolean(LINES, int64, int64, int64, int64, int64))
def _is_pair(lines, cell, other, direction, down, right):
    """Return True if the tiling, shifted down and right, pairs two neighbours in this direction."""
    columns = lines.columns
    for each in (cell, other):
        row = (each // columns + down) % TILING_SIDE
        if _DIRECTIONS[row * TILING_SIDE + (each % columns + right) % TILING_SIDE] != direction:
            return False
    return True


@part(boolean(LINES, PAIRS, int64, int64))
def tile(lines, pairs, maker, shift):
    """Return True if the shifted tiling has a pair on each open line of the maker; set ``pairs.paired`` by cell."""
    marks = pairs.marks[:]
    pairs.paired[:] = 0
    for index in range(lines.lines):
        if not is_open(lines, marks, index, maker):
            continue
        found = False
        for i in range(index * lines.goal, (index + 1) * lines.goal - 1):
            cell = int64(lines.cell[i])
            other = int64(lines.cell[i + 1])
            if marks[cell] == EMPTY and marks[other] == EMPTY:
                direction = int64(lines.direction[index])
                if _is_pair(lines, cell, other, direction, shift // TILING_SIDE, shift % TILING_SIDE):
                    pairs.paired[cell] = 1
                    pairs.paired[other] = 1
                    found = True
        if not found:
            return False
    return True


@part(void(LINES, PAIRS, int64))
def group_lines(lines, pairs, maker):
    """Group successive open lines with at least two empty cells in common; list the common cells in ``want[group]``."""
    marks = pairs.marks[:]
    pairs.groups = 0
    for index in range(lines.lines):
        if not is_open(lines, marks, index, maker):
            continue
        group = pairs.groups
        size = 0
        shared = 0
        for i in range(index * lines.goal, (index + 1) * lines.goal):
            cell = lines.cell[i]
            if marks[cell] == EMPTY:
                pairs.want[group, size] = cell
                size += 1
        pairs.length[group] = size
        before = group - 1
        for i in range(pairs.length[before] if group > 0 else 0):
            for j in range(size):
                if pairs.want[group, j] == pairs.want[before, i]:
                    shared += 1
        if shared < 2:
            pairs.groups += 1
            continue
        # Join the group before: keep what both have in common.
        kept = 0
        for i in range(pairs.length[before]):
            for j in range(size):
                if pairs.want[group, j] == pairs.want[before, i]:
                    pairs.want[before, kept] = pairs.want[before, i]
                    kept += 1
                    break
        pairs.length[before] = kept


@part(boolean(PAIRS, int64))
def give_cell(pairs, group):
    """Give a group one more of its cells by a breadth-first augmenting path; return False if there is none."""
    pairs.stamp += 1
    pairs.queue[0] = group
    pairs.before[0] = -1
    pairs.queued = 1
    head = 0
    while head < pairs.queued:
        reached = pairs.queue[head]
        for i in range(pairs.length[reached]):
            cell = int64(pairs.want[reached, i])
            if pairs.seen[cell] == pairs.stamp:
                continue
            pairs.seen[cell] = pairs.stamp
            if pairs.owner[cell] < 0:
                # Walk back along the path: each group takes over the cell by which the next one was reached.
                step = head
                while step >= 0:
                    pairs.owner[cell] = pairs.queue[step]
                    cell = pairs.via[step]
                    step = pairs.before[step]
                return True
            pairs.queue[pairs.queued] = pairs.owner[cell]
            pairs.via[pairs.queued] = cell
            pairs.before[pairs.queued] = head
            pairs.queued += 1
        head += 1
    return False


@part(boolean(LINES, PAIRS, BUDGET, int64))
def match(lines, pairs, budget, maker):
    """Return True if a bipartite matching gives each group two of its cells; set ``pairs.paired`` by cell."""
    group_lines(lines, pairs, maker)
    pairs.owner[:] = -1
    pairs.seen[:] = 0
    pairs.stamp = 0
    for _ in range(2):
        for group in range(pairs.groups):
            poll(budget)
            if budget.reason != RUNNING or not give_cell(pairs, group):
                return False
    for cell in range(lines.cells):
        pairs.paired[cell] = pairs.owner[cell] >= 0
    return True


@part(boolean(LINES, PAIRS, BUDGET, int64))
def find_pairs(lines, pairs, budget, maker):
    """Return True if a tiling or a matching pairs all open lines of the maker; set ``pairs.paired`` by cell."""
    for shift in range(TILING_SIDE * TILING_SIDE if lines.goal >= TILING_GOAL else 0):
        poll(budget)
        if budget.reason != RUNNING:
            return False
        if tile(lines, pairs, maker, shift):
            return True
    return match(lines, pairs, budget, maker)


@entry(int64(LINES, PAIRS, BUDGET, MARKS))
def find_draw(lines, pairs, budget, marks):
    """Return a move after which pairings of both sides' lines prove a draw, or -1; nodes aren't counted."""
    empties = 0
    for cell in range(lines.cells):
        pairs.marks[cell] = marks[cell]
        empties += marks[cell] == EMPTY
    if not find_pairs(lines, pairs, budget, _OWN):
        return -1
    if lines.misere != 0:
        # If the number of empty cells is odd, the side to move begins outside the pairs.
        move = -1
        for index in range(lines.cells):
            cell = int64(lines.order[index])
            if marks[cell] == EMPTY and (empties % 2 == 0 or pairs.paired[cell] == 0):
                move = cell
                break
        return move if find_pairs(lines, pairs, budget, _OPPONENT) else -1
    if find_pairs(lines, pairs, budget, _OPPONENT):
        for index in range(lines.cells):
            if marks[lines.order[index]] == EMPTY:
                return int64(lines.order[index])
    return _urgent(lines, pairs, budget)


@part(int64(LINES, PAIRS, BUDGET))
def _urgent(lines, pairs, budget):
    """Return one of the ``MOVES_TRIED`` most urgent moves after which the opponent's lines have a pairing, or -1."""
    marks = pairs.marks[:]
    pairs.weight[:] = 0
    for index in range(lines.lines):
        if not is_open(lines, marks, index, _OPPONENT):
            continue
        weight = 1
        for i in range(index * lines.goal, (index + 1) * lines.goal):
            if marks[lines.cell[i]] != EMPTY:
                weight *= 4
        for i in range(index * lines.goal, (index + 1) * lines.goal):
            if marks[lines.cell[i]] == EMPTY:
                pairs.weight[lines.cell[i]] += weight
    for _ in range(MOVES_TRIED):
        move = -1
        most = 0
        for index in range(lines.cells):
            cell = int64(lines.order[index])
            if pairs.weight[cell] > most:
                most = pairs.weight[cell]
                move = cell
        if move < 0:
            return -1
        pairs.weight[move] = 0
        pairs.marks[move] = _OWN
        if find_pairs(lines, pairs, budget, _OPPONENT):
            return move
        pairs.marks[move] = EMPTY
    return -1
