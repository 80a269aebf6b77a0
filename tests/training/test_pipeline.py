"""The pipeline of training, small: the same seed gives the same games and the same numbers."""

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.search.calibration import Slope
from kinarow.solvers.large_boards.board.kernel_marks import put
from kinarow.solvers.large_boards.network.kernel_forward_pass import estimate
from kinarow.solvers.large_boards.network.weights import learned
from kinarow.solvers.large_boards.network.weights_digest import write_with_digest
from kinarow.solvers.large_boards.search.kernel_record import DECISIVE
from kinarow.solvers.large_boards.search.search_board import new_board
from kinarow.solvers.large_boards.search.tunables import new_tunables
from training import calibrate, fit, harvest, network, order, positions, self_play, sequential_test
from training.games import CARO, EXACT, FREE, RENJU, Game, files, read, write
from training.tuples import TUPLES, minimise, parts, quiet_positions

NODES = 200
LONG_GAME = (
    "145 95 82 158 79 128 110 96 94 109 81 80 112 126 113 127 129 97 125 114 142 161 159 173 188 146 131 117 115 130 "
    "162 99 98 101 69 85 102 133 149"
)
"""Cells of a free game on 15 x 15 that was balanced almost to its end."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of a few games."""
    found = tmp_path_factory.mktemp("games")
    self_play.play_file(0, 7, NODES, found, games=12)
    return found


def replayed(game):
    """The position after a game, which goes on before every move."""
    position = Position.empty(self_play.rules_of(game.side, game.goal, game.rule))
    for cell in game.moves:
        assert position.ending().state == "ongoing"
        position = position.play(int(cell))
    return position


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games(folder, tmp_path):
    self_play.play_file(0, 7, NODES, tmp_path, games=12)
    (again,) = files(tmp_path)
    with np.load(again) as new, np.load(folder / again.name) as old:
        assert set(new.files) == set(old.files)
        assert all(np.array_equal(new[name], old[name]) for name in new.files)


@pytest.mark.slow
def test_a_file_that_is_there_is_not_played_again(folder):
    (before,) = files(folder)
    written = before.stat().st_mtime_ns
    self_play.play_file(0, 7, NODES, folder, games=12)
    assert before.stat().st_mtime_ns == written


@pytest.mark.slow
def test_games_are_legal_and_their_results_true(folder):
    for game in read(files(folder)):
        ending = replayed(game).ending()
        if ending.state == "won":
            assert game.result == {1: 1, 2: -1}[ending.winner]
        assert len(game.moves) == len(game.values) == len(game.drawn)
        assert not game.drawn[: game.opening].any()


@pytest.mark.slow
def test_positions_judged_are_legal_and_repeat(folder, tmp_path):
    """Every move of a position is one of the game's rules, the last is the search's, and a proof has its result."""
    games = list(read(files(folder)))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        positions.judge_file(0, 5, NODES, games, tmp_path / name, 6)
    one, two = (list(read(files(tmp_path / name))) for name in ("one", "two"))
    assert len(one) == 6
    for game, again in zip(one, two, strict=True):
        assert np.array_equal(game.moves, again.moves)
        assert game.opening == len(game.moves) - 1
        replayed(game)
        assert (game.result != 0) <= (abs(game.values[-1]) >= DECISIVE)


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


def test_late_games_need_long_ones(tmp_path, capsys):
    with pytest.raises(SystemExit):
        harvest.main(["--late", str(tmp_path), "--out", str(tmp_path)])
    assert f"no long game in {tmp_path}" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True])
def test_quick_games_and_positions_beside_them_are_legal_and_repeat(late, tmp_path):
    moves = np.array(LONG_GAME.split(), np.int64)
    game = Game(15, 5, FREE, 7, -1, moves, np.zeros(len(moves), np.bool_), np.zeros(len(moves), np.int64))
    write(tmp_path / "long.npz", [game])
    long = harvest.long_games(files(tmp_path)) if late else []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        harvest.play_file(0, 3, NODES, tmp_path / name, 3, long)
    one, two = (list(read(files(tmp_path / name))) for name in ("one", "two"))
    assert any(len(game.moves) == game.opening + 1 for game in one)
    assert all(game.opening >= harvest.LATE_MARKS[0] for game in one) == late
    for game, again in zip(one, two, strict=True):
        assert np.array_equal(game.moves, again.moves)
        assert np.array_equal(game.values, again.values)
        assert not game.values[: game.opening].any()
        if (winner := replayed(game).ending().winner) is not None:
            assert game.result == {1: 1, 2: -1}[winner]


