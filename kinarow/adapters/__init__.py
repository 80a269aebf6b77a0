"""Adapters for other game packages; each needs an extra."""
