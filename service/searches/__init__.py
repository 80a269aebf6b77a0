"""What stands between a route and the engine: slots and queues of searches, and a shared cache on Redis."""
