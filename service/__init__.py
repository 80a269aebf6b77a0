"""kinarow: the best move, and how good it is, on any k-in-a-row board."""
