"""Builds kernels: one shared library for each solver and target, with a manifest beside it.

    python -m kinarow.kernels.build [--target NAME]... [SOLVER]...

By default it builds what is missing for this machine. It copies each library to the user's cache folder, from which
other checkouts with the same sources take it. Solvers are compiled in parallel, one process for each core.
"""

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from kinarow.kernels import sources
from kinarow.kernels.shared_library import COMPILED, checked, of_this_checkout
from kinarow.kernels.targets import TARGETS, of_this_family, of_this_machine, of_wheel
from kinarow.processes import end_with_parent

MOST_PROCESSES = 8  # each takes 200 to 400 MB


class BuildFailed(RuntimeError):
    """A step of the build failed; the message holds the end of its output."""


def build(names: Iterable[str] = (), targets: Iterable[str] = ()) -> None:
    """Build the missing libraries of these solvers and targets, by default all solvers for this machine's best target.

    Raise ``BuildFailed`` if a step fails.
    """
    wanted = missing(names, targets)
    if not wanted:
        return
    _say(f"building the kernels of {', '.join(wanted)}\n")
    order = sorted(wanted, key=_source_bytes, reverse=True)  # the longest compilation first
    with tempfile.TemporaryDirectory() as scratch:
        for suffixes in ({".wasm"}, {".so", ".dylib", ".dll"}):  # one process can't compile for both (``FOR_WASM``)
            groups = {solver: [each for each in wanted[solver] if TARGETS[each].suffix in suffixes] for solver in order}
            groups = {solver: group for solver, group in groups.items() if group}
            with _compilers(len(groups)) as pool:
                compiled = {solver: pool.submit(_emit, solver, scratch, group) for solver, group in groups.items()}
                for solver, emitted in compiled.items():
                    try:
                        emitted.result()
                    except Exception as failure:
                        raise BuildFailed(f"{solver}: {failure!r}") from failure
                    _link_all(solver, groups[solver], scratch)


@contextlib.contextmanager
def _compilers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Context manager: a pool of at most ``count`` processes, their environment set up for Numba."""
    # Numba must not assume a processor: ``emit`` sets that of each target.
    own = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_JIT": "0", "PYTHONWARNINGS": "ignore"}
    before = dict(os.environ)
    os.environ.update(of_this_checkout() | own)
    try:
        with ProcessPoolExecutor(
            max(1, min(MOST_PROCESSES, _cores(), count)), multiprocessing.get_context("spawn"), end_with_parent
        ) as pool:
            yield pool
    finally:
        os.environ.clear()
        os.environ.update(before)


def _emit(solver: str, folder: str, targets: list[str]) -> None:
    from kinarow.kernels.emit import emit  # imports Numba, which reads the environment of ``_compilers``

    emit(solver, Path(folder), targets)


def _source_bytes(solver: str) -> int:
    return sum(file.stat().st_size for file in sources.built_from(solver))


def missing(names: Iterable[str] = (), targets: Iterable[str] = ()) -> dict[str, list[str]]:
    """Copy libraries that the user's cache has; return the targets that are still to be built, by solver."""
    targets = list(targets) or of_this_machine()[:1]
    if not targets:
        raise BuildFailed("no kernels can be built for this machine; see kinarow/kernels/targets.py")
    wanted = {
        solver: [target for target in targets if not _is_built(solver, target)] for solver in names or sources.solvers()
    }
    return {solver: left for solver, left in wanted.items() if left}


def _is_built(solver: str, target: str) -> bool:
    """Return True if the library is up to date, if need be after copying it from the user's cache."""
    folder = COMPILED / target
    if checked(folder, solver):
        return True
    cached = _cache_folder(solver, target)
    if not checked(cached, solver):
        return False
    _write(folder, {file.name: file.read_bytes() for file in cached.glob(f"{solver}.*")})
    return True


def _cache_folder(solver: str, target: str) -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "kinarow", "kernels", sources.digest(sources.built_from(solver)), target)


def _link_all(solver: str, targets: list[str], scratch: str) -> None:
    """Link a solver's object files in ``scratch`` and install each library with its manifest."""
    built_from = sources.built_from(solver)
    manifest = {"solver": solver, "sources": [file.relative_to(sources.PACKAGE).as_posix() for file in built_from]}
    manifest["digest"] = sources.digest(built_from)
    manifest["entries"] = json.loads(Path(scratch, f"{solver}.json").read_bytes())
    for target in targets:
        library = Path(scratch, f"{solver}-{target}{TARGETS[target].suffix}")
        _link(library.with_suffix(".o"), library, target)
        code = library.read_bytes()
        of_target = {**manifest, "target": target, "sha256": hashlib.sha256(code).hexdigest()}
        files = {f"{solver}{library.suffix}": code, f"{solver}.json": json.dumps(of_target, indent=1).encode()}
        _write(COMPILED / target, files)
        with contextlib.suppress(OSError):  # the user's cache is optional
            _write(_cache_folder(solver, target), files)


def _link(object_file: Path, file: Path, target: str) -> None:
    """Link an object file to a shared library, without a C library: it uses the one that Python has loaded."""
    done = subprocess.run(  # noqa: S603 - the system's linker, or Zig's
        [*_linker(target), "-o", str(file), str(object_file)], capture_output=True, text=True
    )
    if done.returncode:
        raise BuildFailed(f"{file.name} cannot be linked: {done.stderr.strip()[-500:]}")


_SYSTEM_LINKERS = {
    "linux": (("cc", "-nostdlib", "-Wl,-s"), ("ld", "-s"), ("ld.lld", "-s")),
    "darwin": (("cc", "-Wl,-x"),),
}


def _linker(target: str) -> list[str]:
    """Return the command that links for a target: the system's linker if it can, else Zig's (``ziglang`` on PyPI)."""
    if target in of_this_family():
        for command, *options in _SYSTEM_LINKERS.get(sys.platform, ()):
            if found := shutil.which(command):
                return [found, "-shared", *options]
    return [sys.executable, "-m", "ziglang", *TARGETS[target].zig.split()]


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write files atomically: other processes may write or read the same ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        draft = folder / f".{name}.{os.getpid()}"
        draft.write_bytes(data)
        draft.replace(folder / name)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def main() -> int:
    """Build by the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m kinarow.kernels.build", description="Build the kernels.")
    parser.add_argument("solvers", nargs="*", choices=[*sources.solvers(), []], metavar="SOLVER")
    groups = {each.wheel: of_wheel(each.wheel) for each in TARGETS.values() if each.wheel}
    groups["family"] = of_this_family()
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        choices=[*TARGETS, *groups],
        metavar="TARGET",
        help=f"{', '.join(TARGETS)}; a wheel's tag for all its targets; family for all of this machine",
    )
    options = parser.parse_args()
    targets = [name for each in options.target for name in groups.get(each, (each,))]
    try:
        build(options.solvers, targets)
    except BuildFailed as failure:
        _say(f"{failure}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
