"""The fields of requests and answers about more than one position: reviews, batches and search trees."""

from typing import Annotated, Literal, NotRequired, Required

from pydantic import Field, SkipValidation, TypeAdapter, with_config
from typing_extensions import TypedDict

from kinarow.game.size import MAX_CELLS
from kinarow.play.grades import Grade, GradedBy
from service.api.schemas import (
    MOVES_IN_WORDS,
    STRICT,
    BudgetFields,
    Cell,
    DistanceField,
    EndingFields,
    ExpectedField,
    IsBoundField,
    MoveAnswer,
    MoveRequest,
    Moves,
    OutcomeField,
    PositionFields,
    Problem,
    ProvenField,
    RuleFields,
    ScoreField,
    Side,
    SizeFields,
    StartFields,
)


@with_config(STRICT)
class ReviewRequest(StartFields, RuleFields, SizeFields, BudgetFields, total=False):
    """A game that begins with the empty board or with a given one."""

    moves: Required[
        Annotated[
            Moves,
            Field(
                description="The moves of the game in their order. " + MOVES_IN_WORDS,
                examples=["4453", [5, 1, 9], [[1, 1], [0, 0]], [{"column": 3}, {"column": 3}]],
            ),
        ]
    ]


class ReviewedMove(TypedDict):
    """A move of the game, from the view of the side that made it."""

    move: Cell
    to_move: Annotated[Side, Field(description="The side that made the move.")]
    score: ScoreField
    outcome: OutcomeField
    distance: DistanceField
    distance_is_bound: IsBoundField
    proven: ProvenField
    expected: ExpectedField
    best_moves: Annotated[
        list[Cell],
        Field(description="Moves known to be the best in that position; the move of the game may be one of them."),
    ]
    best_score: Annotated[float, Field(description="The score of the best move that is known.")]
    best_outcome: Annotated[
        Literal["win", "draw", "loss", "unknown"], Field(description="The outcome of the best move.")
    ]
    grade: Annotated[
        Grade,
        Field(
            description="`best`; `inaccuracy`: the same outcome, but a slower win or a quicker loss; `mistake`: a win "
            "became a draw, or a draw became a loss; `blunder`: a win became a loss; `unclear`: a value is not proven, "
            "and its expected result is not known. Where a value is not proven, the drop of the expected result "
            "decides (0.1 inaccuracy, 0.3 mistake, 0.6 blunder); a proven loss is then at least a mistake."
        ),
    ]
    graded_by: Annotated[
        GradedBy,
        Field(
            description="`proof`, or `estimate` where a value is not proven or distances are compared of which one is "
            "a bound: a longer search may change the grade."
        ),
    ]


class ReviewedMoveEvent(ReviewedMove):
    """The data of an event that tells of a move as soon as it is graded."""

    index: Annotated[int, Field(ge=0, lt=MAX_CELLS, description="The place of the move in the game, from 0.")]


_Count = Annotated[int, Field(ge=0, le=MAX_CELLS)]


class SideSummary(TypedDict):
    """How one side played."""

    moves: Annotated[_Count, Field(description="Its moves.")]
    best: Annotated[_Count, Field(description="Those with the grade `best`.")]
    inaccuracies: Annotated[_Count, Field(description="Those with the grade `inaccuracy`.")]
    mistakes: Annotated[_Count, Field(description="Those with the grade `mistake`.")]
    blunders: Annotated[_Count, Field(description="Those with the grade `blunder`.")]
    unclear: Annotated[_Count, Field(description="Those with the grade `unclear`.")]
    accuracy: Annotated[
        float | None, Field(ge=0, le=1, description="The share of moves with the grade `best`; null without moves.")
    ]
    lost: Annotated[
        float | None,
        Field(
            description="The mean drop of the expected result a move, from the best move to the one played, over "
            "`lost_over` moves; a proven win counts 1, a draw 0, a loss -1. Null where no move has both values."
        ),
    ]
    lost_over: Annotated[_Count, Field(description="The moves for which both expected results are known.")]


class Summary(TypedDict):
    """How each side played."""

    X: SideSummary
    O: SideSummary  # noqa: E741 - the side's own name


class ReviewAnswer(EndingFields):
    """Every move of the game with its grade, and the state after the last move."""

    moves: Annotated[list[ReviewedMove], Field(max_length=MAX_CELLS, description="In the order of the game.")]
    summary: Summary


@with_config(STRICT)
class MovesRequest(TypedDict):
    """Many requests of ``/move`` at once."""

    # Each request is checked separately, so that a bad one does not affect the others.
    requests: Annotated[
        list[SkipValidation[MoveRequest]],
        Field(description="Requests as `/move` takes them; a setting of the server limits their number."),
    ]


class MovesAnswer(TypedDict):
    """An answer for each request, in the same order."""

    answers: Annotated[
        list[MoveAnswer | Problem],
        Field(
            description="For each request the answer of `/move`, or a problem in its place. Only a problem has "
            "`status`; its `instance` names the request, and the pointers of its `errors` start at that request."
        ),
    ]


