"""The rules of a game, each declared once as a field of ``Rules``, and the presets.

Keys, hashes, schemas, requests, options, hints and tables are made from the declarations. ``RuleKeywords`` repeats the
names and types, which type checkers must see; a test compares them.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple, TypedDict, get_args, get_origin

from kinarow.errors import SWITCH, WHOLE, RuleError, check_type, quoted
from kinarow.game.size import MAX_CELLS, MAX_SIDE

Side = Literal[1, 2]
EMPTY = 0
X: Side = 1
O: Side = 2  # noqa: E741 - the mark's own name
BLOCKED = 3  # A cell that is on no line and is never marked
SWAP_SIDES = bytes.maketrans(b"\x01\x02", b"\x02\x01")  # A table for bytes.translate that exchanges X and O
NAMES: dict[Side, Literal["X", "O"]] = {X: "X", O: "O"}


OPPONENT: dict[Side, Side] = {X: O, O: X}


def other(side: Side) -> Side:
    """Return the opponent of a side."""
    return OPPONENT[side]


Wrap = Literal["none", "rows", "columns", "both"]
"""Which edges are joined: ``rows`` makes each row a ring, ``columns`` each column, ``both`` makes a torus."""

Direction = Literal["horizontal", "vertical", "diagonal", "antidiagonal"]
DIRECTION_NAMES: tuple[Direction, ...] = get_args(Direction)
"""The directions in which lines may lie: a diagonal runs down to the right, an antidiagonal down to the left."""

Marks = Literal["own", "shared"]
"""Whose marks are on the board: ``own`` gives each side its mark, with ``shared`` both sides mark with X."""

GOAL_OF_RENJU = 5  # Renju is five in a row, on a plain board of any size


class Needs(NamedTuple):
    """What a rule needs of the rest of its game."""

    goal: int | None = None  # the only goal; None for any
    no_blocked: bool = False  # whether blocked cells are not allowed

    @property
    def in_words(self) -> list[str]:
        """Each need in a few words."""
        found = [f"goal {self.goal}"] if self.goal is not None else []
        return found + (["a board without `#`"] if self.no_blocked else [])

    def unmet(self, rules: "Rules") -> tuple[str, str] | None:
        """Return the field that does not meet a need, and the need in words; None if all needs are met."""
        if self.goal not in (None, rules.goal):
            return "goal", f"goal {self.goal}"
        return ("board", "a board without blocked cells") if self.no_blocked and rules.blocked else None


_NOTHING = Needs()


def _rule(
    default: Any,
    words: str,
    in_words: str | Mapping[str, str] = "",
    not_with: tuple[str, ...] = (),
    needs: Needs = _NOTHING,
) -> Any:
    """Declare a rule; the members of ``Rule`` explain the arguments."""
    return field(default=default, metadata={"words": words, "in_words": in_words, "not_with": not_with, "needs": needs})


class Size(NamedTuple):
    """The size of a board."""

    rows: int
    columns: int
    layers: int = 1

    @property
    def in_words(self) -> str:
        """The size such as ``3 × 3``; with layers their number comes first."""
        return " × ".join(map(str, ([self.layers] if self.layers > 1 else []) + [self.rows, self.columns]))


@dataclass(frozen=True, slots=True, repr=False)
class Rules:
    """The rules of a game of ``goal`` in a row on a board of ``rows`` × ``columns``, or of several such layers.

    A field with the metadata of ``_rule`` is a rule field of a request.

    Attributes:
        rows: 1 to 25.
        columns: 1 to 25.
        directions: the directions in which lines count, in the order of ``DIRECTION_NAMES``.
        blocked: the blocked cells as a mask, bit ``1 << cell``; a position sets it from its cells.
        layers: 1 to 25, one above the other; with more than one lines run in all 13 directions of space.

    Raises:
        RuleError: a field is out of its range, or two rules do not go together.
        TypeError: a field has the wrong type.
    """

    rows: int
    columns: int
    goal: int = _rule(
        MISSING,
        "Marks in a row that end the game, at most the longest side of the board. The default on a 3 × 3 board is "
        "3; on other boards `goal` or `game` is required.",
    )
    gravity: bool = _rule(
        False,
        "Marks fall to the lowest empty row of their column, as in Connect Four; with layers to the lowest free layer.",
        "marks fall",
    )
    misere: bool = _rule(False, "The side that completes a line loses.", "who completes a line loses")
    exact_goal: bool = _rule(
        False,
        "Only exactly `goal` marks in a row are a line; a longer run is not. Each direction counts separately.",
        "a longer run is no line",
    )
    wrap: Wrap = _rule(  # noqa: RUF009 - a field
        "none",
        "Edges that are joined: `rows` makes each row a ring (the left edge meets the right one), `columns` makes "
        "each column a ring, `both` makes a torus.",
        {"rows": "each row is a ring", "columns": "each column is a ring", "both": "opposite edges are joined"},
        not_with=("layers",),
    )
    directions: tuple[Direction, ...] = _rule(
        DIRECTION_NAMES,
        "The directions in which lines count, without repeats: a `diagonal` runs down to the right, an "
        "`antidiagonal` down to the left.",
        "lines count {} only",
        not_with=("layers",),
    )
    blocked: int = 0
    caro: bool = _rule(
        False,
        "A run of exactly `goal` marks is not a line if marks of the other side close both its ends; an edge or a "
        "blocked cell closes no end. A longer run is a line, unless `exact_goal`.",
        "a line closed at both ends does not count",
        not_with=("layers", "gravity", "misere", "wrap"),
    )
    renju: bool = _rule(
        False,
        "Renju: the side that began may not make an overline, double four or double three and needs exactly five "
        "in a row; the other side needs five or more.",
        "by the rules of Renju",
        not_with=("layers", "gravity", "misere", "exact_goal", "caro", "wrap", "directions"),
        needs=Needs(goal=GOAL_OF_RENJU, no_blocked=True),
    )
    marks: Marks = _rule(  # noqa: RUF009 - a field
        "own",
        "Whose marks are on the board: `own` gives each side its mark; with `shared` both sides mark with X. The "
        "side that completes a line of X wins, in misère it loses.",
        {"shared": "both sides mark with X"},
        not_with=("caro", "renju"),
    )
    layers: int = 1
    plain: bool = field(init=False, repr=False, compare=False)
    """Whether the board is a plain rectangle: one layer, no joined edges, all directions, no blocked cells."""
    cells: int = field(init=False, repr=False, compare=False)
    """The number of cells of the board, 1 to 625."""
    stacks: int = field(init=False, repr=False, compare=False)
    """The number of stacks in which marks fall: cells with the same remainder are one above the other."""
    rise: int = field(init=False, repr=False, compare=False)
    """The step from a cell to the cell above it in its stack: negative on one layer, where the top row comes first."""
    sides: Size = field(init=False, repr=False, compare=False)
    """The numbers of rows, columns and layers."""
    special_names: frozenset[str] = field(init=False, repr=False, compare=False)
    """The names of the rules that are not the default."""
    _hash: int = field(init=False, repr=False, compare=False)
    _text: str = field(init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return self._text

    def __post_init__(self) -> None:
        self._check_types()
        # Computed once, since searches use rules as keys. From numbers alone, so that all processes have the same hash.
        defaults = _defaults(self)
        special = frozenset(name for name, default in defaults.items() if getattr(self, name) != default)
        object.__setattr__(self, "special_names", special)
        places = sum(1 << place for place, name in enumerate(defaults) if name in special)
        object.__setattr__(self, "sides", Size(self.rows, self.columns, self.layers))
        object.__setattr__(self, "_hash", hash((*self.sides, self.goal, self.blocked, places)))
        shape = (self.layers, self.wrap, self.directions, self.blocked)
        object.__setattr__(self, "plain", shape == (1, "none", DIRECTION_NAMES, 0))
        object.__setattr__(self, "cells", self.rows * self.columns * self.layers)
        stacks = self.columns if self.layers == 1 else self.rows * self.columns
        object.__setattr__(self, "stacks", stacks)
        object.__setattr__(self, "rise", -stacks if self.layers == 1 else stacks)
        for name in ("rows", "columns", "layers"):
            side = getattr(self, name)
            if not 1 <= side <= MAX_SIDE:
                raise RuleError(f"/{name}", f"a board has 1 to {MAX_SIDE} {name}, not {side}")
        if self.cells > MAX_CELLS:
            raise RuleError("/layers", f"a board has at most {MAX_CELLS} cells, not {self.cells}")
        if self.blocked >> self.cells:
            raise RuleError("/board", f"blocked has a bit above the last cell, {self.cells - 1}")
        longest = max(self.rows, self.columns, self.layers)
        if not 1 <= self.goal <= longest:
            raise RuleError("/goal", f"goal {self.goal} is not between 1 and the longest side, {longest}")
        for rule in RULES.values():
            value = getattr(self, rule.name)
            if rule.kind == "choice" and value not in rule.choices:
                expected = ", ".join(rule.choices)
                raise RuleError(f"/{rule.name}", f"{rule.name} is one of {expected}, not {quoted(value)}")
        self._check_contradictions()
        shown = self.short_fields() | ({"blocked": self.blocked} if self.blocked else {})
        text = f"Rules({', '.join(f'{name}={value!r}' for name, value in shown.items())})"
        object.__setattr__(self, "_text", text)  # the key of every cache has it

    def _check_types(self) -> None:
        """Raise ``TypeError`` for a field of the wrong type, and convert values to Python's own types."""
        for name in ("rows", "columns", "layers", "goal", "blocked"):
            value = getattr(self, name)
            if type(value) is not int:
                check_type(name, value, WHOLE)
                object.__setattr__(self, name, int(value))
        for rule in RULES.values():
            value = getattr(self, rule.name)
            if value is not rule.default:
                check_type(rule.name, value, rule.wanted)
                if rule.kind in ("switch", "choice"):
                    object.__setattr__(self, rule.name, bool(value) if rule.kind == "switch" else str(value))
        if self.directions is not DIRECTION_NAMES:
            object.__setattr__(self, "directions", read_directions(self.directions))

    def _check_contradictions(self) -> None:
        """Raise ``RuleError`` if two rules exclude each other, or a rule's needs are not met."""
        special = self.special()
        clashes = [(name, other) for name in special if name in RULES for other in RULES[name].not_with]
        clashes = [(name, other) for name, other in clashes if other in special]
        for name, _ in (clash for clash in clashes if clash[1] == "layers"):
            raise RuleError(f"/{name}", f"{name} does not go together with layers")
        for name in special:
            unmet = RULES[name].needs.unmet(self) if name in RULES else None
            if unmet:
                field, needed = unmet
                raise RuleError(f"/{name}", f"{name} needs {needed}", (f"/{field}", f"{name} needs {needed}"))
        for name, other in clashes:
            also = (f"/{other}", f"not with {name}")
            raise RuleError(f"/{name}", f"{name} does not go together with {other}", also)

    def special(self) -> dict[str, Any]:
        """Return the rule fields that are not the default, without the goal; with the layers if there are several."""
        return {name: getattr(self, name) for name in _defaults(self) if name in self.special_names}

    def within(self, known: frozenset[str]) -> bool:
        """Return True if every rule that differs from its default is in ``known``.

        Every solver and every short cut asks this with the names of the rules that it handles, so it never gets a new
        rule before somebody adds the rule's name.
        """
        return self.special_names <= known

    @property
    def special_in_words(self) -> list[str]:
        """The rules that are not the default, each in a few words such as ``marks fall``."""
        return [RULES[name].say(value) for name, value in self.special().items() if name in RULES]

    def below(self, cell: int) -> int | None:
        """Return the cell under a cell in its stack; None on the floor."""
        under = cell - self.rise
        return under if 0 <= under < self.cells else None

    def above(self, cell: int) -> int | None:
        """Return the cell over a cell in its stack; None at the top."""
        over = cell + self.rise
        return over if 0 <= over < self.cells else None

    def fields(self) -> dict[str, Any]:
        """Return the size and the rule fields by the names of a request; blocked cells belong to a board."""
        return {name: getattr(self, name) for name in ("rows", "columns", "layers", *RULES)}

    def short_fields(self) -> dict[str, Any]:
        """Return the size, the goal and the fields that are not the default: enough to build the rules again."""
        return {"rows": self.rows, "columns": self.columns, "goal": self.goal, **self.special()}

    @property
    def size(self) -> str:
        """The size in words, such as ``3 × 3``; with layers their number comes first."""
        return self.sides.in_words

    @property
    def wraps_rows(self) -> bool:
        """True if each row is a ring."""
        return self.wrap in ("rows", "both")

    @property
    def wraps_columns(self) -> bool:
        """True if each column is a ring."""
        return self.wrap in ("columns", "both")

    @property
    def empty_board(self) -> bytes:
        """The cells of an empty board, a byte for each: blocked or empty."""
        if not self.blocked:
            return bytes(self.cells)
        return bytes(BLOCKED if self.blocked >> cell & 1 else EMPTY for cell in range(self.cells))

    def with_blocked(self, cells: bytes) -> "Rules":
        """Return these rules with exactly the blocked cells of ``cells``."""
        blocked = 0
        if BLOCKED in cells:
            blocked = sum(1 << cell for cell, mark in enumerate(cells) if mark == BLOCKED)
        return self if blocked == self.blocked else replace(self, blocked=blocked)


