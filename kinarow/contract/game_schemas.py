"""The fields of requests and answers beside those of a move: reviews, batches, trees, the atlas, puzzles, the judge."""

from typing import Annotated, Any, Literal, NotRequired, Required

from pydantic import Field, SkipValidation, TypeAdapter, WithJsonSchema, with_config
from typing_extensions import TypedDict

from kinarow.contract.schemas import (
    MAX_INTEGER,
    MOVES_IN_WORDS,
    STRICT,
    BudgetFields,
    Cell,
    EndingFields,
    MoveAnswer,
    MoveRequest,
    Moves,
    PositionFields,
    Problem,
    ResultFields,
    Rows,
    RuleFields,
    Side,
    SizeFields,
    StartFields,
    ValueFields,
)
from kinarow.game.size import MAX_CELLS
from kinarow.play.grades import Grade, GradedBy


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


class _Made(TypedDict):
    move: Cell
    to_move: Side


class ReviewedMove(_Made, ValueFields):
    """A move of the game, from the view of the side that made it."""

    best_moves: list[Cell]
    best_score: float
    best_outcome: Literal["win", "draw", "loss", "unknown"]
    grade: Grade
    graded_by: GradedBy


class ReviewedMoveEvent(ReviewedMove):
    """The data of an event that tells of a move as soon as it is graded."""

    index: Annotated[int, Field(ge=0, lt=MAX_CELLS)]


_Count = Annotated[int, Field(ge=0, le=MAX_CELLS)]


class SideSummary(TypedDict):
    """How one side played."""

    moves: _Count
    best: _Count
    inaccuracies: _Count
    mistakes: _Count
    blunders: _Count
    unclear: _Count
    accuracy: Annotated[float | None, Field(ge=0, le=1)]
    lost: float | None
    lost_over: _Count


class Summary(TypedDict):
    """How each side played."""

    X: SideSummary
    O: SideSummary  # noqa: E741 - the side's own name


class ReviewAnswer(EndingFields):
    """Every move of the game with its grade, and the state after the last move."""

    moves: Annotated[list[ReviewedMove], Field(max_length=MAX_CELLS)]
    summary: Summary


@with_config(STRICT)
class MovesRequest(TypedDict):
    """Many requests of ``/move`` at once."""

    # Each request is checked separately, so that a bad one does not affect the others.
    requests: list[SkipValidation[MoveRequest]]


class MovesAnswer(TypedDict):
    """An answer for each request, in the same order."""

    answers: list[MoveAnswer | Problem]


@with_config(STRICT)
class TreeRequest(PositionFields, RuleFields, SizeFields, total=False):
    """A position whose search tree is small enough to be shown."""

    max_depth: Annotated[int, Field(ge=1, le=MAX_CELLS, examples=[3])]
    pruning: bool


_Window = Annotated[float | None, Field(description="The bound when the node was entered; null for infinity.")]


class TreeNode(TypedDict):
    """A position of the tree; values are from the view of the side to move at the root."""

    move: Cell | None
    value: float
    alpha: _Window
    beta: _Window
    cut: bool
    best: bool
    children: list["TreeNode"]


class TreeAnswer(TypedDict):
    """A search tree."""

    nodes: Annotated[int, Field(ge=1)]
    root: TreeNode


class FirstMove(ResultFields):
    """The value of a first move, for the side that makes it."""

    tile: Annotated[int, Field(ge=1, le=MAX_CELLS)]


class AtlasCheck(TypedDict):
    """A second source for an outcome."""

    source: str
    agrees: bool


class AtlasEntry(RuleFields, SizeFields, ResultFields):
    """What is known of an empty board, with all fields of its rules and its size."""

    board: NotRequired[Rows]
    move: int | None
    first_moves: list[FirstMove] | None
    nodes: int | None
    tried_nodes: int
    seconds: float
    limit_s: int
    method: str
    checked_by: AtlasCheck | None


class Atlas(TypedDict):
    """Every empty board that the engine has tried."""

    engine: str
    entries: list[AtlasEntry]


REVIEW_REQUEST: TypeAdapter[ReviewRequest] = TypeAdapter(ReviewRequest)
MOVES_REQUEST: TypeAdapter[MovesRequest] = TypeAdapter(MovesRequest)
TREE_REQUEST: TypeAdapter[TreeRequest] = TypeAdapter(TreeRequest)


@with_config(STRICT)
class PuzzleRequest(RuleFields, SizeFields, total=False):
    """A game and which of its puzzles."""

    seed: Annotated[int, Field(ge=0, le=MAX_INTEGER)]
    max_plies: Annotated[int, Field(ge=1, le=MAX_CELLS)]


class PuzzleAnswer(TypedDict):
    """A position with one right move. The rules stand beside these fields."""

    moves: str | list[int]
    board: Rows
    to_move: Literal["X", "O"]
    outcome: Literal["win", "draw"]
    move: Cell
    line: list[Cell]
    plies: int
    nodes: int
    level: int
    seed: int


_Name = Annotated[str, Field(min_length=1, max_length=100)]


@with_config(STRICT)
class Players(TypedDict):
    """The names of the players of a game."""

    X: _Name
    O: _Name  # noqa: E741 - the side's name


_GAMES = (
    "Games, as text with a JSON object on each line or as a list of objects: `players`, such as "
    '`{"X": "mine", "O": "kinarow-level-3"}`, and the fields of a review. Moves that are not possible are judged too.'
)


@with_config(STRICT)
class JudgeRequest(BudgetFields, total=False):
    """Games whose players are to be judged, and a budget for those that have none of their own."""

    games: Required[
        Annotated[
            Any, WithJsonSchema({"description": _GAMES, "type": ["string", "array"], "items": {"type": "object"}})
        ]
    ]


class JudgeAnswer(TypedDict):
    """How good the moves of each player are."""

    players: dict[str, Any]
    elo: dict[str, Any] | None


PUZZLE_REQUEST: TypeAdapter[PuzzleRequest] = TypeAdapter(PuzzleRequest)
JUDGE_REQUEST: TypeAdapter[JudgeRequest] = TypeAdapter(JudgeRequest)
