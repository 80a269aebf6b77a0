"""Makes a data set of labelled positions over many rule sets, for training and for tests of agents.

    python -m training.dataset FOLDER --seed 1

FOLDER gets ``train``, ``validation`` and ``test``, in each a folder of Parquet parts for every rule set, and
``dataset.json`` with the rules, the counts and a digest of the rows. Positions come from games by chance; in half of
them both sides see lines of one move. Of positions that are equal up to symmetry and an exchange of the sides one is
kept, and a hash of its canonical form chooses the split. Where an exact solver takes the board every value is proven;
elsewhere a search of ``NODES`` nodes gives it.

A part that is there is not labelled again, so a run that was ended goes on where it was. The same seed, rows and
version of the engine give the same rows, with any number of processes.
"""

import argparse
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kinarow.commands.label import PART_ROWS
from kinarow.game.notation import write_board
from kinarow.game.position import Position
from kinarow.game.position_arrays import canonical_boards
from kinarow.game.rules import NAMES, PRESETS, Rules, other
from kinarow.game.tactics import completing_cells
from kinarow.labelling.parts import Parts
from kinarow.labelling.reading import TableRows
from kinarow.labelling.rows import Question, empty_labels, label_table
from kinarow.labelling.tasks import run_tasks
from kinarow.labelling.writing import Counts, Labelled, Output
from kinarow.search.bulk import load_kernels
from kinarow.solvers import bulk
from kinarow.version import engine_version

NODES = 1_000
SPLITS = {"train": 8, "validation": 1, "test": 1}  # The tenths of the positions that each split gets
ROWS = 27_000  # The most rows of a rule set that an exact solver takes
SHARE_OF_OTHERS = 7  # By this the rows of another rule set are fewer
_GAMES_AT_ONCE = 200
_OF_A_GAME = 8
_GIVE_UP_AFTER = 10  # Batches of games in a row with less than one new position in a hundred: the game has no more


def _rule_sets() -> dict[str, tuple[Rules, int]]:
    blocked = 1 << 12
    sets = {name: (rules, rules.cells) for name, rules in PRESETS.items()}
    sets["connect-four"] = (PRESETS["connect-four"], 22)
    gravity = [(4, 4, 4), (4, 5, 4), (5, 4, 4), (4, 6, 4), (5, 5, 4), (5, 6, 4), (6, 5, 4), (6, 6, 4), (7, 6, 4),
               (4, 8, 4), (5, 7, 4), (7, 7, 4), (6, 8, 4), (5, 5, 3)]  # fmt: skip
    more = [Rules(*size, gravity=True) for size in gravity]
    more += [Rules(rows, columns, 4, gravity=True, misere=True) for rows, columns in ((4, 5), (5, 5), (6, 7))]
    more += [Rules(rows, columns, 4, gravity=True, exact_goal=True) for rows, columns in ((5, 6), (6, 7))]
    more += [Rules(*size) for size in ((3, 4, 3), (4, 4, 3), (4, 5, 4), (5, 5, 4), (5, 5, 5), (5, 6, 4), (6, 6, 4),
                                       (6, 6, 5), (7, 7, 5), (8, 8, 5))]  # fmt: skip
    more += [Rules(*size, misere=True) for size in ((4, 4, 3), (4, 4, 4))]
    more += [Rules(*size, exact_goal=True) for size in ((4, 5, 3), (5, 5, 4), (6, 6, 5))]
    more += [Rules(4, 4, 3, wrap="rows"), Rules(4, 4, 4, wrap="both"), Rules(5, 5, 4, wrap="both")]
    more += [Rules(5, 5, 4, wrap="columns"), Rules(5, 5, 4, directions=("horizontal", "vertical"))]
    more += [Rules(5, 5, 4, directions=("diagonal", "antidiagonal")), Rules(5, 5, 4, blocked=blocked)]
    more += [Rules(9, 9, 5), Rules(9, 9, 5, caro=True)]
    for rules in more:
        sets[name_of(rules)] = (rules, 22 if rules.gravity else 20 if rules.cells <= 64 else rules.cells)
    return sets


def name_of(rules: Rules) -> str:
    """Return the name of a rule set, such as ``5x5-4-wrap-both``: size, goal and what else differs from plain rules."""
    flags = [rule for rule, value in rules.special().items() if value is True]
    wrap = [] if rules.wrap == "none" else ["wrap", rules.wrap]
    lines = [] if len(rules.directions) > 2 else list(rules.directions)
    parts = [
        f"{rules.rows}x{rules.columns}",
        str(rules.goal),
        *flags,
        *wrap,
        *lines,
        *["blocked"] * (rules.blocked > 0),
    ]
    return "-".join(parts).replace("_", "-")


RULE_SETS = _rule_sets()


def positions(rules: Rules, most_empty: int, wanted: int, rng: random.Random) -> dict[bytes, Position]:
    """Different ongoing positions up to symmetry by their canonical cells, at most ``wanted``."""
    found: dict[bytes, Position] = {}
    barren = 0
    while len(found) < wanted and barren < _GIVE_UP_AFTER:
        before = len(found)
        batch: list[Position] = []
        for _ in range(_GAMES_AT_ONCE):
            late = [each for each in _game(rules, rng) if each.empties <= most_empty]
            batch += rng.sample(late, min(_OF_A_GAME, len(late)))
        cells = np.frombuffer(b"".join(each.relative() for each in batch), np.uint8).reshape(-1, rules.cells)
        for position, canonical in zip(batch, canonical_boards(cells, rules)[0], strict=True):
            found.setdefault(canonical.tobytes(), position)
        barren = barren + 1 if len(found) - before < len(batch) // 100 else 0
    return dict(list(found.items())[:wanted])


