"""The source files that a solver's library is built from, and their digest, which tells if the library is stale."""

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
)  # the modules of this folder that change the generated code


def solvers() -> list[str]:
    """Return the names of all libraries: ``game``, and each folder in ``solvers`` with kernels."""
    folder = PACKAGE / "solvers"
    return sorted({file.relative_to(folder).parts[0] for file in folder.rglob("kernel*.py")} - {"common"} | {"game"})


def kernel_sources(solver: str = "") -> list[Path]:
    """Return the sorted files of a solver's kernel modules, by default of all solvers and ``game``."""
    folder = "game" if solver == "game" else f"solvers/{solver}" if solver else ""
    return sorted((PACKAGE / folder).rglob("kernel*.py"))


def built_from(solver: str) -> list[Path]:
    """Return the files that a library depends on: its kernel modules, all they import, and modules of the build."""
    own = Path(__file__).parent
    waiting, known = kernel_sources(solver), {own / name for name in _BUILD}
    while waiting:
        source = waiting.pop()
        if source not in known and source.parent != own:
            known.add(source)
            waiting += _modules_imported(source.read_text("utf-8"))
    return sorted(known)


def digest(sources: Iterable[Path]) -> str:
    """Return 16 hex digits over the names and contents of files in the package."""
    whole = hashlib.sha256()
    for source in sources:
        name = source.relative_to(PACKAGE).as_posix()
        whole.update(f"{name}\0".encode() + hashlib.sha256(source.read_bytes()).digest())
    return whole.hexdigest()[:16]


def module_of(source: Path) -> str:
    """Return the dotted name of a source file of the package."""
    return ".".join(("kinarow", *source.relative_to(PACKAGE).with_suffix("").parts))


def _modules_imported(source: str) -> list[Path]:
    """Return the files of the package's modules that a source text imports."""
    names = set[str]()
    for parent, members, module in _IMPORT.findall(source):
        names |= {module} if module else {parent, *(f"{parent}.{name}" for name in re.findall(r"\w+", members))}
    files = (PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in names)
    return [file for file in files if file.is_file()]
