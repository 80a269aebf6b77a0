"""``kinarow atlas``: prove the empty boards of the atlas of solved games, resumable."""

import argparse
import os
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path

from kinarow.commands import atlas_proofs, complain, options
from kinarow.commands.atlas_proofs import prove
from kinarow.commands.label import Progress
from kinarow.errors import one_line
from kinarow.game.rules import Rules
from kinarow.labelling.tasks import run_tasks
from kinarow.search.best_move import warm_up
from kinarow.search.known.atlas import Entry, read_all, write

DEFAULT_SECONDS = 600
MAX_SECONDS = 10**6


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Finished boards stay in FILE, so the same command continues after a stop. It tries an open board again only "
        "with more --seconds."
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        default=Path("atlas.jsonl"),
        help="the file of finished boards (atlas.jsonl)",
    )
    parser.add_argument(
        "--seconds",
        type=options.between(1, MAX_SECONDS),
        default=DEFAULT_SECONDS,
        help=f"time limit for a board in seconds ({DEFAULT_SECONDS})",
    )
    parser.add_argument("--beyond", action="store_true", help="also Connect Four boards that take hours or days")
    parser.add_argument("--most-cells", type=int, help="only boards with at most this number of cells")
    options.add_at_once(parser, "processes")
    options.add_threads(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prove the boards that the file lacks."""
    file: Path = arguments.file
    boards = [*atlas_proofs.boards(), *(atlas_proofs.BEYOND if arguments.beyond else ())]
    boards = [rules for rules in boards if rules.cells <= (arguments.most_cells or rules.cells)]
    progress = Progress(sys.stderr, "boards")
    progress.total = len(boards)
    try:
        known = read_file(file) if file.exists() else {}
        missing = [rules for rules in boards if not _is_settled(known.get(rules), arguments.seconds)]
        progress(len(boards) - len(missing), True)
        warm_up()  # built here if need be, not in every process
        write_file(file, known)
        jobs = [(rules, rules, arguments.seconds, arguments.threads) for rules in missing]
        with file.open("a", encoding="utf-8") as lines:
            for rules, entry in run_tasks(prove, jobs, processes=arguments.processes):
                known[rules] = better = _better(known.get(rules), entry)
                lines.write(write(better) + "\n")
                lines.flush()
                progress(1, False)
        write_file(file, known)
    except (OSError, ValueError, BrokenExecutor) as failure:
        progress.end()
        complain("atlas", failure)
        return options.FAILED
    progress.end()
    tried = [known[rules] for rules in boards]
    print(f"{one_line(file)}: {sum(entry.proven for entry in tried)} of {len(tried)} boards proven")
    return 0


def read_file(file: Path) -> dict[Rules, Entry]:
    """The entries of a file by their rules; a ``ValueError`` if it is no such file."""
    with file.open(encoding="utf-8") as lines:
        return read_all(lines)


def write_file(file: Path, entries: dict[Rules, Entry]) -> None:
    """Write the entries, in the order of ``atlas_proofs.boards``, in place of what the file holds."""
    places = {rules: place for place, rules in enumerate([*atlas_proofs.boards(), *atlas_proofs.BEYOND])}
    ordered = sorted(entries.values(), key=lambda entry: places.get(entry.rules, len(places)))
    unfinished = file.with_suffix(".part")
    unfinished.write_text("".join(f"{write(entry)}\n" for entry in ordered), "utf-8")
    os.replace(unfinished, file)


def _is_settled(entry: Entry | None, seconds: int) -> bool:
    return entry is not None and (entry.complete or entry.limit_s >= seconds)


def _better(old: Entry | None, new: Entry) -> Entry:
    if old is None or (new.proven, new.complete) > (old.proven, old.complete):
        return new
    if (new.proven, new.complete) < (old.proven, old.complete) or new.limit_s < old.limit_s:
        return old
    return new
