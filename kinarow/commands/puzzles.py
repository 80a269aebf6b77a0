"""``kinarow puzzles``: positions with one right move, as JSON lines and as a printable page."""

import argparse
from html import escape

from kinarow.commands import options, print_error
from kinarow.commands.terminal import interruptible
from kinarow.contract.answers import PuzzleAnswer
from kinarow.errors import several
from kinarow.game.board_svg import picture
from kinarow.game.notation import side_name, write_move
from kinarow.game.size import MAX_CELLS
from kinarow.play.puzzles import PUZZLE_NODES, Puzzle, puzzles
from kinarow.reading.positions import read_position
from kinarow.search_types import MAX_INTEGER, MOST_NODES, Limits, Stop
from kinarow.settings import load_settings

STYLE = (
    "body{font:16px system-ui,sans-serif;margin:2em}main{display:grid;grid-template-columns:repeat(auto-fill,"
    "minmax(18em,1fr));gap:2em}figure{margin:0;break-inside:avoid}svg{max-width:100%;height:auto}"
    "ol{break-before:page;columns:3}"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "The same options print the same puzzles; a smaller --count prints the first of them."
    options.add_rules(parser)
    options.add_size(parser, "by default as in --game")
    parser.add_argument("--count", type=options.between(1, 1_000_000), default=10, help="the number of puzzles (10)")
    parser.add_argument("--seed", type=options.between(0, MAX_INTEGER), default=0, help="seed of the choice (0)")
    parser.add_argument("--max-plies", type=options.between(1, MAX_CELLS), help="maximum plies to the win")
    parser.add_argument(
        "--max-nodes",
        type=options.between(1, MOST_NODES),
        default=PUZZLE_NODES,
        help=f"maximum nodes of each of a position's two searches ({PUZZLE_NODES})",
    )
    parser.add_argument("--page", type=options.output_path, metavar="FILE", help="also write a printable page, as HTML")


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each puzzle."""
    given = options.fields_of(arguments)
    rules = read_position(given, load_settings().max_side).rules
    stop = Stop()
    found = puzzles(rules, arguments.seed, Limits(arguments.max_nodes), most_plies=arguments.max_plies, stop=stop)
    shown: list[Puzzle] = []
    while len(shown) < arguments.count:
        puzzle = interruptible(lambda *_: next(found, None), stop)
        if puzzle is None:
            break
        print(PuzzleAnswer.of(puzzle, arguments.game).model_dump_json(ensure_ascii=True), flush=True)
        shown.append(puzzle)
    if arguments.page is not None:
        arguments.page.write_text(page(shown), encoding="utf-8")
    if len(shown) < arguments.count:
        print_error("puzzles", f"found only {len(shown)} of {several(arguments.count, 'puzzle')}")
        return options.FAILED
    return 0


def page(shown: list[Puzzle]) -> str:
    """Return a printable page: the boards, then the solutions on a page of their own."""
    boards, solutions = [], []
    for number, puzzle in enumerate(shown, 1):
        position, rules = puzzle.position, puzzle.position.rules
        aim = f"{side_name(position.to_move)} to move and {puzzle.outcome}"
        board = picture(rules, position.cells, last=puzzle.moves[-1] if puzzle.moves else None)
        caption = escape(f"{number}. {aim} (level {puzzle.level})")
        boards.append(f"<figure><figcaption>{caption}</figcaption>\n{board}</figure>\n")
        line = " ".join(write_move(cell, rules) for cell in puzzle.line)
        solutions.append(f"<li>{escape(line)}</li>\n")
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Puzzles</title>\n<style>{STYLE}</style>\n'
        f"<h1>Puzzles</h1>\n<main>\n{''.join(boards)}</main>\n<h2>Solutions</h2>\n<ol>\n{''.join(solutions)}</ol>\n"
        "</html>\n"
    )
