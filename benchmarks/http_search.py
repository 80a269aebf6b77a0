"""Measures what ``POST /move`` adds to a search: the same positions through a server and in this process.

    python -m benchmarks.http_search [--count 40]

Uncached random positions are sent one after the other on a kept-alive connection, alternating with searches in this
process with the server's default limits. The result is the median of the differences; it should stay under 2 ms.
"""

import argparse
import http.client
import json
import random
import statistics
import time
from collections.abc import Sequence

from kinarow.game.notation import side_name
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search, warm_up
from kinarow.search_types import Limits
from service.settings import Settings
from tests.support.server import Server

COUNT = 40
GAMES = {
    "tic-tac-toe": (Rules(3, 3, 3), 0),
    "4 × 4 goal 4": (Rules(4, 4, 4), 4),
    "Connect Four, 16 marks": (Rules(6, 7, 4, gravity=True), 16),
    "Connect Four, 24 marks": (Rules(6, 7, 4, gravity=True), 24),
    "6 × 6 goal 5": (Rules(6, 6, 5), 6),
}


def positions(rules: Rules, marks: int, count: int) -> list[Position]:
    """Return at most ``count`` different ongoing positions after ``marks`` random moves or up to two more."""
    chance = random.Random(f"{rules} {marks}")
    found: dict[bytes, Position] = {}
    for _ in range(20 * count):
        position = Position.empty(rules)
        for _ in range(marks + chance.randrange(3)):
            if position.ending().state == "ongoing":
                position = position.play(chance.choice(position.legal_moves()))
        key, _ = position.geometry.canonical(position.cells)
        if position.ending().state == "ongoing" and len(found) < count:
            found.setdefault(key, position)
    return list(found.values())


def body_of(position: Position) -> bytes:
    """Return the body of ``POST /move`` for a position."""
    rules = position.rules
    question = {
        "board": position.board,
        "to_move": side_name(position.to_move),
        "goal": rules.goal,
        "gravity": rules.gravity,
    }
    return json.dumps(question).encode()


def ask(connection: http.client.HTTPConnection, position: Position) -> float:
    """Return the milliseconds from sending a request to having read its answer.

    Raises:
        RuntimeError: the server did not search the position.
    """
    body = body_of(position)
    began = time.perf_counter()
    connection.request("POST", "/move", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    took = time.perf_counter() - began
    if answer.status != 200 or json.loads(text)["search"]["cached"]:
        raise RuntimeError(f"{answer.status}: {text.decode()}")
    return 1000 * took


def search_ms(position: Position) -> float:
    """Return the milliseconds of the search in this process."""
    limits = Limits(Settings.model_fields["default_nodes"].default)
    began = time.perf_counter()
    search(position, limits)
    return 1000 * (time.perf_counter() - began)


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.http_search", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=COUNT, help=f"positions of each game ({COUNT})")
    arguments = parser.parse_args(words)
    warm_up()
    print(f"{'median ms':26}{'search':>10}{'/move':>10}{'more':>10}{'positions':>11}")
    with Server.started(KINAROW_WORKERS="1") as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for name, (rules, marks) in GAMES.items():
            chosen = positions(rules, marks, arguments.count)
            pairs = [(search_ms(position), ask(connection, position)) for position in chosen]
            own, through = (statistics.median(column) for column in zip(*pairs, strict=True))
            more = statistics.median(served - searched for searched, served in pairs)
            print(f"{name:26}{own:10.2f}{through:10.2f}{more:10.2f}{len(pairs):11}", flush=True)
        connection.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
