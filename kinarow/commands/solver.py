"""``kinarow solver``: serves Connect Four's scores at ``/solve``, for programs that call a solver on their own machine.

The answers are those of ``GET /solve``, but the score of a full column can be set: some programs play the column with
the greatest score, even if it is full.
"""

import argparse
import signal
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from kinarow.commands.options import MAX_TIME_MS, between
from kinarow.contract.actions import searches
from kinarow.contract.json_text import dump
from kinarow.contract.problems import MEDIA_TYPE, NOT_FOUND, Problem, invalid
from kinarow.engine import Ask
from kinarow.errors import InputError
from kinarow.protocols import gamesolver
from kinarow.settings import load_settings

LOOPBACK = "127.0.0.1"
PORT = 5000
MAX_PORT = 65_535
MAX_SCORE = 10**6

TIME_LIMIT_MS = 60_000  # default time for an answer; long, since programs play any column without one


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default=LOOPBACK, help=f"address to listen on ({LOOPBACK})")
    parser.add_argument(
        "--port", type=between(0, MAX_PORT), default=PORT, help=f"TCP port, 0 for any free one ({PORT})"
    )
    parser.add_argument(
        "--full-column",
        metavar="SCORE",
        type=between(-MAX_SCORE, MAX_SCORE),
        default=gamesolver.FULL,
        help=f"the score of a full column ({gamesolver.FULL})",
    )
    parser.add_argument(
        "--time-limit-ms",
        type=between(1, MAX_TIME_MS),
        default=TIME_LIMIT_MS,
        help=f"maximum milliseconds for an answer ({TIME_LIMIT_MS})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    ask = searches(load_settings())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    handler = _handler(lambda path: _answer(path, ask, arguments.time_limit_ms, arguments.full_column))
    with ThreadingHTTPServer((arguments.host, arguments.port), handler) as server:
        print(f"listening at http://{arguments.host}:{server.server_port}/solve", file=sys.stderr, flush=True)
        server.serve_forever()
    return 0


def _handler(answer: Callable[[str], bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                self._send(HTTPStatus.OK, "application/json", answer(self.path))
            except Problem as problem:
                self._send(problem.kind.status, MEDIA_TYPE, dump(problem.fields()))

        def _send(self, status: int, media_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body) + 1))
            self.end_headers()
            self.wfile.write(body + b"\n")

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    return Handler


def _answer(path: str, ask: Ask, max_time_ms: int, full: int) -> bytes:
    """Return the body for a path with its query; raise ``Problem`` for a wrong path or move, or if the time ran out."""
    parts = urlsplit(path)
    if parts.path != gamesolver.PATH:
        raise Problem(NOT_FOUND, f"The only path is {gamesolver.PATH}.")
    try:
        moves, position = gamesolver.read_query(parts.query.encode("latin-1"))
        return dump({"pos": moves, "score": gamesolver.scores(position, ask, max_time_ms, None, full)})
    except InputError as wrong:
        raise invalid(wrong.problems) from None
