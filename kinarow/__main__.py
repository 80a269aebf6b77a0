"""Where ``kinarow`` and ``python -m kinarow`` begin: a Ctrl-C ends even the import of the command line in silence."""

import os
import signal
import sys


def main() -> int:
    """Run the command line; returns its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as in a shell's background
        signal.signal(signal.SIGINT, lambda *_: os._exit(128 + signal.SIGINT))
    from kinarow.commands import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
