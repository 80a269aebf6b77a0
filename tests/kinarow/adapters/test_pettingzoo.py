"""kinarow in PettingZoo's games, with PettingZoo as the judge of the rules."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import kinarow
from kinarow.adapters.pettingzoo import best_action, position_of
from tests.support.commands import package

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pettingzoo = package("pettingzoo")

GAMES = {"connect-four": "classic/connect_four-v3", "tic-tac-toe": "classic/tictactoe-v3"}


def made(game):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = pettingzoo.make("aec", GAMES[game])
    env.reset(seed=1)
    return env


@pytest.mark.parametrize("game", GAMES)
def test_both_agree_about_every_position_of_a_game(game):
    """On the legal actions, the end and the winner, in games by chance."""
    source = np.random.default_rng(1)
    for _ in range(4):
        env = made(game)
        first, second = env.possible_agents
        while not any(env.terminations.values()):
            agent = env.agent_selection
            position = position_of(env, agent)
            assert position.ending().state == "ongoing"
            assert position.to_move == (kinarow.X if agent == first else kinarow.O)
            mask = env.observe(agent)["action_mask"].astype(bool)
            legal = {best_action_of(position, cell) for cell in position.legal_moves()}
            assert legal == set(mask.nonzero()[0].tolist())
            env.step(int(source.choice(mask.nonzero()[0])))
        loser = first if env.rewards[first] < 0 else second
        ending = position_of(env, loser).ending()
        assert ending.winner == {1: kinarow.X, 0: None, -1: kinarow.O}[env.rewards[first]]


def best_action_of(position, cell):
    """PettingZoo counts the cells of tic-tac-toe column by column."""
    row, column = divmod(cell, position.rules.columns)
    return column if position.rules.gravity else column * 3 + row


@pytest.mark.parametrize("game", GAMES)
def test_kinarow_never_loses_to_chance(game):
    env = made(game)
    source = np.random.default_rng(2)
    mine = env.possible_agents[0]
    while not any(env.terminations.values()):
        agent = env.agent_selection
        legal = env.observe(agent)["action_mask"].nonzero()[0]
        env.step(best_action(env, agent, max_nodes=5_000) if agent == mine else int(source.choice(legal)))
    assert env.rewards[mine] >= 0
    with pytest.raises(kinarow.PositionError, match="over"):
        best_action(env, env.possible_agents[1 if env.rewards[mine] > 0 else 0])


def test_a_wrapper_whose_observation_is_an_array_changes_nothing():
    class Wrapper(pettingzoo.utils.BaseWrapper):
        def observe(self, agent):
            return super().observe(agent)["observation"]

    env = made("tic-tac-toe")
    agent = env.agent_selection
    assert best_action(Wrapper(env), agent, seed=1) == best_action(env, agent, seed=1)


def test_another_game_is_refused():
    with pytest.raises(kinarow.InputError, match="not 'chess_v6'"):
        position_of(SimpleNamespace(metadata={"name": "chess_v6"}), "player_1")
