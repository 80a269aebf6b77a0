"""The data set: complete small games, splits that no symmetry crosses, true labels, and a run that goes on."""

import json

import numpy as np
import pyarrow.dataset as ds
import pytest

from kinarow.game.position import Position
from tests.support.positions import judged
from training import dataset
from training.dataset import RULE_SETS, SPLITS, make

pytestmark = pytest.mark.slow

TTT_ONGOING = 627
"""Ongoing positions of tic-tac-toe up to symmetry: 765 less 138 finished ones."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three small rule sets; the parts are small too."""
    found = tmp_path_factory.mktemp("data")
    for name in ("tic-tac-toe", "4x4-4-gravity", "4x4-3-misere"):
        make(found, name, 1, 700)
    return found


def rows(folder, split, name):
    return ds.dataset(folder / split / name, exclude_invalid_files=True).to_table().to_pylist()


def images(board):
    """The eight images of a square board. X begins all games, so an exchange of the sides is no other image."""
    cells = np.array([list(row) for row in board.split("/")])
    turned = [np.rot90(each, times) for each in (cells, cells.T) for times in range(4)]
    return {"/".join("".join(row) for row in each) for each in turned}


def test_at_least_forty_rule_sets():
    assert len({rules for rules, _ in RULE_SETS.values()}) == len(RULE_SETS) >= 40


def test_every_ongoing_position_of_tic_tac_toe_is_there_once(folder):
    boards = [row["board"] for split in SPLITS for row in rows(folder, split, "tic-tac-toe")]
    assert len({min(images(board)) for board in boards}) == len(boards) == TTT_ONGOING


def test_no_image_of_a_position_is_in_two_splits(folder):
    for name in ("tic-tac-toe", "4x4-3-misere"):
        seen = {split: set().union(*(images(row["board"]) for row in rows(folder, split, name))) for split in SPLITS}
        assert all(seen.values())
        assert not seen["train"] & seen["test"] | seen["train"] & seen["validation"] | seen["validation"] & seen["test"]


def test_labels_are_those_of_minimax(folder):
    late = [row for row in rows(folder, "test", "4x4-3-misere") if row["marks"] >= 9]
    assert late
    for row in late:
        outcome, _, best = judged(Position.from_text(row["board"], goal=3, misere=True, to_move=row["to_move"]))
        assert (row["best_moves"], row["outcome"]) == (sorted(move + 1 for move in best), outcome), row


def test_a_run_goes_on_and_repeats(folder, tmp_path, monkeypatch):
    first = make(tmp_path, "tic-tac-toe", 1, 700)
    monkeypatch.setattr(dataset, "label_table", None)  # a second run labels nothing
    assert make(tmp_path, "tic-tac-toe", 1, 700) == first == make(folder, "tic-tac-toe", 1, 700)
    assert sum(first[split] for split in SPLITS) == TTT_ONGOING == first["proven"]
    json.dumps(first)
    assert Position.from_text(rows(tmp_path, "train", "tic-tac-toe")[0]["board"], goal=3)
