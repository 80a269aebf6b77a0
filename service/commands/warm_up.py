"""``kinarow warm-up``: compile every kernel into the cache folder, so that later starts only load them."""

import argparse
import sys
import time

from kinarow.jit import cache_dir
from kinarow.jit.compile_ahead import compile_ahead
from kinarow.search.search import SOLVERS
from service.status_line import compilation_shown


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command has no options; ``KINAROW_KERNEL_CACHE_DIR`` names the folder."""


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace) -> int:
    """Compile the kernels, and print their folder."""
    started = time.perf_counter()
    with cache_dir.compiling(), compilation_shown(_say) as report:
        compile_ahead(SOLVERS, report)
    print(f"kernels are ready after {time.perf_counter() - started:.1f} s in {cache_dir.own_folder()}")
    return 0
