"""The reasons for a move: certain facts, each with its cells."""

from kinarow.game.position import Position
from kinarow.game.rules import OPPONENT
from kinarow.game.tactics import completing_cells, lines_through, safe_moves
from kinarow.score import Score
from kinarow.search_types import Reason

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "renju", "marks", "layers"})
"""The rules under which lines explain a move; under others only its score does."""


def reasons_for(position: Position, move: int, score: Score, *, is_best: bool) -> tuple[Reason, ...]:
    """Return all certain facts about a legal move in an ongoing position, in the order below.

    A side "can complete a line" at a cell if that cell is playable and a mark on it completes a line under the
    rules of the game. With an exact goal an overline is not a line.

    In normal play:

    - ``completes_line``: the move completes a line and wins. Cells: the completed lines.
    - ``blocks_line``: the move completes no line and takes a cell at which the opponent could complete one.
      Cells: the blocked lines, including the move.
    - ``double_threat``: after the move its side can complete a line at two or more cells and the opponent at none,
      so the side wins with its next mark. Cells: the cells that complete a line.
    - ``threatens_line``: like ``double_threat`` with a single cell, which the opponent must take. Cells: that cell.

    In misère:

    - ``avoids_line``: the move completes no line, but another legal move would. Cells: the moves that would.
    - ``forces_line``: every reply completes a line, so the opponent loses. Cells: the replies.

    In both:

    - ``only_move``: there is no other legal move. Cells: the move.
    - ``forced``: every other legal move loses immediately (see ``safe_moves``); the move neither loses nor wins
      immediately. Cells: the move.
    - ``proven_win``, ``proven_draw``, ``proven_loss``: the outcome with perfect play. No cells.
    - ``quickest_win``, ``longest_defence``: no other move wins sooner or loses later. No cells.

    Args:
        score: the value of the move for its side.
        is_best: True if the move is known to be among the best.
    """
    if not position.rules.special_names <= RULES_HANDLED:
        return _by_score(score, is_best)
    after = position.play(move)
    certain = _in_misere(position, move, after) if position.rules.misere else _in_normal_play(position, move, after)
    ends = after.ending().state == "won"
    legal = position.legal_moves()
    if len(legal) == 1:
        certain.append(Reason("only_move", (move,)))
    elif not ends and safe_moves(position) == (move,):
        certain.append(Reason("forced", (move,)))
    return (*certain, *_by_score(score, is_best))


def _in_normal_play(position: Position, move: int, after: Position) -> list[Reason]:
    mover, opponent = position.to_move, OPPONENT[position.to_move]
    ending = after.ending()
    if ending.state == "won":
        return [Reason("completes_line", ending.winning_cells)]
    reasons = []
    if move in completing_cells(position, opponent):
        reasons.append(Reason("blocks_line", lines_through(position, opponent, move)))
    if not completing_cells(after, opponent):
        threats = completing_cells(after, mover)
        if threats:
            reasons.append(Reason("double_threat" if len(threats) > 1 else "threatens_line", threats))
    return reasons


def _in_misere(position: Position, move: int, after: Position) -> list[Reason]:
    lines = completing_cells(position, position.to_move)
    if move in lines:
        return []
    reasons = []
    if lines:
        reasons.append(Reason("avoids_line", lines))
    replies = after.legal_moves()
    if replies and completing_cells(after, after.to_move) == replies:
        reasons.append(Reason("forces_line", replies))
    return reasons


def _by_score(score: Score, is_best: bool) -> tuple[Reason, ...]:
    if score.outcome == "unknown":
        return ()
    certain = is_best and score.exact
    if score.outcome == "win":
        return (Reason("proven_win", ()), *([Reason("quickest_win", ())] if certain else []))
    if score.outcome == "loss":
        return (Reason("proven_loss", ()), *([Reason("longest_defence", ())] if certain else []))
    return (Reason("proven_draw", ()),)
