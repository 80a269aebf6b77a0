"""Proves the empty boards of the atlas of solved games: python -m training.atlas [FILE] [--seconds N] …

Finished boards stay in FILE, so the same command continues after a stop. It tries an open board again only with more
seconds.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from kinarow.commands import options
from kinarow.game.rules import Rules
from kinarow.labelling.tasks import run_tasks
from kinarow.search.best_move import warm_up
from kinarow.search.known.atlas import Entry, read_all, write
from training.atlas_boards import BEYOND, boards, prove


def main(words: Sequence[str] | None = None) -> int:
    """Prove the boards that the file lacks."""
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
    warm_up()  # built here if need be, not in every process
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
    """The entries of a file by their rules; a ``ValueError`` if it is no such file."""
    with file.open(encoding="utf-8") as lines:
        return read_all(lines)


def write_file(file: Path, entries: dict[Rules, Entry]) -> None:
    """Write the entries, in the order of ``boards``, in place of what the file holds."""
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
