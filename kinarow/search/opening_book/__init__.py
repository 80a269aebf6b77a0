"""Proven openings: how they are read and built, and the data."""
