"""The kernels' own source read as plain Python, in a process of its own, since compilation is chosen at import."""

import json
import os
import sys
from typing import Any

from tests.support.commands import ended


def read_plain(code: str, *, warnings: str = "ignore") -> str:
    """What code prints with compilation switched off; it must end well and print no error. It may import the tests.

    ``warnings`` says what becomes of Python's: ``ignore`` or ``error``. NumPy warns where words wrap.
    """
    checked = f"import numba; assert numba.config.DISABLE_JIT\n{code}"
    done = ended(sys.executable, "-W", warnings, "-c", checked, environment={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def plain_answers(module: str) -> Any:
    """What ``few_answers()`` of a module of tests gives with compilation switched off, by way of JSON."""
    return json.loads(read_plain(f"import json\nfrom {module} import few_answers\nprint(json.dumps(few_answers()))"))
