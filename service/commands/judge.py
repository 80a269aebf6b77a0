"""``kinarow judge``: how good the moves of named players are, from files of their games."""

import argparse
import json
import sys
from html import escape
from pathlib import Path
from typing import Any

from kinarow import engine
from kinarow.engine import Ask
from kinarow.errors import InputError
from kinarow.game.notation import side_name
from kinarow.search_types import MOST_NODES
from service import judge
from service.actions import Fields, searches
from service.api.game_schemas import REVIEW_REQUEST
from service.api.parsing import parse_game
from service.api.problem_kinds import Problem
from service.api.schemas import check
from service.commands.options import between
from service.commands.terminal import watched
from service.settings import Settings, load_settings

FAILED = 1
"""Exit code where a game cannot be read."""

_ROW, _LEFT, _WIDTH = 26, 180, 560


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("games", metavar="GAMES", nargs="+", type=Path, help="files of games, one in JSON on each line")
    parser.add_argument("--out", metavar="REPORT", type=Path, required=True, help="writes REPORT.json, .md and .svg")
    parser.add_argument(
        "--max-nodes", type=between(1, MOST_NODES), help="positions to visit for each position (KINAROW_DEFAULT_NODES)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge the games and write the report.

    Raises:
        SettingsError: a setting is impossible.
        OSError: a file cannot be read or written.
    """
    settings = load_settings(max_nodes=MOST_NODES)
    ask = searches(settings)
    judged = []
    for path in arguments.games:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                players, fields = judge.read_line(line)
                if arguments.max_nodes is not None:
                    fields.setdefault("max_nodes", arguments.max_nodes)
                judged.append(_judged(players, check(REVIEW_REQUEST, fields), settings, ask))
            except (Problem, InputError, ValueError) as wrong:
                print(f"kinarow judge: {path}, line {number}: {wrong}", file=sys.stderr)
                return FAILED
    figures = judge.report(judged)
    texts = {".json": json.dumps(figures, indent=2) + "\n", ".md": judge.as_markdown(figures), ".svg": plot(figures)}
    for suffix, text in texts.items():
        arguments.out.with_name(arguments.out.name + suffix).write_text(text, "utf-8")
    print(texts[".md"], end="")
    return 0


def _judged(players: dict[str, str], fields: Fields, settings: Settings, ask: Ask) -> judge.Judged:
    """Review a game up to its first illegal move."""
    try:
        question, moves = parse_game(fields, settings)
        review = watched(lambda stop, _: engine.review(question.watched(stop), moves, ask))
        return judge.Judged(players, review, None)
    except InputError as wrong:
        legal = judge.legal_part(fields["moves"], wrong)
        if legal is None:
            raise
    game = _judged(players, {**fields, "moves": legal}, settings, ask)
    return game._replace(illegal=side_name(game.review.position.to_move))


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
