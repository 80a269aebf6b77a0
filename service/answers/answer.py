"""The answer to a question about a position, typed; ``Recommendation.fields`` makes the plain data of the contract."""

from dataclasses import dataclass, replace
from typing import Any

from kinarow.game.geometry import Permutation
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.notation import side_name, write_cell
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.reasons import Reason
from kinarow.play.wording import describe_ending, describe_move
from kinarow.search_types import MoveValue, SearchResult
from service.answers.fields import ending_fields, score_fields

ELAPSED_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a position, the reasons for its move and, for an analysis, the value of every move."""

    result: SearchResult
    reasons: tuple[Reason, ...]
    moves: tuple[MoveValue, ...] = ()

    def mapped(self, permutation: Permutation) -> "Answer":
        """The same for a board on which the cell ``permutation[i]`` stands for cell ``i``."""
        return Answer(
            self.result.mapped(permutation),
            tuple(
                replace(reason, cells=tuple(sorted(permutation[cell] for cell in reason.cells)))
                for reason in self.reasons
            ),
            tuple(value.mapped(permutation) for value in self.moves),
        )


@dataclass(frozen=True, slots=True)
class Recommendation:
    """An answer on the requested board.

    Attributes:
        position: the position.
        answer: its cells are those of the position.
        cached: whether the answer came from a cache or from another request's search.
        moves: the values of moves in the order of the answer; None if the request was not an analysis.
    """

    position: Position
    answer: Answer
    cached: bool
    moves: tuple[MoveValue, ...] | None = None

    @property
    def result(self) -> SearchResult:
        """The result of the search."""
        return self.answer.result

    @property
    def rows(self) -> list[str]:
        """The rows after the move, layer by layer; the rows of the request if the game is over."""
        return self._after.rows

    @property
    def _after(self) -> Position:
        move = self.result.move
        return self.position if move is None else self.position.play(move)

    def fields(self) -> dict[str, Any]:
        """The answer of ``/move``, or of ``/analysis`` if it has ``moves``, as plain data for JSON."""
        position, result, after = self.position, self.result, self._after
        rules = position.rules
        fields = {
            "move": None if result.move is None else write_cell(result.move, rules),
            **score_fields(result.score),
            "to_move": side_name(position.to_move),
            **ending_fields(position),
            "line": [write_cell(cell, rules) for cell in result.line],
            "best_moves": [write_cell(cell, rules) for cell in result.best_moves],
            "best_moves_complete": result.best_moves_complete,
            "reasons": [
                {"code": reason.code, "cells": [write_cell(cell, rules) for cell in reason.cells]}
                for reason in self.answer.reasons
            ],
            "text": self._text(),
            "board": after.board,
            "after": ending_fields(after),
            "search": {
                "depth": result.depth,
                "nodes": result.nodes,
                "elapsed_ms": round(result.elapsed_ms, ELAPSED_DECIMALS),
                "stopped_by": result.stopped_by,
                "source": result.source,
                "cached": self.cached,
            },
        }
        if self.moves is not None:
            fields["moves"] = [move_value_fields(value, rules) for value in self.moves]
            fields["static_evaluation"] = static_evaluation(position)
        return fields

    def _text(self) -> str:
        """The answer in a sentence."""
        if self.result.move is None:
            return describe_ending(self.position)
        return describe_move(self.position, self.result.move, self.result.score, self.answer.reasons)


def move_value_fields(value: MoveValue, rules: Rules) -> dict[str, Any]:
    """The value of one move as plain data."""
    return {
        **write_cell(value.move, rules),
        **score_fields(value.score),
        "line": [write_cell(cell, rules) for cell in value.line],
    }
