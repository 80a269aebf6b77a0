"""``training.book`` proves an opening in parts, and goes on where it was stopped."""

import json
import sys

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.known import book
from tests.support.commands import ended

RULES = Rules(4, 4, 4, gravity=True)
PLIES = 4


def make_book(work, *options):
    words = ("--rows=4", "--columns=4", f"--plies={PLIES}", "--table-megabytes=1", "--work", work, *options)
    return ended(sys.executable, "-m", "training.book", *words, seconds=240)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A work folder with the finished book of the small board, made by two processes."""
    folder = tmp_path_factory.mktemp("book")
    done = make_book(folder, "--processes", "2")
    assert done.returncode == 0, done.stderr
    assert "positions to 4 plies" in done.stdout
    assert "left" in done.stderr
    return folder


@pytest.mark.slow
def test_the_book_knows_every_opening_of_the_board(work):
    made = book.read(work / book.file_name(RULES), RULES)
    assert made.plies == PLIES
    assert made.value(Position.empty(RULES)).outcome == "draw"
    assert list(made.keys) == sorted(set(made.keys))
    assert len(made.keys) == len(made.values)


@pytest.mark.slow
def test_only_missing_and_damaged_parts_are_proven_again(work):
    output = work / book.file_name(RULES)
    before = output.read_bytes()
    parts = sorted(work.glob("*/part-*.json"))
    assert len(parts) > 5
    parts[1].unlink()
    parts[2].write_text("[1, 2", "utf-8")
    parts[3].write_text(json.dumps(["no value"]), "utf-8")
    done = make_book(work, "--processes", "1")
    assert done.returncode == 0, done.stderr
    proven = {line.split(":")[0] for line in done.stderr.splitlines() if line.startswith("part ")}
    assert proven == {"part 1", "part 2", "part 3"}
    assert output.read_bytes() == before
