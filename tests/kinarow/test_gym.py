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
from benchmarks.easy_questions import steps_per_second  # noqa: E402
from kinarow.gym import KinarowEnv, KinarowVectorEnv  # noqa: E402

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
    """Alone and among many; the opponent answers first where it is to move."""
    options = {"moves": moves}
    single, many = (
        KinarowEnv("connect-four", agent_begins=agent_begins),
        KinarowVectorEnv(2, "connect-four", agent_begins=agent_begins),
    )
    observation = single.reset(seed=3, options=options)[0]
    own = (len(moves) + 1) // 2 if agent_begins else len(moves) // 2
    assert (np.count_nonzero(observation == 1), np.count_nonzero(observation == -1)) == (own, own + (not agent_begins))
    assert single.position.to_move == single.side
    assert np.array_equal(many.reset(seed=[3, 4], options=options)[0][0], observation)
    with pytest.raises(kinarow.InputError, match="over"):
        single.reset(options={"moves": "1212121"})
    many.close()


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


@pytest.mark.parametrize("make", [KinarowEnv, lambda game, **wrong: KinarowVectorEnv(2, game, **wrong)])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("opponent_lvl", 9), ("first", "O"), ("reward", "values"), ("reward", ["value"]),
        ("opponent_level", 11), ("opponent_level", "9"),
        ("opponent_seed", -1), ("agent_begins", "yes"), ("max_nodes", 0), ("max_nodes", "many"),
        ("render_mode", "human"), ("goal", "4"), ("wrap", "rings"),
    ],
)  # fmt: skip
def test_an_option_that_is_wrong_is_refused_when_the_environment_is_made(make, name, value):
    with pytest.raises((TypeError, kinarow.InputError), match=name.removeprefix("opponent_")):
        make("connect-four", **{name: value})


def test_other_wrong_arguments_are_refused():
    for env, action in ((KinarowEnv("connect-four"), 1.5), (KinarowVectorEnv(2, "connect-four"), [1, 1.5])):
        with pytest.raises(TypeError, match="unexpected keyword 'sed'"):
            env.reset(options={"sed": 1})
        env.reset(seed=1)
        with pytest.raises(TypeError):
            env.step(action)
    for wrong in (["a", "b"], [1], 1, [[1], [2]], [1, 2, 3]):
        with pytest.raises(TypeError, match="2 actions are an array of as many whole numbers, not"):
            env.step(wrong)
    with pytest.raises(gymnasium.error.ResetNeeded):
        KinarowEnv("connect-four").step(3)
    with pytest.raises(gymnasium.error.Error, match="Seed must be a python integer"):
        env.reset(seed=1.5)
    assert KinarowEnv("connect-four", agent_begins=np.False_).reset(seed=1)[0].any()
    for boards, wrong in ((0, kinarow.InputError), (1.5, TypeError)):
        with pytest.raises(wrong, match="num_envs"):
            KinarowVectorEnv(boards, "connect-four")
    with pytest.raises(kinarow.InputError, match="1 seeds for 2 boards"):
        KinarowVectorEnv(2, "connect-four").reset(seed=[1])
    with pytest.raises(kinarow.InputError, match="chess"):
        KinarowEnv("chess")


def same(one, two):
    """Whether two dictionaries of arrays are equal."""
    return one.keys() == two.keys() and all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("tic-tac-toe", {}),
        ("tic-tac-toe", {"reward": "value", "opponent_level": 4}),
        ("connect-four", {"max_nodes": 300, "reward": "value"}),
        ("connect-four", {"max_nodes": 300, "opponent_level": 2, "agent_begins": True}),
        ("renju", {"max_nodes": 50, "opponent_level": 2, "agent_begins": False}),
        ("qubic", {"max_nodes": 50, "opponent_seed": 3}),
    ],
    ids=str,
)
def test_a_vector_environment_does_what_single_ones_do(game, options):
    """With the same seeds and actions, one in ten of them illegal, also after boards began anew."""
    options = {"agent_begins": None, "render_mode": "ansi"} | options
    many = gymnasium.make_vec(f"kinarow/{game}-v0", num_envs=5, **options)
    assert isinstance(many.unwrapped, KinarowVectorEnv)
    single = gymnasium.make_vec(f"kinarow/{game}-v0", num_envs=5, vectorization_mode="sync", **options)
    assert (many.observation_space, many.action_space) == (single.observation_space, single.action_space)
    source, ended = np.random.default_rng(1), 0
    (observed, infos), (expected, expected_infos) = many.reset(seed=7), single.reset(seed=7)
    for _ in range(30 if game != "renju" else 6):
        assert np.array_equal(observed, expected)
        assert observed.dtype == expected.dtype
        assert same(infos, expected_infos)
        chances = source.random(infos["action_mask"].shape)
        actions = (chances * (infos["action_mask"] + 0.05)).argmax(axis=1)
        observed, *results, infos = many.step(actions)
        expected, *expected_results, expected_infos = single.step(actions)
        for result, wanted in zip(results, expected_results, strict=True):
            assert np.array_equal(result, wanted)
        assert list(many.render()) == list(single.render())
        ended += int(results[1].sum())
    assert ended or game == "renju"
    many.close()
    single.close()


def test_a_vector_environment_forgets_positions_when_there_are_many(monkeypatch):
    monkeypatch.setattr(kinarow.gym, "MOST_POSITIONS", 20)
    test_a_vector_environment_does_what_single_ones_do("tic-tac-toe", {})


@pytest.mark.slow
@pytest.mark.alone
def test_sixty_four_boards_make_ten_times_the_steps_of_one():
    assert steps_per_second("tic-tac-toe", 64) > 10 * steps_per_second("tic-tac-toe", 1)
