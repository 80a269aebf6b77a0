"""Wins by continuous threats on boards of any shape and size: each mark threatens to complete a line at once."""
