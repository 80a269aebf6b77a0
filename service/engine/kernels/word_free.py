"""The exact solver for boards without gravity whose cells fit one 64-bit word, under every rule.

A *position* is two disjoint words, own marks (the side to move) and the opponent's, nobody having
completed a line yet. Values are on one scale, with ``cells = rows * columns``:

    a win for the side to move in n plies     cells + 1 - n   (the winner hurries, the loser delays)
    a loss in n plies                         n - cells - 1
    a draw                                    0

Every question the solver asks is of one kind: *can this side bring about its win within n plies, whatever
the other side does?* Normally the asking side is the ``attacker``, who must complete a line; in misère it is
the ``enforcer``, and the ``avoider`` must be driven into completing one. Such a yes-or-no search meets many
sound short cuts that a search for a value does not, and each n is a question of its own, so that the least n
with a yes is the exact distance. The two recursive searches are ``attack`` and ``enforce``; each states its
short cuts, why they are sound and under which rules, and each short cut has a switch (``OFF_...``).

Lines are kept as words in a list, and each ply of a search keeps the list of those that one side at least
can still complete: a line is *alive* for a side while it holds no mark of the other and, with an exact goal,
no own mark on its flanks (the cells that would make it longer). Own marks never leave the board, so a dead
line stays dead, and every line completed later is among those alive now. ``need`` is the number of its
empty cells. With an exact goal the window that completes a line is alive until it is full, so everything
said below of alive lines holds there too, unless a step says otherwise.
"""

import numba
import numpy as np
from numba import njit, types

from service.engine.kernels import word
from service.engine.kernels.bits import ONE, ZERO, lowest_bit, lowest_index, mix, popcount
from service.engine.kernels.control import CONTROL, OUT_OF_NODES, RUNNING, may_visit

MAX_CELLS = 64
MAX_LINES = 256  # goal 1 with an exact goal has a line in each of four directions at every cell
MAX_PLIES = MAX_CELLS + 4
MAX_SYMMETRIES = 8

# The switches: each takes one short cut away, so that tests can compare (see ``attack`` and ``enforce``).
OFF_POTENTIAL = 1
OFF_PASS = 2
OFF_DISTANCE = 4
OFF_SYMMETRY = 8
OFF_PLAN = 16
OFF_MIRROR = 32
OFF_RESERVE = 64
OFF_PAIRING = 128
ALL_SWITCHES = 255

# A pass is tried with this many plies for the attacker: longer ones cost more than they prune (measured).
PASS_PLIES = 3
# Symmetric positions share a table entry up to this many marks; beyond it the eight images cost more.
SYMMETRY_MARKS = 8
# Without gravity and misère, wins up to this many plies are looked for one distance after the other first.
NEAR_PLIES = 11
# The principal variation may cost so many nodes beyond as many again as the proof took.
LINE_NODES = 2000

# A potential counts lines as 2^-need in these units; no line has more cells than the exponent.
UNIT_BITS = 40
_UNIT = 1 << UNIT_BITS
# How much a line weighs for its empty cells when moves are ordered: four times as much for each mark.
_WEIGHT = 1 << 24

# A table is a header of one bucket (its first word counts searches), then buckets of two entries; an entry is
# two words of position, one of facts, one of zone.
ENTRY_WORDS = 4
BUCKET_WORDS = 2 * ENTRY_WORDS
_FACTS = 2
_ZONE = 3
# The facts word, lowest bits first: least n proven yes, largest n proven no, effort, generation.
_NEVER = 255
_BYTE = np.uint64(255)
_NO_SHIFT = np.uint64(8)
_EFFORT_SHIFT = np.uint64(16)
_GENERATION_SHIFT = np.uint64(32)
_LAST_GENERATION = np.uint64(0xFFFFFFFF)
_SALT = np.uint64(0x9E3779B97F4A7C15)

SPACE_DTYPE = np.dtype(
    [
        ("goal", np.int64),
        ("cells", np.int64),
        ("misere", np.int64),
        ("exact_goal", np.int64),
        ("off", np.int64),
        ("full", np.uint64),
        ("lines", np.int64),
        ("symmetries", np.int64),
        ("line", np.uint64, (MAX_LINES,)),
        ("flank", np.uint64, (MAX_LINES,)),
        ("order", np.int64, (MAX_CELLS,)),
        ("image", np.uint8, (MAX_SYMMETRIES, MAX_CELLS)),
        ("inverse", np.int64, (MAX_SYMMETRIES,)),
        ("fixed", np.uint64, (MAX_SYMMETRIES,)),
        ("mirror", np.int64, (MAX_SYMMETRIES,)),
        # What is known of the value beforehand; set anew for each search, see ``find_value``.
        ("least", np.int64),
        ("most", np.int64),
        # From here on: the state of one search.
        ("generation", np.int64),
        ("root_move", np.int64),
        ("alive_count", np.int64, (MAX_PLIES,)),
        ("alive", np.uint8, (MAX_PLIES, MAX_LINES)),
        ("score", np.int64, (MAX_PLIES, MAX_CELLS)),
        ("zone", np.uint64, (MAX_PLIES,)),
        ("completing", np.uint64, (2,)),
        ("potential", np.int64, (2,)),
        ("fork", np.uint64, (2,)),
        ("pairs", np.int64),
        ("pair", np.uint64, (MAX_LINES,)),
        ("key", np.uint64, (2,)),
    ],
    align=True,
)
SPACE = numba.from_dtype(SPACE_DTYPE)

RESULT_DTYPE = np.dtype(
    [
        ("value", np.int64),
        ("lower", np.int64),
        ("upper", np.int64),
        ("move", np.int64),
        ("proven", np.int64),
        ("moves", np.int64),
        ("line", np.int64, (MAX_CELLS,)),
        ("move_value", np.int64, (MAX_CELLS,)),
    ],
    align=True,
)
RESULT = numba.from_dtype(RESULT_DTYPE)
TABLE = types.Array(types.uint64, 1, "C")

_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
_FIRST = 0  # attacker or enforcer, in the pairs of the space
_SECOND = 1  # defender or avoider


# ---------------------------------------------------------------- what Python prepares


def fits(rows: int, columns: int) -> bool:
    """Whether a board of this size can be solved here."""
    return rows * columns <= MAX_CELLS


def word_bits(rows: int, columns: int) -> list[int]:
    """The default bit of each cell, row by row: the layout of the word boards, else cells packed row by row.

    Nothing here needs the spare bits of that layout, so boards a little too large for it can be solved too.
    """
    if word.fits(rows, columns):
        return word.word_bits(rows, columns)
    return list(range(rows * columns))


