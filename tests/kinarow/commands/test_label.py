"""``kinarow label``: files of every format, and a run that is killed loses and doubles nothing."""

import csv
import gzip
import io
import json
import os
import random
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import kinarow
from kinarow.commands.cli import main
from kinarow.commands.label import Progress
from kinarow.errors import several
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.labelling import writing
from kinarow.labelling.enumeration import layers
from tests.support.commands import ended, package
from tests.support.positions import true_scores
from tests.support.processes import wait_for

COMMAND = [sys.executable, "-m", "kinarow.commands.cli", "label"]
LIMIT_S = 240
SMALL = ["--rows", "4", "--columns", "5", "--goal", "4", "--gravity", "--processes", "1"]


def label(*options):
    """Run the command; what it said and its exit code."""
    return ended(*COMMAND, *options, seconds=LIMIT_S)


def lines_of(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def rows_of(output):
    """The rows of a folder or a file of any format."""
    if output.is_dir():
        return [row for part in sorted(output.glob("part-*.parquet")) for row in rows_of(part)]
    if output.suffix == ".parquet":
        return pq.read_table(output).to_pylist()
    return (
        lines_of(output) if output.suffix == ".jsonl" else list(csv.DictReader(output.read_text("utf-8").splitlines()))
    )


def errors_of(output):
    return lines_of(output / "_errors.jsonl" if output.is_dir() else output.with_name(f"{output.name}.errors.jsonl"))


def write(path, *rows):
    """A CSV file of these lines, or JSON lines of these objects."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def games_file(path, seed, count, columns, plies):
    """A CSV file of `count` random games."""
    rng = random.Random(seed)
    return write(path, "moves", *("".join(rng.choices(columns, k=rng.randint(*plies))) for _ in range(count)))


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A Parquet file of 4 × 5 games, some of them wrong, and the folder of its labels in parts of three rows."""
    folder = tmp_path_factory.mktemp("label")
    rng = random.Random(4)
    games = ["".join(rng.choice("12345") for _ in range(rng.randint(6, 14))) for _ in range(20)]
    source = folder / "games.parquet"
    pq.write_table(pa.table({"id": [f"{n:03}" for n in range(20)], "moves": games}), source)
    done = label(source, folder / "out", *SMALL, "--part-rows", 3)
    assert done.returncode == 0, done.stderr
    return source, folder / "out", games, done


def test_rows_keep_their_columns_and_bad_ones_are_told(small):
    _, out, games, done = small
    rows, errors = rows_of(out), errors_of(out)
    assert len(rows) + len(errors) == len(games)
    assert 0 < len(rows) < len(games)
    counted = f"{len(games)} rows read, {several(len(rows), 'row')} labelled, {several(len(errors), 'bad row')}"
    assert done.stderr.splitlines()[-1] == counted
    bad = {error["row"] for error in errors}
    assert [(row["id"], row["moves"]) for row in rows] == [
        (f"{n:03}", game) for n, game in enumerate(games) if n + 1 not in bad
    ]
    assert all("moves" in error["reason"] for error in errors)
    assert all(row["proven"] and row["best_moves"] for row in rows if row["distance"])


def test_metadata_tells_what_made_the_labels(small):
    _, out, _, _ = small
    metadata = pq.read_schema(out / "part-00000.parquet").metadata
    assert metadata[b"kinarow.engine_version"].decode().count("+") == 1
    assert metadata[b"kinarow.limits"] == b"to the proof"
    assert json.loads(metadata[b"kinarow.rules"]) == {"rows": 4, "columns": 5, "goal": 4, "gravity": True}
    names = pq.read_schema(out / "part-00000.parquet").names
    assert names == [
        "id", "moves", "score", "outcome", "distance", "distance_is_bound", "proven", "best_moves",
        "best_moves_complete",
    ]  # fmt: skip


def test_a_finished_folder_is_left_as_it_is(small, capsys):
    source, out, _, done = small
    before = {file.name: file.stat().st_mtime_ns for file in out.iterdir()}
    assert main(["label", str(source), str(out), *SMALL, "--part-rows", "3"]) == 0
    assert {file.name: file.stat().st_mtime_ns for file in out.iterdir()} == before
    assert capsys.readouterr().err == done.stderr.splitlines()[-1] + "\n"


def test_a_folder_of_another_run_is_refused(small, tmp_path, capsys):
    source, out, _, _ = small
    assert main(["label", str(source), str(out), *SMALL, "--part-rows", "3", "--values"]) == 1
    assert "was made with values" in capsys.readouterr().err
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    assert main(["label", str(source), str(tmp_path), *SMALL]) == 1
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.parametrize("bad", [["zzz"], ["zzz", "9", "zz."]])
def test_a_file_of_bad_rows_alone_has_no_labels(tmp_path, bad):
    """A part without a row that can be read is finished like any other, and rows after it get labels."""
    source, out = write(tmp_path / "bad.csv", "board", *bad, "XX./OO./..."), tmp_path / "out.csv"
    options = ["--goal", "3", "--processes", "1", "--part-rows", str(len(bad))]
    assert main(["label", str(source), str(out), *options]) == 0
    assert [row["best_moves"] for row in rows_of(out)] == ["3"]
    assert [error["row"] for error in errors_of(out)] == list(range(1, len(bad) + 1))


def parts_of(out):
    """The parts that are finished so far of a run whose output is not."""
    return list(out.with_name(f"{out.name}.parts").glob("part-*.parquet"))


@pytest.mark.slow
@pytest.mark.alone
def test_a_run_killed_twenty_times_loses_nothing(tmp_path):
    """Killed at random moments and started again, a run ends with the files of an undisturbed one."""
    rng, source = random.Random(16), games_file(tmp_path / "games.csv", 16, 6000, "1234567", (12, 24))
    options = ["--game", "connect-four", "--part-rows", "100", "--processes", "2"]
    done = label(source, tmp_path / "undisturbed.csv", *options)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "killed.csv"
    kills = 0
    for _ in range(20):
        command = [*COMMAND, str(source), str(out), *options]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as run:
            parts = len(parts_of(out))
            wait_for(lambda parts=parts, run=run: len(parts_of(out)) > parts or run.poll() is not None, LIMIT_S)
            time.sleep(rng.random() * 0.05)
            kills += run.poll() is None
            os.kill(run.pid, signal.SIGKILL)
    assert kills > 15
    done = label(source, out, *options)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == (tmp_path / "undisturbed.csv").read_bytes()


def test_progress_tells_rate_and_time_left():
    stream, quiet = io.StringIO(), io.StringIO()
    stream.isatty = lambda: True
    progress = Progress(stream)
    progress.total = 400
    progress(100, True)
    progress(100, False)
    text = progress.text(progress._started + 20)
    assert text == "[############............] 200 of 400 rows, 5 rows/s, about 0:00:40 left"
    assert stream.getvalue().count("\r") == 2
    Progress(quiet)(5, False)
    assert quiet.getvalue() == ""


@pytest.mark.slow
@pytest.mark.alone
def test_a_cluster_makes_the_same_files_though_a_worker_dies(tmp_path):
    """A worker of a Dask cluster that is killed costs the time of its parts and nothing else."""
    distributed = package("distributed")
    source = games_file(tmp_path / "games.csv", 8, 3000, "12345", (4, 9))
    options = [*SMALL, "--part-rows", "100"]
    assert label(source, tmp_path / "here.csv", *options).returncode == 0
    out = tmp_path / "there.csv"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        command = [*COMMAND, str(source), str(out), *options, "--dask", cluster.scheduler_address]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
            wait_for(lambda: len(parts_of(out)) > 2 or run.poll() is not None, LIMIT_S)
            assert run.poll() is None
            os.kill(cluster.workers[0].pid, signal.SIGKILL)
            _, told = run.communicate(timeout=LIMIT_S)
        assert run.returncode == 0, told
    assert out.read_bytes() == (tmp_path / "here.csv").read_bytes()


@pytest.mark.slow
def test_a_cluster_of_this_machine_needs_no_address(small, tmp_path):
    source, out, _, _ = small
    done = label(source, tmp_path / "out", *SMALL, "--part-rows", 3, "--dask")
    assert done.returncode == 0, done.stderr
    assert rows_of(tmp_path / "out") == rows_of(out)


def test_all_positions_of_a_small_game(tmp_path, capsys):
    """Every position once, finished ones too."""
    out = tmp_path / "all"
    options = ["--rows", "2", "--columns", "3", "--goal", "2", "--gravity", "--processes", "1", "--part-rows", "20"]
    assert main(["label", "--all", str(out), *options]) == 0, capsys.readouterr().err
    rows = rows_of(out)
    assert errors_of(out) == []
    assert len({row["board"] for row in rows}) == len(rows) == sum(map(len, layers(Rules(2, 3, 2, gravity=True))))
    for row in rows:
        position = Position.from_text(row["board"], goal=2, gravity=True, to_move=row["to_move"])
        assert row["marks"] == 6 - position.empties
        final = position.final_score()
        if final is not None:
            assert (row["score"], row["best_moves"]) == (final.value, [])
            continue
        truth = true_scores(position)
        assert row["score"] == max(truth.values())
        assert row["best_moves"] == [move + 1 for move, value in truth.items() if value == row["score"]]


def test_the_output_may_be_one_file(small, tmp_path):
    """It has the rows of the folder; the parts go, also those that an earlier run could not write to their end."""
    source, folder, _, _ = small
    out, parts = tmp_path / "out.parquet", tmp_path / "out.parquet.parts"
    parts.mkdir()
    (parts / "part-000000000001-000000000003.parquet.unfinished").write_text("half", "utf-8")
    (parts / "finished").write_text("half", "utf-8")
    assert main(["label", str(source), str(out), *SMALL, "--part-rows", "3"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "out.parquet.errors.jsonl"]
    assert (tmp_path / "out.parquet.errors.jsonl").read_bytes() == (folder / "_errors.jsonl").read_bytes()
    assert rows_of(out) == rows_of(folder)
    assert pq.read_schema(out).metadata[b"kinarow.limits"] == b"to the proof"


def damaged(path):
    """Damage a Parquet file within its first page, so that its end is still that of one."""
    data = bytearray(path.read_bytes())
    data[20:40] = bytes(20)
    path.write_bytes(data)


COPY = "COPY (FROM '{}') TO '{}'".format


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("in.csv out.parquet", COPY("in.csv", "in.parquet")), ("in.csv out/", COPY("in.csv", "in.parquet")),
        ("in.csv -", COPY("in.csv", "in.jsonl")), ("in.jsonl.gz out.csv", COPY("in.jsonl.gz", "in.csv")),
        ("in.jsonl.gz out.jsonl", "call gunzip -k in.jsonl.gz"), ("in.csv out.csv.gz", "call gzip -k in.csv"),
        *((f"in.csv out.{end}", "end a file's name in") for end in ("txt", "csv.bz2", "parquet.gz", "xlsx")),
        ("in.txt out.csv", "end its name in"), ("in.csv in.csv", "in.csv is there already"),
        ("empty.csv out.csv", "no line with the names"), ("nameless.csv out.csv", "no line with the names"),
        ("damaged.parquet out.parquet", "damaged.parquet: "), ("out.parquet new.parquet", "out.parquet"),
        ("scored.jsonl out.jsonl", "the input has a column score already; set a prefix"),
        ("in.csv out.csv --game", "rows is required unless game names a preset"),
    ],
)  # fmt: skip
def test_what_cannot_be_labelled_is_one_line_and_writes_nothing(tmp_path, capsys, monkeypatch, command, says):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.csv", "moves", "44")
    write(tmp_path / "scored.jsonl", {"moves": "44", "score": 1})
    write(tmp_path / "empty.csv")
    write(tmp_path / "nameless.csv", "", "44")
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b'{"moves": "44"}\n'))
    pq.write_table(pa.table({"moves": ["4", "44"]}), tmp_path / "damaged.parquet")
    damaged(tmp_path / "damaged.parquet")
    before = contents(tmp_path)
    options = [] if command.endswith("--game") else SMALL
    assert main(["label", *command.removesuffix(" --game").split(), *options]) == 1
    told = capsys.readouterr().err
    assert (says in told, told.count("\n")) == (True, 1)
    assert contents(tmp_path) == before


