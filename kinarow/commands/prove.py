"""``kinarow prove``: searches for a proof that others can check, and writes it to a file."""

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow.commands import WRONG_USE, options, print_error
from kinarow.errors import one_line
from kinarow.game.position import Position
from kinarow.game.rules import O, Rules, Side, X
from kinarow.labelling.tasks import Job, run_tasks
from kinarow.proofs import check_proof, finding
from kinarow.search.best_move import warm_up
from kinarow.settings import load_settings

NOT_PROVEN = 3  # exit code if no proof was found
CLAIMS = ("win", "not-lose")
MOST_AT_ONCE = 1024  # positions in a job


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "The exit code is 0 if a proof was found, 3 if not. kinarow check says what a file proves."
    options.add_position(parser, choose=False)
    parser.add_argument("--side", choices=("X", "O"), help="the side that the proof is for; by default the one to move")
    parser.add_argument("--claim", choices=CLAIMS, help="what to prove; by default win, else not-lose")
    default = Path("kinarow.proof")
    parser.add_argument("--output", type=options.output_path, default=default, help=f"the file to write ({default})")
    options.add_at_once(parser, "processes")


def run(arguments: argparse.Namespace) -> int:
    """Search for a proof, check it, write it and print its claim."""
    position = options.position_of(arguments, load_settings().max_side)
    if position.ending().state != "ongoing":
        print_error("prove", "the game is over")
        return WRONG_USE
    side: Side = position.to_move if arguments.side is None else X if arguments.side == "X" else O
    claims = [arguments.claim] if arguments.claim else list(CLAIMS)
    warm_up()  # builds missing kernels once, not in every process
    with Workers(arguments.processes) as workers:
        try:
            proof = find(position, side, claims, workers)
        except (finding.NotFound, check_proof.Unproven) as why:
            print_error("prove", f"no proof was found: {why}")
            return NOT_PROVEN
        except (OSError, BrokenExecutor) as failure:
            print_error("prove", failure)
            return options.FAILED
    arguments.output.write_bytes(proof.to_bytes())
    print(f"{one_line(arguments.output)}: ", end="")
    return check_proof.main([str(arguments.output)])


def find(position: Position, side: Side, claims: list[str], workers: "Workers") -> finding.Proof:
    """Return the proof of the first claim that can be proven; raise ``NotFound`` of the last claim if none can."""
    for claim in claims:
        try:
            return finding.prove(position, side, claim == "win", workers)
        except finding.NotFound:
            if claim == claims[-1]:
                raise
    raise AssertionError


class Workers:
    """Searches many positions in several processes; the positions of a job share a transposition table."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.more: deque[Job] = deque()
        self.results: Iterator[tuple[Any, Any]] | None = None
        self.positions, self.began = 0, time.monotonic()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        if self.results is not None:
            self.results.close()  # type: ignore[attr-defined]

    def __call__(self, rules: Rules, boards: NDArray[np.int8], side: Side) -> finding.Values:
        """Return ``(scores, best moves)`` of the positions in their order, for the side to move."""
        self.positions += len(boards)
        if sys.stderr.isatty():
            print(f"\r{self.positions:,} positions, {time.monotonic() - self.began:.0f} s", end="", file=sys.stderr)
        parts = max(1, min(len(boards) // 16, 4 * self.processes), -(-len(boards) // MOST_AT_ONCE))
        if parts == 1 or self.processes == 1:
            return finding.values_of(rules, boards, side)
        self.more += [(part, rules, board, side) for part, board in enumerate(np.array_split(boards, parts))]
        if self.results is None:
            self.results = run_tasks(finding.values_of, (), processes=self.processes, more=self.more)
        found = dict(next(self.results) for _ in range(parts))
        scores, best = zip(*(found[part] for part in range(parts)), strict=True)
        return np.concatenate(scores), np.concatenate(best)
