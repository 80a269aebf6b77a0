"""Draws the boards and trees of these pages from positions and searches: ``python -m docs.pictures``.

It writes into ``docs/images``, or into the folder that is named; a test compares.
"""

import math
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from kinarow.game import board_svg
from kinarow.game.board_svg import BEST, GRID, INK, MARGIN, O_INK, PALE, SIZE, line, svg, text
from kinarow.game.position import Position
from kinarow.game.tactics import completing_cells
from kinarow.play import teaching
from service.app import create_app
from service.settings import default_settings
from tests.support.samples import GALLERY, NODES_OF_EMPTY_BOARD

IMAGES = Path(__file__).parent / "images"

GAP = 28  # pixels between two boards
CAPTION = 22
TREE_SIZE = 14  # pixels of a cell where boards are nodes of a tree
SHOWN_NODES = 100_000


def board(position: Position, x: float, y: float, *, lit: tuple[int, ...] | None = None, **how: Any) -> str:
    """A position as a group of shapes; by default the cells of completed lines are lit."""
    shown = position.ending().winning_cells if lit is None else lit
    return board_svg.board(position.rules, position.cells, x, y, lit=shown, **how)


How = dict[str, Any]  # How ``board`` draws a position
Shown = tuple[Position, str, How]  # A position, its caption, and how it is drawn


def row_of(title: str, shown: list[Shown], *, size: float = SIZE) -> str:
    """Boards beside each other, each with its caption below."""
    widest = [max(p.rules.columns * size, len(caption) * 7.2) for p, caption, _ in shown]
    height = max(p.rules.rows for p, _, _ in shown) * size
    x, parts = float(MARGIN), []
    for (position, caption, how), width in zip(shown, widest, strict=True):
        left = x + (width - position.rules.columns * size) / 2
        top = MARGIN + height - position.rules.rows * size
        parts += [board(position, left, top, size=size, **how), text(x + width / 2, MARGIN + height + 18, caption)]
        x += width + GAP
    return svg(x - GAP + MARGIN, height + 2 * MARGIN + CAPTION, title, "".join(parts))


def said(position: Position) -> str:
    ending = position.ending()
    if ending.state == "ongoing":
        return f"{'XO'[position.to_move - 1]} is to move"
    return "a draw" if ending.winner is None else f"{'XO'[ending.winner - 1]} has won"


def of(rows: str, caption: str = "{said}", show: Callable[[Position], How] | None = None, **rules: Any) -> Shown:
    """A board with what is shown on it; its caption may say how the game stands."""
    position = Position.from_text(rows, **rules)
    return position, caption.format(said=said(position)), show(position) if show else {}


def marked(position: Position) -> How:
    return {"dots": position.legal_moves()}


def barred(position: Position) -> How:
    return {"lit": position.forbidden(), "texts": dict.fromkeys(position.forbidden(), "✕")}


