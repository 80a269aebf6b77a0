"""Boards as people write them, in every form and alphabet, many with a slip, and what the service says of each."""

import json
import random
import string
from pathlib import Path
from typing import Any

from kinarow.contract.problems import Problem
from kinarow.contract.requests import MoveRequest
from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.game.rules import NAMES, PRESETS, Rules
from kinarow.reading.boards import read_grid
from kinarow.reading.positions import read_position

_EMPTY = [".", "_", "-", "0", 0, " ", "", None]
_SLIPS = [*"XOxo120._- #R|/39\n+", "❌", "⭕️", "Х", "XO", "10", "//", "", None, 0, 1, 2, 3, -1, True, 1.5, [], {}]
_SIDES = ["X", "O", "x", 1, 2, "1", "2", 0, "0", None, True, "R", 3]


def grid_of(board: object, **said: Any) -> tuple[Any, ...]:
    """The size and the cells that are read of a board."""
    return read_grid(board, **said)[:4]


def random_request(rng: random.Random, games: list[str]) -> dict[str, Any]:
    """A request for a position of a random game, whose board is written in any way and may have slips."""
    game = rng.choice(games)
    position = Position.empty(PRESETS[game])
    for _ in range(rng.randrange(min(30, position.rules.cells))):
        if position.ending().state == "ongoing":
            position = position.play(rng.choice(position.legal_moves()))
    composed = rng.random() < 0.2
    if composed:
        rules, marks = position.rules, [rng.choice([1, 2]) if cell else 0 for cell in position.cells]
        position = Position(rules, bytes(marks if rules.marks == "own" else position.cells), position.to_move)
    elif rng.random() < 0.15:
        position = _with_a_row(position.rules, rng)
    request = {"game": game, "board": _with_slips(_written(position, rng), rng)}
    if composed:
        request |= {"composed": rng.choice([True] * 9 + [1, "true", None]), "to_move": rng.choice(["X", "O"])}
    if rng.random() < (0.05 if composed else 0.15):
        request["to_move"] = rng.choice(_SIDES)
    if rng.random() < 0.1:
        request[rng.choice(["rows", "columns", "layers"])] = rng.choice([1, 3, 4, 6, 7, None, 0, 26, "3"])
    if rng.random() < 0.03:
        request["board"] = rng.choice([None, 5, "", [], {}, "/", "//", [[]], [""], [[], []]])
    return request


def service_reads(request: dict[str, Any]) -> list[str] | str:
    """The cells of the board and the side to move, or the first sentence of a refusal."""
    try:
        position = read_position(MoveRequest.read(request).sent())
    except (Problem, InputError) as wrong:
        return wrong.problems[0][1]
    return ["".join(position.board), NAMES[position.to_move]]


def _with_a_row(rules: Rules, rng: random.Random) -> Position:
    """A board with a row of one side, sometimes too long, and as many marks of the other or one fewer."""
    cells, length, first = bytearray(rules.cells), rng.choice([rules.goal, rules.goal + 1]), rng.choice([1, 2])
    cells[:length] = bytes([first]) * length
    for cell in rng.sample(range(length, rules.cells), min(length - rng.choice([0, 1]), rules.cells - length)):
        cells[cell] = 3 - first
    return Position(rules, bytes(cells), 1)


def _written(position: Position, rng: random.Random) -> Any:
    rules, text = position.rules, "".join(position.board)
    names = rng.choice(["XO", "XO", "xo", "12", [1, 2]])
    marks = {"X": names[0], "O": names[1], ".": rng.choice(_EMPTY)}
    cells = [marks[mark] for mark in text]
    if rng.random() < 0.15:
        first, kind = rng.choice([0, 1]), rng.choice([int, str])
        cells = [kind(index + first) if mark == "." else mark for index, mark in enumerate(text)]
    rows = [cells[at : at + rules.columns] for at in range(0, len(cells), rules.columns)]
    texts = ["".join(" " if cell in (None, "") else str(cell) for cell in row) for row in rows]
    spaced = [" ".join(row) for row in texts]
    layers = [rows[at : at + rules.rows] for at in range(0, len(rows), rules.rows)]
    blocks = ["/".join(texts[at : at + rules.rows]) for at in range(0, len(texts), rules.rows)]
    between = rng.choice(["/", "\n", "\r\n", "/\n", " / "])
    forms = [
        texts, rows, cells, "".join(texts), spaced, layers,
        [rng.choice(each) for each in zip(texts, rows, strict=True)],
        between.join(texts) + rng.choice(["", "\n", "/"]), between.join(spaced), [f" {row} " for row in texts],
        rng.choice(["//", "\n\n"]).join(blocks),
    ]  # fmt: skip
    return rng.choice(forms)


