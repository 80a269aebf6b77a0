"""The command line ``kinarow``; ``kinarow --help`` lists its commands."""

import argparse
import contextlib
import importlib
import importlib.util
import os
import re
import signal
import sys
import time
from collections.abc import Collection, Sequence
from types import FrameType
from typing import NamedTuple, NoReturn, Protocol, cast

from kinarow.commands import FAILED, WRONG_USE, print_error
from kinarow.errors import InputError, SettingsError, one_line
from kinarow.version import VERSION

INTERRUPTED = 130  # exit code after Ctrl-C: 128 + SIGINT
PATIENCE_S = 1.0  # a second Ctrl-C ends the process at once if so much time has passed since the first
NOBODY_LISTENS = 141  # exit code if the output's reader has gone, as in ``kinarow ... | head -1``: 128 + SIGPIPE
BOARD_WITH_DASH = re.compile(r"-[-xXoO0-9._# ]*[/\n][-xXoO0-9._# /\r\n]*")
SHELLS = ("bash", "zsh", "fish", "tcsh")  # shells for which completion can be printed


class _Module(Protocol):
    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options, named like the fields of a request."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command and return its exit code. ``InputError``, ``SettingsError`` and ``OSError`` are printed."""


class Command(NamedTuple):
    """A command of ``kinarow.commands``; ``package`` must be importable, and the extra of its name installs it."""

    purpose: str
    package: str | None = None


COMMANDS = {
    "serve": Command("serve HTTP until stopped", "gunicorn"),
    "move": Command("print the best move on a board"),
    "analyse": Command("print the value of every move on a board"),
    "review": Command("grade every move of a game in a file"),
    "play": Command("play a game in the terminal"),
    "puzzles": Command("print positions with exactly one right move"),
    "prove": Command("prove that a side wins or does not lose, and write the proof to a file"),
    "check": Command("say what the proofs in files prove"),
    "label": Command("add the value of every position to a file", "pyarrow"),
    "mcp": Command("serve tools for language models over the Model Context Protocol", "mcp"),
    "jsonl": Command("answer JSON lines on standard input, as a child process of another program"),
    "judge": Command("measure how well named players move, from files of games"),
    "piskvork": Command("speak the Piskvork (Gomocup) protocol"),
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Print the message in one line, without the usage, and exit."""
        self.exit(WRONG_USE, f"{self.prog}: {one_line(message)} (try {self.prog} --help)\n")


class _PrintCompletion(argparse.Action):
    """Prints a shell's completion script and exits."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> NoReturn:
        """Print the completion script for the shell."""
        import shtab  # here, since it would slow every start

        print(shtab.complete(_parser(COMMANDS)[0], shell=str(values)), flush=True)
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    # A space before a board that begins with "-", or argparse would take it for an option.
    words = [f" {word}" if BOARD_WITH_DASH.fullmatch(word) else word for word in words]
    name = words[0] if words and words[0] in COMMANDS else None
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by whoever started this process
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - it stays open
    if argv is None:
        _raise_one_interrupt()
    try:
        code = _run(name, words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        if argv is None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # another Ctrl-C must not disturb the exit
        if sys.stderr.isatty():
            print(file=sys.stderr)  # ends the line with the terminal's ^C
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return NOBODY_LISTENS
    except OSError as failure:
        _discard_output()
        print_error(name, failure)
        return FAILED


def _raise_one_interrupt() -> None:
    """Let the first Ctrl-C raise ``KeyboardInterrupt``, and ignore further ones for ``PATIENCE_S``.

    Ctrl-C during an import ends the process at once, since an interrupted import may keep its lock for ever.
    """
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        return  # ignored, as for a shell's background jobs
    first: float | None = None

    def interrupt(_: int, frame: FrameType | None) -> None:
        nonlocal first
        now = time.monotonic()
        if _is_importing(frame):
            os._exit(INTERRUPTED)
        if first is None:
            first = now
            raise KeyboardInterrupt
        if now - first >= PATIENCE_S:
            os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, interrupt)


def _is_importing(frame: FrameType | None) -> bool:
    """Return True if the frame runs within an import."""
    while frame is not None and frame.f_globals.get("__name__") != "importlib._bootstrap":
        frame = frame.f_back
    return frame is not None


def _run(name: str | None, words: list[str]) -> int:
    parser, modules = _parser(() if name is None else (name,))
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        _Parser(prog=f"kinarow {name or ''}".strip()).error(f"unrecognized arguments: {' '.join(unknown)}")
    module = modules.get(name)
    if name is None or module is None:
        parser.print_help()
        return WRONG_USE
    if name == "serve" and importlib.util.find_spec("fcntl") is None:
        print_error(name, "the service needs a Unix: Linux, macOS, or on Windows WSL or Docker")
        return WRONG_USE
    package = COMMANDS[name].package
    if package is not None and importlib.util.find_spec(package) is None:
        print_error(name, f"not installed: pip install 'kinarow[{name}]'")
        return WRONG_USE
    try:
        return module.run(arguments)
    except InputError as wrong:
        pointer, detail = wrong.problems[0]
        print_error(name, f"{_option_name(pointer)}: {detail}")
        return WRONG_USE
    except SettingsError as wrong:
        print_error(name, wrong)
        return WRONG_USE


def _discard_output() -> None:
    """Discard buffered output, or Python would fail to write it at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(chosen: Collection[str]) -> tuple[argparse.ArgumentParser, dict[str | None, _Module]]:
    """Return the parser, and the imported modules of the ``chosen`` commands; only these have their options."""
    parser = _Parser(prog="kinarow", description="The best move, and how good it is, on any k-in-a-row board.")
    parser.add_argument("--version", action="version", version=f"kinarow {VERSION}")
    parser.add_argument(
        "--print-completion", action=_PrintCompletion, choices=SHELLS, help="print the completion script of a shell"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    modules: dict[str | None, _Module] = {}
    for name, command in COMMANDS.items():
        own = commands.add_parser(
            name, help=command.purpose, description=command.purpose[0].upper() + command.purpose[1:] + "."
        )
        if name in chosen:
            modules[name] = cast(_Module, importlib.import_module(f"kinarow.commands.{name}"))
            modules[name].add_options(own)
    return parser, modules


def _option_name(pointer: str) -> str:
    """Return the option that a JSON pointer means, such as ``--only, move 2`` for ``/only/1``."""
    name, *rest = pointer.removeprefix("/").split("/")
    if name in ("board", "record"):
        return name  # the error itself says where
    option = "--" + name.replace("_", "-")
    is_move = rest and name != "directions"  # errors about directions name the wrong one
    return f"{option}, move {int(rest[0]) + 1}" if is_move else option


if __name__ == "__main__":
    sys.exit(main())
