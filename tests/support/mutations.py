"""Wrong lines that no test notices: ``python -m tests.support.mutations --seed N --count 40``.

Each mutant is one small mistake in a line of the service, the contract, the labelling or the protocols. It meets only
the tests that reach its line, which coverage contexts tell, the shortest first. Survivors are printed; the exit code is
1 if there are more than ``--most``. The code under test is never written: a mutant is put in the place of its module at
import.
"""

import argparse
import ast
import functools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

REPOSITORY = Path(__file__).parents[2]
MUTATED = ("service", "kinarow/contract", "kinarow/labelling", "kinarow/protocols")
LEFT_OUT = ("service/openapi.py", "service/server", "service/wsgi.py")  # run by real processes only
TESTS = (
    "tests/service",
    "tests/kinarow/labelling",
    "tests/kinarow/protocols",
    "tests/web/test_words.py",
    "tests/web/test_files.py",
    "tests/web/test_rules.py",
)
TESTS_S = 40  # of processor time for the tests that a mutant meets; what is left over says nothing of it
HANGS_S = 240
KEPT = REPOSITORY / "build" / "mutations.json"
VARIABLE = "MUTANT"

EQUIVALENT = {
    "service/http/responses.py: 0  ->  (1)  in  if (response.content_length or 0) < MIN_BYTES or not response.is_json:":
        "both are fewer bytes than are compressed",
    "kinarow/protocols/piskvork.py: 10  ->  (11)  in  self._turn_ms = max(0, min(value, 10**9))":
        "no manager waits twelve days for a move",
    "kinarow/protocols/piskvork.py: 10  ->  (11)  in  self._increment_ms = max(0, min(value, 10**9))": "the same",
    "service/searches/redis_tier.py: timeout_ms / 1000  ->  (timeout_ms * 1000)  in  socket_timeout=timeout_ms / 1000,":
        "time_limit ends a call as soon",
    "kinarow/contract/requests.py: 1  ->  (2)  in  "
    "left_out = set(sorted(data.keys() - cls.model_fields.keys())[MAX_ERRORS + 1 :])": "one is enough for no hints",
    "service/searches/redis_tier.py: 0  ->  (1)  in  "
    "possible = abs(own.value) <= MAX_ESTIMATE and abs(own.calibrated or 0) <= 1": "none is as good as the largest",
    "kinarow/labelling/rows.py: rules.layers > 1  ->  (rules.layers >= 1)  in  if rules.layers > 1:":
        "rows that are read one by one get the same labels",
    "kinarow/labelling/parts.py: first < end  ->  (first <= end)  in  if first < end:": "no row is missing there",
    "kinarow/labelling/comparing.py: return False  ->  return None": "who asks takes both for no",
    "service/http/parsing.py: 1  ->  (2)  in  "
    "size = max_bytes + 1 if not has_length or len(length) > _LENGTH_DIGITS else int(length)": "both are too many",
}  # fmt: skip
"""Mutants that change nothing that a caller can see, as they are printed, and why."""

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
}  # fmt: skip
_ASSERTED = ("strict", "frozen", "slots")
"""Arguments that only say what holds anyway."""


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
        case ast.Return(value) if not (value is None or (isinstance(value, ast.Constant) and value.value is None)):
            yield ast.Return(ast.Constant(None))


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a file."""
    source = path.read_text("utf-8")
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    name = path.relative_to(REPOSITORY).as_posix()
    tree = ast.parse(source)
    asserted = {each.value for each in ast.walk(tree) if isinstance(each, ast.keyword) and each.arg in _ASSERTED}
    for node in ast.walk(tree):
        for wrong in mistakes(node) if node not in asserted else ():
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
            line = lines[place.lineno - 1].decode().strip()
            yield Mutant(name, place.lineno, changed, told if line == before else f"{told}  in  {line}")


def _span(starts: Sequence[int], node: Any) -> tuple[int, int]:
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def digest() -> str:
    """Of all that the tests of a run depend on."""
    sources = [file for folder in ("service", "kinarow", "tests") for file in (REPOSITORY / folder).rglob("*.py")]
    return sha256(b"\0".join(file.read_bytes() for file in sorted(sources))).hexdigest()


def reached() -> dict[str, dict[str, float]]:
    """For each line, as ``path:line``, the tests that reach it and their seconds; kept until a source changes."""
    sources = digest()
    if KEPT.is_file() and (kept := json.loads(KEPT.read_text("utf-8")))["digest"] == sources:
        return kept["reached"]
    from coverage import CoverageData  # processes that run a mutant may lack it

    with tempfile.TemporaryDirectory() as name:
        settings, data, times = (Path(name) / each for each in ("coveragerc", "coverage", "times.xml"))
        settings.write_text(f"[run]\ndata_file = {data}\n", "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", "--timeout", "600"]
        command += ["--cov=service", "--cov=kinarow", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
        command += ["-p", "tests.support.mutations"]
        done = subprocess.run([*command, f"--junitxml={times}", *TESTS], cwd=REPOSITORY, stdout=subprocess.DEVNULL)
        if done.returncode > 1:  # a test that measures time may fail here
            sys.exit(f"The tests did not run: pytest ended with {done.returncode}.")
        seconds: Counter[str] = Counter()
        for case in ElementTree.parse(times).iter("testcase"):
            test = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name'].partition('[')[0]}"
            seconds[test] += sum(float(each.attrib["value"]) for each in case.iter("property"))
        found = _lines(CoverageData(str(data)), seconds)
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps({"digest": sources, "reached": found}), "utf-8")
    return found


def pytest_runtest_setup(item: Any) -> None:
    """While lines are counted: empty the caches, or only the first test would reach what is made once; note the time,
    as processor time, which is the same under load.
    """
    item.user_properties.append(("began", -sum(os.times()[:4])))
    places = tuple(place.replace("/", ".") for place in MUTATED)
    for name, module in [*sys.modules.items()]:
        if name.startswith(places):
            for each in vars(module).values():
                if isinstance(each, functools._lru_cache_wrapper):
                    each.cache_clear()


def pytest_runtest_teardown(item: Any) -> None:
    """While lines are counted: the end, so that the sum of both is the time that the test took."""
    item.user_properties.append(("ended", sum(os.times()[:4])))


def _lines(data: Any, seconds: Mapping[str, float]) -> dict[str, dict[str, float]]:
    data.read()
    found: dict[str, dict[str, float]] = {}
    for path in data.measured_files():
        name = Path(path).relative_to(REPOSITORY).as_posix()
        for line, contexts in data.contexts_by_lineno(path).items():
            tests = {context.partition("|")[0].partition("[")[0] for context in contexts}
            found[f"{name}:{line}"] = {test: seconds[test] for test in sorted(tests & seconds.keys())}
    return found


def survives(mutant: Mutant, tests: Mapping[str, float], folder: Path) -> bool:
    """Whether the tests pass that take at most ``TESTS_S`` together, the shortest first; one that hangs fails."""
    file = folder / "mutant.py"
    file.write_text(mutant.source, "utf-8")
    # Python imports this before all else, in servers that the tests start too.
    start = f"import sys\nsys.path.append({str(REPOSITORY)!r})\nimport tests.support.mutations\nsys.path.pop()\n"
    (folder / "sitecustomize.py").write_text(start, "utf-8")
    chosen, total = [], 0.0
    for test in sorted(tests, key=lambda each: tests[each]):
        total += tests[test]
        if chosen and total > TESTS_S:
            break
        chosen.append(test)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *chosen]
    environment = {**os.environ, VARIABLE: f"{REPOSITORY / mutant.path}={file}", "PYTHONPATH": str(folder)}
    with subprocess.Popen(
        command, cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:  # fmt: skip
        try:
            return running.wait(HANGS_S) == 0
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # with the servers that it started
            return False


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
    lines = reached()
    every = [each for file in files for each in mutants(file) if lines.get(f"{each.path}:{each.line}")]
    drawn = random.Random(given.seed).sample(every, given.count)
    others = [mutant for mutant in drawn if mutant.told not in EQUIVALENT]

    def outcome(mutant: Mutant) -> bool | None:
        if time.monotonic() > end:
            return None
        with tempfile.TemporaryDirectory() as name:
            survived = survives(mutant, lines[f"{mutant.path}:{mutant.line}"], Path(name))
        if survived:
            print(f"survives, line {mutant.line} of {mutant.told}", flush=True)
        return survived

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(outcome, others))
    tried, survivors = len(found) - found.count(None), found.count(True)
    print(f"{tried} of {given.count} mutants tried, {survivors} survive; {given.count - len(others)} change nothing")
    return 1 if survivors > given.most or tried < len(others) else 0


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
