"""Draws proven by the Maker-Breaker game and by pairings."""
