"""The processor time of the searches of ``kinarow bench`` in two checkouts, in pairs: noise of the machine cancels out.

    python -m benchmarks.solver_pairs BEFORE [AFTER] [--rounds N]

Each row has the ratio of the times, after to before, with its 95 % interval, and says where the nodes differ. Both
checkouts need their own ``.venv`` with built kernels.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from kinarow.commands.bench import CASES

ROUNDS = 20
LEAST_S = 0.05  # A case is searched again until it has taken so long
T_95 = {3: 4.3, 5: 2.78, 10: 2.26, 20: 2.09, 40: 2.02}  # Student's t by the number of pairs, or the next smaller one

CHILD = f"""
import json, sys, time
from kinarow.commands.bench import CASES, _position, search, warm_up
from kinarow.search_types import Limits
warm_up()
for line in sys.stdin:
    case = CASES[int(line)]
    position, limits, times = _position(case), Limits(case.max_nodes, case.max_depth), 0
    began = time.process_time()
    while time.process_time() - began < {LEAST_S}:
        nodes, times = search(position, limits).nodes, times + 1
    print(json.dumps([nodes, (time.process_time() - began) / times]), flush=True)
"""


def started(checkout: Path) -> "subprocess.Popen[str]":
    """A process of a checkout that searches the case of each number it reads."""
    python = checkout.resolve() / ".venv/bin/python"
    command = [python, "-c", CHILD]
    return subprocess.Popen(command, cwd=checkout, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(process: "subprocess.Popen[str]", case: int) -> tuple[int, float]:
    """The nodes of a case and its seconds of processor time."""
    assert process.stdin
    assert process.stdout
    print(case, file=process.stdin, flush=True)
    nodes, seconds = json.loads(process.stdout.readline())
    return nodes, seconds


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solver_pairs", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("before", type=Path, help="a checkout")
    parser.add_argument("after", type=Path, nargs="?", default=Path(), help="another one (the current folder)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"pairs, 3 or more ({ROUNDS})")
    arguments = parser.parse_args(argv)
    rounds = max(3, arguments.rounds)
    t = T_95[max(number for number in T_95 if number <= rounds)]
    with ExitStack() as stack:
        pair = [stack.enter_context(started(checkout)) for checkout in (arguments.before, arguments.after)]
        print(f"{'position':18}{'before ms':>11}{'ratio':>8}   95 %")
        for number, case in enumerate(CASES):
            logs, before_s = [], []
            nodes: set[int] = set()
            for turn in range(rounds):
                order = pair if turn % 2 else pair[::-1]
                found = {process: ask(process, number) for process in order}
                (before_nodes, before), (after_nodes, after) = (found[process] for process in pair)
                logs.append(math.log(after / before))
                before_s.append(before)
                nodes |= {before_nodes, after_nodes}
            mean, spread = statistics.mean(logs), t * statistics.stdev(logs) / math.sqrt(rounds)
            low, ratio, high = (math.exp(mean + part) for part in (-spread, 0, spread))
            differ = f"   nodes {' '.join(map(str, sorted(nodes)))}" if len(nodes) > 1 else ""
            took = 1000 * statistics.median(before_s)
            print(f"{case.name:18}{took:11.2f}{ratio:8.3f}   {low:.3f} to {high:.3f}{differ}", flush=True)
        for process in pair:
            assert process.stdin
            process.stdin.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
