"""Solved games: which empty boards are tried, how one is proven, and what is known of each, which is shipped here."""
