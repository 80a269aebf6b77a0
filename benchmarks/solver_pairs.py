"""Compares the processor times of ``cases`` in two checkouts, in pairs, so that noise of the machine cancels out.

    python -m benchmarks.solver_pairs BEFORE [AFTER] [--rounds N]
    python -m benchmarks.solver_pairs BEFORE [AFTER] --calls
    python -m benchmarks.solver_pairs --browser

Each row has the ratio of the times, after to before, with its 95 % interval, and the nodes if they differ. Both
checkouts need a ``.venv`` with built kernels. ``--calls`` compares easy questions, whose time is nearly all Python.
``--browser`` compares the library (before) with the engine for browsers under Node (after), on positions for each
solver (run ``make browser`` first).
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

from benchmarks.cases import CASES, Case

ROUNDS = 20
SLOW = (Case("empty connect four", "/".join(["." * 7] * 6), {"goal": 4, "gravity": True}, 1_000_000_000),)
"""Long searches without warm-up. They call the exact solver, since ``search`` would use the opening book."""
SLOW_ROUNDS = 8
WARM_UP = 2  # Searches of a case before the rounds, after which Node has optimised the kernels
LEAST_S = 0.05  # A case is repeated for so long
# Student's t by the number of pairs; for other numbers the next smaller applies
T_95 = {3: 4.3, 5: 2.78, 8: 2.36, 10: 2.26, 20: 2.09, 40: 2.02}

CHILD = f"""
import json, sys, time
from kinarow import Limits, Position
from kinarow.search.best_move import search, warm_up
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.gravity import solver as gravity
def solve(position, limits):
    budget = Budget(limits.max_nodes)
    gravity.solve(position, budget)
    return budget
warm_up()
for line in sys.stdin:
    name, board, rules, max_nodes, max_depth = json.loads(line)
    finds = solve if name in {[case.name for case in SLOW]} else search
    position, limits, times = Position.from_text(board, **rules), Limits(max_nodes, max_depth), 0
    began = time.process_time()
    while time.process_time() - began < {LEAST_S}:
        nodes, times = finds(position, limits).nodes, times + 1
    print(json.dumps([nodes, (time.process_time() - began) / times]), flush=True)
"""

IN_BROWSERS = {
    "gravity": {"game": "connect-four", "moves": [41, 34, 42, 40, 38, 35, 27, 28, 21, 20, 13], "max_nodes": 2_000_000},
    "free_placement": {"game": "qubic", "moves": [2, 3, 12, 5, 8, 50, 20, 22, 31], "max_nodes": 200_000},
    "line_masks": {"game": "score-four", "moves": [1, 2, 3, 5, 6, 17, 18, 8, 9, 12], "max_nodes": 200_000},
    "line_counts": {"game": "score-four", "moves": [1, 2, 3, 5], "max_nodes": 200_000, "level": 9, "seed": 1},
    "large_boards": {"game": "gomoku", "moves": [113, 97, 98, 128], "max_nodes": 100_000},
    "large_boards, misere": {
        "rows": 12,
        "columns": 12,
        "goal": 5,
        "misere": True,
        "moves": [66, 79],
        "max_nodes": 100_000,
    },
}
"""Requests for the library and the engine for browsers, by the solver that takes most of the time."""

_LATE = "36 29 22 15 38 41 31 24 17 34 40 42 33 37 30 39 8 27 10 35 28 3 1 32 23 21 20 13 16 26 19 12 6 14 5 9"
EASY = {
    "connect four, 36 marks": {"game": "connect-four", "moves": [*map(int, _LATE.split())], "max_nodes": 200_000},
    "tic-tac-toe, 5 marks": {"game": "tic-tac-toe", "moves": [6, 5, 7, 1, 9], "max_nodes": 200_000},
    "4 x 4, 12 marks": {
        "game": "four-by-four",
        "moves": [11, 1, 2, 16, 7, 4, 3, 15, 8, 6, 10, 13],
        "max_nodes": 200_000,
    },
}
"""Requests without an immediate win that take a few nodes."""

LIBRARY_CHILD = f"""
import json, sys, time
NAMES = {{"game", "moves", "rows", "columns", "goal", "misere"}}
from kinarow import engine
from kinarow.reading.positions import read_position
from kinarow.search_types import Limits
for line in sys.stdin:
    request = json.loads(line)
    position, times = read_position({{name: request[name] for name in request.keys() & NAMES}}), 0
    level, seed = request.get("level", 10), request.get("seed")
    began = time.process_time()
    while time.process_time() - began < {LEAST_S}:
        question = engine.Question(position, Limits(request["max_nodes"]), level, seed, wants_reasons=False)
        answer, times = engine.move(question)[0], times + 1
        nodes = getattr(answer, "result", answer).nodes  # an older checkout has the result in its answer
    print(json.dumps([nodes, (time.process_time() - began) / times]), flush=True)
