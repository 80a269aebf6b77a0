# mypy: ignore-errors
"""Pairing strategies of a Maker-Breaker game: two cells on each line; the breaker answers one with the other."""

from numba import boolean, int64, uint64

from kinarow.kernels.declare import part
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.maker_breaker.kernel_lines import GAME, STATE
from kinarow.solvers.maker_breaker.layout import OFF_SPLIT

# Groups are split only while a pairing lacks at most so many cells; with more it costs more than it saves.
MOST_MISSING = 4


@part(boolean(STATE, int64))
def give_cell(state, group):
    """Give a group one more cell by a breadth-first augmenting path; return False if there is none.

    ``queue`` then has the groups that the search reached.
    """
    visited = ZERO
    state.queue[0] = group
    state.before[0] = -1
    state.queued = 1
    head = 0
    while head < state.queued:
        reach = state.want[state.queue[head]] & ~visited
        open_cells = reach & state.free
        if open_cells != ZERO:
            cell = int64(lowest_index(open_cells))
            state.free &= ~(ONE << uint64(cell))
            state.has[group] += 1
            # Walk back along the path: each group takes over the cell by which the next one was reached.
            step = head
            while step >= 0:
                state.owner[cell] = state.queue[step]
                cell = state.via[step]
                step = state.before[step]
            return True
        visited |= reach
        while reach != ZERO:
            cell = int64(lowest_index(reach))
            reach &= reach - ONE
            owner = state.owner[cell]
            was_reached = False
            for j in range(state.queued):
                if state.queue[j] == owner:
                    was_reached = True
                    break
            if not was_reached:
                state.queue[state.queued] = owner
                state.via[state.queued] = cell
                state.before[state.queued] = head
                state.queued += 1
        head += 1
    return False


@part(int64(STATE, int64))
def give_cells(state, groups):
    """Give each group two cells; return how many are missing, and mark the competing groups ``stuck``."""
    missing = 0
    for group in range(groups):
        state.stuck[group] = 0
    for group in range(groups - 1, -1, -1):
        while state.has[group] < 2:
            if not give_cell(state, group):
                missing += 2 - state.has[group]
                for i in range(state.queued):
                    state.stuck[state.queue[i]] = 1
                break
    return missing


@part(uint64(STATE, int64, int64, int64))
def common_cells(state, ply, first, last):
    """Return the cells that all lines from ``first`` to ``last`` have in common."""
    cells = state.left[ply, first]
    for i in range(first + 1, last + 1):
        cells &= state.left[ply, i]
    return cells


@part(int64(GAME, STATE, int64, int64, int64))
def split_groups(game, state, ply, groups, missing):
    """Split a group that lacks its pair, if fewer than ``missing`` cells are lacking then; return the number of groups.

    A group is a set of lines that share a pair of cells. Its parts need four cells in place of two, but have more to
    choose from, since the lines of a part have more cells in common.
    """
    free = state.free
    for cell in range(game.cells):
        state.kept_owner[cell] = state.owner[cell]
    for group in range(groups):
        state.kept_has[group] = state.has[group]
        state.kept_stuck[group] = state.stuck[group]
    for group in range(groups):
        last = state.last[group]
        want = state.want[group]
        for cut in range(state.first[group], last if state.kept_stuck[group] == 1 else 0):
            state.last[group] = cut
            state.want[group] = common_cells(state, ply, state.first[group], cut)
            state.first[groups] = cut + 1
            state.last[groups] = last
            state.want[groups] = common_cells(state, ply, cut + 1, last)
            state.has[groups] = 0
            if give_cells(state, groups + 1) < missing:
                return groups + 1
            state.free = free
            for cell in range(game.cells):
                state.owner[cell] = state.kept_owner[cell]
            for other in range(groups):
                state.has[other] = state.kept_has[other]
        state.last[group] = last
        state.want[group] = want
    return groups


@part(int64(STATE, int64))
def group_lines(state, ply):
    """Group successive lines of the list that have at least two cells in common; return the number of groups.

    Group ``g`` holds the lines from ``first[g]`` to ``last[g]`` and wants a pair of their common cells, ``want[g]``.
    Leaves all cells of the lines in ``paired``.
    """
    groups = 0
    cells = ZERO
    shared = ZERO
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        cells |= left
        both = shared & left
        if (both & (both - ONE)) == ZERO or both == ZERO:
            state.first[groups] = i
            groups += 1
            both = left
        shared = both
        state.want[groups - 1] = shared
        state.last[groups - 1] = i
    state.paired = cells
    return groups


@part(int64(GAME, STATE, int64))
def find_pairing(game, state, ply):
    """Return the number of cells that the best pairing found lacks; 0 proves that the maker completes no line.

    A pairing is a set of disjoint pairs of cells with a pair on each line; lines may share a pair. The breaker answers
    a mark on one cell of a pair on the other. ``paired`` becomes the cells of all pairs.

    1. Group the lines; each group wants a pair of the cells common to its lines.
    2. Match groups and cells by augmenting paths (``give_cell``).
    3. If few cells are missing, split groups (``split_groups``: OFF_SPLIT).
    """
    groups = group_lines(state, ply)
    cells = state.paired
    state.free = cells
    for group in range(groups):
        state.has[group] = 0
    missing = give_cells(state, groups)
    while 0 < missing <= MOST_MISSING and (game.off & OFF_SPLIT) == 0:
        more = split_groups(game, state, ply, groups, missing)
        if more == groups:
            break
        groups = more
        missing = give_cells(state, groups)
    state.paired = cells & ~state.free
    return missing
