"""What small solvers are worth: positions searched with each of them, and with it switched off.

    python -m benchmarks.engine_parts [--count N] [--nodes N]

Random ongoing positions of games that the solver serves, the same in every run. Proofs and nodes are the same on every
machine, the seconds, of processor time, are not.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from unittest.mock import patch

import kinarow
from kinarow.game.position import Position
from kinarow.game.rules import resolve
from kinarow.search.best_move import search, warm_up
from kinarow.solvers.continuous_fours import solver as continuous_fours
from kinarow.solvers.maker_breaker import pairing

COUNT = 40
NODES = 100_000


class Part(NamedTuple):
    """A solver: its name, what stands in for it, and games with the numbers of marks to begin with.

    A game is rows, columns, layers, the rules by the names of ``resolve``, and the least and the most marks.
    """

    name: str
    switch: Any
    games: tuple[tuple[int, int, int, dict[str, Any], int, int], ...]


PARTS = (
    Part(
        "pairings",
        lambda: patch.object(pairing, "find_draw", return_value=None),
        ((15, 15, 1, {"goal": 9}, 0, 30), (9, 9, 1, {"goal": 5}, 40, 60), (10, 10, 1, {"goal": 7}, 0, 30)),
    ),
    Part(
        "continuous fours",
        lambda: patch.object(continuous_fours, "fits", return_value=False),
        (
            (4, 4, 4, {"goal": 4}, 12, 28),
            (5, 5, 4, {"goal": 4}, 8, 20),
            (6, 6, 1, {"goal": 4, "wrap": "columns"}, 4, 12),
        ),
    ),
)


def positions(part: Part, count: int) -> Iterator[Position]:
    """Ongoing positions by random moves, games in turn."""
    choice = random.Random(part.name)
    while count:
        rows, columns, layers, rules, least, most = part.games[count % len(part.games)]
        position = Position.empty(resolve(rows, columns, layers, **rules))
        for _ in range(choice.randint(least, most)):
            if position.ending().state == "ongoing":
                position = position.play(choice.choice(position.legal_moves()))
        if position.ending().state == "ongoing":
            count -= 1
            yield position


def measure(chosen: Sequence[Position], nodes: int) -> str:
    """How many are proven and how many to the exact distance, with how many nodes and how much time."""
    proven = exact = visited = 0
    started = time.process_time()
    for position in chosen:
        result = search(position, kinarow.Limits(nodes))
        proven += result.score.proven
        exact += result.score.exact
        visited += result.nodes
    return f"{proven:4} proven {exact:4} exact {visited:11,} nodes {time.process_time() - started:7.1f} s"


def main(argv: Sequence[str] | None = None) -> None:
    """Print a line for each part with it, and one without it."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--count", type=int, default=COUNT, help=f"positions for each part ({COUNT})")
    parser.add_argument("--nodes", type=int, default=NODES, help=f"nodes of a search ({NODES})")
    arguments = parser.parse_args(argv)
    warm_up()
    for part in PARTS:
        chosen = list(positions(part, arguments.count))
        print(f"{part.name:18} with    {measure(chosen, arguments.nodes)}", flush=True)
        with part.switch():
            print(f"{part.name:18} without {measure(chosen, arguments.nodes)}", flush=True)


if __name__ == "__main__":
    main()