def new_space(
    rows: int,
    columns: int,
    goal: int,
    misere: bool = False,
    exact_goal: bool = False,
    off: int = 0,
    bits: list[int] | None = None,
) -> np.recarray:
    """The geometry of a board and the room one search needs; use it for one search at a time.

    Args:
        rows, columns: ``rows * columns <= 64``.
        goal: 1 or more.
        misere, exact_goal: the rules.
        off: the sum of the ``OFF_...`` switches.
        bits: the bit of each cell, row by row (default ``word_bits``).

    Returns:
        An array of one record; ``space[0]`` is what kernels take.

    Raises:
        ValueError: the board does not fit a word.
    """
    if not fits(rows, columns):
        raise ValueError(f"{rows} x {columns} cells do not fit one word of {MAX_CELLS} bits")
    places = word_bits(rows, columns) if bits is None else bits
    space = np.zeros(1, SPACE_DTYPE).view(np.recarray)
    space["goal"], space["cells"], space["off"] = goal, rows * columns, off
    space["misere"], space["exact_goal"] = misere, exact_goal
    space["least"], space["most"] = -rows * columns, rows * columns
    space["full"] = sum(1 << place for place in places)
    lines = _lines(rows, columns, goal, exact_goal, places)
    space["lines"] = space["alive_count"][:, 0] = len(lines)
    for index, (line, flank) in enumerate(lines):
        space["line"][0, index], space["flank"][0, index] = line, flank
        space["alive"][0, 0, index] = index
    through = [sum(line >> place & 1 for line, _ in lines) for place in places]
    order = sorted(range(len(places)), key=lambda tile: (-through[tile], tile))
    space["order"][0, : len(order)] = [places[tile] for tile in order]
    _add_symmetries(space, rows, columns, places, [line for line, _ in lines])
    return space


def _lines(rows: int, columns: int, goal: int, exact_goal: bool, places: list[int]) -> list[tuple[int, int]]:
    """Each line as a word and the word of its flanks; with goal 1 one line a cell unless the goal is exact."""

    def joined(cells: list[tuple[int, int]]) -> int:
        inside = [(r, c) for r, c in cells if 0 <= r < rows and 0 <= c < columns]
        return sum(1 << places[r * columns + c] for r, c in inside)

    found = []
    for down, right in _STEPS[:1] if goal == 1 and not exact_goal else _STEPS:
        for row in range(rows):
            for column in range(columns):
                if not (row + down * (goal - 1) < rows and 0 <= column + right * (goal - 1) < columns):
                    continue
                cells = [(row + down * i, column + right * i) for i in range(-1, goal + 1)]
                found.append((joined(cells[1:-1]), joined([cells[0], cells[-1]])))
    return found


def _add_symmetries(space: np.recarray, rows: int, columns: int, places: list[int], lines: list[int]) -> None:
    """Write the board's symmetries as maps of bits, the identity first, and say which can mirror a game."""
    images = []
    for turn in range(8 if rows == columns else 4):
        image = {}
        for tile, place in enumerate(places):
            row, column = divmod(tile, columns)
            row = rows - 1 - row if turn & 1 else row
            column = columns - 1 - column if turn & 2 else column
            row, column = (column, row) if turn & 4 else (row, column)
            image[place] = places[row * columns + column]
        images.append(image)
    space["symmetries"] = len(images)
    for index, image in enumerate(images):
        for place, other in image.items():
            space["image"][0, index, place] = other
        inverse = {other: place for place, other in image.items()}
        space["inverse"][0, index] = images.index(inverse)
        fixed = sum(1 << place for place, other in image.items() if place == other)
        space["fixed"][0, index] = fixed
        pairs = [1 << place | 1 << other for place, other in image.items() if place != other]
        safe = all(any(line & pair == pair for pair in pairs) for line in lines if line & fixed)
        space["mirror"][0, index] = index > 0 and inverse == image and safe


def new_result() -> np.recarray:
    """Room for an answer: an array of one record; ``result[0]`` is what kernels take."""
    return np.zeros(1, RESULT_DTYPE).view(np.recarray)


def new_table(buckets_log2: int) -> np.ndarray:
    """An empty table of ``2 ** buckets_log2`` buckets of 64 bytes; it serves any board, one search at a time."""
    return np.zeros(((1 << buckets_log2) + 1) * BUCKET_WORDS, np.uint64)


def table_size_hint(empty: int, misere: bool = False) -> int:
    """The ``buckets_log2`` that serves a position with so many empty cells well; from 8 to 22."""
    return max(8, min(22, empty + (4 if misere else 1)))


# ---------------------------------------------------------------- lines and weights


@njit(types.void(SPACE, types.int64, types.uint64, types.uint64, types.int64), cache=True)
def survey(space, ply, first, second, limit):
    """Sort the lines of the ply before into those still alive, and sum up what they threaten.

    ``alive[ply]`` gets the lines alive for a side at least; ``completing[s]`` the empty cells that complete
    a line for side s; ``potential[s]`` the sum of 2^-need over its lines with need <= limit, in units of
    2^-40; ``pair`` the two empty cells of each line of the first side with need = 2; ``fork`` a cell on two
    different pairs and the union of these pairs, or zeros.
    """
    goal = space.goal
    exact_goal = space.exact_goal
    count = 0
    completing_first = ZERO
    completing_second = ZERO
    potential_first = 0
    potential_second = 0
    pairs = 0
    seen = ZERO
    fork = ZERO
    fork_cells = ZERO
    for i in range(space.alive_count[ply - 1]):
        index = space.alive[ply - 1, i]
        line = space.line[index]
        own = line & first
        other = line & second
        for_first = other == ZERO
        for_second = own == ZERO
        if exact_goal != 0:
            for_first = for_first and (space.flank[index] & first) == ZERO
            for_second = for_second and (space.flank[index] & second) == ZERO
        if not (for_first or for_second):
            continue
        space.alive[ply, count] = index
        count += 1
        if for_first:
            need = goal - types.int64(popcount(own))
            if need <= limit:
                potential_first += _UNIT >> need
            if need == 1:
                completing_first |= line ^ own
            elif need == 2:
                pair = line ^ own
                if (pair & seen) != ZERO and fork == ZERO:
                    for j in range(pairs):
                        known = space.pair[j]
                        if (known & pair) != ZERO and known != pair:
                            fork = known & pair
                            fork_cells = known | pair
                space.pair[pairs] = pair
                pairs += 1
                seen |= pair
        if for_second:
            need = goal - types.int64(popcount(other))
            if need <= limit:
                potential_second += _UNIT >> need
            if need == 1:
                completing_second |= line ^ other
    space.alive_count[ply] = count
    space.completing[_FIRST] = completing_first
    space.completing[_SECOND] = completing_second
    space.potential[_FIRST] = potential_first
    space.potential[_SECOND] = potential_second
    space.fork[0] = fork
    space.fork[1] = fork_cells
    space.pairs = pairs


