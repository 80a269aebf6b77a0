"""``python -m kinarow`` is the same as ``kinarow``."""

import sys

from service.cli import main

sys.exit(main())
