"""``kinarow jsonl``: answers JSON lines on standard input and output, many at once."""

import argparse
import signal
import sys

from service.commands.options import between
from service.json_lines import serve
from service.settings import load_settings, usable_cores

MAX_SEARCHES = 1024


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "--searches",
        type=between(1, MAX_SEARCHES),
        default=usable_cores(),
        help="searches at once; by default one for each usable core",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer until the input ends, or a signal."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    serve(load_settings(), arguments.searches)
    return 0
