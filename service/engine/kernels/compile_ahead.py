"""Compiles all kernels into an empty cache in several processes at once, since Numba compiles one at a time.

python -m service.engine.kernels.compile_ahead MODULE...      what each of the processes runs
"""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numba

from service.engine.kernels.cache_dir import ROOT_VARIABLE
from service.engine.kernels.compile_report import compile_report, count_kernels

MOST_PROCESSES = 4
"""Each takes some 200 MB while it compiles."""

_KERNELS = Path(__file__).parent
_IMPORT = re.compile(rf"^from {__package__}(?:\.| import )(\w+)", re.MULTILINE)


def compile_ahead(report: Callable[[str], None]) -> None:
    """Fill the cache if nothing is in it yet; ``report`` gets a line for each kernel that is compiled.

    Only time is gained: what fails here is compiled, or fails, where it is first imported.
    """
    folder = Path(numba.config.CACHE_DIR)
    processes = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, MOST_PROCESSES)
    if processes == 1 or next(folder.rglob("*.nbi"), None) is not None:
        return
    shares = _shares(processes)
    environment = {**os.environ, ROOT_VARIABLE: str(folder.parent)}
    reader, writer = os.pipe()
    children = [
        subprocess.Popen(  # noqa: S603 - this interpreter and our own module
            [sys.executable, "-m", __spec__.name, *share],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=subprocess.DEVNULL,
        )
        for share in shares
    ]
    os.close(writer)
    try:
        _relay(reader, report)
        for child in children:
            child.wait()
    finally:
        for child in children:
            if child.poll() is None:
                child.terminate()
                child.wait()


def _shares(count: int) -> list[list[str]]:
    """The modules that no other kernel imports, in so many parts: about as much source in each with all they import.

    What a module imports is compiled in the same process, for two would do much of it twice.
    """
    sources = {file.stem: file.read_text("utf-8") for file in _KERNELS.glob("*.py") if count_kernels([file])}
    imports = {name: set(_IMPORT.findall(source)) & sources.keys() for name, source in sources.items()}

    def size(modules: set[str]) -> int:
        wanted, found = list(modules), set[str]()
        while wanted:
            name = wanted.pop()
            if name not in found:
                found.add(name)
                wanted += imports[name]
        return sum(len(sources[name]) for name in found)

    shares: list[set[str]] = [set() for _ in range(count)]
    for module in sorted(sources.keys() - set().union(*imports.values()), key=lambda name: -size({name})):
        min(shares, key=lambda share: size(share | {module})).add(module)
    return [sorted(share) for share in shares if share]


def _relay(reader: int, report: Callable[[str], None]) -> None:
    """Count the kernels that the processes name, until all have closed their end."""
    total = count_kernels(_KERNELS.glob("*.py"))
    named: set[str] = set()
    with os.fdopen(reader) as lines:
        for line in lines:
            kernel = line.strip()
            if kernel not in named:  # what two modules share is compiled in both processes
                named.add(kernel)
                report(f"compiling kernel {len(named)}/{max(total, len(named))}: {kernel.rpartition('.')[2]}")


def _compile(modules: Iterable[str]) -> None:
    """Import the modules, naming each kernel on standard output before it is compiled."""

    def tell(kernel: str) -> None:
        # One write for each line, so that lines of two processes never mix.
        os.write(sys.stdout.fileno(), f"{kernel}\n".encode())

    with compile_report(tell, named=True):
        for module in modules:
            importlib.import_module(f"{__package__}.{module}")


if __name__ == "__main__":
    _compile(sys.argv[1:])
