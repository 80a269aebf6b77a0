"""Writes what the engine in the browser needs into ``clients/browser/dist``, all of it taken from the library.

    python clients/browser/export.py

The kernels as WebAssembly, as ``make wasm`` builds them; ``engine.json`` with the entries of the kernels, the layouts
of their records, the constants of searches, the levels and the plans; for each preset a file ``GAME.json`` with its
lines, symmetries and known values, and a file ``GAME.bin`` with its records, each without the zeros at its end.
"""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from kinarow import score
from kinarow.game import line_heuristic
from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from kinarow.kernels import library, sources
from kinarow.play import levels
from kinarow.search import analysis, best_move, calibration, move_lists
from kinarow.search.known import book, look_up, strategy
from kinarow.search_types import DEFAULT_NODES, MAX_LINE, MoveValue
from kinarow.solvers import plans, steps
from kinarow.solvers.common import budget, budget_record, capacity, table_pool
from kinarow.solvers.common.layout import IMAGES_DTYPE
from kinarow.solvers.common.record import offset_of
from kinarow.solvers.common.result import RESULT_DTYPE
from kinarow.solvers.continuous_fours import layout as fours_layout
from kinarow.solvers.continuous_fours import solver as fours
from kinarow.solvers.free_placement import layout as free_layout
from kinarow.solvers.free_placement import solver as free_placement
from kinarow.solvers.gravity import layout as gravity_layout
from kinarow.solvers.gravity import records as gravity_records
from kinarow.solvers.gravity import solver as gravity
from kinarow.solvers.large_boards import solver as large_boards
from kinarow.solvers.large_boards.board import layout as board_layout
from kinarow.solvers.large_boards.search import layout as search_layout
from kinarow.solvers.line_counts import layout as counts_layout
from kinarow.solvers.line_counts import records as counts_records
from kinarow.solvers.line_counts import solver as line_counts
from kinarow.solvers.line_masks import layout as masks_layout
from kinarow.solvers.line_masks import records as masks_records
from kinarow.solvers.line_masks import solver as line_masks
from kinarow.solvers.maker_breaker import layout as breaker_layout
from kinarow.solvers.maker_breaker import pairing
from kinarow.solvers.maker_breaker import solver as maker_breaker
from kinarow.solvers.reference import solver as reference
from kinarow.version import VERSION

DIST = Path(__file__).with_name("dist")
TARGET = "wasm32"
LAYOUTS = {
    "images": IMAGES_DTYPE,
    "result": RESULT_DTYPE,
    "gravity": gravity_layout.STATE_DTYPE,
    "free_placement": free_layout.STATE_DTYPE,
    "line_masks": masks_layout.STATE_DTYPE,
    "maker_breaker_game": breaker_layout.GAME_DTYPE,
    "maker_breaker": breaker_layout.STATE_DTYPE,
    "line_counts_game": counts_layout.GAME_DTYPE,
    "line_counts": counts_layout.STATE_DTYPE,
    "continuous_fours": fours_layout.SEARCH_DTYPE,
    "board": board_layout.BOARD_DTYPE,
    "large_boards": search_layout.SEARCH_DTYPE,
    "move_result": search_layout.MOVE_RESULT_DTYPE,
}
SOLVERS = (free_placement, gravity, line_masks, line_counts, maker_breaker, fours, large_boards, reference)
MODULES = (
    *(line_heuristic, analysis, best_move, calibration, move_lists, levels, plans, steps, score, pairing),
    *(budget, budget_record, capacity, table_pool, gravity_records, masks_records, counts_layout, search_layout),
)
BOOK_PLIES_KEPT = 6  # The values of later positions but the last follow from those of the last
KEY_BITS = 56  # No key of a book has more; numbers of JavaScript hold 53


