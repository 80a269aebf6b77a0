"""From the fields of a request to what the engine is asked, and to the tag of its answer."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from service.api.problems import invalid
from service.api.schemas import FULL_STRENGTH
from service.engine.notation import read_grid, read_side
from service.engine.position import Position
from service.engine.rules import resolve
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


def question(fields: dict[str, Any], settings: Settings) -> Question:
    """What the fields of a checked request ask; the fields are not changed.

    Raises:
        Problem: 422, the budget is above the server's limit.
        InputError: the board, the rules or the side to move cannot be.
    """
    # The module compiles the kernels when it is first imported, which must wait until the app says so.
    from service.engine.search import Limits, solvable

    get = fields.get
    max_nodes = get("max_nodes")
    if max_nodes is not None and max_nodes > settings.max_nodes:
        raise invalid(
            [("/max_nodes", f"at most {settings.max_nodes} nodes are allowed here, not {max_nodes}")]
        )
    grid = read_grid(fields["board"], rows=get("rows"), columns=get("columns"), max_side=settings.max_side)
    rules = resolve(
        grid.rows,
        grid.columns,
        goal=get("goal"),
        gravity=get("gravity"),
        misere=get("misere"),
        exact_goal=get("exact_goal"),
        game=get("game"),
    )
    to_move = get("to_move")
    position = Position.checked(rules, grid.cells, read_side(to_move) if to_move is not None else None)
    limits = Limits(
        max_nodes=max_nodes or settings.nodes_by_default(solvable(rules)),
        max_depth=get("max_depth"),
        time_limit_ms=min(get("time_limit_ms", settings.max_time_ms), settings.max_time_ms),
    )
    return Question(position, limits, get("level", FULL_STRENGTH), get("seed"))
