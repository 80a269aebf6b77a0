"""Wins within few plies on large boards."""
