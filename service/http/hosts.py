"""Refuses requests whose header ``Host`` names a host that is not trusted.

A page of another site may make its own name resolve to a visitor's machine (DNS rebinding). Its requests then reach a
service that listens there alone, but they name the site. An address cannot be made to resolve to another one.
"""

import ipaddress
import re
from functools import partial

from flask import Flask, request

from kinarow.contract.problems import UNTRUSTED_HOST, Problem
from kinarow.errors import quoted
from kinarow.settings import PREFIX
from service.http.cors import OPEN_PATH
from service.settings import HOST, LOOPBACK_HOSTS, Settings

_PORT = re.compile(r":[^:\]]*$")  # not the colons of an IPv6 address, which stands between brackets
# Probes send the address of a container or a machine, and any page may read what is open.
_UNCHECKED = frozenset({"/healthz", "/readyz", "/metrics", OPEN_PATH})


def init_app(app: Flask, settings: Settings) -> None:
    """Check the host of every request of the app if the settings name trusted hosts or the service is on loopback.

    Flask's own ``TRUSTED_HOSTS`` makes no exception for probes and addresses.
    """
    named = settings.known_trusted_hosts
    hosts = named or (LOOPBACK_HOSTS if settings.only_on_loopback else ())
    names = frozenset(host.removeprefix(".") for host in hosts)
    endings = tuple(host for host in hosts if host.startswith("."))
    if hosts:
        app.before_request(partial(_check_host, names, endings, not named))


def _check_host(names: frozenset[str], endings: tuple[str, ...], on_loopback: bool) -> None:
    """Raise the problem 400 if the host of the current request is not trusted."""
    # Requests of HTTP/1.0 may name no host: it is the address that the server listens on.
    host = _PORT.sub("", (request.headers.get("Host") or request.environ["SERVER_NAME"]).lower()).removesuffix(".")
    trusted = host in names or host.endswith(endings) or (on_loopback and _is_address(host))
    if not (trusted or request.path in _UNCHECKED):
        raise Problem(UNTRUSTED_HOST, _advice(host, on_loopback))


def _is_address(host: str) -> bool:
    """Whether a host is an IPv4 address in four decimal parts, or an IPv6 address without a zone in brackets."""
    try:
        if host.startswith("[") and host.endswith("]"):
            return ipaddress.IPv6Address(host[1:-1]).scope_id is None
        return bool(ipaddress.IPv4Address(host))
    except ValueError:
        return False


def _advice(host: str, on_loopback: bool) -> str:
    """Which host came and what to set, without the hosts that are set."""
    name = f"{PREFIX}TRUSTED_HOSTS"
    if not HOST.fullmatch(host):
        return f"{quoted(host)} in the header Host is not the name of a host."
    if on_loopback:
        return f"The host {quoted(host)} is not trusted; to allow it, set {name}=localhost,127.0.0.1,{host:.100}."
    return f"The host {quoted(host)} is not trusted; to allow it, add {host:.100} to {name}."
