"""Who may ask and who may read an answer: trusted hosts, API keys, CORS, and security headers.

In a DNS rebinding attack a site's name resolves to the visitor's own machine. The page's requests then reach a service
that listens on loopback only, but their ``Host`` names the site. An IP address in ``Host`` is safe: it isn't resolved.
"""

import ipaddress
import re
from functools import lru_cache, partial

from flask import Flask, Response, request

from kinarow.contract.problems import MALFORMED_REQUEST, UNAUTHORIZED, UNAVAILABLE, UNTRUSTED_HOST, Problem
from kinarow.errors import quoted
from kinarow.keys import CHALLENGE, READ_AGAIN_S
from kinarow.settings import PREFIX
from service.http.services import services
from service.settings import HOST, Settings
from service.telemetry.logs import REQUEST_ID_HEADER

SOLVE_PATH = "/solve"  # as on connect4.gamesolver.org, whose clients are pages of any origin

_PORT = re.compile(r":[^:\]]*$")  # not the colons of an IPv6 address in brackets
# Probes name a container or a machine by its address; ``/solve`` is open to every page.
_ANY_HOST = frozenset({"/healthz", "/readyz", "/metrics", SOLVE_PATH})

WITHOUT_KEY = frozenset(
    {
        *("/", "/healthz", "/readyz", "/openapi.yaml", "/openapi.json", "/problems", "/docs", "/guide", "/llms.txt"),
        *("/atlas", "/atlas.json", "/atlas.csv"),
    }
)
WITHOUT_KEY_BELOW = ("/docs/", "/guide/", "/web/", "/atlas/proofs/")
_FOR_METRICS = frozenset({"/metrics", "/version"})
"""The only paths for keys with the scope ``metrics``, so that Prometheus can't start searches."""

ANY_ORIGIN = "*"
ALLOWED_METHODS = "GET, HEAD, POST, OPTIONS"
ALLOWED_HEADERS = f"Accept, Authorization, Content-Type, If-None-Match, {REQUEST_ID_HEADER}"
EXPOSED_HEADERS = f"ETag, Retry-After, {REQUEST_ID_HEADER}"
_KEEP_PREFLIGHT_S = 7200

_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
# The page at /docs sets styles on its elements, and its style sheet contains pictures.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def init_app(app: Flask, settings: Settings) -> None:
    """Check the host and the key of every request, and set the CORS and security headers of every response.

    Flask's own ``TRUSTED_HOSTS`` makes no exception for probes and addresses.
    """
    hosts = settings.known_hosts
    names = frozenset(host.removeprefix(".") for host in hosts)
    endings = tuple(host for host in hosts if host.startswith("."))
    app.before_request(partial(_check_host, names, endings, not settings.trusted_hosts))
    if settings.cors_origins:
        app.before_request(_answer_preflight)
    if settings.needs_key:
        app.before_request(_check_key)
    # For the whole app: a hook of the blueprint of ``/solve`` would miss its 405 responses.
    app.after_request(partial(_set_headers, frozenset(settings.cors_origins)))


def _check_host(names: frozenset[str], endings: tuple[str, ...], on_loopback: bool) -> None:
    """Raise the problem 400 if the host of the current request is missing or not trusted; without names, trust any."""
    environ = request.environ  # request.headers takes longer
    if not environ.get("HTTP_HOST") and environ.get("SERVER_PROTOCOL") == "HTTP/1.1":
        raise Problem(MALFORMED_REQUEST, "The header Host is missing.")
    if not names:
        return
    # HTTP/1.0 requests need no Host; then it is the address that the server listens on.
    host = _PORT.sub("", (environ.get("HTTP_HOST") or environ["SERVER_NAME"]).lower()).removesuffix(".")
    trusted = host in names or host.endswith(endings) or (on_loopback and _is_address(host))
    if not (trusted or request.path in _ANY_HOST):
        raise Problem(UNTRUSTED_HOST, _untrusted(host, on_loopback))