@njit(types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.int64, types.int64), cache=True)
def weigh(space, ply, first, second, limit_first, limit_second):
    """Score each cell by the lines through it, nearly complete ones most, into ``score[ply]``.

    Counted are lines of the first side with need <= limit_first, of the second with need <= limit_second.
    Returns the empty cells on any of them.
    """
    goal = space.goal
    exact_goal = space.exact_goal
    touched = ZERO
    for cell in range(MAX_CELLS):
        space.score[ply, cell] = 0
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        own = line & first
        other = line & second
        weight = 0
        if other == ZERO and (exact_goal == 0 or (space.flank[index] & first) == ZERO):
            need = goal - types.int64(popcount(own))
            if need <= limit_first:
                weight += max(_WEIGHT >> (2 * need), 1)
        if own == ZERO and (exact_goal == 0 or (space.flank[index] & second) == ZERO):
            need = goal - types.int64(popcount(other))
            if need <= limit_second:
                weight += max(_WEIGHT >> (2 * need), 1)
        if weight != 0:
            cells = line & ~(first | second)
            touched |= cells
            while cells != ZERO:
                space.score[ply, lowest_index(cells)] += weight
                cells &= cells - ONE
    return touched


@njit(types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.int64), cache=True)
def line_cells(space, ply, other, own, limit):
    """The empty cells on lines with need <= limit that are free of the other side's marks."""
    cells = ZERO
    for i in range(space.alive_count[ply]):
        line = space.line[space.alive[ply, i]]
        if (line & other) == ZERO and space.goal - types.int64(popcount(line & own)) <= limit:
            cells |= line & ~own
    return cells


@njit(types.uint64(SPACE, types.int64, types.uint64), cache=True)
def heaviest(space, ply, cells):
    """The cell with the highest score, the lowest bit among equals."""
    best = -1
    chosen = ZERO
    while cells != ZERO:
        place = lowest_index(cells)
        if space.score[ply, place] > best:
            best = space.score[ply, place]
            chosen = lowest_bit(cells)
        cells &= cells - ONE
    return chosen


@njit(types.uint64(SPACE, types.int64, types.uint64), cache=True)
def lightest(space, ply, cells):
    """The cell with the lowest score, the lowest bit among equals."""
    best = types.int64(1) << 62
    chosen = ZERO
    while cells != ZERO:
        place = lowest_index(cells)
        if space.score[ply, place] < best:
            best = space.score[ply, place]
            chosen = lowest_bit(cells)
        cells &= cells - ONE
    return chosen


# ---------------------------------------------------------------- symmetry and table


@njit(types.uint64(SPACE, types.int64, types.uint64), cache=True)
def mapped(space, symmetry, cells):
    """The word of cells with every bit moved as the symmetry says."""
    image = ZERO
    while cells != ZERO:
        image |= ONE << types.uint64(space.image[symmetry, lowest_index(cells)])
        cells &= cells - ONE
    return image


@njit(types.int64(SPACE, types.uint64, types.uint64, types.int64), cache=True)
def make_key(space, first, second, mover):
    """Write the table key of a position into ``space.key``; returns the symmetry it was mapped by.

    The first word is complemented when the first side is to move. As the two words of a position are
    disjoint, this is reversible, unless the second side has no mark at all and the first half of 64 cells.
    """
    chosen = 0
    least_first = first
    least_second = second
    if (space.off & OFF_SYMMETRY) == 0 and types.int64(popcount(first | second)) <= SYMMETRY_MARKS:
        for symmetry in range(1, space.symmetries):
            image_first = mapped(space, symmetry, first)
            if image_first > least_first:
                continue
            image_second = mapped(space, symmetry, second)
            if image_first < least_first or image_second < least_second:
                least_first = image_first
                least_second = image_second
                chosen = symmetry
    space.key[0] = ~least_first if mover == 1 else least_first
    space.key[1] = least_second
    return chosen


