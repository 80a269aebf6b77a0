"""Records calls of every entry while this machine answers a few questions, in a process of its own.

    python -m tests.kinarow.kernels.replay.record FOLDER

The folder gets two files for each solver, SOLVER.calls for the program that repeats the calls on another target, and
SOLVER.native with what this machine's library did. Both consist of words of eight bytes:

    calls    the number of calls; for each the entry's name (64 bytes), the number of words in its record, these words,
             the number of arrays, and for each array its place in the record, its bytes, and the memory before the call
    native   for each call status and result, and the memory of each array after the call
"""

import functools
import struct
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

import kinarow
from kinarow.cores import Cores, using
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels import shared_library, sources
from kinarow.kernels.shared_library import Argument, Library, Pointer
from kinarow.search.analysis import analyse
from kinarow.solvers import bulk
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.capacity import ALL_MOVES
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large_boards
from kinarow.solvers.line_counts import solver as line_counts

FIRST_CALLS = 2  # of an entry, which are recorded however short
MOST_CALLS = 6  # of an entry
LONG_NS = 2_000_000  # a call after the first
LOOKED_AT = 12  # calls of an entry, for each position

GAMES = [
    (Rules(3, 3, 3), 20_000), (Rules(4, 4, 4), 200_000), (Rules(4, 4, 4, misere=True), 200_000),
    (Rules(4, 5, 4, gravity=True), 200_000), (Rules(6, 8, 4, gravity=True), 1_000_000),
    (Rules(4, 5, 4, wrap="both"), 100_000), (Rules(4, 4, 4, layers=4, gravity=True), 100_000),
    (Rules(6, 6, 5), 200_000), (Rules(9, 9, 4), 50_000), (Rules(15, 15, 5), 30_000),
    (Rules(7, 7, 5, caro=True), 30_000), (Rules(9, 9, 5, renju=True), 30_000), (Rules(9, 9, 5, misere=True), 10_000),
]  # fmt: skip

MARKS = (2, 5, 8)  # on the boards that are asked about


class Recorder:
    """Writes the calls of one solver."""

    def __init__(self, solver: str, folder: Path) -> None:
        self.solver = solver
        self.calls: BinaryIO = (folder / f"{solver}.calls").open("wb")
        self.native: BinaryIO = (folder / f"{solver}.native").open("wb")
        self.calls.write(struct.pack("q", 0))
        self.counts = Counter[str]()
        self.looked_at = Counter[str]()

    def call(self, name: str, entry: Any, arguments: list[Argument], *values: Any) -> Any:
        """Call an entry; record it unless there are enough of its calls."""
        arrays = {
            place: _array(value)
            for place, (value, argument) in enumerate(zip(values, arguments, strict=True))
            if argument.kind in ("array", "record")
        }
        self.looked_at[name] += 1
        if self.counts[name] == MOST_CALLS or self.looked_at[name] > LOOKED_AT:
            return entry(*values)
        before = {place: _padded(array) for place, array in arrays.items()}
        began = time.perf_counter_ns()
        result = entry(*values)
        if self.counts[name] >= FIRST_CALLS and time.perf_counter_ns() - began < LONG_NS:
            return result
        self.counts[name] += 1
        words = [0 if place in arrays else int(value) for place, value in enumerate(values)]
        words += [length for place, array in arrays.items() if arguments[place].dimensions for length in array.shape]
        self.calls.write(name.encode().ljust(64, b"\0"))
        self.calls.write(struct.pack(f"{len(words) + 1}Q", len(words), *(word & (2**64 - 1) for word in words)))
        self.calls.write(struct.pack("q", len(arrays)))
        for place, array in arrays.items():
            self.calls.write(struct.pack("qq", place, array.nbytes) + before[place])
        self.native.write(struct.pack("qQ", 0, int(result or 0) & (2**64 - 1)))
        for array in arrays.values():
            self.native.write(_padded(array))
        return result

    def close(self) -> None:
        """Complete the files; every entry must have been called."""
        missing = set(shared_library._entries(self.solver)) - {*self.counts}
        assert not missing, (self.solver, missing)
        self.calls.seek(0)
        self.calls.write(struct.pack("q", self.counts.total()))
        self.calls.close()
        self.native.close()


