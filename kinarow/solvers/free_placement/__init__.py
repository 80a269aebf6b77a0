"""The exact solver for boards of at most 64 cells without gravity."""
