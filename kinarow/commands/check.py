"""``kinarow check``: say what the proofs in files prove."""

import argparse
import json
from concurrent.futures import BrokenExecutor
from pathlib import Path

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
    return max(_repeat(file) if _is_tree(file) else check_proof.main([file]) for file in arguments.files)


def _is_tree(file: str) -> bool:
    try:
        with open(file, "rb") as opened:
            head = json.loads(opened.readline())
    except (OSError, ValueError):
        return False
    return isinstance(head, dict) and head.get("by") == jobs.BY


def _repeat(file: str) -> int:
    """Search the leaves of a tree again; the exit code."""
    try:
        head, asked = jobs.searches(Path(file).read_bytes())
        for _, (holds, _) in run_tasks(jobs.settle, asked, processes=usable_cores()):
            check_proof.need(holds, "a search finds something else")
    except (check_proof.Unproven, BrokenExecutor, OSError, ValueError, KeyError, TypeError) as failure:
        print(f"NOT PROVEN: {file!a}: {failure!a}")
        return 1
    says = "wins" if head["claim"] == "win" else "does not lose"
    print(f"searched again: {head['side']} {says}; {head['to_move']} to move; {len(asked)} searches of the engine")
    return 0