@lru_cache(64)
def _is_address(host: str) -> bool:
    try:
        if host.startswith("[") and host.endswith("]"):
            return ipaddress.IPv6Address(host[1:-1]).scope_id is None
        return bool(ipaddress.IPv4Address(host))
    except ValueError:
        return False


def _untrusted(host: str, on_loopback: bool) -> str:
    """Return the message for an untrusted host; it doesn't reveal the trusted hosts."""
    name = f"{PREFIX}TRUSTED_HOSTS"
    if not HOST.fullmatch(host):
        return f"{quoted(host)} in the header Host is not the name of a host."
    if on_loopback:
        return f"The host {quoted(host)} is not trusted; to allow it, set {name}=localhost,127.0.0.1,{host:.100}."
    return f"The host {quoted(host)} is not trusted; to allow it, add {host:.100} to {name}."


def _check_key() -> None:
    """Raise the problem 401 if the bearer token is missing or unknown, 503 if the service cannot read its keys."""
    # Preflight requests (OPTIONS) carry no credentials.
    path = request.path
    if request.method == "OPTIONS" or path in WITHOUT_KEY or path.startswith(WITHOUT_KEY_BELOW):
        return
    keys = services().keys
    assert keys is not None
    authorization = request.headers.get("Authorization", "")
    refusal = keys.refusal(authorization, metrics=path in _FOR_METRICS)
    if refusal == "missing":
        headers = {"WWW-Authenticate": CHALLENGE}
        raise Problem(UNAUTHORIZED, "Send the header Authorization: Bearer KEY.", headers=headers)
    if refusal == "unknown":
        headers = {"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'}
        raise Problem(UNAUTHORIZED, "The key is unknown.", headers=headers)
    if refusal == "unread":
        headers = {"Retry-After": str(READ_AGAIN_S)}
        raise Problem(UNAVAILABLE, "The service cannot read its API keys; its log says why.", headers=headers)


def client() -> str:
    """Return the client's API key, or its address (IPv6: the /64); behind a proxy the last forwarded address."""
    if services().keys is not None:
        return request.headers.get("Authorization", "")
    peer, forwarded = request.environ.get("REMOTE_ADDR", ""), request.environ.get("HTTP_X_FORWARDED_FOR", "")
    return _network(peer, forwarded.rpartition(",")[2].strip()[:64])


@lru_cache(1024)
def _network(peer: str, forwarded: str) -> str:
    def read(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        address = ipaddress.ip_address(text)
        return getattr(address, "ipv4_mapped", None) or address

    try:
        is_proxy = not peer or read(peer).is_private  # a Unix socket has no address
        address = read(forwarded if forwarded and is_proxy else peer)
    except ValueError:
        return peer
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def _answer_preflight() -> Response | None:
    """Return the response to a browser's preflight request, or None for other requests."""
    if request.method != "OPTIONS" or not request.access_control_request_method:
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = ALLOWED_METHODS
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = str(_KEEP_PREFLIGHT_S)
    return response


def _set_headers(origins: frozenset[str], response: Response) -> Response:
    """Set the CORS headers, ``nosniff``, and a Content-Security-Policy if the route has set none."""
    headers = response.headers
    allowed = ANY_ORIGIN if request.path == SOLVE_PATH or ANY_ORIGIN in origins else None
    if origins and allowed is None:
        response.vary.add("Origin")  # caches must know that the answer depends on the origin
        allowed = request.origin if request.origin in origins else None
    if allowed is not None:
        headers["Access-Control-Allow-Origin"] = allowed
        headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    if "Content-Security-Policy" not in headers:
        is_page = response.mimetype == "text/html"
        headers.add("Content-Security-Policy", _PAGE_POLICY if is_page else _DATA_POLICY)
    headers.add("X-Content-Type-Options", "nosniff")
    return response
