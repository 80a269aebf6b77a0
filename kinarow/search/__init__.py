"""Searches: of a position, of all its moves, and of many positions at once.

Here belongs the code that combines rules, opening book and solvers, and the calibration of estimates. Solvers are in
``kinarow.solvers``; playing strength and words for people in ``kinarow.play``.
"""
