"""Measures easy questions: single calls on Connect Four with 30 marks, and steps of the Gymnasium environment.

    python -m benchmarks.easy_questions

The first line counts calls of kinarow's functions in an uncached ``POST /move`` of a 3 × 3 board. All other rows are
processor times of one process. A row in microseconds is the median over positions of the least time of several calls,
for kinarow and for BitBully. The time of a step is the mean over random games.
"""

import argparse
import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import kinarow

MARKS = 30
POSITIONS = 25
ROUNDS = 12
BOOK_MARKS = 6
STEPS = 300
SEED = 36
GAME = "connect-four"


def games(marks: int, count: int = POSITIONS) -> list[str]:
    """Return random unfinished games of ``marks`` moves without an immediate win."""
    from kinarow.game.tactics import winning_moves

    source, found = random.Random(SEED), []
    while len(found) < count:
        position, moves = kinarow.Position.empty(kinarow.PRESETS[GAME]), ""
        while len(moves) < marks and position.ending().state == "ongoing":
            cell = source.choice(position.legal_moves())
            position, moves = position.play(cell), moves + str(cell % 7 + 1)
        if position.ending().state == "ongoing" and not winning_moves(position):
            found.append(moves)
    return found


def microseconds(call: Callable[[Any], object], prepare: Callable[[str], Any], moves: Iterable[str]) -> float:
    """Return the median over games of the least processor time of a call; each call gets a new argument."""
    least = []
    for game in moves:
        arguments = [prepare(game) for _ in range(ROUNDS)]
        times = []
        for argument in arguments:
            began = time.process_time_ns()
            call(argument)
            times.append(time.process_time_ns() - began)
        least.append(min(times) / 1000)
    return statistics.median(least)


def step_ms(**options: Any) -> float:
    """Return the mean processor time of a step with random legal actions, in milliseconds."""
    import gymnasium

    import kinarow.gym  # noqa: F401 - registers the environments

    env = gymnasium.make(f"kinarow/{GAME}-v0", disable_env_checker=True, **options).unwrapped
    source = random.Random(SEED)

    def play(steps: int) -> int:
        spent = made = 0
        for number in itertools.count():
            env.reset(seed=number)
            over = False
            while not over:
                actions = env.action_masks().nonzero()[0].tolist()
                began = time.process_time_ns()
                over = env.step(source.choice(actions))[2]
                spent += time.process_time_ns() - began
                made += 1
                if made == steps:
                    return spent
        raise AssertionError

    play(STEPS // 3)
    return play(STEPS) / STEPS / 1_000_000


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(
        prog="python -m benchmarks.easy_questions", description=(__doc__ or "").split("\n")[0]
    ).parse_args()
    calls = calls_of_a_new_move()
    print(
        f"a new move: {calls.all} calls, {calls.of_service} of service and contract, {calls.depth} frames to a kernel"
    )
    late, opening = games(MARKS), games(BOOK_MARKS)

    def position(moves: str) -> kinarow.Position:
        return kinarow.Position.from_moves(moves, game=GAME)

    def text(moves: str) -> str:
        return moves

    rows: list[tuple[str, Callable[[Any], object], Callable[[str], Any], list[str]]] = [
        ("best_move(position)", kinarow.best_move, position, late),
        ("best_move(moves=…, game=…)", lambda moves: kinarow.best_move(moves=moves, game=GAME), text, late),
        ("analyse(position)", kinarow.analyse, position, late),
        ("in the book, level 10", kinarow.best_move, position, opening),
        ("in the book, level 3", lambda place: kinarow.best_move(place, level=3, seed=1), position, opening),
        *bitbully(late),
    ]
    for name, call, prepare, chosen in rows:
        microseconds(call, prepare, chosen[:3])
        print(f"{name:40} {microseconds(call, prepare, chosen):8.1f} µs", flush=True)
    for name, options in (
        ("Gymnasium step, level 10", {}),
        ("Gymnasium step, level 3", {"opponent_level": 3}),
        ("Gymnasium step, level 3, value", {"opponent_level": 3, "reward": "value"}),
    ):
        print(f"{name:40} {step_ms(**options):8.2f} ms", flush=True)


class Calls(NamedTuple):
    """Calls of kinarow's functions in all, calls in service and contract, and frames from the view to a kernel."""

    all: int
    of_service: int
    depth: int


def calls_of_a_new_move() -> Calls:
    """Count the calls of one ``POST /move`` in a warm app, without comprehensions."""
    from service.app import create_app
    from service.searches import limiter
    from service.settings import default_settings

    client = create_app(default_settings(log_level="error")).test_client()
    bodies = [json.dumps({"board": board, "to_move": "O"}) for board in ("XO./..X/...", "X.O/.X./...")]
    answers = [client.post("/move", data=bodies[0], content_type="application/json")]
    found: list[str] = []
    frames: int = 0
    deepest = 0
    root = str(Path(__file__).parents[1])

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal frames, deepest
        code = frame.f_code
        if event in ("call", "return") and code.co_filename.startswith((f"{root}/kinarow/", f"{root}/service/")):
            in_view = frames or code.co_filename.startswith(f"{root}/service/routes/")
            frames += in_view and (1 if event == "call" else -1)
            if code.co_filename == f"{root}/kinarow/kernels/shared_library.py" and code.co_name == "__call__":
                deepest = max(deepest, frames)
            if event == "call" and code.co_name not in ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"):
                found.append(code.co_filename.removeprefix(root))

    time_limit, limiter.TRY_NS = limiter.TRY_NS, 10**9  # the profiler makes everything slower
    try:
        sys.setprofile(note)
        answers.append(client.post("/move", data=bodies[1], content_type="application/json"))
    finally:
        sys.setprofile(None)
        limiter.TRY_NS = time_limit
    assert all(answer.json is not None and not answer.json["search"]["cached"] for answer in answers)
    of_service = sum(file.startswith(("/service/", "/kinarow/contract/")) for file in found)
    return Calls(len(found), of_service, deepest)


def bitbully(late: list[str]) -> list[tuple[str, Callable[[Any], object], Callable[[str], Any], list[str]]]:
    """Return BitBully's rows: best move of a ready position, best move from moves, and all moves."""
    from bitbully import BitBully, Board

    agent = BitBully()

    def board(moves: str) -> Any:
        return Board([int(move) - 1 for move in moves])

    def text(moves: str) -> str:
        return moves

    return [
        ("BitBully: best move, position ready", agent.best_move, board, late),
        ("BitBully: best move from moves", lambda moves: agent.best_move(board(moves)), text, late),
        ("BitBully: all moves, position ready", agent.score_all_moves, board, late),
    ]


if __name__ == "__main__":
    main()
