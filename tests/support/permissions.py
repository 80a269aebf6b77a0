"""Read-only folders for tests, which must hold for root too."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

_WRITE_BITS = 0o222

WITHOUT_PRIVILEGES: tuple[str, ...] = (
    (shutil.which("setpriv") or "setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
)
"""What goes before a command so that permissions bind it: root's right to ignore them is taken away."""


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Within it nothing below the folder can be written by a command run ``WITHOUT_PRIVILEGES``."""
    paths = [folder, *(path for path in folder.rglob("*") if not path.is_symlink())]
    modes = {path: path.stat().st_mode for path in paths}
    for path in reversed(paths):
        path.chmod(modes[path] & ~_WRITE_BITS)
    try:
        yield
    finally:
        for path in paths:
            path.chmod(modes[path])
