# mypy: ignore-errors
"""Cells where a side makes a four, without those that can't contribute to a win by fours."""

from numba import types

from kinarow.kernels.declare import entry, inlined
from kinarow.solvers.common.kernel_bits import ONE, ZERO, lowest_index
from kinarow.solvers.large_boards.board.kernel_cells import pattern_of
from kinarow.solvers.large_boards.board.kernel_lines import line_with, pattern_on
from kinarow.solvers.large_boards.board.kernel_record import GAME, STATE
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, MAX_FOURS, WORD_SHIFT
from kinarow.solvers.large_boards.board.patterns import FOUR, FOUR_CELL, FOUR_THREE_CELL, THREE

_MOST_FILTERED = 8  # with more cells than this none is left out


@inlined
def _line_between(game, cell, other):
    """Return the direction of the line through two cells, or -1, and the steps along it from ``other`` to ``cell``."""
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
    """Return True if the side still has a four on the line after its mark on ``cell`` and the answer.

    The answer is ``apart`` steps before the cell.
    """
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
def _may_lead_on(game, state, side, number, count):
    """Return False if a four on ``state.four_cell[number]`` can't contribute to a later four (``list_fours``)."""
    cell = types.int64(state.four_cell[number])
    for i in range(count):
        line, steps = _line_between(game, cell, types.int64(state.four_cell[i]))
        # Within reach there is no blocked cell between them.
        near = i != number and line >= 0 and abs(steps) <= types.int64(game.reach[cell, line, 0 if steps > 0 else 1])
        state.four_line[i] = line if near else -1
        state.four_steps[i] = steps if near else 0
    for direction in range(DIRECTIONS):
        pattern = pattern_of(state, cell, side, direction)
        if THREE <= pattern < FOUR:
            return True
        # Mark all other listed cells of this line.
        bit = types.int64(game.line_bit[cell, direction])
        line = state.lines[direction, game.line[cell, direction]]
        others = 0
        apart = types.int64(0)
        for i in range(count):
            if state.four_line[i] == direction:
                apart = types.int64(state.four_steps[i])
                line = line_with(line, bit - 2 * apart, side)
                others += 1
        if pattern >= FOUR:
            # The only other listed cell of the line is the answer to the four.
            if others != 1 or _leaves_four_on_line(game, state, side, cell, direction, apart):
                return True
        elif others > 0 and pattern_on(game, side, line, bit) >= THREE:
            return True
    return False


@entry(types.int64(GAME, STATE, types.int64))
def list_fours(game, state, side):
    """List the cells where the side makes a four in ``state.four_cell``, those with a three too first; return how many.

    Requires that no cell completes a line or makes two fours. A four that can't contribute to a later four is left out:
    alone it wins nothing, and if another four changes that, it can be played after it. A new four needs a line with a
    three: a line through a listed cell, if the side had marks on all the others, or a four's own line beyond the
    answer. Nothing is left out where this test is expensive: with many cells, and with more than two under an exact
    goal, where one mark more may spoil a line.
    """
    count = types.int64(0)
    for cell_pattern in range(FOUR_THREE_CELL, FOUR_CELL - 1, -1):
        for word in range(game.words):
            bits = state.mask[side, cell_pattern, word]
            while bits != ZERO and count < MAX_FOURS:
                state.four_cell[count] = (word << WORD_SHIFT) + types.int64(lowest_index(bits))
                bits &= bits - ONE
                count += 1
    # The test looks at the side's own lines only, by the pattern table.
    testable = game.gravity == 0 and game.caro == 0 and game.beginner < 0 and game.no_pattern_table == 0
    if not testable or count > _MOST_FILTERED or (count > 2 and game.exact_goal != 0):
        return count
    leading = types.int64(0)
    for number in range(count):
        leading |= types.int64(_may_lead_on(game, state, side, number, count)) << number
    kept = types.int64(0)
    for number in range(count):
        if leading >> number & 1 != 0:
            state.four_cell[kept] = state.four_cell[number]
            kept += 1
    return kept
