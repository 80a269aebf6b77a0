"""``kinarow judge``: how good the moves of named players are, from files of their games."""

import argparse
import json
import sys
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from kinarow.engine import Ask
from kinarow.search_types import MOST_NODES, Stop
from service.api import judge
from service.api.actions import Fields, searches
from service.api.problem_kinds import Problem
from service.commands.options import FAILED, between
from service.commands.terminal import watched
from service.settings import Settings, load_settings

_ROW, _LEFT, _WIDTH = 26, 180, 560


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("games", metavar="GAMES", nargs="+", type=Path, help="files of games, one in JSON on each line")
    parser.add_argument("--out", metavar="REPORT", type=Path, required=True, help="writes REPORT.json, .md and .svg")
    parser.add_argument(
        "--max-nodes", type=between(1, MOST_NODES), help="positions to visit for each position (KINAROW_DEFAULT_NODES)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge the games and write the report."""
    settings = load_settings(max_nodes=MOST_NODES)
    ask = searches(settings)
    budget = {} if arguments.max_nodes is None else {"max_nodes": arguments.max_nodes}
    judged = []
    for path in arguments.games:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                judged.append(watched(partial(_judged, json.loads(line), budget, settings, ask)))
            except (Problem, ValueError, RecursionError) as wrong:
                print(f"kinarow judge: {path}, line {number}: {wrong}", file=sys.stderr)
                return FAILED
    figures = judge.report(judged)
    texts = {".json": json.dumps(figures, indent=2) + "\n", ".md": judge.as_markdown(figures), ".svg": plot(figures)}
    for suffix, text in texts.items():
        arguments.out.with_name(arguments.out.name + suffix).write_text(text, "utf-8")
    print(texts[".md"], end="")
    return 0


def _judged(game: Any, budget: Fields, settings: Settings, ask: Ask, stop: Stop, _: object) -> judge.Judged:
    return judge.judged(game, budget, settings, ask, stop)


def plot(figures: Fields) -> str:
    """The share of moves that keep the value, with its interval, for each player and kind of value."""
    rows: list[tuple[str, Any]] = [
        (f"{name} ({kind})", share)
        for name, player in figures["players"].items()
        for kind in ("proof", "estimate")
        if (share := player["phases"][judge.ALL][f"by_{kind}"]["keeps_value"])
    ]
    height = _ROW * (len(rows) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 40}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="16">share of moves that keep the value, 95 % interval</text>',
    ]
    for row, (name, share) in enumerate(rows, 1):
        y = _ROW * row + _ROW / 2
        low, value, high = (round(_LEFT + _WIDTH * share[key], 1) for key in ("low", "value", "high"))
        parts += [
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(name[:30])}</text>',
            f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="black"/><circle cx="{value}" cy="{y}" r="4"/>',
        ]
    for tenth in range(0, 11, 2):
        x = _LEFT + _WIDTH * tenth / 10
        parts.append(f'<text x="{x}" y="{height - 8}" text-anchor="middle">{tenth / 10}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