@njit(types.int64(TABLE, types.uint64, types.uint64), cache=True)
def bucket_of(table, key_first, key_second):
    """The index of the first word of the bucket for a key."""
    buckets = types.uint64(table.size // BUCKET_WORDS - 1)
    hashed = mix(key_first + mix(key_second + _SALT)) & (buckets - ONE)
    return (types.int64(hashed) + 1) * BUCKET_WORDS


@njit(types.int64(SPACE, TABLE, types.uint64, types.uint64), cache=True)
def find(space, table, key_first, key_second):
    """The index of the entry of a key, or -1: the whole key and the generation must agree."""
    bucket = bucket_of(table, key_first, key_second)
    for entry in range(bucket, bucket + BUCKET_WORDS, ENTRY_WORDS):
        if (
            table[entry] == key_first
            and table[entry + 1] == key_second
            and types.int64(table[entry + _FACTS] >> _GENERATION_SHIFT) == space.generation
        ):
            return entry
    return -1


@njit(
    types.void(SPACE, TABLE, types.uint64, types.uint64, types.int64, types.int64, types.uint64, types.int64),
    cache=True,
)
def store(space, table, key_first, key_second, plies, answer, zone, nodes):
    """Remember the answer to a question of so many plies, and the zone of a yes.

    A known position is updated. Else the first entry of the bucket keeps what cost most, the second the rest.
    """
    effort = 0
    while nodes > 1:
        nodes >>= 1
        effort += 1
    least_yes = _NEVER
    largest_no = 0
    entry = find(space, table, key_first, key_second)
    if entry >= 0:
        facts = table[entry + _FACTS]
        least_yes = types.int64(facts & _BYTE)
        largest_no = types.int64((facts >> _NO_SHIFT) & _BYTE)
        effort = max(effort, types.int64((facts >> _EFFORT_SHIFT) & _BYTE))
    else:
        entry = bucket_of(table, key_first, key_second)
        facts = table[entry + _FACTS]
        if types.int64(facts >> _GENERATION_SHIFT) == space.generation:
            if types.int64((facts >> _EFFORT_SHIFT) & _BYTE) <= effort:
                for i in range(ENTRY_WORDS):
                    table[entry + ENTRY_WORDS + i] = table[entry + i]
            else:
                entry += ENTRY_WORDS
        table[entry] = key_first
        table[entry + 1] = key_second
        table[entry + _ZONE] = ZERO
    if answer != 0:
        if plies < least_yes:
            least_yes = plies
            table[entry + _ZONE] = zone
    else:
        largest_no = max(largest_no, plies)
    table[entry + _FACTS] = (
        (types.uint64(space.generation) << _GENERATION_SHIFT)
        | (types.uint64(effort) << _EFFORT_SHIFT)
        | (types.uint64(largest_no) << _NO_SHIFT)
        | types.uint64(least_yes)
    )


# ---------------------------------------------------------------- the two searches


@njit(
    types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.int64, types.int64),
    cache=True,
)
def attack(space, control, table, attacker, defender, plies, ply, mover):
    """Can the attacker complete a line within so many plies? 1 yes, 0 no. Rules without misère.

    ``mover`` is 1 when the attacker is to move (plies odd), 0 when the defender is (plies even). A line of
    the defender ends the game without success. The attacker has k = (plies + 1) // 2 moves.

    A yes leaves in ``zone[ply]`` the empty cells that the proof rests on: as long as the attacker finds these
    empty, further marks of the defender elsewhere change nothing but for lines they are part of (step 6).

    Sound short cuts, and the rules they hold under (all without misère):

    1. Immediate ends. Two cells complete a line: one of them stays, whatever the other side marks. With an
       exact goal too, since what completes a line for one side depends on its own marks and one empty cell.
    2. The attacker cannot complete a line whose need is above k, so only nearer lines count (OFF_DISTANCE).
    3. Potential (Erdos and Selfridge, On a combinatorial game, 1973). If the defender only blocks, always
       where the sum of 2^-need over the attacker's lines through the cell is largest, that sum over all lines
       never grows from one turn of the defender to the next, and a completed line would count 1. So below 1
       with the defender to move, or below 1/2 with the attacker to move (a move at most doubles it), the
       answer is no. The lines alive now are all that count, with an exact goal too (OFF_POTENTIAL).
    4. A fork: with no threat against him the attacker marks a cell that leaves two completing cells.
    5. Without an exact goal a cell on no line alive for either side is worth less than any other: whoever
       marks another instead has one mark more where it may help and never where it hurts. Likewise a line
       that is too far to be completed within the plies left.
    6. Passing. If the attacker wins even within p < ``plies`` plies when the defender passes, the defender must
       interfere with that proof: mark a cell of its zone, or a cell of a line that he could complete himself
       before, in this move and the (p - 1) / 2 that follow. Suppose he marks another cell. The attacker
       follows the proof and takes each mark outside the zone of the moment for a pass. All cells he wants
       are empty then, so he wins, unless the defender completes a line first; that line holds a mark that
       was taken for a pass, look at the first of these: the line needed no more marks then than the defender
       had moves left, so its cells were among those examined and not taken for a pass. With an exact goal
       too: more marks of the defender never stop the attacker elsewhere, and can only spoil the defender's
       lines.
       Without an exact goal a mark more never hurts its owner, so if the pass does not lose within plies -
       1, a real move need not lose either and the answer is no; that is used where it costs little
       (OFF_PASS).
    """
    if not may_visit(control):
        return 0
    empty = space.full & ~(attacker | defender)
    off = space.off
    exact_goal = space.exact_goal
    moves_left = (plies + 1) >> 1
    limit = moves_left if (off & OFF_DISTANCE) == 0 else space.goal
    survey(space, ply, attacker, defender, limit)
    wins = space.completing[_FIRST]
    losses = space.completing[_SECOND]
    forced = ZERO

    # Steps 1 to 4: ends, forced moves, potential, fork.
    if mover == 1:
        if wins != ZERO:
            space.zone[ply] = lowest_bit(wins)
            if ply == 1:
                space.root_move = types.int64(lowest_index(wins))
            return 1
        if plies < 3 or (losses & (losses - ONE)) != ZERO:
            return 0
        forced = losses
        if forced == ZERO and space.fork[0] != ZERO:
            space.zone[ply] = space.fork[1]
            if ply == 1:
                space.root_move = types.int64(lowest_index(space.fork[0]))
            return 1
        if (off & OFF_POTENTIAL) == 0 and 2 * space.potential[_FIRST] < _UNIT:
            return 0
        if plies == 3:
            if forced == ZERO:
                return 0
            partners = ZERO
            for i in range(space.pairs):
                if (space.pair[i] & forced) != ZERO:
                    partners |= space.pair[i] & ~forced
            if (partners & (partners - ONE)) == ZERO:
                return 0
            space.zone[ply] = partners | forced
            if ply == 1:
                space.root_move = types.int64(lowest_index(forced))
            return 1
    else:
        if losses != ZERO:
            if ply == 1:
                space.root_move = types.int64(lowest_index(losses))
            return 0
        if (wins & (wins - ONE)) != ZERO:
            space.zone[ply] = wins
            return 1
        forced = wins
        if ply > 1:
            if plies < 4:
                return 0
            if (off & OFF_POTENTIAL) == 0 and space.potential[_FIRST] < _UNIT:
                return 0

    # The table. At the root the search goes on, so that it finds a move.
    symmetry = make_key(space, attacker, defender, mover)
    key_first = space.key[0]
    key_second = space.key[1]
    if ply > 1:
        entry = find(space, table, key_first, key_second)
        if entry >= 0:
            facts = table[entry + _FACTS]
            if types.int64(facts & _BYTE) <= plies:
                space.zone[ply] = (
                    mapped(space, space.inverse[symmetry], table[entry + _ZONE])
                    if symmetry
                    else table[entry + _ZONE]
                )
                return 1
            if types.int64((facts >> _NO_SHIFT) & _BYTE) >= plies:
                return 0

    nodes = control.nodes
    zone = ZERO
    answer = 1 - mover
    candidates = empty
    if mover == 1:
        # Step 5, the attacker's moves: one must succeed.
        if forced != ZERO:
            candidates = forced
        else:
            touched = weigh(space, ply, attacker, defender, limit, limit)
            if exact_goal == 0:
                candidates = touched
        while candidates != ZERO:
            move = heaviest(space, ply, candidates) if forced == ZERO else forced
            candidates &= ~move
            if attack(space, control, table, attacker | move, defender, plies - 1, ply + 1, 1 - mover) != 0:
                answer = 1
                zone = move | space.zone[ply + 1]
                if ply == 1:
                    space.root_move = types.int64(lowest_index(move))
                break
            if control.reason != RUNNING:
                return 0
    else:
        # Step 6, the defender's moves: all must fail.
        passed = False
        if forced != ZERO:
            candidates = forced
            zone = forced
        else:
            if (off & OFF_PASS) == 0:
                pass_plies = min(plies - 1, PASS_PLIES)
                if attack(space, control, table, attacker, defender, pass_plies, ply + 1, 1 - mover) != 0:
                    passed = True
                    zone = space.zone[ply + 1]
                    candidates = zone | line_cells(space, ply, attacker, defender, (pass_plies + 1) >> 1)
                elif control.reason == RUNNING and pass_plies == plies - 1 and exact_goal == 0 and ply > 1:
                    answer = 0
                    candidates = ZERO
                if control.reason != RUNNING:
                    return 0
            touched = weigh(space, ply, attacker, defender, limit, space.goal)
            if exact_goal == 0 and touched != ZERO:
                candidates &= touched
            if not passed:
                zone = empty
        while candidates != ZERO:
            move = heaviest(space, ply, candidates) if forced == ZERO else forced
            candidates &= ~move
            if attack(space, control, table, attacker, defender | move, plies - 1, ply + 1, 1 - mover) == 0:
                answer = 0
                if control.reason == RUNNING and ply == 1:
                    space.root_move = types.int64(lowest_index(move))
                break
            zone |= space.zone[ply + 1]
    if control.reason != RUNNING:
        return 0
    space.zone[ply] = zone
    if symmetry:
        zone = mapped(space, symmetry, zone)
    store(space, table, key_first, key_second, plies, answer, zone, control.nodes - nodes)
    return answer


