"""Wrong lines that no test notices: ``python -m tests.support.mutations --seed N --count 40``.

Each mutant is one small mistake in a line of the service, the contract, the labelling or the protocols. It meets only
the tests that reach its line, which coverage contexts tell. Survivors are printed; the exit code is 1 if there are more
than ``--most``. The code under test is never written: a mutant is put in the place of its module at import.
"""

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).parents[2]
MUTATED = ("service", "kinarow/contract", "kinarow/labelling", "kinarow/protocols")
LEFT_OUT = ("service/openapi", "service/server", "service/wsgi.py")  # run by real processes only
TESTS = ("tests/service", "tests/kinarow/contract", "tests/kinarow/labelling", "tests/kinarow/protocols")
TEST_WITHIN_S = 120
VARIABLE = "MUTANT"

EQUIVALENT: dict[str, str] = {}
"""Mutants that change nothing that a caller can see, as they are printed, and why."""

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
}  # fmt: skip


class Mutant(NamedTuple):
    """A mistake: the file, the line, the wrong text of the whole module, and the line before and after."""

    path: str
    line: int
    source: str
    told: str


def mistakes(node: ast.AST) -> Iterator[ast.AST]:
    """A node with one mistake, in each way there is."""
    match node:
        case ast.Compare(left, [op], right) if type(op) in _COMPARED:
            yield ast.Compare(left, [_COMPARED[type(op)]()], right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield values[0]
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in _CALCULATED:
            yield ast.BinOp(left, _CALCULATED[type(op)](), right)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Expr(ast.Call()):
            yield ast.Pass()
        case ast.Return(value) if value is not None:
            yield ast.Return(ast.Constant(None))


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a file."""
    source = path.read_text("utf-8")
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    name = path.relative_to(REPOSITORY).as_posix()
    for node in ast.walk(ast.parse(source)):
        for wrong in mistakes(node):
            place: Any = node
            begin = starts[place.lineno - 1] + place.col_offset
            end = starts[place.end_lineno - 1] + place.end_col_offset
            text = source.encode()
            before = text[begin:end].decode()
            if isinstance(node, ast.If):  # only its condition
                begin, end = _span(starts, node.test)
                before, wrong = text[begin:end].decode(), ast.UnaryOp(ast.Not(), node.test)
            after = ast.unparse(ast.fix_missing_locations(wrong))
            after = after if isinstance(node, ast.stmt) and not isinstance(node, ast.If) else f"({after})"
            changed = (text[:begin] + after.encode() + text[end:]).decode()
            told = f"{name}: {' '.join(before.split())}  ->  {after}"
            yield Mutant(name, place.lineno, changed, told)


def _span(starts: Sequence[int], node: Any) -> tuple[int, int]:
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def reached(folder: Path) -> dict[tuple[str, int], list[str]]:
    """For each line the tests that reach it, as pytest names them without parameters; of one run of all."""
    settings, data, told = folder / "coveragerc", folder / "coverage", folder / "coverage.json"
    settings.write_text(f"[run]\ndata_file = {data}\ndynamic_context = test_function\nsource = service\n    kinarow\n")
    run = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", "-q", *TESTS]
    subprocess.run(run, cwd=REPOSITORY, stdout=subprocess.DEVNULL)  # a test that measures time may fail
    shown = [sys.executable, "-m", "coverage", "json", f"--rcfile={settings}", "--show-contexts", "-q", "-o", told]
    subprocess.run(shown, cwd=REPOSITORY, check=True)
    found: dict[tuple[str, int], list[str]] = {}
    for path, file in json.loads(told.read_text("utf-8"))["files"].items():
        for line, contexts in file["contexts"].items():
            found[path, int(line)] = [_test(context) for context in contexts if context.startswith("tests.")]
    return found


def _test(context: str) -> str:
    module, _, function = context.rpartition(".")
    return f"{module.replace('.', '/')}.py::{function}"


def survives(mutant: Mutant, tests: Sequence[str], folder: Path) -> bool:
    """Whether all the tests pass; one that takes too long fails."""
    file = folder / "mutant.py"
    file.write_text(mutant.source, "utf-8")
    # Python imports this before all else, in servers that the tests start too.
    start = f"import sys\nsys.path.append({str(REPOSITORY)!r})\nimport tests.support.mutations\nsys.path.pop()\n"
    (folder / "sitecustomize.py").write_text(start, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", *sorted(set(tests))]
    environment = {**os.environ, VARIABLE: f"{REPOSITORY / mutant.path}={file}", "PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, timeout=TEST_WITHIN_S)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main(argv: Sequence[str] | None = None) -> int:
    """Print the survivors; 1 if there are more than allowed."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.mutations", description="Finds untested lines.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=40, help="how many mutants (40)")
    parser.add_argument("--minutes", type=float, default=25, help="the time for all (25)")
    parser.add_argument("--most", type=int, default=3, help="survivors that are allowed (3)")
    given = parser.parse_args(argv)
    end = time.monotonic() + 60 * given.minutes
    files = [file for folder in MUTATED for file in sorted((REPOSITORY / folder).rglob("*.py"))]
    files = [file for file in files if not file.relative_to(REPOSITORY).as_posix().startswith(LEFT_OUT)]
    survivors, tried, equivalent = [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        lines = reached(Path(name))
        every = [each for file in files for each in mutants(file) if lines.get((each.path, each.line))]
        for mutant in random.Random(given.seed).sample(every, given.count):
            if mutant.told in EQUIVALENT:
                equivalent += 1
                continue
            if time.monotonic() > end:
                break
            tried += 1
            if survives(mutant, lines[mutant.path, mutant.line], Path(name)):
                survivors.append(mutant)
                print(f"survives, line {mutant.line} of {mutant.told}", flush=True)
    print(f"{tried} of {given.count} mutants tried, {len(survivors)} survive; {equivalent} others change nothing")
    return 1 if len(survivors) > given.most else 0


def take_the_place() -> None:
    """In a process of the tests, before any module under test is imported: put the mutant in its place."""
    place, _, file = os.environ[VARIABLE].partition("=")
    usual = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, fullname: str) -> Any:
        if loader.path != place:
            return usual(loader, fullname)
        return compile(Path(file).read_bytes(), place, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


if VARIABLE in os.environ:
    take_the_place()
if __name__ == "__main__":
    sys.exit(main())