def main() -> None:
    """Write all files."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    entries = {}
    for solver in sources.solvers():
        folder = library.COMPILED / TARGET
        shutil.copy(folder / f"{solver}.wasm", DIST)
        entries[solver] = json.loads((folder / f"{solver}.json").read_bytes())["entries"]
    engine = {
        "version": VERSION,
        "entries": entries,
        "layouts": {name: _layout(dtype) for name, dtype in LAYOUTS.items()},
        "constants": _constants(),
        "levels": {level: {name: getattr(row, name) for name in row.__slots__} for level, row in levels.LEVELS.items()},
        "games": [*PRESETS],
    }
    _write("engine.json", engine)
    for name, rules in PRESETS.items():
        _write_game(name, rules)


def _write(name: str, value: Any) -> None:
    (DIST / name).write_text(json.dumps(value, separators=(",", ":")))


def _layout(dtype: "np.dtype[np.void]") -> dict[str, int]:
    return {name: offset_of(dtype, name) for name in dtype.names or ()} | {"size": dtype.itemsize}


def _constants() -> dict[str, Any]:
    """The numbers that modules name in capital letters, by these names; of solvers below the solver's name."""
    constants: dict[str, Any] = {"DEFAULT_NODES": DEFAULT_NODES, "MAX_LINE": MAX_LINE}
    for module in MODULES:
        constants |= _numbers(module)
    for module in SOLVERS:
        constants[module.__name__.split(".")[-2]] = _numbers(module)
    constants["BY_POINTS"] = {goal: slope._asdict() for goal, slope in calibration.BY_POINTS.items()}
    return constants


def _numbers(module: Any) -> dict[str, float]:
    found = vars(module).items()
    return {name: value for name, value in found if name.isupper() and type(value) in (int, float) and value < math.inf}


def _write_game(name: str, rules: Rules) -> None:
    board = geometry(rules)
    records = _records(rules)
    places: dict[str, list[int]] = {}
    with (DIST / f"{name}.bin").open("wb") as file:
        for record, content in records.items():
            stored = content.rstrip(b"\0")
            stored += b"\0" * (-len(stored) % 8)
            places[record] = [file.tell(), len(stored), len(content)]
            file.write(stored)
    game = {
        "name": name,
        "rules": {**rules.fields(), "cells": rules.cells, "stacks": rules.stacks, "rise": rules.rise},
        "lines": [[index, line.cells, line.flanks] for index, line in board.directed_lines],
        "counted": board.lines,
        "flanked": [line.cells for line in board.counted_lines],
        "by_run": _cells_of_runs(rules),
        "order": board.move_order,
        "symmetries": board.symmetries,
        "seed": [part if isinstance(part, str) else part.decode() for part in levels._rules_in_seeds(rules)],
        "scale": line_counts.estimate_scale(rules.goal),
        "plans": [_plan(rules, cutoff) for cutoff in (False, True)],
        "known": plans.plan_of(rules).estimate is not plans.REFERENCE,
        "places": _places(rules),
        "atlas": _atlas(rules),
        "solvers": [solver for solver in sources.solvers() if solver in _solvers(rules)],
        "book": {"plies": opening.plies, "kept": BOOK_PLIES_KEPT} if (opening := book.shipped(rules)) else None,
        "records": places,
    }
    _write(f"{name}.json", game)


def _solvers(rules: Rules) -> set[str]:
    found = plans.plan_of(rules).solvers | plans.plan_of(rules, cutoff=True).solvers
    return found | ({"line_counts"} if line_counts.fits(rules) else set())


def _cells_of_runs(rules: Rules) -> list[list[list[int]]]:
    masks = maker_breaker.lines_by_run(rules) if maker_breaker.knows(rules) else ()
    return [[[cell for cell in range(rules.cells) if mask >> cell & 1] for mask in both] for both in masks]


def _plan(rules: Rules, cutoff: bool) -> dict[str, Any]:
    """A plan by the names of its steps; the first row that takes the rules."""
    plan = plans.plan_of(rules, cutoff)
    estimates = {plans.BY_LINES: "lines", plans.AVOIDING_FOURS: "fours", plans.REFERENCE: "reference"}
    estimates |= {plans.BY_NETWORK: "network", plans.OF_ALL_MOVES: "all_moves"}
    return {
        "proof": [
            {
                "run": step.run.__name__,
                "solver": step.solver,
                "given": step.given if isinstance(step.given, float) else None,
                "nodes": step.nodes,
                "share": step.share,
                "time": step.time,
            }
            for step in plan.proof
        ],
        "keeps": plan.keeps,
        "estimate": estimates[plan.estimate],
        "by_network": plan.by_network,
    }