@njit(types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.uint64), cache=True)
def barred(space, ply, own, other, empty):
    """The empty cells that complete a line for a side and always will.

    Without an exact goal all that do so now; with one, a line with an empty flank may yet become too long.
    """
    cells = ZERO
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        if (line & other) == ZERO:
            left = line & empty
            flank = space.flank[index]
            if (left & (left - ONE)) == ZERO and (space.exact_goal == 0 or (flank & (own | empty)) == ZERO):
                cells |= left
    return cells


@njit(
    types.uint64(SPACE, types.int64, types.uint64, types.uint64, types.uint64, types.uint64, types.int64),
    cache=True,
)
def harmless(space, ply, own, other, plan, reserve, limit):
    """Cells a side can mark to the last one without completing a line, as long as it marks no others.

    Starts from the empty cells ``plan`` and takes one cell out of each line alive for the side, with need <=
    limit, whose empty cells all lie in what is left: if possible none of ``reserve``, and one on many lines.
    """
    twice = ZERO
    thrice = ZERO
    often = ZERO
    once = ZERO
    empty = space.full & ~(own | other)
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        if (line & other) != ZERO or (space.exact_goal != 0 and (space.flank[index] & own) != ZERO):
            continue
        left = line & empty
        if (left & ~plan) == ZERO:
            often |= thrice & left
            thrice |= twice & left
            twice |= once & left
            once |= left
    for i in range(space.alive_count[ply]):
        index = space.alive[ply, i]
        line = space.line[index]
        if (line & other) != ZERO or (space.exact_goal != 0 and (space.flank[index] & own) != ZERO):
            continue
        left = line & empty
        if (left & ~plan) != ZERO or types.int64(popcount(left)) > limit:
            continue
        if (left & ~reserve) != ZERO:
            left &= ~reserve
        if (left & often) != ZERO:
            left &= often
        elif (left & thrice) != ZERO:
            left &= thrice
        elif (left & twice) != ZERO:
            left &= twice
        plan &= ~lowest_bit(left)
    return plan


@njit(types.int64(types.uint64, types.uint64, types.uint64, types.int64), cache=True)
def reserves_needed(plan, barred_other, empty, moves_first):
    """How many moves a side needs in cells barred to the other so as never to run out of moves before it.

    The side has the moves ``plan``: the cells of it that are open to the other, f in number, first; the other
    has these and g cells besides. Of the f, the side gets at least every second one, beginning with the
    first if it moves first. So the other makes at most g + f // 2 moves (g + (f + 1) // 2 if it moves first).
    """
    open_cells = types.int64(popcount(plan & ~barred_other))
    besides = types.int64(popcount(empty & ~barred_other)) - open_cells
    return besides + 1 - (open_cells & 1) if moves_first == 1 else besides + (open_cells & 1)


@njit(
    types.boolean(SPACE, types.int64, types.uint64, types.uint64, types.uint64, types.uint64, types.int64),
    cache=True,
)
def answered(space, ply, avoider, enforcer, completing, barred_enforcer, limit):
    """Whether the avoider, the enforcer being to move, has a safe answer to each of its moves laid down in
    advance.

    Each cell the enforcer may mark has a partner: the avoider answers a mark on one by marking the other.
    Cells that complete a line for the avoider, and one more if the others are odd in number, have as partner
    a cell barred to the enforcer, so the avoider never marks them; the rest are partners of each other, so
    the avoider never has both. Barred cells that are nobody's partner stay empty. If each line alive for the
    avoider with need <= limit holds two partners or a cell that he never marks, he completes none.
    """
    empty = space.full & ~(enforcer | avoider)
    unpaired = empty & ~barred_enforcer & ~completing
    reserve = barred_enforcer & ~completing
    spare = types.int64(popcount(reserve)) - types.int64(popcount(empty & completing & ~barred_enforcer))
    spare -= types.int64(popcount(unpaired)) & 1
    if spare < 0:
        return False
    odd = types.int64(popcount(unpaired)) & 1
    never = completing
    pairs = 0
    for need in range(2, limit + 1):
        for i in range(space.alive_count[ply]):
            index = space.alive[ply, i]
            line = space.line[index]
            if (line & enforcer) != ZERO or (
                space.exact_goal != 0 and (space.flank[index] & avoider) != ZERO
            ):
                continue
            left = line & empty
            if types.int64(popcount(left)) != need or (left & never) != ZERO:
                continue
            safe = False
            for j in range(pairs):
                if (space.pair[j] & ~left) == ZERO:
                    safe = True
                    break
            if safe:
                continue
            free = left & unpaired
            if (free & (free - ONE)) != ZERO and free != ZERO:
                first = lowest_bit(free)
                second = lowest_bit(free ^ first)
                space.pair[pairs] = first | second
                pairs += 1
                unpaired &= ~(first | second)
            elif spare > 0 and (left & reserve) != ZERO:
                spare -= 1
                kept = lowest_bit(left & reserve)
                reserve &= ~kept
                never |= kept
            elif odd != 0 and free != ZERO:
                odd = 0
                unpaired &= ~free
                never |= free
            else:
                return False
    return True


