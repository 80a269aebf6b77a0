"""``kinarow mcp``: the tools of the Model Context Protocol on standard input and output, or by HTTP."""

import argparse
import sys

from service.settings import SettingsError, load_settings

LOOPBACK = "127.0.0.1"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "--http", action="store_true", help="answer by streamable HTTP instead of standard input and output"
    )
    parser.add_argument("--host", default=LOOPBACK, help=f"address to listen on with --http ({LOOPBACK})")
    parser.add_argument("--port", type=int, help="TCP port with --http, 0 for any free one (KINAROW_PORT)")


def run(arguments: argparse.Namespace) -> int:
    """Answer until the client or a signal ends it.

    Raises:
        SettingsError: a setting is impossible, or the extra is not installed.
    """
    settings = load_settings() if arguments.port is None else load_settings(port=arguments.port)
    try:
        from service.mcp import serve_http, serve_stdio
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise SettingsError("it needs the extra kinarow[mcp]: pip install 'kinarow[mcp]'") from None
    if arguments.http:
        serve_http(settings, arguments.host, settings.port, lambda line: print(line, file=sys.stderr))
    else:
        serve_stdio(settings)
    return 0
