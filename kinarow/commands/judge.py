"""``kinarow judge``: measures how well named players move, from files of their games."""

import argparse
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kinarow.commands import WRONG_USE, options, print_error
from kinarow.commands.options import FAILED, between
from kinarow.commands.terminal import as_json, interruptible
from kinarow.contract.actions import Call, is_possible, judged_game, searches
from kinarow.contract.answers import JudgeAnswer
from kinarow.contract.problems import Problem
from kinarow.engine import Ask
from kinarow.errors import InputError, several
from kinarow.game import board_svg as draw
from kinarow.play import judge
from kinarow.reading.games import read_games
from kinarow.reading.moves import counted_otherwise
from kinarow.search_types import MOST_NODES, Stop
from kinarow.settings import Settings, load_settings

_ROW, _LEFT, _WIDTH = 26, 180, 560


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "games",
        metavar="GAMES",
        nargs="+",
        type=Path,
        help="files of games: JSON lines, a JSON array, or a replay of Kaggle",
    )

    parser.add_argument(
        "--out", metavar="REPORT", type=Path, required=True, help="write REPORT.json, REPORT.md and REPORT.svg"
    )
    parser.add_argument(
        "--max-nodes", type=between(1, MOST_NODES), help="maximum nodes for each position (KINAROW_DEFAULT_NODES)"
    )
    options.add_moves(parser)
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a line is not a game")


def run(arguments: argparse.Namespace) -> int:
    """Judge the games and write the report."""
    # Judging may take hours, so check first what can be checked.
    folder = arguments.out.parent
    if not os.access(folder, os.W_OK | os.X_OK):
        print_error("judge", f"--out: cannot write into the folder {folder}")
        return FAILED
    settings = load_settings(max_nodes=MOST_NODES)
    ask = searches(settings)
    budget: dict[str, object] = {} if arguments.max_nodes is None else {"max_nodes": arguments.max_nodes}
    games, judged, bad = list(_read(arguments.games)), [], 0
    if other := _other_counting([game for _, game in games], arguments.moves, settings):
        print_error("judge", f"some moves are impossible; all are possible as {other}: add --moves {other}")
        return WRONG_USE
    for place, game in games:
        try:
            judged.append(interruptible(partial(_judge, game, arguments.moves, budget, settings, ask)))
        except (Problem, InputError) as wrong:
            print_error("judge", f"{place}: {str(wrong).removeprefix('request: ')}")
            bad += 1
    if not judged:
        print_error("judge", "there are no games")
        return WRONG_USE
    figures = judge.report(judged)
    texts = {
        ".json": as_json(JudgeAnswer(**figures._asdict())) + "\n",
        ".md": judge.as_markdown(figures),
        ".svg": accuracy_chart(figures),
    }
    for suffix, text in texts.items():
        arguments.out.with_name(arguments.out.name + suffix).write_text(text, "utf-8")
    print(texts[".md"], end="")
    if bad:
        print(f"{several(len(judged), 'game')} judged, {several(bad, 'bad line')}", file=sys.stderr)
    return FAILED if arguments.strict and bad else 0


def _read(files: Iterable[Path]) -> Iterator[tuple[str, object]]:
    """Yield ``(place, game)`` for each line of the files; a line without a game yields its error as the game."""
    for path in files:
        text = path.read_bytes().removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape")
        yield from ((f"{path}, line {number}", game) for number, game in read_games(text))


def _other_counting(games: Sequence[object], counted: str | None, settings: Settings) -> str | None:
    """Return the value of ``--moves`` that makes all games possible; None if they are already, or no value does."""
    counts = [game for game in games if isinstance(game, dict) and "moves" in game]
    if all(is_possible(game, settings, counted) for game in counts):
        return None
    return counted_otherwise(counted, lambda each: all(is_possible(game, settings, each) for game in counts))


def _judge(
    game: object, counted: str | None, budget: dict[str, object], settings: Settings, ask: Ask, stop: Stop, _: object
) -> judge.Judged:
    return judged_game(game, budget, Call(settings, ask, stop), counted=counted)


def accuracy_chart(figures: judge.Report) -> str:
    """Draw each player's share of moves that keep the value, with its interval, by proofs and by estimates."""
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
