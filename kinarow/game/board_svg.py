"""A board as SVG: its marks, its coordinates as in the game's notation, and coloured cells, dots and texts on it.

``board``, ``text``, ``line``, ``dot`` and ``svg`` make other pictures too; all lengths are pixels. Repeated shapes are
one path, so that a full 15 × 15 board stays under 10 kB.
"""

from collections.abc import Iterable, Mapping
from html import escape

from kinarow.game.notation import column_label, row_label, writes_columns
from kinarow.game.rules import BLOCKED, O, Rules, X

SIZE = 36  # The side of a cell
MARGIN = 12
LABELS = 22  # Room for the coordinates on the left and below
LAYER_GAP = 30  # Room between layers, for the coordinates of the rows

INK, PALE, X_INK, O_INK = "#24292f", "#8c959f", "#b42318", "#1d4ed8"
LIT, GRID, PAPER, BEST = "#fde68a", "#d0d7de", "#ffffff", "#15803d"


def picture(
    rules: Rules,
    cells: bytes,
    *,
    lit: Iterable[int] = (),
    last: int | None = None,
    texts: Mapping[int, str] | None = None,
) -> str:
    """Return a position as SVG: coordinates, ``lit`` cells coloured, a dot on ``last``, ``texts`` on empty cells."""
    left, top = MARGIN + LABELS, MARGIN
    wide, high = rules.columns * SIZE, rules.rows * SIZE
    lit, body = tuple(lit), ""
    for layer in range(rules.layers):
        shift = left + layer * (wide + LAYER_GAP)
        body += board(rules, cells, shift, top, layer=layer, lit=lit, texts=texts, last=last)
        body += _labels(rules, shift, top, layer)
    title = f"{rules.size} board, {cells.count(X)} X and {cells.count(O)} O"
    all_wide = rules.layers * (wide + LAYER_GAP) - LAYER_GAP
    below = LABELS if rules.layers == 1 else 2 * LABELS
    return svg(left + all_wide + MARGIN, top + high + below + MARGIN / 2, title, body)