@njit(
    types.boolean(
        SPACE,
        types.int64,
        types.uint64,
        types.uint64,
        types.uint64,
        types.uint64,
        types.int64,
        types.int64,
        types.int64,
    ),
    cache=True,
)
def avoider_holds(
    space, ply, enforcer, avoider, barred_enforcer, completing_avoider, moves_left, limit, mover
):
    """Whether a plan of its own lets the avoider make its next moves without completing a line.

    1. A plan (``harmless``) of which the avoider surely gets ``moves_left`` cells: those barred to the
       enforcer and of the others every second (OFF_PLAN).
    2. The same plan lasts until the enforcer has no move left (``reserves_needed``, OFF_RESERVE).
    3. An answer to each move of the enforcer (``answered``, OFF_PAIRING).
    """
    off = space.off
    empty = space.full & ~(enforcer | avoider)
    plan = harmless(space, ply, avoider, enforcer, empty & ~completing_avoider, barred_enforcer, limit)
    reserve = types.int64(popcount(plan & barred_enforcer))
    shared = types.int64(popcount(plan & ~barred_enforcer))
    if (off & OFF_PLAN) == 0 and reserve + ((shared + 1 - mover) >> 1) >= moves_left:
        return True
    if (off & OFF_RESERVE) == 0 and reserve >= reserves_needed(plan, barred_enforcer, empty, 1 - mover):
        return True
    return (
        (off & OFF_PAIRING) == 0
        and mover == 1
        and answered(space, ply, avoider, enforcer, completing_avoider, barred_enforcer, limit)
    )


@njit(
    types.boolean(SPACE, types.int64, types.uint64, types.uint64, types.uint64, types.int64, types.int64),
    cache=True,
)
def enforcer_outlasts(space, ply, enforcer, avoider, completing_enforcer, plies, mover):
    """Whether a plan lets the enforcer move on until the avoider, within so many plies, has only barred
    cells left.

    The plan must last longer than the avoider's moves (``reserves_needed``), one barred cell must be left
    over for the avoider to complete a line on, and its last safe move must come early enough.
    """
    empty = space.full & ~(enforcer | avoider)
    barred_avoider = barred(space, ply, avoider, enforcer, empty)
    if barred_avoider == ZERO:
        return False
    plan = harmless(space, ply, enforcer, avoider, empty & ~completing_enforcer, barred_avoider, space.goal)
    needed = reserves_needed(plan, barred_avoider, empty, mover)
    if (
        types.int64(popcount(plan & barred_avoider)) < needed
        or types.int64(popcount(barred_avoider)) <= needed
    ):
        return False
    shared = types.int64(popcount(plan & ~barred_avoider))
    open_cells = types.int64(popcount(empty & ~barred_avoider))
    avoider_moves = open_cells - shared + ((shared + 1 - mover) >> 1)
    return 2 * avoider_moves + 1 + mover <= plies


@njit(types.boolean(SPACE, types.uint64, types.uint64), cache=True)
def mirrored(space, enforcer, avoider):
    """Whether the avoider, moving second, can mirror the enforcer's moves to the end of the game.

    That is: a symmetry of the board that is its own inverse maps the enforcer's marks to the avoider's, and
    each cell it leaves in place is the avoider's already. The avoider answers each move by its image. If that
    completed a line off those cells, the image of the line had been completed by the enforcer before; a line
    on those cells holds a cell and its image (``space.mirror``), which are not both the avoider's. Lines
    keep their flanks under a symmetry, so this holds with an exact goal too.
    """
    for symmetry in range(1, space.symmetries):
        fixed = space.fixed[symmetry]
        if space.mirror[symmetry] != 0 and (avoider & fixed) == fixed:
            if mapped(space, symmetry, enforcer) == (avoider & ~fixed):
                return True
    return False


