"""Files of self-play games.

    python -m training.games FOLDER FILE    joins the files of a run into one

A file is a compressed ``.npz`` with

    shape    (games, 4) uint8    board side, goal, rule (``FREE`` to ``RENJU``), moves of the opening
    result   (games,) int8       1 if the side that began won, 0 for a draw, -1 if it lost
    length   (games,) uint16     moves of each game, including the opening
    shared   (games,) uint16     leading moves in common with the game before it in the file
    moves    (other moves,) uint16  row * side + column
    values   (searched moves,) int16  the search's value of the position before each move after the opening, for its
                                      side to move
    drawn    (searched moves,) bool   True for a random move

The games of a file follow each other in ``moves``, ``values`` and ``drawn``.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_LZMA, ZipFile

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import Rules

FREE, EXACT, CARO, RENJU = range(4)

GAMES = Path(__file__).parent / "data" / "games.npz"
"""The games on which the present slopes of expected results were fitted."""

JUDGED = Path(__file__).parent / "data" / "judged.npz"
"""Single positions, searched deeper, on which the present weights were fitted."""

HARVEST = Path(__file__).parent / "data" / "harvest"
"""The files of ``training.harvest``; git ignores them."""


def rules_of(side: int, goal: int, rule: int) -> Rules:
    """Return the rules of a game."""
    return Rules(side, side, goal, exact_goal=rule == EXACT, caro=rule == CARO, renju=rule == RENJU)


class Game(NamedTuple):
    """One game of a file."""

    side: int  # rows and columns of the board
    goal: int  # marks in a row
    rule: int  # ``FREE``, ``EXACT``, ``CARO`` or ``RENJU``
    opening: int  # moves of the opening
    result: int  # 1 if the side that began won, 0 for a draw, -1 if it lost
    moves: NDArray[np.int64]  # cells
    drawn: NDArray[np.bool_]  # True for random moves
    values: NDArray[np.int64]  # of the search before each move, for the side to move; 0 in the opening


def write(path: Path, games: Iterable[Game]) -> None:
    """Write a file atomically."""
    heads, results, lengths, shared = [], [], [], []
    moves, values, drawn = [], [], []
    before = np.zeros(0, np.int64)
    for game in games:
        both = min(len(before), len(game.moves))
        differing = np.flatnonzero(before[:both] != game.moves[:both])
        shared.append(int(differing[0]) if len(differing) else both)
        heads.append((game.side, game.goal, game.rule, game.opening))
        results.append(game.result)
        lengths.append(len(game.moves))
        moves.append(game.moves[shared[-1] :].astype(np.uint16))
        values.append(game.values[game.opening :].astype(np.int16))
        drawn.append(game.drawn[game.opening :])
        before = game.moves
    arrays = {
        "shape": np.array(heads, np.uint8),
        "result": np.array(results, np.int8),
        "length": np.array(lengths, np.uint16),
        "shared": np.array(shared, np.uint16),
        "moves": np.concatenate(moves),
        "values": np.concatenate(values),
        "drawn": np.concatenate(drawn),
    }
    fresh = path.with_suffix(".new.npz")
    # A fifth smaller than with np.savez_compressed.
    with ZipFile(fresh, "w", ZIP_LZMA) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asarray(array))
    fresh.replace(path)


def read(paths: list[Path]) -> Iterator[Game]:
    """Yield the games of some files, in order."""
    for path in paths:
        with np.load(path) as data:
            columns = (data[name].tolist() for name in ("result", "length", "shared"))
            games = zip(data["shape"].tolist(), *columns, strict=True)
            new_moves, all_values, all_drawn = data["moves"].astype(np.int64), data["values"], data["drawn"]
        moves, move, searched = np.zeros(0, np.int64), 0, 0
        for (side, goal, rule, opening), result, length, shared in games:
            moves = np.concatenate([moves[:shared], new_moves[move : move + length - shared]])
            values, drawn = np.zeros(length, np.int64), np.zeros(length, np.bool_)
            values[opening:] = all_values[searched : searched + length - opening]
            drawn[opening:] = all_drawn[searched : searched + length - opening]
            move, searched = move + length - shared, searched + length - opening
            yield Game(side, goal, rule, opening, result, moves, drawn, values)


def files(path: Path = GAMES) -> list[Path]:
    """Return the files of a folder by name, or a single file."""
    if path.is_file():
        return [path]
    return sorted(each for each in path.glob("*.npz") if not each.name.endswith(".new.npz"))


if __name__ == "__main__":
    write(Path(sys.argv[2]), read(files(Path(sys.argv[1]))))
