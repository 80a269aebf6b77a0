"""The sources of compiled code: the kernel modules and what they read from other modules."""

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

_IMPORT = re.compile(r"^ *(?:from (kinarow[\w.]*) import (\([^)]*\)|.*)|import (kinarow[\w.]*))", re.MULTILINE)

# A function that is always inlined is compiled only as part of others.
_KERNEL = re.compile(r"^\s*@njit\b(?!\(inline=)", re.MULTILINE)


def kernel_sources(package: Path = PACKAGE) -> list[Path]:
    """The files that hold compiled functions, in a fixed order."""
    return sorted((package / "solvers").rglob("kernel*.py"))


def solvers(package: Path = PACKAGE) -> list[str]:
    """The names of the folders of all solvers."""
    return sorted(file.parent.name for file in (package / "solvers").glob("*/solver.py"))


def compiled_from(package: Path = PACKAGE) -> list[Path]:
    """The kernel modules and every module of this package that they import, in turn: code depends on nothing else."""
    return with_imports(kernel_sources(package), package)


def with_imports(sources: Iterable[Path], package: Path = PACKAGE) -> list[Path]:
    """These files and all files of this package that they import, in turn.

    Of ``jit`` only the decorator is among them: no kernel reads a constant from there.
    """
    waiting, known = list(sources), set[Path]()
    while waiting:
        source = waiting.pop()
        if source not in known:
            known.add(source)
            if source.parent != package / "jit":
                waiting += _imported(source.read_text("utf-8"), package)
    return sorted(known)


def count_kernels(modules: Iterable[str]) -> int:
    """The kernels in these modules and in those that they import: at most so many are compiled with theirs."""
    files = [PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in modules]
    return sum(len(_KERNEL.findall(source.read_text("utf-8"))) for source in with_imports(files))


@cache
def sources_digest(package: Path = PACKAGE) -> str:
    """A hash of all that compiled code is made from, read once for each process."""
    digest = hashlib.sha256()
    for source in compiled_from(package):
        name = source.relative_to(package).as_posix()
        digest.update(name.encode() + b"\0" + hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def _imported(source: str, package: Path) -> list[Path]:
    names = set[str]()
    for parent, members, module in _IMPORT.findall(source):
        names |= {module} if module else {parent, *(f"{parent}.{name}" for name in re.findall(r"\w+", members))}
    files = (package.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)
    return [file for file in files if file.is_file()]
