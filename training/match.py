"""Matches between two programs that speak the Piskvork (Gomocup) protocol.

    python -m training.match 'kinarow piskvork' 'path/to/pbrain' --games 100 --turn-ms 300

Every opening is played with both colours. A program that answers late, with an error or an illegal move, or that ends,
loses the game and is started again. ``--record`` writes the games as JSON lines, and continues a match that was
stopped. At the end the match prints each program's slowest answer and its number of late answers.
"""

import argparse
import json
import os
import select
import shlex
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from training.arena import RULES, Forfeit, Game, Tally, match, read_openings

START_WITHIN_S = 120  # A program may compile or load before its first OK
GRACE_MS = 200  # Time that a move may take beyond its limit, for delays of the pipe and of a busy machine
PAUSE_MS = 100
"""Pause from a program's answer to the next command: some programs drop a command that comes at once."""

MEMORY_BYTES = 1 << 30
CONDITIONS = ("first", "second", "size", "rule", "turn_ms", "grace_ms", "pause_ms", "nodes")
"""The options that a record has in its first line: games with other options don't belong to the match."""

NO_MATCH_LIMIT_MS = 2147483647
_MESSAGES = ("MESSAGE", "DEBUG")
_MAX_ANSWER = 4096


class Program:
    """A player that runs a Piskvork program.

    Args:
        command: the command line of the program.
        turn_ms: time for a move.
        grace_ms: time that a move may take in addition before the game is lost.
        pause_ms: least time between an answer and the next command.
        nodes: node limit of a move, for programs that know ``INFO max_node``.

    Attributes:
        slowest_ms: the longest time of an answer.
        late: the number of moves that came after their time, or never.
    """

    memory_bytes = MEMORY_BYTES

    def __init__(
        self, command: str, turn_ms: int, grace_ms: int = GRACE_MS, pause_ms: int = PAUSE_MS, nodes: int | None = None
    ) -> None:
        self.command, self.nodes = command, nodes
        self._turn_ms = turn_ms
        self._grace_ms = grace_ms
        self._pause_s = pause_ms / 1000
        self._answered = -self._pause_s
        self.slowest_ms = 0
        self.late = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._unread = b""
        self._known: tuple[int, int, tuple[int, ...]] | None = None

    def move(self, size: int, rule: int, moves: Sequence[int]) -> int:
        """Return the program's next move; see ``arena.Player``."""
        try:
            return self._ask(size, rule, tuple(moves))
        except Forfeit:
            self.close()
            raise
        except OSError as failure:
            self.close()
            raise Forfeit(f"the program has ended ({failure.strerror})") from None

    def close(self) -> None:
        """End the program."""
        if self._process is None:
            return
        process, self._process = self._process, None
        try:
            process.stdin.write(b"END\r\n")  # type: ignore[union-attr]
            process.stdin.close()  # type: ignore[union-attr]
            process.wait(1)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        process.stdout.close()  # type: ignore[union-attr]
        self._unread, self._known = b"", None

    def _ask(self, size: int, rule: int, moves: tuple[int, ...]) -> int:
        time.sleep(max(0.0, self._answered + self._pause_s - time.monotonic()))
        known = self._known
        if known is None or known[:2] != (size, rule):
            self._begin(size, rule)
            known = None
        if known is not None and moves[:-1] == known[2]:
            command = f"TURN {_place(moves[-1], size)}"
        else:
            if known is not None:
                self._say("RESTART")
                self._hear(START_WITHIN_S, expect="OK")
            stones = [f"{_place(cell, size)},{1 + (len(moves) - number) % 2}" for number, cell in enumerate(moves)]
            command = "\r\n".join(["BOARD", *stones, "DONE"]) if moves else "BEGIN"
        asked = time.monotonic()
        self._say(f"INFO time_left {NO_MATCH_LIMIT_MS}", command)
        try:
            answer = self._hear((self._turn_ms + self._grace_ms) / 1000)
        finally:
            self._answered = time.monotonic()
            took = round(1000 * (self._answered - asked))
            self.slowest_ms = max(self.slowest_ms, took)
            self.late += took > self._turn_ms
        cell = self._cell(answer, size)
        self._known = (size, rule, (*moves, cell))
        return cell

    def _begin(self, size: int, rule: int) -> None:
        if self._process is None:
            try:
                words = shlex.split(self.command)
                self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603
            except OSError as failure:
                raise SystemExit(f"{self.command}: {failure.strerror}") from None
        self._say(f"INFO rule {rule}", f"START {size}")
        self._hear(START_WITHIN_S, expect="OK")
        self._say(
            f"INFO timeout_turn {self._turn_ms}",
            "INFO timeout_match 0",
            f"INFO max_memory {self.memory_bytes}",
            "INFO game_type 1",
            f"INFO rule {rule}",
            *([f"INFO max_node {self.nodes}"] if self.nodes else []),
        )
        self._known = (size, rule, (-1,))

    def _say(self, *lines: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write("".join(line + "\r\n" for line in lines).encode())
        self._process.stdin.flush()

    def _hear(self, within_s: float, expect: str = "") -> str:
        """Return the next line that isn't a message; raise ``Forfeit`` unless it begins with ``expect``."""
        deadline = time.monotonic() + within_s
        while True:
            line = self._line(deadline)
            if not line or line.upper().startswith(_MESSAGES):
                continue
            if not line.upper().startswith(expect):
                raise Forfeit(f"answered {line!r:.80}")
            return line

    def _line(self, deadline: float) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        stream = self._process.stdout.fileno()
        while b"\n" not in self._unread.replace(b"\r", b"\n"):
            wait = deadline - time.monotonic()
            if wait <= 0 or not select.select([stream], [], [], wait)[0]:
                raise Forfeit("no answer in time")
            piece = os.read(stream, _MAX_ANSWER)
            if not piece:
                raise Forfeit("the program has ended")
            self._unread += piece
        line, _, self._unread = self._unread.replace(b"\r", b"\n").partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    @staticmethod
    def _cell(answer: str, size: int) -> int:
        x, comma, y = answer.partition(",")
        if not comma or not x.strip().isdecimal() or not y.strip().isdecimal():
            raise Forfeit(f"answered {answer!r:.80}")
        column, row = int(x), int(y)
        if column >= size or row >= size:
            raise Forfeit(f"illegal move {answer!r:.80}")
        return row * size + column


def _place(cell: int, size: int) -> str:
    return f"{cell % size},{cell // size}"


class Record:
    """The file of a match: its conditions, then its games."""

    def __init__(self, path: Path | None, conditions: dict[str, object]) -> None:
        self._path = path
        self._conditions = conditions

    def results(self) -> list[int]:
        """Return the results of the recorded games; exit if they were played under other conditions."""
        if self._path is None or not self._path.exists():
            return []
        lines = [json.loads(line) for line in self._path.read_text("utf-8").splitlines()]
        if lines and lines[0] != self._conditions:
            raise SystemExit(f"{self._path} holds a match under other conditions: {lines[0]}")
        return [line["result"] for line in lines[1:]]

    def add(self, game: Game) -> None:
        """Append a game."""
        if self._path is None:
            return
        new = not self._path.exists()
        with self._path.open("a", encoding="utf-8") as file:
            if new:
                file.write(json.dumps(self._conditions) + "\n")
            file.write(json.dumps({"result": game.result, "why": game.why, "moves": game.moves}) + "\n")


def run(arguments: argparse.Namespace) -> Tally:
    """Play the match that the options describe, and print each game."""
    conditions = {name: value for name in CONDITIONS if (value := getattr(arguments, name)) is not None}
    record = Record(arguments.record, conditions)
    known = record.results()
    if known:
        print(f"{len(known)} games are known from {arguments.record}", flush=True)
    times = arguments.turn_ms, arguments.grace_ms, arguments.pause_ms
    nodes = arguments.nodes or (None, None)
    first, second = Program(arguments.first, *times, nodes[0]), Program(arguments.second, *times, nodes[1])
    openings = read_openings(arguments.size)
    if not openings:
        raise SystemExit(f"no opening fits a board of {arguments.size} x {arguments.size}")

    def report(number: int, game: Game, tally: Tally) -> None:
        record.add(game)
        outcome = ("second wins", "draw", "first wins")[game.result + 1]
        print(f"game {number + 1}: {outcome} ({game.why}, {len(game.moves)} moves); {tally}", flush=True)

    try:
        tally = match(first, second, arguments.games, arguments.size, arguments.rule, openings, report, known)
        print(
            f"slowest answers in this run: {first.slowest_ms} ms and {second.slowest_ms} ms; "
            f"after {arguments.turn_ms} ms came {first.late} and {second.late}"
        )
        return tally
    finally:
        first.close()
        second.close()


def main(words: Sequence[str] | None = None) -> int:
    """Read the options, play, and print the result."""
    parser = argparse.ArgumentParser(prog="python -m training.match", description=__doc__.split("\n")[0])
    parser.add_argument("first", help="the command of one program")
    parser.add_argument("second", help="the command of the other program")
    parser.add_argument("--games", type=int, default=100, help="how many games; made even (100)")
    parser.add_argument("--turn-ms", type=int, default=300, help="milliseconds for a move (300)")
    parser.add_argument("--nodes", type=int, nargs=2, metavar="N", help="positions for a move of either program")
    parser.add_argument("--grace-ms", type=int, default=GRACE_MS, help="beyond it before a loss (200)")
    parser.add_argument("--pause-ms", type=int, default=PAUSE_MS, help="from an answer to the next question (100)")
    parser.add_argument("--size", type=int, default=15, help="rows and columns (15)")
    parser.add_argument(
        "--rule",
        type=int,
        choices=RULES,
        default=0,
        help="1 exactly five, 4 Renju, 8 Caro, 9 Caro with exactly five (0)",
    )
    parser.add_argument("--record", type=Path, help="file of the games, from which a match continues")
    arguments = parser.parse_args(words)
    arguments.games += arguments.games % 2
    print(f"result for {arguments.first}: {run(arguments)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
