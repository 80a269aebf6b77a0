"""Every game there is: what the rules say and every answer are those of the oracle; refusals; values that are known."""

import random

import numpy as np
import pytest

import kinarow
from kinarow.errors import InputError
from kinarow.game.geometry import RULES_HANDLED as SYMMETRIC
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.position import Position
from kinarow.game.rules import SWAP_SIDES, Rules
from kinarow.game.tactics import completing_cells, safe_moves, winning_moves
from kinarow.play.teaching import tree
from kinarow.reading.positions import read_position
from kinarow.search.analysis import analyse
from kinarow.search.best_move import search
from kinarow.search.bulk import bulk_values
from kinarow.search_types import Limits
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.reference import solver as reference
from service.settings import Settings
from tests.support import oracle
from tests.support.positions import CARO, EVERY_GAME, RENJU, random_positions, random_rules, true_scores
from tests.support.samples import sampled

ENOUGH = Limits(max_nodes=2_000_000)
FEW_GAMES = 100
NOTAKTO = {"goal": 3, "misere": True, "marks": "shared"}


def samples(name, count, empties):
    """Ongoing positions of some games of every kind, or ``count`` of each if it is over 1; random plain games too."""
    rng = random.Random(name)
    chosen = (
        [*rng.sample(EVERY_GAME, FEW_GAMES), *RENJU * 4, *rng.sample(CARO, 6)] if count == 1 else EVERY_GAME * count
    )
    found = list(random_positions(rng, [*chosen, *(random_rules(rng, 16) for _ in chosen[::2])], empties))
    assert len(found) > len(chosen) // 2
    return found


# What the rules say.


@sampled("count", 1, 4)
def test_moves_threats_and_endings_are_those_of_the_oracle(count):
    for position in samples("endings", count, (0, 12)):
        rules, cells, side = position.rules, position.cells, position.to_move
        legal = oracle.moves(rules, cells, side)
        assert list(position.legal_moves()) == legal
        others = [cell for cell in range(rules.cells) if cells[cell] == 0 and cell not in legal]
        assert list(position.forbidden()) == (others if rules.renju else [])
        assert rules.marks == "own" or static_evaluation(position) == 0
        for each in (1, 2):
            ends = oracle.completing(rules, cells, each)
            assert list(completing_cells(position, each)) == ends, position
        own = oracle.completing(rules, cells, side)
        assert list(winning_moves(position)) == ([] if rules.misere else own)
        assert list(safe_moves(position)) == oracle.safe(rules, cells, side)
        assert Position.from_cells(rules, cells, side) == position
        for move in legal:
            after = position.play(move)
            ending, lit = after.ending(), oracle.line_cells(rules, after.cells, after.cells[move])
            winner = (3 - side if rules.misere else side) if move in own else None
            over = move in own or not oracle.moves(rules, after.cells, 3 - side)
            assert ending == (("won" if move in own else "drawn" if over else "ongoing"), winner, tuple(lit)), after
            assert after.to_move == 3 - side


def test_a_position_is_read_from_the_fields_of_a_request():
    for position in samples("fields", 1, (0, 12)):
        rows = position.board
        layers = [rows[at : at + position.rules.rows] for at in range(0, len(rows), position.rules.rows)]
        board = layers if len(layers) > 1 else [list(row) for row in rows]
        fields = position.rules.short_fields()
        assert read_position({**fields, "board": board, "to_move": "XO"[position.to_move - 1]}) == position


@sampled("count", 1, 3)
def test_symmetric_positions_have_one_form_and_one_value(count):
    for position in samples("symmetries", count, (2, 6)):
        if not position.rules.within(SYMMETRIC):
            continue
        form = position.canonical()
        assert search(form.position, ENOUGH).score.value == max(true_scores(position).values())
        for permutation in position.geometry.symmetries[-3:]:
            image = bytes(position.cells[cell] for cell in permutation)
            assert Position.from_cells(position.rules, image, position.to_move).canonical().position == form.position
            if position.rules.marks == "own" and not position.rules.renju:
                swapped = Position(position.rules, image.translate(SWAP_SIDES), 3 - position.to_move)
                assert swapped.canonical().position == form.position
        assert bytes(position.relative()[cell] for cell in form.to_original) == form.position.cells
        assert static_evaluation(position) == static_evaluation(form.position)
        assert sorted(form.to_original) == list(range(position.rules.cells))


# What is searched.


@sampled("count", 1, 4)
def test_every_score_is_that_of_the_oracle(count):
    for position in samples("scores", count, (1, 7)):
        truth = true_scores(position)
        best, analysis = max(truth.values()), analyse(position, ENOUGH)
        assert {value.move: value.score.value for value in analysis.moves} == truth, position
        assert all(value.score.exact for value in analysis.moves)
        found = search(position, ENOUGH)
        *_, slow = reference.iterate(position, Budget(NO_LIMIT), None)
        assert found.score == slow.score == analysis.score
        assert truth[found.move] == truth[slow.move] == found.score.value == best
        assert tree(position, max_nodes=50_000)["root"]["value"] == best if position.empties < 5 else True
        last = position
        for move in slow.line:
            last = last.play(move)
        assert (last.ending().state == "ongoing") == (len(slow.line) < slow.score.distance)


