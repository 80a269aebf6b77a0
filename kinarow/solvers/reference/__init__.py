"""The search that knows every rule, in plain Python."""
