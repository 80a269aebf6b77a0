"""The search on the board: its record and tunables, the table, forced wins, principal variation search, deepening."""
