"""Whose mistakes? Another program judges the moves of recorded games and finds those that lowered a side's chance.

    python -m training.mistakes games.jsonl 'path/to/pbrain' --judge-nodes 600000 --nodes 60000 --record judged.jsonl

The games are those of ``training.match --record``, decided by a five. The judge, which must know ``INFO max_node``
and say ``ev N`` or ``eval N``, searches every position after the opening by itself; ``N`` makes a chance to win. A move
is a mistake where the chance of its side is lower by a tenth or more after it, and the judge would not have made it.
For the mistakes of the match's first program the program is asked again, with ``--nodes`` and with 30 times as many.

Answers are kept in ``--record``, so a run that was broken off goes on where it was, and the tables are printed from it.
"""

import argparse
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kinarow.solvers.large_boards.board.patterns import THREE_CELL
from kinarow.solvers.large_boards.board.records import load, new_state
from kinarow.solvers.large_boards.search.records import new_game
from training.arena import RENJU, Forfeit, completes, read_openings
from training.kernel_player import cells_after, rules_of
from training.match import PAUSE_MS, Program

MISTAKE = 0.1
"""A move that lowers the chance of its side by as much, in the judge's eyes, is a mistake."""

SCALE = 200.0
"""The judge's evaluation at which the odds are e to 1: that of Rapfi's classical evaluation."""

MORE = 30
"""The first program is asked again with so many times the nodes."""

TURN_MS = 120_000
TRIES = 3  # some programs lose a line now and then, and with it an answer
_VALUE = re.compile(r"\bev(?:al)? ([+-]?M?\d+)", re.IGNORECASE)
OUTCOMES = ("the same", "another mistake", "no mistake")
PHASES = ((12, "to 12 marks"), (24, "13 to 24"), (40, "25 to 40"), (math.inf, "41 and more"))
KINDS = ("win missed", "loss allowed", "attack missed", "defence missed", "quiet")
"""The first that fits: the judge had a proven win; it has a proven loss now; its move makes a four or an open three;
its move is where the other side would make one; all others."""


class Answer(NamedTuple):
    """What a program says of a position: the value, in its own words, for the side to move, and its move."""

    said: str
    move: int

    @property
    def wins(self) -> bool:
        """Whether it is a proven win."""
        return "M" in self.said and not self.said.startswith("-")

    @property
    def chance(self) -> float:
        """The chance to win."""
        return float(self.wins) if "M" in self.said else 1 / (1 + math.exp(-int(self.said) / SCALE))


Ask = Callable[[tuple[int, ...]], Answer]


class Thinker(Program):
    """A program that is asked about single positions, and the last value that it said."""

    memory_bytes = 1 << 26  # a table that is cleared for every position
    said = ""

    def _line(self, deadline: float) -> str:
        line = super()._line(deadline)
        found = _VALUE.search(line)
        self.said = found[1] if found else self.said
        return line

    def answer(self, size: int, rule: int, moves: tuple[int, ...]) -> Answer:
        """What it says of a position, whatever it was asked before."""
        why: object = "it says no value"
        for _ in range(TRIES):
            self.said = ""
            try:
                move = self.move(size, rule, moves)
            except Forfeit as failure:
                why = failure
            else:
                if self.said:
                    return Answer(self.said, move)
        raise SystemExit(f"{self.command}: {why}, after the moves {moves}")


