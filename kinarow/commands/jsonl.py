"""``kinarow jsonl``: answers JSON lines from standard input on standard output."""

import argparse
import signal
import sys

from kinarow.commands import options
from kinarow.protocols.json_lines import serve
from kinarow.settings import load_settings


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_at_once(parser, "searches")


def run(arguments: argparse.Namespace) -> int:
    """Answer until the input ends, or a signal."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    serve(load_settings(), arguments.searches)
    return 0
