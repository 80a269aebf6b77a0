# mypy: ignore-errors
"""Cells that make fours, and what marks would change there, worked out without putting the marks."""

from numba import types

from kinarow.kernels.declare import entry, inlined
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.large_boards.board.kernel_cells import pattern_of
from kinarow.solvers.large_boards.board.kernel_lines import line_with, pattern_on
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, MAX_FOURS, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FOUR, FOUR_CELL, FOUR_THREE_CELL, THREE

_MOST_FORESEEN = 8  # cells that make fours among which the board looks for what they have in common


@inlined
def _line_between(game, cell, other):
    """Return the direction of the line through two cells, -1 for none, and the steps from the second to the first."""
    down = types.int64(game.row[cell]) - types.int64(game.row[other])
    right = cell - other - down * game.columns
    if down == 0:
        return types.int64(0), right
    if right == 0:
        return types.int64(1), down
    if right == down:
        return types.int64(2), down
    if right == -down:
        return types.int64(3), down
    return types.int64(-1), down


@inlined
def _leaves_four_on_line(game, state, side, cell, direction, apart):
    """Return True if a mark and its answer, ``apart`` steps before it, leave a four on their line."""
    step = game.step[direction]
    after = types.int64(game.reach[cell, direction, 1])
    bit = types.int64(game.line_bit[cell, direction])
    line = line_with(state.lines[direction, game.line[cell, direction]], bit, side)
    line = line_with(line, bit - 2 * apart, 1 - side)
    for steps in range(-types.int64(game.reach[cell, direction, 0]), after + 1):
        place = cell + steps * step
        if steps == 0 or steps == -apart or state.mark[place] != 0:
            continue
        if pattern_on(game, side, line, bit + 2 * steps) >= FOUR:
            return True
    return False


@inlined
def _four_may_lead_on(game, state, side, number, count):
    """Return True if a mark on this one of ``state.four_cell`` may be part of a new four: see ``list_fours``."""
    cell = types.int64(state.four_cell[number])
    for i in range(count):
        line, steps = _line_between(game, cell, types.int64(state.four_cell[i]))
        # Within reach no blocked cell parts them.
        near = i != number and line >= 0 and abs(steps) <= types.int64(game.reach[cell, line, 0 if steps > 0 else 1])
        state.four_line[i] = line if near else -1
        state.four_steps[i] = steps if near else 0
    for direction in range(DIRECTIONS):
        pattern = pattern_of(state, cell, side, direction)
        if THREE <= pattern < FOUR:
            return True
        bit = types.int64(game.line_bit[cell, direction])
        line = state.lines[direction, game.line[cell, direction]]
        beside_it = 0
        apart = types.int64(0)
        for i in range(count):
            if state.four_line[i] == direction:
                apart = types.int64(state.four_steps[i])
                line = line_with(line, bit - 2 * apart, side)
                beside_it += 1
        if pattern >= FOUR:
            if beside_it != 1 or _leaves_four_on_line(game, state, side, cell, direction, apart):
                return True
        elif beside_it > 0 and pattern_on(game, side, line, bit) >= THREE:
            return True
    return False


@entry(types.int64(GAME, STATE, types.int64))
def list_fours(game, state, side):
    """List cells where the side makes a four in ``state.four_cell``, those with a three first; returns how many.

    No cell may complete a line or make two fours. A four that may not lead on is left out: alone it wins nothing, and
    where another four gives it a meaning, it can be made after that one. A four and its answer take two of the cells
    that make fours. New ones come only on lines with a three: through one of these cells, were the others all marked
    by the side, or on the line of a four beyond its answer. All are listed where it takes long to find out: with many
    cells, and with more than two under an exact goal, where a further mark may spoil a line.
    """
    count = types.int64(0)
    for cell_pattern in range(FOUR_THREE_CELL, FOUR_CELL - 1, -1):
        for word in range(game.words):
            bits = state.mask[side, cell_pattern, word]
            while bits != ZERO and count < MAX_FOURS:
                state.four_cell[count] = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                count += 1
    # Lines do not say what a mark changes where it may make a four of the other side possible, or there is no table.
    foreseen = game.gravity == 0 and game.caro == 0 and game.beginner < 0 and game.no_pattern_table == 0
    if not foreseen or count > _MOST_FORESEEN or (count > 2 and game.exact_goal != 0):
        return count
    leading = types.int64(0)
    for number in range(count):
        leading |= types.int64(_four_may_lead_on(game, state, side, number, count)) << number
    kept = types.int64(0)
    for number in range(count):
        if leading >> number & 1 != 0:
            state.four_cell[kept] = state.four_cell[number]
            kept += 1
    return kept