class Record:
    """Answers that are kept in a file, by who was asked what."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        self._known = {key: Answer(*answer) for key, answer in map(json.loads, lines)}

    def asker(self, program: Thinker, size: int, rule: int) -> Ask:
        """A function from moves to the answer of a program."""

        def ask(moves: tuple[int, ...]) -> Answer:
            key = f"{program.command}, {program.nodes} nodes, {size}, {rule}: {' '.join(map(str, moves))}"
            if key not in self._known:
                self._known[key] = program.answer(size, rule, moves)
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, self._known[key]]) + "\n")
            return self._known[key]

        return ask


class Judged(NamedTuple):
    """A move of a game, and what the judge says before and after it.

    Attributes:
        moves: before it.
        move: its cell.
        own: whether the match's first program made it.
        won: whether the first program won the game.
        before, after: what the judge says; None where the game is over.
    """

    moves: tuple[int, ...]
    move: int
    own: bool
    won: bool
    before: Answer
    after: Answer | None

    @property
    def fall(self) -> float:
        """By how much it lowers the chance of its side; 0 where the judge would have made it too."""
        if self.move == self.before.move:
            return 0.0
        return self.before.chance - (1 - self.after.chance if self.after else 1)

    @property
    def is_mistake(self) -> bool:
        """Whether it lowers the chance by too much."""
        return self.fall >= MISTAKE


def judged_moves(lines: Sequence[dict[str, Any]], size: int, ask: Ask) -> Iterator[list[Judged]]:
    """The moves after the opening of each game that was decided by a five."""
    openings = read_openings(size)
    for line in lines:
        if line["why"] != "five":
            continue
        moves, won = tuple(line["moves"]), line["result"] > 0
        plies = range(max(len(each) for each in openings if moves[: len(each)] == each), len(moves))
        answers = [ask(moves[:ply]) for ply in plies]
        yield [
            # Who won has made the last move.
            Judged(moves[:ply], moves[ply], ((len(moves) - ply) % 2 == 1) == won, won, now, then)
            for ply, now, then in zip(plies, answers, [*answers[1:], None], strict=True)
        ]


def kind_of(mistake: Judged, size: int, rule: int) -> str:
    """One of ``KINDS``: the first that fits."""
    if mistake.before.wins:
        return "win missed"
    if mistake.after and mistake.after.wins:
        return "loss allowed"
    turn = len(mistake.moves) % 2
    game, state = new_game(rules_of(size, rule), turn if rule & RENJU else -1), new_state()
    load(game, state, cells_after(mistake.moves, size))
    mine, theirs = state[0].cell_pattern[mistake.before.move] >= THREE_CELL
    return "attack missed" if mine else "defence missed" if theirs else "quiet"


def phase_of(mistake: Judged) -> str:
    """The part of the game by the marks on the board."""
    return next(name for most, name in PHASES if len(mistake.moves) <= most)


def played_again(mistake: Judged, own: Ask, judge: Ask, size: int, rule: int) -> str:
    """What the first program plays in the position of its mistake, as the judge sees it: one of ``OUTCOMES``."""
    move = own(mistake.moves).move
    if move == mistake.move:
        return "the same"
    moves = (*mistake.moves, move)
    over = move == mistake.before.move or completes(size, rule, moves)
    other = mistake._replace(move=move, after=None if over else judge(moves))
    return "another mistake" if other.is_mistake else "no mistake"


def table(head: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[object]]]) -> None:
    """Print a table for a Markdown page."""
    print(f"\n| {head} | {' | '.join(columns)} |\n| --- |{' ---: |' * len(columns)}")
    for name, cells in rows:
        print(f"| {name} | {' | '.join(map(str, cells))} |")


def show_whose(games: Sequence[Sequence[Judged]]) -> None:
    """Print how many mistakes either program made."""
    rows = []
    for own in (True, False):
        for won in (False, True):
            moves = [[each for each in game if each.own == own] for game in games if game[0].won == won]
            falls = [each.fall for game in moves for each in game if each.is_mistake]
            name = f"{'first' if own else 'second'} program, where the first {'won' if won else 'lost'}"
            count = max(1, len(moves))
            cells = (len(moves), sum(map(len, moves)), len(falls), f"{len(falls) / count:.2f}")
            rows.append((name, (*cells, f"{sum(falls) / count:.2f}")))
    table("whose mistakes", ("games", "moves", "mistakes", "a game", "chance lost by them, a game"), rows)


def show_sorted(head: str, sorts: Sequence[str], of: dict[Judged, str], found: dict[Judged, list[str]]) -> None:
    """Print the mistakes of each sort, and what the first program plays in place of its own, when asked again."""
    rows = []
    for sort in sorts:
        own = [each for each in found if of[each] == sort]
        won = sum(each.won for each in own)
        asked = [Counter(outcomes) for outcomes in zip(*(found[each] for each in own), strict=True)]
        shares = [" / ".join(str(count[outcome]) for outcome in OUTCOMES) for count in asked] or ["", ""]
        rows.append((sort, (len(own) - won, won, list(of.values()).count(sort) - len(own), *shares)))
    columns = ("first's, games lost", "games won", "second's", "first asked again", f"with {MORE} times the nodes")
    table(head, columns, rows)


def main(words: Sequence[str] | None = None) -> int:
    """Judge the games and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m training.mistakes", description=__doc__.split("\n")[0])
    parser.add_argument("games", type=Path, help="file that training.match --record has written")
    parser.add_argument("judge", help="the command of the judge")
    parser.add_argument("--judge-nodes", type=int, default=600_000, help="its positions for a move (600000)")
    parser.add_argument("--nodes", type=int, default=60_000, help="of the first program in the match (60000)")
    parser.add_argument("--record", type=Path, default=Path("judged.jsonl"), help="file of answers (judged.jsonl)")
    parser.add_argument("--pause-ms", type=int, default=PAUSE_MS, help="from an answer to the next question (100)")
    chosen = parser.parse_args(words)
    conditions, *lines = map(json.loads, chosen.games.read_text("utf-8").splitlines())
    size, rule, first = conditions["size"], conditions["rule"], conditions["first"]
    limits = ((chosen.judge, chosen.judge_nodes), (first, chosen.nodes), (first, MORE * chosen.nodes))
    programs = [Thinker(command, TURN_MS, 0, chosen.pause_ms, nodes) for command, nodes in limits]
    record = Record(chosen.record)
    judge, own, more = (record.asker(program, size, rule) for program in programs)
    try:
        games = list(judged_moves(lines, size, judge))
        mistakes = [each for game in games for each in game if each.is_mistake]
        found = {
            each: [played_again(each, ask, judge, size, rule) for ask in (own, more)] for each in mistakes if each.own
        }
    finally:
        for program in programs:
            program.close()
    show_whose(games)
    show_sorted("kind", KINDS, {each: kind_of(each, size, rule) for each in mistakes}, found)
    show_sorted("marks", [name for _, name in PHASES], {each: phase_of(each) for each in mistakes}, found)
    print(f"\nFirst asked again: {' / '.join(OUTCOMES)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
