"""Compiles the kernels that a wheel brings along, for every target of this machine.

    python -m kinarow.jit.ship FOLDER       writes them below FOLDER, in a folder for each target

Numba takes its target from the environment, so each target is compiled in processes of its own.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kinarow.jit import cache_dir
from kinarow.jit.compile_ahead import compile_ahead
from kinarow.jit.sources import solvers

_TARGET = "NUMBA_CPU_NAME"


def ship(folder: Path) -> None:
    """Compile for every target in turn."""
    for target in cache_dir.TARGETS[platform.machine().lower()]:
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(  # noqa: S603 - this interpreter and our own module
                [sys.executable, "-m", "kinarow.jit.ship", folder],
                env={**os.environ, _TARGET: target, "NUMBA_CPU_FEATURES": "", cache_dir.ROOT_VARIABLE: root},
                check=True,
            )


def ship_target(folder: Path) -> None:
    """Compile for the target of this process."""
    compile_ahead(solvers(), lambda progress: None, ("search", "bulk"))
    source = cache_dir.own_folder()
    target = folder / source.name
    target.mkdir(parents=True)
    for pattern in ("*.kernel", "*.complete"):
        for file in source.glob(pattern):
            shutil.copy(file, target)


if __name__ == "__main__":
    (ship_target if os.environ.get(_TARGET) else ship)(Path(sys.argv[1]))
