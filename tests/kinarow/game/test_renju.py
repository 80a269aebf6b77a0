"""Renju in the library: forbidden cells, endings and legal moves, judged by sets of cells."""

import random

import pytest

from kinarow.errors import InputError
from kinarow.game import renju as product
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.tactics import completing_cells, safe_moves
from kinarow.play.reasons import reasons_for
from kinarow.play.teaching import tree
from kinarow.search.analysis import analyse
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from tests.support import renju
from tests.support.samples import sampled

ENOUGH = Limits(max_nodes=2_000_000)


def position_of(board, black_to_move):
    """The position of an oracle's board, Black being X."""
    rows, columns = board.size
    cells = bytes(
        1 if divmod(c, columns) in board.black else 2 if divmod(c, columns) in board.white else 0
        for c in range(rows * columns)
    )
    return Position(Rules(rows, columns, 5, renju=True), cells, 1 if black_to_move else 2)


@pytest.mark.parametrize("case", renju.CASES, ids=lambda case: case["name"])
def test_forbidden_cells_and_why(case):
    """On boards that the kernel and the page are tried on too; the oracle agrees."""
    board = renju.Board.read(case["board"])
    position = position_of(board, True)
    rules, cells = position.rules, position.cells
    faults = {cell: product.fault(rules, cells, 1, cell) for cell in product.forbidden_cells(rules, cells, 1)}
    assert {write_move(cell, rules): fault for cell, fault in faults.items()} == case["forbidden"]
    assert {divmod(cell, rules.columns) for cell in faults} == renju.forbidden(board)


@sampled("count", 25, 1500)
def test_forbidden_cells_are_those_of_the_brute_force(count):
    rng = random.Random("python")
    kinds = set()
    for _ in range(count):
        cells = [(r, c) for r in range(11) for c in range(10)]
        marked = rng.sample(cells, rng.randint(10, 60))
        more = len(marked) * rng.choice((5, 6, 8)) // 10
        board = renju.Board(11, 10, marked[:more], marked[more:])
        position = position_of(board, True)
        found = product.forbidden_cells(position.rules, position.cells, 1)
        assert {divmod(cell, 10) for cell in found} == renju.forbidden(board)
        for cell in found:
            fault = product.fault(position.rules, position.cells, 1, cell)
            assert fault == renju.fault(board, divmod(cell, 10))
            kinds.add(fault)
    assert len(kinds) == 3


def games(count, rows, columns, seed):
    """Positions of random games, each with its board and whether Black is to move; the last may be the end."""
    rng = random.Random(seed)
    for _ in range(count):
        board = renju.Board(rows, columns)
        for number in range(rows * columns):
            black = number % 2 == 0
            yield board, black, None
            legal = renju.legal(board, black)
            if not legal:
                break
            cell = rng.choice(legal)
            board = renju.child(board, cell, black)
            if renju.wins(board.black if black else board.white, cell, exactly=black):
                yield board, not black, cell
                break


@sampled("count", 4, 60)
def test_legal_moves_and_endings_are_those_of_the_brute_force(count):
    ends = set()
    for board, black, won_by in games(count, 6, 7, "endings"):
        position = position_of(board, black)
        state = position.ending().state
        ends.add(state)
        if won_by is not None:
            assert (state, position.ending().winner) == ("won", 2 if black else 1)
            continue
        legal = renju.legal(board, black)
        assert state == ("ongoing" if legal else "drawn")
        assert [divmod(cell, 7) for cell in position.legal_moves()] == legal
        assert set(position.forbidden()) == ({r * 7 + c for r, c in renju.forbidden(board)} if black else set())
        for side, stones in ((1, board.black), (2, board.white)):
            found = {divmod(cell, 7) for cell in completing_cells(position, side)}
            assert found == {cell for cell in board.empty if renju.wins(stones | {cell}, cell, exactly=side == 1)}
    assert "won" in ends


@pytest.mark.parametrize(("rows", "columns"), [(5, 6), (6, 8)])
@sampled("count", 6, 150)
def test_every_score_is_that_of_the_brute_force(rows, columns, count):
    rng = random.Random("scores")
    asked = 0
    for board, black, won_by in games(count * 4, rows, columns, "scores"):
        if won_by is not None or not 1 <= len(board.empty) <= 7 or rng.random() < 0.6:
            continue
        position = position_of(board, black)
        if position.ending().state != "ongoing":
            continue
        truth = renju.values(board, black)
        analysis = analyse(position, ENOUGH)
        assert {divmod(value.move, columns): value.score.value for value in analysis.moves} == truth
        assert tree(position, max_nodes=10**6)["root"]["value"] == max(truth.values())
        safe = [divmod(cell, columns) for cell in safe_moves(position)]
        assert set(safe) <= set(truth)
        assert reasons_for(position, analysis.result.move, analysis.result.score, is_best=True)
        asked += 1
        if asked >= count:
            break
    assert asked


def test_a_side_that_may_not_move_ends_the_game_as_a_draw():
    """All that is free on this board of 1 × 7 would make an overline."""
    position = Position(Rules(1, 7, 5, renju=True), bytes([1, 1, 1, 0, 1, 1, 2]), 2)
    stuck = Position(Rules(2, 6, 5, renju=True), bytes([1, 1, 1, 0, 1, 1] + [2, 2, 1, 2, 2, 2]), 1)
    assert position.ending().state == "ongoing"
    assert stuck.beginner == 1
    assert stuck.ending().state == "drawn"
    answer = search(stuck, ENOUGH)
    assert (answer.move, answer.score.outcome) == (None, "draw")


def test_the_side_that_began_is_the_one_with_more_marks_and_else_the_one_to_move():
    rows = ["." * 9 for _ in range(9)]
    assert Position.from_rows(rows, renju=True, goal=5, to_move="O").beginner == 2
    assert Position.from_rows(["X" + "." * 8, *rows[1:]], renju=True, goal=5).beginner == 1


def test_the_beginner_needs_exactly_five_and_the_other_five_or_more():
    six = "XXXXXX./OO.O.OO/......."  # X began: it has one mark more
    assert Position.from_text(six, renju=True, goal=5).ending().state == "ongoing"
    white = Position.from_text("OOOOOO./XX.X.XX/X......", renju=True, goal=5)
    assert (white.ending().state, white.to_move) == ("won", 1)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"goal": 4}, "/renju"),
        ({"gravity": True}, "/renju"),
        ({"misere": True}, "/renju"),
        ({"exact_goal": True}, "/renju"),
        ({"caro": True}, "/renju"),
        ({"wrap": "rows"}, "/renju"),
        ({"directions": ["vertical"]}, "/renju"),
        ({"board": "#....../......."}, "/renju"),
    ],
)
def test_what_does_not_go_together_is_refused(fields, pointer):
    board = fields.pop("board", "......./.......")
    with pytest.raises(InputError) as refused:
        Position.from_text(board, **{"goal": 5, "renju": True, **fields})
    assert refused.value.problems[0][0] == pointer


def test_a_forbidden_move_is_refused_by_name():
    start = Position.from_rows(["." * 15] * 15, game="renju")
    game = "a1 a2 b1 b2 c1 c3 e1 e3 f1 f3"
    with pytest.raises(InputError, match="overline") as refused:
        start.after(game + " d1")
    assert refused.value.problems[0][0] == "/moves/10"
    with pytest.raises(ValueError, match="forbidden"):
        start.after(game).play(14 * 15 + 3)