@njit(
    types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.int64, types.int64),
    cache=True,
)
def enforce(space, control, table, enforcer, avoider, plies, ply, mover):
    """Must the avoider complete a line within so many plies? 1 yes, 0 no. Rules with misère.

    ``mover`` is 1 when the enforcer is to move (plies even), 0 when the avoider is (plies odd). The avoider
    has k = (plies + 1) // 2 moves then, or k = plies // 2. The enforcer completing a line, or the full
    board, is a no.

    Sound short cuts, with or without an exact goal:

    1. Ends. Nobody marks a cell that completes an own line while another is left: that would lose at once.
    2. The avoider cannot complete a line whose need is above k (OFF_DISTANCE).
    3. Potential (the counterpart of Erdos and Selfridge's for avoiding; Hefetz, Krivelevich and Szabo,
       Avoider-Enforcer games, 2007). Let the avoider always mark where the sum of 2^-need over his lines
       through the cell is least. His mark raises the total by that sum; the enforcer's next mark removes at
       least as much, since every other cell had at least that sum. So from one turn of the avoider to the
       next the total never grows, and only a mark that the enforcer does not answer, the last on the board,
       may raise it for good, at most to twice its size. A completed line counts 1. Hence no, if with the
       avoider to move and an even number of cells empty the total is below 1, or with an odd number below
       1/2; with the enforcer to move, whose mark only lowers the total, the same for the cells left after
       it. (Even, and the least cell completes a line: its sum is at least 1/2 and so is that of any other
       cell, without the lines they share, which makes 1.) (OFF_POTENTIAL)
    4. Plans. A side that marks only cells of a set in which no line alive for it lies whole completes none,
       whatever the other does. If the avoider surely gets enough cells of such a set for the plies asked
       about, or as many as the enforcer has moves, no (``avoider_holds``: OFF_PLAN, OFF_RESERVE). If the
       enforcer surely has such moves longer than the avoider has any, yes (``enforcer_outlasts``:
       OFF_RESERVE). Cells *barred* to a side, that would complete a line for it now and ever, are the
       reserve of the other.
    5. Pairing: the avoider has an answer laid down for each move of the enforcer (``answered``: OFF_PAIRING).
    6. Mirror play (``mirrored``: OFF_MIRROR).
    """
    if not may_visit(control):
        return 0
    empty = space.full & ~(enforcer | avoider)
    empties = types.int64(popcount(empty))
    off = space.off
    moves_left = (plies + 1 - mover) >> 1
    limit = moves_left if (off & OFF_DISTANCE) == 0 else space.goal
    survey(space, ply, enforcer, avoider, limit)

    # Step 1: ends.
    completing_enforcer = space.completing[_FIRST]
    completing_avoider = space.completing[_SECOND]
    candidates = empty & ~(completing_enforcer if mover == 1 else completing_avoider)
    if empties == 0:
        return 0
    if candidates == ZERO:
        return 1 - mover
    if plies < 2 and ply > 1:
        return 0

    make_key(space, enforcer, avoider, mover)
    key_first = space.key[0]
    key_second = space.key[1]
    if ply > 1:
        # Steps 3 to 5: potential, plans, pairing.
        if (off & OFF_POTENTIAL) == 0 and (space.potential[_SECOND] << ((empties - mover) & 1)) < _UNIT:
            return 0
        barred_enforcer = barred(space, ply, enforcer, avoider, empty)
        if avoider_holds(
            space, ply, enforcer, avoider, barred_enforcer, completing_avoider, moves_left, limit, mover
        ):
            return 0
        if (off & OFF_RESERVE) == 0 and enforcer_outlasts(
            space, ply, enforcer, avoider, completing_enforcer, plies, mover
        ):
            return 1
        # The table.
        entry = find(space, table, key_first, key_second)
        if entry >= 0:
            facts = table[entry + _FACTS]
            if types.int64(facts & _BYTE) <= plies:
                return 1
            if types.int64((facts >> _NO_SHIFT) & _BYTE) >= plies:
                return 0
        # Step 6: mirror play.
        if (off & OFF_MIRROR) == 0 and mover == 1 and mirrored(space, enforcer, avoider):
            return 0

    # The moves: cells on few lines first, for either side.
    nodes = control.nodes
    weigh(space, ply, enforcer, avoider, space.goal, space.goal)
    answer = 1 - mover
    while candidates != ZERO:
        move = lightest(space, ply, candidates)
        candidates &= ~move
        if mover == 1:
            found = enforce(space, control, table, enforcer | move, avoider, plies - 1, ply + 1, 1 - mover)
        else:
            found = enforce(space, control, table, enforcer, avoider | move, plies - 1, ply + 1, 1 - mover)
        if control.reason != RUNNING:
            return 0
        if found == mover:
            answer = mover
            if ply == 1:
                space.root_move = types.int64(lowest_index(move))
            break
    store(space, table, key_first, key_second, plies, answer, ZERO, control.nodes - nodes)
    return answer


# ---------------------------------------------------------------- values


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.int64), cache=True)
def ends_within(space, control, table, own, opponent, plies, ply):
    """Can the side that gains by it have a line end the game within so many plies, at a ply of the same
    parity?

    An odd number of plies: a line of the side to move, to its gain normally and its loss in misère. An even
    number: a line of the opponent. 1 yes, 0 no. ``ply`` is 1 for a first position; deeper ones need not name
    a move.
    """
    if plies < 1:
        return 0
    odd = plies & 1
    if space.misere != 0:
        if odd == 1:
            return enforce(space, control, table, opponent, own, plies, ply, 1 - odd)
        return enforce(space, control, table, own, opponent, plies, ply, 1 - odd)
    if odd == 1:
        return attack(space, control, table, own, opponent, plies, ply, odd)
    return attack(space, control, table, opponent, own, plies, ply, odd)


@njit(types.int64(SPACE, types.int64), cache=True)
def value_of(space, plies):
    """The value for the side to move of a line that ends the game with the last of so many plies."""
    wins = (plies & 1) == 1 if space.misere == 0 else (plies & 1) == 0
    return space.cells + 1 - plies if wins else plies - space.cells - 1


@njit(types.void(SPACE), cache=True)
def prepare(space):
    """Give every line to the first ply of a search that begins at ply 2."""
    for i in range(space.lines):
        space.alive[0, i] = i
        space.alive[1, i] = i
    space.alive_count[0] = space.lines
    space.alive_count[1] = space.lines


@njit(types.void(SPACE, TABLE), cache=True)
def new_generation(space, table):
    """Make the table empty for this search: entries of other generations do not count."""
    if table[0] >= _LAST_GENERATION:
        table[:] = ZERO
    table[0] += ONE
    space.generation = types.int64(table[0])


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64), cache=True, nogil=True)
def at_least(space, control, table, own, opponent, value):
    """Is the value of the position at least so much? 1 yes, 0 no (void when ``control.reason`` is set)."""
    new_generation(space, table)
    prepare(space)
    empties = types.int64(popcount(space.full & ~(own | opponent)))
    to_win = 1 if space.misere == 0 else 0
    if value > 0:
        plies = min(space.cells + 1 - value, empties)
        plies -= (plies + to_win) & 1
        return ends_within(space, control, table, own, opponent, plies, 2)
    # At least a loss in m plies: no loss within fewer.
    plies = min(space.cells + value, empties)
    plies -= (plies + to_win + 1) & 1
    return 1 - ends_within(space, control, table, own, opponent, plies, 2)


@njit(types.boolean(SPACE, RESULT, types.int64, types.int64, types.int64), cache=True)
def note(space, result, empties, plies, answer):
    """Narrow the bounds by the answer to a question at the root; True when that settles the value.

    After a no, a line that ends the game for the same side comes two plies later at the earliest, or never.
    """
    value = value_of(space, plies)
    later = value_of(space, plies + 2) if plies + 2 <= empties else 0
    if value > 0:
        if answer == 0:
            result.upper = min(result.upper, later)
        elif value > result.lower:
            result.lower = value
            result.move = space.root_move
    elif answer != 0:
        result.upper = min(result.upper, value)
    elif later > result.lower:
        result.lower = later
        result.move = space.root_move
    return result.lower >= result.upper