def test_a_prefix_names_the_labels(tmp_path):
    source = write(tmp_path / "in.jsonl", {"moves": "44", "score": 1})
    assert main(["label", str(source), str(tmp_path / "out.jsonl"), *SMALL, "--prefix", "best_"]) == 0
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert (row["score"], row["best_score"], len(row)) == (1, row["best_score"], 9)


@pytest.mark.parametrize("spoil", [lambda table: table[1:], None, damaged], ids=["short", "no Parquet", "damaged"])
def test_a_part_that_is_not_whole_is_a_failure(tmp_path, capsys, monkeypatch, spoil):
    """One that was copied wrong for instance; what the run had done stays."""
    source = write(tmp_path / "in.csv", "moves", "4", "44", "445")
    command = ["label", str(source), str(tmp_path / "out.csv"), *SMALL]
    monkeypatch.setattr(writing.Output, "write", lambda *_: writing.Counts(0, 0, 0))
    assert main(command) == 0
    monkeypatch.undo()
    for part in sorted((tmp_path / "out.csv.parts").glob("part-*"))[-1:]:
        table = pq.read_table(part)
        if spoil is damaged:
            damaged(part)
        else:
            part.write_text("no") if spoil is None else pq.write_table(spoil(table), part)
    assert main(command) == 1
    told = capsys.readouterr().err
    assert "out.csv.parts" in told
    assert "remove it" in told
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("room", "stays"), [(200, False), (6000, True)])
def test_a_disk_without_room_costs_no_row(tmp_path, room, stays):
    """The limit of a file's size stands for it. Nothing stays of a run that wrote no part."""
    note = "n" * 200
    source = write(tmp_path / "in.jsonl", *({"moves": "4453", "id": n / 7, "note": note} for n in range(60)))
    command = [source, tmp_path / "out.jsonl", *SMALL, "--part-rows", 20]
    # The files of `make coverage` would have no room either.
    limited = f'unset COVERAGE_PROCESS_CONFIG; ulimit -S -f {-(-room // 1024)}; exec "$@"'
    shell = ["bash", "-c", limited, "-", *COMMAND, *command]
    done = ended(*shell, seconds=LIMIT_S)
    assert done.returncode == 1, done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", *["out.jsonl.parts"] * stays]
    assert main(["label", *map(str, command)]) == 0
    before, after = source.read_text("utf-8").splitlines(), (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    assert [new.startswith(old[:-1]) for old, new in zip(before, after, strict=True)] == [True] * 60


def test_standard_input_and_output_are_json_lines(tmp_path):
    rows = [{"moves": "44", "id": 1.0}, {"moves": "x"}, {"moves": 4453}]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    command = [*COMMAND, "-", "-", *SMALL]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=LIMIT_S, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line.split(", ")[0] for line in done.stdout.splitlines()] == ['{"moves": "44"', '{"moves": 4453']
    errors = [line for line in done.stderr.splitlines() if line.startswith("{")]
    assert [json.loads(line)["row"] for line in errors] == [2]
    assert not list(tmp_path.iterdir())


