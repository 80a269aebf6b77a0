"""Every row comes out as it came, whatever its neighbours, the parts and the interruptions."""

import gzip
import json
import os
import re
from itertools import chain, zip_longest
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinarow.labelling import parts as parts_module
from kinarow.labelling.parts import Parts, label_parts
from kinarow.labelling.reading import open_rows
from kinarow.labelling.rows import LabelOptions, columns_of, empty_labels
from kinarow.labelling.writing import MOST_PARTS, Labelled, Output
from kinarow.search_types import SearchStopped
from tests.support.processes import wait_for
from tests.support.samples import examples

QUESTION = LabelOptions({"game": "tic-tac-toe"})
BOARDS = [
    "X.O/.X./..O", "XX./OO./...", ["X", "O", None, None, None, None, None, None, None],
    [["X", "", ""]] + [[""] * 3] * 2,
]  # fmt: skip
MOVES = ["a1b2", [1, 5], [[0, 0], {"row": 1, "column": 1}]]
BAD = [{"moves": "zz"}, {"moves": True}, {"moves": {"a": 1}}, {"board": [1, [2]]}, {"moves": 1.5}, {}]
NUMBERS = [
    "0", "-0", "-0.0", "1", "1.50", "0.1", "1e5", "1E+2", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551617", "9007199254740993", "0.10000000000000000001", "1e400", "5e-324",
    "1e-400", "123456789012345678901234567890",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["", " ", "null", "1", '"', "a\nb", "\r", "\x00", "\ud800", "\ud83d\ude00", "é,;"]),
).map(json.dumps)
SCALARS = st.one_of(st.sampled_from([*NUMBERS, "null", "true", "false"]), TEXTS)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.dictionaries(TEXTS, inner, max_size=3).map(
            lambda items: "{" + " ,".join(f"{name}:{value}" for name, value in items.items()) + "}"
        ),
    ),
    max_leaves=4,
)
COLUMNS = st.dictionaries(st.sampled_from(["id", "eval", "note", "\ud800", "é"]), st.one_of(SCALARS, JSON), max_size=4)


def exact(text):
    """A JSON text as Python values, numbers as their own texts."""
    return json.loads(text, parse_int=lambda number: ("number", number), parse_float=lambda number: ("number", number))


@st.composite
def rows(draw):
    """Rows as the texts of their values, each with a position."""
    position = st.one_of(
        st.sampled_from([{"board": json.dumps(board)} for board in BOARDS]),
        st.sampled_from([{"moves": json.dumps(moves)} for moves in MOVES]),
    )
    return [draw(COLUMNS) | draw(position) for _ in range(draw(st.integers(1, 6)))]


def line(row, space):
    inner = f"{space},{space}".join(f"{json.dumps(name)}{space}:{space}{value}" for name, value in row.items())
    return f"{space}{{{space}{inner}{space}}}{space}"


def inline(function, jobs, *, more, **_):
    """``run_tasks`` in this process."""
    jobs = iter(jobs)
    while job := more.popleft() if more else next(jobs, None):
        yield job[0], function(*job[1:])


def labelled(source, out, block_rows, stops=(), progress=lambda rows, known: None):
    """Label a file, in runs that end after so many parts."""
    about = {"engine_version": "1"}
    output, table = Output(str(out)), open_rows(source)
    output.check(str(source), table)
    for stop in [*stops, None]:
        parts = Parts(output.parts, about)
        write, left = parts.write, [stop]

        def until(first, labels, write=write, left=left):
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] = None if left[0] is None else left[0] - 1
            write(first, labels)

        parts.write = until
        try:
            label_parts(table, QUESTION, parts, block_rows=block_rows, processes=1, progress=progress)
        except KeyboardInterrupt:
            continue
        return output.write(Labelled(table, parts, empty_labels(QUESTION), "", block_rows), parts, about)
    raise AssertionError("the last run is not stopped")


