"""Between a route and the engine: the cache, slots and queues of searches, and Redis."""
