"""Proves entries of the atlas by files that others can check, and writes each side's evidence into the atlas.

    python -m checker.prove_atlas FOLDER [--seconds N] [--decisions N] [--most-cells N] [--only NAME]
    python -m checker.prove_atlas FOLDER --ship

Proofs that are in the folder are not searched again, so a stopped run continues. ``--ship`` puts small proofs into the
package, checks all, and writes ``known_by`` of every entry.
"""

import argparse
import gzip
import hashlib
import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from kinarow.game.position import Position
from kinarow.game.rules import NAMES, O, Rules, Side, X, other
from kinarow.proofs import check_proof, finding
from kinarow.search.best_move import warm_up
from kinarow.search.known import atlas, proofs
from kinarow.search_types import SearchStopped, Stop
from training.atlas import read_file, write_file

MOST_SHIPPED = 30_000  # decisions of a proof in the package
BRUTE_FORCE = "brute force"


def main(argv: Sequence[str] | None = None) -> int:
    """Search the missing proofs, or ship the present ones; return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60, help="of a proof (60)")
    parser.add_argument("--decisions", type=int, default=200_000, help="the most of a proof (200000)")
    parser.add_argument("--most-cells", type=int, default=64)
    parser.add_argument("--one-program", action="store_true", help="only entries without a second source")
    parser.add_argument("--only", metavar="NAME", help="the proof whose file has this name")
    parser.add_argument("--ship", action="store_true", help="put the small proofs into the package")
    arguments = parser.parse_args(argv)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    entries = read_file(atlas.FILE)
    if arguments.ship:
        return ship(entries, arguments.folder)
    warm_up()
    for entry in sorted(entries.values(), key=lambda entry: (entry.nodes or 10**12, entry.rules.cells)):
        if entry.rules.cells <= arguments.most_cells and not (arguments.one_program and entry.checked_by):
            for side, wins in claims(entry):
                prove(entry.rules, side, wins, arguments)
    return 0


def claims(entry: atlas.Entry) -> list[tuple[Side, bool]]:
    """Return the claims ``(side, wins)`` to prove for an entry: one side wins, or neither loses."""
    if entry.outcome == "draw":
        return [(X, False), (O, False)]
    return {"win": [(X, True)], "loss": [(O, True)]}.get(entry.outcome, [])


def prove(rules: Rules, side: Side, wins: bool, arguments: argparse.Namespace) -> None:
    """Write a proof into the folder, unless it is there or an argument without decisions proves the claim."""
    position = Position.empty(rules)
    name = proofs.name_of(finding.head_of(position, side, wins, "moves", 0))
    file, limits = arguments.folder / f"{name}.gz", f"{arguments.seconds} {arguments.decisions}"
    tried = file.with_suffix(".tried")
    if arguments.only not in (None, name):
        return
    if file.exists() or (tried.exists() and tried.read_text() == limits) or finding.by_argument(position, side, wins):
        return
    stop, began = Stop(), time.process_time()
    timer = threading.Timer(arguments.seconds, stop.set)
    timer.start()
    try:
        value = partial(finding.values_of, stop=stop)
        proof = finding.prove(position, side, wins, value, most=arguments.decisions, stop=stop)
    except (finding.NotFound, SearchStopped) as why:
        tried.write_text(limits)
        print(f"{name}: {why or 'stopped'}, {time.process_time() - began:.1f} s", flush=True)
        return
    finally:
        timer.cancel()
    check_proof.check(proof.head, proof.decisions)
    data = gzip.compress(proof.to_bytes(), mtime=0)
    file.write_bytes(data)
    print(f"{name}: {proof.head['by']}, {len(proof.decisions)} decisions, {len(data)} bytes, "
          f"{time.process_time() - began:.1f} s", flush=True)  # fmt: skip


def ship(entries: dict[Rules, atlas.Entry], folder: Path) -> int:
    """Put the small proofs into the package, and write ``known_by`` of every entry.

    Earlier proofs stay even if the folder lacks them.
    """
    found, files = {}, [gzip.decompress(file.read_bytes()) for file in sorted(folder.glob("*.gz"))]
    for data in (*proofs.shipped().values(), *files):
        ((head, decisions),) = check_proof.proofs(data)
        check_proof.check(head, decisions)
        found[proofs.name_of(head)] = head, decisions, data
    kept = {name: data for name, (head, _, data) in found.items() if head["decisions"] <= MOST_SHIPPED}
    proofs.FILE.write_bytes(gzip.compress(b"".join(kept[name] for name in sorted(kept)), mtime=0))
    digests = {name: hashlib.sha256(data).hexdigest() for name, (_, _, data) in found.items()}
    for rules, entry in entries.items():
        entries[rules] = replace(entry, known_by=known_by(entry, digests, kept))
    write_file(atlas.FILE, entries)
    one = sum("one solver" in json.dumps(entry.known_by) for entry in entries.values())
    print(f"{len(found)} proofs, {len(kept)} of them in the package, {proofs.FILE.stat().st_size} bytes; "
          f"{one} entries rest on one program")  # fmt: skip
    return 0


def known_by(entry: atlas.Entry, digests: dict[str, str], kept: dict[str, bytes]) -> dict[str, dict[str, str] | None]:
    """Return each side's evidence that it wins or doesn't lose, or None."""
    position, known = Position.empty(entry.rules), {}
    for side in (X, O):
        known[NAMES[side]] = next(_reasons(entry, position, side, digests, kept), None)
    return known


def _reasons(
    entry: atlas.Entry, position: Position, side: Side, digests: dict[str, str], kept: dict[str, bytes]
) -> Iterator[dict[str, str]]:
    winner = {"win": X, "loss": O}.get(entry.outcome)
    if winner == other(side):
        return
    wins = winner == side
    argument = finding.by_argument(position, side, wins)
    name = proofs.name_of(finding.head_of(position, side, wins, "moves", 0))
    if argument is not None:
        yield {"by": argument.head["by"]}
    if name in digests:
        yield {"by": "proof", "file": name, "sha256": digests[name]}
    earlier = entry.known_by[NAMES[side]]
    if earlier is not None and earlier["by"] == "proof":
        yield earlier
    if not entry.proven:
        return
    source = entry.checked_by.source if entry.checked_by else None
    if source is None:
        yield {"by": "one solver"}
    elif source.endswith("solver"):
        yield {"by": "two solvers"}
    elif source == BRUTE_FORCE:
        yield {"by": BRUTE_FORCE}
    else:
        yield {"by": "publication", "source": source}


if __name__ == "__main__":
    sys.exit(main())
