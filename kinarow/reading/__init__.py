"""Reads what people write, boards, moves, records and names, to cells and rules. No other package guesses.

``tables.py`` has the accepted spellings as data, which ``browser/export.py`` also writes for JavaScript.
"""