@sampled("count", 1, 4)
def test_bulk_calls_have_every_best_move_of_the_oracle(count):
    for position in samples("best", count, (1, 7)):
        board, to_move = np.frombuffer(position.cells, np.uint8)[None], [position.to_move]
        truth = true_scores(position)
        best = {cell for cell, value in truth.items() if value == max(truth.values())}
        for which in ("best", "all"):
            (found,) = bulk_values(board, position.rules, to_move=to_move, moves=which)
            assert found["score"] == max(truth.values())
            assert set(found["best_moves"].nonzero()[0]) == best, position
            assert found["best_moves_complete"]
        assert found["move_proven"][list(truth)].all()
        assert {cell: value for cell, value in enumerate(found["move_scores"]) if not np.isnan(value)} == truth
        for nodes in (1, 10, 100):
            (few,) = bulk_values(board, position.rules, to_move=to_move, limits=Limits(max_nodes=nodes), moves="all")
            for cell, value in truth.items():
                if few["move_is_bound"][cell]:
                    assert 0 < few["move_scores"][cell] / value <= 1
                elif few["move_proven"][cell]:
                    assert few["move_scores"][cell] == value, (position, cell)
            if few["best_moves_complete"]:
                assert set(few["best_moves"].nonzero()[0]) == best


def test_scores_of_moves_say_that_they_are_bounds():
    """Few nodes prove that each move loses, and not how soon."""
    position = Position.from_text(".OX/XOX/.X.//O../OXO/XOO", layers=2, goal=3, misere=True)
    board = np.frombuffer(position.cells, np.uint8)[None]
    (few,) = bulk_values(board, position.rules, limits=Limits(max_nodes=10), moves="all")
    (exact,) = bulk_values(board, position.rules, moves="all")
    assert (few["move_scores"][0], few["move_is_bound"][0]) == (-14, True)
    assert (exact["move_scores"][0], exact["move_is_bound"][0]) == (-16, False)


@pytest.mark.parametrize(
    ("board", "rules", "outcome", "distance"),
    [
        (".../.../...", {"game": "torus-tic-tac-toe"}, "win", 7),
        ("..../..../....", {"wrap": "rows", "goal": 3}, "win", 5),
        (".../.../...", {"directions": ["horizontal", "vertical"]}, "draw", 9),
        (".../.#./...", {}, "draw", 8),
        ("..#/#../.#.", {}, "draw", 6),  # without any line
    ],
)
def test_known_values(board, rules, outcome, distance):
    score = search(Position.from_text(board, **rules), ENOUGH).score
    assert (score.outcome, score.distance, score.exact) == (outcome, distance, True)


def known(outcome, goal, sizes, distance=None, **rules):
    """Return empty boards whose value is the same; a draw's distance is the number of cells."""
    return [(Rules(*size, goal, **rules), outcome, distance or size[0] * size[1]) for size in sizes]


@pytest.mark.parametrize(
    ("rules", "outcome", "distance"),
    [
        *known("win", 1, [(1, 1), (2, 3), (25, 25)], 1),
        *known("win", 2, [(2, 2), (1, 3), (9, 9)], 3),
        *known("draw", 2, [(1, 2)]),
        *known("draw", 3, [(3, 3), (1, 9)]),
        *known("win", 3, [(3, 4), (4, 3), (3, 5), (3, 7), (3, 9), (25, 3)], 7),
        *known("win", 3, [(4, 4), (4, 7), (5, 5), (4, 9), (7, 7), (8, 8), (9, 9), (25, 25)], 5),
        *known("draw", 4, [(4, 4), (4, 5), (4, 6), (4, 7), (7, 4), (5, 5)]),
        *known("win", 4, [(5, 6), (6, 5), (6, 6), (7, 7), (8, 8)], 11),
        *known("draw", 5, [(5, 5), (6, 6), (7, 7)]),
        # By pairings.
        *known("draw", 6, [(6, 6), (7, 7), (8, 8)]),
        *known("draw", 7, [(8, 8)]),
        *known("draw", 9, [(1, 25), (3, 12), (6, 9), (9, 9), (15, 15)]),
        *known("draw", 10, [(12, 20)]),
        *known("draw", 3, [(3, 3)], misere=True),
        *known("draw", 4, [(4, 4), (4, 5)], misere=True),
        *known("draw", 5, [(5, 5)], misere=True),
        *known("draw", 4, [(4, 4), (4, 5), (5, 4), (5, 5), (5, 6), (5, 7)], gravity=True),
        *known("loss", 4, [(4, 6), (6, 6)], gravity=True),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in known("win", 4, [(5, 8)], 39, gravity=True)),
    ],
    ids=str,
)
def test_known_values_of_empty_boards(rules, outcome, distance):
    """The free boards are classic (Uiterwijk and van den Herik, The advantage of the initiative, 2000; Hsu, Ko, Chen,
    Wei, Hsueh, Wu, On solving the 7,7,5-game and the 8,8,5-game, 2020), those with gravity from Tromp's tables. All but
    the largest of these are proven within the default nodes.
    """
    patient = rules.gravity and rules.cells > 30
    result = search(Position.empty(rules), Limits(2_000_000_000 if patient else Settings().nodes_by_default(rules)))
    assert (result.score.outcome, result.score.distance, result.score.is_bound) == (outcome, distance, False)
    assert result.stopped_by == "proof"


