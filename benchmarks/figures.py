"""Measured figures of the documentation, ``docs/figures/NAME.csv``."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images"


def show_figures(name: str, head: Sequence[str], rows: Sequence[Sequence[object]], *, write: bool) -> None:
    """Print a table of figures as CSV, and write it to its file if ``write`` is set."""
    csv.writer(sys.stdout, lineterminator="\n").writerows([head, *rows])
    if write:
        with (DOCS / "figures" / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([head, *rows])
