"""Refuses requests whose header ``Host`` names a host that is not trusted.

A page of another site may make its own name resolve to a visitor's machine (DNS rebinding). Its requests then reach a
service that listens there alone, but they name the site.
"""

import re
from functools import partial

from flask import Flask, request

from kinarow.contract.problems import UNTRUSTED_HOST, Problem
from kinarow.settings import PREFIX
from service.settings import Settings

_PORT = re.compile(r":[^:\]]*$")  # not the colons of an IPv6 address, which stands between brackets
_FOR_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})  # probes send the address of a container or a machine


def init_app(app: Flask, settings: Settings) -> None:
    """Check the host of every request of the app if the settings name trusted hosts.

    Flask's own ``TRUSTED_HOSTS`` makes no exception for probes.
    """
    hosts = settings.known_trusted_hosts
    names = frozenset(host.removeprefix(".") for host in hosts)
    endings = tuple(host for host in hosts if host.startswith("."))
    if hosts:
        app.before_request(partial(_check_host, names, endings))


def _check_host(names: frozenset[str], endings: tuple[str, ...]) -> None:
    """Raise the problem 400 if the host of the current request is not trusted."""
    # Requests of HTTP/1.0 may name no host: it is the address that the server listens on.
    host = _PORT.sub("", (request.headers.get("Host") or request.environ["SERVER_NAME"]).lower())
    if not (host in names or host.endswith(endings) or request.path in _FOR_PROBES):
        raise Problem(UNTRUSTED_HOST, f"The host of the request is not in {PREFIX}TRUSTED_HOSTS.")