def test_shared_marks_that_are_not_proven_are_0_and_nothing_is_expected():
    """On more than 64 cells the reference search answers, at every depth."""
    game = {"rows": 9, "columns": 9, **NOTAKTO}
    for depth in (None, 1, 2):
        answer = kinarow.best_move(**game, max_nodes=50_000, max_depth=depth)
        assert (str(answer.score.value), answer.expected, answer.proven) == ("0.0", None, False)


# Boards.


def test_a_large_torus_keeps_its_turns_alone_where_all_symmetries_would_take_long():
    position = Position.from_rows(["." * 25] * 25, goal=5, wrap="both")
    assert len(position.geometry.stabiliser(position.cells)) == 8
    assert len({position.play(cell).canonical().position.cells for cell in (0, 31, 312, 624)}) == 1


def test_blocked_cells_break_symmetries_and_are_never_marked():
    position = Position.from_text("#../.../...", goal=3)
    assert len(position.geometry.stabiliser(position.cells)) == 2
    with pytest.raises(ValueError, match="cannot be marked"):
        position.play(0)
    with pytest.raises(InputError, match="is blocked"):
        position.after([0])
    assert Position.from_text("##/##", goal=2).ending().state == "drawn"


def test_either_side_may_be_to_move_with_shared_marks():
    """By default X after an even number of marks; any count of marks goes with either side."""
    boards = [f"{'X' * count:.<5}/....." for count in range(4)]
    assert [Position.from_text(board, goal=5, marks="shared").to_move for board in boards] == [1, 2, 1, 2]
    assert Position.from_text("XX.../.....", goal=4, marks="shared", to_move="O").to_move == 2
    begun = Position.from_moves("a1 b2", rows=3, columns=3, first="O", **NOTAKTO)
    assert (begun.board, begun.to_move) == (["...", ".X.", "X.."], 2)
    assert Position.from_text("XXX/X../X..", **NOTAKTO).ending() == ("won", 2, (0, 1, 2, 3, 6))
    (first, second) = bulk_values([[1, 0, 0, 0]] * 2, Rules(1, 4, 3, marks="shared"), to_move=[1, 2])
    assert first["score"] == second["score"]


@pytest.mark.parametrize(
    ("board", "fields", "pointer", "words"),
    [
        ("#../.../...", {"gravity": True}, "/board/0", "blocked"),
        (".../.#./.X.", {"gravity": True}, "/board/1", "blocked"),
        (".../.../...", {"wrap": "torus"}, "/wrap", "rows"),
        (".../.../...", {"directions": []}, "/directions", "direction"),
        (".../.../...", {"directions": "horizontal"}, "/directions", "list"),
        (".../.../...", {"directions": ["up"]}, "/directions/0", "up"),
        (".../.../...", {"directions": ["vertical", "vertical"]}, "/directions/1", "vertical"),
        (".../.../...", {"game": "tic-tac-toe", "wrap": "both"}, "/game", "tic-tac-toe"),
        ("O../.../...", NOTAKTO, "/board/0", 'unknown mark "O" in row 1, column 1'),
        ([["", "", ""], ["X", "", "O"], ["", "", ""]], NOTAKTO, "/board/1/2", 'unknown mark "O" in row 2, column 3'),
        ("XXX/.../XXX", NOTAKTO, "/board", "no single last mark"),
        ("X../.../...", {**NOTAKTO, "gravity": True}, "/board/0", "empty cell under it"),
        (".../.../...", {"marks": "shared", "caro": True}, "/marks", "caro"),
        (".../.../...", {"marks": "both"}, "/marks", "own, shared"),
    ],
)
def test_impossible_boards_are_refused(board, fields, pointer, words):
    read = Position.from_text if isinstance(board, str) else Position.from_rows
    with pytest.raises(InputError, match=words) as refused:
        read(board, **fields)
    assert refused.value.problems[0][0] == pointer
