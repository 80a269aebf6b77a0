"""``kinarow warm-up``: compile every kernel into the cache folder, so that later starts only load them."""

import argparse
import sys
import time

from kinarow.jit.cache_dir import own_folder
from kinarow.jit.compile_ahead import compile_ahead
from kinarow.search.search import SOLVERS


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command has no options; ``KINAROW_KERNEL_CACHE_DIR`` names the folder."""


def run(arguments: argparse.Namespace) -> int:
    """Compile the kernels, and print their folder."""

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    started = time.perf_counter()
    compile_ahead(SOLVERS, say)
    print(f"kernels are ready after {time.perf_counter() - started:.1f} s in {own_folder()}")
    return 0
