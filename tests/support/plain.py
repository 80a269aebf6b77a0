"""The kernels' own source read as plain Python, in a process of its own, since compilation is chosen at import."""

import json
import os
import sys
from typing import Any

from tests.support.commands import ended

CODE = """
import json, numba, numpy
assert numba.config.DISABLE_JIT
numpy.seterr(over="ignore")  # words wrap, as in compiled code
from {} import few_answers
print(json.dumps(few_answers()))
"""


def plain_answers(module: str) -> Any:
    """What ``few_answers()`` of a module of tests gives with compilation switched off; a warning is an error."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = ended(sys.executable, "-W", "error", "-c", CODE.format(module), environment=environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)
