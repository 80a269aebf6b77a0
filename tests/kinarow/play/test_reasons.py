"""Every reason is true, and none that is true is missing: checked by trying out all marks on random boards."""

import random

from kinarow import score
from kinarow.game.rules import Rules
from kinarow.game.tactics import completing_cells, safe_moves, winning_moves
from kinarow.play.reasons import Reason, reasons_for
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers import select
from tests.support.oracle import completes_line, legal_moves, line_cells, with_mark
from tests.support.positions import EVERY_RULE, SIDE, board_rows, position_of, random_position, random_rules

UNKNOWN = score.estimate(0, 1)


class Tried:
    """What the oracle finds by trying out marks on a board."""

    def __init__(self, position):
        self.rules = position.rules
        self.board = board_rows(position)
        self.side = SIDE[position.to_move]
        self.opponent = "O" if self.side == "X" else "X"

    def cell(self, row_and_column):
        return row_and_column[0] * self.rules.columns + row_and_column[1]

    def legal(self, board):
        return legal_moves(board, self.rules.gravity)

    def completes(self, board, move, side):
        return completes_line(with_mark(board, move, side), *move, self.rules.goal, self.rules.exact_goal)

    def completing(self, board, side):
        return [move for move in self.legal(board) if self.completes(board, move, side)]

    def safe(self, move):
        if self.completes(self.board, move, self.side):
            return not self.rules.misere
        return self.rules.misere or not self.completing(with_mark(self.board, move, self.side), self.opponent)

    def lines(self, board, move, side):
        """The cells of all lines through a cell once a side has marked it."""
        rules = self.rules
        changed = with_mark(board, move, side)
        found = set()
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            run = {move}
            for sign in (1, -1):
                row, column = move[0] + sign * down, move[1] + sign * right
                while 0 <= row < rules.rows and 0 <= column < rules.columns and changed[row][column] == side:
                    run.add((row, column))
                    row, column = row + sign * down, column + sign * right
            if len(run) < rules.goal or (rules.exact_goal and len(run) != rules.goal):
                continue
            along = sorted(run, key=lambda cell: (cell[0] * down + cell[1] * right, cell))
            for start in range(len(along) - rules.goal + 1):
                window = along[start : start + rules.goal]
                if move in window:
                    found.update(window)
        return found

    def reasons(self, move):
        """The reasons that do not speak of the score, with their cells."""
        board, side, opponent = self.board, self.side, self.opponent
        after = with_mark(board, move, side)
        ends = self.completes(board, move, side)
        legal = self.legal(board)
        found = {}
        if self.rules.misere:
            own = self.completing(board, side)
            if own and not ends:
                found["avoids_line"] = own
            replies = self.legal(after)
            if not ends and replies and all(self.completes(after, reply, opponent) for reply in replies):
                found["forces_line"] = replies
        elif ends:
            found["completes_line"] = line_cells(after, side, self.rules.goal, self.rules.exact_goal)
        else:
            if self.completes(board, move, opponent):
                found["blocks_line"] = self.lines(board, move, opponent)
            threats = self.completing(after, side)
            if threats and not self.completing(after, opponent):
                found["double_threat" if len(threats) > 1 else "threatens_line"] = threats
        if len(legal) == 1:
            found["only_move"] = [move]
        elif not ends and self.safe(move) and not any(self.safe(each) for each in legal if each != move):
            found["forced"] = [move]
        return {code: tuple(sorted(map(self.cell, cells))) for code, cells in found.items()}


def random_positions(flags, count, seed, cells=36, goal=5):
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        rules = random_rules(rng, cells)
        rules = Rules(rules.rows, rules.columns, max(2, min(rules.goal, goal)) if rules.cells > 1 else 1, *flags)
        position = random_position(rng, rules, rng.randint(0, rules.cells - 1))
        if position is not None:
            found.append(position)
    return found


@EVERY_RULE
def test_reasons_are_exactly_what_trying_out_all_marks_finds(flags):
    seen = set()
    for position in random_positions(flags, 120, seed=1):
        tried = Tried(position)
        for row, column in tried.legal(tried.board):
            move = tried.cell((row, column))
            found = reasons_for(position, move, UNKNOWN, is_best=True)
            assert {reason.code: reason.cells for reason in found} == tried.reasons((row, column)), (position, move)
            seen |= {reason.code for reason in found}
    misere = flags[1]
    expected = {"avoids_line", "forces_line"} if misere else {"completes_line", "blocks_line", "double_threat"}
    assert seen >= expected | {"only_move", "forced"}


@EVERY_RULE
def test_threats_and_safe_moves_are_what_trying_out_all_marks_finds(flags):
    for position in random_positions(flags, 120, seed=2):
        tried = Tried(position)
        for side, name in ((1, "X"), (2, "O")):
            assert completing_cells(position, side) == tuple(map(tried.cell, tried.completing(tried.board, name)))
        own = completing_cells(position, position.to_move)
        won = () if position.rules.misere else own
        assert winning_moves(position) == select.winning_moves(position) == won
        safe = [tried.cell(move) for move in tried.legal(tried.board) if tried.safe(move)]
        assert safe_moves(position) == tuple(safe)


@EVERY_RULE
def test_a_double_threat_and_a_forced_line_win_as_soon_as_they_say(flags):
    checked = 0
    for position in random_positions(flags, 300, seed=3):
        if position.empties > 8:
            continue
        for move in position.legal_moves():
            codes = {reason.code for reason in reasons_for(position, move, UNKNOWN, is_best=False)}
            if not codes & {"double_threat", "forces_line"}:
                continue
            after = search(position.play(move), Limits(max_nodes=10**6)).score
            assert after.outcome == "loss"
            assert after.distance == (2 if "double_threat" in codes else 1)
            checked += 1
    assert checked >= (1 if flags[1] else 5)


def test_the_score_adds_the_proof_and_whether_no_move_does_better():
    position = position_of("X.O/.X./O..", 3)

    def codes(value, is_best):
        found = [reason for reason in reasons_for(position, 5, value, is_best=is_best) if not reason.cells]
        return [reason.code for reason in found]

    assert codes(score.win(9, 3), True) == ["proven_win", "quickest_win"]
    assert codes(score.win(9, 5), False) == ["proven_win"]
    assert codes(score.win(9, 5, is_bound=True), True) == ["proven_win"]
    assert codes(score.loss(9, 4), True) == ["proven_loss", "longest_defence"]
    assert codes(score.loss(9, 4, is_bound=True), True) == ["proven_loss"]
    assert codes(score.loss(9, 2), False) == ["proven_loss"]
    assert codes(score.draw(5), True) == ["proven_draw"]
    assert codes(UNKNOWN, True) == []


def test_a_block_shows_the_whole_line_and_the_cell_of_the_move():
    found = reasons_for(position_of("OO./X../..X", 3), 2, UNKNOWN, is_best=True)
    assert found == (Reason("blocks_line", (0, 1, 2)), Reason("threatens_line", (5,)), Reason("forced", (2,)))
