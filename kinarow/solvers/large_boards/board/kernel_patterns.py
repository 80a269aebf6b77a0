# mypy: ignore-errors
"""The patterns of an empty cell for a side: what its mark there would make in one direction, and in all four.

A *direction pattern* is named by the number of marks that a line through the cell would still lack, and is open if the
line could be completed in more than one way. Below, for goal 5, ``*`` is the cell, ``X`` an own mark:

    FIVE        XXXX*     completes a line             (the names are those of goal 5; every goal uses them)
    OPEN_FOUR  .XXX*.     then two or more cells complete one       FOUR    OXXX*.   then exactly one cell does
    OPEN_THREE ..XX*..    then a next mark makes an open four       THREE   OXX*..   then a next mark makes a four
    OPEN_TWO   ..X*...    then a next mark makes an open three      TWO     OX*...   then a next mark makes a three
    OPEN_ONE   ...*...    then a next mark makes an open two        ONE_MARK  O*...  then a next mark makes a two
    FAR                   more marks are missing                    NONE    no line through the cell is possible

Under the rule of Caro OPEN_FOUR means that no single mark of the other side on that line stops it: in ``OXXX*.O`` the
last cell but one spoils both ways to complete a line.

In Renju the side that began has patterns of its own: FIVE is exactly five, OPEN_FOUR a straight four, and two more are
forbidden to it: OVERLINE, and LINE_FOURS, two fours in one line as in ``X.X*X.X``.

A 2 or 3 after a name counts the cells where the next mark would make the better pattern. The four direction patterns of
an empty cell combine to its *cell pattern* for the side:

    FIVE_CELL 9        completes a line
    OPEN_FOUR_CELL 8   leaves two or more cells that complete a line (an open four, or two fours)
    FOUR_THREE_CELL 7, FOUR_CELL 6   leaves exactly one
    THREES_CELL 5, THREE_CELL 4      two or more open threes, one
    BUILD_CELL 3       two or more direction patterns of THREE or OPEN_TWO
    DOUBLE_THREE_CELL 2    for the side that began in Renju: two or more OPEN_THREE; forbidden where two are real
    FORBIDDEN_CELL 1       for the side that began in Renju: an overline or two fours
"""

from numba import types

from kinarow.kernels.declare import entry, part
from kinarow.solvers.large_boards.board.patterns import (
    FAR,
    FIVE,
    FOUR,
    LINE_FOURS,
    NONE,
    ONE_MARK,
    OPEN_FOUR,
    OPEN_ONE,
    OPEN_THREE,
    OPEN_THREE_2,
    OPEN_TWO,
    OPEN_TWO_2,
    OPEN_TWO_3,
    OVERLINE,
    THREE,
    TWO,
)


@part("int64(int64, int64)")
def pattern_before(best, ways):
    """Return the direction pattern of a mark if the next mark can then make the ``best`` pattern on ``ways`` cells."""
    if best == FIVE:
        return OPEN_FOUR if ways >= 2 else FOUR
    if best == OPEN_FOUR:
        return OPEN_THREE_2 if ways >= 2 else OPEN_THREE
    if best == FOUR:
        return THREE
    if best == OPEN_THREE or best == OPEN_THREE_2:
        return min(OPEN_TWO + ways - 1, OPEN_TWO_3)
    if best == THREE:
        return TWO
    if best >= OPEN_TWO:
        return OPEN_ONE
    if best == TWO:
        return ONE_MARK
    return FAR if best > NONE else NONE


@part("UniTuple(int64, 2)(int16[::1], int64[::1], int64[::1], int64, int64)")
def _best_after_next_mark(pattern_table, digit, power, size, code):
    """Return the best pattern that one more own mark in a window makes, and on how many cells it does."""
    best = 0
    ways = 0
    for i in range(size):
        if digit[i] != 0:
            continue
        pattern = types.int64(pattern_table[code + power[i]])
        if pattern == OPEN_THREE_2:
            pattern = OPEN_THREE
        if pattern == OPEN_TWO_2 or pattern == OPEN_TWO_3:
            pattern = OPEN_TWO
        if best < pattern <= FIVE:
            best = pattern
            ways = 1
        elif pattern == best:
            ways += 1
    return best, ways