class Rule(NamedTuple):
    """A rule field of a request, made from its declaration."""

    name: str  # the field's name
    # the kind of value: a number, ``true`` or ``false``, one of the choices, or a list of some choices
    kind: Literal["integer", "switch", "choice", "list"]
    choices: tuple[str, ...]  # the possible values of a choice, or members of a list; else empty
    default: Any  # None for the goal, which has a default on 3 × 3 only
    words: str  # what the rule means, in sentences
    # the rule in a few words, such as ``marks fall``; for choices by value, for lists with ``{}`` for the members
    in_words: str | Mapping[str, str]
    not_with: tuple[str, ...]  # the fields that must have their default if this rule has not
    needs: Needs = _NOTHING

    @property
    def wanted(self) -> tuple[type, str]:
        """The type that a value must have, and that type in words."""
        match self.kind:
            case "integer":
                return WHOLE
            case "switch":
                return SWITCH
            case "choice":
                *most, last = map(repr, self.choices)
                return str, f"{', '.join(most)} or {last}"
        return Sequence, f"a list of {self.name}, such as {list(self.choices[:2])}"

    @property
    def description(self) -> str:
        """What the field means, what it needs, which fields it excludes, and its default, in sentences."""
        parts = [self.words]
        if self.needs.in_words:
            parts.append(f"Needs {' and '.join(self.needs.in_words)}.")
        if self.not_with:
            *most, last = (f"`{name}`" for name in self.not_with)
            parts.append(f"Not with {', '.join(most)} or {last}." if most else f"Not with {last}.")
        if self.kind in ("switch", "choice"):
            parts.append(f"By default `{str(self.default).lower()}`.")
        if self.kind == "list":
            parts.append("By default all.")
        return " ".join(parts)

    def say(self, value: Any) -> str:
        """Return the rule with this value in a few words, such as ``marks fall``."""
        if isinstance(self.in_words, str):
            return self.in_words.format(" and ".join(value) if self.kind == "list" else value)
        return self.in_words[value]


