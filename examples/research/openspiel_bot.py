"""kinarow as an OpenSpiel bot for tic_tac_toe, connect_four, mnk and gomoku, against OpenSpiel's random bot."""

import pyspiel

from kinarow.adapters.open_spiel import KinarowBot

for game in map(pyspiel.load_game, ["tic_tac_toe", "connect_four", "mnk(m=5,n=4,k=4)", "gomoku(size=9)"]):
    bots = [KinarowBot(game, max_nodes=100_000), pyspiel.make_uniform_random_bot(1, 7)]
    print(game, pyspiel.evaluate_bots(game.new_initial_state(), bots, 1))
