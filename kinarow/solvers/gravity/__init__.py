"""The exact solver for gravity boards of one word."""
