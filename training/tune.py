"""Tunes the numbers of the large-board search by self-play at a fixed number of nodes, the same on every machine.

    python -m training.tune --minutes 60 --state tune.json

Step by step one tunable is moved up or down and meets the best numbers so far over balanced openings. A step is
kept when a sequential test prefers "stronger by ``--elo``" to "no stronger" at 95 %, and dropped when it is the
other way round or the games are used up. The state is written after every step, so that a run goes on where it
was ended. At the end the best numbers meet the defaults in games that tuning has not seen, and the verdict is
printed: what is better belongs into ``DEFAULTS`` of ``tunables``.
"""

import argparse
import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kinarow.solvers.large_boards.board.tunables import DEFAULTS
from training.arena import Game, Tally, elo, match, pairings, play, read_openings
from training.kernel_player import KernelPlayer

SIZE = 15
SURE = math.log(0.95 / 0.05)
FIRST_STEP = 0.25
"""A tunable is first moved by this part of its value, and by less once neither way has helped."""

LEAST_STEP = 0.06
VERDICT_NODES_FACTOR = 1.5
"""The verdict is played at other nodes than the tuning, so that its games are different ones."""

ALIKE_PAIRS = 30
"""After so many pairs of games, each the same for both colours, a step changes nothing that games would show."""
MOST_PROPOSALS = 1000
"""Where all of so many were tried before, one is tried again."""

FIXED_AT_ZERO = ("pattern_points", (0,))


class Step(NamedTuple):
    """A change to try: which number, from what to what."""

    name: str
    place: tuple[int, ...]
    old: int
    new: int

    def __str__(self) -> str:
        where = "".join(f"[{index}]" for index in self.place)
        return f"{self.name}{where} {self.old} -> {self.new}"


