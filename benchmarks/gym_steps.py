"""Measures the Gymnasium environments: steps per second of a vector environment beside a single environment.

    python -m benchmarks.gym_steps --boards 64

The agent chooses legal actions at random. Each environment first plays as many steps as are measured, so a vector
environment knows the positions that games often reach, as it does in training.
"""

import argparse
import time
from typing import Any

import gymnasium
import numpy as np

import kinarow.gym  # noqa: F401 - registers the environments

CASES: list[tuple[str, dict[str, Any]]] = [
    ("tic-tac-toe", {}),
    ("tic-tac-toe", {"opponent_level": 3}),
    ("tic-tac-toe", {"reward": "value"}),
    ("connect-four", {}),
    ("connect-four", {"opponent_level": 3}),
    ("gomoku", {"max_nodes": 500}),
]
STEPS = {"tic-tac-toe": 200, "connect-four": 30, "gomoku": 8}


def steps_per_second(game: str, boards: int, **options: Any) -> float:
    """The steps per second of all boards together; a single board is a ``KinarowEnv`` without vectors."""
    name = f"kinarow/{game}-v0"
    steps = STEPS[game] * (1 if boards > 1 else 4)
    source = np.random.default_rng(1)
    if boards > 1:
        many = gymnasium.make_vec(name, num_envs=boards, **options)
        _, info = many.reset(seed=1)
        for _played in range(2):
            began = time.perf_counter()
            for _ in range(steps):
                chances = source.random(info["action_mask"].shape) * info["action_mask"]
                info = many.step(chances.argmax(axis=1))[-1]
        many.close()
        return boards * steps / (time.perf_counter() - began)
    env = gymnasium.make(name, disable_env_checker=True, **options).unwrapped
    _, info = env.reset(seed=1)
    for _played in range(2):
        began = time.perf_counter()
        for _ in range(steps):
            chances = source.random(info["action_mask"].shape) * info["action_mask"]
            _, _, over, _, info = env.step(chances.argmax())
            if over:
                _, info = env.reset()
    return steps / (time.perf_counter() - began)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gym_steps", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--boards", type=int, default=64)
    boards = parser.parse_args().boards
    print(f"{'game':14} {'options':28} {f'{boards} boards':>12} {'one board':>12} {'ratio':>6}")
    for game, options in CASES:
        many, one = steps_per_second(game, boards, **options), steps_per_second(game, 1, **options)
        said = " ".join(f"{name}={value}" for name, value in options.items())
        print(f"{game:14} {said:28} {many:10,.0f}/s {one:10,.0f}/s {many / one:6.1f}", flush=True)


if __name__ == "__main__":
    main()
