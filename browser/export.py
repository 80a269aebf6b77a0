"""Writes what the engine in the browser needs, all taken from the library.

    python browser/export.py [FOLDER]

It goes into ``browser/dist``, and with the scripts into ``service/web/engine``, or with the scripts into the folder.

- the kernels as WebAssembly, which ``make wasm`` builds
- ``engine.json``: the presets, the entries of the kernels, where the fields of their records begin, constants, levels
- ``GAME.json`` for each preset: its plans and what the atlas knows
- ``GAME.bin``: its book or strategy, without the zeros at its end
- ``boards.json``: plans, expected results and the atlas of all plain boards
- ``large_boards.bin``: the tunables and the weights, from which kernels make the record of a large board
"""

import gzip
import json
import math
import shutil
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow import score
from kinarow.game import board_record, line_heuristic
from kinarow.game.board_record import BOARD_DTYPE, RULE_NAMES
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, RULES, Rules
from kinarow.game.size import MAX_SIDE
from kinarow.kernels import shared_library
from kinarow.play import grades, levels
from kinarow.play.review import REVIEW_NODES
from kinarow.reading.tables import FOR_JAVASCRIPT
from kinarow.search import analysis, best_move, calibration, move_lists, move_values
from kinarow.search.known import atlas, book, look_up, strategy
from kinarow.search_types import DEFAULT_NODES, MAX_LINE, MoveValue
from kinarow.solvers import plans, steps
from kinarow.solvers.common import budget, capacity, table_pool
from kinarow.solvers.common.layout import GAME_DTYPE, RESULT_DTYPE
from kinarow.solvers.common.record import offset_of
from kinarow.solvers.free_placement import layout as free_layout
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import layout as gravity_layout
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large_boards
from kinarow.solvers.large_boards.board import layout as large_layout
from kinarow.solvers.large_boards.network.weights import load_weights
from kinarow.solvers.large_boards.search.records import new_game
from kinarow.solvers.line_counts import layout as counts_layout
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.line_masks import layout as masks_layout
from kinarow.solvers.line_masks import solver as line_masks
from kinarow.solvers.maker_breaker import layout as breaker_layout
from kinarow.solvers.maker_breaker import solver as maker_breaker
from kinarow.solvers.reference import solver as reference
from kinarow.version import VERSION
from service.http import bundle

DIST = Path(__file__).with_name("dist")
TARGET = "wasm32"
LAYOUTS = {
    "board": BOARD_DTYPE,
    "result": RESULT_DTYPE,
    "gravity": gravity_layout.STATE_DTYPE,
    "gravity_game": GAME_DTYPE,
    "free_placement": free_layout.STATE_DTYPE,
    "free_placement_game": free_layout.GAME_DTYPE,
    "line_masks": masks_layout.STATE_DTYPE,
    "line_masks_game": masks_layout.GAME_DTYPE,
    "maker_breaker_game": breaker_layout.GAME_DTYPE,
    "maker_breaker": breaker_layout.STATE_DTYPE,
    "maker_breaker_lines": breaker_layout.LINES_DTYPE,
    "maker_breaker_pairs": breaker_layout.PAIRS_DTYPE,
    "line_counts": counts_layout.STATE_DTYPE,
    "line_counts_game": counts_layout.GAME_DTYPE,
    "large_boards": large_layout.STATE_DTYPE,
    "large_boards_game": large_layout.GAME_DTYPE,
    "weights": large_layout.WEIGHTS_DTYPE,
    "move_result": large_layout.MOVE_RESULT_DTYPE,
}
MODULES = (
    *(line_heuristic, analysis, best_move, calibration, levels, move_lists, move_values, plans, steps, score),
    *(budget, capacity, table_pool),
    *(board_record, gravity_layout),
)
SOLVERS = (free_placement, gravity, large_boards, line_masks, line_counts, maker_breaker, reference)
STEPS = {
    steps.search_exactly: "search_exactly",
    steps.prove_by_pairing: "prove_by_pairing",
    steps.prove_by_blocking: "prove_by_blocking",
}
ESTIMATES = {
    plans.BY_LINES: "lines",
    plans.BY_NETWORK: "network",
    plans.OF_ALL_MOVES: "all moves",
    plans.REFERENCE: "reference",
}
"""Names in driver.js of the steps of proofs and of the estimates."""
GAMES = PRESETS
OF_PLAIN_BOARDS = frozenset({"gravity", "misere", "exact_goal"})
"""What a plain board without a name may have."""
LARGE_NUMBERS = ("WIN", "DECISIVE", "INFINITY", "REDUCTION_SIZE", "DEPTH_UNIT")
BOOK_PLIES_KEPT = 6  # The values of later positions follow from those of the last ones
KEY_BITS = 56  # No key of a book has more; a number of JavaScript holds 53


