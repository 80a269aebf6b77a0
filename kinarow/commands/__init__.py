"""The commands of ``kinarow``: each file adds its options to a parser and runs."""

import sys

from kinarow.errors import one_line

FAILED = 1  # exit code if a command could not finish, such as write its output
WRONG_USE = 2  # exit code for wrong input, or if the extra of a command isn't installed


def print_error(command: str | None, wrong: object) -> None:
    """Print an error as one line to standard error."""
    print(f"kinarow {command}: {one_line(wrong)}", file=sys.stderr, flush=True)
