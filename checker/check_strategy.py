"""Checks a complete drawing strategy by blocking, without any code of kinarow and without trusting the file.

    python checker/check_strategy.py FILE

An entry is two sets of cells, ``breaker`` and ``zone``. It claims: the maker, to move, completes no line if the breaker
has the first set, the second is empty, and the maker has all other cells. For each move of the maker in the zone there
must be an answer that leads to another entry, with one more cell of the breaker and a zone within the rest of this
zone, or to a position that the small search below (``holds``) proves. A move outside the zone changes nothing, since
the maker has those cells already. The entry without cells of the breaker claims that the second player at least draws.
That it doesn't win follows from strategy stealing (Nash), without a file.
"""

import argparse
import sys
from pathlib import Path

import numba
import numpy as np
from numba import types

PLIES, MOST_LINES = 72, 256
MOST_NODES = 20_000_000
"""Node limit of the search for an answer to a move of the maker; a good file needs far fewer."""
UNIT = 1 << 40
HOLDS, COMPLETES, UNKNOWN, BROKEN = 1, 0, -1, 64
WORD, INT = types.uint64, types.int64
WORDS, IMAGES = types.Array(WORD, 1, "C"), types.Array(INT, 2, "C")
ONE, ZERO = np.uint64(1), np.uint64(0)

BY_PLY = [("left", "u8", MOST_LINES), ("count", "i8"), ("zone", "u8"), ("weight", "i8", 64)]
PAIRING = [
    ("owner", "i8", 64),
    ("want", "u8", MOST_LINES),
    *((n, "i8", MOST_LINES) for n in ("queue", "via", "before")),
]
SEARCH = np.dtype(
    [("nodes", "i8"), ("missing", "i8"), *PAIRING, *((n, t, (PLIES, *of)) for n, t, *of in BY_PLY)], align=True
)
"""The state of the search; ``left`` has the cells of each line that the maker lacks."""
STATE = numba.from_dtype(SEARCH)


@numba.njit(INT(WORD))
def count_of(cells):
    cells -= (cells >> WORD(1)) & WORD(0x5555555555555555)
    cells = (cells & WORD(0x3333333333333333)) + ((cells >> WORD(2)) & WORD(0x3333333333333333))
    cells = (cells + (cells >> WORD(4))) & WORD(0x0F0F0F0F0F0F0F0F)
    return INT((cells * WORD(0x0101010101010101)) >> WORD(56))


@numba.njit(INT(WORD))
def lowest(cells):
    return count_of(~cells & (cells - ONE))


@numba.njit(types.void(STATE, INT, WORD, INT))
def play(state, ply, mark, maker):
    """Write the lines after a mark: the maker's mark removes its cell, the breaker's removes all lines through it."""
    count = 0
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        if maker or left & mark == ZERO:
            state.left[ply + 1, count] = left & ~mark
            count += 1
    state.count[ply + 1] = count


@numba.njit(WORD(STATE, WORD, INT))
def give(state, free, group):
    """Give a group one more cell along an augmenting path; return the free cell that is used up, or 0 if none is."""
    visited = ZERO
    state.queue[0], state.before[0] = group, -1
    head, queued = 0, 1
    while head < queued:
        reach = state.want[state.queue[head]] & ~visited
        if reach & free:
            used = cell = lowest(reach & free)
            while head >= 0:
                state.owner[cell], cell, head = state.queue[head], state.via[head], state.before[head]
            return ONE << WORD(used)
        visited |= reach
        while reach:
            cell = lowest(reach)
            reach &= reach - ONE
            if not (state.queue[:queued] == state.owner[cell]).any():
                state.queue[queued], state.via[queued], state.before[queued] = state.owner[cell], cell, head
                queued += 1
        head += 1
    return ZERO