def export(folder: Path) -> None:
    """Write all files into a folder, which then has nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    games = {name: _game(rules, folder / f"{name}.bin") for name, rules in GAMES.items()}
    entries = {}
    for solver in sorted({"game"}.union(*(game["solvers"] for game in games.values()))):
        compiled = shared_library.COMPILED / TARGET
        shutil.copy(compiled / f"{solver}.wasm", folder)
        entries[solver] = json.loads((compiled / f"{solver}.json").read_bytes())["entries"]
    engine = {
        "version": VERSION,
        "games": {name: rules.fields() for name, rules in GAMES.items()},
        "defaults": {rule.name: rule.default for rule in RULES.values()},
        "of_plain_boards": ["goal", *OF_PLAIN_BOARDS],
        "rules": RULE_NAMES,
        "reading": FOR_JAVASCRIPT,
        "entries": entries,
        "layouts": {name: _layout(dtype) for name, dtype in LAYOUTS.items()},
        "constants": _constants(),
    }
    (folder / "large_boards.bin").write_bytes(_tunables() + load_weights().tobytes())
    for name, fields in {"engine": engine, "boards": _boards(), **games}.items():
        (folder / f"{name}.json").write_text(json.dumps(fields, separators=(",", ":")))


def _layout(dtype: "np.dtype[np.void]") -> dict[str, int]:
    return {name: offset_of(dtype, name) for name in dtype.names or ()} | {"size": dtype.itemsize}


def _constants() -> dict[str, Any]:
    """The numbers that modules name in capital letters, those of solvers below the name of the solver; the levels."""
    constants: dict[str, Any] = {"DEFAULT_NODES": DEFAULT_NODES, "MAX_LINE": MAX_LINE}
    for module in MODULES:
        constants |= _numbers(module)
    constants |= {_folder(solver): _numbers(solver) for solver in SOLVERS}
    constants["large_boards"] |= {name: getattr(large_layout, name) for name in LARGE_NUMBERS}
    # A number of JavaScript holds 53 bits.
    constants["line_counts"] |= {name: str(getattr(counts_layout, name)) for name in ("WIN", "DECISIVE")}
    constants["grading"] = {"grades": grades.GRADES, "drops": grades.DROPS}
    rows = levels.LEVELS.items()
    return constants | {"levels": {level: {name: getattr(row, name) for name in row.__slots__} for level, row in rows}}


def _tunables() -> bytes:
    """What the record of every large board has from the tunables, in its memory."""
    record, fields = new_game(PRESETS["gomoku"]).tobytes(), large_layout.GAME_DTYPE
    return record[offset_of(fields, "pattern_points") : offset_of(fields, "reduction")]


def _numbers(module: Any) -> dict[str, float]:
    found = vars(module).items()
    return {name: value for name, value in found if name.isupper() and type(value) in (int, float) and value < math.inf}


def _folder(solver: Any) -> str:
    name: str = solver.__name__
    return name.split(".")[-2]


def _game(rules: Rules, file: Path) -> dict[str, Any]:
    """The fields of a game; its book or its strategy goes into the file."""
    opening = book.shipped(rules)
    return {
        "rules": rules.fields(),
        **_searched(rules),
        "calibration": _calibration(rules),
        "atlas": _atlas(rules),
        "book": {"plies": opening.plies, "kept": BOOK_PLIES_KEPT} if opening else None,
        "records": _written(file, _known(rules)),
    }


def _searched(rules: Rules) -> dict[str, Any]:
    """How a game is searched, with and without a depth cutoff: many games have the same."""
    both = [plans.plan_of.__wrapped__(rules, cutoff) for cutoff in (False, True)]
    is_known = both[0].estimate is not plans.REFERENCE
    solvers = {solver for plan in both for solver in plan.solvers} | ({"line_counts"} if is_known else set())
    return {
        "plans": [_plan(plan) for plan in both],
        "solvers": sorted(solvers - {"reference"}),
        "estimates": is_known,
        "review_nodes": REVIEW_NODES if rules.cells > both[0].provable else None,
    }


def _boards() -> dict[str, Any]:
    """What plain boards of any size have: how they are searched, by a letter for each, and what the atlas knows."""
    ways: dict[str, int] = {}
    letters = {}
    for falls, misere in product((False, True), repeat=2):
        text = ""
        for rows, columns in product(range(1, MAX_SIDE + 1), repeat=2):
            for goal in range(1, max(rows, columns) + 1):
                rules = Rules(rows, columns, goal, falls, misere)
                way = _searched(rules) | {"calibrated": _calibration(rules) is not None}
                text += chr(ord("a") + ways.setdefault(json.dumps(way), len(ways)))
        letters[f"{falls:d},{misere:d}"] = text
    own = [rules for rules in atlas.shipped() if rules.plain and rules.within(OF_PLAIN_BOARDS)]
    own += [replace(rules, rows=rules.columns, columns=rules.rows) for rules in own if not rules.gravity]
    known = {rules: _atlas(rules) for rules in own if rules not in PRESETS.values()}
    return {
        "ways": [json.loads(way) for way in ways],
        "letters": letters,
        "slopes": calibration.BY_POINTS,
        "small": {"cells": calibration.SMALL_CELLS, "slope": calibration.SMALL},
        "atlas": {levels._rules_in_seeds(rules)[0]: entry for rules, entry in known.items() if entry},
    }


def _calibration(rules: Rules) -> tuple[float, float, float] | None:
    """How estimates of these rules become expected results (``calibration``), None if they do not."""
    if calibration.expected_result(0.5, rules, 0) is None:
        return None
    slope = calibration.slope_of(rules)
    return calibration.rules_slope(rules), slope.power, slope.by_fill


def _plan(plan: plans.Plan) -> dict[str, Any]:
    """A plan by the names of its steps."""
    proof = [
        {"run": STEPS[step.run], "solver": step.solver, "nodes": step.nodes, "time": step.time}
        | ({"given": step.given} if isinstance(step.given, float) else {})
        for step in plan.proof
    ]
    return {"proof": proof, "kept": plan.kept, "estimate": ESTIMATES[plan.estimate]}


def _atlas(rules: Rules) -> dict[str, Any] | None:
    """What the atlas knows of the empty board: the answer of a search, and the values of first moves."""
    entry = look_up.entry(Position.empty(rules))
    found = entry and entry.result()
    if not entry or not found or found.move is None:
        return None
    more = {"best": found.best_moves, "complete": found.best_moves_complete, "depth": found.depth}
    moves = [_value(move) for move in entry.first_moves or ()]
    return {**_value(MoveValue(found.move, found.score, found.line)), **more, "moves": moves}


def _value(move: MoveValue) -> dict[str, Any]:
    value = move.score
    return {"move": move.move, "score": [value.value, value.outcome, value.distance, value.is_bound], "line": move.line}


def _known(rules: Rules) -> dict[str, bytes]:
    """The book of a game, or its strategy: the boards, and for each a cell and its plies.

    The book has keys and values of its first plies and of its last. Keys are differences, with a plane for each byte.
    """
    opening, winning = book.shipped(rules), strategy.shipped(rules)
    if opening is not None:
        marks = _marks(opening)
        kept = (marks <= BOOK_PLIES_KEPT) | (marks == opening.plies)
        differences = np.diff(opening.keys[kept], prepend=np.uint64(0)).astype("<u8").view(np.uint8).reshape(-1, 8)
        planes = np.ascontiguousarray(differences.T[: KEY_BITS // 8])
        return {"book_keys": planes.tobytes(), "book_values": opening.values[kept].tobytes()}
    if winning is not None:
        moves = np.array([*winning.entries.values()], np.uint8)
        return {"strategy": b"".join(winning.entries), "strategy_moves": moves.tobytes()}
    return {}


def _marks(opening: book.Book) -> NDArray[np.int64]:
    """The number of marks of each position of a book: each column's highest bit is its height."""
    side = np.uint64(opening.rules.rows + 1)
    columns = np.arange(opening.rules.columns, dtype=np.uint64) * side
    parts = opening.keys[:, None] >> columns & ((np.uint64(1) << side) - np.uint64(1))
    heights: NDArray[np.int64] = np.log2(parts).astype(np.int64)
    return heights.sum(axis=1)


