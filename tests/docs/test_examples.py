"""Every example of the README and the documentation prints what its page says."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from kinarow.game.position import Position
from tests.support.examples import EXEMPT, Example, blocks, examples, pages, unexplained
from tests.support.server import REPOSITORY


def by_page(example: Example):
    return example if example.block.page.name == "README.md" else pytest.param(example, marks=pytest.mark.slow)


@pytest.mark.parametrize("example", [by_page(each) for each in examples()], ids=str)
def test_an_example_prints_what_the_page_says(example: Example, live_server) -> None:
    if not shutil.which(example.program):
        pytest.skip(f"{example.program} is not installed")
    printed = example.run(live_server.url)
    if example.answer is not None:
        assert example.comparable(printed) == example.comparable(example.answer.text)


def test_every_block_is_run_or_says_why_not() -> None:
    assert [str(block) for block in unexplained()] == []
    assert sum("curl" in example.block.text for example in examples()) > 10
    assert {REPOSITORY / name for name in EXEMPT} < set(pages())


GAMES = ["3344", "4453", "33445"]
"""A win and a loss of X, which is to move, and a loss of O."""


def published(folder: Path) -> dict[str, list[str]]:
    """Writes files in the forms of published ones; what their recipes find of each row."""
    positions = [Position.from_moves(moves, game="connect-four") for moves in GAMES]
    boards = [np.asarray(each) for each in positions]
    columns = [",".join("bxo"[mark] for mark in board[::-1].T.ravel()) for board in boards[:2]]
    (folder / "connect-4.data").write_text(f"{columns[0]},win\n{columns[1]},loss\n")
    (folder / "tic-tac-toe.data").write_text("x,x,x,o,o,b,b,b,b,positive\nx,o,b,b,x,b,o,b,x,positive\n")
    steps = [[{"observation": {"board": board.ravel().tolist(), "mark": 1}}, {}] for board in boards]
    (folder / "episode.json").write_text(json.dumps({"steps": steps}))
    own = np.stack([board == each.to_move for board, each in zip(boards, positions, strict=True)])
    both = np.stack(boards) > 0
    np.save(folder / "planes.npy", np.stack([own, both & ~own], axis=1).astype(np.float32))
    weights = 1 << (7 * np.arange(7) + np.arange(6)[::-1, None])
    (folder / "bitboards.txt").write_text(
        "".join(f"{(o * weights).sum()} {(b * weights).sum()}\n" for o, b in zip(own, both, strict=True))
    )
    (folder / "Test_L3_R1").write_text("3344 18\n4453 -2\n33445 -17\n")
    all_three = ["win", "loss", "loss"]
    return {
        "connect-4.data": all_three[:2], "tic-tac-toe.data": ["loss", "loss"],
        **dict.fromkeys(["episode.json", "planes.npy", "bitboards.txt", "Test_L3_R1"], all_three),
    }  # fmt: skip


def test_each_recipe_for_a_published_form_reads_it_in_six_lines(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    expected = published(tmp_path)
    for block in blocks(REPOSITORY / "docs/data-sets.md"):
        (name,) = [name for name in expected if f'"{name}"' in block.text] or [""]
        if not name:
            continue
        assert len(block.text.split("\n")) - block.text.count("\n\n") - 1 <= 6 + ("print" in block.text)
        names: dict[str, Any] = {}
        exec(block.text, names)
        found = names["values"]["outcome"].tolist() if "values" in names else names["labelled"]["outcome"].to_pylist()
        assert found == expected.pop(name)
    assert expected == {}
    assert capsys.readouterr().out == "1.0\n"


def test_the_recipes_for_ray_and_spark_take_any_batch() -> None:
    """Their functions need neither; Spark's columns are those that come back."""
    names: dict[str, Any] = {}
    for block in blocks(REPOSITORY / "docs/data-sets.md"):
        if block.language == "python" and "def label" in block.text:
            exec(re.sub(r"import ray|from pyspark.*", "", block.text.partition("games = ")[0]), names)
    batch = pa.record_batch({"moves": ["44444432756713", "9"]})
    (labelled,) = names["label_batches"]([batch])
    assert isinstance(labelled, pa.RecordBatch)
    assert [each.split()[0] for each in names["COLUMNS"].split(", ")] == labelled.schema.names
    table = names["label"](pa.table(batch))
    assert table.equals(pa.table(labelled))
    assert table["outcome"].to_pylist() == ["draw", None]