@pytest.fixture
def at_once(monkeypatch):
    """No processes, a part for every row, and no wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    monkeypatch.setattr(parts_module, "run_tasks", inline)
    monkeypatch.setattr(parts_module, "PART_S", 0.0)
    monkeypatch.setattr(parts_module, "TASK_S", 1e-9)


def test_the_progress_tells_rows_of_earlier_runs_from_those_of_this_one(tmp_path, at_once):
    source, told = tmp_path / "five.jsonl", []
    source.write_text('{"moves": [1]}\n' * 5, "utf-8")
    labelled(source, tmp_path / "out.jsonl", 3, [2], lambda rows, known: told.append((rows, known)))
    assert told == [(0, True), *[(1, False)] * 3, (2, True), (1, False), (0, True), *[(1, False)] * 2]


@pytest.mark.usefixtures("at_once")
@examples(30)
@given(rows=rows(), space=st.sampled_from(["", " ", "\t "]), stops=st.lists(st.integers(0, 2), max_size=2))
def test_json_lines_keep_the_text_of_every_value(tmp_path_factory, rows, space, stops):
    folder = tmp_path_factory.mktemp("exact")
    source, out = folder / "in.jsonl", folder / "out.jsonl"
    lines = [line(row, space) for row in rows]
    bad = [json.dumps(each) for each in (*BAD, [], "")][: len(lines)]
    source.write_text("".join(f"{each}\n" for each in chain.from_iterable(zip_longest(lines, bad)) if each), "utf-8")
    counts = labelled(source, out, 2, stops)
    assert (counts.labelled, counts.bad) == (len(rows), len(bad))
    assert sorted(path.name for path in folder.iterdir()) == ["in.jsonl", "out.jsonl", "out.jsonl.errors.jsonl"]
    for before, row, after in zip(lines, rows, out.read_text("utf-8").splitlines(), strict=True):
        text, space_after = before[: before.rindex("}")], before[before.rindex("}") :]
        assert after.startswith(f"{text}, ")
        assert after.endswith(space_after)
        written = exact(after)
        assert list(written) == [*row, *columns_of(QUESTION).names]
        assert all(written[name] == exact(value) for name, value in row.items())


FIELDS = st.sampled_from(["a", " b ", '"c"', '"d,""e"""', "", "\u00e9", '"\t;"'])


