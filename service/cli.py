"""The command line: ``kinarow`` and its commands, ``kinarow --help`` lists them."""

import argparse
import contextlib
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import NamedTuple, NoReturn, Protocol, cast

from service.engine.errors import InputError
from service.version import VERSION

WRONG_USE = 2
"""The exit code when what was asked is wrong, as for most commands."""

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal."""

NOT_DONE = 1
"""The exit code when the output could not be written, or the input of a game ended before the game did."""

NOBODY_LISTENS = 141
"""The exit code when whoever read the output has gone, as after ``kinarow ... | head -1``: 128 and SIGPIPE."""


class _Module(Protocol):
    """What the file of a command offers."""

    def add_options(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


class Command(NamedTuple):
    """A command: the module with its ``add_options(parser)`` and ``run(arguments)``, and what it does."""

    module: str
    purpose: str


COMMANDS = {
    "serve": Command("service.commands.serve", "answer over HTTP until told to stop"),
    "move": Command("service.commands.move", "print the best move on a board"),
    "analyse": Command("service.commands.analyse", "print the value of every move on a board"),
    "play": Command("service.commands.play", "play a game in the terminal"),
    "bench": Command("service.commands.bench", "search fixed positions and print their nodes and values"),
    "book": Command("service.commands.book", "prove the openings of a gravity game and write them to a file"),
    "piskvork": Command("service.commands.piskvork", "speak the Piskvork (Gomocup) protocol"),
    "sbom": Command("service.commands.sbom", "print what this installation is made of (CycloneDX JSON)"),
    "warm-up": Command("service.commands.warm_up", "compile the kernels now, so that later starts are quick"),
}


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        """End with the complaint alone; ``--help`` tells the rest."""
        self.exit(WRONG_USE, f"{self.prog}: {message} (try {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the words after ``kinarow``; by default those of this process.

    Returns:
        The exit code: 0; 1 when the output could not be written or the input of a game ended before the
        game did; 2 when a board, an option or a setting is wrong; 130 after Ctrl-C; 141 when nobody reads
        the output any more.
    """
    words = [_readable(word) for word in (sys.argv[1:] if argv is None else argv)]
    name = words[0] if words and words[0] in COMMANDS else None
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by whoever started this process
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - it stays open
    try:
        code = _run(name, words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            print(file=sys.stderr)  # what the terminal has echoed stands alone
        return INTERRUPTED
    except BrokenPipeError:
        _give_up_output()
        return NOBODY_LISTENS
    except OSError as failure:
        _give_up_output()
        print(f"kinarow {name}: {failure}", file=sys.stderr)
        return NOT_DONE


def _run(name: str | None, words: list[str]) -> int:
    """Read the words and run the command; what was asked wrongly is told in one line."""
    parser, module = _parser(name)
    arguments = parser.parse_args(words)
    if module is None:
        parser.print_help()
        return WRONG_USE
    try:
        return module.run(arguments)
    except InputError as wrong:
        pointer, detail = wrong.problems[0]
        print(f"kinarow {name}: {_option(pointer)}: {detail}", file=sys.stderr)
        return WRONG_USE
    except _settings_error() as wrong:
        print(f"kinarow {name}: {wrong}", file=sys.stderr)
        return WRONG_USE


def _give_up_output() -> None:
    """What is left in the buffer has nowhere to go; Python would complain of it on its way out."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(chosen: str | None) -> tuple[argparse.ArgumentParser, _Module | None]:
    """The parser of all commands, with the options of the chosen one, whose module alone is imported."""
    parser = _Parser(
        prog="kinarow", description="The best move, and how good it is, on any k-in-a-row board."
    )
    parser.add_argument("--version", action="version", version=f"kinarow {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    module: _Module | None = None
    for name, command in COMMANDS.items():
        own = commands.add_parser(name, help=command.purpose, description=command.purpose.capitalize() + ".")
        if name == chosen:
            module = cast(_Module, importlib.import_module(command.module))
            module.add_options(own)
    return parser, module


def _settings_error() -> type[Exception]:
    """The class of an impossible setting, imported only where one was found: it takes Pydantic with it."""
    from service.settings import SettingsError

    return SettingsError


def _readable(word: str) -> str:
    """A board may begin with ``-``, an empty cell, which would be taken for an option: write it as ``.``."""
    return "." + word[1:] if _BOARD_WITH_DASH.fullmatch(word) else word


_BOARD_WITH_DASH = re.compile(r"-[-xXoO12._ 0]*/[-xXoO12._ 0/]*")


def _option(pointer: str) -> str:
    """The option, or the row of the board, that a JSON pointer of a request stands for."""
    name, *rest = pointer.removeprefix("/").split("/")
    if name == "board":
        return " ".join(
            ["board", *(f"row {index}" for index in rest[:1]), *(f"column {index}" for index in rest[1:])]
        )
    return "--" + name.replace("_", "-")


if __name__ == "__main__":
    sys.exit(main())
