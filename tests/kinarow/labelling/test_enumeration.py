"""Every position of a game, against published counts and a search of its own."""

import numpy as np
import pyarrow.parquet as pq
import pytest

import kinarow
from kinarow.game.rules import Rules
from kinarow.labelling.enumeration import check, layers, tables
from tests.support import oracle
from tests.support.commands import kinarow as command
from tests.support.positions import EVERY_RULE
from tests.support.samples import NODES_OF_EMPTY_BOARD


def counted(rules):
    """The positions of each layer, found board by board by the oracle's rules."""
    layer, found = {bytes(rules.cells): True}, []
    while layer:
        found.append(set(layer))
        children = {}
        for cells, ongoing in layer.items():
            for move in oracle.moves(rules, cells, 1) if ongoing else ():
                child = oracle.put(rules, cells, move, (len(found) - 1) % 2 + 1)
                children[child] = not oracle.lines_through(rules, child, move)
        layer = children
    return found


@EVERY_RULE
@pytest.mark.parametrize("size", [(3, 3), (3, 4), (4, 3)], ids=str)
def test_layers_hold_what_the_rules_reach(flags, size):
    rules = Rules(*size, 3, *flags)
    if rules.cells > 9 and not rules.gravity:
        rules = Rules(2, 4, 3, *flags)
    assert [{bytes(board.tolist()) for board in layer} for layer in layers(rules)] == counted(rules)


@pytest.mark.parametrize(
    ("rules", "symmetry", "count"),
    [
        (Rules(3, 3, 3), False, NODES_OF_EMPTY_BOARD["minimax with a table"]),
        (Rules(3, 3, 3), True, NODES_OF_EMPTY_BOARD["minimax with a table and symmetry"]),
        (Rules(3, 3, 3, misere=True), False, 5_478),
        (Rules(4, 4, 4, gravity=True), False, 161_029),
        pytest.param(Rules(5, 4, 4, gravity=True), False, 1_706_255, marks=pytest.mark.slow),
        pytest.param(Rules(4, 5, 4, gravity=True), False, 3_945_711, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_counts_are_the_published_ones(rules, symmetry, count):
    """Those with gravity are John Tromp's."""
    assert sum(map(len, layers(rules, symmetry=symmetry))) == count


@pytest.mark.parametrize(
    ("side", "xs", "os", "ended"),
    [
        (3, [0, 0, 7, 9, 85, 67, 139, 70, 23, 12], [0, 0, 0, 8, 5, 72, 38, 56, 23, 0], [0] * 5 + [21, 21, 58, 23, 15]),
        pytest.param(
            4,
            [0] * 6 + [1100, 280, 26771, 11535, 91567, 36362, 78138, 26146, 12900, 3774, 0],
            [0] * 7 + [2476, 642, 31841, 11251, 66364, 21718, 29258, 8496, 1335, 371],
            [0] * 7 + [280, 642, 4942, 6770, 20286, 16042, 20998, 7970, 3774, 1059],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_file_has_the_published_numbers_of_positions_won_and_ended(capsys, tmp_path, side, xs, os, ended):
    """Up to symmetry, by the number of marks: A317573, A317574 and A317576 of the same encyclopedia."""
    sides = f"--rows={side}", f"--columns={side}", f"--goal={side}"
    assert command(capsys, "label", "--all", str(tmp_path / "out"), "--symmetry", *sides)[0] == 0
    rows = pq.read_table(tmp_path / "out")
    marks, outcomes, distances = (rows[name].to_numpy() for name in ("marks", "outcome", "distance"))
    winners = np.where(outcomes == "draw", 0, np.where((outcomes == "win") == (marks % 2 == 0), 1, 2))
    counts = [np.bincount(marks[which], minlength=len(xs)) for which in (winners == 1, winners == 2, distances == 0)]
    assert [each.tolist() for each in counts] == [xs, os, ended]


def test_few_marks_of_a_large_game_can_be_listed():
    rules = Rules(15, 15, 5)
    with pytest.raises(kinarow.InputError, match="more than 1,000,000,000 positions"):
        check(rules, symmetry=False, max_marks=9)
    check(rules, symmetry=False, max_marks=2)
    (table, *_, last) = tables(rules, symmetry=True, max_marks=1)
    assert (len(table), len(last)) == (1, 36)


def test_blocked_cells_stay():
    rules = Rules(1, 3, 2, blocked=1 << 1)
    assert [layer.tolist() for layer in layers(rules)] == [[[0, 3, 0]], [[0, 3, 1], [1, 3, 0]], [[1, 3, 2], [2, 3, 1]]]
