"""Checks the complete strategy for Qubic, without any code of kinarow and without trusting the file.

    python checker/qubic_strategy.py [FILE] [--sample N]

An entry is a position with a move and the most plies in which it wins. Each reply to the move must lead to an entry
with at least two plies fewer, or to a win by continuous fours within as many. A sequence of fours that wins after one
reply is first tried against the next, since most replies don't disturb it.
"""

import argparse
import itertools
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[1] / "kinarow/search/known/data/qubic-strategy.npz"
SIDE = 4
Entry = tuple[int, int, int, int]
"""The marks of the side to move and of the other side as masks, the move, and the most plies to the win."""
CELLS = list(itertools.product(range(SIDE), repeat=3))
FULL = (1 << len(CELLS)) - 1


def _qubic_lines() -> list[int]:
    lines = set()
    for start in CELLS:
        for step in itertools.product((-1, 0, 1), repeat=3):
            line = [tuple(at + i * by for at, by in zip(start, step, strict=True)) for i in range(SIDE)]
            if any(step) and all(cell in CELLS for cell in line):
                lines.add(sum(1 << CELLS.index(cell) for cell in line))  # type: ignore[arg-type]
    return sorted(lines)


def _qubic_symmetries() -> list[list[int]]:
    """Return all symmetries: axes permuted and reflected, places renamed on all axes alike such that opposites stay."""
    places = range(SIDE)
    renamings = [names for names in itertools.permutations(places) if all(names[i] + names[3 - i] == 3 for i in places)]
    found = set()
    for axes, flips in itertools.product(itertools.permutations(range(3)), itertools.product((0, 3), repeat=3)):
        for names in renamings:
            image = [tuple(names[abs(flip - cell[a])] for a, flip in zip(axes, flips, strict=True)) for cell in CELLS]
            found.add(tuple(CELLS.index(cell) for cell in image))  # type: ignore[arg-type]
    return [list(each) for each in sorted(found)]


LINES = _qubic_lines()
THROUGH = [[line for line in LINES if line >> cell & 1] for cell in range(len(CELLS))]
SYMMETRIES = np.array(_qubic_symmetries())


def cells_of(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def completing(own: int, others: int, lines: Iterable[int] = LINES) -> int:
    """Return the cells with which a side completes one of these lines."""
    cells = 0
    for line in lines:
        if not line & others and (line & own).bit_count() == SIDE - 1:
            cells |= line & ~own
    return cells


def wins_by(moves: list[int], own: int, others: int) -> bool:
    """Return True if these moves win, each a four with a forced answer, before the other side completes a line."""
    danger = completing(others, own)
    for move in moves:
        if (own | others) >> move & 1:
            return False
        if any(line & ~own == 1 << move for line in THROUGH[move] if not line & others):
            return True
        if danger & ~(1 << move):
            return False
        own |= 1 << move
        answers = completing(own, others, THROUGH[move])
        if not answers:
            return False
        if answers & (answers - 1):
            return True
        others |= answers
        danger = completing(others, own, THROUGH[answers.bit_length() - 1])
    return False


def fours(own: int, others: int, plies: int, danger: int, failed: dict[tuple[int, int], int]) -> list[int] | None:
    """Return moves that win by continuous fours within ``plies``, or None; ``danger`` completes the others' lines."""
    if winning := completing(own, others):
        return [(winning & -winning).bit_length() - 1]
    if plies < 3 or danger & (danger - 1) or failed.get((own, others), 0) >= plies:
        return None
    for line in LINES:
        if line & others or (line & own).bit_count() != SIDE - 2:
            continue
        pair = line & ~own
        for move in (pair & -pair, pair & (pair - 1)):
            answer = pair & ~move
            if danger & ~move:
                continue
            left = completing(others | answer, own | move, THROUGH[answer.bit_length() - 1])
            rest = fours(own | move, others | answer, plies - 2, left, failed)
            if rest is not None:
                return [move.bit_length() - 1, *rest]
    failed[own, others] = plies
    return None


def form(own: int, others: int) -> bytes:
    """Return the least symmetric image of a position."""
    board = np.array([(own >> cell & 1) + 2 * (others >> cell & 1) for cell in range(len(CELLS))], np.uint8)
    return min(map(bytes, board[SYMMETRIES]))


def unanswered(entries: dict[bytes, Entry], entry: Entry) -> list[int]:
    """Return the replies to an entry's move after which no win is proven."""
    own, others, move, plies = entry
    if (own | others) >> move & 1 or completing(others, own) & ~(1 << move):
        return [move]
    own |= 1 << move
    sequences: list[list[int]] = []
    return [
        reply
        for reply in cells_of(FULL & ~(own | others))
        if not wins(entries, own, others | 1 << reply, plies - 2, sequences)
    ]


def wins(entries: dict[bytes, Entry], own: int, others: int, plies: int, sequences: list[list[int]]) -> bool:
    """Return True if the side to move, ``own``, is proven to win within ``plies``."""
    if any(line & others == line for line in LINES) or plies < 1:
        return False
    if any(2 * len(moves) - 1 <= plies and wins_by(moves, own, others) for moves in sequences):
        return True
    known = entries.get(form(own, others))
    if known is not None:
        return known[3] <= plies
    danger = completing(others, own)
    moves = fours(own, others, plies, danger, {})
    if moves is not None and wins_by(moves, own, others):
        sequences.append(moves)
        return True
    if danger == 0 or danger & (danger - 1):
        return False
    # The answer is forced, so there is no entry for it.
    own |= danger
    later: list[list[int]] = []
    return all(wins(entries, own, others | 1 << reply, plies - 2, later) for reply in cells_of(FULL & ~(own | others)))


def read(path: Path) -> dict[bytes, Entry]:
    """Return the entries of a file by the least image of their position.

    Raises:
        ValueError: two entries have the same position.
    """
    with np.load(path, allow_pickle=False) as stored:
        boards = np.ascontiguousarray(stored["cells"].T)
        moves, plies = stored["moves"].tolist(), stored["plies"].tolist()
    own, others = (
        [int.from_bytes(np.packbits(board == mark, bitorder="little").tobytes(), "little") for board in boards]
        for mark in (1, 2)
    )
    entries = {form(*row[:2]): row for row in zip(own, others, moves, plies, strict=True)}
    if len(entries) < len(moves):
        raise ValueError("two entries have the same position")
    return entries


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--sample", type=int, help="check only so many entries")
    options = parser.parse_args()
    entries = read(options.file)
    rows = list(entries.values())
    if options.sample is not None:
        rows = random.Random(1).sample(rows, min(options.sample, len(rows)))
    faults = 0
    for number, entry in enumerate(rows, 1):
        if replies := unanswered(entries, entry):
            faults += 1
            print(f"not proven: own {entry[0]:#x}, others {entry[1]:#x}, replies {replies}")
        if number % 1000 == 0:
            print(f"{number} of {len(rows)} entries", flush=True)
    first = entries.get(form(0, 0))
    print(f"{len(rows)} of {len(entries)} entries checked, {faults} not proven")
    print("no entry for the empty board" if first is None else f"the side that begins wins within {first[3]} plies")
    return 1 if faults or first is None else 0


if __name__ == "__main__":
    sys.exit(main())
