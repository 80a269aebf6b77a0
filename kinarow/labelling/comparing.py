"""Compares a column of the input with the labels of its rows."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from kinarow.errors import several
from kinarow.labelling.reading import InputFileError, RowFile

OUTCOMES = ("win", "draw", "loss")
_SHOWN = 5  # unknown values that an error names


class Comparison:
    """A column of outcomes or scores for the side to move, and how often it has which value beside which label.

    ``pairs`` counts what column and labels say of rows with a value, as outcomes or the signs of scores; ``differing``
    is the number of rows where they differ.
    """

    def __init__(self, column: str) -> None:
        self.column, self.differing = column, 0
        self.pairs: Counter[str] = Counter()

    def check(self, rows: RowFile) -> None:
        """Raise an ``InputFileError`` if rows lack the column, or a value is neither an outcome nor a score."""
        if self.column not in rows.names:
            raise InputFileError(f"there is no column {self.column} to compare, but {', '.join(rows.names)}")
        unknown: dict[str, None] = {}
        for block in rows.blocks(_BLOCK):
            kept = rows.kept(block, [error is None for error in rows.positions(block).errors])
            for row in rows.objects(kept):
                value = json.loads(row).get(self.column)
                if value not in (None, "") and _read(value) is None:
                    unknown[str(value)] = None
        if unknown:
            names = ", ".join(list(unknown)[:_SHOWN]) + (" …" if len(unknown) > _SHOWN else "")
            raise InputFileError(f"the column {self.column} holds {names}; write win, draw, loss, or scores")

    def differ(self, row: str, labels: dict[str, Any]) -> bool:
        """Count a row, an object of JSON, with its labels; whether they differ."""
        said = _read(json.loads(row).get(self.column))
        if said is None:
            return False
        wrong: bool = said != (labels["outcome"] if isinstance(said, str) else labels["score"])
        outcome = said if isinstance(said, str) else OUTCOMES[1 - (said > 0) + (said < 0)]
        self.pairs[f"{outcome} {labels['outcome']}"] += 1
        self.differing += wrong
        return wrong

    def lines(self) -> Iterator[str]:
        """The table of both, and the number of rows that differ."""
        columns = [*OUTCOMES, "unknown"]
        yield f"{self.column:>12} " + " ".join(f"{name:>10}" for name in columns)
        for said in OUTCOMES:
            yield f"{said:>12} " + " ".join(f"{self.pairs[f'{said} {found}']:10,}" for found in columns)
        yield f"{self.differing:,} of {several(self.pairs.total(), 'row', ',')} differ"


_BLOCK = 4096


def _read(value: Any) -> str | float | None:
    """The outcome or the score that a value is; None if it is neither."""
    if isinstance(value, str) and value.lower() in OUTCOMES:
        return value.lower()
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number == number else None
