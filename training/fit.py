"""Fits the learned parts of the search of large boards: the evaluation and the move ordering.

    python -m training.fit

The evaluation is a network (``training.network``), the move ordering points of four-tuples (``training.order``). The
network's target is the value of the search as a probability of winning. The positions are all those in which no side
can complete a line and the side to move can't make an open four. The fit starts from the hand-set points.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.kernel_cells import quad_of
from kinarow.solvers.large_boards.board.kernel_marks import put
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL
from kinarow.solvers.large_boards.board.tunables import DEFAULTS
from kinarow.solvers.large_boards.network.kernel_forward_pass import threats
from kinarow.solvers.large_boards.network.weights import threat_parts
from training import network, order
from training.games import HARVEST, JUDGED, files, read
from training.network import MINE, SCALE, THEIRS, TOUCHED, UNTOUCHED, Parameters, Positions
from training.tuples import TUPLES, board_of, tuples_of_quads

HELD_OUT = 12  # Every twelfth position or game is held out and tests the fit
MOST_ODDS = 6.0  # Targets are clipped to log odds of ±6
THREAT_BONUS = ((250, 60, 60, 300), (-220, -100, 200, -600))
"""Points, for the mover and the other side, of cells with an open three, two open threes, a four, four and three."""

ROUNDS = 20
SEED = 1
ORDER_POSITIONS = 150_000  # Most positions for the move ordering,
ORDER_STEP = 6  # ... from every sixth file, beginning with the last
_MOST_CELLS = 625
_MOST_PLIES = 650


@njit(nogil=True)
def _walk(game, board, columns, moves, opening, plain, place, kind, quads, ends, kinds, plies):
    """Replay a game; write its quiet positions after the opening into the arrays, and return their number.

    ``plain`` marks quads without points and features; ``ends`` gets the end of each position's cells.
    """
    found, end = 0, 0
    at_first = game.empty_quads
    for ply in range(len(moves)):
        side = ply % 2
        decided = board.count[0, FIVE_CELL] + board.count[1, FIVE_CELL] + board.count[side, OPEN_FOUR_CELL]
        if ply >= opening and decided == 0:
            for cell in range(game.cells):
                mark, mine, theirs = (board.mark[cell], quad_of(board, cell, side), quad_of(board, cell, 1 - side))
                untouched = mark == 0 and board.quads[cell] == at_first[cell]
                if untouched and plain[mine] and plain[theirs]:
                    continue
                place[end] = cell // columns << 8 | cell % columns
                quads[0, end], quads[1, end] = (mine, theirs) if mark == 0 else (0, 0)
                if mark == 0:
                    kind[end] = UNTOUCHED if untouched else TOUCHED
                else:
                    kind[end] = MINE if mark == side + 1 else THEIRS
                end += 1
            kinds[found], plies[found], ends[found] = threats(board, side), ply, end
            found += 1
        put(game, board, moves[ply], side)
    return found


def collect(paths: list[Path]) -> Positions:
    """Return the quiet positions of all files, with the values of their searches."""
    plain = np.isin(tuples_of_quads(), network.PLAIN)
    most = _MOST_CELLS * _MOST_PLIES
    place, kind, quads = np.zeros(most, np.uint16), np.zeros(most, np.uint8), np.zeros((2, most), np.uint16)
    ends, kinds, plies = np.zeros((3, _MOST_PLIES), np.int64)
    found: list[tuple[NDArray[Any], ...]] = []
    kept: dict[tuple[int, int, int], np.recarray] = {}
    for group, game in enumerate(read(paths)):
        board = board_of(game, kept)
        count = _walk(*board, game.side, game.moves, game.opening, plain, place, kind, quads, ends, kinds, plies)
        if count:
            cells = slice(0, ends[count - 1])
            found.append(
                (
                    np.diff(ends[:count], prepend=0),
                    *(each[cells].copy() for each in (place, kind, *quads)),
                    kinds[:count].copy(),
                    game.values[plies[:count]],
                    np.full(count, group),
                )
            )
    columns: list[Any] = [np.concatenate(column) for column in zip(*found, strict=True)]
    lengths, place, kind, mine, theirs, numbers, values, groups = columns
    value = np.clip(values / SCALE, -MOST_ODDS, MOST_ODDS)
    return Positions(np.append(0, np.cumsum(lengths)), place, kind, mine, theirs, numbers, value, groups)


def part_of(data: Positions, wanted: NDArray[np.bool_]) -> Positions:
    """Return the wanted positions."""
    lengths = np.diff(data.first)
    kept = np.repeat(wanted, lengths)
    return Positions(
        np.append(0, np.cumsum(lengths[wanted])),
        data.place[kept],
        data.kind[kept],
        data.mine[kept],
        data.theirs[kept],
        data.threats[wanted],
        data.value[wanted],
        data.group[wanted],
    )


def _start() -> Parameters:
    points = np.array(DEFAULTS["pattern_points"], np.float64)
    bonuses = np.zeros(threat_parts().shape[1])
    bonuses[:12] = (DEFAULTS["move_bonus"], 0, *THREAT_BONUS[0], 0, *THREAT_BONUS[1], 0)
    return network.start(points[np.array(TUPLES)].sum(axis=1) / SCALE, bonuses / SCALE, SEED)


def hand_set() -> Parameters:
    """Return the hand-set evaluation: the output weights of its network are zero."""
    start = _start()
    return start._replace(output=np.zeros_like(start.output))


def fit(data: Positions, rounds: int = ROUNDS, progress: bool = False) -> Parameters:
    """Return the parameters fitted from the hand-set points."""
    return network.fit(data, _start(), rounds, SEED, progress)


def _held_out(groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.asarray(groups % HELD_OUT == 0, np.bool_)


def _fit_estimate(paths: list[Path], rounds: int) -> Parameters:
    data = collect(paths)
    out = _held_out(data.group)
    fitted, held = part_of(data, ~out), part_of(data, out)
    estimate = fit(fitted, rounds, progress=True)
    print(f"estimate: {len(fitted.value)} positions, held out {len(held.value)}")
    losses = network.loss(held, hand_set()), network.loss(held, estimate), network.floor(held)
    print("  hand-set {:.4f}, learned {:.4f}, least possible {:.4f}".format(*losses))
    print(f"  greatest sum of a feature {network.greatest_sum(fitted, estimate):.0f}, allowed {network.MOST_FEATURE}")
    return estimate


def _fit_order(paths: list[Path]) -> NDArray[np.float64]:
    choices = order.collect(paths[::-ORDER_STEP], ORDER_POSITIONS)
    out = _held_out(np.arange(len(choices.first)))
    learned, judges = order.part_of(choices, ~out), order.part_of(choices, out)
    moves = order.fit(learned)
    print(f"order of moves: {len(learned.first)} positions, held out {len(judges.first)}")
    print(f"  hand-set {order.report(judges, order.scores(judges, order.hand_set()))}")
    print(f"  learned {order.report(judges, order.scores(judges, moves))}")
    return moves


def main(words: Sequence[str] | None = None) -> int:
    """Fit both, print their losses on held-out data, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m training.fit", description=__doc__.split("\n")[0])
    folders = "folders or files (judged and harvest in training/data)"
    parser.add_argument("--games", type=Path, nargs="+", default=[JUDGED, HARVEST], help=folders)
    out = Path("weights.npz")
    parser.add_argument("--out", type=Path, default=out, help="the file to write (weights.npz)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"over all positions ({ROUNDS})")
    chosen = parser.parse_args(words)
    for folder in chosen.games:
        if not files(folder):
            parser.error(f"no games in {folder}; python -m training.harvest --out {folder} plays some")
    paths = [path for folder in chosen.games for path in files(folder)]
    estimate = _fit_estimate(paths, chosen.rounds)
    parts: dict[str, Any] = {**network.export(estimate), "order": order.export(_fit_order(paths))}
    np.savez_compressed(chosen.out, **parts)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
