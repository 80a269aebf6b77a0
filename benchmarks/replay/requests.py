"""Random requests with every rule, preset, form of a position, limit and endpoint, many of them invalid.

No answer depends on the time or on chance: limits are nodes and plies, and a level below 10 comes with a seed.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from kinarow.game.rules import PRESETS, RULES

CHANNELS = {"http": 0.66, "jsonl": 0.17, "mcp": 0.15, "cli": 0.02}
"""The channels and their shares of the requests; the share of ``cli`` is small, since each request starts a process."""

FULL_STRENGTH = 10
LARGE = 64  # cells; on larger boards a node takes longer
Fields = dict[str, Any]


@dataclass(frozen=True)
class Http:
    """A request over HTTP."""

    method: str
    target: str
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Request:
    """A request.

    ``content`` is an ``Http``, a line of JSON, the name and arguments of a tool, or the words of a command.
    """

    channel: str
    kind: str
    content: Any


def requests(count: int, seed: int, channels: frozenset[str] = frozenset(CHANNELS)) -> Iterator[Request]:
    """Yield the requests of these channels among the first ``count`` of a seed."""
    for index in range(count):
        chance = Random(f"{seed}:{index}")
        channel = chance.choices([*CHANNELS], [*CHANNELS.values()])[0]
        if channel in channels:
            yield _MAKERS[channel](chance)


class _Game:
    """A random game: its fields of rules and size, its blocked cells, and its marks in the order of the moves."""

    def __init__(self, chance: Random, small: bool = False) -> None:
        self.chance = chance
        self.fields: Fields = {}
        self.usual_size = False
        if chance.random() < 0.35:
            self._take_preset(small)
        else:
            self._take_rules(small)
        self.cells = self.rows * self.columns * self.layers
        self.stack = self.columns if self.layers == 1 else self.rows * self.columns
        self.marks: dict[int, str] = {}
        if self.layers == 1 and chance.random() < 0.08:
            floor = range(self.cells - self.columns, self.cells) if self.gravity else range(self.cells)
            self.marks = dict.fromkeys(chance.sample(floor, min(len(floor), chance.randint(1, 3))), "#")
        self.blocked = bool(self.marks)
        self.moves: list[int] = []
        for turn in range(self._length(small)):
            free = self.free()
            if not free:
                break
            self.moves.append(chance.choice(free))
            self.marks[self.moves[-1]] = "XO"[turn % 2]

    def _take_preset(self, small: bool) -> None:
        names = [name for name, rules in PRESETS.items() if not small or rules.cells <= LARGE]
        name = self.chance.choice(names)
        rules = PRESETS[name]
        self.fields["game"] = name
        self.rows, self.columns, self.layers, self.gravity = rules.rows, rules.columns, rules.layers, rules.gravity
        self.usual_size = True

    def _take_rules(self, small: bool) -> None:
        chance = self.chance
        low, high = chance.choices([(3, 4), (4, 7), (1, 9), (9, 15), (15, 25)], [9, 6, 1, not small and 2, not small])[
            0
        ]
        self.rows, self.columns = chance.randint(low, high), chance.randint(low, high)
        self.layers = chance.randint(2, 4) if max(low, high) <= 4 and chance.random() < 0.25 else 1
        longest = max(self.rows, self.columns, self.layers)
        self.fields["goal"] = min(longest, chance.choice([2, 3, 3, 4, 4, 5, 5, 6]))
        for name, rule in RULES.items():
            if name == "goal" or chance.random() > (0.4 if name == "gravity" else 0.12):
                continue
            if rule.kind == "list":
                self.fields[name] = chance.sample(rule.choices, chance.randint(1, len(rule.choices)))
            else:
                self.fields[name] = chance.choice(rule.choices or [True, True, True, False])
        self.gravity = self.fields.get("gravity", False)
        if self.layers > 1:
            self.fields["layers"] = self.layers

    def _length(self, small: bool) -> int:
        if small:
            return self.cells - self.chance.randint(0, 8)
        return self.chance.randint(0, min(40, self.cells * 2 // 3))

    def free(self) -> list[int]:
        """Return the legal cells of the next mark."""
        empty = [cell for cell in range(self.cells) if cell not in self.marks]
        if not self.gravity:
            return empty
        rise = -self.stack if self.layers == 1 else self.stack
        return [cell for cell in empty if not 0 <= cell - rise < self.cells or cell - rise in self.marks]

    def layered_rows(self) -> list[list[str]]:
        """Return the rows of each layer."""
        text = "".join(self.marks.get(cell, ".") for cell in range(self.cells))
        rows = [text[start : start + self.columns] for start in range(0, self.cells, self.columns)]
        return [rows[start : start + self.rows] for start in range(0, len(rows), self.rows)]

    def board_text(self) -> str:
        """Return the board as a text."""
        return "//".join("/".join(layer) for layer in self.layered_rows())

    def board(self) -> Any:
        """Return the board in a random form."""
        layers = self.layered_rows()
        form = self.chance.choice(["rows", "rows", "text", "cells", "flat"])
        if form == "text" or (form == "flat" and self.layers > 1):
            return self.board_text()
        if form == "flat":
            self.fields |= {"rows": self.rows, "columns": self.columns}
            return "".join(layers[0])
        if form == "cells":
            xs, os = self.chance.choice([("X", "O"), ("x", "o"), ("X", "o"), (1, 2)])
            spelled = {"X": xs, "O": os, "#": "#"}
            spelled["."] = self.chance.choice([".", "_", "-", " ", "", None, 0])
            layers = [[[spelled[mark] for mark in row] for row in layer] for layer in layers]  # type: ignore[misc]
        return layers if self.layers > 1 else layers[0]

    def as_text(self, cells: list[int]) -> str | None:
        """Return moves as a text; None with layers, which have no notation."""
        if self.layers > 1:
            return None
        if self.gravity and self.columns <= 9:
            return "".join(str(cell % self.columns + 1) for cell in cells)
        return "".join(f"{chr(97 + cell % self.columns)}{self.rows - cell // self.columns}" for cell in cells)

    def as_moves(self, cells: list[int]) -> Any:
        """Return moves in a random form."""
        text, form = self.as_text(cells), self.chance.choice(["text", "text", "tiles", "places", "cells", "columns"])
        if form == "text" and text is not None:
            return text
        if form == "columns" and self.gravity and self.layers == 1:
            return [{"column": cell % self.columns} for cell in cells]
        if form in ("tiles", "text", "columns"):
            return [cell + 1 for cell in cells]
        names = ("layer", "row", "column") if self.layers > 1 else ("row", "column")
        places = [self._place(cell)[-len(names) :] for cell in cells]
        return [dict(zip(names, place, strict=True)) if form == "cells" else list(place) for place in places]

    def _place(self, cell: int) -> tuple[int, int, int]:
        layer, within = divmod(cell, self.rows * self.columns)
        return (layer, *divmod(within, self.columns))

    def position(self, text: bool = False) -> Fields:
        """Return the fields of the position, with ``text`` in forms for a query or a command."""
        chance = self.chance
        fields = self.fields
        sized = not self.usual_size or chance.random() < 0.1
        as_text = self.as_text(self.moves)
        if self.blocked or not self.moves or chance.random() < 0.5 or (text and as_text is None):
            if self.moves or self.blocked or not self.usual_size:
                fields["board"] = self.board_text() if text else self.board()
            sized = chance.random() < 0.1
        else:
            fields["moves"] = as_text if text else self.as_moves(self.moves)
            if chance.random() < 0.15:
                fields["first"] = chance.choice("XOxo")
        if sized:
            fields |= {"rows": self.rows, "columns": self.columns}
        if chance.random() < 0.15:
            fields["to_move"] = chance.choice("XOxo")
        return fields


def _question(chance: Random, text: bool = False) -> Fields:
    """Return the fields of a request of ``/move``."""
    game = _Game(chance)
    fields = game.position(text)
    large = game.cells > LARGE
    if chance.random() < 0.75:
        fields["max_nodes"] = chance.choice([1, 10, 100, 300] if large else [1, 10, 100, 1000, 3000])
    if chance.random() < 0.15:
        fields["max_depth"] = chance.randint(1, 6)
    if chance.random() < 0.25:
        fields |= {"level": chance.randint(1, FULL_STRENGTH), "seed": chance.randrange(2**53)}
    elif chance.random() < 0.1:
        fields["seed"] = chance.randrange(1000)
    free = game.free()
    if free and chance.random() < 0.12:
        named = chance.sample(free, min(len(free), chance.randint(1, 4)))
        as_text = game.as_text(named)
        if not text or as_text is not None:
            fields[chance.choice(["only", "exclude"])] = as_text if text else game.as_moves(named)
    return fields


def _analysis(chance: Random, text: bool = False) -> Fields:
    fields = _question(chance, text)
    if chance.random() < 0.4:
        fields["top"] = chance.randint(1, 12)
    return fields


def _review(chance: Random) -> Fields:
    game = _Game(chance)
    moves = game.moves[: 12 if game.cells > LARGE else 30]
    fields = {**game.fields, "moves": game.as_moves(moves), "max_nodes": chance.choice([1, 20, 100])}
    if game.blocked:
        for cell in game.moves:
            del game.marks[cell]
        fields["board"] = game.board_text()
    if not game.usual_size or chance.random() < 0.1:
        fields |= {"rows": game.rows, "columns": game.columns}
    if chance.random() < 0.1:
        fields["first"] = chance.choice("XO")
    if chance.random() < 0.1:
        fields["max_depth"] = chance.randint(1, 4)
    return fields


def _tree(chance: Random) -> Fields:
    fields = _Game(chance, small=True).position()
    if chance.random() < 0.7:
        fields["max_depth"] = chance.randint(1, 4)
    if chance.random() < 0.4:
        fields["pruning"] = chance.random() < 0.5
    return fields


def _puzzle(chance: Random) -> Fields:
    fields: Fields = {"game": chance.choice(["tic-tac-toe", "four-by-four", "connect-four"])}
    return {**fields, "seed": chance.randrange(1000)}


def _games(chance: Random) -> Fields:
    games = [{**_review(chance), "players": {"X": "a", "O": "b"}} for _ in range(chance.randint(1, 2))]
    as_text = chance.random() < 0.5
    return {"games": "\n".join(map(json.dumps, games)) if as_text else games, "max_nodes": 50}


_NAMES = ("player", "depth", "width", "k", "pos", "difficulty", "timeout", "colour", "gravty", "exactgoal", "")
_VALUES = (
    None,
    True,
    False,
    0,
    -1,
    3.5,
    5.0,
    26,
    626,
    2**53,
    10**19,
    "",
    "X",
    "5",
    "none",
    "h8h7",
    [],
    {},
    [0],
    ["X.O"],
)


def _spoil(chance: Random, fields: Fields) -> Fields:
    """Return the fields with a random mistake, or rarely none."""
    mistake = chance.choice(["value", "value", "value", "drop", "name", "mark", "game", "both", "repeat"])
    fields = dict(fields)
    name = chance.choice([*fields]) if fields else "board"
    if mistake == "drop" and name != "seed":  # a puzzle without a seed is a random one
        fields.pop(name, None)
    elif mistake == "name":
        fields[chance.choice(_NAMES)] = chance.choice(_VALUES)
    elif mistake == "mark" and isinstance(fields.get("board"), str):
        place = chance.randrange(len(fields["board"]) + 1)
        fields["board"] = fields["board"][:place] + chance.choice("XO./#?8") + fields["board"][place:]
    elif mistake == "game":
        fields["game"] = chance.choice([*PRESETS, "connect4", "ttt", "go", "Misère tic-tac-toe", "gomoko"])
    elif mistake == "both":
        fields |= {"only": chance.choice(["a1", "44", [1, 2], []]), "exclude": [1]}
    elif mistake == "repeat" and isinstance(fields.get("moves"), list | str):
        fields["moves"] = fields["moves"] + fields["moves"]
    else:
        names = [name, "rows", "columns", "layers", "to_move", "first", "max_nodes", "max_depth", "seed", *RULES]
        fields[chance.choice(names)] = chance.choice(_VALUES)
    if fields.get("level", FULL_STRENGTH) != FULL_STRENGTH:
        fields.setdefault("seed", 1)
    return fields


def _maybe_spoil(chance: Random, fields: Fields, share: float = 0.2) -> Fields:
    """Return the fields, with a mistake in ``share`` of the calls."""
    return _spoil(chance, fields) if chance.random() < share else fields


def _query(fields: Fields) -> str:
    """Return the fields as a query."""
    return urlencode({name: _in_query(value) for name, value in fields.items()})


def _in_query(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _post(path: str, fields: Any, *headers: tuple[str, str]) -> Http:
    return Http("POST", path, json.dumps(fields).encode(), (("Content-Type", "application/json"), *headers))


def _kaggle(chance: Random) -> Fields:
    rows, columns = chance.choice([(6, 7), (6, 7), (4, 5), (5, 5)])
    heights, board = [0] * columns, [0] * (rows * columns)
    turns = chance.randint(0, rows * columns - 1)
    for turn in range(turns):
        column = chance.choice([column for column in range(columns) if heights[column] < rows])
        heights[column] += 1
        board[(rows - heights[column]) * columns + column] = turn % 2 + 1
    configuration: Fields = {"actTimeout": 3600}
    if (rows, columns) != (6, 7):
        configuration |= {"rows": rows, "columns": columns, "inarow": chance.randint(3, 4)}
    mark = turns % 2 + 1 if chance.random() < 0.9 else chance.randint(0, 3)
    return {"configuration": configuration, "state": {"observation": {"board": board, "mark": mark}}}


def _solve(chance: Random) -> str:
    rows, columns, marks = chance.choice([(6, 7, 26), (6, 7, 30), (4, 4, 0), (4, 5, 6), (5, 5, 12)])
    heights, text = [0] * columns, ""
    for _ in range(chance.randint(marks, rows * columns - 2)):
        column = chance.choice([column for column in range(columns) if heights[column] < rows])
        heights[column] += 1
        text += str(column + 1)
    if chance.random() < 0.15:
        text += chance.choice(["1111111", "x", "0", "9"])
    size = {} if (rows, columns) == (6, 7) else {"rows": rows, "columns": columns}
    return f"/solve?{urlencode({'pos': text, **size})}"


_ODD = (
    Http("GET", "/nothing"),
    Http("GET", "/move/"),
    Http("DELETE", "/move"),
    Http("POST", "/board.svg", b"{}", (("Content-Type", "application/json"),)),
    Http("HEAD", "/move?game=connect-four"),
    Http("OPTIONS", "/analysis"),
    Http("GET", "/healthz"),
    Http("GET", "/readyz"),
    Http("GET", "/version"),
    Http("GET", "/atlas.json"),
    Http("POST", "/move", b"", (("Content-Type", "application/json"),)),
    Http("POST", "/move", b"{}", (("Content-Type", "text/plain"),)),
    Http("POST", "/move", b"{}"),
    *(
        Http("POST", "/move", body, (("Content-Type", "application/json"),))
        for body in (
            b"{",
            b"[]",
            b"null",
            b"\xff",
            b'{"goal": NaN}',
            b'{"goal": 3, "goal": 3}',
            b'{"goal": ' + b"9" * 30 + b"}",
            b'{"board": ' + b"[" * 40 + b"]" * 40 + b"}",
            b'{"board": "' + b"." * 70_000 + b'"}',
            json.dumps({f"x{number}": number for number in range(200)}).encode(),
        )
    ),
    Http("GET", "/move?game=connect-four&game=gomoku"),
    Http("GET", "/move?goal=&board=.../.../..."),
    Http("GET", "/move?=3"),
    Http("GET", "/move?board=%ff"),
    Http("GET", "/analysis?" + quote("brett") + "=1"),
)

_EVENTS = ("Accept", "text/event-stream")


def _http(chance: Random) -> Request:
    def made(http: Http, note: str = "") -> Request:
        return Request("http", f"http {http.method} {http.target.partition('?')[0]}{note}", http)

    path = chance.choices(
        ["/move", "/analysis", "/review", "/moves", "/tree", "/solve", "/board.svg", "/kaggle", "odd"],
        [24, 22, 14, 8, 10, 6, 8, 5, 5],
    )[0]
    if path == "odd":
        http = chance.choice(_ODD)
        return Request("http", "http odd", http)
    if path in ("/move", "/analysis") and chance.random() < 0.4:
        fields = _question(chance, text=True) if path == "/move" else _analysis(chance, text=True)
        return made(Http("GET", f"{path}?{_query(_maybe_spoil(chance, fields))}"))
    if path == "/solve":
        return made(Http("GET", _solve(chance)))
    if path == "/board.svg":
        fields = _question(chance, text=True) | ({"values": True} if chance.random() < 0.4 else {})
        return made(Http("GET", f"{path}?{_query(_maybe_spoil(chance, fields))}"))
    if path == "/kaggle":
        return made(_post("/adapters/kaggle-connectx", _maybe_spoil(chance, _kaggle(chance), 0.1)))
    if path == "/moves":
        batch = [_maybe_spoil(chance, _question(chance)) for _ in range(chance.randint(1, 4))]
        return made(_post(path, _maybe_spoil(chance, {"requests": batch}, 0.05)))
    makers = {"/move": _question, "/analysis": _analysis, "/review": _review, "/tree": _tree}
    fields = _maybe_spoil(chance, makers[path](chance))
    if path in ("/analysis", "/review") and chance.random() < 0.25:
        return made(_post(path, fields, _EVENTS), " events")
    return made(_post(path, fields))


_ACTIONS: dict[str, tuple[int, Callable[[Random], Fields]]] = {
    "move": (8, _question),
    "analysis": (7, _analysis),
    "review": (4, _review),
    "puzzle": (1, _puzzle),
    "judge": (2, _games),
}


def _action(chance: Random) -> tuple[str, Fields]:
    action = chance.choices([*_ACTIONS], [weight for weight, _ in _ACTIONS.values()])[0]
    return action, _maybe_spoil(chance, _ACTIONS[action][1](chance))


_ODD_LINES = (b"{", b"[]", b"\xff", b"{}", b'{"id": null}', b'{"id": "a", "action": "cancel", "cancels": "b"}')


def _jsonl(chance: Random) -> Request:
    action, fields = _action(chance)
    if chance.random() < 0.02:
        return Request("jsonl", "jsonl odd", chance.choice(_ODD_LINES))
    envelope: Fields = {"id": chance.randrange(1000), "action": action}
    if chance.random() < 0.2:
        envelope["progress"] = True
    if chance.random() < 0.1:
        envelope[chance.choice(["action", "priority", "progress"])] = chance.choice(["moves", 1, None, "version"])
    return Request("jsonl", f"jsonl {action}", json.dumps({**fields, **envelope}).encode())


_TOOLS = {"move": "best_move", "analysis": "analyse"}


def _mcp(chance: Random) -> Request:
    action, fields = _action(chance)
    if chance.random() < 0.03:
        return Request("mcp", "mcp list_games", ("list_games", {}))
    tool = _TOOLS.get(action, action)
    return Request("mcp", f"mcp {tool}", (tool, fields))


def _cli(chance: Random) -> Request:
    command = chance.choice(["move", "move", "analyse", "analyse", "puzzles"])
    if command == "puzzles":
        fields = _puzzle(chance) | {"count": 2, "max_nodes": 500}
    else:
        fields = _maybe_spoil(chance, (_question if command == "move" else _analysis)(chance, text=True))
    words = [command]
    for name, value in fields.items():
        option = f"--{name.replace('_', '-')}"
        if name == "board":
            words.append(_in_query(value))
        elif isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        else:
            words.append(f"{option}={_in_query(value)}")
    if command != "puzzles" and chance.random() < 0.7:
        words.append("--json")
    return Request("cli", f"cli {command}", tuple(words))


_MAKERS = {"http": _http, "jsonl": _jsonl, "mcp": _mcp, "cli": _cli}