MARKED = "the cells that may be marked"
ROWS: dict[str, tuple[str, float, list[Shown]]] = {
    "numbers": ("Cells by tile and by row and column", SIZE, [
        of("..../..../....", "tile", lambda _: {"texts": {cell: str(cell + 1) for cell in range(12)}}, goal=3),
        of("..../..../....", "row,column", lambda _: {"texts": {c: f"{c // 4},{c % 4}" for c in range(12)}}, goal=3),
    ]),
    "lines": ("Lines", SIZE, [
        of("XXX/.OO/...", "a row"), of("OX./OX./.X.", "a column"), of("X.O/.XO/..X", "down to the right"),
        of("..X/OX./XO.", "down to the left"),
    ]),
    "gravity": ("Gravity", 26, [
        of("......./......./......./...O.../..XXO../..OXXO.", MARKED, marked, goal=4, gravity=True),
        of("......./......./..X..../..OX.../..XOX../..OXOXO", goal=4, gravity=True),
    ]),
    "misere": ("Misère", SIZE, [
        of("XXX/.OO/...", f"{name}: {{said}}", game=name) for name in ("tic-tac-toe", "misere-tic-tac-toe")
    ]),
    "exact-goal": ("Exact goal", 22, [
        of(rows, f"{'exact goal' if exact else 'five or more'}: {{said}}", goal=5, exact_goal=exact)
        for rows, exact in (
            ("OO.OO...../.XXXXX..../..........", True), ("OO.OO.O.../.XXXXXX.../..........", True),
            ("OO.OO.O.../.XXXXXX.../..........", False),
        )
    ]),
    "caro": ("Caro", 22, [
        of(rows, goal=5, caro=True)
        for rows in ("..XXXXX../..OOOO...", ".OXXXXX../..OOO....", ".OXXXXXO./..OOO....", ".OXXXXXXO/..OOO....")
    ]),
    "renju": ("Cells that Renju forbids to X", 22, [
        of(rows, caption, barred, goal=5, renju=True)
        for caption, rows in {
            "an overline": "O.......O/........./........./........./.XXX.XX../........./........./....O..../O.......O",
            "two fours": "O...O...O/....X..../....X..../....X..../OXXX...../........./........./........./O.......O",
            "two threes": "O.......O/........./........./....X..../...X.X.../....X..../........./........./O.......O",
        }.items()
    ]),
    "blocked": ("Blocked cells", 30, [
        of("XX#XX/OO.OO/.....", goal=4),
        of("...../...../..X../.O#../XO#X.", MARKED, marked, goal=4, gravity=True),
    ]),
    "joined-edges": ("Joined edges", 30, [
        of(rows, f"wrap {wrap}: {{said}}", goal=3, wrap=wrap)
        for wrap, rows in {"rows": "X.XX/.O../.O..", "columns": ".X.O/.O../.X../.X.O", "both": "..X./X.OO/.X.."}.items()
    ]),
    "directions": ("Directions", SIZE, [
        of("X.O/.XO/..X", f"{caption}: {{said}}", goal=3, directions=names)
        for caption, names in {"all four": None, "horizontal, vertical": ["horizontal", "vertical"]}.items()
    ]),
    "threats": ("Threats", 26, [
        of(f"......./......./{row}/..OO.../...O.../.......", caption, show, goal=5, to_move=side)
        for row, caption, side, show in (
            ("..XXX..", "an open three", "X", lambda _: {"dots": (15, 19)}),
            (".XXXX..", "an open four: two places to win", "O", lambda four: {"dots": completing_cells(four, 1)}),
        )
    ]),
}  # fmt: skip
"""The pictures that are a row of boards: title, pixels of a cell, and the boards."""


def layers() -> str:
    rows = ["X.../..../..../O...", "..../.X../..O./....", "..../..../..X./...O", "..../..../..../...X"]
    position = Position.from_text("//".join(rows), game="qubic")
    return board_svg.picture(position.rules, position.cells, lit=position.ending().winning_cells)


def symmetry() -> str:
    """The eight boards that are one question."""
    position = Position.from_text("XO./.../...", goal=3)
    kept = position.canonical().position.cells
    shown: list[Shown] = []
    images = (bytes(position.cells[cell] for cell in each) for each in position.geometry.symmetries)
    for cells in dict.fromkeys(images):
        image = Position(position.rules, cells, position.to_move)
        same = image.relative() == kept
        shown.append((image, "kept" if same else "", {"frame": INK if same else GRID}))
    return row_of("Eight boards, one entry", shown, size=22)


def values() -> str:
    """A doomed position with the value of every move, by plain minimax."""
    position = Position.from_text(".X./..X/OOX", goal=3)
    root = teaching.tree(position, pruning=False, max_nodes=SHOWN_NODES)["root"]
    texts = {child["move"]["tile"] - 1: f"{child['value']:+d}" for child in root["children"]}
    best = max(root["children"], key=lambda child: child["value"])["move"]["tile"] - 1
    return row_of("Every move's value", [(position, said(position), {"texts": texts, "lit": (best,)})], size=44)


def counts() -> str:
    """The nodes of the empty 3 × 3 board as bars on a logarithmic scale."""
    left, width, height = 275, 330, 26
    most = math.log10(max(NODES_OF_EMPTY_BOARD.values()))
    parts = []
    for index, (name, nodes) in enumerate(NODES_OF_EMPTY_BOARD.items()):
        y = MARGIN + index * height
        long = width * math.log10(nodes) / most
        parts += [
            text(left - 8, y + 17, name, anchor="end"),
            f'<rect x="{left}" y="{y + 3}" width="{long:.1f}" height="{height - 8}" fill="{O_INK}" opacity="0.75"/>\n',
            text(left + long + 6, y + 17, f"{nodes:,}", anchor="start"),
        ]
    title, high = "Nodes of the empty 3 x 3 board, logarithmic scale", 2 * MARGIN + height * len(NODES_OF_EMPTY_BOARD)
    return svg(left + width + 80, high, title, "".join(parts))


