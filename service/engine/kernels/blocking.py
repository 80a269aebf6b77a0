"""The weaker game in which one side, the builder, only builds lines and the other, the blocker, only blocks them.

Who cannot complete a line against an opponent that does nothing but block cannot complete one in the real
game either, where the opponent may also win. So when neither side can as the builder, the game is a draw.
(Positional games know this as Maker-Breaker: Beck, Combinatorial Games: Tic-Tac-Toe Theory, 2008. Solving
boards by it, with zones and pairings: Hsu, Ko, Chen, Wei, Hsueh, Wu, On solving the 7,7,5-game and the
8,8,5-game, Theoretical Computer Science 815, 2020.)

A game here is a list of lines, each a word of at most 64 empty cells that the builder still lacks; a mark of
the builder takes its cell out of every line, a mark of the blocker deletes the lines through its cell. A line
with no cell left is completed. Nothing else matters, so the same code serves every board, and an exact goal
too, where completing a line of the list is the least that the builder must achieve.

The search asks only: *does the builder complete a line?* A yes comes with a **zone**: cells such that the
builder succeeds even if the blocker owned all cells outside.
"""

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels.bits import ONE, ZERO, lowest_bit, lowest_index, popcount
from service.engine.kernels.control import CONTROL, RUNNING, may_visit
from service.engine.kernels.ordering import heaviest, lightest
from service.engine.kernels.proof_table import (
    IMAGES_DTYPE,
    MAX_CELLS,
    TABLE,
    find,
    known,
    make_key,
    mapped,
    new_generation,
    store,
    write_images,
    zone_of,
)

MAX_LINES = 256
MAX_PLIES = MAX_CELLS + 2

# The switches: each takes one short cut away, so that tests can compare (see ``completes``).
OFF_PRIVATE = 1
OFF_POTENTIAL = 2
OFF_PAIRING = 4
OFF_ZONE = 8
OFF_SYMMETRY = 16
OFF_BETTER = 32
OFF_GLANCE = 64
ALL_SWITCHES = 127

# Symmetric positions share a table entry for so many plies; beyond, the eight images cost more.
SYMMETRY_PLIES = 8
# A search for a pairing splits so many groups of lines at most; more finds little and costs much (measured).
MAX_SPLITS = 1
# A glance answers so much and what is lacking for a pairing, when it neither proves nor refutes.
_UNDECIDED = 2
_MOST_LACKING = 255
_LACKING_SHIFT = 44  # above every weight: what is lacking decides the order first

# The question of this game knows no plies.
_EVER = 1

# A potential counts lines as 2^-need in these units: exact, since no rules ask for more than 25 in a row.
_UNIT = 1 << 40
_ORDER_UNIT = 1 << 30

