"""kinarow against chance in PettingZoo's Connect Four and tic-tac-toe."""

import kinarow
from peer import ask
from pettingzoo import make
from pettingzoo.classic import tictactoe_v3  # the older way, deprecated


def position_of(env, agent, game):
    """The position that an agent sees; in tic-tac-toe the cells run down the columns."""
    planes = env.observe(agent)["observation"]
    own, other = planes.T if game == "tic-tac-toe" else planes.transpose(2, 0, 1)
    mark, opponent = "XO" if agent == env.possible_agents[0] else "OX"
    rows = [[mark if o else opponent if x else "." for o, x in zip(*each)] for each in zip(own, other)]
    return kinarow.Position.from_rows(rows, to_move=mark, game=game)


for game, env in {"connect-four": make("aec", "classic/connect_four-v3"), "tic-tac-toe": tictactoe_v3.env()}.items():
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        action = None
        if not terminated and agent == env.possible_agents[0]:
            move, value, proven = ask(position_of(env, agent, game))
            action = move % 7 if game == "connect-four" else move % 3 * 3 + move // 3
        elif not terminated:
            action = env.action_space(agent).sample(observation["action_mask"])
        elif agent == env.possible_agents[0]:
            print(game, reward)
        env.step(action)
