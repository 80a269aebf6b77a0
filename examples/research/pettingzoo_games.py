"""kinarow against a random agent in PettingZoo's Connect Four and tic-tac-toe."""

from pettingzoo import make
from pettingzoo.classic import tictactoe_v3  # the older way, deprecated

from kinarow.adapters.pettingzoo import best_action

for game, env in {"connect-four": make("aec", "classic/connect_four-v3"), "tic-tac-toe": tictactoe_v3.env()}.items():
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        action = None
        if not terminated and agent == env.possible_agents[0]:
            action = best_action(env, agent, max_nodes=100_000)
        elif not terminated:
            action = env.action_space(agent).sample(observation["action_mask"])
        elif agent == env.possible_agents[0]:
            print(game, reward)
        env.step(action)