def test_strict_fails_for_a_bad_row(small, tmp_path, capsys):
    """Everything is written as without it."""
    source, folder, _, _ = small
    assert main(["label", str(source), str(tmp_path / "out"), *SMALL, "--part-rows", "3", "--strict"]) == 1
    assert contents(tmp_path / "out") == contents(folder)
    source = write(tmp_path / "good.csv", "moves", "4")
    assert main(["label", str(source), str(tmp_path / "out.csv"), *SMALL, "--strict"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "1 row read, 1 row labelled, 0 bad rows"


@pytest.mark.parametrize(("kind", "read"), [("csv", json.loads), ("jsonl", list)])
def test_labels_in_lines_stand_beside_their_rows(small, tmp_path, kind, read):
    """Bad rows between them, and the values of moves, which are JSON in CSV."""
    _, folder, games, _ = small
    objects = [{"id": f"{n:03}", "moves": game} for n, game in enumerate(games)]
    lines = objects if kind == "jsonl" else ["id,moves", *(",".join(row.values()) for row in objects)]
    source, out = write(tmp_path / f"in.{kind}", *lines), tmp_path / f"out.{kind}"
    assert main(["label", str(source), str(out), *SMALL, "--part-rows", "3", "--values"]) == 0
    kept = pa.Table.from_pylist(rows_of(folder)).select(["id", "moves"])
    expected = kinarow.label(kept, rows=4, columns=5, goal=4, gravity=True, values=True).to_pylist()
    told = [(row["id"], float(row["score"]), read(row["values"])) for row in rows_of(out)]
    assert told == [(row["id"], row["score"], row["values"]) for row in expected]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--rows", "5", "--columns", "5", "--goal", "5", "--caro"], "--all: positions of games with caro"),
        (["--game", "renju"], "--all: positions of games with renju"),
        (["--game", "notakto"], "--all: positions of games with marks cannot be listed"),
        (["--game", "connect-four"], "--all: the game has more than 1,000,000,000 positions"),
        (["--game", "gomoku"], "--all: the game has more than 1,000,000,000 positions"),
    ],
)
def test_positions_of_a_game_that_cannot_be_listed(tmp_path, options, says, capsys):
    assert main(["label", "--all", str(tmp_path / "out"), *options]) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options", [["a"], ["a", "b", "--all"], ["a", "b", "--symmetry"], ["a", "b", "--max-marks", "2"]], ids=" ".join
)
def test_contradicting_arguments_are_wrong_use(options, capsys):
    assert main(["label", *options, "--game", "tic-tac-toe"]) == 2
    assert "IN and OUT" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("game", "rows", "option"),
    [
        ("connect-four", [{"moves": "3030303"}, {"moves": "334"}], "columns-from-0"),
        ("connect-four", [{"moves": 3030}, {"moves": [6, 5, 0]}], "columns-from-0"),
        ("tic-tac-toe", [{"moves": [0, 4, 8]}, {"moves": []}], "cells"),
    ],
)
def test_moves_that_are_possible_in_one_other_way_end_the_run(tmp_path, capsys, game, rows, option):
    """Before a part is written; with the way that the sentence names no row is bad, as in the library."""
    source, out = write(tmp_path / "in.jsonl", *rows), tmp_path / "out.jsonl"
    command = ["label", str(source), str(out), "--game", game, "--processes", "1", "--empty-is-start"]
    assert main(command) == 2
    said = f"some rows are impossible; all so far are possible as {option}: add --moves {option}"
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
    assert main([*command, "--moves", option]) == 0
    assert errors_of(out) == []
    table = pa.table({"moves": [str(row["moves"]) for row in rows]})
    labelled = kinarow.label(table, game=game, moves_as=option, empty_is_start=True)
    assert labelled["score"].to_pylist() == [row["score"] for row in rows_of(out)]


@pytest.mark.parametrize(
    ("counted", "read"),
    [
        ("tiles", "...xxx ......"), ("cells", "...xx. ......"), ("columns", "...... ..xxx."),
        ("columns-from-0", "...... x.xxx."), ("text", ".x.... ..x.x."),
    ],
)  # fmt: skip
def test_moves_counted_in_one_way_are_read_in_no_other(counted, read):
    """Texts and lists in tic-tac-toe, then in Connect Four."""
    values = ["0102", "b2", "44", "[5, 1]", '["5", "1"]', "9"]
    found = [
        kinarow.label(pa.table({"moves": values}), game=game, moves_as=counted)["outcome"].is_valid().to_pylist()
        for game in ("tic-tac-toe", "connect-four")
    ]
    assert " ".join("".join(".x"[flag] for flag in flags) for flags in found) == read
