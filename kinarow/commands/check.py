"""``kinarow check``: say what the proofs in files prove."""

import argparse
import json
import zlib
from concurrent.futures import BrokenExecutor

from kinarow.commands.status_line import status
from kinarow.cores import usable_cores
from kinarow.labelling.tasks import run_tasks
from kinarow.proofs import check_proof, jobs


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The exit code is 0 if every proof holds, else 1. checker/check_proof.py does the same without kinarow."
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file of proofs, perhaps compressed with gzip")


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each proof, and for each tree of ``kinarow prove --tree``, whose searches are repeated."""
    return max(_check(file) for file in arguments.files)


def _check(file: str) -> int:
    try:
        with open(file, "rb") as opened:
            data = opened.read(check_proof.MOST_BYTES)
        if data.startswith(b"\x1f\x8b"):
            data = zlib.decompressobj(wbits=31).decompress(data, check_proof.MOST_BYTES)
        is_tree = json.loads(data[: data.find(b"\n") + 1]).get("by") == jobs.BY
    except (OSError, zlib.error, ValueError, AttributeError, RecursionError):
        is_tree = False
    return _repeat(file, data) if is_tree else check_proof.main([file])


def _repeat(file: str, data: bytes) -> int:
    """Search the leaves of a tree again; the exit code."""
    try:
        head, asked = jobs.searches(data)
        with status() as line:
            for done, (_, (holds, _)) in enumerate(run_tasks(jobs.settle, asked, processes=usable_cores()), 1):
                line.say(f"{done:,} of {len(asked):,} searches")
                check_proof.need(holds, "a search finds something else")
    except (
        check_proof.Unproven,
        BrokenExecutor,
        OSError,
        ValueError,
        LookupError,
        TypeError,
        RecursionError,
    ) as failure:
        print(f"NOT PROVEN: {file!a}: {failure!a:.200}")
        return 1
    says = "wins" if head["claim"] == "win" else "does not lose"
    print(f"searched again: {head['side']} {says}; {head['to_move']} to move; {len(asked)} searches of the engine")
    return 0
