"""kinarow against a language model (here: a stub) in TextArena's Connect Four and tic-tac-toe."""
# pip install numpy textarena==0.7.4

import random

import kinarow
import textarena as ta
from peer import ask


class Model(ta.Agent):
    """Stands for a language model, such as ``ta.agents.OpenAIAgent``: reads the text, names a move."""

    def __call__(self, observation):
        return f"I move to [{random.randrange(7)}]"


for name, game, marks in (("ConnectFour-v0", "connect-four", "XO"), ("TicTacToe-v0", "tic-tac-toe", "OX")):
    env, model, done = ta.make(name), Model(), False
    env.reset(num_players=2, seed=1)
    while not done:
        player, observation = env.get_observation()
        if player == 1:
            action = model(observation)
        else:
            rows = [[cell or "." for cell in row] for row in env.state.game_state["board"]]
            move, value, proven = ask(kinarow.Position.from_rows(rows, to_move=marks[player], game=game))
            action = f"[{move % 7 if game == 'connect-four' else move}]"
        done, _ = env.step(action)
    print(game, env.close()[0])
