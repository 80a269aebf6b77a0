"""Forced wins and only-defences on 15 x 15, proofs held against exact solvers, and the strength of the search."""

import json
import random
from pathlib import Path

import pytest

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import O, Rules, X
from kinarow.reading.moves import read_moves
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards import solver as large
from kinarow.solvers.large_boards.board.kernel_marks import put
from kinarow.solvers.large_boards.board.layout import DECISIVE, WIN
from tests.support.large_boards import Engine, board_of, new
from tests.support.positions import random_positions
from tests.support.samples import sampled

SIDE = 15
RULES = Rules(SIDE, SIDE, 5)
DEFAULT_NODES = 1_000_000
PUZZLES = json.loads((Path(__file__).parent / "puzzles.json").read_text("utf-8"))
WINS = [puzzle for puzzle in PUZZLES if puzzle["kind"] == "win"]
DEFENCES = [puzzle for puzzle in PUZZLES if puzzle["kind"] == "defence"]
REFUTED = [puzzle["moves"] for puzzle in PUZZLES if puzzle["kind"] == "refuted"]
QUIET_WINS = [
    # The rules, the marks of X and of O (X began), the quiet move that wins, and the plies that the win takes
    ({}, "h8i8j8h7i7k7h4", "i9k8f7j7f5i5g4", "i6", 7),
    ({"exact_goal": True}, "h8i8j8h7i7k7h4", "i9k8f7j7f5i5g4", "i6", 7),
    ({"caro": True}, "h8i8j8h7i7k7h4", "i9k8f7j7f5i5g4", "i6", 13),
    ({"renju": True}, "k10h9h8k8i7j7", "g9i9j9g6j6", "f5", 5),
    ({"renju": True}, "e10h10j10h8i8i7", "g11e9h9j9g8h7", "g10", 7),
    ({"renju": True}, "j11h10i10h8h7i7j7h6", "j10g9h9f8i8k7k6g5", "g6", 9),
]
LEAST_RIGHT = 0.95
MISERE_EMPTIES = 9
LEAST_DEFENDED = 0.8
"""That a move holds is what no search has refuted, so that some of these may be lost whatever is played."""


def board_after(moves):
    """The kernel's board after these moves in turn."""
    board = new(RULES)
    for number, cell in enumerate(moves):
        put(*board, cell, (number - len(moves)) % 2)
    return board


def think(moves, nodes=DEFAULT_NODES):
    """The reports of a search after these moves in turn."""
    return Engine(board_after(moves), nodes, slots=1 << large.slot_bits(nodes)).think()


def wins_in(report):
    """The plies of a proven win, None where the report is none."""
    if report.proven and report.value >= DECISIVE:
        return WIN - report.value
    return None


@sampled("step", 9, 1)
def test_wins_by_threats_are_found_within_the_default_budget_in_no_more_plies_than_is_known(step):
    found = [(wins_in(think(puzzle["moves"])[-1]), puzzle["plies"]) for puzzle in WINS[::step]]
    assert sum(plies is not None and plies <= known for plies, known in found) >= LEAST_RIGHT * len(found)


@pytest.mark.slow
def test_the_only_defences_are_found_within_the_default_budget():
    """The move is one that no search refutes, where the position is not proven lost."""
    reports = [(think(puzzle["moves"])[-1], puzzle["holds"]) for puzzle in DEFENCES]
    undecided = [report.best in holds for report, holds in reports if report.value > -DECISIVE]
    assert len(undecided) >= 4
    assert sum(undecided) >= LEAST_DEFENDED * len(undecided)


def test_a_proven_win_is_played_to_its_end_in_no_more_plies_than_it_says():
    """The winner follows its proofs, the loser plays what makes most of its own; the bound never breaks."""
    rng = random.Random(5)
    for puzzle in WINS[:3]:
        moves = list(puzzle["moves"])
        left = wins_in(think(moves, 100_000)[-1])
        assert left is not None
        while True:
            report = think(moves, 100_000)[-1]
            plies = wins_in(report)
            assert plies is not None
            assert plies <= left
            moves.append(report.best)
            if plies == 1:
                break
            answers = think(moves, 2000)[-1]
            empty = [cell for cell in range(SIDE * SIDE) if cell not in moves]
            moves.append(answers.best if rng.random() < 0.7 else rng.choice(empty))
            left = plies - 2
        assert Position.empty(RULES).after(moves).ending().state == "won"