def _game(rules: Rules, rng: random.Random) -> Iterator[Position]:
    """Yield the ongoing positions of a random game; in half of the games both sides see lines of one move."""
    position, sees_lines = Position.empty(rules), rng.random() < 0.5
    while position.ending().state == "ongoing":
        yield position
        moves = position.legal_moves()
        if sees_lines:
            own = completing_cells(position, position.to_move)
            if rules.misere:
                moves = tuple(move for move in moves if move not in own) or moves
            else:
                threatened = completing_cells(position, other(position.to_move))
                moves = own or tuple(move for move in threatened if move in moves) or moves
        position = position.play(rng.choice(moves))


def split_of(rules: Rules, canonical: bytes) -> str:
    """Return the split of a position: equal for all its symmetric forms."""
    text = f"{rules.rows}x{rules.columns}x{rules.layers} ".encode() + canonical
    tenth = int.from_bytes(hashlib.sha256(text).digest()[:8], "big") % sum(SPLITS.values())
    return next(split for split, upto in zip(SPLITS, np.cumsum(list(SPLITS.values())), strict=True) if tenth < upto)


def make(folder: Path, name: str, seed: int, rows: int) -> dict[str, Any]:
    """Write the parts of one rule set and return its entry in ``dataset.json``."""
    rules, most_empty = RULE_SETS[name]
    exact = rules.layers == 1 and bulk.proves_all(rules)
    wanted = rows if exact else rows // SHARE_OF_OTHERS
    fields = {field: value for field, value in rules.fields().items() if field != "directions" or len(value) < 4}
    question = Question(fields, None if exact else NODES)
    found = positions(rules, most_empty, wanted, random.Random(f"{seed} {name}"))
    counts, digest, proven = {}, hashlib.sha256(), 0
    about = {"engine_version": engine_version(), "rules": json.dumps(fields), "seed": str(seed), "rows": str(wanted)}
    about["most_empty"] = str(most_empty)
    for split in SPLITS:
        chosen = [each for canonical, each in found.items() if split_of(rules, canonical) == split]
        path = folder / split / name
        told = about | {"limits": "to the proof" if exact else f"{NODES} nodes"}
        done = _write(path, TableRows(_table(name, chosen)), question, told)
        counts[split] = done.labelled
        if done.bad:
            raise ValueError(f"{path} has {done.bad} rows that cannot be read")
        for part in sorted(path.glob("part-*.parquet")):
            for row in pq.read_table(part, partitioning=None).to_pylist():
                digest.update(f"{row}\n".encode())
                proven += row["proven"]
    return {"rules": fields, "most_empty": most_empty, **counts, "proven": proven, "digest": digest.hexdigest()}


def _write(path: Path, rows: TableRows, question: Question, about: dict[str, str]) -> Counts:
    output = Output(str(path))
    if (finished := output.finished(about)) is not None:
        return finished
    parts, first = Parts(path.with_name(f"{path.name}.parts"), about), 1
    for block in rows.blocks(PART_ROWS):
        for start, stop in parts.missing(first, first + len(block)):
            parts.write(start, label_table(question, block[start - first : stop - first]))
        first += len(block)
    return output.write(Labelled(rows, parts, empty_labels(question), "", PART_ROWS), parts, about)


def _table(name: str, chosen: list[Position]) -> pa.Table:
    return pa.table(
        {
            "game": [name] * len(chosen),
            "board": [write_board(each.cells, each.rules) for each in chosen],
            "to_move": [NAMES[each.to_move] for each in chosen],
            "marks": pa.array([each.rules.cells - each.empties for each in chosen], pa.int16()),
        }
    )


def main() -> None:
    """Make what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=ROWS, help="of each rule set, fewer where it has no more")
    parser.add_argument("--games", nargs="+", choices=RULE_SETS, default=list(RULE_SETS), metavar="NAME")
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    load_kernels()  # compiled once here, not in every process
    entries: dict[str, Any] = {}
    jobs = ((name, arguments.folder, name, arguments.seed, arguments.rows) for name in arguments.games)
    for name, entry in run_tasks(make, jobs, processes=arguments.processes):
        entries[name] = entry
        print(f"{name}: {sum(entry[split] for split in SPLITS)} rows", flush=True)
    games = {name: entries[name] for name in arguments.games}
    total = {split: sum(entry[split] for entry in games.values()) for split in SPLITS}
    digest = hashlib.sha256("".join(entry["digest"] for entry in games.values()).encode()).hexdigest()
    summary = {"engine_version": engine_version(), "seed": arguments.seed, **total, "digest": digest, "games": games}
    (arguments.folder / "dataset.json").write_text(json.dumps(summary, indent=1) + "\n", "utf-8")
    print(f"{sum(total.values())} rows, digest {digest}")


if __name__ == "__main__":
    main()
