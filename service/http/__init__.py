"""What surrounds a route: shared objects, parsing, responses, errors, security, events and connections."""
