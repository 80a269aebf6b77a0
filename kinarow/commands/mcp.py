"""``kinarow mcp``: the tools of the Model Context Protocol on standard input and output, or by HTTP."""

import argparse
import sys

from kinarow.settings import load_settings

LOOPBACK = "127.0.0.1"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http", action="store_true", help="answer by streamable HTTP instead of standard input and output"
    )
    parser.add_argument("--host", default=LOOPBACK, help=f"address to listen on with --http ({LOOPBACK})")
    parser.add_argument("--port", type=int, help="TCP port with --http, 0 for any free one (KINAROW_PORT)")


def run(arguments: argparse.Namespace) -> int:
    """Answer until the input ends or a signal comes."""
    settings = load_settings() if arguments.port is None else load_settings(port=arguments.port)
    # Imported here, since --help must work without the extra.
    from kinarow.protocols.mcp import serve_http, serve_stdio

    if arguments.http:
        serve_http(settings, arguments.host, settings.port, lambda line: print(line, file=sys.stderr))
    else:
        serve_stdio(settings)
    return 0