def _written(file: Path, records: dict[str, bytes]) -> dict[str, tuple[int, int, int]]:
    """Write records; for each, where it begins, how many bytes are written, and its size."""
    places = {}
    with file.open("wb") as output:
        for name, content in records.items():
            stored = content.rstrip(b"\0")
            places[name] = output.tell(), len(stored), len(content)
            output.write(stored)
    return places


def ship(folder: Path) -> None:
    """Add the scripts, without comments and spaces."""
    for file in DIST.parent.glob("*.js"):
        (folder / file.name).write_text(bundle.Module(file.name, file.read_bytes()).minified, "utf-8")


def sizes(folder: Path) -> dict[str, int]:
    """The bytes with gzip of all that each game loads, with the scripts, and a large plain board."""

    def compressed(*files: Path) -> int:
        return sum(len(gzip.compress(file.read_bytes())) for file in files)

    scripts = compressed(*folder.glob("*.js"), folder / "engine.json", folder / "game.wasm")
    shared = {"large_boards": compressed(folder / "large_boards.bin")}
    found = {}
    for name in GAMES:
        solvers = json.loads((folder / f"{name}.json").read_bytes())["solvers"]
        kernels = [folder / f"{solver}.wasm" for solver in solvers]
        weights = sum(shared.get(solver, 0) for solver in solvers)
        found[name] = scripts + weights + compressed(folder / f"{name}.json", folder / f"{name}.bin", *kernels)
    kernels = [folder / f"{solver}.wasm" for solver in ("large_boards", "line_counts", "maker_breaker")]
    board = scripts + shared["large_boards"] + compressed(folder / "boards.json", *kernels)
    return found | {"large plain board": board}


if __name__ == "__main__":
    shipped = Path(*sys.argv[1:2] or ["service/web/engine"])
    export(shipped)
    if not sys.argv[1:]:
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(shipped, DIST)
    ship(shipped)
    for game, size in sizes(shipped).items():
        print(f"{game:18}{size / 1000:6.0f} kB with gzip")
