"""Draws a load test over time, as SVG, from the figures that it left.

LOADTEST_REPORT=build/load make loadtest
python -m loadtests.plots build/load docs/images/load-crowd.svg "A crowd of 20 players"
"""

import csv
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

HISTORY = "load_stats_history.csv"
ALL = "Aggregated"

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 34, 30
TICKS = 4
# Told apart by those who see no colours too: by dashes.
STYLES = (("#0b6e99", ""), ("#c2410c", "6 3"), ("#4d7c0f", "2 3"))


@dataclass(frozen=True)
class Line:
    """A quantity over time; None where there was nothing to measure."""

    name: str
    values: Sequence[float | None]


def read(folder: Path) -> tuple[list[float], list[Line], list[Line]]:
    """Seconds from the start, then rates a second and times in ms, of all requests together.

    Raises:
        ValueError: nothing was measured.
    """
    with (folder / HISTORY).open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["Name"] == ALL]
    if len(rows) < 2:
        raise ValueError(f"{folder / HISTORY} holds less than two seconds")
    times = [float(row["Timestamp"]) for row in rows]

    def column(name: str) -> list[float | None]:
        return [None if row[name] in ("", "N/A") else float(row[name]) for row in rows]

    rates = [Line("requests a second", column("Requests/s")), Line("failures a second", column("Failures/s"))]
    waits = [Line("half answered within", column("50%")), Line("99 % answered within", column("99%"))]
    return [time - times[0] for time in times], rates, waits


def write(folder: Path, target: Path, title: str) -> None:
    """Draw the figures of a folder into a file."""
    seconds, rates, waits = read(folder)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {2 * HEIGHT}" '
        'font-family="sans-serif" font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{2 * HEIGHT}" fill="#fff"/>',
        *_chart(0, f"{title}: requests", "1/s", seconds, rates),
        *_chart(HEIGHT, f"{title}: time to answer", "ms", seconds, waits),
        "</svg>",
    ]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(parts) + "\n", "utf-8")


def _chart(top: int, title: str, unit: str, seconds: Sequence[float], lines: Sequence[Line]) -> list[str]:
    """One chart: its axes with round numbers, its lines, and their names."""
    highest = max((value for line in lines for value in line.values if value is not None), default=0.0)
    step = _round_up(max(highest, 1e-9) / TICKS)
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    base, span = top + TOP + height, max(seconds[-1], 1e-9)

    def at(second: float, value: float) -> str:
        return f"{LEFT + width * second / span:.1f},{base - height * value / (step * TICKS):.1f}"

    parts = [f'<text x="{LEFT}" y="{top + 20}" font-weight="bold">{escape(title)}</text>']
    for tick in range(TICKS + 1):
        y = base - height * tick / TICKS
        parts.append(f'<path d="M{LEFT} {y:.1f}H{LEFT + width}" stroke="#ddd"/>')
        label = f"{step * tick:g}" + (f" {unit}" if tick == TICKS else "")
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for tick in range(TICKS + 1):
        x = LEFT + width * tick / TICKS
        label = f"{span * tick / TICKS:.0f}" + (" s" if tick == TICKS else "")
        parts.append(f'<text x="{x:.1f}" y="{base + 18}" text-anchor="middle">{label}</text>')
    for number, (line, (colour, dashes)) in enumerate(zip(lines, STYLES, strict=False)):
        points = " ".join(
            at(second, value) for second, value in zip(seconds, line.values, strict=True) if value is not None
        )
        stroke = f'fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dashes}"'
        y = top + TOP + 10 + 18 * number
        parts.append(f'<polyline points="{points}" {stroke}/>')
        parts.append(f'<path d="M{WIDTH - RIGHT + 8} {y - 4}h18" {stroke}/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 30}" y="{y}" font-size="11">{escape(line.name)}</text>')
    return parts


def _round_up(value: float) -> float:
    """The next of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= value * (1 - 1e-12))


def main() -> int:
    """Draw the figures of a folder; 2 if not told which."""
    if len(sys.argv) != 4:
        print('usage: python -m loadtests.plots FOLDER FILE.svg "TITLE"', file=sys.stderr)
        return 2
    write(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    return 0


if __name__ == "__main__":
    sys.exit(main())
