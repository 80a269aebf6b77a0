"""Proves the empty boards of the atlas of solved games: python -m training.atlas [FILE] [--seconds N] …

Each entry has the outcome and then the value of every first move. Finished boards stay in FILE, so the same command
continues after a stop; it tries an unproven board again only with more seconds. Boards with a goal of 1 or 2 are left
out, since the first or second mark of a side wins. Without gravity a board stands for all orders of its sides.
"""

import argparse
import math
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product
from pathlib import Path

from kinarow.commands import options
from kinarow.game.position import Position
from kinarow.game.rules import DIRECTION_NAMES, PRESETS, Direction, Rules
from kinarow.game.size import MAX_SIDE
from kinarow.labelling.tasks import run_tasks
from kinarow.search.analysis import analyse
from kinarow.search.best_move import WHOLE_LINE, load, search, warm_up
from kinarow.search.known.atlas import Entry, read_all, write
from kinarow.search_types import MOST_NODES, Limits, MoveValue, SearchResult
from kinarow.solvers import select

LEAST_GOAL = 3
STRAIGHT: tuple[Direction, ...] = DIRECTION_NAMES[:2]
SLANTED: tuple[Direction, ...] = DIRECTION_NAMES[2:]

GALLERY = (
    Rules(5, 5, 4, directions=STRAIGHT),
    Rules(5, 5, 4, directions=SLANTED),
    Rules(5, 5, 4, blocked=1 << 12),
    Rules(4, 5, 4, gravity=True, wrap="rows"),
    Rules(5, 6, 4, gravity=True, blocked=0b111100110000 << 18),
    Rules(3, 3, 3, layers=3, blocked=1 << 13),
)
"""Boards of the page's gallery that are in no other family."""

WIDTH_AND_HEIGHT = 14  # The largest Connect Four boards of a usual run have rows + columns = 14

BEYOND = (
    *(Rules(rows, WIDTH_AND_HEIGHT + 1 - rows, 4, gravity=True) for rows in range(1, WIDTH_AND_HEIGHT + 1)),
    Rules(8, 8, 4, gravity=True),
)
"""Connect Four boards that take hours or days."""


def boards() -> list[Rules]:
    """Return the empty boards of a usual run, small boards first."""
    families = chain(_free(), _falling(), _misere_and_exact(), _joined(), _layered(), _shared(), GALLERY)
    return sorted(dict.fromkeys(families), key=lambda rules: rules.cells)


def _goals(*sides: int) -> range:
    return range(LEAST_GOAL, max(sides) + 1)


def _free() -> list[Rules]:
    return [Rules(rows, columns, goal) for columns in range(3, 9) for rows in range(1, columns + 1)
            for goal in _goals(columns)]  # fmt: skip


def _falling() -> list[Rules]:
    sides = [(rows, columns) for rows, columns in product(range(1, WIDTH_AND_HEIGHT), repeat=2)]
    large = [(rows, columns, 4) for rows, columns in sides if rows + columns <= WIDTH_AND_HEIGHT]
    small = [(rows, columns, goal) for rows, columns in sides if max(rows, columns) <= 7 for goal in (3, 5)]
    return [Rules(*size, gravity=True) for size in large + small if size[2] <= max(size[:2])]


def _misere_and_exact() -> list[Rules]:
    """Return boards up to 5 × 5, with gravity to 6 × 6, in misère and with an exact goal; and misère Connect Four."""
    sides = product(range(1, 7), repeat=2)
    falling = [Rules(rows, columns, goal, gravity=True) for rows, columns in sides for goal in _goals(rows, columns)]
    boards = [*(rules for rules in _free() if rules.columns <= 5), *falling]
    misere = [replace(rules, misere=True) for rules in (*boards, PRESETS["connect-four"])]
    return [*misere, *(replace(rules, exact_goal=True) for rules in boards)]


def _joined() -> list[Rules]:
    """Return cylinders and tori, in normal play and misère; of cylinders only those with joined rows."""
    sides = [(rows, columns) for rows, columns in product(range(1, 7), repeat=2) if min(rows, columns) < 6]
    rings = [Rules(*size, goal, wrap="rows") for size in sides for goal in _goals(*size)]
    tori = [Rules(*size, goal, wrap="both") for size in sides if size[0] <= size[1] for goal in _goals(*size)]
    return [*rings, *tori, *(replace(rules, misere=True) for rules in rings + tori)]


def _layered() -> list[Rules]:
    """Return boards up to 3 × 3 × 4, with gravity in every order, also in misère without, and Qubic and Score Four."""
    sides = [size for size in product(range(2, 5), repeat=3) if sorted(size) <= [3, 3, 4] and sorted(size)[1] <= 3]
    small = [
        Rules(rows, columns, goal, gravity=gravity, misere=misere, layers=layers)
        for layers, rows, columns in sides
        if rows <= columns
        for goal in _goals(layers, rows, columns)
        for gravity, misere in ((False, False), (True, False), (False, True))
        if gravity or layers <= rows
    ]
    return [*small, PRESETS["qubic"], PRESETS["score-four"]]