def _array(value: Any) -> np.ndarray[Any, Any]:
    """An argument as an array in the same memory; a record as an array of one."""
    array = value.array if isinstance(value, Pointer) else value
    if isinstance(array, np.ndarray):
        return array.view(np.ndarray)
    return np.ndarray(1, array.dtype, array.data)


def _padded(array: np.ndarray[Any, Any]) -> bytes:
    return array.tobytes() + bytes(-array.nbytes % 8)


def _ask(rules: Rules, nodes: int, marks: int) -> None:
    """A question about a position with some marks in the middle, and about each of its moves."""
    position = Position.empty(rules)
    for _ in range(marks):
        moves = position.legal_moves()
        position = position.play(moves[len(moves) // 2])
        if position.ending().state != "ongoing":
            return
    kinarow.best_move(position, kinarow.Limits(nodes))
    analyse(position, kinarow.Limits(nodes, 3))


def _ask_the_rest() -> None:
    kernels = Library("large_boards")
    position = Position.empty(Rules(15, 15, 5))
    for move in (112, 0, 113, 14, 97, 30, 114, 45, 96, 60):
        position = position.play(move)
        analyse(position, kinarow.Limits(4_000))
        game, state = large_boards._game_of(position), Pointer(large_boards.board_records.new_state())
        large_boards._load(position, game, state)
        state.array["vcf_nodes"] = 1000
        for side in (0, 1):
            kernels.list_fours(game, state, side)
            kernels.count_answers(game, state, side)
            kernels.vcf(game, state, Budget(1000).array, side, 10, 0)
        kernels.bring_sums_up_to_date(game, state)
        kernels.is_forbidden(game, state, 98)
        table = large_boards.records.new_table(1 << 10, position.rules.cells)
        memory = game, state, Budget(4_000).array, table
        kernels.begin(game, state, table, 0, 0)
        for depth in (1, 2):
            kernels.aspiration_search(*memory, depth)
            kernels.vct_win(*memory, depth, 500)
            kernels.null_move_threat(*memory, depth, 500)
            kernels.vct_refutes(*memory, 98, depth, 500)
        kernels.quicker_win(*memory, 7, 500)
        kernels.quiet_win(*memory, 98, 3, 500)
        kernels.put(game, state, 98, 0)
        kernels.estimate(game, state, 1)
        kernels.take_back(game, state, 98)
    kernels.fill_patterns(np.zeros(3**8, np.uint16), *np.zeros((2, 20), np.int64), 4, 5, 0, 0, 0)
    boards = np.zeros((40, 20), np.uint8)
    for index, board in enumerate(boards):
        board[15 + index % 5] = 1 + index % 2
    kinarow.bulk_values(boards, Rules(4, 5, 4, gravity=True), moves="all")
    for rules in (Rules(4, 4, 4), Rules(4, 4, 4, marks="shared")):
        bulk.values(rules, np.eye(16, dtype=np.uint8), ALL_MOVES)
    line_counts.evaluations(Position.empty(Rules(4, 4, 4)))
    gravity.HELPED_NODES = 1000
    for rules in (Rules(5, 5, 4, gravity=True), Rules(5, 5, 4, gravity=True, misere=True)):
        gravity.solve(Position.empty(rules), Budget(10**6), threads=2)


def main(folder: Path) -> None:
    """Record the calls of all solvers."""
    recorders = {}
    for solver in sources.solvers():
        recorder = recorders[solver] = Recorder(solver, folder)
        entries = shared_library._entries(solver)
        found = shared_library.find(solver)
        assert found is not None
        for name, described in found[1]["entries"].items():
            arguments = [Argument(*each) for each in described["arguments"]]
            entries[name] = functools.partial(recorder.call, name, entries[name], arguments)
    asked = [functools.partial(_ask, *game, marks) for game in GAMES for marks in MARKS]
    with using(Cores(1)):  # a recorder is for one thread
        for ask in (*asked, _ask_the_rest):
            for recorder in recorders.values():
                recorder.looked_at.clear()
            ask()
    for recorder in recorders.values():
        recorder.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
