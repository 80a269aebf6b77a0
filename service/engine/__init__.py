"""The engine: rules, positions and search. It knows nothing of HTTP."""