def svg(width: float, height: float, title: str, body: str) -> str:
    """Return a picture on a white ground, so that it can be read on a dark page too."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="system-ui, sans-serif">\n<title>{escape(title)}</title>\n'
        f'<rect width="{width:g}" height="{height:g}" rx="6" fill="{PAPER}"/>\n{body}</svg>\n'
    )


def text(x: float, y: float, words: str, *, size: float = 13, fill: str = INK, anchor: str = "middle") -> str:
    """Return a line of text, its baseline at y."""
    look = f'font-size="{size:g}" fill="{fill}" text-anchor="{anchor}"'
    return f'<text x="{x:g}" y="{y:g}" {look}>{escape(words)}</text>\n'


def line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = INK, width: float = 1) -> str:
    """Return a straight line."""
    return _path(f"M{x1:g} {y1:g}L{x2:g} {y2:g}", stroke, width)


def board(
    rules: Rules,
    cells: bytes,
    x: float,
    y: float,
    *,
    layer: int = 0,
    size: float = SIZE,
    lit: Iterable[int] = (),
    texts: Mapping[int, str] | None = None,
    dots: Iterable[int] = (),
    last: int | None = None,
    frame: str = GRID,
    faded: bool = False,
) -> str:
    """Return the shapes of one layer, its corner at x, y: ``lit`` cells coloured, dots on ``dots`` and ``last``."""
    first = layer * rules.rows * rules.columns
    places = ((row, column) for row in range(rules.rows) for column in range(rules.columns))
    corners = {cell: (x + column * size, y + row * size) for cell, (row, column) in enumerate(places, first)}
    of_mark = {mark: [corner for cell, corner in corners.items() if cells[cell] == mark] for mark in (X, O, BLOCKED)}
    parts = [
        f'<rect x="{left:g}" y="{top:g}" width="{size:g}" height="{size:g}" fill="{LIT}"/>\n'
        for left, top in (corners[cell] for cell in lit if cell in corners)
    ]
    if grounds := "".join(f"M{left:g} {top:g}h{size:g}v{size:g}h-{size:g}z" for left, top in of_mark[BLOCKED]):
        parts.append(f'<path d="{grounds}" fill="{PALE}"/>\n')
    parts += [_grid(rules, x, y, size, frame), _joined_edges(rules, x, y, size)]
    for mark, ink in ((X, X_INK), (O, O_INK)):
        if shapes := "".join(_shape(mark, *corner, size) for corner in of_mark[mark]):
            parts.append(_path(shapes, PALE if faded else ink, max(1.5, size * 0.09)))
    for cell, share, radius in (*((cell, 0.5, 0.1) for cell in dots), (last, 0.12, 0.07)):
        if cell in corners:
            left, top = corners[cell]
            parts.append(dot(left + size * share, top + size * share, size * radius, BEST))
    empty = [(*corners[cell], words) for cell, words in (texts or {}).items() if cell in corners and not cells[cell]]
    parts.append(_pale(((left + size / 2, top + size * 0.62, words) for left, top, words in empty), size * 0.36))
    return "".join(parts)


def _pale(texts: Iterable[tuple[float, float, str]], size: float) -> str:
    """Return pale texts, each given as x, y and its words; x is its middle, y its baseline."""
    written = "".join(f'<text x="{x:g}" y="{y:g}">{escape(words)}</text>\n' for x, y, words in texts)
    return written and f'<g font-size="{size:g}" fill="{PALE}" text-anchor="middle">\n{written}</g>\n'


def _grid(rules: Rules, x: float, y: float, size: float, stroke: str) -> str:
    wide, high = rules.columns * size, rules.rows * size
    rows = "".join(f"M{x:g} {y + row * size:g}h{wide:g}" for row in range(rules.rows + 1))
    columns = "".join(f"M{x + column * size:g} {y:g}v{high:g}" for column in range(rules.columns + 1))
    return _path(rows + columns, stroke, 1)


def _joined_edges(rules: Rules, x: float, y: float, size: float) -> str:
    """Return dashed lines along the joined edges; empty if there are none."""
    wide, high = rules.columns * size, rules.rows * size
    edges = f"M{x:g} {y:g}v{high:g}M{x + wide:g} {y:g}v{high:g}" if rules.wraps_rows else ""
    if rules.wraps_columns:
        edges += f"M{x:g} {y:g}h{wide:g}M{x:g} {y + high:g}h{wide:g}"
    if not edges:
        return ""
    return f'<path d="{edges}" fill="none" stroke="{INK}" stroke-width="2" stroke-dasharray="5 4"/>\n'


def _shape(mark: int, left: float, top: float, size: float) -> str:
    """Return the path data of a mark in the cell with this corner."""
    # Rounded to whole pixels in large cells, since whole numbers make a shorter file.
    reach = round(size * 0.28, 0 if size > 30 else 2)
    middle, centre = left + size / 2, top + size / 2
    if mark == X:
        over = f"{2 * reach:g}"
        return (
            f"M{middle - reach:g} {centre - reach:g}l{over} {over}M{middle + reach:g} {centre - reach:g}l-{over} {over}"
        )
    arc = f"a{reach:g} {reach:g} 0 1 1"
    return f"M{middle - reach:g} {centre:g}{arc} {2 * reach:g} 0{arc}{-2 * reach:g} 0"


def _labels(rules: Rules, left: float, top: float, layer: int) -> str:
    """Return the coordinates below and beside a layer, and its number."""
    below = top + rules.rows * SIZE + 16
    texts = [(left + (place + 0.5) * SIZE, below, column_label(place, rules)) for place in range(rules.columns)]
    if not writes_columns(rules):
        texts += [(left - 12, top + round((row + 0.62) * SIZE), row_label(row, rules)) for row in range(rules.rows)]
    if rules.layers > 1:
        texts.append((left + rules.columns * SIZE / 2, below + LABELS, f"layer {layer + 1}"))
    return _pale(texts, 13)


def _path(shape: str, stroke: str, width: float) -> str:
    return f'<path d="{shape}" stroke="{stroke}" stroke-width="{width:g}" fill="none"/>\n'


def dot(x: float, y: float, radius: float, fill: str = INK) -> str:
    """Return a filled circle."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"/>\n'
