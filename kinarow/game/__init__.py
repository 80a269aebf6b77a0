"""What a game is: rules, the geometry of a board, positions and what people write for them.

Here belongs all that the rules say: legal moves, lines, Renju's forbidden cells, immediate wins, the line heuristic,
symmetries, notation and drawing. Nothing here searches; the kernels find a board's lines, move order and symmetries.
"""