def _shared() -> list[Rules]:
    """Return boards with shared marks: up to 5 × 5 in normal play and misère, and Treblecross on up to 25 cells."""
    plain = [rules for rules in _free() if rules.columns <= 5]
    small = [replace(rules, misere=misere, marks="shared") for misere in (False, True) for rules in plain]
    return [*small, *(Rules(1, columns, 3, marks="shared") for columns in range(LEAST_GOAL, MAX_SIDE + 1))]


def prove(rules: Rules, seconds: int, threads: int = 1) -> Entry:
    """Return the entry of an empty board; a third of the time is reserved for the values of its first moves."""
    position = Position.empty(rules)
    load(position)
    began, started = time.monotonic(), time.process_time()
    result = search(position, Limits(MOST_NODES, time_limit_ms=seconds * 2000 // 3, threads=threads))
    tried_nodes, moves = result.nodes, None
    left_ms = math.floor((began + seconds - time.monotonic()) * 1000)
    if result.proven and left_ms > 0:
        analysed = analyse(position, Limits(MOST_NODES, time_limit_ms=left_ms, threads=threads), first=result)
        result, tried_nodes = replace(analysed, nodes=result.nodes, source=result.source), analysed.nodes
        moves = _one_of_each_orbit(position, analysed.moves)
    return Entry(
        rules,
        result.score,
        result.line if result.proven else (),
        moves,
        result.nodes if result.proven else None,
        tried_nodes,
        round(time.process_time() - started, 3),
        seconds,
        _method(position, result),
    )


def _one_of_each_orbit(position: Position, values: tuple[MoveValue, ...]) -> tuple[MoveValue, ...] | None:
    """Return the values of the first moves up to symmetry, in tile order; None if one isn't proven.

    Only lines to a near end of the game are stored; answers need them whole.
    """
    if not all(value.proven for value in values):
        return None
    symmetries = position.geometry.stabiliser(position.cells)
    first = {min(symmetry[value.move] for symmetry in symmetries) for value in values}
    kept = sorted((value for value in values if value.move in first), key=lambda value: value.move)
    return tuple(replace(value, line=value.line if _ends_soon(value) else value.line[:1]) for value in kept)


def _ends_soon(value: MoveValue) -> bool:
    return value.outcome != "draw" and value.distance is not None and value.distance <= WHOLE_LINE


def _method(position: Position, result: SearchResult) -> str:
    if result.source == "book":
        return "book"
    solvers = select.needed(position, Limits())
    return ", ".join(name.replace("_", " ") for name in solvers if name != "line_counts")


def main(words: Sequence[str] | None = None) -> int:
    """Prove the boards that are missing in the file."""
    parser = argparse.ArgumentParser(prog="python -m training.atlas", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=Path("atlas.jsonl"), help="finished boards (atlas.jsonl)")
    parser.add_argument("--seconds", type=int, default=600, help="time limit for a board in seconds (600)")
    parser.add_argument("--beyond", action="store_true", help="also Connect Four boards that take hours or days")
    parser.add_argument("--most-cells", type=int, help="only boards with at most this number of cells")
    options.add_at_once(parser, "processes")
    options.add_threads(parser)
    chosen = parser.parse_args(words)
    tried = [*boards(), *(BEYOND if chosen.beyond else ())]
    tried = [rules for rules in tried if rules.cells <= (chosen.most_cells or rules.cells)]
    known = read_file(chosen.file) if chosen.file.exists() else {}
    settled = {rules for rules, entry in known.items() if entry.complete or entry.limit_s >= chosen.seconds}
    missing = [rules for rules in tried if rules not in settled]
    warm_up()  # builds missing kernels once, not in every process
    write_file(chosen.file, known)
    jobs = [(rules, rules, chosen.seconds, chosen.threads) for rules in missing]
    with chosen.file.open("a", encoding="utf-8") as lines:
        for done, (rules, entry) in enumerate(run_tasks(prove, jobs, processes=chosen.processes), 1):
            known[rules] = better = _better(known.get(rules), entry)
            lines.write(write(better) + "\n")
            lines.flush()
            print(f"{done} of {len(missing)} boards", flush=True)
    write_file(chosen.file, known)
    print(f"{chosen.file}: {sum(known[rules].proven for rules in tried)} of {len(tried)} boards proven")
    return 0


def read_file(file: Path) -> dict[Rules, Entry]:
    """Return the entries of a file by their rules; raise ``ValueError`` if it is malformed."""
    with file.open(encoding="utf-8") as lines:
        return read_all(lines)


def write_file(file: Path, entries: dict[Rules, Entry]) -> None:
    """Write the entries to a file in the order of ``boards``."""
    places = {rules: place for place, rules in enumerate([*boards(), *BEYOND])}
    ordered = sorted(entries.values(), key=lambda entry: places.get(entry.rules, len(places)))
    unfinished = file.with_suffix(".part")
    unfinished.write_text("".join(f"{write(entry)}\n" for entry in ordered), "utf-8")
    os.replace(unfinished, file)


def _better(old: Entry | None, new: Entry) -> Entry:
    if old is None or (new.proven, new.complete) > (old.proven, old.complete):
        return new
    if (new.proven, new.complete) < (old.proven, old.complete) or new.limit_s < old.limit_s:
        return old
    return new


if __name__ == "__main__":
    raise SystemExit(main())
