"""The rules of one game: the size of the board, the goal, gravity, misère and exact goal; and the presets."""

from dataclasses import dataclass
from typing import Any

from service.engine.errors import RuleError

MAX_SIDE = 25
"""The most rows or columns a board may have."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a game of ``goal`` in a row on a board of ``rows`` × ``columns``.

    Attributes:
        rows: 1 to 25.
        columns: 1 to 25.
        goal: marks in a row that end the game, 1 to max(rows, columns).
        gravity: marks fall to the lowest empty row of a column.
        misere: completing a line loses.
        exact_goal: only exactly ``goal`` in a row is a line, judged per direction.

    Raises:
        RuleError: a number is out of its range.
    """

    rows: int
    columns: int
    goal: int
    gravity: bool = False
    misere: bool = False
    exact_goal: bool = False

    def __post_init__(self) -> None:
        for name in ("rows", "columns"):
            side = getattr(self, name)
            if not 1 <= side <= MAX_SIDE:
                raise RuleError(f"/{name}", f"a board has 1 to {MAX_SIDE} {name}, not {side}")
        longest = max(self.rows, self.columns)
        if not 1 <= self.goal <= longest:
            raise RuleError("/goal", f"goal {self.goal} is not between 1 and the longest side, {longest}")

    @property
    def cells(self) -> int:
        """How many cells the board has, 1 to 625."""
        return self.rows * self.columns


@dataclass(frozen=True, slots=True)
class Preset:
    """A named game: its four rule fields, and the size a new board of it has."""

    rows: int
    columns: int
    goal: int
    gravity: bool = False
    misere: bool = False
    exact_goal: bool = False


PRESETS: dict[str, Preset] = {
    "tic-tac-toe": Preset(3, 3, 3),
    "misere-tic-tac-toe": Preset(3, 3, 3, misere=True),
    "four-by-four": Preset(4, 4, 4),
    "connect-four": Preset(6, 7, 4, gravity=True),
    "gomoku": Preset(15, 15, 5),
    "standard-gomoku": Preset(15, 15, 5, exact_goal=True),
}

RULE_FIELDS = ("goal", "gravity", "misere", "exact_goal")

TIC_TAC_TOE_SIDE = 3
"""On a board of this many rows and columns the goal may be left out: it is the same number."""


def resolve(
    rows: int,
    columns: int,
    *,
    goal: int | None = None,
    gravity: bool | None = None,
    misere: bool | None = None,
    exact_goal: bool | None = None,
    game: str | None = None,
) -> Rules:
    """The rules a request means; ``None`` stands for a field that was not sent.

    Raises:
        RuleError: the goal is missing or too long, the preset is unknown or contradicts a field.
    """
    sent: dict[str, Any] = {"goal": goal, "gravity": gravity, "misere": misere, "exact_goal": exact_goal}
    if game is not None:
        preset = PRESETS.get(game)
        if preset is None:
            raise RuleError("/game", f"no such game; the presets are {', '.join(PRESETS)}")
        for name, value in sent.items():
            meant = getattr(preset, name)
            if value is not None and value != meant:
                says = f"{name} {meant}".lower()
                raise RuleError("/game", f"{game} means {says}", (f"/{name}", f"{game} means {says}"))
            sent[name] = meant
        if preset.goal > max(rows, columns):
            raise RuleError("/game", f"{game} needs a side of {preset.goal}, the board is {rows} × {columns}")
    if sent["goal"] is None:
        if rows != TIC_TAC_TOE_SIDE or columns != TIC_TAC_TOE_SIDE:
            raise RuleError(
                "/goal", f"goal is required on a {rows} × {columns} board; only 3 × 3 has a default"
            )
        sent["goal"] = TIC_TAC_TOE_SIDE
    return Rules(
        rows, columns, sent["goal"], bool(sent["gravity"]), bool(sent["misere"]), bool(sent["exact_goal"])
    )
