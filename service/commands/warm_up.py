"""``kinarow warm-up``: compile every kernel into the cache folder, so that later starts only load them."""

import argparse
import sys
import time

from service import serving


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command has none; ``KINAROW_KERNEL_CACHE_DIR`` names the folder."""


def run(arguments: argparse.Namespace) -> int:
    """Compile, and say where the result lies."""
    import numba

    started = time.perf_counter()
    serving.warm_up_master(lambda line: print(line, file=sys.stderr, flush=True))
    print(f"kernels are ready after {time.perf_counter() - started:.1f} s in {numba.config.CACHE_DIR}")
    return 0
