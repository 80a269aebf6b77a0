"""``python -m kinarow`` is the same as ``kinarow``."""

import sys

from kinarow.commands.cli import main

sys.exit(main())
