"""What people write: boards, moves, records and names, read to cells and rules. Nothing else guesses.

``tables.py`` has the accepted spellings as data, which ``browser/export.py`` also writes for JavaScript.
"""
