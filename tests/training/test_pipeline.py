"""The pipeline of training, small: the same seed gives the same games and the same numbers."""

import json
import sys

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Pointer
from kinarow.search.known import book
from kinarow.solvers.large_boards.board.records import new_state
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate
from tests.support.commands import ended
from training import calibrate, fit, harvest, network, order, sequential_test
from training.games import EXACT, FREE, Game, files, read, rules_of, write
from training.tuples import TUPLES, board_after, quiet_positions

NODES = 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of a few games."""
    found = tmp_path_factory.mktemp("games")
    harvest.play_file(0, 7, NODES, found, games=24)
    return found


def replayed(game):
    """The position after a game, which goes on before every move."""
    position = Position.empty(rules_of(game.side, game.goal, game.rule))
    for cell in game.moves:
        assert position.ending().state == "ongoing"
        position = position.play(int(cell))
    return position


def twice(folder, make):
    """The games of two folders made in the same way."""
    for name in ("one", "two"):
        (folder / name).mkdir()
        make(folder / name)
    one, two = (list(read(files(folder / name))) for name in ("one", "two"))
    for game, again in zip(one, two, strict=True):
        assert np.array_equal(game.moves, again.moves)
        assert np.array_equal(game.values, again.values)
    return one


def test_a_fit_without_games_says_how_to_make_them(tmp_path, capsys):
    with pytest.raises(SystemExit):
        fit.main(["--games", str(tmp_path / "none")])
    assert f"python -m training.harvest --out {tmp_path / 'none'}" in capsys.readouterr().err


@pytest.mark.slow
def test_the_whole_pipeline_repeats(folder, tmp_path, capsys):
    for name in ("one.npz", "two.npz"):
        assert fit.main(["--games", str(folder), "--rounds", "2", "--out", str(tmp_path / name)]) == 0
    one, two = (np.load(tmp_path / name) for name in ("one.npz", "two.npz"))
    assert all(np.array_equal(one[name], two[name]) for name in one.files)
    arguments = [str(tmp_path / "one.npz"), "--nodes", "50", "--games", "2"]
    assert sequential_test.main(arguments) in (0, 1)
    assert calibrate.main(["--games", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "held out" in said
    assert "won: " in said


@pytest.mark.slow
def test_games_and_positions_beside_them_are_legal_and_repeat(tmp_path):
    found = twice(tmp_path, lambda out: harvest.play_file(0, 3, NODES, out, 3))
    assert any(len(game.moves) == game.opening + 1 for game in found)
    for game in found:
        assert not game.values[: game.opening].any()
        if (winner := replayed(game).ending().winner) is not None:
            assert game.result == {1: 1, 2: -1}[winner]


@pytest.mark.slow
def test_the_engine_estimates_what_the_network_says(folder, tmp_path):
    """The engine's integers give the estimates of the fit, up to rounding, in every quiet position of some games."""
    data = fit.stack(fit.rows(files(folder)))
    fitted = fit.fit(data, 4)
    expected = network.SCALE * network.estimates(data, fitted)
    path = tmp_path / "weights.npz"
    np.savez_compressed(path, **network.export(fitted), order=order.export(np.zeros((2, len(TUPLES)))))
    found, state = [], Pointer(new_state())
    for _, game, ply, _ in quiet_positions(files(folder)):
        found.append(estimate(*board_after(game[:3], game.moves[:ply], state, path), 0))
    errors = np.abs(np.array(found) - expected)
    assert errors.mean() < 8
    # The engine cuts each of the hidden values to a whole number, which alone may add up to 19 points here.
    assert errors.max() < 30
    assert np.std(found) > 100


def test_games_are_kept_as_they_are(tmp_path):
    games = [
        Game(20, 5, EXACT, 2, -1, np.array([399, 0, 1]), np.array([False, False, True]), np.array([0, 0, -29990])),
        Game(9, 6, FREE, 0, 0, np.array([40]), np.array([False]), np.array([12])),
    ]
    write(tmp_path / "games.npz", games)
    for before, after in zip(games, read(files(tmp_path)), strict=True):
        assert before[:5] == after[:5]
        assert all(np.array_equal(a, b) for a, b in zip(before[5:], after[5:], strict=True))


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
