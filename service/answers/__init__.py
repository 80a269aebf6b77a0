"""Answers kept, shared and bounded: the cache, the Redis tier, the search limiter, and the functions on top."""
