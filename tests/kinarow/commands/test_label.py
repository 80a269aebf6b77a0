"""``kinarow label``: files of every format, and a run that is killed loses and doubles nothing."""

import csv
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kinarow.commands.cli import main
from kinarow.commands.label import Progress, duration
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.enumeration import layers

COMMAND = [sys.executable, "-m", "kinarow.commands.cli", "label"]
LIMIT_S = 240
GAMES = ["4453", "12", "", "4444", "x", "44444", "1212121", "54321"]
SMALL = ["--rows", "4", "--columns", "5", "--goal", "4", "--gravity", "--processes", "1"]


def label(*options, **more):
    """Run the command; what it said and its exit code."""
    command = [*COMMAND, *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, **more)


def rows_of(folder):
    return [row for part in sorted(folder.glob("part-*.parquet")) for row in pq.read_table(part).to_pylist()]


def errors_of(folder):
    return lines_of(folder / "_errors.jsonl")


def lines_of(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A CSV file of 4 × 5 games, some of them wrong, and the folder of its labels in parts of three rows."""
    folder = tmp_path_factory.mktemp("label")
    source = folder / "games.csv"
    rng = random.Random(4)
    games = ["".join(rng.choice("12345") for _ in range(rng.randint(6, 14))) for _ in range(20)]
    source.write_text("id,moves\n" + "".join(f"{n:03},{game}\n" for n, game in enumerate(games)), "utf-8")
    done = label(source, folder / "out", *SMALL, "--part-rows", 3)
    assert done.returncode == 0, done.stderr
    return source, folder / "out", games, done


def test_rows_keep_their_columns_and_bad_ones_are_told(small):
    _, out, games, done = small
    rows, errors = rows_of(out), errors_of(out)
    assert len(rows) + len(errors) == len(games)
    assert rows
    assert errors
    counted = f"{len(games)} rows read, {len(rows)} rows labelled, {len(errors)} bad rows"
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


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_stopped(small, tmp_path):
    """A missing part and one that was not finished are made again, byte for byte; the others stay."""
    source, out, _, _ = small
    before = contents(out)
    (out / "part-00002.parquet").rename(out / "part-00002.parquet.unfinished")
    (out / "_errors.jsonl").unlink()
    kept = (out / "part-00001.parquet").stat().st_mtime_ns
    done = label(source, out, *SMALL, "--part-rows", 3)
    assert done.returncode == 0, done.stderr
    assert contents(out) == before
    assert (out / "part-00001.parquet").stat().st_mtime_ns == kept


def test_a_folder_of_another_run_is_refused(small, tmp_path):
    source, out, _, _ = small
    done = label(source, out, *SMALL, "--part-rows", 3, "--values")
    assert done.returncode == 1
    assert "was begun with another values" in done.stderr
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    done = label(source, tmp_path, *SMALL)
    assert done.returncode == 1
    assert "is not empty" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("games.txt", "moves\n4453\n", "ends in one of"),
        ("games.csv", "id\n1\n", "no column moves or board, but id"),
        ("games.csv", "", "no line with the names"),
        ("games.csv", "\n44\n", "no line with the names"),
        ("games.parquet", "nothing", "Parquet"),
    ],
)
def test_a_wrong_input_is_told_in_one_line(tmp_path, capsys, name, content, said):
    source = tmp_path / name
    source.write_text(content, "utf-8")
    options = ["--game", "connect-four", "--processes", "1"]
    assert main(["label", str(source), str(tmp_path / "out"), *options]) == 1
    told = capsys.readouterr().err.splitlines()
    assert said in told[-1]
    assert len([line for line in told if line.startswith("kinarow label")]) == 1


@pytest.mark.parametrize("bad", [["zzz"], ["zzz", "9", "zz."]])
def test_a_file_of_bad_rows_alone_has_no_labels(tmp_path, bad):
    """A part without a row that can be read is finished like any other, and rows after it get labels."""
    source, out = tmp_path / "bad.csv", tmp_path / "out"
    source.write_text("board\n" + "".join(f"{row}\n" for row in [*bad, "XX./OO./..."]), "utf-8")
    options = ["--goal", "3", "--processes", "1", "--part-rows", str(len(bad))]
    assert main(["label", str(source), str(out), *options]) == 0
    assert [row["best_moves"] for row in rows_of(out)] == [[3]]
    assert [error["row"] for error in errors_of(out)] == list(range(1, len(bad) + 1))


@pytest.mark.slow
def test_all_formats_get_the_same_labels(tmp_path):
    """Parquet, CSV and JSON lines of the same rows; other columns keep their types where the format has types."""
    plays = [{"id": n, "moves": game, "played": n % 2 == 0} for n, game in enumerate(GAMES)]
    pq.write_table(pa.Table.from_pylist(plays), tmp_path / "in.parquet", row_group_size=3)
    lines = [json.dumps(play) for play in plays]
    (tmp_path / "in.jsonl").write_text("\n".join([*lines, "", "{", "[]", '{"moves": 4453}']), "utf-8")
    text = "".join(f"{play['id']},{play['moves']},{play['played']}\n" for play in plays)
    (tmp_path / "in.csv").write_text("id,moves,played\n" + text + "1,2\n", "utf-8")
    found = {}
    for kind in ("parquet", "jsonl", "csv"):
        out = tmp_path / kind
        done = label(tmp_path / f"in.{kind}", out, *SMALL, "--values", "--part-rows", 4)
        assert done.returncode == 0, done.stderr
        found[kind] = rows_of(out)
        assert [error["row"] for error in errors_of(out)][:3] == [3, 5, 6]
    assert found["parquet"] == found["jsonl"]
    assert [row["id"] for row in found["csv"]] == [str(row["id"]) for row in found["jsonl"]]
    assert [row["values"] for row in found["csv"]] == [row["values"] for row in found["jsonl"]]
    assert [error["row"] for error in errors_of(tmp_path / "jsonl")] == [3, 5, 6, 9, 10, 11, 12]
    assert [error["row"] for error in errors_of(tmp_path / "csv")] == [3, 5, 6, 9]


@pytest.mark.slow
@pytest.mark.alone
def test_a_run_killed_twenty_times_loses_nothing(tmp_path):
    """Killed at random moments and started again, a run ends with the files of an undisturbed one."""
    rng = random.Random(16)
    source = tmp_path / "games.csv"
    games = ["".join(rng.choice("1234567") for _ in range(rng.randint(12, 24))) for _ in range(6000)]
    source.write_text("moves\n" + "".join(f"{game}\n" for game in games), "utf-8")
    options = ["--game", "connect-four", "--part-rows", "100", "--processes", "2"]
    done = label(source, tmp_path / "undisturbed", *options)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "killed"
    kills = 0
    for _ in range(20):
        command = [*COMMAND, str(source), str(out), *options]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as run:
            parts = len(list(out.glob("part-*.parquet"))) if out.exists() else 0
            deadline = time.monotonic() + LIMIT_S
            while len(list(out.glob("part-*.parquet"))) <= parts and run.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            time.sleep(rng.random() * 0.05)
            if run.poll() is None:
                kills += 1
            os.kill(run.pid, signal.SIGKILL)
    assert kills > 15
    done = label(source, out, *options)
    assert done.returncode == 0, done.stderr
    assert contents(out) == contents(tmp_path / "undisturbed")


def test_progress_tells_rate_and_time_left():
    stream, quiet = io.StringIO(), io.StringIO()
    stream.isatty = lambda: True
    progress = Progress(stream)
    progress.total = 400
    progress(100, True)
    progress(100, False)
    text = progress.text(progress._started + 20)
    assert text == "[############............] 200 of 400 rows, 5 rows/s, about 40 s left"
    assert stream.getvalue().count("\r") == 2
    Progress(quiet)(5, False)
    assert quiet.getvalue() == ""


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (7300, "2 h 1 min")])
def test_times_are_told_in_two_units(seconds, text):
    assert duration(seconds) == text


@pytest.mark.slow
@pytest.mark.alone
def test_a_cluster_makes_the_same_files_though_a_worker_dies(tmp_path):
    """A worker of a Dask cluster that is killed costs the time of its parts and nothing else."""
    distributed = pytest.importorskip("distributed", reason="install kinarow[dask] to try a cluster")
    rng = random.Random(8)
    source = tmp_path / "games.csv"
    games = ["".join(rng.choice("12345") for _ in range(rng.randint(4, 9))) for _ in range(3000)]
    source.write_text("moves\n" + "".join(f"{game}\n" for game in games), "utf-8")
    options = [*SMALL, "--part-rows", "100"]
    assert label(source, tmp_path / "here", *options).returncode == 0
    out = tmp_path / "there"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        command = [*COMMAND, str(source), str(out), *options, "--dask", cluster.scheduler_address]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:
            deadline = time.monotonic() + LIMIT_S
            while len(list(out.glob("part-*.parquet"))) < 3:
                assert time.monotonic() < deadline
                assert run.poll() is None
                time.sleep(0.01)
            os.kill(cluster.workers[0].pid, signal.SIGKILL)
            _, told = run.communicate(timeout=LIMIT_S)
        assert run.returncode == 0, told
    assert contents(out) == contents(tmp_path / "here")


@pytest.mark.slow
def test_a_cluster_of_this_machine_needs_no_address(small, tmp_path):
    source, out, _, _ = small
    done = label(source, tmp_path / "out", *SMALL, "--part-rows", 3, "--dask")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out") == contents(out)


def test_all_positions_of_a_small_game(tmp_path, capsys):
    """Every position once, finished ones too, with the values that minimax gives from the last layer up."""
    out = tmp_path / "all"
    options = ["--rows", "2", "--columns", "3", "--goal", "2", "--gravity", "--processes", "1", "--part-rows", "20"]
    assert main(["label", "--all", str(out), *options]) == 0, capsys.readouterr().err
    rows = rows_of(out)
    assert errors_of(out) == []
    scores = {row["board"]: row["score"] for row in rows}
    assert len(scores) == len(rows) == sum(map(len, layers(Rules(2, 3, 2, gravity=True))))
    for row in rows:
        position = Position.from_text(row["board"], goal=2, gravity=True, to_move=row["to_move"])
        assert row["marks"] == 6 - position.empties
        final = position.final_score()
        if final is not None:
            assert (row["score"], row["best_moves"]) == (final.value, [])
            continue
        after = {move: "/".join(position.play(move).board) for move in position.legal_moves()}
        values = {move: before(scores[board]) for move, board in after.items()}
        assert row["score"] == max(values.values())
        assert row["best_moves"] == [move + 1 for move, value in values.items() if value == row["score"]]


def before(score):
    """The score of a move from that of the position after it."""
    return 0 if score == 0 else (1 - score if score > 0 else -1 - score)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_the_output_may_be_one_file(small, tmp_path, kind):
    """It has the rows of the folder; the parts go, also where an earlier run ended before the file was whole."""
    source, folder, _, _ = small
    out = tmp_path / f"out.{kind}"
    parts = tmp_path / f"out.{kind}.parts"
    shutil.copytree(folder, parts)
    (parts / "part-00001.parquet").unlink()
    (tmp_path / f"out.{kind}.unfinished").write_text("half", "utf-8")
    assert main(["label", str(source), str(out), *SMALL, "--part-rows", "3"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"out.{kind}", f"out.{kind}.errors.jsonl"]
    assert (tmp_path / f"out.{kind}.errors.jsonl").read_bytes() == (folder / "_errors.jsonl").read_bytes()
    expected = rows_of(folder)
    if kind == "parquet":
        assert pq.read_table(out).to_pylist() == expected
        metadata = pq.read_schema(out).metadata
        assert metadata[b"kinarow.limits"] == b"to the proof"
        assert b"kinarow.errors" not in metadata
    elif kind == "jsonl":
        assert [json.loads(line) for line in out.read_text("utf-8").splitlines()] == expected
    else:
        written = list(csv.DictReader(out.read_text("utf-8").splitlines()))
        assert [row["best_moves"] for row in written] == [" ".join(map(str, row["best_moves"])) for row in expected]
        assert [(row["id"], float(row["score"]), row["proven"]) for row in written] == [
            (row["id"], row["score"], str(row["proven"]).lower()) for row in expected
        ]


def test_every_row_is_labelled_or_bad(tmp_path, capsys):
    """Whatever quotes stray, also in a run that goes on after an interruption, and in every form of output."""
    rng = random.Random(42)
    lines = [f"{number},{''.join(rng.choices('12345', k=8))}" for number in range(1, 61)]
    for row in rng.sample(range(60), 9):
        place = rng.randrange(len(lines[row]) + 1)
        lines[row] = lines[row][:place] + '"' + lines[row][place:]
    source, folder = tmp_path / "in.csv", tmp_path / "out"
    source.write_text("id,moves\n" + "".join(f"{line}\n" for line in lines), "utf-8")
    for out in (folder, *(tmp_path / f"out.{kind}" for kind in ("parquet", "csv", "jsonl"))):
        if out != folder:
            shutil.copytree(folder, f"{out}.parts")
            (tmp_path / f"{out}.parts" / "part-00003.parquet").unlink()
        assert main(["label", str(source), str(out), *SMALL, "--part-rows", "7"]) == 0
        errors = errors_of(out) if out == folder else lines_of(tmp_path / f"{out}.errors.jsonl")
        rows = {"out": rows_of, "out.parquet": rows_in_parquet, "out.csv": rows_in_csv, "out.jsonl": lines_of}
        labelled = {int(row["id"]): row["moves"] for row in rows[out.name](out)}
        bad = [error["row"] for error in errors]
        said = f"60 rows read, {len(labelled)} rows labelled, {len(bad)} bad rows"
        assert capsys.readouterr().err.splitlines()[-1] == said
        assert sorted([*labelled, *bad]) == list(range(1, 61))
        for number, line in enumerate(lines, 1):
            if number in labelled:
                assert f"{number},{labelled[number]}" == line.replace('"', "")
        assert all('"' in lines[error["row"] - 1] for error in errors if "CSV" in error["reason"])


def rows_in_parquet(file):
    return pq.read_table(file).to_pylist()


def rows_in_csv(file):
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))


@pytest.mark.parametrize("name", ["out", "out.csv"])
def test_a_count_that_does_not_add_up_is_a_failure(small, tmp_path, capsys, name):
    """A part that lost a row, by a copy of the folder that went wrong for instance."""
    source, folder, games, _ = small
    out = tmp_path / name
    parts = tmp_path / (name if name == "out" else f"{name}.parts")
    shutil.copytree(folder, parts)
    table = pq.read_table(parts / "part-00001.parquet")
    assert len(table)
    pq.write_table(table[1:], parts / "part-00001.parquet")
    assert main(["label", str(source), str(out), *SMALL, "--part-rows", "3"]) == 1
    assert f"{len(games)} rows read, but" in capsys.readouterr().err
    assert name == "out" or not out.exists()


def test_strict_fails_for_a_bad_row(small, tmp_path, capsys):
    """Everything is written as without it."""
    source, folder, _, _ = small
    assert main(["label", str(source), str(tmp_path / "out"), *SMALL, "--part-rows", "3", "--strict"]) == 1
    assert contents(tmp_path / "out") == contents(folder)
    source = tmp_path / "good.csv"
    source.write_text("moves\n4\n", "utf-8")
    assert main(["label", str(source), str(tmp_path / "good"), *SMALL, "--strict"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "1 rows read, 1 rows labelled, 0 bad rows"


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_an_empty_text_is_a_bad_row(tmp_path, kind, capsys):
    source = tmp_path / f"in.{kind}"
    texts = {"csv": "moves\n44\n\n", "jsonl": '{"moves": "44"}\n{"moves": ""}\n'}
    if kind in texts:
        source.write_text(texts[kind], "utf-8")
    else:
        pq.write_table(pa.table({"moves": ["44", ""]}), source)
    assert main(["label", str(source), str(tmp_path / "out"), *SMALL]) == 0
    assert [error["row"] for error in errors_of(tmp_path / "out")] == [2]
    assert main(["label", str(source), str(tmp_path / "start"), *SMALL, "--empty-is-start"]) == 0
    assert [row["moves"] for row in rows_of(tmp_path / "start")] == ["44", ""]
    assert main(["label", str(source), str(tmp_path / "out"), *SMALL, "--empty-is-start"]) == 1
    assert "was begun with another empty_is_start" in capsys.readouterr().err


def test_fields_of_several_lines(tmp_path):
    """Only where they are allowed; what is written can be read as it was."""
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(b'id,moves,note\n1,44,"a\nb"\n2,"4\n4",c\n3,45,"d\re"\n')
    assert main(["label", str(source), str(out), *SMALL, "--multiline"]) == 0
    with out.open(encoding="utf-8", newline="") as file:
        assert [(row["id"], row["note"]) for row in csv.DictReader(file)] == [("1", "a\nb"), ("3", "d\re")]
    assert [error["row"] for error in lines_of(tmp_path / "out.csv.errors.jsonl")] == [2, 3]
    assert main(["label", str(source), str(tmp_path / "lines"), *SMALL]) == 0
    assert rows_of(tmp_path / "lines") == []
    assert len(errors_of(tmp_path / "lines")) == 6


def test_a_file_that_is_there_is_not_written_over(tmp_path, capsys):
    source = tmp_path / "in.csv"
    source.write_text("moves\n44\n", "utf-8")
    assert main(["label", str(source), str(source), "--game", "connect-four", "--processes", "1"]) == 1
    assert "in.csv is there already" in capsys.readouterr().err
    assert source.read_text("utf-8") == "moves\n44\n"


def test_values_in_csv_are_json(tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.csv"
    source.write_text('{"board": "XX./OO./...", "tags": ["a", "b"]}\n{"board": "XXX/OO./..."}\n', "utf-8")
    assert main(["label", str(source), str(out), "--goal", "3", "--values", "--processes", "1"]) == 0
    first, over = csv.DictReader(out.read_text("utf-8").splitlines())
    assert json.loads(first["tags"]) == ["a", "b"]
    assert json.loads(first["values"])[0] == {"tile": 3, "score": 9.0, "distance_is_bound": False, "proven": True}
    assert (over["tags"], over["best_moves"], over["values"]) == ("", "", "[]")


def test_layers_are_said_where_the_rows_are_moves(tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text('{"board": "XX/..//O./.."}\n', "utf-8")
    options = ["--layers", "2", "--goal", "2", "--processes", "1"]
    assert main(["label", str(source), str(out), *options]) == 0
    assert [(row["score"], row["best_moves"]) for row in rows_of(out)] == [(-9, [])]


@pytest.mark.parametrize("rule", ["caro", "renju"])
def test_positions_of_a_game_that_cannot_be_listed(tmp_path, rule, capsys):
    options = ["--rows", "5", "--columns", "5", "--goal", "5", f"--{rule}"]
    assert main(["label", "--all", str(tmp_path / "out"), *options]) != 0
    assert f"--{rule}: positions cannot be listed with {rule}" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["a"], ["a", "b", "--all"], ["a", "b", "--symmetry"]], ids=" ".join)
def test_contradicting_arguments_are_wrong_use(options, capsys):
    assert main(["label", *options, "--game", "tic-tac-toe"]) == 2
    assert "IN and OUT" in capsys.readouterr().err
