"""Rows of text files: none is lost, whatever the parts, and what cannot be read is told in its place."""

import csv
import io
import random

import pytest

from service.labelling.reading import read_parts


def rows_one_by_one(text):
    """The rows after the first line as Python's reader gives them, without empty lines; None for one it refuses."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    width = len(next(reader))
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield None
            continue
        if row:
            yield row if len(row) == width else None


@pytest.mark.parametrize("part_rows", [1, 3, 100])
def test_csv_is_read_in_parts_as_it_is_row_by_row(tmp_path, part_rows):
    rng = random.Random(part_rows)
    pieces = ["1", "2", ",", '"', '""', "\n", "\n", "\r\n", "\r", " ", "é"]
    path = tmp_path / "rows.csv"
    refused = 0
    for _ in range(200):
        text = rng.choice(["moves", "moves,a"]) + "\n" + "".join(rng.choices(pieces, k=rng.randrange(60)))
        path.write_bytes(text.encode())
        wanted = list(rows_one_by_one(text))
        found = {}
        for part in read_parts(path, part_rows):
            assert part.total <= part_rows
            found |= dict(zip(part.numbers, map(list, zip(*part.rows.to_pydict().values(), strict=True)), strict=True))
            found |= {number: None for number, _ in part.errors}
        assert [found[number] for number in sorted(found)] == wanted
        assert sorted(found) == list(range(1, len(wanted) + 1))
        refused += wanted.count(None)
    assert refused
