"""Gymnasium's own check of every environment, and games whose rewards are known; run where gymnasium is installed."""

import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import kinarow
import kinarow_gym

warnings.simplefilter("error")
for game, rules in kinarow.PRESETS.items():
    for reward in ("result", "value"):
        env = gymnasium.make(f"kinarow/{game}-v0", opponent_level=2, max_nodes=300, reward=reward, agent_begins=None)
        check_env(env.unwrapped)
    observation, info = env.reset(seed=1)
    assert np.array_equal(info["action_mask"].astype(bool), env.unwrapped.action_masks()), game
    assert env.action_space.n == (rules.stacks if rules.gravity else rules.cells), game
    env.action_space.seed(1)
    for _ in range(8):  # proven or not, calibrated or not: what a move loses has bounds
        _, reward, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
        assert -2.0 <= reward <= 0.0, game
        assert reward in (0.0, -1.0, -2.0) or not info["proven"], game
        if over:
            break


def play(actions, **settings):
    """The rewards of these actions, and the last observation."""
    env = kinarow_gym.KinarowEnv(**settings)
    env.reset(seed=1)
    rewards = []
    for action in actions:
        observation, reward, over, _, info = env.step(action)
        rewards.append(reward)
    assert over == (not info["action_mask"].any() or "illegal" in info)
    return rewards, observation


# On a row of three cells with goal 2 the middle wins, and a corner only draws.
line = {"rows": 1, "columns": 3, "goal": 2}
assert play([1, 2], **line)[0] == [0.0, 1.0] or play([1, 0], **line)[0] == [0.0, 1.0]
assert play([0], reward="value", **line)[0] == [-1.0]
assert play([1], reward="value", **line)[0] == [0.0]
assert play([1, 1], reward="value", **line)[0] == [0.0, -2.0]

# Connect Four's estimates are not calibrated: a first move at the edge loses something between two of them.
env = kinarow_gym.KinarowEnv(rows=8, columns=8, goal=4, gravity=True, reward="value", max_nodes=100)
env.reset(seed=1)
_, reward, _, _, info = env.step(0)
assert -2.0 < reward <= 0.0
assert not info["proven"]
assert play([1, 1], **line)[0] == [0.0, -1.0]

# Two in a row lose against an opponent that goes for three; the loss is told, and both seats observe from their side.
rewards, board = play([0, 1], rows=1, columns=4, goal=1)[0], play([0], rows=1, columns=2, goal=1)[1]
assert rewards[0] == 1.0
assert board.tolist() == [[1, 0]]
second = kinarow_gym.KinarowEnv("tic-tac-toe", agent_begins=False)
assert sorted(second.reset(seed=1)[0].ravel().tolist()) == [-1] + [0] * 8


# The same seed repeats a game, other seeds vary it; a seed of the opponent's own holds in every game.
def game_of(seed, **settings):
    env = gymnasium.make("kinarow/connect-four-v0", opponent_level=1, render_mode="ansi", **settings)
    _, info = env.reset(seed=seed)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    return env.render()


assert game_of(1) == game_of(1)
assert len({game_of(seed) for seed in range(8)}) > 1
assert len({game_of(seed, opponent_seed=5) for seed in range(8)}) == 1


# What is no argument, or no value of one, is refused when the environment is made, not in the first game or never.
WRONG = [
    {"opponent_lvl": 9},
    {"first": "O"},
    {"reward": "values"},
    {"opponent_level": 11},
    {"opponent_level": "9"},
    {"opponent_seed": -1},
    {"agent_begins": "yes"},
    {"max_nodes": 0},
    {"max_nodes": "many"},
    {"render_mode": "human"},
    {"goal": "4"},
    {"wrap": "rings"},
]
for wrong in WRONG:
    try:
        kinarow_gym.KinarowEnv("connect-four", **wrong)
    except (TypeError, kinarow.InputError) as refused:
        said = str(refused)
    else:
        said = "nothing"
    (name,) = wrong
    assert name.removeprefix("opponent_") in said, (wrong, said)
print("all well")