def _places(rules: Rules) -> dict[str, list[int]]:
    """The bit of each cell for each exact solver of the game."""
    solvers = {step.given for step in plans.plan_of(rules).proof if step.run in (steps.exact, steps.sooner)}
    game_of = {gravity: gravity.game_of, free_placement: free_placement.game_of, line_masks: line_masks._game}
    return {solver.__name__.split(".")[-2]: [*game_of[solver](rules)[1].places] for solver in solvers}


def _atlas(rules: Rules) -> dict[str, Any] | None:
    """What the atlas knows of the empty board, the answer of a search and the values of first moves."""
    entry = look_up.entry(Position.empty(rules))
    result = entry and entry.result()
    if entry is None or result is None:
        return None
    return {
        **_value(MoveValue(result.move or 0, result.score, result.line)),
        "best": result.best_moves,
        "complete": result.best_moves_complete,
        "depth": result.depth,
        "moves": [_value(move) for move in entry.first_moves or ()],
    }


def _value(move: MoveValue) -> dict[str, Any]:
    value = move.score
    told = {"value": value.value, "outcome": value.outcome, "distance": value.distance, "bound": value.is_bound}
    return {"move": move.move, "score": told | {"calibrated": None}, "line": move.line}


def _records(rules: Rules) -> dict[str, bytes]:
    """The records of a game for the kernels, by the solver that takes them, and the values that are known."""
    records: dict[str, Any] = {}
    for step in plans.plan_of(rules).proof:
        if step.given is gravity or step.given is free_placement:
            records[step.solver] = step.given.game_of(rules)[0].array
        elif step.given is line_masks:
            records[step.solver] = line_masks._game(rules)[0].array
    if line_counts.fits(rules):
        game = counts_records.game_of(rules).array.copy()
        game["zobrist"][..., rules.cells :] = 0  # of no cell
        records["line_counts"] = game
    if fours.fits(rules) and "continuous_fours" in plans.plan_of(rules).solvers:
        records["fours"] = fours._line_cells(rules)
    if plans.plan_of(rules).by_network:
        for beginner in (0, 1) if rules.renju else (-1,):
            records[f"board{beginner}"] = large_boards._empty_board(rules, beginner)
        settings = large_boards._fresh_search().view(np.ndarray).view(np.uint8)
        records["settings"] = settings[: offset_of(search_layout.SEARCH_DTYPE, "generation")]
    packed = {name: record.tobytes() for name, record in records.items()}
    return packed | _known(rules)


def _known(rules: Rules) -> dict[str, bytes]:
    """The book of a game with gravity, or the strategy of a win."""
    opening, strategic = book.shipped(rules), strategy.shipped(rules)
    if opening is not None:
        return _book(opening)
    if strategic is not None:
        moves = np.array([*strategic.entries.values()], np.uint8)
        return {"strategy": b"".join(strategic.entries), "strategy_moves": moves.tobytes()}
    return {}


def _book(opening: book.Book) -> dict[str, bytes]:
    """Keys and values of the first plies and the last; of keys the differences, a plane for each byte."""
    marks = _marks(opening)
    kept = (marks <= BOOK_PLIES_KEPT) | (marks == opening.plies)
    differences = np.diff(opening.keys[kept], prepend=np.uint64(0)).astype("<u8").view(np.uint8).reshape(-1, 8)
    planes = np.ascontiguousarray(differences.T[: KEY_BITS // 8])
    return {"book_keys": planes.tobytes(), "book_values": opening.values[kept].tobytes()}


def _marks(opening: book.Book) -> Any:
    """The number of marks of each position of a book: each column's highest bit says its height."""
    side = np.uint64(opening.rules.rows + 1)
    columns = np.arange(opening.rules.columns, dtype=np.uint64) * side
    parts = opening.keys[:, None] >> columns & ((np.uint64(1) << side) - np.uint64(1))
    return np.log2(parts).astype(int).sum(axis=1)


if __name__ == "__main__":
    main()
