"""Adapters for packages of games, each of which is an extra."""
