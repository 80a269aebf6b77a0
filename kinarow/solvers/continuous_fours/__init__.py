"""Wins by continuous fours (VCF) on boards of any shape: each mark threatens to complete a line with the next."""
