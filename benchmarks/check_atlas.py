"""Checks the atlas of solved games by second sources, and writes them into it as ``checked_by``.

    python -m benchmarks.check_atlas [FILE] [--nodes N]

In this order, the first that has a value counts: a published value; brute force, which prunes nothing, for boards of
few cells; the depth-limited search to the end of the game; for boards that ``line masks`` has not proven, this solver.
The last two share no pruning with the solvers that prove entries. Any disagreement is printed, and the exit code is 1.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from kinarow.search.atlas.entries import Check, Entry
from kinarow.search.search import warm_up
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.depth_limited import solver as depth_limited
from kinarow.solvers.line_masks import solver as line_masks
from service.commands.atlas import read_file, write_file
from tests.support.shapes import Game, values

ALLIS = "Allis, A Knowledge-Based Approach of Connect-Four, 1988"
HSU = "Hsu et al., Theoretical Computer Science 815, 2020"
INITIATIVE = "Uiterwijk and van den Herik, The advantage of the initiative, 2000"
PATASHNIK = "Patashnik, Qubic: 4 × 4 × 4 tic-tac-toe, 1980"

PUBLISHED: dict[Rules, tuple[str, str]] = {
    **{Rules(rows, columns, 3): ("win", INITIATIVE) for rows, columns in [(3, 4), (3, 5), (4, 4), (4, 5), (5, 5)]},
    Rules(3, 3, 3): ("draw", INITIATIVE),
    **{Rules(rows, columns, 4): ("draw", INITIATIVE) for rows, columns in [(4, 4), (4, 5), (4, 6), (4, 7), (5, 5)]},
    **{Rules(rows, columns, 4): ("win", INITIATIVE) for rows, columns in [(5, 6), (6, 6)]},
    **{Rules(rows, columns, 5): ("draw", HSU) for rows, columns in [(7, 7), (8, 8)]},
    PRESETS["connect-four"]: ("win", ALLIS),
    PRESETS["qubic"]: ("win", PATASHNIK),
}
"""Values of the literature, each with its source."""

BRUTE_FORCE_CELLS = 9
DEFAULT_NODES = 20_000_000


def main(argv: Sequence[str] | None = None) -> int:
    """Check all proven entries that have no check yet; the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    shipped = Path(str(files("kinarow.search.atlas").joinpath("entries.jsonl")))
    parser.add_argument("file", nargs="?", type=Path, default=shipped)
    parser.add_argument("--nodes", type=int, default=DEFAULT_NODES, help=f"of each search ({DEFAULT_NODES})")
    arguments = parser.parse_args(argv)
    warm_up()
    entries = read_file(arguments.file)
    for rules, entry in entries.items():
        if entry.proven and entry.checked_by is None:
            entries[rules] = replace(entry, checked_by=next(checks(entry, arguments.nodes), None))
            write_file(arguments.file, entries)  # each takes long: a run that is stopped goes on from here
    proven = [entry for entry in entries.values() if entry.proven]
    wrong = [entry for entry in proven if entry.checked_by and not entry.checked_by.agrees]
    for entry in wrong:
        print(f"DISAGREES: {entry.rules} is a {entry.outcome}, not so by {entry.checked_by}", file=sys.stderr)
    print(f"{sum(entry.checked_by is not None for entry in proven)} of {len(proven)} proven boards checked")
    return 1 if wrong else 0


def checks(entry: Entry, nodes: int) -> Iterator[Check]:
    """What second sources say of a proven entry, as far as they come to a value."""
    rules = entry.rules
    if rules in PUBLISHED:
        outcome, source = PUBLISHED[rules]
        yield Check(source, outcome == entry.outcome)
    if rules.cells <= BRUTE_FORCE_CELLS:
        yield Check("brute force", brute_force(rules) == entry.score.value)
    if (outcome := to_the_end(rules, nodes)) is not None:
        yield Check("depth-limited search to the end of the game", outcome == entry.outcome)
    if "line masks" not in entry.method and (outcome := by_line_masks(rules, nodes)) is not None:
        yield Check("line masks solver", outcome == entry.outcome)


def brute_force(rules: Rules) -> int:
    """The score of the empty board by minimax over all positions."""
    rows = Position.empty(rules).rows
    board = "//".join("/".join(rows[at : at + rules.rows]) for at in range(0, len(rows), rules.rows))
    switches = (rules.gravity, rules.misere, rules.exact_goal)
    return max(values(Game(board, rules.goal, rules.wrap, rules.directions, *switches), {}, "X").values())


def to_the_end(rules: Rules, nodes: int) -> str | None:
    """The outcome by the depth-limited solver; None if the nodes do not suffice."""
    infos = depth_limited.iterate(Position.empty(rules), Budget(nodes), None)
    return next((info.score.outcome for info in infos if info.score.proven), None)


def by_line_masks(rules: Rules, nodes: int) -> str | None:
    """The outcome by the solver for any lines; None if the nodes do not suffice."""
    if not line_masks.fits(rules):
        return None
    bounds = line_masks.solve(Position.empty(rules), Budget(nodes))
    if bounds.lower > 0 or bounds.upper < 0:
        return "win" if bounds.lower > 0 else "loss"
    return "draw" if bounds.exact else None


if __name__ == "__main__":
    sys.exit(main())