GAME_DTYPE = np.dtype(
    [
        ("off", np.int64),
        ("lines", np.int64),
        ("line", np.uint64, (MAX_LINES,)),
        ("images", IMAGES_DTYPE),
        ("cells", np.int64),
        # From here on: the state of one search.
        ("generation", np.int64),
        ("root_move", np.int64),
        ("count", np.int64, (MAX_PLIES,)),
        ("left", np.uint64, (MAX_PLIES, MAX_LINES)),
        ("index", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("zone", np.uint64, (MAX_PLIES,)),
        ("weight", np.int64, (MAX_PLIES, MAX_CELLS)),
        ("stroke", np.uint64),
        ("through", np.uint64, (MAX_CELLS,)),
        ("some_line", np.int64, (MAX_CELLS,)),
        ("better", np.int64, (MAX_PLIES, MAX_CELLS)),
        # Room for the pairing.
        ("want", np.uint64, (MAX_LINES,)),
        ("owner", np.int64, (MAX_CELLS,)),
        ("queue", np.int64, (MAX_LINES,)),
        ("via", np.int64, (MAX_LINES,)),
        ("before", np.int64, (MAX_LINES,)),
        ("queued", np.int64),
        ("first", np.int64, (MAX_LINES,)),
        ("last", np.int64, (MAX_LINES,)),
        ("todo", np.int64, (2 * MAX_LINES,)),
        ("paired", np.uint64),
    ],
    align=True,
)
GAME = numba.from_dtype(GAME_DTYPE)


def new_game(
    lines: list[int], cells: int, symmetries: list[list[int]] | None = None, off: int = 0
) -> np.recarray:
    """The game of some lines, and the room one search needs; use it for one search at a time.

    Args:
        lines: at most 256 words of the cells that the builder lacks, none of them 0.
        cells: how many cells there are, at most 64: the bits 0 to ``cells - 1``.
        symmetries: permutations of the cells that map the set of lines on itself, the identity first.
        off: the sum of the ``OFF_...`` switches.

    Returns:
        An array of one record; ``game[0]`` is what kernels take.

    Raises:
        ValueError: too many lines or cells.
    """
    if len(lines) > MAX_LINES or cells > MAX_CELLS:
        raise ValueError(f"{len(lines)} lines on {cells} cells; at most {MAX_LINES} on {MAX_CELLS} fit")
    game = np.zeros(1, GAME_DTYPE).view(np.recarray)
    game["off"], game["cells"], game["lines"] = off, cells, len(lines)
    game["line"][0, : len(lines)] = lines
    maps = symmetries or [list(range(cells))]
    write_images(game[0].images, [dict(enumerate(image)) for image in maps])
    return game


# ---------------------------------------------------------------- lines


@njit(types.void(GAME, types.int64, types.uint64, types.int64), cache=True)
def play(game, ply, move, builder):
    """Write the lines of ``ply + 1``: those of ``ply`` after a mark of the builder (1) or the blocker (0)."""
    count = 0
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        if builder == 0 and (left & move) != ZERO:
            continue
        game.left[ply + 1, count] = left & ~move
        game.index[ply + 1, count] = game.index[ply, i]
        count += 1
    game.count[ply + 1] = count


@njit(types.uint64(GAME, types.int64), cache=True)
def drop_private(game, ply):
    """Delete each line with two cells that are on no other line; returns these pairs.

    The blocker answers a mark on one cell of the pair with the other, and loses nothing by it elsewhere.
    """
    pairs = ZERO
    while True:
        once = ZERO
        twice = ZERO
        for i in range(game.count[ply]):
            left = game.left[ply, i]
            twice |= once & left
            once |= left
        count = 0
        for i in range(game.count[ply]):
            left = game.left[ply, i]
            alone = left & ~twice
            if (alone & (alone - ONE)) != ZERO and alone != ZERO:
                pairs |= lowest_bit(alone) | lowest_bit(alone & (alone - ONE))
                continue
            game.left[ply, count] = left
            game.index[ply, count] = game.index[ply, i]
            count += 1
        if count == game.count[ply]:
            return pairs
        game.count[ply] = count


@njit(types.uint64(GAME, types.int64, types.int64, types.int64), cache=True)
def shared_cells(game, ply, first, last):
    """The cells that all the lines from ``first`` to ``last`` have in common."""
    cells = game.left[ply, first]
    for i in range(first + 1, last + 1):
        cells &= game.left[ply, i]
    return cells


@njit(types.int64(GAME, types.uint64, types.int64), cache=True)
def give_cell(game, free, want):
    """Give a want one more cell, taking cells from others that find themselves another; -1 if that fails.

    A breadth-first search for an augmenting path: from a want over a cell it might use to the want that has
    it. Returns the free cell that is used up; after a failure the queue holds all wants that were reached.
    """
    visited = ZERO
    game.queue[0] = want
    game.before[0] = -1
    game.queued = 1
    head = 0
    while head < game.queued:
        reach = game.want[game.queue[head]] & ~visited
        open_cells = reach & free
        if open_cells != ZERO:
            used = types.int64(lowest_index(open_cells))
            cell = used
            step = head
            while step >= 0:
                game.owner[cell] = game.queue[step]
                cell = game.via[step]
                step = game.before[step]
            return used
        visited |= reach
        while reach != ZERO:
            cell = types.int64(lowest_index(reach))
            reach &= reach - ONE
            owner = game.owner[cell]
            known = False
            for j in range(game.queued):
                if game.queue[j] == owner:
                    known = True
                    break
            if not known:
                game.queue[game.queued] = owner
                game.via[game.queued] = cell
                game.before[game.queued] = head
                game.queued += 1
        head += 1
    return -1


@njit(types.int64(GAME, types.int64), cache=True)
def unpaired(game, ply):
    """How many cells are lacking for a pairing: each line holds a pair of cells, no cell being in two pairs.

    With none lacking the blocker never lets a line be completed: he answers a mark on one cell of a pair with
    the other. Several lines may hold the same pair. The cells of the pairs are left in ``paired``. The count
    is not the least possible: 0 is a proof, anything else says only how far this search got.

    1. Neighbours in the list are joined while they have two cells in common: the group *wants* a pair of these.
    2. Cells are given out by augmenting paths (``give_cell``).
    3. Where that fails, a group among those in the way is split in two: one more pair, but more cells to
       choose from.
    """
    # Step 1: groups.
    wants = 0
    cells = ZERO
    shared = ZERO
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        cells |= left
        both = shared & left
        if (both & (both - ONE)) == ZERO or both == ZERO:
            game.first[wants] = i
            wants += 1
            both = left
        shared = both
        game.want[wants - 1] = shared
        game.last[wants - 1] = i
    # Step 2: cells for each group.
    available = types.int64(popcount(cells))
    free = cells
    for i in range(2 * wants):
        game.todo[i] = i >> 1
    waiting = 2 * wants
    splits = 0
    lacking = 0
    while waiting > 0:
        used = give_cell(game, free, game.todo[waiting - 1])
        if used >= 0:
            free &= ~(ONE << types.uint64(used))
            waiting -= 1
            continue
        # Step 3: split a group.
        chosen = -1
        if splits < MAX_SPLITS and 2 * (wants + 1) <= available:
            for j in range(game.queued):
                if game.last[game.queue[j]] > game.first[game.queue[j]]:
                    chosen = game.queue[j]
                    break
        if chosen < 0:
            lacking += 1
            waiting -= 1
            continue
        splits += 1
        middle = (game.first[chosen] + game.last[chosen]) >> 1
        game.first[wants] = middle + 1
        game.last[wants] = game.last[chosen]
        game.last[chosen] = middle
        game.want[wants] = shared_cells(game, ply, middle + 1, game.last[wants])
        game.want[chosen] = shared_cells(game, ply, game.first[chosen], middle)
        game.todo[waiting] = wants
        game.todo[waiting + 1] = wants
        waiting += 2
        wants += 1
    game.paired = cells & ~free
    return lacking


@njit(types.uint64(GAME, types.int64), cache=True)
def weigh(game, ply):
    """Score each cell by the lines through it, short ones most, into ``weight[ply]``; returns the cells to try.

    A cell all of whose lines run through another cell is never better than that one, for either side: its
    *better*, and need not be tried (OFF_BETTER). Of cells on the same lines the lowest is tried.
    """
    cells = ZERO
    for cell in range(game.cells):
        game.weight[ply, cell] = 0
        game.through[cell] = ZERO
        game.some_line[cell] = -1
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        cells |= left
        weight = _ORDER_UNIT >> (2 * types.int64(popcount(left)))
        bit = ONE << types.uint64(i & 63)
        while left != ZERO:
            cell = lowest_index(left)
            game.weight[ply, cell] += weight
            game.through[cell] |= bit
            game.some_line[cell] = i
            left &= left - ONE
    if (game.off & OFF_BETTER) != 0 or game.count[ply] > 64:
        for cell in range(game.cells):
            game.better[ply, cell] = cell
        return cells
    chosen = cells
    while cells != ZERO:
        cell = types.int64(lowest_index(cells))
        cells &= cells - ONE
        game.better[ply, cell] = cell
        others = game.left[ply, game.some_line[cell]] & ~(ONE << types.uint64(cell))
        while others != ZERO:
            other = types.int64(lowest_index(others))
            others &= others - ONE
            if (game.through[cell] & ~game.through[other]) == ZERO:
                if game.through[cell] != game.through[other] or other < cell:
                    game.better[ply, cell] = other
                    chosen &= ~(ONE << types.uint64(cell))
                    break
    return chosen


@njit(types.uint64(GAME, types.int64, types.int64), cache=True)
def needed(game, ply, slack):
    """The cells that the blocker needs where the potential is below its limit by ``slack``.

    The builder may own the others: the lightest cells are given away while the potential stays below.
    """
    cells = ZERO
    for cell in range(game.cells):
        game.weight[ply, cell] = 0
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        cells |= left
        weight = _UNIT >> types.int64(popcount(left))
        while left != ZERO:
            game.weight[ply, lowest_index(left)] += weight
            left &= left - ONE
    while True:
        move = lightest(game.weight[ply], cells)
        weight = game.weight[ply, lowest_index(move)] if move != ZERO else slack
        if weight >= slack:
            return cells
        slack -= weight
        cells &= ~move
        for i in range(game.count[ply]):
            left = game.left[ply, i]
            if (left & move) != ZERO:
                left &= cells
                weight = _UNIT >> types.int64(popcount(left) + ONE)
                while left != ZERO:
                    game.weight[ply, lowest_index(left)] += weight
                    left &= left - ONE


@njit(types.uint64(GAME, types.int64, types.uint64), cache=True)
def widened(game, ply, zone):
    """A blocker's zone with the better of each cell that was not tried for it."""
    cells = zone
    while cells != ZERO:
        cell = types.int64(lowest_index(cells))
        cells &= cells - ONE
        better = game.better[ply, cell]
        while better != cell:
            zone |= ONE << types.uint64(better)
            cell = better
            better = game.better[ply, cell]
    return zone


@njit(types.int64(GAME, types.int64, types.int64), cache=True)
def lines_key(game, ply, builder_moves):
    """Write the key of the lines of a ply into ``game.images.key``; returns the symmetry they were mapped by.

    The words are the empty cells on the lines and the builder's marks on them. They say which of the first
    lines are left: a deleted line has a cell in neither word, or holds all cells of one that is left. (A board
    of 64 empty cells, whose key would be ambiguous, is only ever a root.)
    """
    empty = ZERO
    marks = ZERO
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        empty |= left
        marks |= game.line[game.index[ply, i]] & ~left
    shared = ply <= SYMMETRY_PLIES and (game.off & OFF_SYMMETRY) == 0
    return make_key(game.images, empty, marks, builder_moves, shared)


# ---------------------------------------------------------------- the search


@njit(types.int64(GAME, types.int64, types.int64), cache=True)
def at_once(game, ply, builder_moves):
    """1 if the builder succeeds by a line of one cell, two of them or a fork, -1 if the blocker must block, else 0.

    Leaves the zone of a yes, or the cell to block, in ``zone[ply]``, and the builder's mark in ``stroke``.
    """
    completing = ZERO
    seen = ZERO
    game.stroke = ZERO
    for i in range(game.count[ply]):
        left = game.left[ply, i]
        rest = left & (left - ONE)
        if rest == ZERO:
            completing |= left
        elif (rest & (rest - ONE)) == ZERO:
            if (seen & left) != ZERO and game.stroke == ZERO:
                for j in range(i):
                    known = game.left[ply, j]
                    if (known & left) != ZERO and known != left and types.int64(popcount(known)) == 2:
                        game.stroke = known & left
                        game.zone[ply] = known | left
                        break
            seen |= left
    if builder_moves == 1 and completing != ZERO:
        game.stroke = lowest_bit(completing)
        game.zone[ply] = game.stroke
        return 1
    if builder_moves == 1:
        return 1 if game.stroke != ZERO else 0
    game.zone[ply] = completing
    if completing == ZERO:
        return 0
    return 1 if (completing & (completing - ONE)) != ZERO else -1


@njit(types.int64(GAME, CONTROL, TABLE, types.int64, types.int64, types.int64), cache=True)
def completes(game, control, table, ply, builder_moves, glance):
    """Does the builder complete one of the lines of this ply? 1 yes, 0 no (void when the budget is spent).

    ``builder_moves`` is 1 when the builder is to move, else 0. With ``glance`` set only steps 1 to 5 are taken,
    and the answer may be ``_UNDECIDED`` and more. A yes or no leaves its zone in ``zone[ply]``: of a yes as the
    module says; of a no, cells such that the blocker holds even if the builder owned all cells outside. At ply
    0 ``root_move`` is the first mark of the side that gets its way, if it is to move.

    1. Ends (``at_once``): a line of one cell, two such lines, a fork; a forced block.
    2. Lines that a private pair blocks are deleted (``drop_private``: OFF_PRIVATE).
    3. Potential (Erdos and Selfridge, On a combinatorial game, 1973): the blocker always marks where the sum
       of 2^-need is largest, so that the sum over all lines never grows from one of his turns to the next; a
       completed line would count 1. Below 1 with the blocker to move, or 1/2 with the builder: no
       (OFF_POTENTIAL).
    4. The table.
    5. A pairing (``unpaired``): no (OFF_PAIRING).
    6. The blocker glances at each of his moves: does one hold by steps 2 to 5? If none does, those that lack
       least for a pairing come first (OFF_GLANCE).
    7. The moves that are left are searched. When one fails, the other side's success has a zone, and a mark
       outside it would not have disturbed that success: only moves in the zones of all that failed are left
       (OFF_ZONE). Cells that another betters are not tried (``weigh``: OFF_BETTER).
    """
    if not may_visit(control):
        return 0
    # Step 1: ends.
    off = game.off
    soon = at_once(game, ply, builder_moves)
    if soon == 1:
        if ply == 0 and builder_moves == 1:
            game.root_move = types.int64(lowest_index(game.stroke))
        return 1
    if soon == -1:
        block = game.zone[ply]
        if ply == 0:
            game.root_move = types.int64(lowest_index(block))
        play(game, ply, block, builder_moves)
        answer = completes(game, control, table, ply + 1, 1 - builder_moves, glance)
        game.zone[ply] = block | game.zone[ply + 1]
        return answer

    # Steps 2 to 5: what proves a no without moves. At the root the search goes on, so that it finds a move.
    pairs = ZERO
    lacking = types.int64(0)
    if ply > 0 and (off & OFF_PRIVATE) == 0:
        pairs = drop_private(game, ply)
    game.zone[ply] = pairs
    if game.count[ply] == 0:
        return 0
    if ply > 0 and (off & OFF_POTENTIAL) == 0:
        potential = types.int64(0)
        for i in range(game.count[ply]):
            potential += _UNIT >> types.int64(popcount(game.left[ply, i]))
        if (potential << builder_moves) < _UNIT:
            game.zone[ply] = pairs | needed(game, ply, (_UNIT >> builder_moves) - potential)
            return 0
    symmetry = lines_key(game, ply, builder_moves)
    key_first = game.images.key[0]
    key_second = game.images.key[1]
    if ply > 0:
        entry = find(table, game.generation, key_first, key_second)
        if entry >= 0:
            game.zone[ply] = pairs | zone_of(game.images, table, entry, symmetry)
            return known(table, entry, _EVER)
        if (off & OFF_PAIRING) == 0:
            lacking = unpaired(game, ply)
            if lacking == 0:
                game.zone[ply] = pairs | game.paired
                return 0
    if glance != 0:
        return _UNDECIDED + min(lacking, types.int64(_MOST_LACKING))

    # Step 6: glances.
    nodes = control.nodes
    answer = 1 - builder_moves
    zone = ZERO
    candidates = weigh(game, ply)
    if builder_moves == 0 and (off & OFF_GLANCE) == 0:
        waiting = candidates
        while waiting != ZERO:
            move = heaviest(game.weight[ply], waiting)
            waiting &= ~move
            play(game, ply, move, builder_moves)
            found = completes(game, control, table, ply + 1, 1 - builder_moves, 1 - glance)
            if control.reason != RUNNING:
                return 0
            if found == 0:
                candidates = move
                break
            if found >= _UNDECIDED:
                rank = _UNDECIDED + _MOST_LACKING - found
                game.weight[ply, lowest_index(move)] += rank << _LACKING_SHIFT

    # Step 7: the search.
    while candidates != ZERO:
        move = heaviest(game.weight[ply], candidates)
        candidates &= ~move
        play(game, ply, move, builder_moves)
        found = completes(game, control, table, ply + 1, 1 - builder_moves, glance)
        if control.reason != RUNNING:
            return 0
        if found == builder_moves:
            answer = builder_moves
            zone = move | game.zone[ply + 1]
            if ply == 0:
                game.root_move = types.int64(lowest_index(move))
            break
        zone |= game.zone[ply + 1]
        if (off & OFF_ZONE) == 0:
            candidates &= game.zone[ply + 1]
    if answer == 0 and builder_moves == 1:
        zone = widened(game, ply, zone)
    kept = mapped(game.images, symmetry, zone) if symmetry else zone
    store(table, game.generation, key_first, key_second, _EVER, answer, kept, control.nodes - nodes)
    game.zone[ply] = zone | pairs
    return answer


@njit(types.int64(GAME, CONTROL, TABLE, types.int64), cache=True, nogil=True)
def builder_succeeds(game, control, table, builder_moves):
    """Does the builder complete a line of the game? 1 yes, 0 no (void when ``control.reason`` is set).

    ``root_move`` is the first mark of the side that gets its way, where it is to move and needs one, else -1.
    """
    game.generation = new_generation(table)
    game.root_move = -1
    game.count[0] = game.lines
    for i in range(game.lines):
        game.left[0, i] = game.line[i]
        game.index[0, i] = i
    return completes(game, control, table, 0, builder_moves, 0)
