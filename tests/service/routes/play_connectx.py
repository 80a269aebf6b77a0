"""Plays whole games of the real ConnectX: play_connectx.py http://127.0.0.1:8000/adapters/kaggle-connectx

Run by the Python of an environment with kaggle-environments; prints one JSON line for each game.
"""

import contextlib
import io
import json
import sys

with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    # It tells of every game whose own packages are missing here.
    from kaggle_environments import make

# Rows, columns, marks in a row, seconds for a move, and the package's own agent to play against.
GAMES = [
    (6, 7, 4, 0.3, "negamax"), (6, 7, 4, 0.2, "random"), (4, 5, 3, 2, "negamax"), (5, 4, 4, 2, "negamax"),
    (7, 9, 5, 0.2, "random"), (3, 3, 4, 2, "random"), (1, 4, 2, 2, "random"), (4, 1, 4, 2, "random"),
]  # fmt: skip


def main() -> None:
    url = sys.argv[1]
    for rows, columns, inarow, seconds, other in GAMES:
        for seat in (0, 1):
            configuration = {"rows": rows, "columns": columns, "inarow": inarow, "actTimeout": seconds}
            environment = make("connectx", configuration=configuration)
            steps = environment.run([url, other] if seat == 0 else [other, url])
            last = steps[-1]
            told = {
                "game": [rows, columns, inarow, other], "seat": seat, "moves": len(steps) - 1,
                "statuses": [player.status for player in last], "reward": last[seat].reward,
                "left_s": last[seat].observation.remainingOverageTime,
            }  # fmt: skip
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