@part("int64(int64, int64, int64)")
def codes_of_end(radius, steps, caro):
    """Return the first code of a window's ends with ``steps`` cells before the edge; radius + 1: the number of codes.

    Under Caro an end may have 0 to ``radius`` cells; the 3**steps codes of each length follow those of shorter ends.
    Otherwise every end has ``radius`` cells, as a cell beyond the edge counts as the other side's mark.
    """
    first = 0
    power = 1
    for length in range(min(steps, radius + 1)):
        if caro != 0 or length == radius:
            first += power
        power *= 3
    return first


@part("boolean(int16[::1], int64[::1], int64[::1], int64, int64)")
def _is_unstoppable(pattern_table, digit, power, size, code):
    """Return True if no single answer in the window keeps the side from completing a line next (Caro)."""
    for answer in range(size):
        if digit[answer] != 0:
            continue
        stopped = True
        for i in range(size):
            if i != answer and digit[i] == 0:
                if pattern_table[code + 2 * power[answer] + power[i]] == FIVE:
                    stopped = False
                    break
        if stopped:
            return False
    return True


@entry("void(int16[::1], int64[::1], int64[::1], int64, int64, int64, int64, int64)")
def fill_patterns(pattern_table, digit, power, radius, goal, exact_goal, caro, beginner):
    """Fill in one side's direction pattern of every window of ``radius`` cells each way.

    A window has the code low + ends * high, where ``ends`` is ``codes_of_end(radius, radius + 1, caro)`` and low and
    high are the ternary numbers of the cells on each end, nearest cell first, counted from ``codes_of_end``. One more
    own mark makes the code larger, so the loop runs downwards: patterns after the next mark are then known.
    ``beginner`` asks for the side that began in Renju; ``exact_goal`` is then 1. ``radius`` is the goal for the
    beginner and under Caro. ``digit`` and ``power`` are scratch memory for ``2 * radius`` numbers each.
    """
    ends = codes_of_end(radius, radius + 1, caro)
    shortest = 0 if caro != 0 else radius
    for low_steps in range(shortest, radius + 1):
        for high_steps in range(shortest, radius + 1):
            size = low_steps + high_steps
            count = 1
            for i in range(low_steps):
                power[i] = count
                count *= 3
            high_power = ends
            for i in range(low_steps, size):
                power[i] = high_power
                high_power *= 3
                count *= 3
            first = codes_of_end(radius, low_steps, caro) + ends * codes_of_end(radius, high_steps, caro)
            for number in range(count - 1, -1, -1):
                rest = number
                code = first
                for i in range(size):
                    digit[i] = rest % 3
                    rest //= 3
                    code += digit[i] * power[i]
                # 1. The run through the cell; under Caro marks of the other side on both its ends close it.
                low = 0
                while low < low_steps and digit[low] == 1:
                    low += 1
                high = 0
                while high < high_steps and digit[low_steps + high] == 1:
                    high += 1
                run = low + 1 + high
                closed = caro != 0 and low < low_steps and digit[low] == 2
                closed = closed and high < high_steps and digit[low_steps + high] == 2
                if (run == goal and not closed) or (run > goal and exact_goal == 0):
                    pattern_table[code] = FIVE
                    continue
                if run > goal and beginner != 0:
                    pattern_table[code] = OVERLINE
                    continue
                # 2. The best pattern that one more own mark makes.
                best, ways = _best_after_next_mark(pattern_table, digit, power, size, code)
                if caro != 0 and best == FIVE:
                    ways = 2 if _is_unstoppable(pattern_table, digit, power, size, code) else 1
                if beginner != 0 and best == FIVE and ways >= 2 and run != goal - 1:
                    pattern_table[code] = LINE_FOURS
                else:
                    pattern_table[code] = pattern_before(best, ways)


@part("int64(int64, boolean)")
def pattern_of_missing(missing, is_open):
    """Return the direction pattern of a mark after which a line lacks ``missing`` more; open if in several ways."""
    if missing == 0:
        return FIVE
    if missing == 1:
        return OPEN_FOUR if is_open else FOUR
    if missing == 2:
        return OPEN_THREE if is_open else THREE
    if missing == 3:
        return OPEN_TWO if is_open else TWO
    if missing == 4:
        return OPEN_ONE if is_open else ONE_MARK
    return FAR
