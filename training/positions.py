"""Values and best moves of single positions by deeper searches, for ``training.fit``.

    python -m training.positions --count 37000 --nodes 6000 --games games --out judged

A position is taken from a game at a chance ply, and up to three moves are added that look good without a search: so
searches meet positions in their trees that no game between good moves reaches. Each is written as a game of its own,
whose moves are all given but the last, which the search chose (``training.games``).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinarow.game.position import Position
from kinarow.game.rules import X
from kinarow.kernels.library import Pointer
from kinarow.solvers.large_boards.board.records import new_state
from kinarow.solvers.large_boards.solver import QuickMoveValues
from training.games import GAMES, RENJU, Game, files, read, rules_of, write
from training.self_play import Thinker

POSITIONS_A_FILE = 1000
ADDED_MOVES = (0.3, 0.25, 0.25, 0.2)
"""The chance that so many moves are added."""

MOST_MOVES = 200

LIKELY_MOVES = 12
"""An added move is drawn from so many that look best; the second is half as likely as the first, and so on."""


def _added(position: Position, rng: np.random.Generator) -> int:
    """A move that looks good without a search."""
    values = QuickMoveValues(position)
    moves = sorted(position.legal_moves(), key=lambda move: (-values.order_scores[move], move))
    chances = 1 / np.arange(1, min(LIKELY_MOVES, len(moves)) + 1)
    return moves[rng.choice(len(chances), p=chances / chances.sum())]


def draw_position(game: Game, rng: np.random.Generator) -> tuple[list[int], Position] | None:
    """The moves of a position near a game, and the position; None where its game is over."""
    moves = [int(cell) for cell in game.moves[: int(rng.integers(game.opening, len(game.moves)))]]
    position = Position.empty(rules_of(game.side, game.goal, game.rule))
    for cell in moves:
        position = position.play(cell)
    for _ in range(int(rng.choice(len(ADDED_MOVES), p=ADDED_MOVES))):
        if position.ending().state != "ongoing":
            return None
        moves.append(_added(position, rng))
        position = position.play(moves[-1])
    short = len(moves) <= MOST_MOVES
    return (moves, position) if short and position.ending().state == "ongoing" else None


def judged(game: Game, record: Any, nodes: int, rng: np.random.Generator) -> Game | None:
    """A position near a game with what a search says of it; None where there is nothing to say."""
    drawn = draw_position(game, rng)
    if drawn is None:
        return None
    moves, position = drawn
    report = Thinker(position.rules, record).think(position, nodes)
    winner = 0
    if report.result is not None:
        winner = report.result if position.to_move == X else -report.result
    cells = np.array([*moves, report.move])
    values = np.array([0] * len(moves) + [report.value])
    return Game(*game[:3], len(moves), winner, cells, np.zeros(len(cells), np.bool_), values)


def judge_file(number: int, seed: int, nodes: int, games: list[Game], folder: Path, count: int) -> None:
    """Judge the positions of one file, if it is not there yet."""
    path = folder / f"positions-{nodes}-{seed}-{number:04}.npz"
    if path.exists():
        return
    rng = np.random.default_rng((seed, number))
    record = Pointer(new_state())
    found: list[Game] = []
    while len(found) < count:
        game = judged(games[int(rng.integers(len(games)))], record, nodes, rng)
        if game is not None:
            found.append(game)
    write(path, found)


def main(words: Sequence[str] | None = None) -> int:
    """Judge the positions asked for."""
    parser = argparse.ArgumentParser(prog="python -m training.positions", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=37_000, help="positions in all, by whole files (37000)")
    parser.add_argument("--nodes", type=int, default=6000, help="nodes a position (6000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other positions (1)")
    parser.add_argument("--games", type=Path, default=GAMES, help="folder or file of games (training/data/games.npz)")
    parser.add_argument("--out", type=Path, default=Path("judged"), help="folder of the files (judged)")
    chosen = parser.parse_args(words)
    games = [game for game in read(files(chosen.games)) if game.rule != RENJU and len(game.moves) > game.opening]
    chosen.out.mkdir(parents=True, exist_ok=True)
    for number in range(-(-chosen.count // POSITIONS_A_FILE)):
        judge_file(number, chosen.seed, chosen.nodes, games, chosen.out, POSITIONS_A_FILE)
        print(f"{(number + 1) * POSITIONS_A_FILE} positions", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
