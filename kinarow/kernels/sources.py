"""The sources of kernels: the kernel modules of a solver and what they import, and the digest of them all."""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

_IMPORT = re.compile(r"^ *(?:from (kinarow[\w.]*) import (\([^)]*\)|.*)|import (kinarow[\w.]*))", re.MULTILINE)
_BUILD = (
    "constants.py",
    "declare.py",
    "emit.py",
    "targets.py",
)  # in this folder: what makes the code, beside what it is made from


def solvers() -> list[str]:
    """Return the names of the libraries: ``game``, and the folders of all solvers that have kernels."""
    folder = PACKAGE / "solvers"
    return sorted({file.relative_to(folder).parts[0] for file in folder.rglob("kernel*.py")} - {"common"} | {"game"})


def kernel_sources(solver: str = "") -> list[Path]:
    """Return the modules that hold kernels, of a solver or by default of all, in a fixed order."""
    folder = "game" if solver == "game" else f"solvers/{solver}" if solver else ""
    return sorted((PACKAGE / folder).rglob("kernel*.py"))


def built_from(solver: str) -> list[Path]:
    """Return the kernel modules of a solver, all modules that they import in turn, and those of the build."""
    own = Path(__file__).parent
    waiting, known = kernel_sources(solver), {own / name for name in _BUILD}
    while waiting:
        source = waiting.pop()
        if source not in known and source.parent != own:
            known.add(source)
            waiting += _imported(source.read_text("utf-8"))
    return sorted(known)


def digest(sources: Iterable[Path]) -> str:
    """Return a digest of these files, 16 hex digits; a missing one is a ``FileNotFoundError``."""
    whole = hashlib.sha256()
    for source in sources:
        name = source.relative_to(PACKAGE).as_posix()
        whole.update(f"{name}\0".encode() + hashlib.sha256(source.read_bytes()).digest())
    return whole.hexdigest()[:16]


def module_of(source: Path) -> str:
    """Return the full name of a module of this package."""
    return ".".join(("kinarow", *source.relative_to(PACKAGE).with_suffix("").parts))


def _imported(source: str) -> list[Path]:
    names = set[str]()
    for parent, members, module in _IMPORT.findall(source):
        names |= {module} if module else {parent, *(f"{parent}.{name}" for name in re.findall(r"\w+", members))}
    files = (PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)
    return [file for file in files if file.is_file()]
