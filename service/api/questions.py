"""From the fields of a request to what the engine is asked, and to the tag of its answer."""

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from service.api.problems import invalid
from service.api.schemas import FULL_STRENGTH
from service.engine.notation import read_grid, read_side
from service.engine.position import Position, Side
from service.engine.rules import PRESETS, Rules, resolve
from service.settings import Settings
from service.version import VERSION

if TYPE_CHECKING:
    from service.engine.search import Limits

_TAG_BYTES = 12


@dataclass(frozen=True, slots=True)
class Question:
    """A request with everything resolved: defaults filled in, caps applied.

    Attributes:
        position: the board, its rules and the side to move.
        limits: the budget in effect.
        level: 1 to 10.
        seed: makes a varied choice repeatable; None for none.
    """

    position: Position
    limits: "Limits"
    level: int
    seed: int | None

    @property
    def repeatable(self) -> bool:
        """Whether the same question always chooses the same move."""
        return self.level == FULL_STRENGTH or self.seed is not None

    def tag(self, engine_version: str) -> str:
        """The weak ETag of the answer: the same for every spelling of the question, another for any other."""
        position, limits = self.position, self.limits
        rules = position.rules
        # The fields one by one: any order in which a repr might change must not change the tag.
        parts = (
            VERSION, engine_version,
            rules.rows, rules.columns, rules.goal, rules.gravity, rules.misere, rules.exact_goal,
            position.cells.hex(), position.to_move,
            limits.max_nodes, limits.max_depth, limits.time_limit_ms,
            self.level, self.seed,
        )  # fmt: skip
        digest = blake2b("|".join(map(str, parts)).encode(), digest_size=_TAG_BYTES)
        return f'W/"{digest.hexdigest()}"'


@dataclass(frozen=True, slots=True)
class Game:
    """A recorded game to be reviewed; its moves are read when they are replayed.

    Attributes:
        rules: the game.
        first: the side that made the first move.
        moves: as they were sent.
        limits: the budget for each position.
    """

    rules: Rules
    first: Side
    moves: list[Any]
    limits: "Limits"


def question(fields: dict[str, Any], settings: Settings) -> Question:
    """What the fields of a checked request ask; the fields are not changed.

    Raises:
        Problem: 422, the budget is above the server's limit.
        InputError: the board, the rules or the side to move cannot be.
    """
    _check_nodes(fields, settings)
    position = position_asked(fields, settings)
    limits = _limits(fields, position.rules, settings)
    return Question(position, limits, fields.get("level", FULL_STRENGTH), fields.get("seed"))


def within(limits: "Limits", deadline_ns: int) -> "Limits":
    """The limits with a time, on the scale of ``time.monotonic_ns()``, at which to end besides."""
    return replace(limits, deadline_ns=deadline_ns)


def position_asked(fields: dict[str, Any], settings: Settings) -> Position:
    """The position of a checked request with a board.

    Raises:
        InputError: the board, the rules or the side to move cannot be.
    """
    get = fields.get
    grid = read_grid(fields["board"], rows=get("rows"), columns=get("columns"), max_side=settings.max_side)
    to_move = get("to_move")
    side = read_side(to_move) if to_move is not None else None
    return Position.checked(_rules(fields, grid.rows, grid.columns), grid.cells, side)


def game_asked(fields: dict[str, Any], settings: Settings) -> Game:
    """The game of a checked request that has none but its moves.

    Raises:
        Problem: 422, the size is missing or too large, or the budget is above the server's limit.
        InputError: the rules cannot be.
    """
    _check_nodes(fields, settings)
    preset = PRESETS.get(fields.get("game", ""))
    sides, errors = [], []
    for name in ("rows", "columns"):
        side = fields.get(name) or (getattr(preset, name) if preset else 0)
        sides.append(side)
        if not side:
            errors.append((f"/{name}", f"{name} is required unless game names a preset"))
        elif side > settings.max_side:
            errors.append((f"/{name}", f"at most {settings.max_side} {name} are allowed here, not {side}"))
    if errors:
        raise invalid(errors)
    rules = _rules(fields, *sides)
    return Game(rules, read_side(fields.get("first", "X")), fields["moves"], _limits(fields, rules, settings))


def _check_nodes(fields: dict[str, Any], settings: Settings) -> None:
    """Refuse a budget above the server's limit."""
    max_nodes = fields.get("max_nodes", 0)
    if max_nodes > settings.max_nodes:
        raise invalid(
            [("/max_nodes", f"at most {settings.max_nodes} nodes are allowed here, not {max_nodes}")]
        )


def _rules(fields: dict[str, Any], rows: int, columns: int) -> Rules:
    get = fields.get
    return resolve(
        rows,
        columns,
        goal=get("goal"),
        gravity=get("gravity"),
        misere=get("misere"),
        exact_goal=get("exact_goal"),
        game=get("game"),
    )


def _limits(fields: dict[str, Any], rules: Rules, settings: Settings) -> "Limits":
    """The budget in effect: what was sent, defaults and caps."""
    # The module compiles the kernels when it is first imported, which must wait until the app says so.
    from service.engine.search import Limits, solvable

    get = fields.get
    return Limits(
        max_nodes=get("max_nodes") or settings.nodes_by_default(solvable(rules)),
        max_depth=get("max_depth"),
        time_limit_ms=min(get("time_limit_ms", settings.max_time_ms), settings.max_time_ms),
    )
