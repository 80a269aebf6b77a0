"""``python -m benchmarks.replay BEFORE [AFTER]``: compares the answers of two checkouts."""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.replay.checkouts import Checkout
from benchmarks.replay.differences import NEVER_COMPARED, Comparison
from benchmarks.replay.requests import CHANNELS, requests

SHOWN_EVERY_S = 5


def main(argv: Sequence[str] | None = None) -> int:
    """Print the differences; return 1 if there are any."""
    arguments = _parser().parse_args(argv)
    channels = frozenset(arguments.only or CHANNELS)
    comparison = Comparison(arguments.ignore_field, arguments.allow)
    started = shown = time.monotonic()
    settings = dict(setting.split("=", 1) for setting in arguments.set)
    after_it = Checkout(arguments.after, settings)
    with Checkout(arguments.before) as before, after_it as after, ThreadPoolExecutor(2) as pool:
        for number, request in enumerate(requests(arguments.requests, arguments.seed, channels), 1):
            comparison.add(request, *pool.map(lambda checkout, asked=request: checkout.ask(asked), (before, after)))
            if time.monotonic() > shown + SHOWN_EVERY_S:
                shown = time.monotonic()
                differing = sum(comparison.differing.values())
                print(f"{number} requests, {differing} differ, {shown - started:.0f} s", file=sys.stderr, flush=True)
    print(comparison.report())
    return 1 if comparison.differing else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.replay",
        description="Send the same random requests over HTTP, JSON lines, MCP and the command line to two checkouts, "
        "each with its own .venv, and compare every field of the answers. Nothing is stored. "
        "The exit code is 1 if something differs.",
    )
    parser.add_argument("before", type=Path, help="a checkout")
    parser.add_argument("after", type=Path, nargs="?", default=Path(), help="another one (the current folder)")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting of AFTER alone: with BEFORE the same folder and KINAROW_SEARCHES=2 this compares one slot with "
        "two; may be repeated",
    )
    parser.add_argument("--requests", type=int, default=2000, metavar="N", help="how many requests (2000)")
    parser.add_argument("--seed", type=int, default=0, help="which requests (0)")
    parser.add_argument("--only", choices=CHANNELS, action="append", help="one way to ask; may be repeated")
    parser.add_argument(
        "--ignore-field",
        metavar="NAME",
        action="append",
        default=[],
        help=f"a field that is not compared, wherever it is; {', '.join(NEVER_COMPARED)} never are; may be repeated",
    )
    parser.add_argument(
        "--allow",
        metavar="PATH",
        action="append",
        default=[],
        help="a field that may differ, such as body.board or 'body.answers.*.answer.board*' (* matches anything); "
        "its differences are counted apart; may be repeated",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
