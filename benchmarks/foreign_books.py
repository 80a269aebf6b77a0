"""Compares Connect Four values with the opening books of PyPI's ``bitbully-databases`` (MIT), which it downloads.

    python -m benchmarks.foreign_books --count 1000

The 8-ply book has outcomes and mostly tests kinarow's opening book; the 12-ply book also has distances and tests the
search. An entry is a position, column by column from below: bits 10 for X, 11 for O, 0 above the last mark of a column.
X is to move.
"""

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import kinarow
from kinarow.game.rules import PRESETS

PACKAGE = "bitbully-databases==0.0.2"
DIGEST = "42d4431d964dc37d58a8e776729b247ac3e2096c575f27b185ac013a45e26d74"
RULES = PRESETS["connect-four"]
PLIES = {24: 8, 32: 12}  # by the bits of an entry
WIN_AT = 100  # a win in n plies is 100 - n, a loss in n plies n - 100


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foreign_books", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="positions of each book (1000)")
    parser.add_argument("--seed", type=int, default=1, help="which of them (1)")
    arguments = parser.parse_args()
    wrong = 0
    with download() as files:
        for name, size, has_distance in (("book_8ply.dat", 3, False), ("book_12ply_distances.dat", 5, True)):
            book = files.read(f"bitbully_databases/assets/{name}")
            starts = range(0, len(book), size)
            sample = random.Random(arguments.seed).sample(starts, min(arguments.count, len(starts)))
            different = [at for at in sample if not agrees(book[at : at + size], has_distance)]
            print(f"{name}: {len(sample)} of {len(starts)} positions, {len(different)} differ {different[:5]}")
            wrong += len(different)
    return 1 if wrong else 0


def download() -> zipfile.ZipFile:
    """Download the package with pip and open it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != DIGEST:
            raise SystemExit(f"{PACKAGE} has another digest")
        return zipfile.ZipFile(wheel.open("rb"))


def agrees(record: bytes, has_distance: bool) -> bool:
    """Return True if the search agrees with an entry."""
    code = int.from_bytes(record[: 4 if has_distance else 3])
    value = int.from_bytes(record[4:], signed=True) if has_distance else -(code & 3)
    position = position_of(f"{code:0{32 if has_distance else 24}b}")
    found = kinarow.best_move(position, kinarow.Limits(max_nodes=10**9))
    outcome = "win" if value > 0 else "loss" if value < 0 else "draw"
    distance = WIN_AT - abs(value) if value else position.empties
    return found.outcome == outcome and (not has_distance or found.distance == distance)


def position_of(bits: str) -> kinarow.Position:
    """Return the position of an entry's bits; bits after the last column's marks are padding."""
    board = [["."] * RULES.columns for _ in range(RULES.rows)]
    at = column = height = 0
    while column < RULES.columns and sum(row.count(".") for row in board) > RULES.cells - PLIES[len(bits)]:
        if bits[at] == "0":
            at, column, height = at + 1, column + 1, 0
        else:
            board[-1 - height][column] = "XO"[int(bits[at + 1])]
            at, height = at + 2, height + 1
    return kinarow.Position.from_rows(board, game="connect-four", to_move="X")


if __name__ == "__main__":
    sys.exit(main())
