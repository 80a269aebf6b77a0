"""Asks a kinarow service from Python with nothing but the standard library.

python clients/python/example.py [http://127.0.0.1:8000]

prints the best move of a position, then a game of Connect Four between two playing levels and what it was worth.
"""

import json
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from typing import Any

TRIES = 3


class Refused(Exception):
    """The service said no; ``problem`` is its problem document (RFC 9457)."""

    def __init__(self, problem: dict[str, Any]) -> None:
        self.problem = problem
        errors = "; ".join(f"{error['pointer']}: {error['detail']}" for error in problem.get("errors", []))
        super().__init__(errors or problem.get("detail") or problem.get("title"))


def ask(url: str, path: str, request: dict[str, Any]) -> Any:
    """The answer to a POST request; if the service is busy, it is sent again after the time that the service names.

    Raises:
        Refused: the request is wrong, or the service stayed busy.
        OSError: the service cannot be reached.
    """
    body = json.dumps(request).encode()
    for attempt in range(1, TRIES + 1):
        question = urllib.request.Request(url + path, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(question, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or attempt == TRIES:
                raise Refused(json.load(error)) from None
            time.sleep(int(error.headers.get("Retry-After", "1")))
    raise AssertionError("the last try returns or raises")


def show_best_move(url: str) -> None:
    """The best move for O, and why."""
    answer = ask(url, "/move", {"board": ["XX.", ".O.", "..."]})
    print(f"{answer['to_move']} plays tile {answer['move']['tile']}: {answer['outcome']} in {answer['distance']} plies")
    for reason in answer["reasons"]:
        print(f"  {reason['code']} {[cell['tile'] for cell in reason['cells']]}")


def play(url: str, x_level: int, o_level: int, seed: int) -> list[int]:
    """A game of Connect Four between two levels, its moves by their tiles; the seed makes it the same every time."""
    board, side, tiles = ["......."] * 6, "X", []
    while True:
        level = x_level if side == "X" else o_level
        request = {"board": board, "game": "connect-four", "to_move": side, "level": level, "seed": seed}
        answer = ask(url, "/move", request)
        board, side = answer["board"], "O" if side == "X" else "X"
        tiles.append(answer["move"]["tile"])
        if answer["after"]["state"] != "ongoing":
            break
    print("\n".join(board))
    winner = answer["after"]["winner"]
    print(f"{winner} (level {x_level if winner == 'X' else o_level}) wins" if winner else "a draw")
    return tiles


def show_grades(url: str, tiles: list[int]) -> None:
    """How often each grade was given in the second half of a game, where most positions can be solved."""
    request = {"game": "connect-four", "moves": tiles, "max_nodes": 20_000}
    grades = Counter(move["grade"] for move in ask(url, "/review", request)["moves"][len(tiles) // 2 :])
    print("grades: " + ", ".join(f"{count} {grade}" for grade, count in sorted(grades.items())))


def main() -> int:
    """Ask the service named on the command line."""
    url = (sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000").rstrip("/")
    try:
        show_best_move(url)
        show_grades(url, play(url, x_level=2, o_level=8, seed=1))
    except Refused as error:
        print(f"The service refused: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"No service at {url}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
