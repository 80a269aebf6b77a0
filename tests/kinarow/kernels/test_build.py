"""Libraries are built from the present sources, checked before they are opened, and kept for other checkouts."""

import json
import os
import re
import shutil
import sys

import numpy as np
import pytest

from kinarow.kernels import build, shared_library, sources
from kinarow.kernels.shared_library import Library, Pointer
from kinarow.kernels.targets import of_this_machine
from tests.support.commands import ended
from tests.support.server import REPOSITORY

pytestmark = pytest.mark.slow

SOLVER = "maker_breaker"
WIN = f"""
from kinarow.kernels.shared_library import Library
print(type(Library({SOLVER!r}).solve).__name__)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A checkout whose kernels of one solver are built, with a cache folder of its own."""
    checkout = copy(tmp_path_factory.mktemp("built"))
    done = run(checkout, "-m", "kinarow.kernels.build", SOLVER)
    assert done.returncode == 0, done.stderr
    assert f"building the kernels of {SOLVER}" in done.stderr
    return checkout


def copy(folder, of=None):
    """A copy of the package alone; without ``of`` one that has no kernels built."""
    ignored = () if of else ("compiled",)
    shutil.copytree(of or REPOSITORY / "kinarow", folder / "kinarow", ignore=shutil.ignore_patterns(*ignored))
    return folder


def run(checkout, *arguments, cache=None):
    own = {**os.environ, "XDG_CACHE_HOME": str(cache or checkout / "cache"), "PYTHONPATH": str(checkout)}
    return ended(sys.executable, *arguments, folder=checkout, environment=own, seconds=300)


def of(checkout):
    """The library of the solver in a checkout."""
    return checkout / "kinarow" / "kernels" / "compiled" / of_this_machine()[0] / f"{SOLVER}.so"


def test_the_manifest_says_what_it_was_built_from_and_how_entries_are_called(built):
    manifest = json.loads(of(built).with_suffix(".json").read_bytes())
    assert manifest["target"] == of_this_machine()[0]
    assert manifest["digest"] == sources.digest(sources.built_from(SOLVER))
    assert "solvers/common/kernel_bits.py" in manifest["sources"]
    assert manifest["entries"]["solve"]["arguments"][-2:] == [["array", 8, 1], ["int64", 8, 0]]


def test_what_is_built_is_opened_without_a_word(built):
    done = run(built, "-c", WIN)
    assert (done.stdout, done.stderr) == ("_Entry\n", "")


def test_a_second_checkout_with_the_same_sources_builds_nothing(built, tmp_path):
    second = copy(tmp_path)
    done = run(second, "-m", "kinarow.kernels.build", SOLVER, cache=built / "cache")
    assert (done.returncode, done.stderr) == (0, "")
    assert of(second).read_bytes() == of(built).read_bytes()


@pytest.mark.parametrize("harm", ["cut", "changed", "emptied", "manifest"])
def test_a_damaged_library_is_noticed_and_built_again(built, tmp_path, harm):
    damaged = copy(tmp_path, of=built / "kinarow")
    file = of(damaged)
    whole = file.read_bytes()
    if harm == "manifest":
        file.with_suffix(".json").write_text("{")
    else:
        file.write_bytes({"cut": whole[:-100], "changed": whole[:-100] + bytes(100), "emptied": b""}[harm])
    done = run(damaged, "-c", WIN, cache=built / "cache")
    assert done.stdout == "_Entry\n", done.stderr
    assert f"building the kernels of {SOLVER}" in done.stderr
    assert file.read_bytes() == whole


def test_a_changed_source_is_built_when_it_is_first_used(built, tmp_path):
    changed = copy(tmp_path, of=built / "kinarow")
    with (changed / "kinarow" / "solvers" / SOLVER / "layout.py").open("a") as source:
        source.write("# another\n")
    as_in_a_notebook = "import io, sys; sys.stderr = io.StringIO()\n"  # no file, as under pytest
    done = run(changed, "-c", f"{as_in_a_notebook}{WIN}\nprint(sys.stderr.getvalue(), end='')")
    assert done.stdout == f"_Entry\nkinarow: building the kernels of {SOLVER}, once …\n", done.stderr


def test_without_numba_the_error_says_what_to_install(tmp_path):
    done = run(copy(tmp_path), "-c", "import sys; sys.modules['numba'] = None\n" + WIN)
    assert f"the kernels of {SOLVER} are not built for this machine; install Numba" in done.stderr


def test_without_numba_a_command_says_so_in_one_line(tmp_path):
    move = "from kinarow.commands.cli import main; sys.exit(main(['move', 'X.O/.X./..O']))"
    done = run(copy(tmp_path), "-c", f"import sys; sys.modules['numba'] = None; {move}")
    assert done.returncode == 1
    assert re.fullmatch(r"kinarow move: the kernels of \w+ are not built for this machine; install .*\n", done.stderr)


def test_a_failed_build_says_why(built, tmp_path):
    broken = copy(tmp_path, of=built / "kinarow")
    with (broken / "kinarow" / "solvers" / SOLVER / "kernel.py").open("a") as source:
        source.write("\n\n@part(int64(int64))\ndef wrong(number):\n    return number +\n")
    done = run(broken, "-m", "kinarow.kernels.build", SOLVER)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"{SOLVER}: SyntaxError")
    thrice = (
        "for _ in range(3):\n    try:\n        solver.solve\n    except shared_library.KernelsMissing as failure:\n"
    )
    start = f"from kinarow.kernels import shared_library\nsolver = shared_library.Library({SOLVER!r})\n"
    done = run(broken, "-c", f"{start}{thrice}        print(failure)")
    assert len(set(done.stdout.splitlines())) == 1
    assert done.stdout.count("could not be built") == 3
    assert done.stderr.count("building the kernels of") == 2, "a build that failed was started again"


def test_with_another_package_in_the_folder_and_installed_the_own_kernels_are_built(tmp_path):
    checkout, other = copy(tmp_path / "own"), tmp_path / "other"
    (other / "kinarow").mkdir(parents=True)
    (other / "kinarow" / "__init__.py").write_text("raise SystemExit('another kinarow')")
    own = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(other)}
    code = f"import sys\nsys.path.insert(0, {str(checkout)!r})\n{WIN}"
    done = ended(sys.executable, "-c", code, folder=other, environment=own, seconds=300)
    assert done.stdout == "_Entry\n", done.stderr


@pytest.mark.everyday
def test_arguments_of_another_size_and_arrays_with_gaps_are_refused_and_a_pointer_stands_for_its_array():
    with pytest.raises(TypeError, match="argument 0 has elements of 8 bytes"):
        Library("line_counts").put(*[np.zeros(1, np.int64)] * 2, 0, 0)
    with pytest.raises(ValueError, match="without gaps"):
        Pointer(np.zeros((4, 4), np.int64)[:, ::2])
    kernels = Library("large_boards")
    memory = [np.zeros(3**8, np.uint16) for _ in range(2)]
    numbers = np.zeros(20, np.int64), np.zeros(20, np.int64)
    kernels.fill_patterns(memory[0], *numbers, 4, 5, 0, 0, 0)
    kernels.fill_patterns(*map(Pointer, (memory[1], *numbers)), 4, 5, 0, 0, 0)
    assert memory[0].any()
    assert (memory[0] == memory[1]).all()


@pytest.mark.everyday
def test_every_solver_is_built_for_this_machine():
    for solver in sources.solvers():
        assert build.checked(shared_library.COMPILED / of_this_machine()[0], solver), solver
