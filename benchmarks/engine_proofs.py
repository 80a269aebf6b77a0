"""How long the proof of every move of a Connect Four position takes just past the opening book.

    python -m benchmarks.engine_proofs [--marks N] [--count N]

Random ongoing positions in which nobody can win at once, the same in every run; each is analysed to the end with an
empty table. Times are those of the processor. The nodes are the same on every machine.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np

import kinarow
from benchmarks.peers import random_positions
from kinarow.search.search import warm_up

MARKS = 9
COUNT = 200
ENDLESS = kinarow.Limits(max_nodes=10**12)
LONG_S = 3.0


def main(argv: Sequence[str] | None = None) -> None:
    """Print the mean and the largest time.

    Raises:
        RuntimeError: a move was not proven.
    """
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("--marks", type=int, default=MARKS, help=f"marks of a position ({MARKS})")
    parser.add_argument("--count", type=int, default=COUNT, help=f"positions ({COUNT})")
    arguments = parser.parse_args(argv)
    warm_up()
    seconds, nodes = [], []
    for _, position in random_positions(arguments.count, arguments.marks):
        started = time.process_time()
        found = kinarow.analyse(position, ENDLESS)
        seconds.append(time.process_time() - started)
        nodes.append(found.result.nodes)
        if not all(move.score.exact for move in found.moves):
            raise RuntimeError(f"not proven: {position.rows}")
    times, visited = np.array(seconds), np.array(nodes)
    print(f"{len(times)} positions with {arguments.marks} marks, all moves")
    long = int((times > LONG_S).sum())
    print(f"seconds: mean {times.mean():.2f}, largest {times.max():.2f}, over {LONG_S:.0f} s {long}")
    print(f"nodes:   mean {visited.mean():,.0f}, largest {visited.max():,}")


if __name__ == "__main__":
    main()
