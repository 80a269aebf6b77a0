"""The measured figures of the documentation: ``docs/figures/NAME.csv``, written by the benchmarks alone."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
IMAGES = DOCS / "images"


def write_figures(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table of figures with its head."""
    with (DOCS / "figures" / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
