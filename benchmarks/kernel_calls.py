"""What a call of a kernel costs beyond the kernel: microseconds of processor time, the least of several rounds.

    python -m benchmarks.kernel_calls

An entry of the deep-search kind is called with a spent budget, so that it returns at once; by pointers, as solvers do,
and by arrays.
"""

import time

import numpy as np

from kinarow.game.rules import Rules
from kinarow.kernels.library import Library, Pointer
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.result import new_result
from kinarow.solvers.gravity import records, solver

CALLS, ROUNDS = 2000, 20


def microseconds(call) -> float:
    """The least time of a call over the rounds."""
    least = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time_ns()
        for _ in range(CALLS):
            call()
        least = min(least, time.process_time_ns() - began)
    return least / CALLS / 1000


def main() -> None:
    """Measure a small and a large entry."""
    kernels = Library("gravity")
    game, _ = solver.game_of(Rules(6, 7, 4, gravity=True))
    budget = Budget(1)
    budget.stop()
    arrays = [game.array, records.new_state(), budget.array, np.zeros(1 << 10, np.uint64), new_result()]
    arrays[1]["generation"] = 1
    pointers = [Pointer(array) for array in arrays]
    for name, (game, state, spent, table, result) in (("arrays", arrays), ("pointers", pointers)):
        took = microseconds(lambda: kernels.solve(game, state, 0, 0, -42, 42, (1 << 64) - 1, spent, table, result))  # noqa: B023
        print(f"gravity.solve, ten arguments, five of them {name:10}{took:8.2f} µs")
    codes_of_end = Library("large_boards").codes_of_end
    print(f"large_boards.codes_of_end, three numbers          {microseconds(lambda: codes_of_end(1, 1, 0)):8.2f} µs")


if __name__ == "__main__":
    main()
