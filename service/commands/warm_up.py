"""``kinarow warm-up``: compile every kernel into the cache folder, so that later starts only load them."""

import argparse
import sys
import time


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command has no options; ``KINAROW_KERNEL_CACHE_DIR`` names the folder."""


def run(arguments: argparse.Namespace) -> int:
    """Compile the kernels, and print their folder."""
    from kinarow import warm_up
    from kinarow.jit.cache_dir import claim_folder
    from kinarow.jit.compile_ahead import compile_ahead
    from kinarow.jit.compile_report import compile_report

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    started = time.perf_counter()
    compile_ahead(say)
    with compile_report(say):
        warm_up()
    print(f"kernels are ready after {time.perf_counter() - started:.1f} s in {claim_folder()}")
    return 0
