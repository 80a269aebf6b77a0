"""Checks the strategy for Qubic: proves each of its entries by entries of fewer plies and by continuous fours.

    python -m benchmarks.qubic_strategy               # all entries
    python -m benchmarks.qubic_strategy --sample 100

After the move of an entry every reply must lead to an entry of at least two plies fewer, or to a position that
continuous fours win in at least two plies fewer. With all entries checked the empty board is a proven win.
"""

import argparse
import random

from kinarow.game.position import Position
from kinarow.game.rules import O, Rules, X
from kinarow.game.tactics import completing_cells
from kinarow.search.opening_book.strategy import Strategy, shipped
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.continuous_fours.solver import find_win

QUBIC = Rules(4, 4, 4, layers=4)
NODES = 800_000


def faults(strategy: Strategy, cells: bytes) -> list[int]:
    """The replies to the move of an entry that nothing proves to lose in time; no entry of a good strategy has any.

    Args:
        strategy: the strategy.
        cells: the canonical position of the entry, its side to move being X.
    """
    move, plies = strategy.entries[cells]
    after = Position.from_cells(strategy.rules, cells, X).play(move)
    ending = after.ending()
    if ending.state != "ongoing":
        return [] if ending.winner == X else [move]
    return [reply for reply in after.legal_moves() if not loses(strategy, after.play(reply), plies - 2)]


def loses(strategy: Strategy, position: Position, plies: int) -> bool:
    """Whether a position is proven to be won by its side to move within so many plies."""
    if position.ending().state != "ongoing" or plies < 1:
        return False
    known = strategy.win(position)
    if known is not None:
        return (known[1].distance or 0) <= plies
    win = find_win(position, Budget(NODES), share=1)
    if win is not None:
        return win.plies <= plies
    # The last reply threatens to complete a line: the strategy holds no entry for a forced answer.
    forced = completing_cells(position, O if position.to_move == X else X)
    if len(forced) != 1:
        return False
    after = position.play(forced[0])
    return all(loses(strategy, after.play(reply), plies - 2) for reply in after.legal_moves())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, help="check only so many entries")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    strategy = shipped(QUBIC)
    assert strategy is not None
    chosen = list(strategy.entries)
    if options.sample is not None:
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    bad = 0
    for number, cells in enumerate(chosen, 1):
        found = faults(strategy, cells)
        bad += bool(found)
        if found:
            print(f"not proven: {cells.hex()}, replies {found}")
        if number % 1000 == 0:
            print(f"{number} of {len(chosen)} entries", flush=True)
    plies = strategy.entries[QUBIC.empty_board][1]
    print(f"{len(chosen)} of {len(strategy.entries)} entries checked, {bad} not proven")
    print(f"the empty board: a win in at most {plies} plies")


if __name__ == "__main__":
    main()