@pytest.mark.slow
def test_the_engine_estimates_what_the_network_says(folder, tmp_path):
    """The engine's integers give the estimates of the fit, up to rounding, in every quiet position of some games."""
    data = fit.collect(files(folder))
    fitted = fit.fit(data, 4)
    expected = network.SCALE * network.estimates(data, fitted)
    path = tmp_path / "weights.npz"
    write_with_digest(path, {**network.export(fitted), "order": order.export(np.zeros((2, len(TUPLES))))})
    tunables = new_tunables()
    found = []
    for _, game, ply, side, _ in quiet_positions(files(folder)):
        sizes = (game.side, game.side, game.goal, False, False, game.rule == EXACT, tunables)
        renju = 0 if game.rule == RENJU else -1
        board = new_board(*sizes, caro=game.rule == CARO, beginner=renju, weights=learned(path))[0]
        for number, cell in enumerate(game.moves[:ply]):
            put(board, int(cell), number % 2)
        found.append(estimate(board, side))
    errors = np.abs(np.array(found) - expected)
    assert errors.mean() < 8
    # The engine cuts each of the hidden values to a whole number, which alone may add up to 19 points here.
    assert errors.max() < 30
    assert np.std(found) > 100


@pytest.mark.slow
def test_the_fits_learn_what_the_searches_say(folder):
    """On what they were fitted on, the estimate and the order come nearer to the searches than the hand-set ones."""
    data, choices = fit.collect(files(folder)), order.collect(files(folder), 10_000)
    learned = network.loss(data, fit.fit(data, 3))
    assert network.floor(data) < learned < network.loss(data, fit.hand_set())
    found = [order.log_chances(choices, order.scores(choices, p)) for p in (order.fit(choices), order.hand_set())]
    better, worse = (logs[choices.chosen].mean() for logs in found)
    assert better > worse
    assert np.add.reduceat(np.exp(found[0]), choices.first) == pytest.approx(1)


def test_games_are_kept_as_they_are(tmp_path):
    games = [
        Game(20, 5, EXACT, 2, -1, np.array([399, 0, 1]), np.array([False, False, True]), np.array([0, 0, -29990])),
        Game(9, 6, FREE, 0, 0, np.array([40]), np.array([False]), np.array([12])),
    ]
    write(tmp_path / "games.npz", games)
    for before, after in zip(games, read(files(tmp_path)), strict=True):
        assert before[:5] == after[:5]
        assert all(np.array_equal(a, b) for a, b in zip(before[5:], after[5:], strict=True))


def test_the_fit_finds_a_slope_that_games_were_drawn_with():
    """Results drawn with known odds: the fitted slope says about the same of an estimate of one half."""
    rng = np.random.default_rng(3)
    count = 20_000
    value = rng.uniform(-0.8, 0.8, count)
    odds = np.sign(value) * (np.abs(value) / (1 - np.abs(value))) ** 0.8 * np.exp(0.7)
    result = np.where(rng.random(count) < 1 / (1 + np.exp(-odds)), 1, -1)
    filled = rng.uniform(0, 0.5, count)
    rows = np.stack(
        [np.arange(count), value, result, np.full(count, 15), np.full(count, 5), np.zeros(count), 225 * (1 - filled)],
        axis=1,
    )
    found = calibrate.fit(rows)
    assert isinstance(found, Slope)
    assert found.base == pytest.approx(0.7, abs=0.1)
    assert found.power == pytest.approx(0.8, abs=0.1)
    assert found.by_fill == pytest.approx(0, abs=0.2)


def test_the_minimiser_finds_the_least_point_of_a_square():
    rng = np.random.default_rng(1)
    root = rng.normal(size=(8, 8))
    square, least = root @ root.T + np.eye(8), rng.normal(size=8)

    def of(at):
        away = at - least
        return float(away @ square @ away) / 2, square @ away

    assert minimise(of, np.zeros(8), 60) == pytest.approx(least, abs=1e-3)


def test_tuples_have_their_patterns_and_pairs():
    basis = parts()
    assert (basis[:, :16].sum(axis=1) == 4).all()
    assert (basis[:, 16:].sum(axis=1) == 6).all()
    alike = TUPLES.index((13, 13, 13, 13))
    assert basis[alike, 13] == 4
    assert fit.hand_set().points[alike, 0] == 4 * 600 / network.SCALE


def test_deciding_moves_come_first():
    """The fit sees no position where a line can be completed: the file says that such moves are best."""
    found = order.export(np.zeros((2, len(TUPLES))))
    five, four = (TUPLES.index((1, 1, 1, pattern)) for pattern in (13, 12))
    assert found[0, five] > found[1, five] > found[0, four] > found[1, four]