@numba.njit(INT(STATE, INT))
def pair(state, ply):
    """Find disjoint pairs, one in every line; return the number of missing cells, and write the used to ``zone``."""
    groups, cells, shared = 0, ZERO, ZERO
    for i in range(state.count[ply]):
        cells |= state.left[ply, i]
        # Successive lines share a pair while they have two cells in common.
        shared &= state.left[ply, i]
        if shared & (shared - ONE) == ZERO or shared == ZERO:
            groups += 1
            shared = state.left[ply, i]
        state.want[groups - 1] = shared
    free = cells
    for i in range(2 * groups):
        free &= ~give(state, free, i >> 1)
    state.zone[ply] = cells & ~free
    return 2 * groups - count_of(cells & ~free)


@numba.njit(INT(STATE, INT, INT))
def at_once(state, ply, maker):
    """Return the result without a search and write its zone; for ``UNKNOWN`` the zone is a cell to block, if any."""
    single = ZERO
    for i in range(state.count[ply]):
        if state.left[ply, i] & (state.left[ply, i] - ONE) == ZERO:
            single |= state.left[ply, i]
    if single == ZERO:
        state.missing = pair(state, ply)
        if state.missing == 0:
            return HOLDS
    state.zone[ply] = single
    return COMPLETES if single and (maker or single & (single - ONE)) else UNKNOWN


@numba.njit(WORD(STATE, INT, WORD))
def heaviest_of(state, ply, cells):
    best, chosen = INT(-1), ZERO
    while cells:
        if state.weight[ply, lowest(cells)] > best:
            best, chosen = state.weight[ply, lowest(cells)], cells & (~cells + ONE)
        cells &= cells - ONE
    return chosen


@numba.njit(WORD(STATE, INT, INT))
def weigh(state, ply, maker):
    """Weigh the cells by the lines through them, short lines most; return all cells of lines."""
    cells = ZERO
    state.weight[ply] = 0
    for i in range(state.count[ply]):
        left = state.left[ply, i]
        cells |= left
        value = UNIT >> (count_of(left) << maker)
        while left:
            state.weight[ply, lowest(left)] += value
            left &= left - ONE
    return cells


@numba.njit(INT(STATE, INT, INT))
def holds(state, ply, maker):
    """Return ``HOLDS`` if the maker completes no line, else ``COMPLETES``, or ``UNKNOWN`` after too many nodes.

    Writes a zone: the result stays right if the other side has all cells outside.
    """
    state.nodes += 1
    if state.nodes > MOST_NODES:
        return UNKNOWN
    answer = at_once(state, ply, maker)
    if answer != UNKNOWN:
        return answer
    zone, cells = state.zone[ply], weigh(state, ply, maker)
    if zone:
        cells = zone
    waiting = ZERO if maker or zone else cells
    while waiting:
        mark = heaviest_of(state, ply, waiting)
        waiting &= ~mark
        play(state, ply, mark, 0)
        if at_once(state, ply + 1, 1) == HOLDS:
            cells, waiting = mark, ZERO
        else:
            state.weight[ply, lowest(mark)] += (64 - min(state.missing, 63)) << 54
    while cells:
        mark = heaviest_of(state, ply, cells)
        play(state, ply, mark, maker)
        answer = holds(state, ply + 1, 1 - maker)
        if answer == UNKNOWN:
            return UNKNOWN
        if answer == 1 - maker:
            zone = mark | state.zone[ply + 1]
            break
        zone |= state.zone[ply + 1]
        cells &= state.zone[ply + 1] & ~mark
    state.zone[ply] = zone
    return answer


@numba.njit(WORD(IMAGES, INT, WORD))
def image_of(images, symmetry, cells):
    image = ZERO
    while cells:
        image |= ONE << WORD(images[symmetry, lowest(cells)])
        cells &= cells - ONE
    return image


