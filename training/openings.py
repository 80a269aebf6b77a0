"""Writes ``openings.txt``: short openings near the centre that the engine holds to be balanced.

Candidates come from one seeded generator: three to six moves within three cells of the centre. One is kept
when, after so many nodes, the engine says less than ``MOST_POINTS`` for either side; the same on every machine.
"""

import random
from collections.abc import Iterator

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from training.arena import OPENINGS

SIZE = 15
REACH = 3
LENGTHS = (3, 4, 5, 6)
KEPT = 60
SEED = 20_05
NODES = 60_000
MOST = 0.09
HEAD = "# Balanced openings, one a line: moves in turn as x,y from the centre. Written by training.openings."


def candidates() -> Iterator[list[tuple[int, int]]]:
    """Random openings without end, none twice."""
    rng = random.Random(SEED)
    seen: set[tuple[tuple[int, int], ...]] = set()
    while True:
        length = rng.choice(LENGTHS)
        places = [(x, y) for x in range(-REACH, REACH + 1) for y in range(-REACH, REACH + 1)]
        opening = rng.sample(places, length)
        if tuple(opening) not in seen:
            seen.add(tuple(opening))
            yield opening


def is_balanced(opening: list[tuple[int, int]]) -> bool:
    """Whether the engine prefers neither side by much."""
    position = Position.empty(Rules(SIZE, SIZE, 5))
    for x, y in opening:
        position = position.play((y + SIZE // 2) * SIZE + x + SIZE // 2)
    score = search(position, Limits(NODES)).score
    return not score.proven and abs(score.value) <= MOST


def main() -> None:
    """Write the file."""
    lines = [HEAD]
    for opening in candidates():
        if is_balanced(opening):
            lines.append(" ".join(f"{x},{y}" for x, y in opening))
            print(lines[-1], flush=True)
        if len(lines) > KEPT:
            break
    OPENINGS.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
