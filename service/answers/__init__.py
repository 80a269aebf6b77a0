"""Answers kept, shared and bounded: the cache, the Redis tier, the search limiter and the use cases on top."""
