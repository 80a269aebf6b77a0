"""Answers for people: levels of playing strength, reasons, wording, grades, reviews of games, and trees for teaching.

Nothing here decides what the best move is; it asks ``kinarow.search``.
"""
