"""Connections to a Redis server, by redis-py's own means."""

from typing import Any

CONNECTIONS = 4
"""Of each worker; a call is over so soon that more are rarely wanted at once."""
CONNECT_WITHIN_S = 1.0
"""Names are resolved and certificates checked meanwhile."""


def problem_with(url: str) -> str | None:
    """Why this URL cannot be used, without telling it, for it may hold a password; None if it can."""
    try:
        make_pool(url, CONNECT_WITHIN_S).make_connection()
    except ImportError:
        return "needs the package redis: pip install 'kinarow[redis]'"
    except Exception:
        return (
            "must be redis://HOST:PORT/NUMBER, rediss://… or unix:///PATH, with options that redis-py knows"
        )
    return None


def make_pool(url: str, timeout_s: float) -> Any:
    """Connections to the server, with no waiting and retrying but ours."""
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
