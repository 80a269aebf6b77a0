"""How an answer is found: the search of a position, the values of all its moves, and of many positions at once.

Here belongs what puts rules, opening book and solvers together, and the calibration of estimates. How a value is
found belongs to ``kinarow.solvers``; playing strength and words for people to ``kinarow.play``.
"""
