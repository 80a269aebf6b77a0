"""The learned points: they belong to the cells of the board, and hand-set ones are the sums that they say they are."""

import itertools
import random

import numpy as np
import pytest

from kinarow.game.rules import Rules
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.layout import FEATURES
from kinarow.solvers.large_boards.board.patterns import BUILD_CELL, OPEN_FOUR_CELL, PATTERNS
from kinarow.solvers.large_boards.board.tunables import DEFAULTS
from kinarow.solvers.large_boards.network.kernel_forward_pass import threats
from kinarow.solvers.large_boards.network.kernel_sums import bring_sums_up_to_date
from kinarow.solvers.large_boards.network.weights import load_weights, threat_parts
from kinarow.solvers.large_boards.search.records import new_game
from tests.support.large_boards import empty_board
from training.tuples import cell_patterns_of_quads, patterns_of_quads, quads_of, tuples_of_quads


def board_of(gravity=False, weights=None, goal=5):
    """An empty board."""
    return empty_board(new_game(Rules(11, 12, goal, gravity), weights=weights))


def test_quads_of_the_same_patterns_have_one_tuple():
    tuples = list(itertools.combinations_with_replacement(range(PATTERNS), 4))
    numbers = tuples_of_quads()
    assert numbers.max() + 1 == len(tuples)
    for quad in random.Random(1).sample(range(1 << 16), 500):
        assert tuples[numbers[quad]] == tuple(sorted(patterns_of_quads()[quad].tolist()))


def assert_sums(board, side, tuples):
    bring_sums_up_to_date(*board)
    marks = board.game.cells - board.state.empty
    low, high = load_weights().points[0][tuples].sum(axis=0, dtype=int).tolist()
    assert board.state.point_sums[marks, side] == low + (high << 32)
    features = board.state.sums.reshape(-1, 2, FEATURES)[marks, side]
    assert features.tolist() == load_weights().features[0][tuples].sum(axis=0, dtype=int).tolist()


def rectified(numbers):
    return np.maximum(numbers, 0)


def pools_of(board):
    """The channels of all regions, rectified and summed for each side, worked out from the cells alone."""
    network = load_weights()[0]
    rows, columns = int(board.game.rows), int(board.game.columns)
    quads, at_first = quads_of(board.game, board.state), board.game.empty_quads[: rows * columns]
    pools = []
    for side in range(2):
        regions = np.tile(network.region_bias.astype(int), (rows // 2 + 2, columns // 2 + 2, 1))
        for cell in range(rows * columns):
            if board.state.mark[cell]:
                channels = network.embedding[256 if board.state.mark[cell] == side + 1 else 257].astype(int)
            elif board.state.quads[cell] == at_first[cell]:
                continue
            else:
                own, other = (patterns_of_quads()[quads[cell, each]] for each in (side, 1 - side))
                channels = network.cell_bias + network.embedding[own + 16 * other].sum(axis=0, dtype=int)
            row, column = cell // columns // 2, cell % columns // 2
            regions[row : row + 2, column : column + 2] += rectified(channels)
        gains = (rectified(regions) >> 2) - (rectified(network.region_bias.astype(int)) >> 2)
        pools.append(gains.sum(axis=(0, 1)))
    return pools


def some_marks(board, rng, steps):
    """Marks come and go. It yields after half of the steps: sums of several marks are worked out later, or never."""
    marks = []
    for _ in range(steps):
        if marks and rng.random() < 0.3:
            take_back(*board, marks.pop())
        else:
            cell = rng.choice([c for c in range(board.game.cells) if board.state.mark[c] == 0])
            put(*board, cell, rng.randrange(2))
            marks.append(cell)
        if rng.random() >= 0.5:
            yield


@pytest.mark.parametrize("goal", [4, 5, 6, 9])  # the last without a table of patterns
def test_the_channels_of_regions_are_those_of_their_cells(goal):
    rng = random.Random(goal)
    board = board_of(goal=goal)
    for _ in some_marks(board, rng, 60):
        bring_sums_up_to_date(*board)
        found = board.state.pools.reshape(-1, 2, FEATURES)[board.game.cells - board.state.empty]
        assert found.tolist() == [pool.tolist() for pool in pools_of(board)]


@pytest.mark.parametrize("goal", [4, 5, 6])
def test_the_points_on_the_board_are_those_of_its_cells(goal):
    rng = random.Random(goal)
    board = board_of(goal=goal)
    for _ in some_marks(board, rng, 120):
        empty = np.flatnonzero(board.state.mark[: board.game.cells] == 0)
        for side in range(2):
            assert_sums(board, side, tuples_of_quads()[quads_of(board.game, board.state)[empty, side]])


def test_hand_set_points_are_sums_of_the_tunables():
    game = board_of(gravity=True).game
    points, order = np.array(DEFAULTS["pattern_points"]), np.array(DEFAULTS["cell_pattern_order"])
    kinds = cell_patterns_of_quads()
    for quad in random.Random(2).sample(range(1 << 16), 200):
        total = points[patterns_of_quads()[quad]].sum()
        assert game.tuple_points[game.tuple_of_quad[quad]] == 16 * total * (1 + (1 << 32))
        assert game.quad_order[0, quad] == total + order[0, kinds[quad]]
        assert game.quad_order[1, quad] == total * DEFAULTS["defence_share"] // 16 + order[1, kinds[quad]]
    assert (game.threat_points == DEFAULTS["move_bonus"]).all()
    assert game.has_network == 0


def test_every_number_of_threats_adds_the_sum_of_its_parts():
    assert (board_of().game.threat_layer == threat_parts() @ load_weights().threat_layer[0].astype(np.int64)).all()


def test_threats_are_numbered_by_their_kinds():
    board = board_of()
    for cell in (64, 65, 66):
        put(*board, cell, 1)
    kinds = [board.state.count[1, BUILD_CELL + kind] > 0 for kind in range(5)]
    assert board.state.count[1, OPEN_FOUR_CELL] > 0
    assert threats(board.state, 0) == sum(32 << kind for kind in range(5) if kinds[kind]) + 1024
    assert threats(board.state, 1) == sum(1 << kind for kind in range(5) if kinds[kind])
