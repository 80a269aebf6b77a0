"""Measures an agent (here: chance) against kinarow in Gymnasium: results, and the value lost by a move."""

import gymnasium
import kinarow.gym  # noqa: F401 - registers kinarow/<game>-v0


def agent(env, observation, info):
    """Put yours here."""
    return env.action_space.sample(info["action_mask"])


for reward in ("result", "value"):
    env = gymnasium.make("kinarow/connect-four-v0", opponent_level=2, reward=reward, agent_begins=None)
    env.action_space.seed(1)
    rewards = []
    for game in range(10):
        observation, info = env.reset(seed=game)
        done = False
        while not done:
            observation, gained, done, _, info = env.step(agent(env, observation, info))
            rewards.append(gained)
    print(f"{reward}: {sum(rewards) / (10 if reward == 'result' else len(rewards)):+.2f}")