@with_config(STRICT)
class TreeRequest(PositionFields, RuleFields, SizeFields, total=False):
    """A position whose search tree is small enough to be shown."""

    max_depth: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CELLS,
            description="Plies to look ahead; a position at that depth in which the game goes on has the line "
            "heuristic's estimate as its value. By default the search goes to the end of the game.",
            examples=[3],
        ),
    ]
    pruning: Annotated[
        bool,
        Field(
            description="`true`, the default: alpha-beta, which skips moves that cannot change the result; `false`: "
            "plain minimax."
        ),
    ]


_Window = Annotated[float | None, Field(description="The bound when the node was entered; null for infinity.")]


class TreeNode(TypedDict):
    """A position of the tree; values are from the view of the side to move at the root."""

    move: Annotated[Cell | None, Field(description="The move that leads here; null at the root.")]
    value: Annotated[
        float,
        Field(
            description="A win in n plies from the root is `cells + 1 - n`, a loss its negative, a draw 0; "
            "an estimate at the depth limit is between -1 and 1."
        ),
    ]
    alpha: _Window
    beta: _Window
    cut: Annotated[bool, Field(description="Whether moves were skipped because alpha ≥ beta; `value` is then a bound.")]
    best: Annotated[bool, Field(description="Whether it is on the principal variation.")]
    children: Annotated[list["TreeNode"], Field(description="The moves that were searched, in tile order.")]


class TreeAnswer(TypedDict):
    """A search tree."""

    nodes: Annotated[int, Field(ge=1, description="Positions in the tree, including the root.")]
    root: TreeNode


class FirstMove(TypedDict):
    """The value of a first move, for the side that makes it."""

    tile: Annotated[int, Field(ge=1, le=MAX_CELLS, description="The cell, counted from 1.")]
    outcome: OutcomeField
    distance: DistanceField
    distance_is_bound: IsBoundField


class AtlasCheck(TypedDict):
    """A second source for an outcome."""

    source: Annotated[str, Field(description="A publication or a second method.")]
    agrees: Annotated[bool, Field(description="Whether it says the same.")]


class AtlasEntry(RuleFields, SizeFields):
    """What is known of an empty board, with all fields of its rules and its size."""

    board: NotRequired[Annotated[list[str] | list[list[str]], Field(description="Only where cells are blocked.")]]
    outcome: OutcomeField
    distance: DistanceField
    distance_is_bound: IsBoundField
    move: Annotated[int | None, Field(description="The tile of a best first move; null where the board is open.")]
    first_moves: Annotated[
        list[FirstMove] | None,
        Field(description="Every first move up to symmetry; null where not all of them are proven."),
    ]
    nodes: Annotated[int | None, Field(description="Positions of the proof; null where the board is open.")]
    tried_nodes: Annotated[int, Field(description="All positions that were visited, those for the first moves too.")]
    seconds: Annotated[float, Field(description="Processor time.")]
    limit_s: Annotated[int, Field(description="The time that the board was given, in seconds.")]
    method: Annotated[str, Field(description="The solvers that may have taken part.")]
    checked_by: Annotated[AtlasCheck | None, Field(description="A second source; null without.")]


class Atlas(TypedDict):
    """Every empty board that the engine has tried."""

    engine: Annotated[str, Field(description="The version of the engine that answers from it.")]
    entries: Annotated[list[AtlasEntry], Field(description="The boards, most of them by their size.")]


REVIEW_REQUEST: TypeAdapter[ReviewRequest] = TypeAdapter(ReviewRequest)
MOVES_REQUEST: TypeAdapter[MovesRequest] = TypeAdapter(MovesRequest)
TREE_REQUEST: TypeAdapter[TreeRequest] = TypeAdapter(TreeRequest)


@with_config(STRICT)
class PuzzleRequest(RuleFields, SizeFields, total=False):
    """A game and which of its puzzles."""

    seed: Annotated[int, Field(ge=0, lt=2**53, description="Chooses the puzzle; by default another one each time.")]
    max_plies: Annotated[int, Field(ge=1, le=MAX_CELLS, description="The most plies to the win.")]


class PuzzleAnswer(TypedDict):
    """A position with one right move. The rules stand beside these fields."""

    moves: Annotated[str | list[int], Field(description="The moves so far; X began.")]
    board: Annotated[list[str] | list[list[str]], Field(description="The position after them.")]
    to_move: Literal["X", "O"]
    outcome: Annotated[Literal["win", "draw"], Field(description="What the right move gets.")]
    move: Annotated[Cell, Field(description="The solution: the only move that gets it.")]
    line: Annotated[list[Cell], Field(description="Best play from the right move on.")]
    plies: Annotated[int, Field(description="To the win; of a draw, how long the best wrong move holds out.")]
    nodes: Annotated[int, Field(description="Positions that a search for the move visits.")]
    level: Annotated[int, Field(description="The lowest playing level that finds the move.")]
    seed: int


PUZZLE_REQUEST: TypeAdapter[PuzzleRequest] = TypeAdapter(PuzzleRequest)
