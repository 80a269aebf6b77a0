"""Compiles all kernels into an empty cache, in several processes because Numba compiles one kernel at a time.

    python -m kinarow.jit.compile_ahead              starts the compiling processes and waits for them
    python -m kinarow.jit.compile_ahead MODULE...    compiles the kernels of these modules

Both print the name of each kernel before they compile it. All these processes are fresh interpreters, so they do not
depend on modules that the caller has patched or imported.
"""

import ast
import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from kinarow.jit.cache_dir import ROOT_VARIABLE, claim_folder, kernel_sources
from kinarow.jit.compile_report import compile_report, count_kernels, progress_line

MOST_PROCESSES = 4
"""The most compiling processes; each takes about 200 MB."""

_ROOT = Path(__file__).parents[2]
_COMMAND = (sys.executable, "-m", "kinarow.jit.compile_ahead")


def compile_ahead(report: Callable[[str], None]) -> None:
    """Fill the kernel cache if it is empty; ``report`` gets a line before each compilation.

    It only saves time: a kernel that is still missing afterwards is compiled when its module is imported.
    """
    folder = claim_folder()
    if _processes() == 1 or next(folder.rglob("*.nbi"), None) is not None:
        return
    total = count_kernels(kernel_sources())
    named: set[str] = set()
    with subprocess.Popen(  # noqa: S603 - this interpreter and our own module
        _COMMAND,
        env={**os.environ, ROOT_VARIABLE: str(folder.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        process_group=0,
    ) as child:
        assert child.stdout is not None
        try:
            for line in child.stdout:
                kernel = line.strip()
                if kernel not in named:  # a kernel that two modules import may be compiled in both processes
                    named.add(kernel)
                    report(progress_line(len(named), total, kernel.rpartition(".")[2]))
        except BaseException:
            os.killpg(child.pid, signal.SIGTERM)
            raise


def _processes() -> int:
    """The number of compiling processes: one for each core that this process may use, at most ``MOST_PROCESSES``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return min(cores, MOST_PROCESSES)


def _compile_all() -> None:
    """Compile the kernels in several processes, which share this one's standard output."""
    children = [subprocess.Popen([*_COMMAND, *share]) for share in _shares(_processes())]  # noqa: S603 - as above
    for child in children:
        child.wait()


def _shares(count: int) -> list[list[str]]:
    """The modules that no other kernel module imports, divided into parts with about equally long sources.

    A module's imports are compiled in the same process as the module; two processes would compile many twice.
    """
    sources = {_module(file): file.read_text("utf-8") for file in kernel_sources() if count_kernels([file])}
    imports = {name: _imported(source) & sources.keys() for name, source in sources.items()}

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


def _module(source: Path) -> str:
    """The dotted name of a source file."""
    return ".".join(source.relative_to(_ROOT).with_suffix("").parts)


def _imported(source: str) -> set[str]:
    """The modules that a source may import: the name after ``from``, with and without each name after ``import``."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    packages = {f"{node.module}" for node in statements}
    return packages | {f"{node.module}.{name.name}" for node in statements for name in node.names}


def _compile(modules: Iterable[str]) -> None:
    """Import the modules, naming each kernel on standard output before it is compiled."""

    def tell(kernel: str) -> None:
        # One write for each line, so that lines of two processes never mix.
        os.write(sys.stdout.fileno(), f"{kernel}\n".encode())

    with compile_report(tell, named=True):
        for module in modules:
            importlib.import_module(module)


if __name__ == "__main__":
    if sys.argv[1:]:
        _compile(sys.argv[1:])
    else:
        _compile_all()
