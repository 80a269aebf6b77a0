"""The pool of connections to the Redis server."""

from typing import Any

CONNECTIONS = 4  # connections of each worker; calls are so short that more are rarely needed at once
CONNECT_WITHIN_S = 1.0  # time limit for connecting, including name resolution and TLS


def problem_with(url: str) -> str | None:
    """Why this URL cannot be used, or None if it can; the text does not repeat it, since it may hold a password."""
    try:
        make_pool(url, CONNECT_WITHIN_S).make_connection()
    except ImportError:
        return "needs the package redis: pip install 'kinarow[redis]'"
    except Exception:
        return "must be redis://HOST:PORT/NUMBER, rediss://… or unix:///PATH, with options that redis-py knows"
    return None


def make_pool(url: str, timeout_s: float) -> Any:
    """A pool of connections without redis-py's own retries and health checks."""
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return redis.ConnectionPool.from_url(
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=CONNECT_WITHIN_S,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
        max_connections=CONNECTIONS,
    )
