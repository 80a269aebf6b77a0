"""What stands around a route: keys, headers, bodies, queries, problems, events, cached responses, assets."""
