"""kinarow in the place of a language model in gomokubench: 19 × 19, five in a row, against its alpha-beta engine."""
# pip install numpy gomokubench==0.1.10

from types import SimpleNamespace

import kinarow
from libs import piece  # gomokubench installs its code under this name
from libs.benchmark import BenchmarkRunner
from peer import ask

MARKS = {piece.EMPTY: ".", piece.BLACK: "X", piece.WHITE: "O"}


class Player:
    """Stands where the model does: sees the game, names a row and a column, and says why."""

    def choose_move(self, game, color):
        rows = ["".join(MARKS[int(value)] for value in row) for row in game.state.values]
        move, value, proven = ask(kinarow.Position.from_rows(rows, goal=5, to_move=MARKS[color]))
        return divmod(move, game.size), f"value {value:+.2f}{' (proven)' if proven else ''}"


config = SimpleNamespace(model_id="kinarow", display_name="kinarow", provider_name="kinarow")
report = BenchmarkRunner(config, rounds=2, llm_player=Player()).run()
for game in report["games"]:
    print(game["llm_color"], game["outcome"], len(game["moves"]), "moves")
print(report["summary"])
