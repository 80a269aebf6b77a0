"""What a game is: rules, the geometry of a board, positions and what people write for them.

Here belongs all that the rules say: legal moves, lines, Renju's forbidden cells, immediate wins, the line heuristic,
symmetries, notation, drawing, records of games. Nothing here searches, and nothing here loads a compiled kernel.
"""
