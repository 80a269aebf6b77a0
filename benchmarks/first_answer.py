"""The processor time from the start of a new process to its first answer, by the library and by the command line.

    python -m benchmarks.first_answer

A line names the case, the median seconds of processor time of the process with its children, and the nodes of the
search.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys

ANSWER = """
import json, kinarow
from kinarow.game.rules import Rules
position = kinarow.Position.empty({rules}){moves}
result = kinarow.best_move(position, kinarow.Limits({nodes}))
print(json.dumps(result.nodes))
"""

PAST_THE_BOOK = "2322343466715461761243"
LIBRARY = {
    "3 × 3": ("Rules(3, 3, 3)", "", 2_000_000),
    "3 × 3 misère": ("Rules(3, 3, 3, misere=True)", "", 2_000_000),
    "4 × 4": ("Rules(4, 4, 4)", "", 2_000_000),
    "Connect Four from the book": ("Rules(6, 7, 4, gravity=True)", "", 2_000_000),
    "Connect Four past the book": ("Rules(6, 7, 4, gravity=True)", f".after({PAST_THE_BOOK!r})", 2_000_000),
    "Gomoku, 20,000 nodes": ("Rules(15, 15, 5)", "", 20_000),
}
COMMAND = {"kinarow move, 3 × 3": ("move", "X.O/.X./..O", "--json")}


def cases() -> dict[str, list[str]]:
    """The command of each case."""
    library = {
        name: ["-c", ANSWER.format(rules=rules, moves=moves, nodes=nodes)]
        for name, (rules, moves, nodes) in LIBRARY.items()
    }
    return library | {name: ["-m", "kinarow.commands.cli", *words] for name, words in COMMAND.items()}


def measured(command: list[str]) -> tuple[float, int]:
    """Seconds of processor time of a process with its children, and the nodes that it tells."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(done.stdout)
    nodes = answer["search"]["nodes"] if isinstance(answer, dict) else answer
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, nodes


def main() -> None:
    """Measure every case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5, help="starts of each case (5)")
    given = parser.parse_args()
    for name, command in cases().items():
        seconds = []
        for _ in range(given.repeat):
            took, nodes = measured(command)
            seconds.append(took)
        print(f"{name:30}{statistics.median(seconds):8.2f} s{nodes:10} nodes", flush=True)


if __name__ == "__main__":
    main()
