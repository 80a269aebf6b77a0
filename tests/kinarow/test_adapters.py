"""The adapters to OpenSpiel and PettingZoo agree with them about every position."""

import random
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import kinarow
from kinarow.adapters import pettingzoo as adapter
from tests.support.commands import package

pyspiel = package("pyspiel")

from kinarow.adapters.open_spiel import KinarowBot, position_of  # noqa: E402 - pyspiel may be missing

GAMES = [
    "tic_tac_toe", "connect_four", "connect_four(rows=5,columns=6,x_in_row=3)", "mnk(m=5,n=4,k=4)", "mnk(m=3,n=5,k=3)",
    "mnk(n=6)",
    "gomoku(size=7,connect=4)", "gomoku(size=6,connect=4,wrap=true)", "gomoku(size=6,connect=4,anti=true)",
    "gomoku(size=4,connect=3,dims=3)", "misere(game=tic_tac_toe())", "misere(game=gomoku(size=5,connect=4,anti=true))",
    "start_at(game=connect_four(),history=3;3;0)", "cached_tree(game=tic_tac_toe())", "zerosum(game=mnk(m=4,n=3,k=3))",
    "start_at(history=6;5,game=misere(game=start_at(history=3;3,game=connect_four(rows=5))))",
]  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_both_agree_about_every_position_of_a_game(name):
    """On the legal actions, the end and the winner, in games by chance."""
    source = random.Random(name)
    for _ in range(4):
        state = pyspiel.load_game(name).new_initial_state()
        while True:
            position = position_of(state)
            ending = position.ending()
            assert (ending.state != "ongoing") == state.is_terminal()
            if state.is_terminal():
                assert state.returns()[0] == {None: 0, kinarow.X: 1, kinarow.O: -1}[ending.winner]
                break
            assert len(position.legal_moves()) == len(state.legal_actions())
            state.apply_action(source.choice(state.legal_actions()))


@pytest.mark.parametrize(("name", "result"), [("tic_tac_toe", 0), ("connect_four(rows=5,columns=4,x_in_row=3)", 1)])
def test_the_bot_plays_the_best_move(name, result):
    """The known results of these games, against itself."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    assert pyspiel.evaluate_bots(state, [KinarowBot(game), KinarowBot(game, seed=1)], 1)[0] == result
    misere = pyspiel.load_game("misere(game=tic_tac_toe())")
    won = pyspiel.load_game("start_at(game=connect_four(),history=3;3;2;2)")
    for game, expected in ((misere, 0), (won, 1)):
        state = game.new_initial_state()
        assert pyspiel.evaluate_bots(state, [KinarowBot(game), KinarowBot(game, seed=1)], 1)[0] == expected
    with pytest.raises(kinarow.PositionError, match="over"):
        KinarowBot(game).step(state)


@pytest.mark.parametrize(
    "name",
    ["hex", "gomoku(size=3,dims=4,connect=3)", "gomoku(size=3,dims=3,connect=3,wrap=true)", "misere(game=hex())"],
)
def test_another_game_is_refused(name):
    with pytest.raises(kinarow.InputError, match=r"does not play (hex|gomoku|misere\(game=hex)"):
        KinarowBot(pyspiel.load_game(name))


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_a_state_that_began_elsewhere_is_refused(name):
    """OpenSpiel makes states of boards, with an empty history."""
    game = pyspiel.load_game(name)
    played = game.new_initial_state()
    for action in (2, 1, 0):
        played.apply_action(action)
    assert position_of(played).cells.count(0) == len(position_of(played).cells) - 3
    state = game.new_initial_state(played.to_json())
    assert not state.history()
    for action in (3, 4):
        with pytest.raises(kinarow.InputError, match="must start at"):
            position_of(state)
        state.apply_action(action)


def test_weaker_play_and_limits_are_those_of_best_move():
    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()
    position = kinarow.Position.from_moves("", game="connect-four")
    chosen = kinarow.best_move(position, level=2, seed=5, max_nodes=100)
    assert KinarowBot(game, level=2, seed=5, max_nodes=100).step(state) == chosen.column


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pettingzoo = package("pettingzoo")

PETTINGZOO_GAMES = {"connect-four": "classic/connect_four-v3", "tic-tac-toe": "classic/tictactoe-v3"}


def made(game):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = pettingzoo.make("aec", PETTINGZOO_GAMES[game])
    env.reset(seed=1)
    return env


@pytest.mark.parametrize("game", PETTINGZOO_GAMES)
def test_both_agree_about_every_position_of_an_environment(game):
    """On the legal actions, the end and the winner, in games by chance."""
    source = np.random.default_rng(1)
    for _ in range(4):
        env = made(game)
        first, second = env.possible_agents
        while not any(env.terminations.values()):
            agent = env.agent_selection
            position = adapter.position_of(env, agent)
            assert position.ending().state == "ongoing"
            assert position.to_move == (kinarow.X if agent == first else kinarow.O)
            mask = env.observe(agent)["action_mask"].astype(bool)
            legal = {best_action_of(position, cell) for cell in position.legal_moves()}
            assert legal == set(mask.nonzero()[0].tolist())
            env.step(int(source.choice(mask.nonzero()[0])))
        loser = first if env.rewards[first] < 0 else second
        ending = adapter.position_of(env, loser).ending()
        assert ending.winner == {1: kinarow.X, 0: None, -1: kinarow.O}[env.rewards[first]]


def best_action_of(position, cell):
    """PettingZoo counts the cells of tic-tac-toe column by column."""
    row, column = divmod(cell, position.rules.columns)
    return column if position.rules.gravity else column * 3 + row


@pytest.mark.parametrize("game", PETTINGZOO_GAMES)
def test_kinarow_never_loses_to_chance(game):
    env = made(game)
    source = np.random.default_rng(2)
    mine = env.possible_agents[0]
    while not any(env.terminations.values()):
        agent = env.agent_selection
        legal = env.observe(agent)["action_mask"].nonzero()[0]
        env.step(adapter.best_action(env, agent, max_nodes=5_000) if agent == mine else int(source.choice(legal)))
    assert env.rewards[mine] >= 0
    with pytest.raises(kinarow.PositionError, match="over"):
        adapter.best_action(env, env.possible_agents[1 if env.rewards[mine] > 0 else 0])


def test_a_wrapper_whose_observation_is_an_array_changes_nothing():
    class Wrapper(pettingzoo.utils.BaseWrapper):
        def observe(self, agent):
            return super().observe(agent)["observation"]

    env = made("tic-tac-toe")
    agent = env.agent_selection
    assert adapter.best_action(Wrapper(env), agent, seed=1) == adapter.best_action(env, agent, seed=1)


def test_another_environment_is_refused():
    with pytest.raises(kinarow.InputError, match="not 'chess_v6'"):
        adapter.position_of(SimpleNamespace(metadata={"name": "chess_v6"}), "player_1")