def places(value: Any, at: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The places of all numbers of a tunable, which is a number or nested sequences of them."""
    if isinstance(value, int):
        yield at
    else:
        for index, part in enumerate(value):
            yield from places(part, (*at, index))


def number_at(value: Any, place: Sequence[int]) -> int:
    """The number at a place."""
    for index in place:
        value = value[index]
    return int(value)


def with_number(value: Any, place: Sequence[int], new: int) -> Any:
    """The tunable with another number at a place, as tuples."""
    if not place:
        return new
    return tuple(with_number(part, place[1:], new) if index == place[0] else part for index, part in enumerate(value))


def likelihood(tally: Tally, target: float) -> float:
    """The logarithm of how much better the results fit "stronger by so much Elo" than "equal".

    Wins and losses alone count: a draw says the same of both.
    """
    chance = 1 / (1 + 10 ** (-target / 400))
    return tally.wins * math.log(chance / 0.5) + tally.losses * math.log((1 - chance) / 0.5)


class Tuner:
    """The state of a tuning: the best numbers so far and how far each is moved next.

    Args:
        path: where it is kept.
        nodes: nodes a move.
        games: games of a step at most.
        target: the Elo that a step must be worth.
        names: the tunables to move.
    """

    def __init__(self, path: Path, nodes: int, games: int, target: float, names: Sequence[str]) -> None:
        self._path = path
        self._nodes, self._games, self._target = nodes, games, target
        self._names = list(names)
        self.best: dict[str, Any] = {}
        self.steps = 0
        self._sizes: dict[str, float] = {}
        self._dropped: list[str] = []
        if path.exists():
            state = json.loads(path.read_text("utf-8"))
            self.best, self.steps, self._sizes = state["best"], state["steps"], state["sizes"]
            self._dropped = state.get("dropped", [])

    def save(self) -> None:
        """Write the state, whole or not at all."""
        state = {"best": self.best, "steps": self.steps, "sizes": self._sizes, "dropped": self._dropped}
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(state, indent=1), "utf-8")
        fresh.replace(self._path)

    def propose(self) -> Step:
        """The next change to try; it depends on the steps so far alone."""
        rng = random.Random(self.steps)
        proposals = 0
        while True:
            name = rng.choice(self._names)
            value = self.best.get(name, DEFAULTS[name])
            place = rng.choice(list(places(value)))
            if (name, place[:1]) == FIXED_AT_ZERO:
                continue
            old = number_at(value, place)
            size = self._sizes.get(_label(name, place), FIRST_STEP)
            new = old + rng.choice((-1, 1)) * max(1, round(abs(old) * size))
            step = Step(name, place, old, new)
            proposals += 1
            if new != old and (str(step) not in self._dropped or proposals > MOST_PROPOSALS):
                return step

    def try_step(self, step: Step, until: float, say: Callable[[str], None]) -> None:
        """Play a step against the best numbers so far and keep it or not."""
        value = self.best.get(step.name, DEFAULTS[step.name])
        changed = {**self.best, step.name: with_number(value, step.place, step.new)}
        tally = Tally()
        openings = read_openings(SIZE)
        random.Random(self.steps).shuffle(openings)
        players = KernelPlayer(self._nodes, **changed), KernelPlayer(self._nodes, **self.best)
        before: tuple[int, ...] = ()
        differ = False
        for number, opening, first_begins in pairings(openings, self._games):
            for player in players:
                player.begin_game(number, len(openings))
            game = play(*players, SIZE, False, opening, first_begins)
            tally = tally.plus(game.result)
            differ = differ or (number % 2 == 1 and game.moves != before)
            before = game.moves
            if number % 2 and abs(likelihood(tally, self._target)) >= SURE:
                break
            if number + 1 == 2 * ALIKE_PAIRS and not differ:
                break
            if time.monotonic() > until:
                return
        kept = likelihood(tally, self._target) >= SURE
        label = _label(step.name, step.place)
        if kept:
            self.best = changed
            self._dropped.clear()
        else:
            self._dropped.append(str(step))
            self._sizes[label] = max(LEAST_STEP, self._sizes.get(label, FIRST_STEP) * 0.7)
        self.steps += 1
        self.save()
        say(f"step {self.steps}: {step}: {tally}: {'kept' if kept else 'dropped'}")

    def verdict(self, games: int, say: Callable[[str], None]) -> str:
        """The best numbers against the defaults, in games that no step has played."""
        if not self.best:
            return "no step was kept: the defaults stand"
        nodes = int(self._nodes * VERDICT_NODES_FACTOR)

        def report(number: int, game: Game, tally: Tally) -> None:
            if number % 20 == 19:
                say(f"verdict after {number + 1} games: {tally}")

        players = KernelPlayer(nodes, **self.best), KernelPlayer(nodes)
        tally = match(*players, games, SIZE, report=report)
        low, high = tally.interval()
        word = "stronger" if low > 0.5 else "weaker" if high < 0.5 else "not shown to be stronger"
        return f"the tuned numbers are {word} than the defaults: {tally}\n{json.dumps(self.best)}"


def _label(name: str, place: Sequence[int]) -> str:
    return ".".join([name, *map(str, place)])


def main(words: Sequence[str] | None = None) -> int:
    """Tune for so many minutes, then judge."""
    parser = argparse.ArgumentParser(prog="python -m training.tune", description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60, help="how long to tune (60)")
    parser.add_argument("--state", type=Path, default=Path("tune.json"), help="the file to go on from")
    parser.add_argument("--nodes", type=int, default=3000, help="nodes a move (3000)")
    parser.add_argument("--games", type=int, default=400, help="games of a step at most (400)")
    parser.add_argument("--elo", type=float, default=25, help="what a step must be worth (25)")
    parser.add_argument("--verdict-games", type=int, default=120, help="games against the defaults (120)")
    parser.add_argument("--only", nargs="+", choices=sorted(DEFAULTS), help="the tunables to move (all)")
    arguments = parser.parse_args(words)
    tuner = Tuner(arguments.state, arguments.nodes, arguments.games, arguments.elo, arguments.only or sorted(DEFAULTS))

    def say(line: str) -> None:
        print(line, flush=True)

    say(f"a step is kept at a score near {1 / (1 + 10 ** (-arguments.elo / 400)):.3f} (Elo {elo(0.5):+.0f} is level)")
    until = time.monotonic() + arguments.minutes * 60
    while time.monotonic() < until:
        tuner.try_step(tuner.propose(), until, say)
    say(tuner.verdict(arguments.verdict_games, say))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
