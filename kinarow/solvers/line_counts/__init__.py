"""Negamax over line counts to a depth, for any board."""
