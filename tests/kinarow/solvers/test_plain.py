"""The kernels' own source read as plain Python, in a process of its own, since compilation is chosen at import."""

import json
import os
import sys
from importlib import import_module

import numba
import pytest

from tests.support.commands import run

CODE = """
import json, numba, numpy
assert numba.config.DISABLE_JIT
numpy.seterr(over="ignore")  # words wrap, as in compiled code
from {} import few_answers
print(json.dumps(few_answers()))
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="this is the plain side already")
@pytest.mark.parametrize(
    "module",
    ["free_placement.test_kernel", "gravity.test_kernel", "line_counts.test_kernel", "maker_breaker.test_kernel"]
    + ["large_boards.search.test_kernels"],
)
def test_plain_python_gives_the_same_answers_and_nodes(module):
    """And no warning, each of which is an error there."""
    name, environment = f"tests.kinarow.solvers.{module}", {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    told = run(sys.executable, "-W", "error", "-c", CODE.format(name), environment=environment)
    assert json.loads(told) == import_module(name).few_answers()