def _defaults(rules: Rules) -> dict[str, Any]:
    """Return the defaults of the rule fields, without the goal but with ``layers``, by name."""
    return {each.name: each.default for each in fields(rules) if each.metadata and each.name != "goal"} | {"layers": 1}


def _declared(each: Field[Any]) -> Rule:
    """Return the ``Rule`` of a field that ``_rule`` declared; the field's type gives its kind and choices."""
    written: Any = each.type
    parts = get_args(written)
    kind: Any = {int: "integer", bool: "switch"}.get(written)
    if kind is None:
        kind, parts = ("choice", parts) if get_origin(written) is Literal else ("list", get_args(parts[0]))
    return Rule(each.name, kind, parts, None if each.default is MISSING else each.default, **each.metadata)


RULES = {each.name: _declared(each) for each in fields(Rules) if each.metadata}
"""The rule fields of a request by name, without ``blocked`` and ``layers``, which the board and its size give."""

PRESETS: dict[str, Rules] = {
    "tic-tac-toe": Rules(3, 3, 3),
    "misere-tic-tac-toe": Rules(3, 3, 3, misere=True),
    "four-by-four": Rules(4, 4, 4),
    "connect-four": Rules(6, 7, 4, gravity=True),
    "gomoku": Rules(15, 15, 5),
    "standard-gomoku": Rules(15, 15, 5, exact_goal=True),
    "torus-tic-tac-toe": Rules(3, 3, 3, wrap="both"),
    "caro": Rules(15, 15, 5, caro=True),
    "renju": Rules(15, 15, 5, renju=True),
    "qubic": Rules(4, 4, 4, layers=4),
    "score-four": Rules(4, 4, 4, gravity=True, layers=4),
    "notakto": Rules(3, 3, 3, misere=True, marks="shared"),
    "treblecross": Rules(1, 11, 3, marks="shared"),
}
"""The named games, with the board sizes that are usual for them."""


