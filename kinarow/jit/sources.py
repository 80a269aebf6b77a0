"""The sources of compiled code: the kernel modules and what they read from other modules."""

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

_IMPORT = re.compile(
    r"^ *(?:from (kinarow[\w.]*) import (\([^)]*\)|.*)|import (kinarow[\w.]*))", re.MULTILINE
)


def kernel_sources(package: Path = PACKAGE) -> list[Path]:
    """The files that hold compiled functions, in a fixed order."""
    return sorted((package / "solvers").rglob("kernel*.py"))


def compiled_from(package: Path = PACKAGE) -> list[Path]:
    """The kernel modules and every module of this package that they import, in turn: code depends on nothing else.

    Of ``jit`` only the decorator is among them: no kernel reads a constant from there.
    """
    waiting, known = kernel_sources(package), set[Path]()
    while waiting:
        source = waiting.pop()
        if source not in known:
            known.add(source)
            if source.parent != package / "jit":
                waiting += _imported(source.read_text("utf-8"), package)
    return sorted(known)


@cache
def sources_digest(package: Path = PACKAGE) -> str:
    """A hash of all that compiled code is made from, read once for each process."""
    digest = hashlib.sha256()
    for source in compiled_from(package):
        name = source.relative_to(package).as_posix()
        digest.update(name.encode() + b"\0" + hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def _imported(source: str, package: Path) -> list[Path]:
    """The files of the modules of this package that a source imports."""
    names = set[str]()
    for parent, members, module in _IMPORT.findall(source):
        names |= (
            {module} if module else {parent, *(f"{parent}.{name}" for name in re.findall(r"\w+", members))}
        )
    files = (package.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)
    return [file for file in files if file.is_file()]
