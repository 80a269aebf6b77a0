"""Rows of text files: none is lost, whatever the quotes and the parts, and what cannot be read is told in its place.

The rows are counted and read a second time here, by regular expressions in place of Python's reader of CSV.
"""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.labelling import reading
from kinarow.labelling.reading import count_rows, read_parts

BREAK = r"(?:\r\n|\r|\n)"
LINE = re.compile(rf"[^\r\n]*(?:{BREAK}|\Z)")
PLAIN = r'(?!")[^,\r\n]*'
QUOTED = r'"(?:[^"\r\n]|"")*"'
LONG = r'"(?:[^"]|"")*"'
NAMES = (["moves"], ["id", "moves"], ["moves", "note", "board"])
TEXTS = st.lists(
    st.sampled_from(["1", "44", ",", ",", '"', '"', '""', "\n", "\n", "\r\n", "\r", " ", "é"]), max_size=60
)


def expected(text, names, multiline):
    """The rows of a file after its first line; None for one that cannot be read."""
    fields = [f"({LONG if multiline and name in ('id', 'note') else QUOTED}|{PLAIN})" for name in names]
    row = re.compile(f"{','.join(fields)}(?:{BREAK}|\\Z)")
    at = LINE.match(text).end()
    rows = []
    while at < len(text):
        found = row.match(text, at)
        rows.append([unquoted(each) for each in found.groups()] if found else None)
        at = (found or LINE.match(text, at)).end()
    return rows


def unquoted(field):
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def found_in(path, part_rows, multiline=False):
    """The rows of a file in the same form, by their numbers."""
    found = {}
    for part in read_parts(path, part_rows, multiline=multiline):
        assert part.total <= part_rows
        rows = map(list, zip(*part.rows.to_pydict().values(), strict=True))
        for number, row in [*zip(part.numbers, rows, strict=True), *((number, None) for number, _ in part.errors)]:
            assert number not in found
            found[number] = row
    assert sorted(found) == list(range(1, len(found) + 1))
    return [found[number] for number in sorted(found)]


@pytest.mark.parametrize("multiline", [False, True])
@pytest.mark.parametrize("part_rows", [1, 3, 100])
@given(names=st.sampled_from(NAMES), pieces=TEXTS)
def test_one_line_is_one_row_unless_a_field_may_have_several(part_rows, multiline, tmp_path_factory, names, pieces):
    """With `multiline`, fields but moves and boards may span lines; lines after a stray quote are read again."""
    path = tmp_path_factory.getbasetemp() / f"rows{part_rows}{multiline}.csv"
    text = ",".join(names) + ("\r\n" if multiline else "\n") + "".join(pieces)
    path.write_bytes(text.encode())
    rows = found_in(path, part_rows, multiline=multiline)
    assert rows == expected(text, names, multiline)
    assert multiline or len(rows) == count_rows(path)


@pytest.mark.parametrize("multiline", [False, True])
@given(strays=st.lists(st.tuples(st.integers(0, 199), st.integers(4, 7)), max_size=8))
def test_stray_quotes_cost_their_own_rows(tmp_path_factory, multiline, strays):
    path = tmp_path_factory.getbasetemp() / f"stray{multiline}.csv"
    lines = [f"{number:03},44{number % 7 + 1}" for number in range(200)]
    for row, place in strays:
        lines[row] = lines[row][:place] + '"' + lines[row][place:]
    path.write_text("id,moves\n" + "".join(f"{line}\n" for line in lines), "utf-8")
    rows = found_in(path, 64, multiline)
    assert len(rows) == 200
    for line, row in zip(lines, rows, strict=True):
        assert row == line.split(",") or '"' in line


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("last", ["", "end"])
def test_lines_are_counted_across_blocks(tmp_path, monkeypatch, end, last):
    path = tmp_path / "rows.jsonl"
    for width in range((1 << 20) - 3, (1 << 20) + 1):  # the break lies across the blocks in which the file is read
        path.write_bytes(("x" * width + end + "y" + end + last).encode())
        assert count_rows(path) == 2 + bool(last)
        assert len(found_in(path, 10)) == 2 + bool(last)


@pytest.mark.parametrize("multiline", [False, True])
def test_a_line_that_is_too_long_is_one_bad_row(tmp_path, multiline):
    path = tmp_path / "rows.csv"
    long = "4" * (reading.MAX_LINE_CHARACTERS + 5)
    for text in (long, f'"{long}"', f'"{long}'):
        path.write_text(f"moves,note\n1,a\n{text},b\n2,c\n", "utf-8")
        assert found_in(path, 10, multiline) == [["1", "a"], None, ["2", "c"]]


def test_an_empty_line_is_a_row(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(f"{line}\n" for line in ['{"moves": "1"}', "", "[]", json.dumps({"moves": "2"})]), "utf-8")
    assert found_in(path, 10) == [["1"], None, None, ["2"]]
    assert count_rows(path) == 4
