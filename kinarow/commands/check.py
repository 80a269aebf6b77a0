"""``kinarow check``: checks proof files."""

import argparse

from kinarow.proofs import check_proof


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "The exit code is 0 if every proof holds, else 1. checker/check_proof.py does the same without kinarow."
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file of proofs, perhaps compressed with gzip")


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each proof."""
    return check_proof.main(arguments.files)
