"""``kinarow prove --jobs FILE``: a claim about an open board, settled by many bounded searches."""

import sys
import time
from argparse import Namespace
from concurrent.futures import BrokenExecutor
from contextlib import closing

from kinarow.game.position import Position
from kinarow.game.rules import Side
from kinarow.labelling.tasks import run_tasks
from kinarow.proofs.finding import NotFound, Proof, Valuer, by_argument, prove
from kinarow.proofs.jobs import Decided, Results, Tree, settle

REPORT_EVERY_S = 60  # where standard error is no terminal
MOST_LOST = 3  # a process that is killed costs its jobs; this often without a result between, and the run ends


def find(position: Position, side: Side, wins: bool, arguments: Namespace, below: Valuer) -> Proof:
    """A proof, or with ``--tree`` the positions that it rests on; ``NotFound`` says why there is none.

    ``below`` gives the values of positions below the leaves. ``FileError``: the file of results is another one's.
    """
    proof = by_argument(position, side, wins)
    if proof is not None:
        return proof
    results = Results(arguments.jobs, position, side)
    tree = Tree(position, side, wins, results.told(wins), arguments.nodes)
    search(tree, results, arguments)
    if not tree.root.holds:
        raise NotFound("the claim is wrong")
    return tree.written(position, side) if arguments.tree else prove(position, side, wins, Decided(tree, below))


def search(tree: Tree, results: Results, arguments: Namespace) -> None:
    """Run jobs until the claim is settled."""
    report, lost = Report(tree), 0
    while not tree.is_settled():
        tasks = run_tasks(settle, tree.jobs(), processes=arguments.processes, dask=arguments.dask, at_once=1)
        try:
            with closing(tasks):  # type: ignore[type-var]
                for key, found in tasks:
                    results.add(tree.wins, key, tree.learn(key, found))
                    lost = 0
                    report()
                    if tree.is_settled():
                        break
        except BrokenExecutor:
            lost += 1
            if lost == MOST_LOST:
                raise
            tree.begin_again()
    report(last=True)


class Report:
    """Says how far a search is: always in the same line of a terminal, otherwise once a minute."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.live = tree, sys.stderr.isatty()
        self.began = self.told = time.monotonic()

    def __call__(self, *, last: bool = False) -> None:
        """Tell what is known now, if it is time to."""
        now = time.monotonic()
        if not (last or self.live or now - self.told >= REPORT_EVERY_S):
            return
        self.told = now
        text = f"{self.tree.progress()}, {now - self.began:.0f} s"
        print(f"\r\x1b[K{text}" if self.live else text, end="" if self.live and not last else "\n", file=sys.stderr)
