"""Self-play games on disk: files of many games each, about 60 bytes a game, read back as arrays.

A file is a compressed ``.npz`` with

    shape      (games, 4) uint8   board side, goal, rule (``FREE`` to ``RENJU``), moves of the opening
    result     (games,) int8      1 where the side that began won, 0 a draw, -1 where it lost
    length     (games,) uint16    moves of each game, those of the opening included
    moves      (all moves,) uint16  row * side + column; ``RANDOM`` is added where the move was drawn by chance
    values     (all moves,) int16   the search's value of the position before each move, for its side to move;
                                    0 in the opening
    nodes, seed  nodes a move, and the seed of the run

The games of a file follow each other in ``moves`` and ``values``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_LZMA, ZipFile

import numpy as np
from numpy.typing import NDArray

FREE, EXACT, CARO, RENJU = range(4)
RULE_NAMES = ("free", "exact", "Caro", "Renju")
RANDOM = 1 << 15
"""Added to a move that was drawn by chance."""

GAMES = Path(__file__).parent / "data" / "games"
"""The games that the slopes of expected results in force were fitted on."""

JUDGED = Path(__file__).parent / "data" / "judged"
"""Single positions, judged by deeper searches, that the weights in force were fitted on."""

HARVEST = Path(__file__).parent / "data" / "harvest"
"""Quick games and positions beside them, and games, that the weights in force were fitted on."""


class Game(NamedTuple):
    """One game of a file.

    Attributes:
        side: rows and columns of the board.
        goal: marks in a row.
        rule: ``FREE``, ``EXACT``, ``CARO`` or ``RENJU``.
        opening: moves that were given.
        result: 1 where the side that began won, 0 a draw, -1 where it lost.
        moves: cells in turn.
        drawn: whether each move was drawn by chance.
        values: of the search before each move, for its side to move; 0 in the opening.
    """

    side: int
    goal: int
    rule: int
    opening: int
    result: int
    moves: NDArray[np.int64]
    drawn: NDArray[np.bool_]
    values: NDArray[np.int64]


def write(path: Path, games: list[Game], nodes: int, seed: int) -> None:
    """Write a file, whole or not at all."""
    fresh = path.with_suffix(".new.npz")
    arrays = {
        "shape": np.array([(g.side, g.goal, g.rule, g.opening) for g in games], np.uint8),
        "result": np.array([g.result for g in games], np.int8),
        "length": np.array([len(g.moves) for g in games], np.uint16),
        "moves": np.concatenate([g.moves + RANDOM * g.drawn for g in games]).astype(np.uint16),
        "values": np.concatenate([g.values for g in games]).astype(np.int16),
        "nodes": np.array(nodes),
        "seed": np.array(seed),
    }
    # A fifth smaller than numpy's own compression.
    with ZipFile(fresh, "w", ZIP_LZMA) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array)
    fresh.replace(path)


def read(paths: list[Path]) -> Iterator[Game]:
    """The games of some files, in order."""
    for path in paths:
        with np.load(path) as data:
            shape, result, length = data["shape"].tolist(), data["result"].tolist(), data["length"]
            ends = np.cumsum(length.astype(np.int64))[:-1]
            moves = np.split(data["moves"].astype(np.int64), ends)
            values = np.split(data["values"].astype(np.int64), ends)
        for number, (side, goal, rule, opening) in enumerate(shape):
            drawn = moves[number] >= RANDOM
            yield Game(side, goal, rule, opening, result[number], moves[number] % RANDOM, drawn, values[number])


def files(folder: Path = GAMES) -> list[Path]:
    """The files of a folder, in the order of their names."""
    return sorted(path for path in folder.glob("*.npz") if not path.name.endswith(".new.npz"))
