"""The solver for large boards: patterns, threats, principal variation search."""
