"""The Gymnasium environments, in Gymnasium."""

import random
import warnings

import numpy as np
import pytest

import kinarow
from tests.support.commands import package

gymnasium = package("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402 - Gymnasium may be missing

import kinarow.gym  # noqa: E402
from kinarow.gym import KinarowEnv  # noqa: E402

ROW_OF_THREE = {"rows": 1, "columns": 3, "goal": 2}
"""A game in which the middle wins and a corner draws."""


def made(game, **options):
    return gymnasium.make(f"kinarow/{game}-v0", **options)


@pytest.mark.parametrize("reward", ["result", "value"])
@pytest.mark.parametrize("game", kinarow.PRESETS)
def test_every_environment_passes_the_check_of_gymnasium(game, reward):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = made(game, opponent_level=2, max_nodes=300, reward=reward, agent_begins=None)
        check_env(env.unwrapped)
    _, info = env.reset(seed=1)
    rules = kinarow.PRESETS[game]
    assert np.array_equal(info["action_mask"].astype(bool), env.unwrapped.action_masks())
    assert env.action_space.n == (rules.stacks if rules.gravity else rules.cells)


@pytest.mark.parametrize(
    ("game", "fields"),
    [
        *((game, {}) for game in kinarow.PRESETS), (None, {"rows": 8, "columns": 8, "goal": 4, "gravity": True}),
        (None, {"rows": 9, "columns": 9, "goal": 5, "misere": True}),
        (None, {"rows": 7, "columns": 7, "goal": 4, "wrap": "both"}),
    ],
    ids=str,
)  # fmt: skip
def test_what_a_move_loses_has_bounds(game, fields):
    """Also where values are estimates, calibrated or not: from -2 to 0, and whole numbers where they are proven."""
    env = KinarowEnv(game, reward="value", opponent_level=1, max_nodes=200, agent_begins=None, **fields)
    source = random.Random(1)
    for seed in range(3):
        over, (_, info) = False, env.reset(seed=seed)
        for _ in range(8):
            _, reward, over, _, info = env.step(source.choice(info["action_mask"].nonzero()[0].tolist()))
            assert -2.0 <= reward <= 0.0
            assert reward in (0.0, -1.0, -2.0) or not info["proven"]
            if over:
                break


def test_an_estimate_that_is_not_calibrated_is_a_value_between_loss_and_win():
    position = kinarow.Position.from_moves("1212", rows=6, columns=7, goal=4, gravity=True, misere=True)
    results = [kinarow.best_move(position, max_nodes=10, only=[cell]) for cell in position.legal_moves()]
    values = [kinarow.gym._value(result) for result in results]
    assert None in {result.expected for result in results}
    assert -1 <= min(values) < max(values) < 1


def play(actions, **options):
    """The rewards of these actions, and the last observation."""
    env = KinarowEnv(**options)
    env.reset(seed=1)
    rewards = []
    for action in actions:
        observation, reward, over, _, info = env.step(action)
        rewards.append(reward)
    assert over == (env.position.is_over or "illegal" in info)
    assert info["action_mask"].all() or not env.position.is_over, "a masked softmax needs an action"
    return rewards, observation.tolist()


def test_rewards_that_are_known():
    """Including those of an illegal action, which loses."""
    assert play([1, 2], **ROW_OF_THREE)[0] == [0.0, 1.0] or play([1, 0], **ROW_OF_THREE)[0] == [0.0, 1.0]
    assert play([0], reward="value", **ROW_OF_THREE)[0] == [-1.0]
    assert play([1, 1], reward="value", **ROW_OF_THREE)[0] == [0.0, -2.0]
    assert play([1, 1], **ROW_OF_THREE)[0] == [0.0, -1.0]
    assert play([0], rows=1, columns=2, goal=1) == ([1.0], [[1, 0]])
    second = KinarowEnv("tic-tac-toe", agent_begins=False)
    assert sorted(second.reset(seed=1)[0].ravel().tolist()) == [-1] + [0] * 8


@pytest.mark.parametrize(("moves", "agent_begins"), [("44", True), ("443", True), ("4", False)])
def test_a_game_begins_from_the_moves_of_the_options(moves, agent_begins):
    """Let the opponent answer first where it is to move."""
    env = KinarowEnv("connect-four", agent_begins=agent_begins)
    observation = env.reset(seed=3, options={"moves": moves})[0]
    own = (len(moves) + 1) // 2 if agent_begins else len(moves) // 2
    assert (np.count_nonzero(observation == 1), np.count_nonzero(observation == -1)) == (own, own + (not agent_begins))
    assert env.position.to_move == env.side
    with pytest.raises(kinarow.InputError, match="over"):
        env.reset(options={"moves": "1212121"})


def board_after(seed, **options):
    env = made("connect-four", opponent_level=1, render_mode="ansi", **options)
    over, (_, info) = False, env.reset(seed=seed)
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    return env.render()


def test_a_seed_repeats_a_game_and_others_vary_it():
    assert board_after(1) == board_after(1)
    assert len({board_after(seed) for seed in range(8)}) > 1
    assert len({board_after(seed, opponent_seed=5) for seed in range(8)}) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("opponent_lvl", 9), ("first", "O"), ("reward", "values"), ("reward", ["value"]),
        ("opponent_level", 11), ("opponent_level", "9"),
        ("opponent_seed", -1), ("agent_begins", "yes"), ("max_nodes", 0), ("max_nodes", "many"),
        ("render_mode", "human"), ("goal", "4"), ("wrap", "rings"),
    ],
)  # fmt: skip
def test_an_option_that_is_wrong_is_refused_when_the_environment_is_made(name, value):
    with pytest.raises((TypeError, kinarow.InputError), match=name.removeprefix("opponent_")):
        KinarowEnv("connect-four", **{name: value})


def test_other_wrong_arguments_are_refused():
    env = KinarowEnv("connect-four")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(3)
    with pytest.raises(TypeError, match="unexpected keyword 'sed'"):
        env.reset(options={"sed": 1})
    with pytest.raises(gymnasium.error.Error, match="Seed must be a python integer"):
        env.reset(seed=1.5)
    env.reset(seed=1)
    for wrong in (1.5, "a", [1], True, None):
        with pytest.raises(TypeError, match="an action is a whole number, not"):
            env.step(wrong)
    assert KinarowEnv("connect-four", agent_begins=np.False_).reset(seed=1)[0].any()
    with pytest.raises(kinarow.InputError, match="chess"):
        KinarowEnv("chess")


def test_many_games_at_once_are_those_of_single_environments():
    """Board ``i`` has the seed ``s + i``."""
    many = gymnasium.make_vec("kinarow/tic-tac-toe-v0", 3, "sync", agent_begins=None, reward="value")
    singles = [made("tic-tac-toe", agent_begins=None, reward="value") for _ in range(3)]
    observed, info = many.reset(seed=7)
    expected = [env.reset(seed=7 + board) for board, env in enumerate(singles)]
    assert observed.tolist() == [each[0].tolist() for each in expected]
    observed, rewards, *_ = many.step(info["action_mask"].argmax(axis=1))
    stepped = [env.step(each[1]["action_mask"].argmax()) for env, each in zip(singles, expected, strict=True)]
    assert observed.tolist() == [each[0].tolist() for each in stepped]
    assert rewards.tolist() == [each[1] for each in stepped]
    many.close()
