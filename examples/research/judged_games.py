"""Your agent (here: chance) against three levels of kinarow: writes a file of games for ``kinarow judge``."""

import json
import random
import sys

import kinarow


def agent(position):
    """Put yours here: it sees the position and names a cell, counted row by row from 0."""
    return random.choice(position.legal_moves())


random.seed(1)
with open(sys.argv[1], "w") as games:
    for number in range(60):
        level = (1, 3, 5)[number % 3]
        names = ["mine", f"kinarow-level-{level}"][:: 1 if number % 2 else -1]
        position, moves = kinarow.Position.from_moves("", game="connect-four"), []
        while position.ending().state == "ongoing":
            mine = names[len(moves) % 2] == "mine"
            move = agent(position) if mine else kinarow.best_move(position, level=level, seed=number).move
            moves.append(move + 1)
            if move not in position.legal_moves():
                break  # an illegal move ends the game; the judge counts it
            position = position.play(move)
        print(json.dumps({"game": "connect-four", "moves": moves, "players": dict(zip("XO", names))}), file=games)
