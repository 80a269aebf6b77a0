"""The HTTP side: what a request may hold, what an answer looks like, and every way it can fail."""