@pytest.mark.usefixtures("at_once")
@examples(30)
@given(
    notes=st.lists(FIELDS, min_size=1, max_size=6), ends=st.sampled_from(["\n", "\r\n", "\r"]),
    delimiter=st.sampled_from([",", ";", "\t"]), mark=st.sampled_from(["", "\ufeff"]), whole=st.booleans(),
    stops=st.lists(st.integers(0, 2), max_size=2),
)  # fmt: skip
def test_csv_keeps_every_byte_of_a_row(tmp_path_factory, notes, ends, delimiter, mark, whole, stops):
    """A bad row leaves with its line break; the last one may have none."""
    folder = tmp_path_factory.mktemp("exact")
    source, out = folder / "in.csv", folder / "out.csv"
    notes = [note.replace(",", delimiter) if '"' in note else note.replace(delimiter, "") for note in notes]
    rows = [f"{'a1b2' if number % 3 else 'zz'}{delimiter}{note}" for number, note in enumerate(notes, 1)]
    head = mark + delimiter.join(["moves", "note"]) + ends
    source.write_bytes((head + ends.join(rows) + ends * whole).encode())
    labelled(source, out, 2, stops)
    good = [row + ends for number, row in enumerate(rows, 1) if number % 3]
    if good and not whole and len(rows) % 3:
        good[-1] = good[-1].removesuffix(ends)
    written = out.read_bytes().decode()
    added = delimiter + delimiter.join(columns_of(QUESTION).names) + ends
    assert written.startswith(head.removesuffix(ends) + added)
    written = written[len(head.removesuffix(ends) + added) :]
    for row in good:
        text = row.removesuffix(ends)
        assert written.startswith(text + delimiter)
        written = written[len(text) :]
        labels = re.match(r"[^\r\n]*", written)[0]
        assert labels.count(delimiter) == len(columns_of(QUESTION))
        assert written[len(labels) :].startswith(row[len(text) :])
        written = written[len(labels + row) - len(text) :]
    assert written == ""


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("end", ["", ".parquet", ".csv", ".jsonl", ".jsonl.gz"])
def test_parts_and_interruptions_leave_the_same_bytes(tmp_path, monkeypatch, end):
    """Also of Parquet's richer columns and codec, and of many rows in at most a hundred files."""
    count = 40 if end else 130
    columns = {
        "id": range(count), "board": ["XX./OO./...", ".../.X./..."] * (count // 2),
        "to_move": ["X", None] * (count // 2),
        "kind": pa.array(["a", "b", "b", None, "c"] * (count // 5)).dictionary_encode(),
        "list": [[1, None], None] * (count // 2), "real": [0.5, float("inf")] * (count // 2),
        "bytes": [b"\xff", None] * (count // 2), "at": pa.array([1, 2] * (count // 2), pa.timestamp("ns")),
    }  # fmt: skip
    source = tmp_path / f"in{end or '.parquet'}"
    if end in ("", ".parquet"):
        table = pa.table(columns).replace_schema_metadata({"mine": "kept"})
        pq.write_table(table, source, row_group_size=7, compression="zstd")
    else:
        rows = ["board,to_move"] * (end == ".csv") + [
            f"{board},{side or ''}" if end == ".csv" else json.dumps({"board": board, "to_move": side})
            for board, side in zip(columns["board"], columns["to_move"], strict=True)
        ]
        text = "".join(f"{row}\n" for row in rows).encode()
        source.write_bytes(gzip.compress(text) if end.endswith(".gz") else text)
    for name, stops in (("killed", [0, 5, count // 2, 1]), ("calm", [])):
        monkeypatch.setattr(parts_module, "PART_S", 0.0 if stops else 100.0)
        assert labelled(source, tmp_path / f"{name}{end}", 1, stops).labelled == count
    killed, calm = (
        [file.read_bytes() for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
        for path in (tmp_path / f"killed{end}", tmp_path / f"calm{end}")
    )
    assert killed == calm
    assert len(calm) <= MOST_PARTS + 2
    if end in ("", ".parquet"):
        parts = sorted((tmp_path / "calm").glob("part-*")) or [tmp_path / "calm.parquet"]
        assert len(parts) == (1 if end else count / 2)  # all but the last have as many rows
        assert pq.ParquetFile(parts[0]).metadata.row_group(0).column(0).compression == "ZSTD"
        assert pq.read_schema(parts[0]).metadata[b"mine"] == b"kept"
        found = pa.concat_tables(map(pq.read_table, parts)).select(list(columns))
        assert found.replace_schema_metadata().cast(pa.table(columns).schema).equals(pa.table(columns))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("end", ["", ".jsonl"])
def test_a_run_that_was_killed_at_its_last_step_is_known_as_finished(tmp_path, monkeypatch, end):
    source, out = tmp_path / f"in{end or '.parquet'}", tmp_path / f"out{end}"
    if end:
        source.write_text('{"moves": [1]}\n' * 3, "utf-8")
    else:
        pq.write_table(pa.table({"moves": [[1]] * 3}), source)
    monkeypatch.setattr(Parts, "remove", lambda parts: None)
    assert labelled(source, out, 2) == Output(str(out)).finished({"engine_version": "1"})


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(os, "fsync", lambda file: done.append("synchronized"))
    monkeypatch.setattr(Path, "replace", lambda path, name: done.append("named"))
    parts_module.write_atomically(tmp_path / "part", lambda file: file.write(b"rows"))
    assert done == ["synchronized", "named"]


def test_a_task_tells_of_its_rows_after_a_while(monkeypatch):
    """However long rows take: those taken together that need too long are taken one by one."""
    taken = []

    def label_rows(_, columns, stop):
        taken.append(len(columns["moves"]))
        for move in columns["moves"]:
            if stop is not None and move == "slow":
                assert wait_for(stop.is_set) is None
                raise SearchStopped
        return pa.table({"error": columns["moves"]})

    monkeypatch.setattr(parts_module, "label_rows", label_rows)
    monkeypatch.setattr(parts_module, "TASK_S", 60.0)
    monkeypatch.setattr(parts_module, "_PATIENCE_S", 0.05)
    labels, _, _ = parts_module.label_some(QUESTION, {"moves": ["quick"] * 30 + ["slow"] * 2}, 1)
    assert len(labels) == 32
    assert taken[:5] == [1, 4, 16, 11, 1]
    assert taken[-1] == 1
    monkeypatch.setattr(parts_module, "TASK_S", 0.0)
    assert len(parts_module.label_some(QUESTION, {"moves": ["quick"] * 30}, 5)[0]) == 5
