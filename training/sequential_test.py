"""Plays new weights against the present weights until a sequential test (SPRT) has decided.

    python -m training.sequential_test weights.npz --nodes 3000 --elo 20

Both sides search the same number of nodes; balanced openings on 15 x 15 are played with both colours. The hypothesis
"stronger by ``--elo``" is tested against "equal" at 95 %.
"""

import argparse
import math
import random
from collections.abc import Sequence
from pathlib import Path

from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.records import new_state
from kinarow.solvers.large_boards.network.weights import LEARNED
from kinarow.solvers.large_boards.search.deepening import iterative_deepening
from kinarow.solvers.large_boards.search.records import new_table
from training.arena import GOAL, Tally, pairings, play, read_openings
from training.games import CARO, EXACT, FREE, RENJU
from training.tuples import board_after

SIDE = 15
SURE = math.log(0.95 / 0.05)
RULES = {"free": FREE, "exact": EXACT, "caro": CARO, "renju": RENJU}
SLOT_BITS = 16
MAX_DEPTH = 100
ROUND_STEP = 10
"""Every further round of all openings has a tenth more nodes per move, or its games would be the same."""


class Player:
    """A player that calls the search in this process with a fixed number of nodes, and with the weights of a file."""

    def __init__(self, nodes: int, weights: Path) -> None:
        self._nodes = self._nodes_at_first = nodes
        self._weights = weights
        self._state, self._table = Pointer(new_state()), Pointer(new_table(1 << SLOT_BITS, SIDE * SIDE))

    def begin_game(self, number: int, openings: int) -> None:
        """Set the nodes for a game; each round plays all openings twice."""
        self._nodes = self._nodes_at_first + self._nodes_at_first * (number // (2 * openings)) // ROUND_STEP

    def move(self, size: int, rule: int, moves: Sequence[int]) -> int:
        """Return the best move; see ``arena.Player``."""
        board = board_after((size, GOAL, rule), moves, self._state, self._weights)
        *_, last = iterative_deepening(*board, Budget(self._nodes), self._table, MAX_DEPTH)
        return last.best


def likelihood(tally: Tally, target: float) -> float:
    """Return the log-likelihood ratio of "stronger by ``target`` Elo" to "equal".

    Only wins and losses count, since draws are as likely under both.
    """
    chance = 1 / (1 + 10 ** (-target / 400))
    return tally.wins * math.log(chance / 0.5) + tally.losses * math.log((1 - chance) / 0.5)


def play_test(path: Path, nodes: int, games: int, target: float, rule: int) -> Tally:
    """Play the weights of a file against the present weights, and print the state of the test; return the result."""
    players = Player(nodes, path), Player(nodes, LEARNED)
    openings = read_openings(SIDE)
    random.Random(nodes).shuffle(openings)
    tally = Tally()
    for number, opening, first_begins in pairings(openings, games):
        for player in players:
            player.begin_game(number, len(openings))
        tally = tally.plus(play(*players, SIDE, rule, opening, first_begins).result)
        if number % 2 == 0:
            continue
        sure = likelihood(tally, target)
        if number % 20 == 19:
            print(f"{number + 1} games: {tally}, {sure:+.2f} of ±{SURE:.2f}", flush=True)
        if abs(sure) >= SURE:
            break
    return tally


def main(words: Sequence[str] | None = None) -> int:
    """Play and print the verdict; return 0 if the new weights won."""
    parser = argparse.ArgumentParser(prog="python -m training.sequential_test", description=__doc__.split("\n")[0])
    parser.add_argument("weights", type=Path, help="file that training.fit has written")
    parser.add_argument("--nodes", type=int, default=3000, help="nodes a move (3000)")
    parser.add_argument("--games", type=int, default=400, help="games at most (400)")
    parser.add_argument("--elo", type=float, default=20, help="what the weights must be worth (20)")
    parser.add_argument("--rule", choices=RULES, default="free", help="free, exact, caro or renju (free)")
    chosen = parser.parse_args(words)
    tally = play_test(chosen.weights, chosen.nodes, chosen.games, chosen.elo, RULES[chosen.rule])
    won = likelihood(tally, chosen.elo) >= SURE
    print(f"{'won' if won else 'not won'}: {tally}")
    return 0 if won else 1


if __name__ == "__main__":
    raise SystemExit(main())
