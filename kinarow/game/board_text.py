"""A board as text with the coordinates that name its moves."""

from collections.abc import Callable, Sequence

from kinarow.game.notation import column_label, row_label, writes_columns
from kinarow.game.rules import Rules


def board_text(
    rules: Rules,
    texts: Sequence[str],
    *,
    bracketed: int | None = None,
    paint: Callable[[int, str], str] = lambda cell, text: text,
) -> str:
    """Draw the board with column names below it and, where moves name rows, row names; layers one below the other.

    >>> print(board_text(Rules(2, 3, 2), ["X", ".", ".", ".", "O", "."], bracketed=4))
    2 X  .  .
    1 . [O] .
      a  b  c
    """
    width = max(map(len, texts))
    names = [] if writes_columns(rules) else [row_label(row, rules) for row in range(rules.rows)]
    margin = max(map(len, names), default=0)
    foot = " " * margin + "".join(f" {column_label(column, rules):>{width}} " for column in range(rules.columns))
    lines = []
    for row in range(rules.layers * rules.rows):
        layer, place = divmod(row, rules.rows)
        if rules.layers > 1 and place == 0:
            lines.append(f"layer {layer + 1}")
        line = f"{names[place]:>{margin}}" if names else ""
        for cell in range(row * rules.columns, (row + 1) * rules.columns):
            left, right = "[]" if cell == bracketed else "  "
            # Only the text is painted: colour codes must not count towards the width.
            line += " " * (width - len(texts[cell])) + left + paint(cell, texts[cell]) + right
        lines.append(line.rstrip())
        if place == rules.rows - 1:
            lines.append(foot.rstrip())
    return "\n".join(lines)
