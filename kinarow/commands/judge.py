"""``kinarow judge``: how good the moves of named players are, from files of their games."""

import argparse
import json
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from kinarow.commands import complain
from kinarow.commands.options import FAILED, between
from kinarow.commands.terminal import as_json, interruptible
from kinarow.contract.actions import Call, judged_game, searches
from kinarow.contract.answers import JudgeAnswer
from kinarow.contract.problems import Problem
from kinarow.engine import Ask
from kinarow.errors import several
from kinarow.game import board_svg as draw
from kinarow.play import judge
from kinarow.search_types import MOST_NODES, Stop
from kinarow.settings import Settings, load_settings

_ROW, _LEFT, _WIDTH = 26, 180, 560


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", metavar="GAMES", nargs="+", type=Path, help="files of games, one in JSON on each line")
    parser.add_argument(
        "--out", metavar="REPORT", type=Path, required=True, help="write REPORT.json, REPORT.md and REPORT.svg"
    )
    parser.add_argument(
        "--max-nodes", type=between(1, MOST_NODES), help="maximum nodes for each position (KINAROW_DEFAULT_NODES)"
    )
    parser.add_argument(
        "--moves",
        choices=["tiles", *judge.COLUMNS.values()],
        default="tiles",
        help="what numbers in lists of moves are: tiles from 1, or columns from 1 or 0",
    )
    parser.add_argument("--strict", action="store_true", help="fail if a line is no game")


def run(arguments: argparse.Namespace) -> int:
    """Judge the games and write the report."""
    # Judging may take hours, so that whatever can fail without it fails before.
    folder = arguments.out.parent
    if not os.access(folder, os.W_OK | os.X_OK):
        complain("judge", f"--out: cannot write into the folder {folder}")
        return FAILED
    settings = load_settings(max_nodes=MOST_NODES)
    ask = searches(settings)
    budget: dict[str, object] = {} if arguments.max_nodes is None else {"max_nodes": arguments.max_nodes}
    games, bad = _read(arguments.games)
    judged = []
    for place, game in games:
        try:
            judged.append(interruptible(partial(_judged, _with_columns(game, arguments.moves), budget, settings, ask)))
        except (Problem, ValueError, RecursionError) as wrong:
            bad += _told(place, str(wrong))
    figures = judge.report(judged)
    texts = {
        ".json": as_json(JudgeAnswer(**figures._asdict())) + "\n",
        ".md": judge.as_markdown(figures),
        ".svg": plot(figures),
    }
    for suffix, text in texts.items():
        arguments.out.with_name(arguments.out.name + suffix).write_text(text, "utf-8")
    print(texts[".md"], end="")
    if bad:
        print(f"{several(len(judged), 'game')} judged, {several(bad, 'bad line')}", file=sys.stderr)
    return FAILED if arguments.strict and bad else 0


def _read(files: Iterable[Path]) -> tuple[list[tuple[str, Any]], int]:
    """The games of the files, each with its file and line, and how many lines are none."""
    games, bad = [], 0
    for path in files:
        lines = path.read_bytes().removeprefix(BOM_UTF8).split(b"\n")
        for number, line in enumerate(lines, 1):
            place = f"{path}, line {number}"
            try:
                if line.strip():
                    games.append((place, json.loads(line.decode())))
            except UnicodeDecodeError as wrong:
                bad += _told(place, f"not UTF-8: byte {wrong.start} cannot be read")
            except (ValueError, RecursionError) as wrong:
                bad += _told(place, f"not JSON: {wrong}")
    return games, bad


def _told(place: str, wrong: str) -> int:
    """Say what is wrong with one line."""
    complain("judge", f"{place}: {wrong}")
    return 1


def _with_columns(game: Any, moves: str) -> Any:
    """The game, with columns where ``--moves`` says that the numbers in its list of moves are columns."""
    first = {name: number for number, name in judge.COLUMNS.items()}.get(moves)
    listed = game.get("moves") if isinstance(game, dict) else None
    if first is None or not isinstance(listed, list):
        return game
    columns = [{"column": move - first} if type(move) is int else move for move in listed]
    return {**game, "moves": columns}


def _judged(game: Any, budget: dict[str, object], settings: Settings, ask: Ask, stop: Stop, _: object) -> judge.Judged:
    return judged_game(game, budget, Call(settings, ask, stop))


def plot(figures: judge.Report) -> str:
    """The share of moves that keep the value, with its interval, for each player and kind of value."""
    rows: list[tuple[str, Any]] = [
        (f"{name} ({kind})", share)
        for name, player in figures.players.items()
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
