"""``kinarow play``: a game in the terminal between people, engine levels, or both."""

import argparse
import io
import re
import sys
from dataclasses import dataclass
from typing import Literal, TextIO

from kinarow import engine
from kinarow.commands import options
from kinarow.commands.terminal import Paint, draw_board, interruptible
from kinarow.contract.answers import MoveAnswer
from kinarow.engine import Question
from kinarow.errors import InputError, NotationError, quoted, several
from kinarow.game import notation
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, O, Rules, Side, X
from kinarow.game.size import MAX_SIDE
from kinarow.play.levels import FULL_STRENGTH, level_name, new_seed
from kinarow.play.wording import describe_ending
from kinarow.reading import moves
from kinarow.reading.positions import read_board
from kinarow.reading.tables import USUAL_SIDE
from kinarow.search_types import MAX_INTEGER, Limits
from kinarow.searches import Searches
from kinarow.settings import Settings, load_settings

HUMAN: Literal["human"] = "human"
Player = int | Literal["human"]  # a person, or a level of the engine

CACHE_BYTES = 1_000_000  # for the answers of one game
LONGEST_LINE = 200  # characters of a typed line that are read; no move is that long
HELP = """\
{move}
hint   the move of the engine at full strength
undo   take back the last move, and the reply of the engine with it
quit   leave the game"""

_WORDS = {
    "hint": "hint", "h": "hint",
    "undo": "undo", "u": "undo",
    "quit": "quit", "q": "quit", "exit": "quit",
    "help": "help", "?": "help",
}  # fmt: skip
_NUMBER = re.compile(r"[0-9]{1,4}")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("board", nargs="?", help=f"a position to start from: {options.BOARD}")
    parser.add_argument(
        "--x", type=_player, default=HUMAN, metavar="WHO", help="the player of X: human (the default) or a level"
    )
    parser.add_argument(
        "--o",
        type=_player,
        default=FULL_STRENGTH,
        metavar="WHO",
        help=f"the player of O: human or a level from 1 to {FULL_STRENGTH} (the default is {FULL_STRENGTH})",
    )
    parser.add_argument("--first", "--to-move", dest="to_move", help="side that moves first, X or O")
    options.add_composed(parser)
    options.add_size(parser, "for an empty board", options.between(1, MAX_SIDE))
    options.add_rules(parser)
    options.add_budget(parser)
    parser.add_argument("--seed", type=options.between(0, MAX_INTEGER), help="seed of the engine's choices")
    parser.epilog = (
        "Type a move as a column (4) with gravity, as a tile with layers, otherwise as a column and a row (h8); "
        "or type hint, undo or quit."
    )


def run(arguments: argparse.Namespace) -> int:
    """Play one game."""
    settings = load_settings()
    start = read_start(arguments, settings)
    players: dict[Side, Player] = {X: arguments.x, O: arguments.o}
    seed = new_seed() if arguments.seed is None else arguments.seed
    computer = Computer(options.limits_of(arguments, settings, start.rules), seed)
    return Match(players, computer, typed_lines(), [start], Paint(sys.stdout)).play()


def read_start(arguments: argparse.Namespace, settings: Settings) -> Position:
    """Return the first position of the game; raise ``InputError`` if the board or a rule is wrong."""
    if arguments.board is not None:
        return options.position_of(arguments, settings.max_side)
    rows, columns = arguments.rows, arguments.columns
    if arguments.game is None:
        rows = rows or columns or USUAL_SIDE
        columns = columns or rows
    sized = {"rows": rows, "columns": columns}
    return read_board({**options.fields_of(arguments), **sized}, max_side=settings.max_side)


def typed_lines() -> TextIO:
    """Return standard input; undecodable bytes are replaced, and a closed input is empty."""
    if sys.stdin is None:
        return io.StringIO()
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin


class Computer:
    """The engine as opponent and adviser."""

    def __init__(self, limits: Limits, seed: int) -> None:
        self.seed = seed
        self._limits = limits
        self._ask = Searches(CACHE_BYTES).ask

    def move(self, position: Position, level: int) -> MoveAnswer:
        """Return the answer of ``POST /move`` at a level; Ctrl-C raises ``KeyboardInterrupt``."""
        question = Question(position, self._limits, level, self.seed)
        found, known = interruptible(lambda stop, _: engine.move(question.with_stop(stop), self._ask))
        return MoveAnswer.of(position, found, known)