def _with_slips(board: Any, rng: random.Random) -> Any:
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        if not isinstance(board, str | list) or not board:
            break
        at, slip = rng.randrange(len(board)), rng.choice(_SLIPS)
        if isinstance(board, str):
            slip = slip if isinstance(slip, str) else "3"
            board = board[:at] + rng.choice([slip + board[at + 1 :], board[at + 1 :], slip + board[at:]])
        elif isinstance(board[at], str | list) and board[at] and rng.random() < 0.6:
            board = [*board[:at], _with_slips(board[at], rng), *board[at + 1 :]]
        else:
            put = rng.choice([[slip], [], [board[at], board[at]], [slip, board[at]]])
            board = [*board[:at], *put, *board[at + 1 :]]
    return board


def random_moves(rng: random.Random, rules: Rules) -> Any:
    """Moves as a text with numbers and separators, or as a list, often with a slip."""
    rows, columns, layers = rules.rows, rules.columns, rules.layers
    count, each, now_and_then = rng.randint(0, 7), rng.choice([1, 2]), lambda share=0.05: rng.random() < share
    if rng.random() < 0.4:
        place = [rng.randrange(-1 if now_and_then() else 0, side + now_and_then()) for side in (layers, rows, columns)]
        names = ["layer", "row", "column"][-3 if layers > 1 else -2 :]
        named = dict(zip(names, place[-len(names) :], strict=True))
        tile = rng.choice([(place[0] * rows + place[1]) * columns + place[2] + 1, rng.randint(0, rules.cells + 1)])
        forms = [
            tile,
            [*named.values()],
            named,
            named | {"tile": tile},
            place[1:],
            {"column": place[2]},
            None,
            "a1",
            True,
        ]
        return [rng.choice([forms[rng.randrange(5)], rng.choice(forms)]) for _ in range(count)]
    text = rng.choice(["", "", "", " ", ",", "\n-"])
    for made in range(count):
        if rng.random() < 0.5 and (made % each == 0 or now_and_then(0.3)):
            text += f"{made // each + 1 + now_and_then()}{'.' * rng.choice([1, 1, 1, 3, 2])}" + rng.choice(["", " "])
        column, row = rng.randint(1, columns + now_and_then()), rng.randint(1, rows + now_and_then())
        usual = str(column) if rules.gravity and columns < 10 else f"{chr(96 + column)}{row}"
        text += rng.choice(
            [usual, usual, usual.upper(), usual if rng.random() < 0.8 else rng.choice(["z", "0", "3 4", "."])]
        )
        text += rng.choice([" ", " ", "", ", ", "-", "_", ";", "\n"])
    return text


_KEPT = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
RECORDS: dict[str, bytes] = {
    name: text.encode(_KEPT["encodings"].get(name, "utf-8")) for name, text in _KEPT["texts"].items()
}
"""The files as programs write them, byte by byte."""
CASES: list[dict[str, Any]] = _KEPT["cases"]
"""A file with the fields of a caller, and the game or the error that it is."""


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A record with a few bytes lost, doubled, changed or moved."""
    spoilt = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, end = sorted(rng.randrange(len(spoilt) + 1) for _ in range(2))
        match rng.randrange(6):
            case 0:
                del spoilt[at : at + rng.randint(1, 3)]
            case 1:
                spoilt[at:at] = rng.choice(string.printable).encode()
            case 2:
                spoilt[at : at + 1] = rng.choice([b"[", b"]", b"(", b")", b";", b",", b"\\", b"\xff", b"0", b"9", b"z"])
            case 3:
                spoilt[at:at] = spoilt[at:end] * rng.choice([1, 1, 50])
            case 4:
                del spoilt[at:end]
            case 5:
                spoilt = spoilt[end:] + spoilt[:end]
    return bytes(spoilt)