"""
BROWSER_CHILD = f"""
import {{ createInterface }} from "node:readline";
import {{ createEngine }} from "{Path("browser/kinarow-engine.js").resolve().as_uri()}";
const engine = await createEngine();
for await (const line of createInterface({{ input: process.stdin }})) {{
  const began = process.cpuUsage();
  let nodes, used, times = 0;
  do {{
    nodes = (await engine.move(JSON.parse(line))).search.nodes;
    const {{ user, system }} = process.cpuUsage(began);
    used = (user + system) / 1e6;
    times++;
  }} while (used < {LEAST_S});
  console.log(JSON.stringify([nodes, used / times]));
}}
"""


def python_of(checkout: Path) -> str:
    """Return the Python of a checkout."""
    return str(checkout.resolve() / ".venv/bin/python")


def started(checkout: Path, *command: str) -> "subprocess.Popen[str]":
    """Start a process that searches the case of each line it reads, by default with a checkout's library."""
    words = command or (python_of(checkout), "-c", CHILD)
    return subprocess.Popen(words, cwd=checkout, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(process: "subprocess.Popen[str]", case: object) -> tuple[int, float]:
    """Search a case; return its nodes and processor seconds."""
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
    parser.add_argument("before", type=Path, nargs="?", default=Path(), help="a checkout")
    parser.add_argument("after", type=Path, nargs="?", default=Path(), help="another one (the current folder)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"pairs, 3 or more ({ROUNDS})")
    parser.add_argument("--browser", action="store_true", help="compare the library with the engine in the browser")
    parser.add_argument("--calls", action="store_true", help="compare calls for easy questions")
    arguments = parser.parse_args(argv)
    commands: list[list[str]] = [[], []]
    cases = {case.name: json.dumps(case) for case in (*CASES, *SLOW)}
    if arguments.browser:
        commands = [[sys.executable, "-c", LIBRARY_CHILD], ["node", "--input-type=module", "-e", BROWSER_CHILD]]
        cases = {name: json.dumps(request) for name, request in IN_BROWSERS.items()}
    if arguments.calls:
        commands = [[python_of(each), "-c", LIBRARY_CHILD] for each in (arguments.before, arguments.after)]
        cases = {name: json.dumps(request) for name, request in EASY.items()}
    slow = {case.name for case in SLOW}
    with ExitStack() as stack:
        checkouts = zip((arguments.before, arguments.after), commands, strict=True)
        pair = [stack.enter_context(started(checkout, *command)) for checkout, command in checkouts]
        print(f"{'position':24}{'before ms':>11}{'ratio':>8}   95 %")
        for name, case in cases.items():
            rounds = max(3, min(arguments.rounds, SLOW_ROUNDS) if name in slow else arguments.rounds)
            t = T_95[max(number for number in T_95 if number <= rounds)]
            for process in () if name in slow else WARM_UP * pair:
                ask(process, case)
            logs, before_s = [], []
            nodes: set[int] = set()
            for turn in range(rounds):
                order = pair if turn % 2 else pair[::-1]
                found = {process: ask(process, case) for process in order}
                (before_nodes, before), (after_nodes, after) = (found[process] for process in pair)
                logs.append(math.log(after / before))
                before_s.append(before)
                nodes |= {before_nodes, after_nodes}
            mean, spread = statistics.mean(logs), t * statistics.stdev(logs) / math.sqrt(rounds)
            low, ratio, high = (math.exp(mean + part) for part in (-spread, 0, spread))
            differ = f"   nodes {' '.join(map(str, sorted(nodes)))}" if len(nodes) > 1 else ""
            took = 1000 * statistics.median(before_s)
            print(f"{name:24}{took:11.3f}{ratio:8.3f}   {low:.3f} to {high:.3f}{differ}", flush=True)
        for process in pair:
            assert process.stdin
            process.stdin.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