@njit(types.void(SPACE, CONTROL, TABLE, types.uint64, types.uint64, RESULT), cache=True)
def find_value(space, control, table, own, opponent, result):
    """Ask until the value of the position is settled or the budget spent; keeps the bounds in the result.

    Wanted: ``space.least <= value <= space.most``, true of the position by another argument (or the trivial
    bounds); what that answers is not asked.

    1. Normally: wins and losses within 1, 2, 3 ... plies, while they are near.
    2. Is it won, or lost, at all?
    3. If so, halve the distances left.
    """
    empties = types.int64(popcount(space.full & ~(own | opponent)))
    first_quick = min(NEAR_PLIES, empties) if space.misere == 0 else 0
    result.lower = max(min(value_of(space, 1), value_of(space, 2)), space.least)
    result.upper = min(max(value_of(space, 1), value_of(space, 2)), space.most)
    if result.lower >= result.upper:
        return
    for plies in range(1, first_quick + 1):
        if value_of(space, plies) > result.upper or value_of(space, plies) < result.lower:
            continue
        answer = ends_within(space, control, table, own, opponent, plies, 1)
        if control.reason != RUNNING or note(space, result, empties, plies, answer):
            return
        if answer != 0:
            result.lower = result.upper = value_of(space, plies)
            return
    least = first_quick + 1
    for longest in range(empties, max(empties - 2, least - 1), -1):
        if value_of(space, longest) > result.upper or value_of(space, longest) < result.lower:
            continue
        answer = ends_within(space, control, table, own, opponent, longest, 1)
        if control.reason != RUNNING or note(space, result, empties, longest, answer):
            return
        if answer != 0:
            low = least + ((least ^ longest) & 1)
            high = longest
            while low < high:
                middle = low + ((high - low) >> 2 << 1)
                answer = ends_within(space, control, table, own, opponent, middle, 1)
                if control.reason != RUNNING or note(space, result, empties, middle, answer):
                    return
                if answer != 0:
                    high = middle
                else:
                    low = middle + 2
            result.lower = result.upper = value_of(space, high)
            return
    result.lower = result.upper = 0


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64, types.uint64), cache=True)
def attains(space, control, table, own, opponent, value, move):
    """Whether a move keeps the known value of a position: 1 yes, 0 no (void when the budget is spent)."""
    space.alive_count[1] = space.lines
    for i in range(space.lines):
        space.alive[1, i] = i
    survey(space, 2, own, opponent, space.goal)
    completes = (space.completing[_FIRST] & move) != ZERO
    empties = types.int64(popcount(space.full & ~(own | opponent)))
    if completes:
        return 1 if value == value_of(space, 1) else 0
    if value == value_of(space, 1):
        return 0
    gain = 1 if space.misere == 0 else 0
    if value > 0:
        return ends_within(space, control, table, opponent, own | move, space.cells - value, 2)
    # The opponent's win must not come sooner: in the position after the move his plies are odd, in misère even.
    plies = space.cells + value - 1 if value < 0 else empties - 1
    plies -= (plies + gain) & 1
    return 1 - ends_within(space, control, table, opponent, own | move, plies, 2)


@njit(types.int64(SPACE, CONTROL, TABLE, types.uint64, types.uint64, types.int64), cache=True)
def first_best(space, control, table, own, opponent, value):
    """The first move in the fixed order that keeps the known value, as a bit; -1 when the budget is spent."""
    for i in range(space.cells):
        place = space.order[i]
        move = ONE << types.uint64(place)
        if ((own | opponent) & move) != ZERO:
            continue
        kept = attains(space, control, table, own, opponent, value, move)
        if control.reason != RUNNING:
            return -1
        if kept != 0:
            return place
    return -1


@njit(types.void(SPACE, CONTROL, TABLE, types.uint64, types.uint64, RESULT), cache=True)
def find_line(space, control, table, own, opponent, result):
    """The principal variation from a solved position on, as far as a small budget of its own goes."""
    limit = control.node_limit
    control.node_limit = min(limit, 2 * control.nodes + LINE_NODES)
    value = result.value
    move = result.move
    result.moves = 0
    while move >= 0 and result.moves < MAX_CELLS:
        result.line[result.moves] = move
        result.moves += 1
        bit = ONE << types.uint64(move)
        if value == value_of(space, 1) or (own | opponent | bit) == space.full:
            break
        own, opponent = opponent, own | bit
        value = -1 - value if value > 0 else (1 - value if value < 0 else 0)
        move = first_best(space, control, table, own, opponent, value)
    if control.reason == OUT_OF_NODES and control.nodes < limit:
        control.reason = RUNNING
    control.node_limit = limit


@njit(types.void(SPACE, types.uint64, types.uint64, CONTROL, TABLE, RESULT), cache=True, nogil=True)
def solve(space, own, opponent, control, table, result):
    """The value of an unfinished position, a best move and a line of best moves, or bounds when the budget
    ends.

    Always                      result.lower <= value of the position <= result.upper, and ``result.move``
                                (a bit) keeps at least ``result.lower``.
    result.proven = 1           lower = upper = ``result.value``, exact, and the move keeps it; ``line`` holds
                                ``moves`` best moves, the first of them ``move``; it may stop early.
    result.proven = 0           ``control.reason`` says why; ``result.value`` is void.

    Of several best moves it is the one through most lines, then the first in tile order. ``control.reason``
    may be set after a proof too, when the budget ended before the first of equal moves or the line was known:
    the move is then one that the proof found.
    """
    new_generation(space, table)
    prepare(space)
    result.proven = 0
    result.value = 0
    result.moves = 0
    for i in range(space.cells - 1, -1, -1):
        if ((own | opponent) & (ONE << types.uint64(space.order[i]))) == ZERO:
            result.move = space.order[i]
    find_value(space, control, table, own, opponent, result)
    if result.lower < result.upper:
        return
    result.proven = 1
    result.value = result.lower
    move = first_best(space, control, table, own, opponent, result.value)
    if move >= 0:
        result.move = move
        find_line(space, control, table, own, opponent, result)
    else:
        result.line[0] = result.move
        result.moves = 1


@njit(types.int64(SPACE, types.uint64, types.uint64, CONTROL, TABLE, RESULT), cache=True, nogil=True)
def solve_moves(space, own, opponent, control, table, result):
    """Write the exact value of every move into ``result.move_value``, by bit; returns how many are known.

    In the fixed order; the values are those of the position for the side to move if it marks that cell. When
    the budget ends, the first so many empty cells of the order have their value. The other fields of the
    result are void.
    """
    new_generation(space, table)
    known = 0
    for i in range(space.cells):
        place = space.order[i]
        move = ONE << types.uint64(place)
        if ((own | opponent) & move) != ZERO:
            continue
        prepare(space)
        survey(space, 1, own, opponent, space.goal)
        value = 0
        if (space.completing[_FIRST] & move) != ZERO:
            value = value_of(space, 1)
        elif (own | opponent | move) != space.full:
            find_value(space, control, table, opponent, own | move, result)
            if result.lower < result.upper:
                return known
            value = result.lower
            value = 1 - value if value > 0 else (-1 - value if value < 0 else 0)
        result.move_value[place] = value
        known += 1
    return known