class RuleKeywords(TypedDict, total=False):
    """Keyword arguments of the rule fields and the size; ``None`` stands for a missing field."""

    rows: int | None
    columns: int | None
    layers: int | None
    goal: int | None
    gravity: bool | None
    misere: bool | None
    exact_goal: bool | None
    wrap: str | None
    directions: Sequence[str] | None
    caro: bool | None
    renju: bool | None
    marks: str | None
    game: str | None


def read_directions(named: Sequence[str]) -> tuple[Direction, ...]:
    """Return directions in the order of ``DIRECTION_NAMES``, or raise a ``RuleError``."""
    if isinstance(named, str) or not named:
        raise RuleError("/directions", f"directions is a list with one or more of {', '.join(DIRECTION_NAMES)}")
    for index, name in enumerate(named):
        if name not in DIRECTION_NAMES:
            expected = ", ".join(DIRECTION_NAMES)
            raise RuleError(f"/directions/{index}", f"a direction is one of {expected}, not {quoted(name)}")
        if name in named[:index]:
            raise RuleError(f"/directions/{index}", f"{name} is repeated")
    return tuple(name for name in DIRECTION_NAMES if name in named)


_WANTED: dict[str, tuple[type, str]] = {
    **dict.fromkeys(("rows", "columns", "layers"), WHOLE),
    **{name: rule.wanted for name, rule in RULES.items()},
    "composed": SWITCH,
    "game": (str, "the name of a game, such as 'connect-four'"),
}


def check_fields(fields: Mapping[str, Any], known: Set[str]) -> None:
    """Raise a ``TypeError`` that says what to pass for an unknown keyword, or for a field of the wrong type.

    ``None`` is a field not given.
    """
    for name, value in fields.items():
        if name not in known:
            raise TypeError(f"unexpected keyword {name!r}; the keywords are {', '.join(sorted(known)) or 'none'}")
        if value is not None and name in _WANTED:
            check_type(name, value, _WANTED[name])
