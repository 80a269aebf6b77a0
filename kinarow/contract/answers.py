"""The answers, as frozen models that are built from the results of the engine.

A later version may add fields. Cells and tree nodes are typed dictionaries, because a large answer has thousands.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Annotated, Any, Literal, NotRequired, Self, cast

from pydantic import MISSING, ConfigDict, Field, WithJsonSchema, with_config
from typing_extensions import TypedDict

from kinarow.contract.model import Model, Side
from kinarow.contract.requests import RuleFields, SizeFields
from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.notation import MAX_DIGIT_COLUMNS, side_name, write_cell, write_move
from kinarow.game.position import Position, State
from kinarow.game.rules import O, Rules, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.play import review
from kinarow.play.grades import Grade, GradedBy, Missed
from kinarow.play.puzzles import Outcome as PuzzleOutcome
from kinarow.play.puzzles import Puzzle
from kinarow.play.wording import describe_ending, describe_move
from kinarow.reading.records import Record
from kinarow.score import Outcome, Score
from kinarow.search_types import MAX_LINE, Code, MoveValue, SearchInfo, SearchResult, Source, StoppedBy

ELAPSED_DECIMALS = 3
BOARDS_KEPT = 32  # boards whose cells stay in memory: the largest take 180 kB

Layer = Annotated[int, Field(ge=0, le=MAX_SIDE - 1, description="From 0 at the bottom; on boards with layers.")]
Row = Annotated[int, Field(ge=0, le=MAX_SIDE - 1, description="From 0 at the top.")]
Column = Annotated[int, Field(ge=0, le=MAX_SIDE - 1, description="From 0 at the left.")]
Tile = Annotated[int, Field(ge=1, le=MAX_CELLS, description="`(layer * rows + row) * columns + column + 1`.")]

# For the docstrings of a TypedDict Pydantic would parse this module again in each model that uses it.
_NO_DOCSTRINGS = with_config(ConfigDict(use_attribute_docstrings=False))


@_NO_DOCSTRINGS
class Cell(TypedDict):
    """A cell: `layer`, `row` and `column` count from 0, `tile` from 1, row by row and layer by layer."""

    layer: NotRequired[Layer]
    row: Row
    column: Column
    tile: Tile


Line = Annotated[list[Cell], Field(max_length=MAX_LINE)]
Rows = Annotated[
    list[Annotated[str, Field(pattern="^[XO.#]+$", max_length=MAX_SIDE)]], Field(min_length=1, max_length=MAX_CELLS)
]
Count = Annotated[int, Field(ge=0, le=MAX_CELLS)]
# A float would turn the integers of proven scores into 8.0.
Number = Annotated[int | float, WithJsonSchema({"type": "number"})]


class _MoveFields(Model):
    move: Cell | None
    """The chosen move; null if the game is over."""


class _SideFields(Model):
    to_move: Side
    """The side to move in the position of the request."""


class _CellFields(Model):
    layer: Layer | MISSING = MISSING
    row: Row
    column: Column
    tile: Tile


class _ScoreFields(Model):
    score: Annotated[
        int | float, WithJsonSchema({"type": "number", "minimum": -MAX_CELLS - 1, "maximum": MAX_CELLS + 1})
    ]
    """From the view of the side to move. A proven win in n plies is the integer `cells + 1 - n`, a proven loss its
    negative, a proven draw 0; an unproven score is an estimate within ±0.9999."""


class ResultFields(Model):
    """How the game ends under perfect play."""

    outcome: Outcome
    """The result under perfect play by both sides; `unknown` if and only if `proven` is false."""
    distance: Annotated[int, Field(ge=0, le=MAX_CELLS)] | None
    """Plies to the end of the game if the winner hurries and the loser delays; for a draw, to the full board; null if
    unknown."""
    distance_is_bound: bool
    """Whether the proven end may come sooner than `distance` says; it never comes later."""


class ValueFields(ResultFields, _ScoreFields):
    """The value of a move."""

    proven: bool
    """Whether the outcome is certain."""
    expected: Annotated[float, Field(ge=-1, le=1)] | None
    """The expected result for the side to move: 1 for a win, 0 for a draw, -1 for a loss. If the outcome is not proven,
    it is an estimate to three decimals, calibrated on games of the engine; null with gravity, in misère, on other
    shapes, on boards of up to 36 cells except in Renju, and with `max_depth`."""


class EndingFields(Model):
    """The state of a game."""

    state: State
    """Whether the game is ongoing, won or drawn."""
    winner: Side | None
    """The winner under the rules in force; in misère, the side that did not complete the line."""
    winning_cells: list[Cell]
    """The cells of all completed lines, in tile order."""


class After(EndingFields):
    """The state after `move`, which tells a front end whether the move has ended the game."""


class Reason(Model):
    """One fact about the chosen move."""

    code: Code
    """What the move does, such as `completes_line`, `blocks_line`, `double_threat`, `forced` (every other move loses at
    once) or `proven_draw`. [All codes](guide/api.html#reasons)."""
    cells: list[Cell]
    """The cells that the reason is about, in tile order; may be empty."""


class Search(Model):
    """The cost of the answer, and its source."""

    depth: Annotated[int, Field(ge=0)]
    """The depth that the search completed, in plies."""
    nodes: Annotated[int, Field(ge=0)]
    """The number of nodes that the search visited."""
    elapsed_ms: Annotated[float, Field(ge=0)]
    """The time of the search in milliseconds, also if the answer is cached."""
    stopped_by: StoppedBy
    """The reason why the search ended."""
    source: Source
    """The source of the answer: a `search`, an opening `book`, the `atlas` of solved games, or the `rules` if the game
    is over."""
    cached: bool
    """Whether the search ran for an earlier or a simultaneous request."""


class MoveAnswer(EndingFields, _SideFields, ValueFields, _MoveFields):
    """The chosen move and its value, from the view of the side to move."""

    line: Line
    """The best moves of both sides, starting with this move; the list may end before the game does."""
    best_moves: list[Cell]
    """The best move, and moves known to be exactly as good."""
    best_moves_complete: bool
    """Whether `best_moves` has all best moves."""
    reasons: list[Reason]
    """Reasons for the move, each of them certain."""
    text: Annotated[str, Field(examples=["X plays column 4, blocking a line of O: a draw with best play."])]
    """The answer in one sentence: the move in the notation of `moves`, the reason and the value."""
    board: Rows
    """The rows after `move`, from top to bottom; with layers, the rows of the bottom layer first."""
    after: After
    search: Search

    @classmethod
    def of(cls, position: Position, result: SearchResult, cached: bool, **more: Any) -> Self:
        """Return the engine's answer; ``cached`` is True if it came from a cache or another request's search."""
        after = position_after(position, result)
        cells = _cells(position.rules)
        shown = cells.__getitem__
        return cls(
            move=None if result.move is None else cells[result.move],
            **_value(result.score),
            to_move=side_name(position.to_move),
            **ending(position),
            line=list(map(shown, result.line)),
            best_moves=list(map(shown, result.best_moves)),
            best_moves_complete=result.best_moves_complete,
            reasons=[Reason(code=reason.code, cells=list(map(shown, reason.cells))) for reason in result.reasons],
            text=describe_ending(position)
            if result.move is None
            else describe_move(position, result.move, result.score, result.reasons),
            board=after.board,
            after=After(**ending(after)),
            search=Search(
                depth=result.depth,
                nodes=result.nodes,
                elapsed_ms=round(result.elapsed_ms, ELAPSED_DECIMALS),
                stopped_by=result.stopped_by,
                source=result.source,
                cached=cached,
            ),
            **more,
        )


class ValuedMove(ValueFields, _CellFields):
    """One legal move and its value, from the view of the side to move."""

    line: Line
    """The best moves of both sides, starting with this move; the list may end before the game does."""


class AnalysisAnswer(MoveAnswer):
    """The answer of `/move`, the value of every legal move, and the line heuristic."""

    moves: Annotated[list[ValuedMove], Field(max_length=MAX_CELLS)]
    """The moves by score, then by tile; at level 10 the chosen move comes first."""
    static_evaluation: int
    """The line heuristic: the sum over all lines of `goal` cells with n ≥ 1 marks of one side and none of the other.
    A line counts 10^min(n-1, 12), positive for the side to move, negative for the other side."""

    @classmethod
    def of(cls, position: Position, result: SearchResult, cached: bool, **more: Any) -> Self:
        """Return the engine's analysis; the arguments are those of ``MoveAnswer.of``."""
        moves = _valued(result.moves, position.rules)
        return super().of(position, result, cached, moves=moves, static_evaluation=static_evaluation(position), **more)


class AnalysisProgress(ValueFields):
    """The result of an iteration of the search; the data of an event `progress`."""

    depth: Count
    """The depth of the iteration, in plies."""
    nodes: Annotated[int, Field(ge=0)]
    """The number of nodes visited so far."""
    line: Line
    """The best moves of both sides, starting with this move; the list may end before the game does."""
    moves: list[ValuedMove]
    """The best moves so far, best first: `top` moves, by default five."""

    @classmethod
    def of(cls, info: SearchInfo, rules: Rules) -> Self:
        """Return the progress that the engine reports."""
        return cls(
            **_value(info.score),
            depth=info.depth,
            nodes=info.nodes,
            line=cells_of(info.line, rules),
            moves=_valued(info.moves, rules),
        )


class _PlayedFields(Model):
    move: Cell
    to_move: Side
    """The side that made the move."""


class ReviewedMove(ValueFields, _PlayedFields):
    """A move of the game, from the view of the side that made it."""

    best_moves: list[Cell]
    """The moves known to be best in that position; the move of the game may be one of them."""
    best_score: Number
    """The score of the best known move."""
    best_outcome: Outcome
    """The outcome of the best move."""
    grade: Grade
    """`best`; `inaccuracy`: the same outcome, but later or sooner; `mistake`: a win became a draw, or a draw a loss;
    `blunder`: a win became a loss; `unclear`: unknown. Without proofs the expected result decides.
    [More](guide/api.html#a-whole-game-post-review)."""
    graded_by: GradedBy
    """`proof`, or `estimate` if a value is not proven or a compared distance is a bound: a longer search may change the
    grade."""
    stopped_by: StoppedBy
    """The reason why the searches of the positions before and after the move ended. After `time` the next review may
    give another grade; otherwise it gives the same."""
    missed: Missed | None
    """What the move overlooked: `win` for a win in one, `block` for the block of the opponent's win in one. Null in
    misère, or if the position was proven lost."""

    @classmethod
    def of(cls, reviewed: review.ReviewedMove, rules: Rules, **more: Any) -> Self:
        """Return a move that the engine has graded."""
        return cls(
            move=cell_of(reviewed.move, rules),
            to_move=side_name(reviewed.to_move),
            **_value(reviewed.score),
            best_moves=cells_of(reviewed.best_moves, rules),
            best_score=reviewed.best_score.value,
            best_outcome=reviewed.best_outcome,
            grade=reviewed.grade,
            graded_by=reviewed.graded_by,
            stopped_by=reviewed.stopped_by,
            missed=reviewed.missed,
            **more,
        )


class ReviewedMoveEvent(ReviewedMove):
    """The data of an event, sent as soon as a move is graded."""

    index: Annotated[int, Field(ge=0, le=MAX_CELLS - 1)]
    """The index of the move in the game, from 0."""


class SideSummary(Model):
    """How one side played."""

    moves: Count
    """The number of moves."""
    best: Count
    """Moves graded `best`."""
    inaccuracies: Count
    """Moves graded `inaccuracy`."""
    mistakes: Count
    """Moves graded `mistake`."""
    blunders: Count
    """Moves graded `blunder`."""
    unclear: Count
    """Moves graded `unclear`."""
    accuracy: Annotated[float | None, Field(ge=0, le=1)]
    """The share of moves graded `best`; null without moves."""
    lost: float | None
    """The mean drop of the expected result from the best move to the move played, over `lost_over` moves. A proven win
    counts 1, a draw 0, a loss -1. Null if no move has both values."""
    lost_over: Count
    """The number of moves with both expected results known."""


class Summary(Model):
    """How each side played."""

    X: SideSummary
    O: SideSummary  # noqa: E741 - the side's own name
    cut_by_time: Count
    """The number of positions whose search was ended by time, or had no processor core in time. Above 0 the next review
    of the game may give other grades; otherwise it gives the same."""


class RecordPlayers(Model):
    """The names of the players; `null` where the record has none."""

    X: str | None
    """In SGF the player of Black."""
    O: str | None  # noqa: E741 - the side's name
    """In SGF the player of White."""


class RecordAnswer(SizeFields, RuleFields):
    """What the record of a game says.

    The size, the rules, `board` and `first` are the fields of a request for its first position.
    """

    format: Literal["sgf", "psq", "moves"]
    """How it was written."""
    players: RecordPlayers
    result: str | None
    """The result that the record claims, in its own words, such as `B+` or `1-0`; `null` if it claims none."""
    board: Rows
    """The board before the first move."""
    first: Side
    """The side that made the first move."""
    other_games: int | MISSING = MISSING
    """The number of unread games in an SGF collection, of which only the first is read."""

    @classmethod
    def of(cls, record: Record) -> Self:
        """Return the answer's part about a record."""
        start = record.start
        return cls(
            format=record.format,
            players=RecordPlayers(**record.players),
            result=record.result,
            board=start.board,
            first=side_name(start.to_move),
            other_games=record.other_games or MISSING,
            **start.rules.short_fields(),
        )


class ReviewAnswer(EndingFields):
    """Every move of the game with its grade, and the state after the last move."""

    moves: Annotated[list[ReviewedMove], Field(max_length=MAX_CELLS)]
    """In the order of the game."""
    summary: Summary
    record: RecordAnswer | MISSING = MISSING
    """What the record says, if one was sent."""

    @classmethod
    def of(cls, graded: review.Review, record: Record | None = None) -> Self:
        """Return the engine's review of a game, perhaps one read from a record."""
        rules, summary = graded.position.rules, graded.summary
        return cls(
            **ending(graded.position),
            moves=[ReviewedMove.of(each, rules) for each in graded.moves],
            summary=Summary(
                X=SideSummary(**asdict(summary[X])), O=SideSummary(**asdict(summary[O])), cut_by_time=graded.cut_by_time
            ),
            record=MISSING if record is None else RecordAnswer.of(record),
        )


class Problem(Model):
    """A failure (RFC 9457)."""

    type: str
    """A stable URI of the kind of problem, listed at `/problems`."""
    title: str
    """The kind of problem in words."""
    status: Annotated[int, Field(ge=400, le=599)]
    """The HTTP status."""
    detail: str
    """What went wrong in this request."""
    errors: Annotated[list["FieldError"], Field(min_length=1)] | MISSING = MISSING
    """The errors of the request, field by field."""
    instance: str
    """The path of the request."""


class FieldError(Model):
    """One error of a request, and its place."""

    pointer: str
    """JSON pointer (RFC 6901) to the field; `/name` for a query parameter."""
    detail: str
    """The error."""


class BatchedAnswer(Model):
    """The answer to one request of a batch."""

    answer: MoveAnswer | None
    """The answer of `/move`; null if there is a problem."""
    problem: Problem | None
    """The problem, or null. Its `instance` names the request, where the pointers in its `errors` start."""


class MovesAnswer(Model):
    """An answer for each request, in the same order."""

    answers: list[BatchedAnswer]
    """One for each request."""


_Window = Annotated[Number | None, Field(description="The bound when the node was entered; null for infinity.")]


@_NO_DOCSTRINGS
class TreeNode(TypedDict):
    """A position of the tree; values are from the view of the side to move at the root."""

    move: Annotated[Cell | None, Field(description="The move that leads here; null at the root.")]
    value: Annotated[
        Number,
        Field(
            description="A win in n plies from the root is `cells + 1 - n`, a loss its negative, a draw 0; an estimate "
            "at the depth limit is between -1 and 1."
        ),
    ]
    alpha: _Window
    beta: _Window
    cut: Annotated[bool, Field(description="Whether moves were skipped because alpha ≥ beta; `value` is then a bound.")]
    best: Annotated[bool, Field(description="Whether it is on the principal variation.")]
    children: Annotated[list["TreeNode"], Field(description="The moves that were searched, in tile order.")]


class TreeAnswer(Model):
    """A search tree."""

    nodes: Annotated[int, Field(ge=1)]
    """The number of nodes, including the root."""
    root: TreeNode


class FirstMove(ResultFields):
    """The value of a first move for the side that makes it."""

    tile: Annotated[int, Field(ge=1, le=MAX_CELLS)]
    """The cell, counted from 1."""


class AtlasCheck(Model):
    """A second source for an outcome."""

    source: str
    """A publication or a second method."""
    agrees: bool
    """Whether it agrees."""


KnownBy = Literal[
    "proof",
    "mirror",
    "pairing",
    "follow-up",
    "strategy stealing",
    "publication",
    "brute force",
    "two solvers",
    "one solver",
]


class AtlasReason(Model):
    """How it is known that a side wins, or does not lose."""

    by: KnownBy
    """A proof that others can check, an argument that such a proof consists of, or where the value comes from."""
    file: str | MISSING = MISSING
    """The name of a proof; `GET /atlas/proofs/{file}` sends it if it is in the package."""
    sha256: str | MISSING = MISSING
    """The digest of the proof."""
    source: str | MISSING = MISSING
    """The publication."""


class AtlasSides(Model):
    """How the outcome is known, for each side; X begins."""

    X: Annotated[AtlasReason | None, Field(title="AtlasReasonOfX")]
    """Null if the side loses, or nothing is known."""
    O: Annotated[AtlasReason | None, Field(title="AtlasReasonOfO")]  # noqa: E741 - the mark's own name
    """Null if the side loses, or nothing is known."""


class AtlasEntry(ResultFields, SizeFields, RuleFields):
    """What is known about an empty board, with its size and all its rules."""

    board: Rows | MISSING = MISSING
    """The rows; only if cells are blocked."""
    move: int | None
    """The tile of a best first move; null if the outcome is unknown."""
    first_moves: list[FirstMove] | None
    """Every first move up to symmetry; null unless all are proven."""
    nodes: int | None
    """The number of nodes of the proof; null if the outcome is unknown."""
    tried_nodes: int
    """The number of all nodes visited, including those for the first moves."""
    seconds: float
    """Processor time in seconds."""
    limit_s: int
    """The time limit in seconds."""
    method: str
    """The solvers that may have taken part."""
    checked_by: AtlasCheck | None
    """A second source, or null."""
    known_by: AtlasSides
    """How it is known that X and O win, or do not lose."""


class Atlas(Model):
    """Every empty board that the engine has tried."""

    engine: str
    """The version of the engine."""
    entries: list[AtlasEntry]
    """The boards, the smallest first."""


class PuzzleAnswer(SizeFields, RuleFields):
    """A position with one right move.

    The name of the game, or else the rules, `moves` and `to_move` are the fields of a request for the position.
    """

    moves: str | list[int]
    """The moves so far; X began. With layers they are tiles."""
    board: Rows
    """The position after them."""
    to_move: Side
    outcome: PuzzleOutcome
    """What the right move gets."""
    move: Cell
    """The solution: the only move that gets it."""
    line: list[Cell]
    """Best play from the right move on."""
    plies: int
    """Plies to the win; for a draw, the plies for which the best wrong move holds out."""
    nodes: int
    """The number of nodes that a search for the move visits."""
    level: int
    """The lowest playing level that finds the move."""
    seed: int | MISSING = MISSING
    """Chooses the same puzzle again."""

    @classmethod
    def of(cls, puzzle: Puzzle, game: str | None = None, **more: Any) -> Self:
        """Return the engine's puzzle; ``game`` is the name of its preset, if it has one."""
        position, rules = puzzle.position, puzzle.position.rules
        named = {"game": game, "rows": rules.rows, "columns": rules.columns}
        return cls(
            **(named if game else rules.fields() | {"directions": list(rules.directions)}),
            moves=[cell + 1 for cell in puzzle.moves]
            if rules.layers > 1
            else "".join(write_move(cell, rules) for cell in puzzle.moves),
            board=position.board,
            to_move=side_name(position.to_move),
            outcome=puzzle.outcome,
            move=cell_of(puzzle.move, rules),
            line=cells_of(puzzle.line, rules),
            plies=puzzle.plies,
            nodes=puzzle.nodes,
            level=puzzle.level,
            **more,
        )


class JudgeAnswer(Model):
    """How good the moves of each player are."""

    players: dict[str, Any]
    """By name: `games`, and `phases` with shares and means, separately by proof and by estimate."""
    elo: dict[str, Any] | None
    """Ratings, with the lowest `kinarow-level-N` at 0; null if no such player took part."""
    cut_by_time: Annotated[int, Field(ge=0)]
    """The number of positions whose search was ended by time. Above 0 the next report on the games may differ."""


class Solved(Model):
    """The score of each column."""

    pos: str
    """The moves of the request."""
    score: Annotated[
        list[Annotated[int, Field(ge=-MAX_CELLS, le=MAX_CELLS)]], Field(min_length=1, max_length=MAX_DIGIT_COLUMNS)
    ]
    """The score of each column from the left, for the side to move; 100 if the column is full or the game is over."""


class Health(Model):
    """Whether the process is alive, or the service is ready."""

    status: Literal["ok", "ready"]
    """`ok`: the process is alive; `ready`: the service takes requests."""


class Version(Model):
    """The running versions."""

    name: Literal["kinarow"]
    """The name of the service."""
    version: str
    """The version of the package."""
    engine: str
    """The version of the engine, which changes whenever an answer may change."""


def position_after(position: Position, result: SearchResult) -> Position:
    """Return the position after the move of a result; the same one if the game is over."""
    return position if result.move is None else position.play(result.move)


@lru_cache(maxsize=BOARDS_KEPT)
def _cells(rules: Rules) -> tuple[Cell, ...]:
    """Return all cells of a board; models copy them."""
    return cast(tuple[Cell, ...], tuple(write_cell(cell, rules) for cell in range(rules.cells)))


def cell_of(cell: int, rules: Rules) -> Cell:
    """Return a cell, counted from 0, as answers show it."""
    return _cells(rules)[cell]


def cells_of(cells: Iterable[int], rules: Rules) -> list[Cell]:
    """Return cells, counted from 0, as answers show them."""
    return list(map(_cells(rules).__getitem__, cells))


def _value(score: Score) -> dict[str, Any]:
    """Return the ``ValueFields`` of a score."""
    return {
        "score": score.value,
        "outcome": score.outcome,
        "distance": score.distance,
        "distance_is_bound": score.is_bound,
        "proven": score.proven,
        "expected": score.expected,
    }


def _valued(values: Sequence[MoveValue], rules: Rules) -> Any:
    """Return the fields of ``ValuedMove`` for each value; their answer makes the models, all of them in one call."""
    cells = _cells(rules)
    return [
        {**cells[value.move], **_value(value.score), "line": [cells[cell] for cell in value.line]} for value in values
    ]


def ending(position: Position) -> dict[str, Any]:
    """Return the ``EndingFields`` of a position."""
    found = position.ending()
    return {
        "state": found.state,
        "winner": None if found.winner is None else side_name(found.winner),
        "winning_cells": cells_of(found.winning_cells, position.rules) if found.winning_cells else [],
    }