def tree() -> str:
    """The tree of a position with three empty cells: what alpha-beta did not look at is grey."""
    position = Position.from_text("..X/OOX/X.O", goal=3)
    full = teaching.tree(position, pruning=False, max_nodes=SHOWN_NODES)["root"]
    pruned = teaching.tree(position, max_nodes=SHOWN_NODES)["root"]
    step, level = TREE_SIZE * 3 + 22, TREE_SIZE * 3 + 58
    places = iter(range(1000))
    parts: list[str] = []
    depths: list[int] = []

    def grow(node: dict[str, Any], seen: dict[str, Any] | None, at: Position, depth: int) -> float:
        """Draw a node with all below it; the middle of its board."""
        depths.append(depth)
        looked = {child["move"]["tile"]: child for child in (seen or {"children": []})["children"]}
        below = []
        for child in node["children"]:
            tile = child["move"]["tile"]
            below.append((grow(child, looked.get(tile), at.play(tile - 1), depth + 1), looked.get(tile)))
        x = sum(place for place, _ in below) / len(below) if below else MARGIN + (next(places) + 0.5) * step
        y = MARGIN + depth * level
        for place, child_seen in below:
            best = child_seen is not None and child_seen["best"]
            stroke = BEST if best else INK if child_seen else GRID
            parts.append(line(x, y + TREE_SIZE * 3 + 18, place, y + level, stroke=stroke, width=2 if best else 1))
        frame = GRID if seen is None else BEST if seen["best"] else PALE
        parts.append(board(at, x - TREE_SIZE * 1.5, y, size=TREE_SIZE, frame=frame, faded=seen is None))
        if seen is None:
            told = "not looked at"
        else:
            bound = ("≥ " if at.to_move == position.to_move else "≤ ") if seen["cut"] else ""
            told = bound + (f"{seen['value']:+d}" if seen["value"] else "0")
        parts.append(text(x, y + TREE_SIZE * 3 + 13, told, size=10 if seen else 8, fill=INK if seen else PALE))
        return x

    grow(full, pruned, position, 0)
    title, high = "A game tree: grey is what alpha-beta did not look at", MARGIN + (max(depths) + 1) * level - 30
    return svg(2 * MARGIN + next(places) * step, high, title, "".join(parts))


GALLERY_COLUMNS, GALLERY_WIDTH, GALLERY_HEIGHT = 5, 180, 190


def gallery() -> str:
    """The pictures that the service sends, in rows of five, each with the name of its game."""
    client = create_app(default_settings()).test_client()
    parts = []
    for place, (name, query) in enumerate(GALLERY.items()):
        row, column = divmod(place, GALLERY_COLUMNS)
        response = client.get(f"/board.svg?{query}")
        assert response.status_code == 200, response.text
        x, y, (width, height) = column * GALLERY_WIDTH, row * GALLERY_HEIGHT, (GALLERY_WIDTH, GALLERY_HEIGHT - CAPTION)
        sized = f'x="{x}" y="{y}" width="{width}" height="{height}" role="img"'
        parts.append(re.sub(r'width="\d+" height="\d+" role="img"', sized, response.text, count=1))
        parts.append(text(x + width / 2, y + height + 8, name))
    rows = -(-len(GALLERY) // GALLERY_COLUMNS)
    return svg(GALLERY_COLUMNS * GALLERY_WIDTH, rows * GALLERY_HEIGHT, "Ten rare games", "".join(parts))


PICTURES: dict[str, Callable[[], str]] = {
    **{f"{name}.svg": partial(row_of, title, shown, size=size) for name, (title, size, shown) in ROWS.items()},
    **{f"{draw.__name__}.svg": draw for draw in (layers, symmetry, values, counts, tree, gallery)},
}


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else IMAGES
    for name, draw in PICTURES.items():
        (folder / name).write_text(draw(), "utf-8")
        print(f"drew {folder / name}")