@numba.njit(WORD(STATE, IMAGES, IMAGES, WORDS, WORDS, INT, WORD))
def answer_among(state, images, inverses, breakers, zones, entry, move):
    """Return an answer to the maker's move that leads to an entry, together with its zone; 0 if there is none."""
    breaker, left = breakers[entry], zones[entry] & ~move
    replies = left
    while replies:
        reply = replies & (~replies + ONE)
        replies &= ~reply
        for symmetry in range(len(images)):
            wanted = image_of(images, symmetry, breaker | reply)
            place = np.searchsorted(breakers, wanted)
            while place < len(breakers) and breakers[place] == wanted:
                if zones[place] & ~image_of(images, symmetry, left | breaker) == ZERO:
                    return reply | image_of(inverses, symmetry, zones[place])
                place += 1
    return ZERO


@numba.njit(types.boolean(STATE, WORD))
def has_twin(state, move):
    """Return True if all lines through a cell have another cell in common, whose mark answers a mark on the first."""
    common = ~move
    for i in range(state.count[0]):
        if state.left[0, i] & move:
            common &= state.left[0, i]
    return common != ZERO


@numba.njit(INT(STATE, WORDS, IMAGES, IMAGES, WORDS, WORDS, INT))
def unanswered(state, lines, images, inverses, breakers, zones, entry):
    """Return a move of the maker without a proven answer; -1 if all have one, ``BROKEN`` if the maker wins at once."""
    state.count[0] = 0
    for line in lines:
        if line & breakers[entry] == ZERO:
            if count_of(line & zones[entry]) < 2:
                return BROKEN
            state.left[0, state.count[0]] = line & zones[entry]
            state.count[0] += 1
    waiting = weigh(state, 0, 1)
    while waiting:
        move = heaviest_of(state, 0, waiting)
        proven = answer_among(state, images, inverses, breakers, zones, entry, move)
        if proven == ZERO and has_twin(state, move):
            proven = waiting
        elif proven == ZERO:
            play(state, 0, move, 1)
            state.nodes = 0
            if holds(state, 1, 0) != HOLDS:
                return lowest(move)
            proven = state.zone[1]
        waiting &= proven & ~move
    return -1


def board_lines(rows: int, columns: int, goal: int) -> list[int]:
    """Return all lines as masks, sorted by row, column or diagonal."""
    lines = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row, column in sorted(np.ndindex(rows, columns), key=lambda cell: cell[0] * right - cell[1] * down):
            cells = [(row + i * down, column + i * right) for i in range(goal)]
            if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                lines.append(sum(1 << r * columns + c for r, c in cells))
    return lines


def symmetries(rows: int, columns: int) -> np.ndarray:
    """Return the image of each cell under each symmetry of the board."""
    board = np.arange(rows * columns).reshape(rows, columns)
    turned = [board, board[::-1]] if rows != columns else [np.rot90(board, i) for i in range(4)]
    return np.array([image.ravel() for each in turned for image in (each, each[:, ::-1])])


def read(path: Path) -> tuple:
    """Return the board of a file, and the arguments of ``unanswered`` between the state and the entry."""
    with np.load(path, allow_pickle=False) as stored:
        board = stored["board"].tolist()
        breakers, zones = (np.ascontiguousarray(stored[name].T).view("<u8")[:, 0] for name in ("breaker", "zone"))
    order = np.argsort(breakers, kind="stable")
    images = symmetries(*board[:2])
    lines = np.array(board_lines(*board), np.uint64)
    return board, (lines, images, np.argsort(images, axis=1), breakers[order], zones[order])


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    board, game = read(parser.parse_args(argv).file)
    breakers, zones = game[-2:]
    state = np.zeros(1, SEARCH)[0]
    faults = 0
    for entry, (breaker, zone) in enumerate(zip(breakers.tolist(), zones.tolist(), strict=True)):
        if (move := unanswered(state, *game, entry)) >= 0:
            faults += 1
            print(f"not proven: breaker {breaker:#x}, zone {zone:#x}, move {move}")
    print(f"{len(zones)} entries checked, {faults} not proven")
    proven = not faults and 0 in breakers
    print("{} x {} with {} in a row: the second player".format(*board), "at least draws" if proven else "is not proven")
    return 0 if proven else 1


if __name__ == "__main__":
    sys.exit(main())
