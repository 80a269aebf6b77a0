"""What surrounds a route: shared objects, hooks, bodies, queries, problems, events, cached responses, assets."""
