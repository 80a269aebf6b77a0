"""Exact search over lines as masks, for boards of any shape of at most 64 cells, with gravity or without."""