def quiet_win(fields, xs, os, symmetry=None):
    """The position of a row of ``QUIET_WINS``, or its image."""
    rules = Rules(SIDE, SIDE, 5, **fields)
    cells = bytearray(rules.cells)
    for mark, text in ((X, xs), (O, os)):
        for move in read_moves(text, rules):
            cells[move.cell] = mark
    image = bytes(cells if symmetry is None else [cells[cell] for cell in symmetry])
    return Position.from_cells(rules, image, X if cells.count(X) == cells.count(O) else O)


@pytest.mark.parametrize(("fields", "xs", "os", "move", "plies"), QUIET_WINS, ids=str)
def test_a_win_that_begins_with_a_quiet_move_is_proven_on_every_image_of_the_board(fields, xs, os, move, plies):
    rules = Rules(SIDE, SIDE, 5, **fields)
    best = read_moves(move, rules)[0].cell
    for symmetry in geometry(rules).symmetries:
        board = board_of(quiet_win(fields, xs, os, symmetry))
        report = Engine(board, 200_000, slots=1 << large.slot_bits(200_000)).answer()
        assert wins_in(report) is not None
        assert wins_in(report) <= plies
        assert symmetry[report.best] == best


@pytest.mark.slow
@pytest.mark.parametrize(("fields", "xs", "os", "move", "plies"), QUIET_WINS, ids=str)
def test_after_a_quiet_move_that_wins_threats_win_against_every_answer(fields, xs, os, move, plies):
    """By searches that do not ask what a pass would lose, so that none of them rests on the relevance zones of one."""
    after = quiet_win(fields, xs, os).play(read_moves(move, Rules(SIDE, SIDE, 5, **fields))[0].cell)
    for answer in after.legal_moves():
        board = board_of(after.play(answer), pass_vct_nodes=0)
        rest = wins_in(Engine(board, 200_000, slots=1 << large.slot_bits(200_000)).answer())
        assert rest is not None, answer
        assert rest <= plies - 2


def test_a_broken_off_iteration_never_gives_up_the_only_defence():
    """From the budget on that finds the block of an open three, every larger one keeps to its defences."""
    # X has an open three on the diagonal; O has nothing of its own.
    moves = [112, 0, 128, 14, 96]
    defences = {64, 80, 144, 160}
    for nodes in range(100, 6000, 331):
        assert think(moves, nodes)[-1].best in defences, nodes


@pytest.mark.parametrize("moves", REFUTED, ids=len)
def test_a_refuted_move_is_searched_once_and_not_for_ever(moves):
    assert think(moves, nodes=30_000)[-1].depth >= 5


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("rows", "columns", "goal", "gravity", "empties"),
    [(6, 6, 4, False, 20), (5, 7, 3, False, 24), (8, 7, 5, False, 20), (8, 8, 6, False, 14)]
    + [(6, 7, 4, True, 18), (7, 8, 4, True, 20), (6, 6, 5, True, 14)],
    ids=str,
)
def test_proofs_agree_with_those_of_the_word_solvers(rows, columns, goal, gravity, empties, exact, misere):
    """On boards that both can search: the same outcome, no quicker win than the quickest, exact where it says so."""
    rules = Rules(rows, columns, goal, gravity, misere, exact)
    empties = MISERE_EMPTIES if misere else empties
    both = 0
    for position in random_positions(random.Random(rows * 100 + goal), [rules] * 30, (empties, empties)):
        truth = search(position, Limits(100_000)).score
        for finding in large.iterate(position, Budget(20_000)) if truth.proven and both < 6 else ():
            if finding.score.proven:
                both += 1
                assert finding.score.outcome == truth.outcome, position
                if truth.exact and truth.outcome != "draw":
                    assert finding.score.distance >= truth.distance, position
                    assert not finding.score.exact or finding.score.distance == truth.distance, position
    assert both
