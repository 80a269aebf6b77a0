"""What answers of ``POST /move`` cost beside those of another commit, in one run.

    git worktree add /tmp/other COMMIT
    python -m benchmarks.http_beside /tmp/other [--rounds 5] [--seconds 1.5]

One worker each on one core, with logs and metrics; the servers take turns. Printed is the processor time of each
kind of answer over that of a hit of the other commit's response cache: the median of the ratios within a round.
"""

import argparse
import contextlib
import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.http_floor import GUNICORN, REQUEST, WARM_UP_S, as_request, load
from benchmarks.http_search import body_of, positions
from kinarow.game.rules import Rules
from tests.support.server import Server

HERE, OTHER = "here", "other"
BASE = (OTHER, "response cache")
CONNECTIONS = 4
COUNT = 4_000


@dataclass(frozen=True)
class Kind:
    """Settings of the server, and the requests."""

    settings: dict[str, str]
    requests: Sequence[bytes]


def fresh(rules: Rules, marks: int) -> list[bytes]:
    """Requests for different positions with so many marks or a few more."""
    return [as_request(body_of(position)) for position in positions(rules, marks, COUNT)]


def kinds() -> dict[str, Kind]:
    """By name."""
    nothing_kept = {"KINAROW_RESPONSE_CACHE_BYTES": "0", "KINAROW_CACHE_BYTES": "0"}
    return {
        BASE[1]: Kind({}, [REQUEST]),
        "answer cache": Kind({"KINAROW_RESPONSE_CACHE_BYTES": "0"}, [REQUEST]),
        "new, Connect Four with 26 marks": Kind(nothing_kept, fresh(Rules(6, 7, 4, gravity=True), 26)),
        "new, 4 × 4 with 8 marks": Kind(nothing_kept, fresh(Rules(4, 4, 4), 8)),
    }


def main() -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("tree", type=Path, help="the other commit's working tree")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    arguments = parser.parse_args()
    trees = {HERE: Path.cwd(), OTHER: arguments.tree.resolve()}
    asked = kinds()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    with contextlib.ExitStack() as stack:
        running = {
            (tree, name): stack.enter_context(
                Server.started(
                    (*GUNICORN, "service.wsgi:app"),
                    cwd=path,
                    environment=os.environ | {"PYTHONPATH": str(path)},
                    KINAROW_WORKERS="1",
                    KINAROW_LOG_LEVEL="info",
                    **kind.settings,
                )
            )
            for name, kind in asked.items()
            for tree, path in trees.items()
        }
        os.sched_setaffinity(0, {cores[-1]})
        print(table(measure(running, asked, arguments.rounds, arguments.seconds)))
    return 0


def measure(
    running: dict[tuple[str, str], Server], asked: dict[str, Kind], rounds: int, seconds: float
) -> dict[tuple[str, str], list[float]]:
    """Microseconds of processor time an answer, by round, of each tree's answers of each kind."""
    for (_, name), server in running.items():
        load(server, WARM_UP_S, CONNECTIONS, asked[name].requests)
    cost: dict[tuple[str, str], list[float]] = {key: [] for key in running}
    for number in range(rounds):
        for key, server in running.items():
            cost[key].append(load(server, seconds, CONNECTIONS, asked[key[1]].requests).processor_us)
        print(f"round {number + 1} of {rounds} done", file=sys.stderr, flush=True)
    return cost


def table(cost: dict[tuple[str, str], list[float]]) -> str:
    """Medians."""
    lines = [f"{'':34} {'here µs':>9} {'other µs':>9}  {'of a hit there':>14}"]
    for name in dict.fromkeys(name for _, name in cost):
        here, other = cost[HERE, name], cost[OTHER, name]
        ratio = statistics.median(own / base for own, base in zip(here, cost[BASE], strict=True))
        lines.append(f"{name:34} {statistics.median(here):9.0f} {statistics.median(other):9.0f}  {ratio:14.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
