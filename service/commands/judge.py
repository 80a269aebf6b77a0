"""``kinarow judge``: how good the moves of named players are, from files of their games."""

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from kinarow.engine import Ask
from kinarow.game import board_svg as draw
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
    parts = [draw.text(_LEFT, 16, "share of moves that keep the value, 95 % interval", anchor="start")]
    for row, (name, share) in enumerate(rows, 1):
        y = _ROW * row + _ROW / 2
        low, value, high = (_LEFT + _WIDTH * share[key] for key in ("low", "value", "high"))
        label = draw.text(_LEFT - 8, y + 4, name[:30], anchor="end")
        parts += [label, draw.line(low, y, high, y), draw.dot(value, y, 4)]
    parts += [draw.text(_LEFT + _WIDTH * tenth / 10, height - 8, str(tenth / 10)) for tenth in range(0, 11, 2)]
    return draw.svg(_LEFT + _WIDTH + 40, height, "Play, judged", "".join(parts))
