"""Makes puzzles for the large-board search from noisy self-play: wins by threats, and positions with few defences.

    python -m benchmarks.puzzles --seed 2 --games 20 --out more.json

Two players of different strength, who now and then make a random move near others, play until threats win for
the side to move; where that takes 5 plies or more it is a ``win``. One move earlier, where all but a few moves
lose to threats, it is a ``defence``, whose ``holds`` are the moves that a search of ``LONG`` nodes does not refute.
The wins are proofs; that the moves of ``holds`` do hold is not. The format is that
of tests/kinarow/solvers/large_boards/search/puzzles.json.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.kernel_player import KernelPlayer, cells_after, rules_of
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.records import load, new_state
from kinarow.solvers.large_boards.search.kernel_deepening import begin
from kinarow.solvers.large_boards.search.kernel_vct import vct_win
from kinarow.solvers.large_boards.search.records import new_game, new_table

SIZE = 15
CELLS = SIZE * SIZE
GOAL = 5
STRENGTHS = (100, 300, 1000, 3000)
RANDOM_SHARE = 0.08
LONGEST_GAME = 150
FIND, SHORT, LONG = 40_000, 20_000, 400_000
LEAST_PLIES = 5
MOST_DEFENCES = 4
MOST_THREATS = 40
SLOT_BITS = 18


class Threats:
    """The threat search alone, for any position."""

    def __init__(self) -> None:
        self._game = new_game(rules_of(SIZE, 0))
        self._state = new_state()
        self._table = new_table(1 << SLOT_BITS, CELLS)

    def plies(self, moves: Sequence[int], nodes: int) -> int:
        """The plies of a win by threats for the side to move, as found first, or 0 where so many nodes find none."""
        load(self._game, self._state, cells_after(moves, SIZE))
        begin(self._game, self._state, self._table, 0, 0)
        budget = Budget(nodes)
        for depth in range(MOST_THREATS):
            plies = vct_win(self._game, self._state, budget.array, self._table, depth, nodes)
            if plies or budget.is_spent() or self._state[0].vct_nodes <= 0:
                return int(plies)
        return 0


def near(moves: Sequence[int]) -> list[int]:
    """The empty cells beside marks."""
    found = set()
    for cell in moves:
        row, column = divmod(cell, SIZE)
        for r in range(max(0, row - 1), min(SIZE, row + 2)):
            found.update(r * SIZE + c for c in range(max(0, column - 1), min(SIZE, column + 2)))
    return sorted(found - set(moves))


def game(rng: random.Random, threats: Threats) -> tuple[list[int], int]:
    """The moves of a game until threats win, and in how many plies; 0 plies where that never happened."""
    moves = [(SIZE // 2) * SIZE + SIZE // 2]
    for _ in range(rng.choice((1, 2, 3))):
        moves.append(rng.choice(near(moves)))
    players = [KernelPlayer(rng.choice(STRENGTHS)) for _ in range(2)]
    while len(moves) < LONGEST_GAME:
        plies = threats.plies(moves, FIND)
        if plies:
            return moves, plies
        if rng.random() < RANDOM_SHARE:
            moves.append(rng.choice(near(moves)))
        else:
            moves.append(players[len(moves) % 2].move(SIZE, False, moves))
    return moves, 0


def defences(moves: Sequence[int], threats: Threats) -> list[int]:
    """The moves that no long search refutes; none where there are more than a few."""
    holds: list[int] = []
    for cell in sorted(set(range(CELLS)) - set(moves)):
        if not threats.plies([*moves, cell], SHORT):
            holds.append(cell)
        if len(holds) > 2 * MOST_DEFENCES:
            return []
    holds = [cell for cell in holds if not threats.plies([*moves, cell], LONG)]
    return holds if len(holds) <= MOST_DEFENCES else []


def puzzles(seed: int, games: int) -> Iterator[dict[str, Any]]:
    """The puzzles of so many games; they follow from the seed alone."""
    rng = random.Random(seed)
    threats = Threats()
    for _ in range(games):
        moves, plies = game(rng, threats)
        if plies < LEAST_PLIES:
            continue
        yield {"kind": "win", "moves": moves, "plies": plies}
        before = moves[:-1]
        if not threats.plies(before, SHORT):
            holds = defences(before, threats)
            if holds:
                yield {"kind": "defence", "moves": before, "holds": holds}


def main(words: Sequence[str] | None = None) -> int:
    """Make puzzles and keep them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.puzzles", description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other puzzles (1)")
    parser.add_argument("--games", type=int, default=20, help="games to play (20)")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    arguments = parser.parse_args(words)
    made = []
    for puzzle in puzzles(arguments.seed, arguments.games):
        made.append(json.dumps(puzzle))
        print(made[-1], flush=True)
    arguments.out.write_text("[\n" + ",\n".join(made) + "\n]\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
