"""Rows of text files: none is lost, whatever the quotes and the parts, and what cannot be read is told in its place.

The rows are counted and read a second time here, by regular expressions in place of Python's reader of CSV.
"""

import gzip
import json
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.labelling import reading
from kinarow.labelling.reading import InputFileError, open_rows
from kinarow.labelling.rows import BadRow

BREAK = r"(?:\r\n|\r|\n)"
LINE = re.compile(rf"[^\r\n]*(?:{BREAK}|\Z)")
PLAIN = r'(?!")[^,\r\n]*'
QUOTED = r'"(?:[^"\r\n]|"")*"'
NAMES = (["moves"], ["id", "moves"], ["moves", "note", "board"])
TEXTS = st.lists(
    st.sampled_from(["1", "44", ",", ",", '"', '"', '""', "\n", "\n", "\r\n", "\r", " ", "é"]), max_size=60
)


def expected(text, names):
    """The rows of a file after its first line; None for one that cannot be read."""
    row = re.compile(f"{','.join([f'({QUOTED}|{PLAIN})'] * len(names))}(?:{BREAK}|\\Z)")
    at = LINE.match(text).end()
    rows = []
    while at < len(text):
        found = row.match(text, at)
        rows.append([unquoted(each) for each in found.groups()] if found else None)
        at = (found or LINE.match(text, at)).end()
    return rows


def unquoted(field):
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def found_in(path, block_rows):
    """The rows of a file in the same form; the texts of all rows are that of the file."""
    rows, found, texts = open_rows(path), [], []
    for block in rows.blocks(block_rows):
        assert len(block) <= block_rows
        for row, moves in zip(block, next(iter(rows.positions(block).values())), strict=True):
            text, fields = (row, None) if isinstance(row, str) else row
            texts.append(text)
            found.append(None if isinstance(moves, BadRow) else fields or list(json.loads(text).values()))
    assert len(found) == rows.count
    content = path.read_bytes()
    content = gzip.decompress(content) if rows.is_gzip else content
    assert content.decode("utf-8", "surrogateescape").endswith("".join(texts)) or any(map(is_too_long, texts))
    return found


def is_too_long(text):
    return len(text) > reading.MAX_LINE_CHARACTERS


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("block_rows", [1, 3, 100])
@given(names=st.sampled_from(NAMES), pieces=TEXTS)
def test_one_line_is_one_row(block_rows, end, tmp_path_factory, names, pieces):
    path = tmp_path_factory.getbasetemp() / f"rows{block_rows}{len(end)}.csv"
    text = ",".join(names) + end + "".join(pieces)
    path.write_bytes(text.encode())
    assert found_in(path, block_rows) == expected(text, names)


def test_a_line_that_is_too_long_is_one_bad_row(tmp_path):
    path = tmp_path / "rows.csv"
    long = "4" * (reading.MAX_LINE_CHARACTERS + 5)
    for text in (long, f'"{long}"', f'"{long}'):
        path.write_text(f"moves,note\n1,a\n{text},b\n2,c\n", "utf-8")
        assert found_in(path, 10) == [["1", "a"], None, ["2", "c"]]
    for more in (0, 1):  # with its end
        text = "4" * (reading.MAX_LINE_CHARACTERS - len(",b\n") + more)
        path.write_text(f"moves,note\n{text},b\n", "utf-8")
        assert found_in(path, 10) == [None if more else [text, "b"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.CSV", "rows.tsv", "rows.csv.gz"])
def test_delimiters_and_compression_are_seen(tmp_path, name, delimiter):
    path = tmp_path / name
    text = f'note{delimiter}moves\na{delimiter}44\n"{delimiter}"{delimiter}45\n'.encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert found_in(path, 10) == [["a", "44"], [delimiter, "45"]]


BAD_CSV = [
    (b'"4', "not a row of CSV: a quote is not closed"), (b'"4"4,b', "not a row of CSV: ',' expected after '\"'"),
    (b"4", "the row has 1 field, the first line 2"), (b'"4",b,c', "the row has 3 fields, the first line 2"),
    (b'"\xff",b', "the line is not UTF-8"), (b"\xff,b", "the line is not UTF-8"), (b"4,b", "4"),
]  # fmt: skip
BAD_JSON = [
    (b'{"moves":"1"}', "1"), (b'{"moves":"\xe9"}', "the line is not UTF-8"), (b"", "the line is empty"),
    (b"[]", "the line is not a JSON object"), (b'{"moves":"3"}', "3"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "rows"), [(b"moves,note", BAD_CSV), (b'{"moves":0}', BAD_JSON)], ids=["csv", "jsonl"])
def test_a_bad_row_says_why_and_costs_no_other(tmp_path, head, rows):
    path = tmp_path / f"rows.{'csv' if rows is BAD_CSV else 'jsonl'}"
    path.write_bytes(b"".join(line + b"\n" for line in (head, *(row for row, _ in rows))))
    (block,) = (file := open_rows(path)).blocks(10)
    said = file.positions(block)["moves"][-len(rows) :]
    assert [each.rstrip(".") for each in said] == [why for _, why in rows]


@pytest.mark.parametrize("size", [2, 3, 7])
@given(pieces=TEXTS)
def test_lines_end_where_they_end_wherever_the_text_is_cut(size, tmp_path_factory, pieces):
    path = tmp_path_factory.getbasetemp() / f"pieces{size}.jsonl"
    path.write_bytes(("{}" + "".join(pieces)).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_CHUNK", size)
        found = [line for block in open_rows(path).blocks(5) for line in block]
    assert found == [line for line in LINE.findall("{}" + "".join(pieces)) if line]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", b'[{"moves": "4"}]', "jq -c"),
        ("a.jsonl", b'[\n{"moves": "4"}\n]', "jq -c"),
        ("a.json", b'{\n"moves": "4"}', "jq -c"),
        ("a.xlsx", b"PK\x03\x04", "end its name in"),
        ("a.csv", b"PK\x03\x04\x1b[31m\x00", "not text"),
        ("a.csv", b"\xff\xfem\x00o\x00", "not text"),
        ("a.csv", b"\x1b[31mid\n", r"'\\x1b\[31mid'"),
        ("a.csv", b"PAR1", "is a Parquet file"),
        ("a.parquet", b"moves\n4\n", "is not a Parquet file"),
        ("a.csv.gz", gzip.compress(b"moves\n" * 100, mtime=0)[:-9], "gzip"),
        ("a.jsonl", b'{"id": 1}\n', "has the columns id; name one moves or board"),
        ("a.csv", b"moves,moves\n", "two columns with the same name"),
    ],
)
def test_another_file_is_refused_in_readable_words(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputFileError, match=says) as refused:
        open_rows(tmp_path / name)
    assert str(refused.value).isprintable()


def test_an_empty_field_of_csv_names_no_side(tmp_path):
    path = tmp_path / "sides.csv"
    path.write_text("board,to_move\nX..,O\nX..,\n", "utf-8")
    rows = open_rows(path)
    (block,) = rows.blocks(9)
    assert rows.positions(block)["to_move"] == ["O", None]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_with_a_name_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "in.csv")
    with pytest.raises(InputFileError, match="can be read only once"):
        open_rows(tmp_path / "in.csv")
