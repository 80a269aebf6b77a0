"""The commands of ``kinarow``: each file adds its options to a parser and runs."""

import sys

from kinarow.errors import one_line

FAILED = 1  # exit code where a command could not do all that it was asked for, such as write its output
WRONG_USE = 2  # exit code for wrong input, or where the extra that a command needs is not installed


def complain(command: str | None, wrong: object) -> None:
    """Say on standard error, in one line, what is wrong with the use or the work of a command."""
    print(f"kinarow {command}: {one_line(wrong)}", file=sys.stderr, flush=True)
