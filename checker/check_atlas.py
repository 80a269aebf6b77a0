"""Checks the atlas of solved games by second sources, and writes them into it as ``checked_by``.

    python -m checker.check_atlas [FILE] [--nodes N]

The first source with a value counts: a publication; a checked strategy; brute force, for small boards and for shared
marks; the line counts solver; the line masks solver, if it hasn't proven the entry itself. The two solvers share no
pruning with those that prove entries. Disagreements are printed, and the exit code is then 1.
Finally the open boards and the counts of docs/atlas.md are printed.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from checker import check_strategy
from checker.published_values import PUBLISHED
from kinarow.commands.play import rules_in_words
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import warm_up
from kinarow.search.known.atlas import FILE, Check, Entry
from kinarow.search.known.book import FOLDER
from kinarow.search.known.strategy import DRAWS
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.line_masks import solver as line_masks
from tests.support import oracle
from training.atlas import read_file, write_file

BRUTE_FORCE_CELLS = 9
DEFAULT_NODES = 20_000_000


def main(argv: Sequence[str] | None = None) -> int:
    """Check all proven entries without a check; return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    shipped = FILE
    parser.add_argument("file", nargs="?", type=Path, default=shipped)
    parser.add_argument("--nodes", type=int, default=DEFAULT_NODES, help=f"of each search ({DEFAULT_NODES})")
    arguments = parser.parse_args(argv)
    warm_up()
    entries = read_file(arguments.file)
    for rules, entry in entries.items():
        if entry.proven and (entry.checked_by is None or rules in PUBLISHED):
            entries[rules] = replace(entry, checked_by=next(checks(entry, arguments.nodes), None))
            write_file(arguments.file, entries)  # after each, so that a stopped run continues
    proven = [entry for entry in entries.values() if entry.proven]
    wrong = [entry for entry in proven if entry.checked_by and not entry.checked_by.agrees]
    for entry in wrong:
        print(f"DISAGREES: {entry.rules} is a {entry.outcome}, not so by {entry.checked_by}", file=sys.stderr)
    for rules, entry in entries.items():
        if not entry.proven:
            print(f"- {rules_in_words(rules)}: {entry.tried_nodes:,} nodes")
    checked = sum(entry.checked_by is not None for entry in proven)
    print(f"{len(proven)} of {len(entries)} boards are proven, {checked} of these are checked by a second source")
    return 1 if wrong else 0


def checks(entry: Entry, nodes: int) -> Iterator[Check]:
    """Yield the checks of a proven entry by all second sources that have a value."""
    rules = entry.rules
    if rules in PUBLISHED:
        yield by_publication(entry)
    if rules in DRAWS:
        checked = check_strategy.main([str(FOLDER / DRAWS[rules])]) == 0
        yield Check("strategy of the second player, checked alone, and strategy stealing", checked)
    if rules.marks == "shared":
        table = oracle.scores_of_all_marks(rules)
        yield Check("brute force", int(table[0]) == entry.score.value)
        return
    if rules.cells <= BRUTE_FORCE_CELLS:
        yield Check("brute force", oracle.score(rules, Position.empty(rules).cells, 1) == entry.score.value)
    if (outcome := to_the_end(rules, nodes)) is not None:
        yield Check("line counts solver", outcome == entry.outcome)
    if "line masks" not in entry.method and (outcome := by_line_masks(rules, nodes)) is not None:
        yield Check("line masks solver", outcome == entry.outcome)


def by_publication(entry: Entry) -> Check:
    """Compare an entry's outcome, and its last move if it was published."""
    outcome, source, last_move = PUBLISHED[entry.rules]
    later = (entry.distance or 0) - (last_move or entry.distance or 0)
    fits = later == 0 or (entry.distance_is_bound and later > 0)
    return Check(source, outcome == entry.outcome and fits)


def to_the_end(rules: Rules, nodes: int) -> str | None:
    """Return the outcome by the line counts solver; None if the nodes don't suffice."""
    infos = line_counts.iterate(Position.empty(rules), Budget(nodes), None)
    return next((info.score.outcome for info in infos if info.score.proven), None)


def by_line_masks(rules: Rules, nodes: int) -> str | None:
    """Return the outcome by the line masks solver; None if the nodes don't suffice."""
    if not line_masks.fits(rules):
        return None
    bounds = line_masks.solve(Position.empty(rules), Budget(nodes))
    if bounds.lower > 0 or bounds.upper < 0:
        return "win" if bounds.lower > 0 else "loss"
    return "draw" if bounds.exact else None


if __name__ == "__main__":
    sys.exit(main())
