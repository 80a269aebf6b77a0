"""kinarow as an OpenSpiel bot for tic_tac_toe, connect_four, mnk and gomoku, against OpenSpiel's random bot."""

import kinarow
import pyspiel
from peer import ask


class KinarowBot(pyspiel.Bot):
    """Plays the best move it knows; ``choice`` is a level and a seed."""

    def __init__(self, game, **choice):
        pyspiel.Bot.__init__(self)
        p, self.choice, self.gravity = game.get_parameters(), choice, game.get_type().short_name == "connect_four"
        self.fields = {
            "tic_tac_toe": lambda: {"game": "tic-tac-toe"},
            "connect_four": lambda: dict(rows=p["rows"], columns=p["columns"], goal=p["x_in_row"], gravity=True),
            "mnk": lambda: dict(rows=p["n"], columns=p["m"], goal=p["k"]),
            "gomoku": lambda: dict(rows=p["size"], columns=p["size"], goal=p["connect"], misere=p["anti"],
                                   wrap="both" if p["wrap"] else "none"),
        }[game.get_type().short_name]()  # fmt: skip

    def step(self, state):
        moves = [{"column": action} if self.gravity else action + 1 for action in state.history()]
        move, value, proven = ask(kinarow.Position.from_moves(moves, **self.fields), **self.choice)
        return move % state.get_game().get_parameters()["columns"] if self.gravity else move


for game in map(pyspiel.load_game, ["tic_tac_toe", "connect_four", "mnk(m=5,n=4,k=4)", "gomoku(size=9)"]):
    bots = [KinarowBot(game), pyspiel.make_uniform_random_bot(1, 7)]
    print(game, pyspiel.evaluate_bots(game.new_initial_state(), bots, 1))