@dataclass
class Match:
    """One game, with every position so far."""

    players: dict[Side, Player]
    computer: Computer
    source: TextIO
    positions: list[Position]
    paint: Paint

    def play(self) -> int:
        """Play until the game is over or the person quits; return the exit code."""
        self._print_start()
        while self.positions[-1].ending().state == "ongoing":
            position = self.positions[-1]
            player = self.players[position.to_move]
            if player != HUMAN:
                answer = self.computer.move(position, player)
                assert answer.move is not None, "the game goes on"
                self._move(answer.move["tile"] - 1, answer)
                continue
            print(f"{notation.side_name(position.to_move)}> ", end="", flush=True)
            typed = self.source.readline(LONGEST_LINE)
            if not typed:
                _print("The input ended before the game was over.")
                return options.FAILED
            if not self._obey(typed.strip()):
                return 0
        _print(describe_ending(self.positions[-1]))
        return 0

    def _obey(self, typed: str) -> bool:
        """Obey what a person typed; return False to quit."""
        position = self.positions[-1]
        word = _WORDS.get(typed.lower())
        if word == "quit":
            return False
        if word == "undo":
            self._undo()
        elif word == "hint":
            _print(f"Hint: {self.computer.move(position, FULL_STRENGTH).text}")
        elif word == "help":
            _print(HELP.format(move=how_to_type(position.rules)))
        elif typed:
            try:
                cell = read_typed(typed, position)
            except InputError as wrong:
                _print(f"Not possible: {wrong.problems[0][1]}.")
            else:
                self._move(cell, None)
        return True

    def _move(self, cell: int, answer: MoveAnswer | None) -> None:
        """Make a move, a person's if there is no answer of the engine, and print it with the board."""
        before = self.positions[-1]
        self.positions.append(before.play(cell))
        by_person = f"{notation.side_name(before.to_move)} plays {notation.name_move(cell, before.rules)}."
        _print(f"{len(self.positions) - 1}. {by_person if answer is None else answer.text}")
        self._print_board(cell)

    def _undo(self) -> None:
        """Return to the last position in which a person was to move."""
        for index in range(len(self.positions) - 2, -1, -1):
            if self.players[self.positions[index].to_move] == HUMAN:
                plies = len(self.positions) - 1 - index
                del self.positions[index + 1 :]
                _print(f"Took back {several(plies, 'ply', more='plies')}.")
                self._print_board()
                return
        _print("You have no move to take back.")

    def _print_start(self) -> None:
        """Print the rules, the players and the board."""
        rules, players = self.positions[0].rules, self.players
        who = ", ".join(f"{notation.side_name(side)}: {_player_name(players[side], rules)}" for side in (X, O))
        by_engine = any(player != HUMAN for player in players.values())
        _print(f"{rules_in_words(rules)}. {who}{f' (seed {self.computer.seed})' if by_engine else ''}.")
        if HUMAN in players.values():
            _print(f"{how_to_type(rules).capitalize()}; or help.")
        self._print_board()

    def _print_board(self, last: int | None = None) -> None:
        position, texts = self.positions[-1], {}
        if position.rules.layers > 1:
            texts = {cell: str(cell + 1) for cell, mark in enumerate(position.cells) if mark == EMPTY}
        won = position.ending().winning_cells
        _print("", draw_board(position, self.paint, texts=texts, bracketed=last, lit=won), "")


def read_typed(typed: str, position: Position) -> int:
    """Return the cell of a typed move, in notation or as a tile; raise ``InputError`` if it isn't legal."""
    rules = position.rules
    named: list[notation.NamedMove] = []
    if _NUMBER.fullmatch(typed) and not notation.writes_columns(rules):
        named = [moves.read_move(int(typed), rules, "")]
    elif rules.layers == 1:
        named = moves.read_moves(typed, rules, "")
    if len(named) != 1:
        raise NotationError("", f"{quoted(typed)} is not a move; {how_to_type(rules)}")
    # With gravity, any cell of a column means the column.
    return position.find_move(notation.NamedMove(None, named[0].stack) if rules.gravity else named[0], "")


def how_to_type(rules: Rules) -> str:
    """Return a sentence that says how to type a move."""
    if notation.writes_columns(rules):
        return f"type a column from 1 to {rules.columns}"
    tile = f"a tile from 1 to {rules.cells}"
    if rules.layers > 1:
        return f"type {tile}"
    last = notation.write_move(rules.columns - 1, rules)  # in the upper right corner
    return f"type a move from a1 to {last}, or {tile}"


def rules_in_words(rules: Rules) -> str:
    """Describe the rules of a game in a few words."""
    return ", ".join([f"{rules.goal} in a row on {rules.size.replace('×', 'x')}", *rules.special_in_words])


def _player_name(player: Player, rules: Rules) -> str:
    if player == HUMAN:
        return "you"
    name = level_name(player, rules)
    return f"level {player} ({name})" if name else f"level {player}"


def _player(text: str) -> Player:
    return HUMAN if text == HUMAN else options.between(1, FULL_STRENGTH)(text)


def _print(*lines: str) -> None:
    """Print lines and flush, because a player waits for them."""
    print(*lines, sep="\n", flush=True)
